"""A progress bar for long fits: on a terminal, when asked for, and nowhere else."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

Report = Callable[[int, int], None]


class Bar(Protocol):
    """A `Report` that takes a note."""

    def __call__(self, done: int, total: int, note: str = "") -> None:
        """So many are done of so many, and what else is worth saying."""


@contextmanager
def progress_bar(title: str, unit: str, *, show: bool) -> Iterator[Bar | None]:
    """Yield a function of (done, total[, note]) that draws the bar, or None where none is wanted.

    Parameters
    ----------
    title : str
        What is being done.
    unit : str
        What is counted, e.g. ``"trees"``.
    show : bool
        Whether the user asked for it. It is drawn on stderr, and only if that is a terminal.
    """
    if not show or not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.progress import Progress  # noqa: F401
    except ImportError:
        with _plain_bar(title, unit, sys.stderr) as report:
            yield report
    else:
        with _rich_bar(title, unit) as report:
            yield report


@contextmanager
def rows_bar(title: str, total: int, *, show: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes how many more rows are done; see `progress_bar`."""
    done = 0
    with progress_bar(title, "rows", show=show) as report:

        def advance(n_rows: int) -> None:
            nonlocal done
            done += n_rows
            if report is not None:
                report(done, total)

        yield advance


@contextmanager
def _rich_bar(title: str, unit: str) -> Iterator[Bar]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None)

        def report(done: int, total: int, note: str = "") -> None:
            words = f"{title} ({note})" if note else title
            bar.update(task, completed=done, total=total, description=words)

        yield report


@contextmanager
def _plain_bar(title: str, unit: str, stream: TextIO) -> Iterator[Bar]:
    started = time.monotonic()

    def report(done: int, total: int, note: str = "") -> None:
        words = f"{title} ({note})" if note else title
        line = plain_line(words, unit, done, total, time.monotonic() - started)
        stream.write(f"\r{line:<79}")
        stream.flush()

    try:
        yield report
    finally:
        stream.write("\n")
        stream.flush()


def plain_line(title: str, unit: str, done: int, total: int, elapsed: float) -> str:
    """One line of plain text.

    Examples
    --------
    >>> plain_line("Growing", "trees", 25, 100, 10.0)
    'Growing [#####...............] 25/100 trees, 30 s left'
    >>> plain_line("Growing", "trees", 100, 100, 40.0)
    'Growing [####################] 100/100 trees in 40 s'
    """
    width = 20
    filled = width * done // max(total, 1)
    bar = "#" * filled + "." * (width - filled)
    if done >= total:
        when = f" in {elapsed:.0f} s"
    elif done:
        when = f", {elapsed * (total - done) / done:.0f} s left"
    else:
        when = ""
    return f"{title} [{bar}] {done}/{total} {unit}{when}"
