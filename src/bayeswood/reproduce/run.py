"""Run a paper: its units, then its parts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bayeswood.reproduce.data import is_here
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.paper import Found, MissingDataError, Paper, Part, Plan, Unit
from bayeswood.reproduce.record import PartRecord, Record
from bayeswood.reproduce.work import Keeper, Report, do_units
from bayeswood.version import __version__


def run_paper(
    paper: Paper,
    plan: Plan,
    work: Path,
    *,
    only: Sequence[str] = (),
    n_jobs: int = 1,
    fresh: bool = False,
    report: Report | None = None,
) -> Record:
    """Do the work of a paper, or of some of its parts, and say what came out.

    Parameters
    ----------
    paper : Paper
    plan : Plan
    work : Path
        Folder that keeps what is done, unit by unit.
    only : sequence of str
        Keys of parts; all if empty.
    n_jobs : int, default 1
        Processes; the result does not depend on it.
    fresh : bool, default False
        Whether to do again what is kept.
    report : callable, optional
        Told after each unit: done, total, name.

    Returns
    -------
    Record
    """
    parts = paper.choose(only)
    units = [unit for part in parts for unit in part.units(plan)]
    missing = _missing_data(units)
    possible = [unit for unit in units if not missing.intersection(unit.data)]
    done = do_units(possible, Keeper(work, fresh=fresh), n_jobs=n_jobs, report=report)
    found = Found(
        {name: each.value for name, each in done.items()},
        {unit.name: min(missing.intersection(unit.data)) for unit in units
         if missing.intersection(unit.data)},
    )  # fmt: skip
    return Record(
        paper=paper.name,
        version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        seed=plan.seed,
        quick=plan.quick,
        cpu_seconds=round(sum(each.cpu_seconds for each in done.values()), 1),
        parts=tuple(_find(part, found, plan) for part in parts),
        missing=tuple(sorted(missing)),
    )


def _missing_data(units: Sequence[Unit]) -> set[str]:
    names = {name for unit in units for name in unit.data}
    return {name for name in names if not is_here(name)}


def _find(part: Part, found: Found, plan: Plan) -> PartRecord:
    if part.find is None:
        return PartRecord(part.key)
    try:
        return PartRecord(part.key, part.find(found, plan))
    except MissingDataError as error:
        return PartRecord(part.key, missing=str(error))


def run_sample(paper: Paper, seed: int, work: Path) -> Finding:
    """What the quick form of the paper's sample part finds.

    Parameters
    ----------
    paper : Paper
    seed : int
    work : Path
        Folder that keeps what is done.
    """
    record = run_paper(paper, Plan(seed, quick=True), work, only=[paper.sample])
    return record.parts[0].finding
