"""What goes wrong in a long fit: it goes on to the same bits, or says what is the matter."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from file_tables import FEATURES, regressor, small_table, write_parts

from bayeswood import BayeswoodError
from bayeswood.distributed.backends.local_processes import LocalProcesses, WorkerError
from bayeswood.distributed.tasks import work_folder
from bayeswood.distributed.tasks.work_folder import SpillError, WorkFolder, full_disk
from benchmarks.out_of_core.process_tree import descendants

# Kills itself when the given number of files have got their names; in the middle of a step, that
# is, after the file was written and before or after it counts.
KILLED_AT = """
import os, signal, sys
from bayeswood.distributed.tasks import work_folder

publish, left = work_folder.publish, [int(sys.argv[3])]

def publish_or_die(beside, place, *, sync):
    left[0] -= 1
    if left[0] == 0 and sys.argv[4] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    publish(beside, place, sync=sync)
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)

work_folder.publish = publish_or_die
sys.path.insert(0, sys.argv[5])
from file_tables import FEATURES, regressor
regressor().fit_parquet(sys.argv[1], "y", FEATURES, "w", spill_dir=sys.argv[2], n_jobs=1)
"""


class InjectedError(Exception):
    """Stands for a crash at a chosen moment."""


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.files.file_plan.FRAGMENT_ROWS", 400)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts") / "data", small_table(), [500, 700])


@pytest.fixture(scope="module")
def undisturbed(folder):
    return regressor().fit_parquet(folder, "y", FEATURES, "w", n_jobs=1).forest_.digest


def crash_at(monkeypatch, moment):
    """Let the fit of this process crash when file number `moment` is to get its name."""
    publish, left = work_folder.publish, [moment]

    def publish_or_crash(beside, place, *, sync):
        left[0] -= 1
        if left[0] == 0:
            raise InjectedError
        publish(beside, place, sync=sync)

    monkeypatch.setattr(work_folder, "publish", publish_or_crash)


def test_a_crash_at_any_file_resumes_to_the_same_bits(folder, undisturbed, tmp_path, monkeypatch):
    moment, crashed = 0, True
    while crashed:
        moment += 1
        spill = tmp_path / str(moment)
        with monkeypatch.context() as patch:
            crash_at(patch, moment)
            try:
                regressor().fit_parquet(folder, "y", FEATURES, "w", spill_dir=spill, n_jobs=1)
                crashed = False
            except InjectedError:
                pass
        if crashed and moment % 3 == 1:
            forest = regressor().fit_parquet(
                folder, "y", FEATURES, "w", spill_dir=spill, n_jobs=1, resume=True
            )
            assert forest.forest_.digest == undisturbed
            assert not list(spill.iterdir())
    assert moment > 20  # manifest, plan, counts, scans, trunk, routes, branches


@pytest.mark.parametrize(("moment", "when"), [(2, "after"), (9, "before"), (15, "after")])
def test_kill_9_resumes_to_the_same_bits(folder, undisturbed, tmp_path, moment, when):
    here = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", KILLED_AT, folder, tmp_path, str(moment), when, here]
    killed = subprocess.run(command, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert left
    forest = regressor().fit_parquet(
        folder, "y", FEATURES, "w", spill_dir=tmp_path, n_jobs=1, resume=True
    )
    assert forest.forest_.digest == undisturbed


class KillingProcesses(LocalProcesses):
    """Kills the process of the first task of some kinds, or always."""

    def __init__(self, n_workers, kinds, *, always=False):
        super().__init__(n_workers, retries=2)
        self.kinds, self.always, self.n_killed = set(kinds), always, 0

    def _begun(self, pid, task):
        if task.kind in self.kinds:
            os.kill(pid, signal.SIGKILL)
            self.n_killed += 1
            if not self.always:
                self.kinds.remove(task.kind)


def test_killed_workers_are_replaced(folder, undisturbed):
    with KillingProcesses(2, ["count", "scan", "route", "fit"]) as executor:
        forest = regressor().fit_parquet(folder, "y", FEATURES, "w", executor=executor, n_jobs=2)
    assert executor.n_killed == 4
    assert forest.forest_.digest == undisturbed


def test_a_worker_that_always_dies_is_given_up(folder):
    with (
        KillingProcesses(1, ["scan"], always=True) as executor,
        pytest.raises(WorkerError, match=r"'scan \d+' died by signal 9, 3 times"),
    ):
        regressor().fit_parquet(folder, "y", FEATURES, executor=executor)


class StoppingProcesses(LocalProcesses):
    """Stops a process in the middle of its work, without ending it."""

    def _begun(self, pid, task):
        os.kill(pid, signal.SIGSTOP)


def test_no_progress_raises_instead_of_hanging(folder):
    with (
        StoppingProcesses(1, stall_timeout=0.3) as executor,
        pytest.raises(WorkerError, match=r"No progress for 0\.3 s"),
    ):
        regressor().fit_parquet(folder, "y", FEATURES, executor=executor)


def test_a_full_disk_is_said_and_survived(folder, undisturbed, tmp_path, monkeypatch):
    write_spill = "bayeswood.distributed.tasks.route_files.write_spill"

    def full(path, *rest):
        path.write_bytes(b"half a file")
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(write_spill, full)
        with pytest.raises(SpillError, match=r"disk of the spill folder .* is full.*resume=True"):
            regressor().fit_parquet(folder, "y", FEATURES, "w", spill_dir=tmp_path, n_jobs=1)
    assert not list(tmp_path.rglob("*.part"))
    forest = regressor().fit_parquet(
        folder, "y", FEATURES, "w", spill_dir=tmp_path, n_jobs=1, resume=True
    )
    assert forest.forest_.digest == undisturbed


# No file may have more bytes than it is told, as if the disk were full at that place.
FIT_IN_LITTLE_ROOM = """
import resource, sys
limit, n_jobs = int(sys.argv[3]), int(sys.argv[4])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.path.insert(0, sys.argv[5])
from bayeswood.distributed.files import file_plan
file_plan.FRAGMENT_ROWS = 400
from file_tables import FEATURES, regressor
regressor(trunk_sample_size=100).fit_parquet(
    sys.argv[1], "y", FEATURES, "w", spill_dir=sys.argv[2], n_jobs=n_jobs
)
"""


# Files of samples have up to 6 kB, of routed rows up to 13, of branches up to 25.
@pytest.mark.parametrize(("limit", "n_jobs", "last"), [(10_000, 1, "scan"), (20_000, 2, "route-0")])
def test_a_file_that_cannot_grow_is_said_and_survived(folder, tmp_path, limit, n_jobs, last):
    here = str(Path(__file__).parents[1])
    command = [FIT_IN_LITTLE_ROOM, str(folder), str(tmp_path), str(limit), str(n_jobs), here]
    failed = subprocess.run(
        [sys.executable, "-c", *command], check=False, capture_output=True, text=True
    )
    words = r"SpillError: A file in the spill folder .* would be larger .*resume=True goes on"
    assert re.search(words, failed.stderr.splitlines()[-1]), failed.stderr
    assert not list(tmp_path.rglob("*.part"))
    assert len(list(tmp_path.rglob(f"{last}/*.json"))) == 4
    assert not list(tmp_path.rglob("routed-0.json" if last == "scan" else "fit-0/000001.npz"))
    forest = regressor(trunk_sample_size=100)
    found = forest.fit_parquet(
        folder, "y", FEATURES, "w", spill_dir=tmp_path, n_jobs=1, resume=True
    ).forest_.digest
    assert found == forest.fit_parquet(folder, "y", FEATURES, "w", n_jobs=1).forest_.digest


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "disk of here is full"),
        (errno.EDQUOT, "disk of here is full"),
        (errno.EFBIG, "larger than its file system or 'ulimit -f' allows"),
    ],
)
def test_a_full_disk_has_many_numbers(number, words):
    found = full_disk(OSError(number, "as the system says"), "here", "Make room.")
    assert isinstance(found, SpillError)
    assert words in str(found)
    other = OSError(errno.EACCES, "Permission denied")
    assert full_disk(other, "here", "Make room.") is other


def test_too_little_room_is_refused_before_routing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(WorkFolder, "free_bytes", lambda self: 1000)
    with pytest.raises(SpillError, match=r"spill of 1,200 rows needs .* has 1\.0 kB left"):
        regressor().fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1)
    assert not list(tmp_path.rglob("*.spill"))


def test_a_spill_folder_in_use_is_refused(folder, tmp_path):
    def leave(*arguments):
        raise InjectedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bayeswood.distributed.fit_files.read_sample", leave)
        with pytest.raises(InjectedError):
            regressor().fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1)
    (work,) = tmp_path.glob("bayeswood-*")
    with (
        WorkFolder(work).locked(),
        pytest.raises(SpillError, match=rf"in use by process {os.getpid()}"),
    ):
        regressor().fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1, resume=True)


def test_a_stale_spill_folder_is_told_apart(folder, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        crash_at(patch, 8)
        with pytest.raises(InjectedError):
            regressor().fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1)
    other = regressor(n_estimators=5)
    with pytest.raises(SpillError, match=r"'n_estimators' \(4 before, 5 now\)"):
        other.fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1, resume=True)
    other.fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1)
    assert len(list(tmp_path.iterdir())) == 1  # the work of the other fit is left alone


def test_left_overs_are_not_used_unless_asked_for(folder, undisturbed, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        crash_at(patch, 30)
        with pytest.raises(InjectedError):
            regressor().fit_parquet(folder, "y", FEATURES, "w", spill_dir=tmp_path, n_jobs=1)
    left = list(tmp_path.rglob("*.spill"))
    assert left
    for spilled in left:
        spilled.write_bytes(b"of another time")
    forest = regressor().fit_parquet(folder, "y", FEATURES, "w", spill_dir=tmp_path, n_jobs=1)
    assert forest.forest_.digest == undisturbed


def test_a_damaged_spill_file_is_found(folder, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("bayeswood.distributed.tasks.fit_branch.fit_branch", None)
        with pytest.raises(TypeError):
            regressor().fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1)
    spilled = sorted(tmp_path.rglob("*.spill"))[-1]
    data = bytearray(spilled.read_bytes())
    data[-1] ^= 1
    spilled.write_bytes(data)
    with pytest.raises(SpillError, match=rf"{spilled.name}' is damaged"):
        regressor().fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1, resume=True)


def test_a_file_that_changes_meanwhile_is_refused(tmp_path, monkeypatch):
    folder = write_parts(tmp_path / "data", small_table(200), [200])
    path = folder / "part-0.parquet"

    def touch_then_join(*arguments):
        os.utime(path, ns=(1, 1))
        return join_scans(*arguments)

    from bayeswood.distributed.tasks.scan import join_scans

    monkeypatch.setattr("bayeswood.distributed.fit_files.join_scans", touch_then_join)
    with pytest.raises(BayeswoodError, match=r"part-0\.parquet' has changed since"):
        regressor().fit_parquet(folder, "y", FEATURES, n_jobs=1)


def test_spill_is_removed_after_success_unless_asked_for(folder, tmp_path):
    regressor().fit_parquet(folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1)
    assert not list(tmp_path.iterdir())
    kept = regressor().fit_parquet(
        folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1, keep_spill=True
    )
    assert list(tmp_path.rglob("*.spill"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "bayeswood.distributed.tasks.fit_branch.fit_branch", None
        )  # all is there already
        again = regressor().fit_parquet(
            folder, "y", FEATURES, spill_dir=tmp_path, n_jobs=1, resume=True
        )
    assert again.forest_.digest == kept.forest_.digest


FIT_BY_TWO = """
import sys
import time
sys.path.insert(0, sys.argv[3])
from bayeswood.distributed.files import file_plan
file_plan.FRAGMENT_ROWS = 100
from file_tables import FEATURES, regressor
regressor().fit_parquet(sys.argv[1], "y", FEATURES, "w", spill_dir=sys.argv[2], n_jobs=2)
"""


def test_workers_end_with_their_parent(folder, undisturbed, tmp_path):
    here = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", FIT_BY_TWO, folder, tmp_path, here]
    with subprocess.Popen(command) as parent:
        wait_until(lambda: parent.poll() is not None or list(tmp_path.rglob("route-0/*.spill")))
        workers = descendants(parent.pid)[1:]
        parent.kill()
    assert parent.returncode == -signal.SIGKILL
    assert workers
    wait_until(lambda: not any(map(is_running, workers)))
    forest = regressor().fit_parquet(
        folder, "y", FEATURES, "w", spill_dir=tmp_path, n_jobs=1, resume=True
    )
    assert forest.forest_.digest == undisturbed


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("moment", [2, 9])
def test_a_resumed_fit_keeps_the_seed_it_began_with(folder, tmp_path, monkeypatch, moment):
    def fit(seed, **options):
        forest = regressor(random_state=np.random.default_rng(seed))
        return forest.fit_parquet(folder, "y", FEATURES, n_jobs=1, **options).forest_.digest

    with monkeypatch.context() as patch:
        crash_at(patch, moment)
        with pytest.raises(InjectedError):
            fit(7, spill_dir=tmp_path)
    assert fit(8, spill_dir=tmp_path, resume=True) == fit(7) != fit(8)
