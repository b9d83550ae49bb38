"""The progress of long fits, where it is asked for.

On a terminal it is a bar, in a notebook one line that is written anew, and in a log (stderr is a
file or a pipe) one line for each tenth of the work.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Any, Protocol

# Between two updates of the line in a notebook.
_SECONDS_BETWEEN = 0.2

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
        Whether the user asked for it. It goes to stderr, and in notebooks below the cell.
    """
    if not show:
        yield None
        return
    with _chosen_bar()(title, unit) as report:
        yield report


def _chosen_bar() -> Callable[[str, str], AbstractContextManager[Bar]]:
    """What suits the place where stderr goes."""
    if type(sys.stderr).__module__.partition(".")[0] == "ipykernel":
        return _notebook_line
    if not sys.stderr.isatty():
        return _log_lines
    try:
        from rich.progress import Progress  # noqa: F401
    except ImportError:
        return _plain_bar
    return _rich_bar


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
def _notebook_line(title: str, unit: str) -> Iterator[Bar]:
    """One line of plain text below the cell; ipywidgets are not needed."""
    display: Any = import_module("IPython.display")
    started, shown = time.monotonic(), -math.inf
    line = display.display(_Line(""), display_id=True)

    def report(done: int, total: int, note: str = "") -> None:
        nonlocal shown
        now = time.monotonic()
        if done < total and now - shown < _SECONDS_BETWEEN:
            return
        shown = now
        words = f"{title} ({note})" if note else title
        line.update(_Line(plain_line(words, unit, done, total, now - started)))

    yield report


class _Line:
    """A text whose `repr` is itself, so that a notebook shows it as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


@contextmanager
def _log_lines(title: str, unit: str) -> Iterator[Bar]:
    started, tenths = time.monotonic(), 0

    def report(done: int, total: int, note: str = "") -> None:
        nonlocal tenths
        reached = 10 * done // max(total, 1)
        if reached > tenths:
            tenths = reached
            words = f"{title} ({note})" if note else title
            line = plain_line(words, unit, done, total, time.monotonic() - started)
            print(line, file=sys.stderr, flush=True)

    yield report


@contextmanager
def _plain_bar(title: str, unit: str) -> Iterator[Bar]:
    started, stream = time.monotonic(), sys.stderr

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
