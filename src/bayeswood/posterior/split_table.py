"""All splits of a forest in flat arrays, so that a hundred thousand trees are summed up at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest, Labels
from bayeswood.posterior.splits import SplitChoice, category_choice, number_choice

F64 = NDArray[np.float64]
Places = NDArray[np.intp]

_WORD_BITS = 64


@dataclass(frozen=True)
class SplitTable:
    """The splits of the trees that have a weight, tree by tree, breadth first within a tree.

    Attributes
    ----------
    members : (n_members,) ndarray of int
        Numbers of the trees of positive weight.
    weights : (n_members,) ndarray
        Theirs; they sum to 1.
    signatures : list of bytes
        The features of each member's nodes, breadth first, leaves marked: two members have equal
        signatures if they ask for the same features in the same places, whatever the cuts.
    member : (n_splits,) ndarray of int
        Place in `members` of the tree that a split belongs to.
    feature : (n_splits,) ndarray of int
    threshold : (n_splits,) ndarray
        NaN for a category.
    labels : Labels
    """

    members: Places
    weights: F64
    signatures: list[bytes]
    member: Places
    feature: NDArray[np.int32]
    threshold: F64
    labels: Labels
    _n_levels: NDArray[np.int32]
    _words: NDArray[np.uint64]
    _first_word: NDArray[np.int64]

    @classmethod
    def of(cls, forest: Forest) -> "SplitTable":
        """Lay out the splits of a forest."""
        members = np.flatnonzero(forest.weights > 0)
        counted = forest if len(members) == forest.n_trees else forest.select(members)
        arrays = counted.core.to_arrays()
        feature: NDArray[np.int32] = arrays["feature"]
        inner = feature >= 0
        member = np.repeat(np.arange(len(members)), arrays["n_nodes"])
        n_levels: NDArray[np.int32] = arrays["n_levels"]
        n_words = (n_levels[feature[inner]].astype(np.int64) + _WORD_BITS - 1) // _WORD_BITS
        return cls(
            members=members,
            weights=forest.weights[members] / forest.weights[members].sum(),
            signatures=_signatures(feature, arrays["n_nodes"]),
            member=member[inner],
            feature=feature[inner],
            threshold=arrays["threshold"][inner],
            labels=forest.labels,
            _n_levels=n_levels,
            _words=arrays["category_words"],
            _first_word=np.cumsum(n_words) - n_words,
        )

    def weight_of(self, places: Places) -> F64:
        """Weights of the trees that splits belong to."""
        return self.weights[self.member[places]]

    @property
    def is_root(self) -> NDArray[np.bool_]:
        """Whether each split is the first of its tree."""
        return np.diff(self.member, prepend=-1) > 0

    def choice(self, places: Places, share: float) -> SplitChoice:
        """Sum up splits on one feature, given by their places in the table."""
        feature, weights = int(self.feature[places[0]]), self.weight_of(places)
        if self._n_levels[feature] > 0:
            return category_choice(self.labels, feature, share, self.level_sets(places))
        name = self.labels.feature_names[feature]
        return number_choice(name, share, self.threshold[places], weights)

    def level_sets(self, places: Places) -> dict[tuple[int, ...], float]:
        """Weight of each set of levels that goes left, over splits on one category."""
        n_levels = int(self._n_levels[self.feature[places[0]]])
        n_words = (n_levels + _WORD_BITS - 1) // _WORD_BITS
        words = self._words[self._first_word[places][:, None] + np.arange(n_words)]
        sets, which = np.unique(words, axis=0, return_inverse=True)
        weights = np.bincount(which.ravel(), self.weight_of(places), len(sets))
        return {
            _levels(row, n_levels): float(weight) for row, weight in zip(sets, weights, strict=True)
        }


def _signatures(feature: NDArray[np.int32], n_nodes: NDArray[np.int64]) -> list[bytes]:
    ends = np.cumsum(n_nodes) * feature.itemsize
    raw = feature.tobytes()
    starts = np.concatenate([[0], ends[:-1]])
    return [raw[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _levels(words: NDArray[np.uint64], n_levels: int) -> tuple[int, ...]:
    level = np.arange(n_levels)
    bits: Any = words[level // _WORD_BITS] >> (level % _WORD_BITS).astype(np.uint64)
    return tuple(np.flatnonzero(bits & np.uint64(1)).tolist())
