import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

# The twins are plain modules, and some tests share their cases.
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "twins"), str(HERE / "trees")]


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers whose seed comes from the name of the test."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
