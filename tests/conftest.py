"""Fixtures of all tests."""

import zlib

import numpy as np
import pytest


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed that depends on the test's name alone."""
    return zlib.crc32(request.node.name.encode())


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """A generator seeded by the test's name."""
    return np.random.default_rng(seed)


# What tests of these files share takes long to make: one worker of pytest-xdist runs each group and
# makes it once. Clusters come first, because most of their time is spent waiting.
CLUSTERS = (
    "test_dask_faults.py",
    "test_dask_futures.py",
    "test_distributed_backends.py",
    "test_spark_faults.py",
)
SHARING = ("test_class_knowledge.py", "test_noise_and_knowledge.py", "test_prior_limit.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out tests one by one, but for those that share; the largest groups first."""
    from xdist.scheduler import LoadScopeScheduling

    class OneWorkerPerGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            if file.endswith(CLUSTERS):
                return "clusters"
            return file if file.endswith(SHARING) else nodeid

    return OneWorkerPerGroup(config, log)
