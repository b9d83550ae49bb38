import gzip
import os
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

# Problems are plain modules beside the tests that use them; exact posteriors are kept beside the
# twins that work them out.
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))

CALIFORNIA = "california_housing_raw.csv.gz"


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers whose seed comes from the name of the test."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


@pytest.fixture(scope="session")
def california() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, features and median house value (dollars) of the Bayesian-forest paper's data."""
    folder = os.environ.get("BAYESWOOD_DATA")
    if not folder or not (Path(folder) / CALIFORNIA).exists():
        pytest.skip(f"needs {CALIFORNIA} in the folder that the variable BAYESWOOD_DATA names")
    with gzip.open(Path(folder) / CALIFORNIA, "rt") as lines:
        names = next(lines).strip().split(",")
        table = np.loadtxt(lines, delimiter=",")
    return names[:-1], table[:, :-1], table[:, -1]
