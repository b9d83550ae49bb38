"""A slow, plain twin of the native grower of extremely randomised trees.

It draws the same random numbers (64-bit counters, written out in Python's integers) and scores each
cut by the sums of `cart_twin.Node`. The contract it follows:

- nodes are visited parent first, then the left subtree, then the right one; a node of equal y, of
  fewer than 2 `min_samples_leaf` rows or at `max_depth` ends without a draw;
- features come in random order; one that does not vary among the node's rows (missing counts as a
  value) is passed over without a draw; `max_features` others are tried, one where the node has two
  rows, and further ones while no cut is allowed;
- numeric: a threshold low + u (high - low); levels: a fair bit for each level in the order of its
  first row, 64 from one draw, drawn again while one side is empty;
- candidates of a feature in order: missing right, missing left, present | missing. A later one must
  be better by more than 1e-10 of the node's impurity.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from cart_twin import TIE, Node, Problem, is_left_larger

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15
FEATURES, THRESHOLDS = 2, 3


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


class Stream:
    """The numbers of one tree for one purpose."""

    def __init__(self, seed: int, tree: int, purpose: int) -> None:
        key = mix((seed + GOLDEN) % WORD)
        key = mix(key ^ mix((tree + 2 * GOLDEN) % WORD))
        self.key = mix(key ^ mix((purpose + 3 * GOLDEN) % WORD))
        self.counter = 0

    def next(self) -> int:
        self.counter += 1
        return mix((self.key + self.counter * GOLDEN) % WORD)

    def below(self, bound: int) -> int:
        return ((self.next() >> 32) * bound) >> 32

    def uniform(self) -> float:
        return ((self.next() >> 12) + 0.5) * 2.0**-52


class FeatureOrder:
    """Features without replacement; the order of one node is where the next one starts."""

    def __init__(self, n_features: int, stream: Stream) -> None:
        self.order, self.stream = list(range(n_features)), stream

    def __iter__(self) -> Iterator[int]:
        for drawn in range(len(self.order)):
            other = drawn + self.stream.below(len(self.order) - drawn)
            self.order[drawn], self.order[other] = self.order[other], self.order[drawn]
            yield self.order[drawn]


@dataclass(frozen=True)
class Cut:
    feature: int
    threshold: float  # NaN for levels
    left_levels: frozenset[int]
    goes_left: np.ndarray
    missing_left: bool
    gain: float


class RandomTree:
    """One tree as nested dicts: a leaf has no "cut"."""

    def __init__(self, problem: Problem, seed: int, tree: int, max_features: int) -> None:
        self.problem, self.max_features = problem, max_features
        self.features = FeatureOrder(problem.X.shape[1], Stream(seed, tree, FEATURES))
        self.draws = Stream(seed, tree, THRESHOLDS)
        self.root = self._grow(Node(problem, problem.active_rows, 0))

    def _grow(self, node: Node) -> dict[str, Any]:
        grown: dict[str, Any] = {"node": node}
        cut = None if self._must_stop(node) else self._best_cut(node)
        if cut:
            sides = (node.rows[cut.goes_left], node.rows[~cut.goes_left])
            left, right = (Node(self.problem, rows, node.depth + 1) for rows in sides)
            grown.update(cut=cut, left=self._grow(left), right=self._grow(right))
        return grown

    def _must_stop(self, node: Node) -> bool:
        settings = self.problem.settings
        too_deep = settings.max_depth and node.depth >= settings.max_depth
        return bool(node.is_pure or too_deep or len(node.rows) < 2 * settings.min_samples_leaf)

    def _best_cut(self, node: Node) -> Cut | None:
        best, tried = None, 0
        wanted = 1 if len(node.rows) == 2 else self.max_features
        for feature in self.features:
            x = self.problem.X[node.rows, feature].astype(float)
            if varies(x):
                tried += 1
                for cut in self._candidates(node, feature, x):
                    best = better(best, cut, node)
            if tried >= wanted and best:
                break
        return best

    def _candidates(self, node: Node, feature: int, x: np.ndarray) -> list[Cut]:
        missing = np.isnan(x)
        ways = []
        if varies(x[~missing]):
            draw = self._draw_levels if self.problem.n_levels[feature] else self._draw_threshold
            threshold, left = draw(x[~missing])
            present = np.zeros(len(x), dtype=bool)
            present[~missing] = left
            ways = [(threshold, present), (threshold, present | missing)][: 1 + missing.any()]
        if missing.any():
            ways.append((np.nan if self.problem.n_levels[feature] else np.inf, ~missing))
        return [self._cut(node, feature, x, *way) for way in ways]

    def _draw_threshold(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        low, high = x.min(), x.max()
        threshold = low + self.draws.uniform() * (high - low)
        threshold = threshold if low <= threshold < high else low
        return float(threshold), x <= threshold

    def _draw_levels(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        levels = x[np.sort(np.unique(x, return_index=True)[1])]
        while True:
            words = [self.draws.next() for _ in range(0, len(levels), 64)]
            bits = [words[i // 64] >> (i % 64) & 1 for i in range(len(levels))]
            if 0 < sum(bits) < len(bits):
                return np.nan, np.isin(x, levels[np.array(bits) == 1])

    def _cut(
        self, node: Node, feature: int, x: np.ndarray, threshold: float, goes_left: np.ndarray
    ) -> Cut:
        missing = np.isnan(x)
        missing_left = bool(goes_left[missing][0]) if missing.any() else is_left_larger(goes_left)
        levels: set[int] = set()
        if self.problem.n_levels[feature]:
            levels = set(x[goes_left & ~missing].astype(int))
            absent = set(range(self.problem.n_levels[feature])) - set(x[~missing].astype(int))
            levels |= absent if missing_left else set()
        gain = node.gain_of(goes_left)
        return Cut(feature, threshold, frozenset(levels), goes_left, missing_left, gain)


def varies(x: np.ndarray) -> bool:
    """Missing is a value."""
    return not (x == x[:1]).all() and not np.isnan(x).all()


def better(best: Cut | None, cut: Cut, node: Node) -> Cut | None:
    if cut.gain == -np.inf:
        return best
    return cut if best is None or cut.gain > best.gain + TIE * node.impurity else best
