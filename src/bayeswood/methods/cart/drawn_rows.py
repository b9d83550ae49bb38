"""Which rows the trees of a forest draw: the parameters that say so, and what they may be."""

from collections.abc import Mapping
from math import floor
from numbers import Integral
from typing import Any

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import (
    BOOLEAN,
    NONE,
    Constraint,
    integer,
    only,
    parameter_error,
    real,
)

#: For forests on bootstrap samples.
DRAWN_ROWS: Mapping[str, Constraint] = {
    "bootstrap": BOOLEAN,
    "max_samples": integer(1) | real(0, 1, "right") | NONE,
    "warm_start": BOOLEAN,
}
#: For forests that are calibrated as a whole.
ONE_FIT: Mapping[str, Constraint] = {
    "warm_start": only(
        False, "bags, weights and calibration are of all trees together; fit a larger forest anew"
    )
}

_GROWN_OUT = "its trees are grown out, and what they add up to is calibrated"
_OTHERS = "RandomForest* and BayesianForest* have it"
#: For forests whose trees are not pruned; what limits them are leaves, depth and weight.
GROWN_OUT: Mapping[str, Constraint] = {
    "max_leaf_nodes": only(None, f"{_GROWN_OUT}; set max_depth, or {_OTHERS}"),
    "min_samples_split": only(2, f"{_GROWN_OUT}; set min_samples_leaf, or {_OTHERS}"),
    "min_impurity_decrease": only(0.0, f"{_GROWN_OUT}; set min_samples_leaf, or {_OTHERS}"),
    "ccp_alpha": only(0.0, f"{_GROWN_OUT}; set min_samples_leaf, or {_OTHERS}"),
    "interaction_cst": only(None, f"not all of its trees can keep to it; {_OTHERS}"),
    "oob_score": BOOLEAN,
}


def weighted_rows(other: str) -> Mapping[str, Constraint]:
    """For forests whose trees draw weights of all rows; `other` has trees without."""
    return {
        "bootstrap": only(
            True, f"every tree draws weights of the rows; {other}(bootstrap=False) draws none"
        ),
        "max_samples": only(
            None,
            "every tree weighs all rows; weight_threshold=-log(share) leaves all but a share out",
        ),
        "warm_start": BOOLEAN,
    }


def resolve_max_samples(
    bootstrap: bool, max_samples: int | float | None, n_rows: int, owner: str
) -> int:
    """How many rows a tree draws; 0 for as many as there are.

    Examples
    --------
    >>> resolve_max_samples(True, 0.5, 11, "RandomForestClassifier")
    5
    """
    if max_samples is None:
        return 0
    if not bootstrap:
        raise BayeswoodError(
            f"The 'max_samples' parameter of {owner} must be None where bootstrap is False, for "
            f"then every tree has all rows. Got {max_samples!r} instead."
        )
    if not isinstance(max_samples, Integral):
        return max(1, floor(float(max_samples) * n_rows))
    if max_samples > n_rows:
        words = f"at most the number of rows of positive weight, {n_rows}"
        raise parameter_error("max_samples", owner, words, max_samples)
    return int(max_samples)


def check_scored(oob_score: Any, bootstrap: bool, owner: str) -> None:
    """Out-of-bag rows are those that a tree did not draw."""
    if oob_score and not bootstrap:
        raise BayeswoodError(
            f"The 'oob_score' parameter of {owner} must be False where bootstrap is False, for "
            f"then every row takes part in every tree. Got {oob_score!r} instead."
        )
