"""Tables 1 to 4 beside what comes out."""

from collections.abc import Iterable, Mapping, Sequence

from bayeswood.reproduce.finding import Cell, Finding, compared, not_run
from bayeswood.reproduce.paper import Found, MissingDataError, Plan, Unit
from bayeswood.reproduce.quadrianto_2015.measure import DATA_SETS, DataSet, Sizes, score
from bayeswood.reproduce.quadrianto_2015.measure_bart import score_sums
from bayeswood.reproduce.quadrianto_2015.printed import (
    ACCURACY,
    ENSEMBLE_ACCURACY,
    ENSEMBLES,
    IMAGE_ACCURACY,
    IMAGE_METHODS,
    IMAGE_TEXT,
    LOG_PROBABILITY,
    METHODS,
    Printed,
)
from bayeswood.reproduce.verdict import Reading

PERCENT = Reading(unit=0.01, spread="sd", n_repeats=5)
LOG = Reading(unit=0.0001, spread="sd", n_repeats=5)
NO_IMAGES = "the features of the image data were not to be had"
# BayesTree has two classes; the paper prints NA for more.
TWO_CLASSES = tuple(
    data for data, row in ACCURACY.items() if row[METHODS.index("BART")] is not None
)
OTHERS = tuple(method for method in METHODS if method != "BART")


def n_repeats(plan: Plan) -> int:
    """Splits of each data set. The paper's 5 say little: ours are more, each of the same sizes."""
    return 3 if plan.quick else 20


def sizes(plan: Plan) -> Sizes:
    """Trees, particles and iterations."""
    if plan.quick:
        return {"trees": 100, "particles": 200, "iterations": 10_000}
    return {"trees": 1000, "particles": 1000, "iterations": 100_000}


def n_draws_of_sums(plan: Plan) -> int:
    """Sweeps that are kept of a sum of trees."""
    return 300 if plan.quick else 1000


def seed_of(plan: Plan, repeat: int) -> int:
    """The seed of a repeat, of its split and of what is fitted."""
    return 10_000 * plan.seed + repeat


def score_units(
    plan: Plan,
    methods: Iterable[str],
    data_sets: Mapping[str, DataSet] = DATA_SETS,
    *,
    folder: str = "",
    n_splits: int | None = None,
    natural: bool = False,
) -> list[Unit]:
    """A unit for each method, data set and split."""
    return [
        Unit(
            f"{folder}{method}/{name}/{repeat}".replace(": ", "-"),
            score,
            (method, name, seed_of(plan, repeat), sizes(plan), natural),
            (data.file,),
        )
        for method in methods
        for name, data in data_sets.items()
        for repeat in range(n_splits or n_repeats(plan))
    ]


def scores(found: Found, plan: Plan, method: str, data: str, key: str = "accuracy") -> list[float]:
    """One number per split."""
    name = f"{method}/{data}".replace(": ", "-")
    return [each[key] for each in found.repeats(name, n_repeats(plan))]


def table_1_units(plan: Plan) -> Sequence[Unit]:
    """Of all methods."""
    return [*score_units(plan, OTHERS), *bart_units(plan)]


def bart_units(plan: Plan) -> list[Unit]:
    """Of sums of trees, where there are two classes."""
    return [
        Unit(
            f"BART/{name}/{repeat}",
            score_sums,
            (name, seed_of(plan, repeat), n_draws_of_sums(plan)),
            (DATA_SETS[name].file,),
        )
        for name in TWO_CLASSES
        for repeat in range(n_repeats(plan))
    ]


def table_2_units(plan: Plan) -> Sequence[Unit]:
    """Of S-Bayes, which knows its best tree and model averaging."""
    return score_units(plan, ["S-Bayes"])


def table_3_units(plan: Plan) -> Sequence[Unit]:
    """Of the two methods whose probabilities are printed."""
    return score_units(plan, ["MCMC", "S-Bayes"])


def find_table_1(found: Found, plan: Plan) -> Finding:
    """Accuracies, a column per method."""
    cells = []
    for data, row in ACCURACY.items():
        for method, printed in zip(METHODS, row, strict=True):
            if printed is not None:
                cells.append(_cell(found, plan, (data, method), printed, method))
    return Finding(tuple(cells))


def find_table_2(found: Found, plan: Plan) -> Finding:
    """Accuracies of the best tree, of model averaging and of S-Bayes."""
    keys = {"S-Bayes": "accuracy"}
    return Finding(
        tuple(
            _cell(found, plan, (data, name), printed, "S-Bayes", keys.get(name, name))
            for data, row in ENSEMBLE_ACCURACY.items()
            for name, printed in zip(ENSEMBLES, row, strict=True)
        )
    )


def find_table_3(found: Found, plan: Plan) -> Finding:
    """Log probabilities."""
    return Finding(
        tuple(
            _cell(found, plan, (data, method), printed, method, "log p")
            for data, row in LOG_PROBABILITY.items()
            for method, printed in zip(("MCMC", "S-Bayes"), row, strict=True)
        )
    )


def _cell(
    found: Found,
    plan: Plan,
    place: tuple[str, str],
    printed: Printed,
    method: str,
    key: str = "accuracy",
) -> Cell:
    reading, digits = (LOG, 4) if key == "log p" else (PERCENT, 2)
    try:
        ours = scores(found, plan, method, place[0], key)
    except MissingDataError as error:
        return not_run(place, printed, str(error), digits=digits)
    return compared(place, printed, ours, reading, digits=digits)


def find_table_4(found: Found, plan: Plan) -> Finding:
    """What is printed of the images, in the table and in the text."""
    cells = []
    for data, row in IMAGE_ACCURACY.items():
        for method, printed in zip(IMAGE_METHODS, row, strict=True):
            if printed is not None:
                cells.append(not_run((data, method), printed, NO_IMAGES))
        cells += [
            not_run((data, f"{method} (text)"), printed, NO_IMAGES)
            for method, printed in IMAGE_TEXT[data].items()
        ]
    return Finding(tuple(cells))
