"""Trees whose nodes name their children, brought into the breadth-first order of a forest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core

F64 = NDArray[np.float64]
LEAF = -1


@dataclass(frozen=True, eq=False)
class LinkedTree:
    """One tree, its nodes in any order, the root first.

    Attributes
    ----------
    left, right : ndarray of int, (n_nodes,)
        Children; -1 at leaves.
    feature : ndarray of int, (n_nodes,)
    threshold : ndarray, (n_nodes,)
        ``x <= threshold`` goes left.
    missing_left : ndarray of bool, (n_nodes,)
    n_samples, weight : ndarray, (n_nodes,)
        Training rows, and their summed weight.
    value : ndarray, (n_nodes, n_outputs)
        What leaves say; class probabilities sum to 1.
    """

    left: NDArray[Any]
    right: NDArray[Any]
    feature: NDArray[Any]
    threshold: F64
    missing_left: NDArray[Any]
    n_samples: NDArray[Any]
    weight: NDArray[Any]
    value: F64

    @classmethod
    def of_leaf(cls, value: F64) -> "LinkedTree":
        """A tree that says the same of all rows."""
        nowhere, zero = np.full(1, LEAF), np.zeros(1)
        return cls(nowhere, nowhere, nowhere, zero, zero, zero, zero, value.reshape(1, -1))

    def breadth_first(self) -> NDArray[np.int64]:
        """The nodes, level by level."""
        level = np.zeros(1, dtype=np.int64)
        levels = [level]
        while (inner := level[self.left[level] != LEAF]).size:
            level = np.stack([self.left[inner], self.right[inner]], axis=1).ravel().astype(np.int64)
            levels.append(level)
        return np.concatenate(levels)


def linked_forest(
    trees: Sequence[LinkedTree], n_features: int, *, is_classifier: bool
) -> _core.Forest:
    """The core's forest of trees over numeric features.

    Examples
    --------
    >>> stump = LinkedTree(
    ...     left=np.array([2, -1, -1]), right=np.array([1, -1, -1]), feature=np.array([0, -1, -1]),
    ...     threshold=np.array([0.5, 0.0, 0.0]), missing_left=np.zeros(3), n_samples=np.ones(3),
    ...     weight=np.ones(3), value=np.array([[0.0], [7.0], [3.0]]),
    ... )
    >>> forest = linked_forest([stump], 1, is_classifier=False)
    >>> forest.tree(0)["value"][1:].ravel()
    array([3., 7.])
    """
    orders = [tree.breadth_first() for tree in trees]

    def joined(name: str, dtype: type) -> NDArray[Any]:
        parts = [getattr(tree, name)[order] for tree, order in zip(trees, orders, strict=True)]
        return np.concatenate(parts).astype(dtype)

    is_leaf = joined("left", np.int64) == LEAF
    value = joined("value", np.float64)
    arrays = {
        "n_features": n_features,
        "n_outputs": value.shape[1],
        "is_classifier": is_classifier,
        "n_levels": np.zeros(n_features, dtype=np.int32),
        "n_nodes": np.array([len(order) for order in orders], dtype=np.int64),
        "feature": np.where(is_leaf, LEAF, joined("feature", np.int32)).astype(np.int32),
        "threshold": np.where(is_leaf, np.nan, joined("threshold", np.float64)),
        "missing_left": np.where(is_leaf, 0, joined("missing_left", np.uint8)).astype(np.uint8),
        "category_words": np.empty(0, dtype=np.uint64),
        "leaf_n_samples": joined("n_samples", np.int32)[is_leaf],
        "leaf_weight": joined("weight", np.float32)[is_leaf],
        "leaf_rows": np.empty(0, dtype=np.int32),
        **(_class_leaves(value[is_leaf]) if is_classifier else _number_leaves(value[is_leaf])),
    }
    return _core.Forest.from_arrays(arrays)


def _class_leaves(value: F64) -> dict[str, Any]:
    """Classes of positive probability, leaf by leaf."""
    leaf, label = np.nonzero(value)
    return {
        "leaf_n_entries": np.bincount(leaf, minlength=len(value)).astype(np.int32),
        "leaf_class": label.astype(np.int32),
        "leaf_value": value[leaf, label],
    }


def _number_leaves(value: F64) -> dict[str, Any]:
    nothing = np.empty(0, dtype=np.int32)
    return {"leaf_n_entries": nothing, "leaf_class": nothing, "leaf_value": value.ravel()}
