"""Tasks on a Dask cluster: kept within memory, given up when nothing moves, errors as they are."""

import threading
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager

import pytest
from file_tables import FEATURES, regressor, small_table, write_parts

from bayeswood import BayeswoodError
from bayeswood.distributed.backends.dask_futures import DaskFutures, _raised
from bayeswood.distributed.backends.dask_worker import (
    ALIVE,
    RUNS,
    Gate,
    RunEndedError,
    sign_of_life,
)
from bayeswood.distributed.backends.executors import as_executor
from bayeswood.distributed.backends.local_processes import WorkerError
from bayeswood.distributed.tasks.tasks import Task
from bayeswood.distributed.tasks.work_folder import SpillError, WorkFolder

# By its other name: without Dask, "distributed" is the folder of these tests.
distributed = pytest.importorskip("dask.distributed", reason="pip install 'bayeswood[dask]'")


@contextmanager
def threads_cluster(n_workers):
    """A cluster of threads in this process."""
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=2,
            processes=False,
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with threads_cluster(1) as opened:
        yield opened


def square_or_fail(number, run):
    if number == 3:
        raise BayeswoodError("3 is a bad number.")
    if number == 4:
        raise KeyError("four")
    return {"square": number**2}


def run_all(client, numbers, folder):
    executor = DaskFutures(client, stall_timeout=30)
    names = [f"square-{number}" for number in numbers]
    return dict(executor.map(square_or_fail, [(number,) for number in numbers], names, folder))


def test_results_come_with_their_places(client, tmp_path):
    found = run_all(client, [5, 0, 2, 9, 7], tmp_path)
    assert [found[place]["square"] for place in range(5)] == [25, 0, 4, 81, 49]


def test_errors_of_the_data_come_as_they_are(client, tmp_path):
    with pytest.raises(BayeswoodError, match="3 is a bad number"):
        run_all(client, [1, 2, 3], tmp_path)
    with pytest.raises(WorkerError, match="'square-4': KeyError: 'four'"):
        run_all(client, [1, 4, 2], tmp_path)


def wait_for_the_end(number, place, run):
    if number == 0:
        raise BayeswoodError("The first fails.")
    report = sign_of_life(place, "wait", run)
    ended = threading.Event()
    while True:
        try:
            report(0, 1)
        except RunEndedError:
            (place / "noticed").touch()
            raise
        ended.wait(0.05)


def test_tasks_notice_that_their_run_has_failed(client, tmp_path):
    calls = [(1, tmp_path), (0, tmp_path)]
    with pytest.raises(BayeswoodError, match="The first fails"):
        dict(DaskFutures(client).map(wait_for_the_end, calls, ["wait", "fail"], tmp_path))
    assert (tmp_path / "noticed").exists()


def test_a_cluster_without_workers_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.backends.dask_futures._GRACE", 0.1)
    folder = write_parts(tmp_path / "data", small_table(200), [200])
    with (
        threads_cluster(0) as client,
        pytest.raises(WorkerError, match="No progress for 1 s on the Dask cluster"),
    ):
        regressor().fit_parquet(folder, "y", FEATURES, executor=client, stall_timeout=1)


def test_a_worker_that_does_not_see_the_folder_says_so(client, tmp_path):
    task = Task(str(tmp_path / "elsewhere"), "scan", 0)
    with pytest.raises(SpillError, match=r"does not see the folder .*elsewhere"):
        list(DaskFutures(client, stall_timeout=30).run([task], 10**9))


def test_errors_of_the_cluster_are_explained():
    error = distributed.KilledWorker("route-0-3", None, 3)
    assert "'route-0-3' died" in str(_raised(error, "route-0-3"))
    assert isinstance(_raised(MemoryError(), "fit-0-1"), MemoryError)
    assert "client is closed" in str(_raised(CancelledError(), "fit-0-1"))


def test_a_result_that_stays_with_its_worker_is_waited_for_no_longer_than_asked(client):
    futures = DaskFutures(client, stall_timeout=0.1)
    lost = client.submit(time.sleep, 1, pure=False)
    with pytest.raises(WorkerError, match=r"No progress for 0.1 s .*'fit-0-2' are silent"):
        futures._result(lost, "fit-0-2")


def test_a_sign_of_life_is_a_file(tmp_path):
    now, sign = [0.0], tmp_path / f"{RUNS}run"
    sign.touch()
    report = sign_of_life(tmp_path, "fit-0-1", "run", clock=lambda: now[0])
    report(1, 10)
    place = tmp_path / ALIVE / "fit-0-1"
    assert place.exists()
    place.unlink()
    report(2, 10)  # too soon to say more
    assert not place.exists()
    WorkFolder(tmp_path).clear()  # as another fit in the same folder does
    now[0] = 2.0
    with pytest.raises(RunEndedError, match="'fit-0-1'"):
        report(3, 10)


def test_the_gate_keeps_memory_and_threads():
    gate = Gate()
    assert gate.has_room(10**12, 64, memory=1, threads=1)  # alone, a task is never kept waiting
    with gate.share(60, 1, memory=100, threads=2):
        assert gate.has_room(40, 1, memory=100, threads=2)
        assert not gate.has_room(41, 1, memory=100, threads=2)
        assert not gate.has_room(1, 2, memory=100, threads=2)
        began = threading.Event()

        def other():
            with gate.share(60, 1, memory=100, threads=2):
                began.set()

        thread = threading.Thread(target=other)
        thread.start()
        assert not began.wait(0.1)
    thread.join(10)
    assert began.is_set()


@pytest.mark.parametrize(("asked", "given"), [(64, 2), (1, 1)])
def test_native_threads_are_those_of_the_worker(client, tmp_path, monkeypatch, asked, given):
    begun = []

    def begin(task, report):
        begun.append(task.n_threads)
        return {}

    monkeypatch.setattr("bayeswood.distributed.backends.dask_worker.run_task", begin)
    task = Task(str(tmp_path), "fit", 0, n_threads=asked)
    assert list(DaskFutures(client, stall_timeout=30).run([task], 10**9)) == [(0, {})]
    assert begun == [given]


def test_another_default_client_does_not_matter(client, tmp_path):
    with threads_cluster(1) as other:
        assert distributed.default_client() is other
        assert run_all(client, [2, 3 + 4], tmp_path) == {0: {"square": 4}, 1: {"square": 49}}


def test_what_cannot_run_tasks_is_refused(client, tmp_path):
    with pytest.raises(BayeswoodError, match=r"must be None, a distributed.Client or an Executor"):
        as_executor(object(), 600, "fit_parquet")
    assert isinstance(as_executor(client, 600, "fit_parquet"), DaskFutures)
    assert as_executor(None, 600, "fit_parquet") is None


@pytest.mark.parametrize(
    ("out", "words"),
    [("out.parquet", "must name a folder"), ("there", "it is there already")],
)
def test_predictions_need_a_new_folder(client, tmp_path, out, words):
    folder = write_parts(tmp_path / "there", small_table(200), [200])
    model = regressor().fit_parquet(folder, "y", FEATURES, n_jobs=1)
    with pytest.raises(BayeswoodError, match=words):
        model.predict_parquet(folder, tmp_path / out, executor=client)
    with pytest.raises(BayeswoodError, match=r"must be None or a distributed.Client"):
        model.predict_parquet(folder, tmp_path / "new", executor="dask")
