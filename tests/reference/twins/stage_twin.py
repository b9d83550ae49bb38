"""A slow twin of the trees that boosted sums are made of: weighted CART on bins.

A number of at most 255 distinct values keeps them. More values are put into 255 bins, from the
lowest up: a bin ends where it holds its share of the rows (those from its first value on, over the
bins that are left), or where the next value alone would hold that share. The tree is that of
`cart_twin` on the numbers of the bins, nodes in depth-first order, left before right, with two
rules of its own:

- a node is cut only if that lowers the squared error;
- the threshold lies half-way between the bins around the cut that have rows in the node; if that is
  inside a bin, at the bin's upper end.

Of the features, in random order, so many are looked at, more only while none can be cut; a category
that gains less than it has to pay does not count.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from cart_twin import TIE, Node, Problem, Split, midpoint
from random_cut_twin import FEATURES, FeatureOrder, Stream

MOST_BINS = 255


@dataclass(frozen=True)
class Bins:
    """Of one number: the lowest and the highest value in each."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray) -> "Bins":
        values, counts = np.unique(x[~np.isnan(x)], return_counts=True)
        ends = np.arange(len(values)) if len(values) <= MOST_BINS else np.array(share_out(counts))
        return cls(values[np.concatenate([[0], ends[:-1] + 1])], values[ends])

    def number(self, x: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(x), np.nan, np.searchsorted(self.high, x))

    def threshold(self, cut: int, upper: int) -> float:
        """Between two bins, those between which have no rows."""
        middle = float(midpoint(self.high[cut], self.low[upper]))
        for between in range(cut + 1, upper):
            if self.low[between] <= middle < self.high[between]:
                return float(midpoint(self.high[between], self.low[between + 1]))
        return middle


def share_out(counts: np.ndarray) -> list[int]:
    ends, start, bins = [], 0, MOST_BINS
    for value in range(len(counts) - 1):
        share = counts[start:].sum() / bins
        full = counts[start : value + 1].sum() >= share or counts[value + 1] >= share
        if full and bins > 1:
            ends.append(value)
            start, bins = value + 1, bins - 1
    return [*ends, len(counts) - 1]


class StageTree:
    """One tree as nested dicts: a leaf has no "cut"."""

    def __init__(self, problem: Problem, seed: int, number: int, max_features: int) -> None:
        self.max_features = max_features
        self.features = FeatureOrder(problem.X.shape[1], Stream(seed, number, FEATURES))
        numbers = [j for j, levels in enumerate(problem.n_levels) if not levels]
        self.bins = {j: Bins.of(problem.X[:, j]) for j in numbers}
        X = problem.X.copy()
        for j, bins in self.bins.items():
            X[:, j] = bins.number(X[:, j])
        self.problem = replace(problem, X=X)
        self.root = self._grow(Node(self.problem, self.problem.active_rows, 0))

    def _grow(self, node: Node) -> dict[str, Any]:
        grown: dict[str, Any] = {"node": node}
        cut = self._best_cut(node)
        if cut:
            sides = (node.rows[cut.goes_left], node.rows[~cut.goes_left])
            left, right = (Node(self.problem, rows, node.depth + 1) for rows in sides)
            grown.update(cut=cut, left=self._grow(left), right=self._grow(right))
        return grown

    def _best_cut(self, node: Node) -> Split | None:
        if not self._may_cut(node):
            return None
        looked_at = self._looked_at(node)
        split = node.best_split(looked_at)
        if split is None or split.worth <= TIE * node.impurity:
            return None
        return split if split.feature not in self.bins else self._with_threshold(node, split)

    def _may_cut(self, node: Node) -> bool:
        settings = self.problem.settings
        return node.depth < settings.max_depth and len(node.rows) >= 2 * settings.min_samples_leaf

    def _looked_at(self, node: Node) -> list[int]:
        chosen, wanted, found = [], self.max_features, False
        for feature in self.features:
            chosen.append(feature)
            [cuts] = node.candidates([feature])
            top = cuts.gain.max() if len(cuts.gain) else -np.inf
            refused = top > -np.inf and cuts.price > 0 and top <= cuts.price + TIE * node.impurity
            found |= top > -np.inf and not refused
            wanted -= not refused
            if wanted <= 0 and found:
                break
        return chosen

    def _with_threshold(self, node: Node, split: Split) -> Split:
        if split.threshold == np.inf:
            return split
        own = self.problem.X[node.rows, split.feature]
        cut, upper = own[own <= split.threshold].max(), own[own > split.threshold].min()
        threshold = self.bins[split.feature].threshold(int(cut), int(upper))
        return replace(split, threshold=threshold)
