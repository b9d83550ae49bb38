"""A Spark that fails: one error that says at which step and why, and the session still works."""

import os
import resource
import signal
import time

import killed_midway
import pyarrow.parquet as pq
import pytest
from file_tables import FEATURES, regressor, small_table

from bayeswood.distributed.backends.local_processes import WorkerError
from bayeswood.spark import stages

pytestmark = [
    # Spark says of every pandas since 3.0 that it is too new; only Arrow is used here.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

TABLE = small_table(900)
FITTING = "Spark gave up while it routed the rows and fitted the branches: "
IDLE = "spark.sql.execution.pyspark.udf.idleTimeoutSeconds"
KILL = "spark.sql.execution.pyspark.udf.killOnIdleTimeout"


@pytest.fixture(scope="module")
def backend(spark_backend):
    return spark_backend


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The digest of the same fit in this process."""
    path = tmp_path_factory.mktemp("alone") / "rows.parquet"
    pq.write_table(TABLE, path)

    def fitted(**parameters):
        forest = regressor(**parameters).fit_parquet(path, "y", FEATURES, "w", n_jobs=1)
        return forest.forest_.digest

    return fitted


@pytest.fixture(autouse=True)
def _goes_on(backend, alone):
    """After each fault the same session fits the same forest."""
    yield
    assert fit(backend) == alone()


def fit(backend, **parameters):
    return backend.fit(regressor(**parameters), TABLE, "y", FEATURES, "w").forest_.digest


def test_a_branch_that_kills_every_worker_is_said(backend, tmp_path, monkeypatch):
    usual, tries = stages.fit_rows, str(tmp_path / "tries")

    def fit_or_die(batches, **arguments):
        for batch in usual(batches, **arguments):
            if batch.column("branch")[0].as_py() == 3:
                with open(tries, "a", encoding="utf-8") as stream:
                    stream.write("x")
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    monkeypatch.setattr(stages, "fit_rows", fit_or_die)
    words = FITTING + r"Task 3 in stage \S+ failed 4 times: .*exited unexpectedly.*'memory_limit'"
    with pytest.raises(WorkerError, match=words):
        fit(backend)
    monkeypatch.undo()
    assert (tmp_path / "tries").read_text() == "xxxx"


def test_an_error_in_a_worker_is_said(backend, monkeypatch):
    def fails(batches, **arguments):
        raise RuntimeError("the cellar is flooded")

    monkeypatch.setattr(stages, "fit_rows", fails)
    with pytest.raises(WorkerError, match=FITTING + r".*RuntimeError: the cellar is flooded\. The"):
        fit(backend)
    monkeypatch.undo()


def test_a_worker_that_says_nothing_is_replaced(backend, alone, tmp_path, monkeypatch):
    usual, flag = stages.fit_rows, str(tmp_path / "silent")

    def fit_or_wait(batches, **arguments):
        for batch in usual(batches, **arguments):
            if batch.column("branch")[0].as_py() == 3 and not os.path.exists(flag):
                with open(flag, "w", encoding="utf-8") as stream:
                    stream.write(str(os.getpid()))
                time.sleep(3_600)
            yield batch

    monkeypatch.setattr(stages, "fit_rows", fit_or_wait)
    settings = backend.session.conf
    settings.set(IDLE, "12")  # processors are busy: a worker may need some time to begin
    settings.set(KILL, "true")
    try:
        assert fit(backend) == alone()
    finally:
        settings.unset(IDLE)
        settings.unset(KILL)
        monkeypatch.undo()
    assert not killed_midway.is_running(int((tmp_path / "silent").read_text()))


def executors(backend):
    """Process ids of the executors."""

    def own(batches):
        import pyarrow as pa

        time.sleep(0.5)  # so that no executor takes all tasks
        for _ in batches:
            yield pa.record_batch({"pid": [killed_midway.executor_pid()]})

    found = backend.session.range(0, 4, 1, 4).mapInArrow(own, "pid bigint").collect()
    return sorted({row["pid"] for row in found})


def test_a_file_that_cannot_grow_is_said(backend):
    fit(backend)  # Java unpacks what it needs, once
    pids = executors(backend)
    assert len(pids) == 2
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))
    try:
        words = r"gave up while it .* failed 4 times: .*File too large.*spark\.local\.dir"
        with pytest.raises(WorkerError, match=words):
            fit(backend)
    finally:
        for pid in pids:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


def test_all_branches_may_be_larger_than_a_result(backend, alone, monkeypatch):
    usual = stages.fit_rows

    def fit_in_small_parts(batches, **arguments):
        stages._PART_BYTES = 1_000
        return usual(batches, **arguments)

    monkeypatch.setattr(stages, "fit_rows", fit_in_small_parts)
    setting, name = backend.session.sparkContext._jsc.sc().conf(), "spark.driver.maxResultSize"
    try:
        setting.set(name, "32000b")  # branches have up to 27 kB, and 40 together, compressed
        assert fit(backend, trunk_sample_size=100) == alone(trunk_sample_size=100)
        setting.set(name, "20000b")
        with pytest.raises(WorkerError, match=FITTING + r".* Raise 'spark\.driver\.maxResultSize'"):
            fit(backend, trunk_sample_size=100)
    finally:
        setting.set(name, "1g")
        monkeypatch.undo()
