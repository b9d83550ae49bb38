"""Tasks as plain futures of a Dask cluster whose workers share storage with this process.

One future per task; what a task leaves is a file, so that nothing has to survive in the memory of a
worker, nothing is sent from one worker to another, and no step needs all workers at once. Workers
may come and go: the scheduler begins the tasks of one that died again, on another.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from bayeswood.distributed.backends.dask_worker import ALIVE, RUNS, run_on_worker
from bayeswood.distributed.backends.local_processes import WorkerError
from bayeswood.distributed.tasks.tasks import Task
from bayeswood.errors import BayeswoodError

# Seconds between two looks at what tasks show.
_LOOK = 2.0
# Seconds that tasks get to notice that their run has ended.
_GRACE = 10.0


class DaskFutures:
    """An `Executor` of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster. It is not closed here.
    stall_timeout : float, default=600
        Seconds without any sign of progress after which the run is given up.

    Attributes
    ----------
    n_workers : int
        Most tasks that run at once in one worker: as many as it has threads.
    """

    def __init__(self, client: Any, stall_timeout: float = 600.0) -> None:
        self._client = client
        self._stall_timeout = stall_timeout
        self.n_workers = max(client.nthreads().values(), default=1)

    def close(self) -> None:
        """Nothing is held: the client is the caller's."""

    def run(
        self, tasks: Sequence[Task], memory: int, report: Callable[[], None] | None = None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """See `Executor`; `memory` is that of each worker process."""
        if not tasks:
            return
        calls = [(task.to_json(), memory) for task in tasks]
        names = [f"{task.kind}-{task.round_}-{task.index}" for task in tasks]
        yield from self.map(run_on_worker, calls, names, Path(tasks[0].folder), report)

    def map(
        self,
        function: Callable[..., dict[str, Any]],
        calls: Sequence[tuple[Any, ...]],
        names: Sequence[str],
        folder: Path,
        report: Callable[[], None] | None = None,
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Call a function many times, begun in the order given.

        Parameters
        ----------
        function : callable
            Called with one of `calls` and the name of the run.
        calls : sequence of tuple
            Small, plain arguments.
        names : sequence of str
            What the calls are, for people.
        folder : Path
            The folder that calls show in that they live.
        report : callable, default=None
            Called whenever a call shows progress.

        Yields
        ------
        index : int
            Place of a call that is done.
        result : dict
            What it returned.
        """
        run = token_hex(8)
        waiting, running = deque(range(len(calls))), dict[Any, int]()
        life = _Life(folder / ALIVE, self._stall_timeout)
        sign = folder / f"{RUNS}{run}"
        try:
            if folder.exists():
                sign.touch()
            while waiting or running:
                while waiting and len(running) < self._n_slots():
                    place = waiting.popleft()
                    future = self._submit(function, (*calls[place], run), names[place], run)
                    running[future] = place
                begun = [names[place] for place in running.values()]
                for future in self._finished(running, begun, life, report):
                    place = running.pop(future)
                    yield place, self._result(future, names[place])
        finally:
            sign.unlink(missing_ok=True)
            self._let_go(list(running))

    def _submit(
        self, function: Callable[..., Any], call: tuple[Any, ...], name: str, run: str
    ) -> Any:
        # Under a key of its own: a result that the cluster still knows is of another run.
        return self._client.submit(function, *call, key=f"bayeswood-{name}-{run}", pure=False)

    def _n_slots(self) -> int:
        """Threads of the workers that are there now."""
        try:
            return max(1, sum(map(int, self._client.nthreads().values())))
        except Exception as error:  # of many kinds, where a client is closed or has no scheduler
            raise _disconnected() from error

    def _finished(
        self,
        running: dict[Any, int],
        names: Sequence[str],
        life: "_Life",
        report: Callable[[], None] | None,
    ) -> list[Any]:
        """Futures that are done; none if all that can be said is that some task lives."""
        try:
            done = self._wait(list(running), min(_LOOK, self._stall_timeout), "FIRST_COMPLETED")
        except TimeoutError:
            if life.check(names) and report is not None:
                report()
            return []
        except CancelledError as error:
            raise _disconnected() from error
        life.seen()
        return [future for future in running if future in done]

    def _wait(self, futures: list[Any], seconds: float, until: str) -> Any:
        """The futures that are done; `wait` asks the client that was made last, unless told."""
        from distributed import wait

        with self._client.as_current():
            return wait(futures, timeout=seconds, return_when=until).done

    def _result(self, future: Any, name: str) -> dict[str, Any]:
        try:
            # A worker that died with the result of a task makes the scheduler run it again.
            found: dict[str, Any] = future.result(timeout=self._stall_timeout)
        except TimeoutError as error:  # or one that was stopped with it answers nothing
            raise _silent(self._stall_timeout, [name]) from error
        except Exception as error:
            raise _raised(error, name) from error
        return found

    def _let_go(self, futures: list[Any]) -> None:
        """After a failure: let the tasks that still run notice, then forget them."""
        if futures:
            with suppress(Exception):  # another error is on its way to the caller
                self._wait(futures, _GRACE, "ALL_COMPLETED")
            with suppress(Exception):
                self._client.cancel(futures)


def _disconnected() -> WorkerError:
    return WorkerError(
        "The Dask client is closed, or its scheduler is gone or has dropped the tasks. With "
        "another client, resume=True goes on from what is done."
    )


def _silent(seconds: float, names: Sequence[str]) -> WorkerError:
    return WorkerError(
        f"No progress for {seconds:g} s on the Dask cluster: the workers of "
        f"{_in_words(names)} are silent or gone. resume=True goes on from what is done."
    )


class _Life:
    """Watches the files that living tasks touch."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder = folder
        self._timeout = timeout
        self._touched: dict[str, int] = {}
        self.seen()

    def seen(self) -> None:
        """Something has happened."""
        self._last = time.monotonic()

    def check(self, names: Sequence[str]) -> bool:
        """Whether something has happened since the last look; raises after too long a silence.

        Parameters
        ----------
        names : sequence of str
            The tasks that are waited for.
        """
        touched = _touched(self._folder)
        if touched != self._touched:
            self._touched = touched
            self.seen()
            return True
        if time.monotonic() - self._last > self._timeout:
            raise _silent(self._timeout, names)
        return False


def _in_words(names: Sequence[str], most: int = 5) -> str:
    """The names of some tasks.

    Examples
    --------
    >>> _in_words(["fit-0-1", "fit-0-2", "fit-0-7"], most=2)
    "tasks 'fit-0-1', 'fit-0-2', ..."
    """
    shown = ", ".join(f"'{name}'" for name in names[:most])
    more = ", ..." if len(names) > most else ""
    return f"task{'s' if len(names) > 1 else ''} {shown}{more}"


def _touched(folder: Path) -> dict[str, int]:
    if not folder.exists():
        return {}
    with os.scandir(folder) as entries:
        return {entry.name: entry.stat().st_mtime_ns for entry in entries}


def _raised(error: Exception, name: str) -> Exception:
    """A worker's error as one of this library where it is not the data's fault."""
    from distributed import KilledWorker

    if isinstance(error, BayeswoodError):
        return error
    if isinstance(error, CancelledError):
        return _disconnected()
    if isinstance(error, KilledWorker):
        return WorkerError(
            f"The Dask workers that ran task '{name}' died, each time it was begun again "
            "('distributed.scheduler.allowed-failures' says how often). If they were ended for "
            "want of memory, lower memory_limit to that of a worker; resume=True goes on from "
            "what is done."
        )
    if isinstance(error, MemoryError):
        return MemoryError(f"A Dask worker ran out of memory in task '{name}'. {error}")
    return WorkerError(f"A Dask worker failed in task '{name}': {type(error).__name__}: {error}")
