"""The trees of a calibrated forest for classes, shrunk and weighted as their out-of-bag rows ask.

Trees with best and with random cuts are two kinds. Which of them does better, and how much the
leaves should borrow from their ancestors, differs from table to table: noise asks for more of both
shrinkage and best cuts, clean labels in many features for less. See
`bayeswood.uncertainty.calibration.member_weighting` for the choice.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.out_of_bag_sums import left_out_kinds, left_out_votes
from bayeswood.uncertainty import (
    STRENGTHS,
    Votes,
    choose_share,
    choose_strength,
    equal_shares,
    spread_sample,
)

F64 = NDArray[np.float64]

# Rows times classes by which strength and share are chosen: an evenly spaced part of more.
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
        Out-of-bag averages of the rows that some tree left out.
    counts : ndarray of int, (n_rows,)
        Trees that left each training row out.
    strength : float
        λ.
    randomized_weight : float
        Summed weight of the trees with random cuts.
    """

    grown: GrownForest
    votes: Votes
    counts: NDArray[np.int32]
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
    randomized_fraction : float
        Share of the trees with random cuts.
    strength : float or None
        λ; None to choose.
    weigh : bool
        Whether to choose the weight of the kinds.
    """

    randomized_fraction: float
    strength: float | None
    weigh: bool


def pool_trees(data: TrainingData, grown: GrownForest, plan: PoolPlan, n_jobs: int) -> PooledTrees:
    """Choose what the plan leaves open; shrink and weigh the trees."""
    randomized = randomized_trees(grown.forest.n_trees, plan.randomized_fraction)
    # Kinds are numbered from 0 even where all trees are of the second.
    kind = randomized - randomized.min()
    strength = plan.strength
    if strength is None:
        strength = _chosen_strength(data, grown, kind, n_jobs)
    shares = equal_shares(np.bincount(kind))
    if plan.weigh and len(shares) == 2:
        shares = _chosen_shares(data, grown, strength, kind, n_jobs)
    votes, counts = left_out_votes(data, grown, strength, kind, shares, n_jobs)
    pooled = _pooled_forest(grown.forest, strength, (shares / np.bincount(kind))[kind], n_jobs)
    weight = float(pooled.weights[randomized == 1].sum())
    return PooledTrees(replace(grown, forest=pooled), votes, counts, strength, weight)


def shrink_trees(grown: GrownForest, strength: float, n_jobs: int) -> GrownForest:
    """Shrink the leaves; the trees keep equal weights."""
    weights = np.ones(grown.forest.n_trees)
    return replace(grown, forest=_pooled_forest(grown.forest, strength, weights, n_jobs))


def _pooled_forest(forest: Forest, strength: float, weights: F64, n_jobs: int) -> Forest:
    core = forest.core.shrink_leaves(strength, n_jobs) if strength > 0 else forest.core
    return Forest(core, np.log(weights / weights.max()), forest.labels)


def _chosen_strength(
    data: TrainingData, grown: GrownForest, kind: NDArray[np.int32], n_jobs: int
) -> float:
    entries = int(grown.forest.n_leaves.sum()) * data.n_classes
    if not 1 < data.n_classes <= _MOST_CLASSES or entries > _MOST_LEAF_ENTRIES:
        return 0.0
    sample = _sample(data.n_rows, data.n_classes)
    kinds, seen = left_out_kinds(data, grown, STRENGTHS, kind, sample, n_jobs)
    strength = choose_strength(kinds, *_truth(data, seen)) if kinds.n_rows else 0.0
    return strength if strength >= _LEAST_STRENGTH else 0.0


def _chosen_shares(
    data: TrainingData, grown: GrownForest, strength: float, kind: NDArray[np.int32], n_jobs: int
) -> F64:
    sample = _sample(data.n_rows, data.n_classes)
    kinds, seen = left_out_kinds(data, grown, np.array([strength]), kind, sample, n_jobs)
    if not kinds.n_rows:
        return equal_shares(kinds.n_trees)
    share = choose_share(kinds, *_truth(data, seen))
    return np.array([1.0 - share, share])


def _sample(n_rows: int, n_classes: int) -> NDArray[np.bool_]:
    return spread_sample(n_rows, n_classes, _MOST_ENTRIES_CHOOSING // n_classes)


def _truth(data: TrainingData, rows: NDArray[np.bool_]) -> tuple[NDArray[np.intp], F64 | None]:
    chosen = data.take(rows)
    return chosen.target.y.astype(np.intp), chosen.sample_weight
