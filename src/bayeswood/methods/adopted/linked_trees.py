"""Trees whose nodes name their children, brought into the breadth-first order of a forest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    left_levels : mapping of int to ndarray of int
        By node, the levels that go left at a category split.
    """

    left: NDArray[Any]
    right: NDArray[Any]
    feature: NDArray[Any]
    threshold: F64
    missing_left: NDArray[Any]
    n_samples: NDArray[Any]
    weight: NDArray[Any]
    value: F64
    left_levels: Mapping[int, NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def of_leaf(cls, value: F64) -> "LinkedTree":
        """A tree that says the same of all rows."""
        nowhere, zero = np.full(1, LEAF), np.zeros(1)
        return cls(nowhere, nowhere, nowhere, zero, zero, zero, zero, value.reshape(1, -1))

    def summed(self, gain: F64, n_features: int) -> F64:
        """What the splits by each feature gain together, of the gains of all nodes."""
        is_split = self.left != LEAF
        found = np.zeros(n_features)
        np.add.at(found, self.feature[is_split], np.maximum(gain[is_split], 0.0))
        return found

    def breadth_first(self) -> NDArray[np.int64]:
        """The nodes, level by level."""
        level = np.zeros(1, dtype=np.int64)
        levels = [level]
        while (inner := level[self.left[level] != LEAF]).size:
            level = np.stack([self.left[inner], self.right[inner]], axis=1).ravel().astype(np.int64)
            levels.append(level)
        return np.concatenate(levels)


def linked_forest(
    trees: Sequence[LinkedTree], n_levels: NDArray[np.int32], *, is_classifier: bool
) -> _core.Forest:
    """The core's forest of trees over features of so many levels, 0 for numbers.

    Examples
    --------
    >>> stump = LinkedTree(
    ...     left=np.array([2, -1, -1]), right=np.array([1, -1, -1]), feature=np.array([0, -1, -1]),
    ...     threshold=np.array([0.5, 0.0, 0.0]), missing_left=np.zeros(3), n_samples=np.ones(3),
    ...     weight=np.ones(3), value=np.array([[0.0], [7.0], [3.0]]),
    ... )
    >>> forest = linked_forest([stump], np.zeros(1, dtype=np.int32), is_classifier=False)
    >>> forest.tree(0)["value"][1:].ravel()
    array([3., 7.])
    """
    orders = [tree.breadth_first() for tree in trees]

    def joined(name: str, dtype: type) -> NDArray[Any]:
        parts = [getattr(tree, name)[order] for tree, order in zip(trees, orders, strict=True)]
        return np.concatenate(parts).astype(dtype)

    is_leaf = joined("left", np.int64) == LEAF
    feature = np.where(is_leaf, LEAF, joined("feature", np.int32)).astype(np.int32)
    is_cut = ~is_leaf & (n_levels[feature] == 0)
    sets = [
        _words(tree.left_levels[int(node)], int(n_levels[tree.feature[node]]))
        for tree, order in zip(trees, orders, strict=True)
        for node in order
        if int(node) in tree.left_levels
    ]
    value = joined("value", np.float64)
    arrays = {
        "n_features": len(n_levels),
        "n_outputs": value.shape[1],
        "is_classifier": is_classifier,
        "n_levels": n_levels,
        "n_nodes": np.array([len(order) for order in orders], dtype=np.int64),
        "feature": feature,
        "threshold": np.where(is_cut, joined("threshold", np.float64), np.nan),
        "missing_left": np.where(is_leaf, 0, joined("missing_left", np.uint8)).astype(np.uint8),
        "category_words": np.concatenate([np.empty(0, dtype=np.uint64), *sets]),
        "leaf_n_samples": joined("n_samples", np.int32)[is_leaf],
        "leaf_weight": joined("weight", np.float32)[is_leaf],
        "leaf_rows": np.empty(0, dtype=np.int32),
        **(_class_leaves(value[is_leaf]) if is_classifier else _number_leaves(value[is_leaf])),
    }
    return _core.Forest.from_arrays(arrays)


def _words(levels: NDArray[Any], n_levels: int) -> NDArray[np.uint64]:
    """A set of levels, 64 to a word.

    Examples
    --------
    >>> _words(np.array([0, 65]), 66)
    array([1, 2], dtype=uint64)
    """
    bits = np.zeros(-(-n_levels // 64) * 64, dtype=np.uint8)
    bits[levels] = 1
    return np.packbits(bits, bitorder="little").view(np.dtype("<u8")).astype(np.uint64)


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
