"""The trees of a calibrated forest for classes, shrunk and weighted as their out-of-bag rows ask.

Trees with best and with random cuts are two kinds. Which of them does better, and how much the
leaves should borrow from their ancestors, differs from table to table: noise asks for more of both
shrinkage and best cuts, clean labels in many features for less. See
`bayeswood.uncertainty.calibration.member_weighting` for the choice.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.uncertainty import (
    STRENGTHS,
    KindSums,
    Votes,
    choose_share,
    choose_strength,
    effective_number,
    equal_shares,
    spread_sample,
)

F64 = NDArray[np.float64]

# Rows, and rows times classes, by which strength and share are chosen: an evenly spaced part.
_MOST_ROWS_CHOOSING = 4_000
_MOST_ENTRIES_CHOOSING = 20_000
# Classes, and leaves times classes, up to which leaves are shrunk unasked: shrunk, a leaf holds all
# classes.
_MOST_CLASSES = 30
_MOST_LEAF_ENTRIES = 10**8
# Less changes no digit that counts, yet fills every leaf with classes.
_LEAST_STRENGTH = 0.1
# `grow_forest` counts randomised trees with this allowance for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class PooledTrees:
    """Trees as they predict, and what they say of the rows they left out.

    Attributes
    ----------
    grown : GrownForest
        With the shrunk and weighted forest.
    votes : Votes
        Out-of-bag averages of the training rows.
    counts : ndarray of int, (n_rows,)
        Trees that left each training row out.
    kind : ndarray of int32, (n_trees,)
        Which trees have random cuts, if others have not.
    strength : float
        λ.
    randomized_weight : float
        Summed weight of the trees with random cuts.
    """

    grown: GrownForest
    votes: Votes
    counts: NDArray[np.int32]
    kind: NDArray[np.int32]
    strength: float
    randomized_weight: float


def randomized_trees(n_trees: int, fraction: float) -> NDArray[np.int32]:
    """1 for the trees with random cuts, as `grow_forest` spreads them, else 0.

    Examples
    --------
    >>> randomized_trees(6, 0.5)
    array([0, 1, 0, 1, 0, 1], dtype=int32)
    """
    before = np.floor(np.arange(n_trees + 1) * fraction + _ROUNDING)
    randomized: NDArray[np.int32] = np.diff(before).astype(np.int32)
    return randomized


@dataclass(frozen=True)
class PoolPlan:
    """What is asked for.

    Attributes
    ----------
    randomized : ndarray of int32, (n_trees,)
        1 for the trees with random cuts.
    strength : float or None
        λ; None to choose.
    weigh : bool
        Whether to choose the weight of the kinds.
    monotone : tuple of int
        Per column 1, 0 or -1, as leaves must keep it; empty for none.
    """

    randomized: NDArray[np.int32]
    strength: float | None
    weigh: bool
    monotone: tuple[int, ...] = ()


def pool_trees(data: TrainingData, grown: GrownForest, plan: PoolPlan, n_jobs: int) -> PooledTrees:
    """Choose what the plan leaves open; shrink and weigh the trees."""
    # Kinds are numbered from 0 even where all trees are of the second.
    kind = plan.randomized - plan.randomized.min()
    n_trees, drawn = np.bincount(kind), _drawn(grown)
    some, strength = _some_rows(data, grown.forest.n_outputs, drawn), plan.strength
    if strength is None:
        strength = _chosen_strength(some, grown.forest, kind, n_jobs)
    shrunk = shrink_trees(grown, strength, plan.monotone, n_jobs)
    if plan.weigh and len(n_trees) == 2:
        shares = _chosen_shares(some, shrunk.forest, kind, n_jobs)
    else:
        shares = equal_shares(n_trees)
    weights = (shares / n_trees)[kind]
    forest = Forest(shrunk.forest.core, np.log(weights / weights.max()))
    pooled = replace(grown, forest=forest)
    votes, counts = left_out_votes(data, pooled, n_jobs, drawn)
    weight = float(forest.weights[plan.randomized == 1].sum())
    return PooledTrees(pooled, votes, counts, kind, strength, weight)


def shrink_trees(
    grown: GrownForest, strength: float, monotone: tuple[int, ...], n_jobs: int
) -> GrownForest:
    """Shrink the leaves; the trees have equal weights, as they were grown.

    A leaf may shrink past another: where order is asked for, leaves are moved to keep it.
    """
    if strength == 0:
        return grown
    core = grown.forest.core.shrink_leaves(strength, n_jobs)
    return replace(grown, forest=Forest(core.bounded(monotone) if monotone else core))


def left_out_votes(
    data: TrainingData, grown: GrownForest, n_jobs: int, drawn: dict[str, Any]
) -> tuple[Votes, NDArray[np.int32]]:
    """Averaged class probabilities of the training rows, each over the trees that left it out.

    Parameters
    ----------
    grown : GrownForest
        Whose forest has the leaves and weights that it predicts with.
    drawn : dict
        How the rows of each tree were drawn, for the core.

    Returns
    -------
    votes : Votes
    counts : ndarray of int32, (n_rows,)
        Trees that left each row out.
    """
    weights = grown.forest.weights
    start, label, mean, first, second, counts, number = grown.forest.core.predict_oob_votes(
        data.X, tree_weights=weights, half=_halves(grown), n_jobs=n_jobs, **drawn
    )
    seen = counts > 0
    n_predicting = effective_number(weights)
    n_trees = float(number[seen].mean()) if seen.any() else n_predicting
    halves = (first, second)
    n_classes = grown.forest.n_outputs
    return Votes(start, label, mean, halves, n_classes, n_trees, n_predicting), counts


def _halves(grown: GrownForest) -> NDArray[np.int32]:
    """0 and 1 in turn, for bags (or pairs of trees) that follow one another."""
    size = 2 if grown.row_weights is None else max(2, grown.row_weights.trees_per_draw)
    half: NDArray[np.int32] = (np.arange(grown.forest.n_trees) // size % 2).astype(np.int32)
    return half


@dataclass(frozen=True)
class _SomeRows:
    """Training rows by which strength and share are chosen, and how trees drew from all rows."""

    X: NDArray[Any]
    label: NDArray[np.intp]
    weights: F64 | None
    drawn: dict[str, Any]


def _some_rows(data: TrainingData, n_classes: int, drawn: dict[str, Any]) -> _SomeRows:
    n_rows = data.n_rows
    most = min(_MOST_ROWS_CHOOSING, _MOST_ENTRIES_CHOOSING // n_classes)
    rows = np.flatnonzero(spread_sample(n_rows, n_classes, most))
    chosen = data.take(rows)
    drawn = {**drawn, "n_training": n_rows, "rows": rows.astype(np.int32)}
    return _SomeRows(chosen.X, chosen.target.y.astype(np.intp), chosen.sample_weight, drawn)


def _chosen_strength(
    some: _SomeRows, forest: Forest, kind: NDArray[np.int32], n_jobs: int
) -> float:
    n_classes = forest.n_outputs
    entries = int(forest.core.n_leaves.sum()) * n_classes
    if not 1 < n_classes <= _MOST_CLASSES or entries > _MOST_LEAF_ENTRIES:
        return 0.0
    kinds = _sums_by_kind(some, forest, STRENGTHS, kind, n_jobs)
    if not kinds.counts.any():
        return 0.0
    strength = choose_strength(kinds, some.label, some.weights, n_jobs)
    return strength if strength >= _LEAST_STRENGTH else 0.0


def _chosen_shares(some: _SomeRows, shrunk: Forest, kind: NDArray[np.int32], n_jobs: int) -> F64:
    kinds = _sums_by_kind(some, shrunk, np.zeros(1), kind, n_jobs)
    if not kinds.counts.any():
        return equal_shares(kinds.n_trees)
    share = choose_share(kinds, some.label, some.weights, n_jobs)
    return np.array([1.0 - share, share])


def _sums_by_kind(
    some: _SomeRows, forest: Forest, strengths: F64, kind: NDArray[np.int32], n_jobs: int
) -> KindSums:
    """What trees of each kind say of those rows that they left out."""
    n_trees = np.bincount(kind)
    sums, counts = forest.core.predict_oob_shrunk(
        some.X, strengths=strengths, kind=kind, n_kinds=len(n_trees), n_jobs=n_jobs, **some.drawn
    )
    return KindSums(sums, counts, n_trees)


def _drawn(grown: GrownForest) -> dict[str, Any]:
    """How the rows of each tree were drawn, by the names that the core has for it."""
    return {} if grown.row_weights is None else grown.row_weights.arguments()
