"""A Dask cluster that fails: the fit goes on later to the same bits, or says what is the matter."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster_backends import DaskBackend
from file_tables import FEATURES, regressor, small_table

from bayeswood.distributed.backends import dask_futures
from bayeswood.distributed.backends.dask_futures import DaskFutures
from bayeswood.distributed.backends.local_processes import WorkerError
from bayeswood.distributed.tasks.work_folder import SpillError

# Kills itself when the first result of a step is there, and others are under way.
FIT_AND_DIE = """
import os, signal, sys
from distributed import Client
from bayeswood.distributed.files import file_plan
from bayeswood.distributed.backends.dask_futures import DaskFutures

address, folder, spill, kind, here = sys.argv[1:]
sys.path.insert(0, here)
from file_tables import FEATURES, regressor
file_plan.FRAGMENT_ROWS = 100
run = DaskFutures.run

def run_or_die(self, tasks, memory, report=None):
    for found in run(self, tasks, memory, report):
        if tasks[0].kind == kind:
            os.kill(os.getpid(), signal.SIGKILL)
        yield found

DaskFutures.run = run_or_die
regressor().fit_parquet(folder, "y", FEATURES, "w", spill_dir=spill, executor=Client(address))
"""


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    opened = DaskBackend(tmp_path_factory.mktemp("dask"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def folder(backend):
    return backend.write(small_table(900))


@pytest.fixture(scope="module")
def undisturbed(folder):
    return regressor().fit_parquet(folder, "y", FEATURES, "w", n_jobs=1).forest_.digest


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.files.file_plan.FRAGMENT_ROWS", 100)


def fit(folder, client, **options):
    return regressor().fit_parquet(folder, "y", FEATURES, "w", executor=client, **options)


@pytest.mark.parametrize("kind", ["route", "fit"])
def test_another_client_goes_on_from_a_killed_one(backend, folder, undisturbed, tmp_path, kind):
    address, here = backend.cluster.scheduler_address, str(Path(small_table.__code__.co_filename))
    command = [FIT_AND_DIE, address, str(folder), str(tmp_path), kind, str(Path(here).parent)]
    killed = subprocess.run([sys.executable, "-c", *command], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert list(tmp_path.rglob(f"{kind}-0/*"))
    forest = fit(folder, backend.executor, spill_dir=tmp_path, resume=True)
    assert forest.forest_.digest == undisturbed
    assert not list(tmp_path.iterdir())


def test_another_client_goes_on_from_a_closed_one(
    backend, folder, undisturbed, tmp_path, monkeypatch
):
    from distributed import Client

    run = DaskFutures.run

    def run_and_close(self, tasks, memory, report=None):
        for found in run(self, tasks, memory, report):
            yield found
            if tasks[0].kind == "fit":
                self._client.close()

    with monkeypatch.context() as patch:
        patch.setattr(DaskFutures, "run", run_and_close)
        with pytest.raises(WorkerError, match=r"Dask client is closed.*resume=True goes on"):
            fit(folder, Client(backend.cluster, set_as_default=False), spill_dir=tmp_path)
    assert list(tmp_path.rglob("fit-0/*.npz"))
    forest = fit(folder, backend.executor, spill_dir=tmp_path, resume=True)
    assert forest.forest_.digest == undisturbed


def test_a_task_that_kills_every_worker_is_named(
    backend, folder, undisturbed, tmp_path, monkeypatch
):
    run, tries = dask_futures.run_on_worker, tmp_path / "tries"

    def run_or_die(plain, memory, name):
        if (plain["kind"], plain["index"]) == ("route", 2):
            with open(tries, "a", encoding="utf-8") as stream:
                stream.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return run(plain, memory, name)

    with monkeypatch.context() as patch:
        patch.setattr(dask_futures, "run_on_worker", run_or_die)
        patch.setattr(backend.cluster.scheduler, "allowed_failures", 1)
        patch.setattr(dask_futures, "_GRACE", 0.1)
        with pytest.raises(WorkerError, match=r"that ran task 'route-0-2' died.*resume=True"):
            fit(folder, backend.executor, spill_dir=tmp_path / "spill")
    assert tries.read_text() == "xx"
    forest = fit(folder, backend.executor, spill_dir=tmp_path / "spill", resume=True)
    assert forest.forest_.digest == undisturbed


def test_a_stopped_worker_raises_instead_of_hanging(
    backend, folder, undisturbed, tmp_path, monkeypatch
):
    run, stopped = dask_futures.run_on_worker, tmp_path / "stopped"
    collect, collected = DaskFutures.run, tmp_path / "collected"
    collected.mkdir()

    def run_or_stop(plain, memory, name):
        if (plain["kind"], plain["index"]) == ("fit", 3):
            # What this worker did before is to be on its way to the client no longer.
            until = time.monotonic() + 5
            while time.monotonic() < until and len(list(collected.iterdir())) < 3:
                time.sleep(0.01)
            stopped.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)
        return run(plain, memory, name)

    def run_and_tell(self, tasks, memory, report=None):
        for place, result in collect(self, tasks, memory, report):
            if tasks[place].kind == "fit":
                (collected / str(tasks[place].index)).touch()
            yield place, result

    try:
        with monkeypatch.context() as patch:
            patch.setattr(DaskFutures, "run", run_and_tell)
            patch.setattr(dask_futures, "run_on_worker", run_or_stop)
            patch.setattr(dask_futures, "_GRACE", 0.1)
            words = r"No progress for 9 s .* task 'fit-0-3' are silent"
            with pytest.raises(WorkerError, match=words):
                fit(folder, backend.executor, spill_dir=tmp_path / "spill", stall_timeout=9)
        assert len(list(tmp_path.rglob("fit-0/*.npz"))) == 4  # the other worker has done the rest
    finally:  # other tests would wait for it
        os.kill(int(stopped.read_text()), signal.SIGCONT)
    forest = fit(folder, backend.executor, spill_dir=tmp_path / "spill", resume=True)
    assert forest.forest_.digest == undisturbed


def test_a_file_that_cannot_grow_is_said_and_survived(backend, folder, undisturbed, tmp_path):
    import resource

    def limit(n_bytes):
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))

    backend.executor.run(limit, 10_000)  # routed rows have up to 4 kB, branches up to 17
    try:
        with pytest.raises(SpillError, match=r"A file in the spill folder .* would be larger"):
            fit(folder, backend.executor, spill_dir=tmp_path)
    finally:
        backend.executor.run(limit, resource.RLIM_INFINITY)
    assert list(tmp_path.rglob("routed-0.json"))
    forest = fit(folder, backend.executor, spill_dir=tmp_path, resume=True)
    assert forest.forest_.digest == undisturbed
