"""What runs inside a Dask worker: one task at a time per share of its memory and threads.

A task shows that it lives by touching a file in the work folder, and gives up when the sign of its
run is gone from there: its run has ended without it, or another has begun in the same folder. Both
need the storage that all workers share, and nothing else.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from socket import gethostname
from typing import Any

from bayeswood.distributed.tasks.tasks import Task, run_task
from bayeswood.distributed.tasks.work_folder import SpillError
from bayeswood.progress import Report

#: Where, in the work folder, tasks show that they live.
ALIVE = "alive"
#: Begins the name of the sign of a run, which is there as long as its tasks are wanted.
RUNS = "run-"
# Seconds between two signs of life.
_INTERVAL = 1.0


class RunEndedError(Exception):
    """The run that a task belongs to has ended without it."""


class Gate:
    """Shares out the memory and the threads of one process among its tasks.

    Examples
    --------
    >>> gate = Gate()
    >>> with gate.share(n_bytes=100, n_threads=1, memory=150, threads=4):
    ...     gate.has_room(n_bytes=100, n_threads=1, memory=150, threads=4)
    False
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._shares: list[tuple[int, int]] = []

    def has_room(self, n_bytes: int, n_threads: int, memory: int, threads: int) -> bool:
        """Whether one more task may begin; the only task always may."""
        if not self._shares:
            return True
        used_bytes, used_threads = map(sum, zip(*self._shares, strict=True))
        return used_bytes + n_bytes <= memory and used_threads + n_threads <= threads

    @contextmanager
    def share(self, n_bytes: int, n_threads: int, memory: int, threads: int) -> Iterator[None]:
        """Wait for a share, hold it, and give it back.

        Parameters
        ----------
        n_bytes, n_threads : int
            What the task needs.
        memory, threads : int
            What the process has.
        """
        own = (n_bytes, n_threads)
        with self._changed:
            self._changed.wait_for(lambda: self.has_room(n_bytes, n_threads, memory, threads))
            self._shares.append(own)
        try:
            yield
        finally:
            with self._changed:
                self._shares.remove(own)
                self._changed.notify_all()


_GATE = Gate()


def run_on_worker(plain: dict[str, Any], memory: int, run: str) -> dict[str, Any]:
    """Run a task of a fit inside a Dask worker.

    Parameters
    ----------
    plain : dict
        The task, as `Task.to_json` gives it.
    memory : int
        Bytes that the tasks of this process may need together.
    run : str
        Name of the run, for its sign.

    Returns
    -------
    dict
        What `run_task` returned.
    """
    task = Task(**plain)
    threads = worker_threads()
    n_threads = min(task.n_threads, threads)
    folder = seen_folder(task.folder)
    with _GATE.share(task.n_bytes, n_threads, memory, threads):
        report = sign_of_life(folder, f"{task.kind}-{task.round_}-{task.index}", run)
        return run_task(replace(task, n_threads=n_threads), report)


def worker_threads() -> int:
    """Threads of the Dask worker that this is."""
    from distributed import get_worker

    return int(get_worker().state.nthreads)


def seen_folder(path: str) -> Path:
    """The work folder, if this machine sees it."""
    if not os.path.isdir(path):
        raise SpillError(
            f"A Dask worker on the machine '{gethostname()}' does not see the folder '{path}'. "
            "Name a 'spill_dir' on storage that all workers share under the same path."
        )
    return Path(path)


def sign_of_life(
    folder: Path, name: str, run: str, clock: Callable[[], float] = time.monotonic
) -> Report:
    """A reporter that touches a file, and raises when the sign of the run is gone.

    Parameters
    ----------
    folder : Path
        The work folder.
    name : str
        Of the task.
    run : str
        Name of the run.
    clock : callable, default=time.monotonic
        Tells the seconds.
    """
    place, sign = folder / ALIVE / name, folder / f"{RUNS}{run}"
    last = [-_INTERVAL]

    def report(done: int, total: int) -> None:
        if clock() - last[0] < _INTERVAL:
            return
        last[0] = clock()
        if not sign.exists():
            raise RunEndedError(f"The run of '{name}' has ended without it.")
        place.parent.mkdir(exist_ok=True)
        place.touch()

    return report
