"""The tasks of a fit from files, and who runs them.

A task is named by a kind, a number and a round, and is a function of these and of the files in the
work folder: it can be run anywhere the folder is seen, in any order among its kind, again after a
failure, and even twice at once. What it leaves is a file; what it returns is small and plain.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from bayeswood.distributed.tasks.fit_branch import fit_branch_files
from bayeswood.distributed.tasks.route_files import route_fragment
from bayeswood.distributed.tasks.scan import count_fragment, scan_fragment
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.progress import Report

TaskKind = Literal["count", "scan", "route", "fit"]


@dataclass(frozen=True)
class Task:
    """One piece of the work.

    Attributes
    ----------
    folder : str
        The work folder.
    kind : {"count", "scan", "route", "fit"}
        What to do: count a fragment's rows that take part, read all of it for the first time,
        route its rows, or fit a branch.
    index : int
        Number of the fragment or branch.
    round_ : int
        Number of the trunk.
    n_threads : int
        Native threads that the task may use.
    n_bytes : int
        Memory that it will need beyond that of an idle process.
    """

    folder: str
    kind: TaskKind
    index: int
    round_: int = 0
    n_threads: int = 1
    n_bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def run_task(task: Task, report: Report | None = None) -> dict[str, Any]:
    """Run one task; again is as good as once.

    Parameters
    ----------
    task : Task
        What to do.
    report : callable, default=None
        Called now and then with (done, total).

    Returns
    -------
    dict
        Plain data, the same for every run of the task.
    """
    folder = WorkFolder(Path(task.folder))
    if task.kind == "count":
        return count_fragment(folder, task.index, report)
    if task.kind == "scan":
        return scan_fragment(folder, task.index, report)
    if task.kind == "route":
        return route_fragment(folder, task.index, task.round_, report)
    return fit_branch_files(folder, task.index, task.round_, task.n_threads, report)


Done = Callable[[int, dict[str, Any]], None]


class Executor(Protocol):
    """Runs tasks, wherever.

    Attributes
    ----------
    n_workers : int
        Most tasks that run at once.
    """

    n_workers: int

    def run(
        self, tasks: Sequence[Task], memory: int, report: Callable[[], None] | None = None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Run tasks, begun in the order given.

        Parameters
        ----------
        tasks : sequence of Task
            What to do.
        memory : int
            Bytes that the tasks that run at once may need together on one machine.
        report : callable, default=None
            Called whenever a task shows progress.

        Yields
        ------
        index : int
            Place of a task that is done.
        result : dict
            What it returned.
        """
        ...

    def close(self) -> None:
        """Let go of the workers."""
        ...


class InlineExecutor:
    """Runs tasks one after another in this process."""

    n_workers = 1

    def run(
        self, tasks: Sequence[Task], memory: int, report: Callable[[], None] | None = None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """See `Executor`."""
        for place, task in enumerate(tasks):
            yield place, run_task(task, None if report is None else lambda done, total: report())

    def close(self) -> None:
        """Nothing is held."""
