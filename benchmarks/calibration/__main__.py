"""Command line of the calibration benchmark."""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for all, before any library loads

from benchmarks import machine
from benchmarks.calibration.page import page
from benchmarks.calibration.picture import draw
from benchmarks.calibration.run import models_of, run
from benchmarks.calibration.sets import DataSet, all_sets
from benchmarks.calibration.store import Store

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "calibration.json"
PAGE = ROOT / "docs" / "benchmarks-calibration.md"
TASKS = ("classification", "regression")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("benchmarks.calibration", description="Calibration, compared.")
    made.add_argument("--only", choices=TASKS, help="one kind of task")
    made.add_argument("--sets", metavar="A,B", type=_set_names, help=f"of: {', '.join(all_sets())}")
    made.add_argument(
        "--models", metavar="A;B", type=_model_names, help=f"of: {'; '.join(_models())}"
    )
    made.add_argument(
        "--again", metavar="A;B", type=_model_names, help="models to measure once more"
    )
    made.add_argument("--repeats", type=int, metavar="N", help="splits of every chosen set")
    made.add_argument("--trees", type=int, metavar="N", help="trees of every forest (300)")
    made.add_argument("--results", type=Path, default=RESULTS, help="file of the records")
    made.add_argument("--page", type=Path, default=PAGE, help="Markdown page to write")
    made.add_argument("--show", action="store_true", help="measure nothing; write the page")
    return made


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    store = Store.open(given.results, given.trees)
    if not given.show:
        store.machine = machine.describe()
        chosen = _chosen(given.only, given.sets)
        run(store, chosen, given.models, given.repeats, given.again or ())
    write_page(store, given.page)
    return 0


def write_page(store: Store, path: Path) -> None:
    """The page, and its picture in the folder `images` beside it."""
    picture = path.parent / "images" / f"{path.stem}.png"
    draw(store, picture)
    words = "log p beside the recalibrated random forest, and coverage by thirds"
    path.write_text(page(store, f"![{words}](images/{picture.name})"), encoding="utf-8")


def _chosen(task: str | None, names: list[str] | None) -> list[DataSet]:
    return [
        data for name, data in all_sets().items()
        if (names is None or name in names) and task in (None, data.task)
    ]  # fmt: skip


def _set_names(text: str) -> list[str]:
    return _known(text.split(","), list(all_sets()), "set")


def _model_names(text: str) -> list[str]:
    """Parted by semicolons, for some names have a comma."""
    return _known(text.split(";"), _models(), "model")


def _known(given: list[str], known: list[str], what: str) -> list[str]:
    names = [name.strip() for name in given]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown {what} {unknown[0]!r}; known: {'; '.join(known)}"
        )
    return names


def _models() -> list[str]:
    return list(dict.fromkeys(name for task in TASKS for name in models_of(task)))


if __name__ == "__main__":
    sys.exit(main())
