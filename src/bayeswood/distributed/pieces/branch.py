"""A branch: the Bayesian forest of the rows in one leaf of the trunk.

Its trees draw their weights from (seed, branch, tree) and the place of a row among those of the
branch, and from nothing else: a branch is the same whoever fits it, when, and with how many
threads. The rows must come in the order of their ids.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.distributed.pieces.trunk import class_impurity
from bayeswood.forest import Forest, RowWeights
from bayeswood.progress import Report

F64 = NDArray[np.float64]

# Two leaves cannot both have more than this share of the weight.
_LARGEST_SHARE = 0.5


@dataclass(frozen=True)
class BranchPlan:
    """What all branches of a forest have in common.

    Attributes
    ----------
    criterion : {"squared_error", "gini", "entropy"}
        Impurity that splits reduce.
    seed : int
        Of the whole fit.
    n_trees : int
        Trees of each branch, and of the forest.
    n_classes : int
        Number of classes of the whole table; 0 in regression.
    max_features : int
        Features tried at each split.
    min_samples_leaf : int
        Fewest rows in a leaf.
    total_weight : float
        Weight of all rows of the table; their number where rows have no weights.
    min_weight_fraction_leaf : float
        Least share of `total_weight` in a leaf, taken of the expected weight of the tree.
    max_depth : int or None
        Most splits from the root of the trunk to a leaf.
    keep_rows : bool
        Whether leaves remember their rows.
    weight_threshold : float
        Exponential weights below it are 0.
    """

    criterion: str
    seed: int
    n_trees: int
    n_classes: int
    max_features: int
    min_samples_leaf: int
    total_weight: float
    min_weight_fraction_leaf: float = 0.0
    max_depth: int | None = None
    keep_rows: bool = False
    weight_threshold: float = 0.0


@dataclass(frozen=True)
class Branch:
    """A fitted branch, and the sums over its rows that grafting needs.

    Attributes
    ----------
    forest : Forest
        Its trees; leaves that remember rows number them within the branch.
    importances : ndarray, (n_trees, n_features)
        Impurity decrease per tree and feature, as a share of the impurity of the branch.
    n_rows : int
        Number of rows.
    weight : float
        Summed weight of its rows (as given by the user, without the random draws).
    mean : ndarray, (n_outputs,)
        Weighted mean response, or class shares.
    impurity : float
        Weighted impurity of its rows, summed over the outputs.
    """

    forest: Forest
    importances: F64
    n_rows: int
    weight: float
    mean: F64
    impurity: float


def fit_branch(
    X: NDArray[Any],
    y: NDArray[Any],
    sample_weight: F64 | None,
    plan: BranchPlan,
    branch: int,
    *,
    n_levels: NDArray[np.int32],
    depth: int = 0,
    first_tree: int = 0,
    n_jobs: int = 1,
    progress: Report | None = None,
) -> Branch:
    """Fit the Bayesian forest of one branch (Algorithm 1 on its rows).

    Parameters
    ----------
    X : ndarray, (n_rows, n_features)
        The encoded rows of the branch, in the order of their ids; at least one.
    y : ndarray
        Class numbers of the whole table's classes, int32 (n_rows,), or responses, float64
        (n_rows, n_outputs).
    sample_weight : ndarray, (n_rows,) or None
        Positive weights given by the user.
    plan : BranchPlan
        What to grow.
    branch : int
        Number of the branch, that is of the trunk's leaf.
    n_levels : ndarray of int32, (n_features,)
        Levels of each category; 0 for numbers.
    depth : int, default=0
        Splits above the branch, which count towards ``plan.max_depth``.
    first_tree : int, default=0
        Number of the first tree to grow.
    n_jobs : int, default=1
        Threads; their number does not change the result.
    progress : callable, default=None
        Called with trees done and trees in all.

    Returns
    -------
    Branch
    """
    weight, mean, impurity = _totals(y, sample_weight, plan)
    share = plan.min_weight_fraction_leaf * plan.total_weight / weight
    is_leaf = share > _LARGEST_SHARE or (plan.max_depth is not None and depth >= plan.max_depth)
    core, importances = _core.grow_forest(
        _core.EncodedMatrix(X, n_levels, n_jobs),
        y,
        sample_weight,
        criterion=plan.criterion,
        **_row_weights(plan, branch).arguments(),
        n_trees=plan.n_trees,
        n_classes=plan.n_classes,
        max_features=plan.max_features,
        min_samples_leaf=len(X) if is_leaf else min(plan.min_samples_leaf, len(X)),
        min_weight_fraction_leaf=min(share, _LARGEST_SHARE),
        max_depth=0 if is_leaf or plan.max_depth is None else plan.max_depth - depth,
        keep_rows=plan.keep_rows,
        first_tree=first_tree,
        n_jobs=n_jobs,
        progress=progress,
    )
    return Branch(Forest(core), importances, len(X), weight, mean, impurity)


def _row_weights(plan: BranchPlan, branch: int) -> RowWeights:
    seed = _core.part_seed(plan.seed, branch)
    return RowWeights("exponential", seed, threshold=plan.weight_threshold)


def bare_branch(trunk: Forest, branch: int, n_trees: int) -> Branch:
    """A branch without rows: in every tree the trunk's leaf as it is, of weight 0.

    A trunk that was fitted to a sample, or to rows that are gone, may send no row somewhere.
    """
    leaf = np.flatnonzero(trunk.trees[0].feature < 0)[branch]
    mean = trunk.trees[0].value[leaf]
    held = mean > 0 if trunk.is_classifier else np.ones(len(mean), dtype=np.bool_)
    of_classes = trunk.is_classifier
    entries = np.flatnonzero(held).astype(np.int32)
    arrays = {
        "n_features": trunk.n_features,
        "n_outputs": trunk.n_outputs,
        "is_classifier": of_classes,
        "n_levels": trunk.core.n_levels,
        "n_nodes": np.ones(n_trees, dtype=np.int64),
        "feature": np.full(n_trees, -1, dtype=np.int32),
        "threshold": np.full(n_trees, np.nan),
        "missing_left": np.zeros(n_trees, dtype=np.uint8),
        "category_words": np.empty(0, dtype=np.uint64),
        "leaf_n_samples": np.zeros(n_trees, dtype=np.int32),
        "leaf_weight": np.zeros(n_trees, dtype=np.float32),
        "leaf_n_entries": np.full(n_trees if of_classes else 0, len(entries), dtype=np.int32),
        "leaf_class": np.tile(entries, n_trees if of_classes else 0),
        "leaf_value": np.tile(mean[held], n_trees),
        "leaf_rows": np.empty(0, dtype=np.int32),
    }
    importances = np.zeros((n_trees, trunk.n_features))
    return Branch(Forest.from_arrays(arrays), importances, 0, 0.0, mean, 0.0)


def _totals(
    y: NDArray[Any], sample_weight: F64 | None, plan: BranchPlan
) -> tuple[float, F64, float]:
    """Weight, mean response or class shares, and weighted impurity of the rows."""
    weights = np.ones(len(y)) if sample_weight is None else sample_weight
    total = float(weights.sum())
    if plan.n_classes:
        shares = np.bincount(y, weights, plan.n_classes) / total
        return total, shares, total * float(class_impurity(shares[None], plan.criterion)[0])
    mean = weights @ y / total
    return total, mean, float((weights @ (y - mean) ** 2).sum())
