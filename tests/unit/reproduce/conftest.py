"""The tests' own modules can be imported by name."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def no_data(monkeypatch, tmp_path, offline):
    """Only the package's own data sets are to be had."""
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path))
