"""The trees of a calibrated forest for classes, shrunk and weighted as their out-of-bag rows ask.

Trees with best and with random cuts are two kinds. Which of them does better, and how much the
leaves should borrow from their ancestors, differs from table to table: noise asks for more of both
shrinkage and best cuts, clean labels in many features for less. See
`bayeswood.uncertainty.member_pool` for the choice.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest
from bayeswood.methods.grown import Grown
from bayeswood.methods.left_out import left_out_kinds
from bayeswood.methods.training import TrainingData
from bayeswood.uncertainty import (
    STRENGTHS,
    KindSums,
    Votes,
    choose_share,
    choose_strength,
    equal_shares,
    spread_sample,
)

F64 = NDArray[np.float64]

# Rows times classes by which strength and share are chosen: an evenly spaced part of more.
_MOST_ENTRIES_CHOOSING = 20_000
# Leaves times classes up to which leaves are shrunk unasked: shrunk, a leaf holds all classes.
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
    grown : Grown
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

    grown: Grown
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


def pool_trees(data: TrainingData, grown: Grown, plan: PoolPlan, n_jobs: int) -> PooledTrees:
    """Choose what the plan leaves open; shrink and weigh the trees."""
    randomized = randomized_trees(grown.forest.n_trees, plan.randomized_fraction)
    # Kinds are numbered from 0 even where all trees are of the second.
    kind = randomized - randomized.min()
    strength = plan.strength
    if strength is None:
        strength = _chosen_strength(data, grown, kind, n_jobs)
    everything = np.ones(data.n_rows, dtype=np.bool_)
    kinds, seen = left_out_kinds(data, grown, np.array([strength]), kind, everything, n_jobs)
    shares = equal_shares(kinds.n_trees)
    if plan.weigh and len(shares) == 2 and kinds.n_rows:
        share = _chosen_share(data, kinds, seen)
        shares = np.array([1.0 - share, share])
    counts = np.zeros(data.n_rows, dtype=np.int32)
    counts[seen] = kinds.counts.sum(axis=0)
    pooled = _pooled_forest(grown.forest, strength, (shares / kinds.n_trees)[kind], n_jobs)
    return PooledTrees(
        replace(grown, forest=pooled),
        kinds.votes(0, shares),
        counts,
        strength,
        float(pooled.weights[randomized == 1].sum()),
    )


def shrink_trees(grown: Grown, strength: float, n_jobs: int) -> Grown:
    """Shrink the leaves; the trees keep equal weights."""
    weights = np.ones(grown.forest.n_trees)
    return replace(grown, forest=_pooled_forest(grown.forest, strength, weights, n_jobs))


def _pooled_forest(forest: Forest, strength: float, weights: F64, n_jobs: int) -> Forest:
    core = forest.core.shrink_leaves(strength, n_jobs) if strength > 0 else forest.core
    return Forest(core, np.log(weights / weights.max()), forest.labels)


def _chosen_strength(
    data: TrainingData, grown: Grown, kind: NDArray[np.int32], n_jobs: int
) -> float:
    entries = int(grown.forest.n_leaves.sum()) * data.n_classes
    if data.n_classes == 1 or entries > _MOST_LEAF_ENTRIES:
        return 0.0
    sample = _sample(data.n_rows, data.n_classes)
    kinds, seen = left_out_kinds(data, grown, STRENGTHS, kind, sample, n_jobs)
    strength = choose_strength(kinds, *_truth(data, seen)) if kinds.n_rows else 0.0
    return strength if strength >= _LEAST_STRENGTH else 0.0


def _chosen_share(data: TrainingData, kinds: KindSums, seen: NDArray[np.bool_]) -> float:
    sample = _sample(kinds.n_rows, data.n_classes)
    rows = np.flatnonzero(seen)[sample]
    used = np.zeros(data.n_rows, dtype=np.bool_)
    used[rows] = True
    return choose_share(kinds.take(sample), *_truth(data, used))


def _sample(n_rows: int, n_classes: int) -> NDArray[np.bool_]:
    return spread_sample(n_rows, n_classes, _MOST_ENTRIES_CHOOSING // n_classes)


def _truth(data: TrainingData, rows: NDArray[np.bool_]) -> tuple[NDArray[np.intp], F64 | None]:
    weights = None if data.sample_weight is None else data.sample_weight[rows]
    return data.target.y[rows].astype(np.intp), weights
