"""Tasks in processes of this machine; one that dies is replaced and its task begun again."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from bayeswood.distributed.tasks.tasks import Task
from bayeswood.distributed.tasks.work_folder import SpillError
from bayeswood.errors import BayeswoodError, DataTypeError

_RAISED: dict[str, type[Exception]] = {
    "BayeswoodError": BayeswoodError,
    "DataTypeError": DataTypeError,
    "SpillError": SpillError,
    "MemoryError": MemoryError,
}


class WorkerError(RuntimeError):
    """Workers died, stalled or failed in a way that is not the data's fault."""


class _Worker:
    """One process, and a thread that hands on what it says."""

    def __init__(self, events: "queue.Queue[tuple[_Worker, dict[str, Any] | None]]") -> None:
        self.place: int | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bayeswood.distributed.backends.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=_environment(),
            # Ctrl-C on the terminal is for the parent, which then ends its workers.
            start_new_session=True,
        )
        self._events = events
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._events.put((self, json.loads(line)))
        self._events.put((self, None))

    def begin(self, place: int, task: Task) -> None:
        """Hand over a task."""
        self.place = place
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(task.to_json()) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has died; the thread that listens says so

    def end(self) -> int:
        """Kill the process; its exit code."""
        self._process.kill()
        code = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except BrokenPipeError:
                pass
        return code

    def died(self) -> str:
        """How it died, in words."""
        code = self._process.wait()
        return f"by signal {-code}" if code < 0 else f"with exit code {code}"


def _environment() -> dict[str, str]:
    """The parent's, with its library in reach and the threads of others capped."""
    place = str(Path(__file__).parents[3])
    paths = [place, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    capped = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    # An allocator arena per thread would keep memory that is never used again.
    return {
        **os.environ,
        **capped,
        "MALLOC_ARENA_MAX": "2",
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
    }


class LocalProcesses:
    """An `Executor` of processes.

    Parameters
    ----------
    n_workers : int
        Processes.
    retries : int, default=3
        How often a task whose process died is begun again.
    stall_timeout : float, default=600
        Seconds without any sign of progress after which the run is given up.
    """

    def __init__(self, n_workers: int, retries: int = 3, stall_timeout: float = 600.0) -> None:
        self.n_workers = n_workers
        self._retries = retries
        self._stall_timeout = stall_timeout
        self._events: queue.Queue[tuple[_Worker, dict[str, Any] | None]] = queue.Queue()
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.end()
        self._workers = []

    def run(
        self, tasks: Sequence[Task], memory: int, report: Callable[[], None] | None = None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """See `Executor`."""
        try:
            yield from self._run(tasks, memory, report)
        finally:
            self._end_busy()

    def _run(
        self, tasks: Sequence[Task], memory: int, report: Callable[[], None] | None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        waiting = list(range(len(tasks)))
        tries = [0] * len(tasks)
        n_done = 0
        while n_done < len(tasks):
            self._hand_out(tasks, waiting, memory)
            worker, answer = self._next_event()
            if worker not in self._workers:
                continue
            if answer is None:
                self._lost(worker, tasks, waiting, tries)
            elif "progress" in answer or "ready" in answer:
                if report is not None:
                    report()
            else:
                place, worker.place = worker.place, None
                assert place is not None
                if "error" in answer:
                    raise _raised(answer["error"], tasks[place])
                n_done += 1
                yield place, answer["result"]

    def _end_busy(self) -> None:
        """After a failure: nobody must answer a later run for this one."""
        for worker in [worker for worker in self._workers if worker.place is not None]:
            self._workers.remove(worker)
            worker.end()

    def _hand_out(self, tasks: Sequence[Task], waiting: list[int], memory: int) -> None:
        """Begin the first waiting tasks for which there are a worker and memory."""
        running = [worker for worker in self._workers if worker.place is not None]
        used = sum(tasks[worker.place].n_bytes for worker in running if worker.place is not None)
        for place in list(waiting):
            if len(running) >= self.n_workers:
                return
            if running and used + tasks[place].n_bytes > memory:
                continue
            worker = self._idle()
            waiting.remove(place)
            worker.begin(place, tasks[place])
            self._begun(worker.pid, tasks[place])
            running.append(worker)
            used += tasks[place].n_bytes

    def _begun(self, pid: int, task: Task) -> None:
        """A task has been handed to a process."""

    def _idle(self) -> _Worker:
        for worker in self._workers:
            if worker.place is None:
                return worker
        self._workers.append(_Worker(self._events))
        return self._workers[-1]

    def _next_event(self) -> tuple[_Worker, dict[str, Any] | None]:
        try:
            return self._events.get(timeout=self._stall_timeout)
        except queue.Empty:
            busy = [worker.pid for worker in self._workers if worker.place is not None]
            raise WorkerError(
                f"No progress for {self._stall_timeout:g} s: the worker processes "
                f"{', '.join(map(str, busy))} are silent. They have been ended; resume=True goes "
                "on from what is done."
            ) from None

    def _lost(
        self, worker: _Worker, tasks: Sequence[Task], waiting: list[int], tries: list[int]
    ) -> None:
        """A process has died: its task waits again, a bounded number of times."""
        self._workers.remove(worker)
        place, how = worker.place, worker.died()
        worker.end()
        if place is None:
            return
        tries[place] += 1
        if tries[place] > self._retries:
            task = tasks[place]
            raise WorkerError(
                f"The worker process of task '{task.kind} {task.index}' died {how}, "
                f"{tries[place]} times. If the system ended it for want of memory, lower "
                "memory_limit or n_jobs; resume=True goes on from what is done."
            )
        waiting.insert(0, place)


def _raised(error: dict[str, Any], task: Task) -> Exception:
    """A worker's error as one of this process."""
    kind = _RAISED.get(error["type"])
    if kind is MemoryError:
        return MemoryError(
            f"A worker ran out of memory in task '{task.kind} {task.index}'. {error['message']}"
        )
    if kind is not None:
        return kind(error["message"])
    return WorkerError(
        f"A worker failed in task '{task.kind} {task.index}': {error['type']}: "
        f"{error['message']}\n{error['trace']}"
    )
