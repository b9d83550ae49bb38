"""What the paper prints in figures: sizes of the data, trees of the prior; and its scripts."""

from collections.abc import Iterator, Sequence

import numpy as np

from bayeswood.reproduce.finding import Cell, Finding, Listing, compared, not_run
from bayeswood.reproduce.lakshminarayanan_2013 import printed
from bayeswood.reproduce.lakshminarayanan_2013.measure import PRIOR, prior_trees, sizes
from bayeswood.reproduce.lakshminarayanan_2013.runs import PENDIGITS, Setting, units_of, values
from bayeswood.reproduce.lakshminarayanan_2013.scores import named
from bayeswood.reproduce.paper import Found, MissingDataError, Plan, Unit
from bayeswood.reproduce.verdict import Reading

WISCONSIN = "breast_cancer_wisconsin"
_COLUMNS = {"N": "N", "D": "D", "K": "K", "train": "training rows", "test": "test rows"}
_PRIOR_ROWS, _PRIOR_DRAWS = (100, 1000, 10_000), 5000

# Why cells differ, by (part, row, column).
REASONS: dict[tuple[str, str, str], str] = {
    ("section-4-1", "a tree of the prior's", "mean nodes"): (
        "18.28 is exact. The standard deviation of a tree's nodes is 15.6, so that 18.5 is what a "
        "mean over some thousand simulated trees may be."
    ),
}


def data_units(plan: Plan) -> Sequence[Unit]:
    """The data sets themselves."""
    return [Unit(f"sizes/{n}", sizes, (n,), (n,)) for n in (*printed.SIZES, WISCONSIN)]


def find_data(found: Found, plan: Plan) -> Finding:
    """Rows, features, classes and parts."""
    return Finding(cells=tuple(_data_cells(found)))


def _data_cells(found: Found) -> Iterator[Cell]:
    for data, numbers in printed.SIZES.items():
        for key, value in numbers.items():
            yield _whole(found, data, key, (printed.NAMES[data], _COLUMNS[key]), value)
    for part, share in printed.PARTS.items():
        place = ("magic-04", f"{_COLUMNS[part]}, about, %")
        yield _whole(found, "magic04", part, place, share, of="N")
    why = "the data do not say which features are relevant"
    yield not_run(("madelon", "relevant features"), (printed.RELEVANT, None), why, digits=0)
    yield _whole(found, WISCONSIN, "complete", ("Wisconsin", "N"), printed.WISCONSIN)


def _whole(
    found: Found, data: str, key: str, place: tuple[str, str], value: float, of: str = ""
) -> Cell:
    """A whole number, or a share of another in %."""
    try:
        told = found[f"sizes/{data}"]
    except MissingDataError as error:
        return not_run(place, (value, None), str(error), digits=0)
    ours = 100 * told[key] / told[of] if of else told[key]
    return compared(place, (value, None), [ours], Reading(1.0), digits=0)


def prior_units(plan: Plan) -> Sequence[Unit]:
    """Trees without a likelihood."""
    return [Unit(f"prior/{n}", prior_trees, (n, _PRIOR_DRAWS, plan.seed)) for n in _PRIOR_ROWS]


def find_prior(found: Found, plan: Plan) -> Finding:
    """Mean depth and nodes of a tree of the prior's."""
    depth, n_nodes, spread = prior_sizes()
    place, reading = "a tree of the prior's", Reading(0.1)
    cells = (
        compared((place, "mean depth"), (printed.PRIOR_DEPTH, None), [depth], reading, digits=1),
        compared((place, "mean nodes"), (printed.PRIOR_NODES, None), [n_nodes], reading, digits=1),
    )
    rows: list[tuple[str, ...]]
    rows = [("exact, without end of rows", f"{depth:.4f}", f"{n_nodes:.4f}", f"{spread:.1f}")]
    for n_rows in _PRIOR_ROWS:
        told = found[f"prior/{n_rows}"]
        name = f"particle filter without a likelihood, {n_rows:,} rows"
        rows.append((name, *(f"{told[key]:.2f}" for key in ("depth", "nodes", "nodes sd"))))
    header = ("", "mean depth", "mean nodes", "standard deviation of nodes")
    words = (
        f"{_PRIOR_DRAWS:,} trees each, on uniform rows of 16 features. Nodes run out of rows, so "
        "that trees on data are smaller than those of the recursion."
    )
    return Finding(cells, listings=(Listing(header, tuple(rows), words=words),))


def prior_sizes(max_depth: int = 200) -> tuple[float, float, float]:
    """Mean depth, mean nodes and their standard deviation, of a tree of the prior's without data.

    With p_d the probability that a node at depth d splits, the nodes at and below it number
    1 + B_d (N' + N'') with B_d ~ Bernoulli(p_d) and N', N'' of depth d + 1; the height stays below
    h with probability F_d(h) = 1 - p_d + p_d F_{d+1}(h - 1)².
    """
    split = PRIOR["alpha_split"] / (1 + np.arange(max_depth)) ** PRIOR["beta_split"]
    first, second = 1.0, 1.0
    for p in split[::-1]:
        second = 1 + p * (4 * first + 2 * second + 2 * first**2)
        first = 1 + 2 * p * first
    depth = 0.0
    for h in range(max_depth - 1):  # P(height > h), summed
        at_most = 1 - split[h]
        for p in split[:h][::-1]:
            at_most = 1 - p + p * at_most**2
        depth += 1 - at_most
    return float(depth), float(first), float(np.sqrt(second - first**2))


def script_units(plan: Plan) -> Sequence[Unit]:
    """The settings of which the scripts' results are known."""
    return units_of([PENDIGITS], [Setting(*key) for key in printed.SCRIPTS], plan)


def find_scripts(found: Found, plan: Plan) -> Finding:
    """The authors' scripts, run again once, beside ours."""
    rows = []
    for key, (seconds, accuracy, log_p) in printed.SCRIPTS.items():
        setting = Setting(*key)
        ours = {c: values(found, PENDIGITS, setting, c) for c in ("seconds", "accuracy", "log p")}
        rows.append(
            (
                f"{named(setting)}, I = {setting.n_islands}",
                "" if seconds is None else f"{seconds:.0f}", f"{ours['seconds'].mean():.2g}",
                f"{accuracy:.1f}", _spread(ours["accuracy"], 1),
                f"{log_p:.3f}", _spread(ours["log p"], 3),
            )
        )  # fmt: skip
    header = (
        "pen-digits", "CPU, s, script", "ours", "accuracy, %, script", "ours", "log p, script",
        "ours",
    )  # fmt: skip
    words = (
        "One run of the authors' public Python scripts on a machine of the same kind; ours ± the "
        "standard deviation over the repeats."
    )
    return Finding(listings=(Listing(header, tuple(rows), words=words),))


def _spread(values_of: np.ndarray, digits: int) -> str:
    return f"{values_of.mean():.{digits}f} ± {values_of.std(ddof=1):.{digits}f}"
