import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

# Problems are plain modules beside the tests that use them; exact posteriors are kept beside the
# twins that work them out.
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "reference/twins"))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers whose seed comes from the name of the test."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


@pytest.fixture(scope="session")
def california(data_set) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, features and median house value (dollars) of the Bayesian-forest paper's data."""
    found = data_set("california_housing_raw")
    return list(found.feature_names), found.features, found.target.astype(np.float64)
