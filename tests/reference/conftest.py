import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

# The twins are plain modules beside the tests that use them.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers whose seed comes from the name of the test."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
