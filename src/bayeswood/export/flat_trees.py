"""Trees as arrays that any language can walk."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
_WORD_BITS = 64
#: At or below it lies every number that a table may hold.
HIGHEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class FlatTrees:
    """Trees one after another; a node's right child follows its left one.

    Attributes
    ----------
    root : ndarray of int64, (n_trees,)
        First node of each tree.
    feature : ndarray of int64, (n_nodes,)
        -1 at leaves.
    threshold : ndarray, (n_nodes,)
        ``x <= threshold`` goes left; 0 at leaves and at category splits.
    missing_left : ndarray of bool, (n_nodes,)
        Where missing values and unseen levels go.
    child : ndarray of int64, (n_nodes,)
        Left child, counted over all trees; at leaves the number of the leaf.
    first_word : ndarray of int64, (n_nodes,)
        Of the set of levels that go left, among `words`; -1 where there is none.
    words : ndarray of uint64
        Sets of levels, 64 to a word.
    n_levels : ndarray of int64, (n_features,)
        0 for numbers.
    value : ndarray, (n_leaves, n_outputs)
        What leaves say.
    leaf_size : ndarray, (n_leaves, 2)
        Training rows, and their weight.
    """

    root: I64
    feature: I64
    threshold: F64
    missing_left: NDArray[np.bool_]
    child: I64
    first_word: I64
    words: NDArray[np.uint64]
    n_levels: I64
    value: F64
    leaf_size: F64

    @property
    def n_trees(self) -> int:
        """How many."""
        return len(self.root)

    @property
    def n_outputs(self) -> int:
        """Numbers in a leaf."""
        return int(self.value.shape[1])

    def nodes(self, tree: int) -> slice:
        """The nodes of a tree."""
        return slice(int(self.root[tree]), int([*self.root[tree + 1 :][:1], len(self.feature)][0]))

    def left_levels(self, node: int) -> I64:
        """The levels that go left at a category split."""
        level = np.arange(self.n_levels[self.feature[node]])
        words = self.words[self.first_word[node] + level // _WORD_BITS]
        is_left = (words >> (level % _WORD_BITS).astype(np.uint64)) & np.uint64(1)
        return np.flatnonzero(is_left)

    @classmethod
    def of(cls, forest: Forest) -> "FlatTrees":
        """All trees of a forest, with their own values."""
        arrays = forest.core.to_arrays()
        feature = np.asarray(arrays["feature"], dtype=np.int64)
        n_levels = np.asarray(arrays["n_levels"], dtype=np.int64)
        n_nodes = np.asarray(arrays["n_nodes"], dtype=np.int64)
        root = np.cumsum(n_nodes) - n_nodes
        is_leaf = feature < 0
        is_set = ~is_leaf & (n_levels[feature] > 0)
        threshold = np.where(is_leaf | is_set, 0.0, np.minimum(arrays["threshold"], HIGHEST))
        n_words = np.where(is_set, (n_levels[feature] + _WORD_BITS - 1) // _WORD_BITS, 0)
        return cls(
            root=root,
            feature=feature,
            threshold=threshold,
            missing_left=np.asarray(arrays["missing_left"]).astype(np.bool_),
            child=_children(is_leaf, root, n_nodes),
            first_word=np.where(is_set, np.cumsum(n_words) - n_words, -1),
            words=np.asarray(arrays["category_words"], dtype=np.uint64),
            n_levels=n_levels,
            value=_leaf_values(forest),
            leaf_size=np.stack([arrays["leaf_n_samples"], arrays["leaf_weight"]], axis=1),
        )

    def weighted(self, weights: F64) -> "FlatTrees":
        """With values times the trees' weights, rounded as a prediction rounds them."""
        of_leaf = np.repeat(weights, self._leaves_of_trees())
        return replace(self, value=of_leaf[:, None] * self.value)

    def _leaves_of_trees(self) -> I64:
        return np.add.reduceat((self.feature < 0).astype(np.int64), self.root)

    def merged(self) -> "FlatTrees":
        """Trees that differ in their values alone made one, values added in order.

        That is how predictions of sums of trees are made, so that bits are the same.
        """
        n_leaves = self._leaves_of_trees()
        first_leaf = np.cumsum(n_leaves) - n_leaves
        places: dict[bytes, int] = {}
        value = self.value.copy()
        kept = []
        for tree in range(self.n_trees):
            leaves = slice(first_leaf[tree], first_leaf[tree] + n_leaves[tree])
            key = self._shape(tree) + self.leaf_size[leaves].tobytes()
            first = places.setdefault(key, tree)
            if first == tree:
                # As in a prediction, sums begin with 0.
                value[leaves] += 0.0
                kept.append(tree)
            else:
                value[first_leaf[first] : first_leaf[first] + n_leaves[first]] += value[leaves]
        return replace(self, value=value)._selected(np.array(kept))

    def _shape(self, tree: int) -> bytes:
        nodes = self.nodes(tree)
        sets = [self.left_levels(n) for n in range(nodes.start, nodes.stop) if self.is_set[n]]
        parts = (self.feature[nodes], self.threshold[nodes], self.missing_left[nodes], *sets)
        return b"|".join(np.ascontiguousarray(part).tobytes() for part in parts)

    @cached_property
    def is_set(self) -> NDArray[np.bool_]:
        """Which nodes are category splits."""
        return self.first_word >= 0

    def _selected(self, trees: I64) -> "FlatTrees":
        """Some of the trees, in order; words are kept."""
        n_nodes = np.diff(np.append(self.root, len(self.feature)))
        is_leaf = self.feature < 0
        of_node = np.repeat(np.arange(self.n_trees), n_nodes)
        kept = np.isin(of_node, trees)
        root = np.cumsum(n_nodes[trees]) - n_nodes[trees]
        return replace(
            self,
            root=root,
            feature=self.feature[kept],
            threshold=self.threshold[kept],
            missing_left=self.missing_left[kept],
            child=_children(is_leaf[kept], root, n_nodes[trees]),
            first_word=self.first_word[kept],
            value=self.value[kept[is_leaf]],
            leaf_size=self.leaf_size[kept[is_leaf]],
        )


def _children(is_leaf: NDArray[np.bool_], root: I64, n_nodes: I64) -> I64:
    """The k-th internal node of a tree has its left child at 1 + 2k; leaves have numbers."""
    inner = np.cumsum(~is_leaf) - 1
    before = np.concatenate([[0], inner + 1])[root]
    left = np.repeat(root, n_nodes) + 1 + 2 * (inner - np.repeat(before, n_nodes))
    return np.where(is_leaf, np.cumsum(is_leaf) - 1, left)


def _leaf_values(forest: Forest) -> F64:
    """Values of all leaves, (n_leaves, n_outputs)."""
    arrays = forest.core.to_arrays()
    if not forest.is_classifier:
        return np.asarray(arrays["leaf_value"], dtype=np.float64).reshape(-1, forest.n_outputs)
    n_entries = np.asarray(arrays["leaf_n_entries"])
    leaf = np.repeat(np.arange(len(n_entries)), n_entries)
    value = np.zeros((len(n_entries), forest.n_outputs))
    value[leaf, arrays["leaf_class"]] = arrays["leaf_value"]
    return value
