"""The trunk: one shallow CART tree on the rows as they are, fixed for all members of a forest.

Model: the earliest splits of CART vary little over posterior draws of the rows' weights (section 3
of the paper), so that they are fixed at those of the unweighted rows (section 4). CART is greedy:
the split of a node does not depend on the order in which nodes are split. Best-first growth, which
always splits the leaf whose split reduces the impurity most, therefore ends in the top of the tree
that is grown without limit, and is found by choosing among its splits.

Reference: M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML 2015.
"""

from heapq import heappop, heappush
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.forest.tree import LEAF

F64 = NDArray[np.float64]

_LEAST_SHARE = 0.1


def fit_trunk(
    X: NDArray[Any],
    y: NDArray[Any],
    sample_weight: F64 | None = None,
    *,
    n_levels: NDArray[np.int32],
    criterion: str,
    n_classes: int = 0,
    min_samples_leaf: int | None = None,
    max_leaves: int | None = 5,
    min_weight_fraction_leaf: float = 0.0,
    max_depth: int | None = None,
    n_jobs: int = 1,
) -> Forest:
    """Fit a trunk: a function of these rows alone, without chance.

    Parameters
    ----------
    X : ndarray, (n_rows, n_features)
        Encoded rows, all of them or a sample.
    y : ndarray
        Class numbers, int32 (n_rows,), or responses, float64 (n_rows, n_outputs).
    sample_weight : ndarray, (n_rows,), default=None
        Positive weights given by the user.
    n_levels : ndarray of int32, (n_features,)
        Levels of each category; 0 for numbers.
    criterion : {"squared_error", "gini", "entropy"}
        Impurity that splits reduce.
    n_classes : int, default=0
        Number of classes; 0 in regression.
    min_samples_leaf : int, default=None
        Fewest rows in a leaf; None: `default_leaf_size`.
    max_leaves : int, default=5
        Most leaves; where there could be more, the leaf goes first whose split reduces the
        impurity most (of equal ones the first breadth first). None: as many as
        `min_samples_leaf` allows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_depth : int, default=None
        Most splits from root to leaf.
    n_jobs : int, default=1
        Threads.

    Returns
    -------
    Forest
        Of one tree. Its leaves in node order are the branches 0, 1, ...

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> y = np.repeat([0.0, 1.0, 5.0, 5.5], 2)[:, None]
    >>> numbers = np.zeros(1, dtype=np.int32)
    >>> trunk = fit_trunk(X, y, n_levels=numbers, criterion="squared_error", max_leaves=3)
    >>> print(trunk.trees[0].to_text(["age"]))
    age <= 3.5  [8 rows]
    |-- yes: age <= 1.5  [4 rows]
    |   |-- yes: 0  [2 rows]
    |   |-- no:  1  [2 rows]
    |-- no:  5.25  [4 rows]
    """
    if min_samples_leaf is None and max_leaves is None:
        raise BayeswoodError("A trunk needs min_samples_leaf or max_leaves. Got None for both.")
    encoded = _core.EncodedMatrix(X, n_levels, n_jobs)
    core, _ = _core.grow_forest(
        encoded,
        y,
        sample_weight,
        criterion=criterion,
        scheme="unit",
        seed=0,
        n_trees=1,
        n_classes=n_classes,
        max_features=encoded.n_features,
        min_samples_leaf=_leaf_size(len(X), min_samples_leaf, max_leaves),
        min_weight_fraction_leaf=min_weight_fraction_leaf,
        max_depth=_depth_limit(max_leaves, max_depth),
        random_ties=False,
        n_jobs=n_jobs,
    )
    if max_leaves is None or core.n_leaves[0] <= max_leaves:
        return Forest(core)
    return _cut_back(core, criterion, max_leaves)


def scale_leaf_size(min_samples_leaf: int, n_sample: int, n_rows: int) -> int:
    """The leaf size for a sample of the rows, rounded up.

    Examples
    --------
    >>> scale_leaf_size(3500, 2064, 20640)
    350
    """
    return max(1, -(-min_samples_leaf * n_sample // n_rows))


def default_leaf_size(n_rows: int, max_leaves: int) -> int:
    """Fewest rows in a leaf of a trunk that is limited by its number of leaves alone.

    A tenth of an even share of the rows: a branch of a few odd rows would take the place of a
    split that divides the work.

    Examples
    --------
    >>> default_leaf_size(20640, 5)
    413
    """
    return ceil(_LEAST_SHARE * n_rows / max_leaves)


def branch_depths(trunk: Forest) -> NDArray[np.int64]:
    """Splits above each branch, (n_branches,)."""
    tree = trunk.trees[0]
    depth = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in np.flatnonzero(tree.feature != LEAF):
        depth[[tree.left[node], tree.right[node]]] = depth[node] + 1
    below: NDArray[np.int64] = depth[tree.feature == LEAF]
    return below


def _leaf_size(n_rows: int, min_samples_leaf: int | None, max_leaves: int | None) -> int:
    if max_leaves == 1:
        return n_rows
    if min_samples_leaf is not None:
        return min(min_samples_leaf, n_rows)
    return default_leaf_size(n_rows, max_leaves or 1)


def _depth_limit(max_leaves: int | None, max_depth: int | None) -> int:
    """Depth of the deepest tree of so many leaves; 0 is no limit."""
    limits = [limit for limit in (max_leaves and max_leaves - 1, max_depth) if limit]
    return min(limits, default=0)


def _cut_back(core: _core.Forest, criterion: str, max_leaves: int) -> Forest:
    """The top of the tree, grown best first."""
    tree = core.tree(0)
    gain = impurity_decreases(tree, criterion)
    waiting = [(-gain[0], 0)]
    split: set[int] = set()
    while waiting and len(split) + 1 < max_leaves:
        node = heappop(waiting)[1]
        split.add(node)
        for child in (int(tree["left"][node]), int(tree["right"][node])):
            if tree["feature"][child] != LEAF:
                heappush(waiting, (-gain[child], child))
    return Forest(_core.Forest.from_arrays(_top_arrays(core, tree, split)))


def impurity_decreases(tree: dict[str, Any], criterion: str) -> F64:
    """By how much each node's split reduces the weighted impurity; 0 at leaves.

    Parameters
    ----------
    tree : dict
        Of `_core.Forest.tree`.
    criterion : {"squared_error", "gini", "entropy"}
    """
    inner = np.flatnonzero(tree["feature"] != LEAF)
    left, right = tree["left"][inner], tree["right"][inner]
    weight, value = tree["weight"].astype(np.float64), tree["value"]
    gain = np.zeros(len(weight))
    if criterion == "squared_error":
        apart = ((value[left] - value[right]) ** 2).sum(axis=1)
        gain[inner] = weight[left] * weight[right] / (weight[left] + weight[right]) * apart
        return gain
    impurity = weight * class_impurity(value, criterion)
    gain[inner] = np.maximum(impurity[inner] - impurity[left] - impurity[right], 0)
    return gain


def class_impurity(shares: F64, criterion: str) -> F64:
    """Gini impurity or entropy of class shares, (n_nodes, n_classes)."""
    if criterion == "gini":
        gini: F64 = 1 - (shares**2).sum(axis=1)
        return gini
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy: F64 = -(shares * logs).sum(axis=1)
    return entropy


def _top_arrays(core: _core.Forest, tree: dict[str, Any], split: set[int]) -> dict[str, Any]:
    """Arrays of the tree that has only these splits, breadth first."""
    order = [0]
    for node in order:
        if node in split:
            order += [int(tree["left"][node]), int(tree["right"][node])]
    nodes = np.array(order)
    is_leaf = np.array([node not in split for node in order])
    leaves = nodes[is_leaf]
    return {
        "n_features": core.n_features,
        "n_outputs": core.n_outputs,
        "is_classifier": core.is_classifier,
        "n_levels": core.n_levels,
        "n_nodes": np.array([len(nodes)], dtype=np.int64),
        "feature": np.where(is_leaf, LEAF, tree["feature"][nodes]).astype(np.int32),
        "threshold": np.where(is_leaf, np.nan, tree["threshold"][nodes]),
        "missing_left": np.where(is_leaf, 0, tree["missing_left"][nodes]).astype(np.uint8),
        "category_words": _words(core, tree, nodes[~is_leaf]),
        "leaf_n_samples": tree["n_samples"][leaves],
        "leaf_weight": tree["weight"][leaves],
        **_leaf_values(tree["value"][leaves], core.is_classifier),
        "leaf_rows": np.empty(0, dtype=np.int32),
    }


def _words(core: _core.Forest, tree: dict[str, Any], nodes: NDArray[Any]) -> NDArray[np.uint64]:
    """The level sets of these nodes, one after another."""
    sizes = (core.n_levels[tree["feature"][nodes]] + 63) // 64
    sets = [
        tree["category_words"][(first := int(tree["category_offset"][node])) : first + size]
        for node, size in zip(nodes, sizes, strict=True)
        if size > 0
    ]
    return np.concatenate([np.empty(0, dtype=np.uint64), *sets])


def _leaf_values(value: F64, is_classifier: bool) -> dict[str, Any]:
    if not is_classifier:
        nothing = np.empty(0, dtype=np.int32)
        return {"leaf_n_entries": nothing, "leaf_class": nothing, "leaf_value": value.ravel()}
    held = value > 0
    return {
        "leaf_n_entries": held.sum(axis=1).astype(np.int32),
        "leaf_class": np.nonzero(held)[1].astype(np.int32),
        "leaf_value": value[held],
    }
