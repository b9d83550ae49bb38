"""Trunk and branches made one: an ordinary forest."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.distributed.pieces.branch import Branch
from bayeswood.distributed.pieces.trunk import class_impurity
from bayeswood.forest import Forest
from bayeswood.forest.tree import LEAF

F64 = NDArray[np.float64]


def graft(
    trunk: Forest,
    branches: Sequence[Forest],
    rows: Sequence[NDArray[np.int32]] | None = None,
    n_jobs: int = 1,
) -> Forest:
    """One forest: tree t is the trunk with, in place of its leaf b, tree t of branch b.

    Parameters
    ----------
    trunk : Forest
        Of one tree.
    branches : sequence of Forest
        One per leaf of the trunk, in node order, all with the same number of trees.
    rows : sequence of ndarray of int32, default=None
        For each branch the training rows that its own row numbers stand for. None leaves the
        numbers in the leaves as they are.
    n_jobs : int, default=1
        Threads; their number does not change the result.

    Returns
    -------
    Forest
        Its log-weights are the sums of the branches', which are drawn independently; equal
        weights stay equal.

    Examples
    --------
    >>> trunk = Forest.from_nested([(0, 5.0, None, None)])
    >>> low, high = Forest.from_nested([1.0, 2.0]), Forest.from_nested([(0, 7.0, 3.0, 4.0), 5.0])
    >>> graft(trunk, [low, high]).draws([[0.0], [6.0], [9.0]])[:, :, 0]
    array([[1., 3., 4.],
           [2., 5., 5.]])
    """
    own = None if rows is None else list(rows)
    core = _core.graft(trunk.core, [branch.core for branch in branches], own, n_jobs)
    return Forest(core, np.sum([branch.log_weights for branch in branches], axis=0), trunk.labels)


def graft_importances(trunk: Forest, branches: Sequence[Branch], criterion: str) -> F64:
    """Impurity decrease per tree and feature, as a share of the impurity of all rows.

    The trunk's part is the same in all trees: the decrease in the rows as they are. A branch's
    part is its own shares times the impurity of its rows, again as they are, so that no sum over
    all rows is needed for each tree.

    Parameters
    ----------
    trunk : Forest
        Of one tree.
    branches : sequence of Branch
        One per leaf of the trunk.
    criterion : {"squared_error", "gini", "entropy"}
        Impurity that splits reduce.

    Returns
    -------
    ndarray, (n_trees, n_features)
    """
    root, decreases = _trunk_decreases(trunk, branches, criterion)
    if not root > 0:
        return np.zeros_like(branches[0].importances)
    total: F64 = decreases + sum(branch.impurity * branch.importances for branch in branches)
    return total / root


def _trunk_decreases(
    trunk: Forest, branches: Sequence[Branch], criterion: str
) -> tuple[float, F64]:
    """Impurity of all rows, and what the trunk's splits on each feature take off it.

    The sums of a node are those of its children, and in the end those of the branches.
    """
    tree = trunk.trees[0]
    weight, impurity = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    mean = np.zeros((tree.n_nodes, trunk.n_outputs))
    leaves = np.flatnonzero(tree.feature == LEAF)
    for node, branch in zip(leaves, branches, strict=True):
        weight[node], mean[node], impurity[node] = branch.weight, branch.mean, branch.impurity
    decreases = np.zeros(trunk.n_features)
    for node in np.flatnonzero(tree.feature != LEAF)[::-1]:
        both = np.array([tree.left[node], tree.right[node]])
        weight[node] = weight[both].sum()
        if not weight[node] > 0:
            continue
        mean[node] = weight[both] @ mean[both] / weight[node]
        below = float(impurity[both].sum())
        if criterion == "squared_error":
            impurity[node] = below + float((weight[both] @ (mean[both] - mean[node]) ** 2).sum())
        else:
            impurity[node] = weight[node] * float(class_impurity(mean[[node]], criterion)[0])
        decreases[tree.feature[node]] += max(float(impurity[node]) - below, 0.0)
    return float(impurity[0]), decreases
