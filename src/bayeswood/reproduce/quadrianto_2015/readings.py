"""What the paper leaves open, measured: other sizes of the training sets, other ranks of ties."""

from collections.abc import Sequence

import numpy as np

from bayeswood.reproduce.finding import Finding, Listing, compared
from bayeswood.reproduce.page import p_text
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.quadrianto_2015.measure import DATA_SETS, READINGS
from bayeswood.reproduce.quadrianto_2015.printed import ACCURACY, LOG_PROBABILITY, METHODS
from bayeswood.reproduce.quadrianto_2015.tables import (
    LOG,
    PERCENT,
    n_repeats,
    score_units,
    scores,
)

_METHODS = ("MCMC", "S-Bayes")
_RANDOM = "S-Bayes, ties at random"


def reading_units(plan: Plan) -> Sequence[Unit]:
    """Two methods on the other splits, and on those that were chosen."""
    others = score_units(plan, _METHODS, READINGS, folder="reading/")
    return [*others, *score_units(plan, _METHODS)]


def find_readings(found: Found, plan: Plan) -> Finding:
    """A row per reading: our mean, and p of the test against the printed cell."""
    rows = []
    for name in READINGS:
        data = name.partition(",")[0]
        per_class = DATA_SETS[data].n_train_per_class
        chosen = f"{data}, " + (f"{per_class} of each class" if per_class else "all other rows")
        for label, prefix in (
            (name, f"reading/{{}}/{name}"),
            (f"{chosen} (taken)", f"{{}}/{data}"),
        ):
            row = [label]
            for method in _METHODS:
                repeats = found.repeats(prefix.format(method), n_repeats(plan))
                row += [_cell(data, method, key, [r[key] for r in repeats]) for key in _KEYS]
            rows.append(tuple(row))
    header = ("training rows", *(f"{method}, {key}" for method in _METHODS for key in _KEYS))
    words = "In brackets: p of the test against the printed cell."
    return Finding(listings=(Listing(header, tuple(rows), words=words),))


_KEYS = ("accuracy", "log p")


def _cell(data: str, method: str, key: str, ours: list[float]) -> str:
    if key == "log p":
        printed = dict(zip(_METHODS, LOG_PROBABILITY[data], strict=True))[method]
        cell, digits = compared((data, method), printed, ours, LOG), 3
    else:
        accuracy = dict(zip(METHODS, ACCURACY[data], strict=True))[method]
        assert accuracy is not None  # BART alone has gaps
        cell, digits = compared((data, method), accuracy, ours, PERCENT), 1
    return f"{cell.ours:.{digits}f} ({p_text(cell)})"


def tie_units(plan: Plan) -> Sequence[Unit]:
    """S-Bayes with either rank of tied values."""
    return score_units(plan, ["S-Bayes", _RANDOM])


def find_ties(found: Found, plan: Plan) -> Finding:
    """Log probabilities beside Table 3, and accuracies."""
    rows = []
    for data in DATA_SETS:
        row = [data, f"{LOG_PROBABILITY[data][1][0]:.3f}"]
        for method in ("S-Bayes", _RANDOM):
            row.append(_cell(data, "S-Bayes", "log p", scores(found, plan, method, data, "log p")))
        row += [f"{np.mean(scores(found, plan, m, data)):.1f}" for m in ("S-Bayes", _RANDOM)]
        rows.append(tuple(row))
    header = (
        "", "printed log p", "mean ranks (taken)", "at random", "accuracy, mean ranks", "at random",
    )  # fmt: skip
    words = "In brackets: p of the test against the printed cell."
    return Finding(listings=(Listing(header, tuple(rows), words=words),))
