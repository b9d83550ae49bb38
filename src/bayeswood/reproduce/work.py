"""Do the units of work, and keep each when it is done, so that a run can be taken up again."""

import hashlib
import json
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from bayeswood.distributed.tasks.work_folder import publish
from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.paper import Unit
from bayeswood.version import __version__

Report = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Done:
    """What a unit gave.

    Attributes
    ----------
    value : plain data
    cpu_seconds : float
        What it took, of all threads.
    """

    value: Any
    cpu_seconds: float


class Keeper:
    """A folder with a file per finished unit.

    Parameters
    ----------
    folder : Path
    fresh : bool
        Whether to leave aside what is kept.

    Notes
    -----
    A file says what it was made by: the library's version, the source of the module that measured
    it, the function and its arguments (seed and sizes are among them). It is taken up only where
    all of these are the same.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self._folder, self._fresh = folder, fresh
        # As of the beginning: what is measured must not be taken for the work of later sources.
        self._made_by: dict[str, str] = {}

    def take(self, unit: Unit) -> Done | None:
        """What is kept of a unit, if that was made in the same way."""
        self._made_by[unit.name] = made_by(unit)
        try:
            kept = json.loads(self._place(unit).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if (
            self._fresh
            or not isinstance(kept, dict)
            or kept.get("made_by") != self._made_by[unit.name]
        ):
            return None
        return Done(kept["value"], kept["cpu_seconds"])

    def keep(self, unit: Unit, done: Done) -> None:
        """Write what a unit that was not there gave, beside its place, and rename it."""
        place = self._place(unit)
        place.parent.mkdir(parents=True, exist_ok=True)
        kept = {"made_by": self._made_by[unit.name], **vars(done)}
        write_whole(place, json.dumps(kept, allow_nan=False))

    def _place(self, unit: Unit) -> Path:
        # The arguments are in the name, so that runs of other seeds and sizes stay side by side.
        return self._folder / f"{unit.name}-{_digest(unit.arguments)[:8]}.json"


def made_by(unit: Unit) -> str:
    """A digest of all that decides what a unit gives."""
    module = sys.modules[unit.measure.__module__]
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    return _digest([__version__, source, unit.measure.__qualname__, unit.arguments])


def _digest(plain: Any) -> str:
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()


def write_whole(place: Path, content: str | bytes) -> None:
    """Write a file beside its place and rename it: it appears whole or not at all."""
    beside = place.with_name(f".{place.name}.{os.getpid()}-{token_hex(4)}.part")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        publish(beside, place, sync=False)
    finally:
        beside.unlink(missing_ok=True)


def do_units(
    units: Sequence[Unit], keeper: Keeper, *, n_jobs: int = 1, report: Report | None = None
) -> dict[str, Done]:
    """What each unit gives, by its name; kept ones are taken up, the others done and kept.

    Parameters
    ----------
    units : sequence of Unit
        Those of one name must be the same.
    keeper : Keeper
    n_jobs : int, default 1
        Processes.
    report : callable, optional
        Told after each unit: done, total, name.
    """
    wanted = _by_name(units)
    found = {name: done for name, unit in wanted.items() if (done := keeper.take(unit)) is not None}
    todo = [unit for name, unit in wanted.items() if name not in found]
    for unit, done in _measure_all(todo, n_jobs):
        keeper.keep(unit, done)
        found[unit.name] = done
        if report is not None:
            report(len(found), len(wanted), unit.name)
    return found


def _by_name(units: Sequence[Unit]) -> dict[str, Unit]:
    wanted: dict[str, Unit] = {}
    for unit in units:
        if wanted.setdefault(unit.name, unit) != unit:
            raise BayeswoodError(f"Two different units of work are called '{unit.name}'.")
    return wanted


def _measure_all(units: Sequence[Unit], n_jobs: int) -> Iterator[tuple[Unit, Done]]:
    if n_jobs == 1 or len(units) < 2:
        yield from ((unit, measure(unit)) for unit in units)
        return
    # Forked processes would inherit the threads of others, and may hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(n_jobs, len(units)), mp_context=context)
    try:
        running = {pool.submit(measure, unit): unit for unit in units}
        for future in as_completed(running):
            yield running[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def measure(unit: Unit) -> Done:
    """Do one unit; what it warns of is part of what is measured, not the user's concern."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = unit.measure(*unit.arguments)
    # The same numbers whether a unit was just done or is read again.
    return Done(json.loads(json.dumps(value, allow_nan=False)), time.process_time() - start)
