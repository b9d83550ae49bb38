"""The contract tests' own modules, and the tables of the unit tests, can be imported by name."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "unit")]


@pytest.fixture(scope="session")
def spark_backend(tmp_path_factory):
    """The session of all tests on Spark: Java takes long to begin, and does so once a process."""
    from cluster_backends import SparkBackend

    opened = SparkBackend(tmp_path_factory.mktemp("spark"))
    yield opened
    opened.close()
