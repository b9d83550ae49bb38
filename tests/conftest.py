"""Fixtures of all tests."""

import gc
import os
import sys
import zlib
from contextlib import ExitStack
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from _pytest.runner import runtestprotocol

from bayeswood import datasets
from bayeswood.errors import MissingDataSetError

LOAD = datasets.load


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed that depends on the test's name alone."""
    return zlib.crc32(request.node.name.encode())


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """A generator seeded by the test's name."""
    return np.random.default_rng(seed)


@pytest.fixture(autouse=True)
def _pictures_are_closed():
    """A test that leaves pictures open fails, and not the one after it that counts them."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        plt = sys.modules["matplotlib.pyplot"]
        left_open = plt.get_fignums()
        plt.close("all")
        assert left_open == []


@pytest.fixture(autouse=True, scope="session")
def _no_network():
    """Whoever would fetch data fails."""

    def refuse(*args, **kwargs):
        raise AssertionError("A test asked OpenML.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sklearn.datasets, "fetch_openml", refuse)
        yield


@pytest.fixture
def offline(monkeypatch):
    """OpenML cannot be reached."""

    def unreachable(*args, **kwargs):
        raise URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)


@pytest.fixture(scope="session")
def data_set():
    """Loads a data set by its name; the test is skipped where it is not on this machine."""

    def load(name, **options):
        try:
            return LOAD(name, **{**options, "download": False})
        except MissingDataSetError:
            file = f"{name}.csv.gz"
            pytest.skip(f"needs {file} in the folder that the variable BAYESWOOD_DATA names")

    return load


# What tests of these files share takes long to make: one worker of pytest-xdist runs each group and
# makes it once. Clusters come first, because most of their time is spent waiting. For that time
# there is one worker more than processors, and the others let it go first: in a cluster, a process
# that is merely slow counts as stopped.
CLUSTERS = (
    "test_dask_faults.py",
    "test_dask_futures.py",
    "test_distributed_backends.py",
    "test_spark_faults.py",
)
SHARING = (
    "calibrated_forest/test_regressor.py",
    "test_class_knowledge.py",
    "test_drawn_sums.py",
    "test_mcmc_prior.py",
    "test_monotone.py",
    "test_noise_and_knowledge.py",
    "test_notebook.py",
    "test_page.py",
    "test_page_browser.py",
    "test_prior_limit.py",
    "test_shap_package.py",
    "test_skops.py",
    "test_tierney.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One more than there are processors."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


stepped_back = False


def pytest_runtest_setup(item):
    """Step back, unless this worker has the clusters."""
    global stepped_back
    if not stepped_back and "PYTEST_XDIST_WORKER" in os.environ and hasattr(os, "nice"):
        stepped_back = True
        os.nice(0 if item.path.name in CLUSTERS else 5)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session):
    """Let one worker collect before the others: what it has compiled serves them all."""
    with ExitStack() as until_collected:
        if "PYTEST_XDIST_WORKER" in os.environ and os.name == "posix":
            import fcntl

            lock = until_collected.enter_context(open(__file__))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                fcntl.flock(lock, fcntl.LOCK_SH)
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Tell pytest-xdist of a test that passes once, not five times: there are thousands of them.

    What takes part in no failure and no list of the longest tests is not sent.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.1:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_finish(session):
    """Spare the collector of garbage the tests themselves, which live until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out tests one by one, but for those that share; the largest groups first."""
    from xdist.scheduler import LoadScopeScheduling

    class Numbered(list):
        """Names of tests whose places are known, not searched for."""

        def __init__(self, names):
            super().__init__(names)
            self.index = {name: place for place, name in enumerate(names)}.__getitem__

    class OneWorkerPerGroup(LoadScopeScheduling):
        def add_node_collection(self, node, collection):
            super().add_node_collection(node, collection)
            if node in self.registered_collections:
                self.registered_collections[node] = Numbered(collection)

        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            if file.endswith(CLUSTERS):
                return "clusters"
            return file if file.endswith(SHARING) else nodeid

        def mark_test_complete(self, node, item_index, duration=0):
            """Forget groups that are done, which would be counted again after every test."""
            super().mark_test_complete(node, item_index, duration)
            groups = self.assigned_work[node]
            group = self._split_scope(self.registered_collections[node][item_index])
            if all(groups[group].values()):
                del groups[group]

    return OneWorkerPerGroup(config, log)
