"""A slow, plain NumPy twin of the native weighted CART grower.

Everything is float64 and brute force: each node sorts its rows anew by each feature and scores
every cut. What it follows is the contract of the grower:

- rows of weight 0 take no part; `x <= threshold` goes left; the threshold is half-way between two
  values that are neighbours in the node (the lower one, should the midpoint round to the upper);
- a node is split when its y are not all equal and some cut leaves `min_samples_leaf` rows and the
  minimum weight on both sides, within `max_depth`; zero gain is no reason to stop;
- missing rows of a numeric feature all go one way, the better one; "present | missing" is a cut
  too (threshold +inf). Without missing rows in the node, missing goes to the child with more rows;
- levels (missing is one more) are ordered by mean response, once for each class or output if
  there are several (the 8 heaviest classes of the node), and the best prefix goes left. Levels that
  the node lacks go where missing goes. Without missing rows that is the child with more rows; a tie
  in rows is left;
- a category of more than 4 levels may pay a part of its gain, see `LevelPrice`; where nothing is
  left it is not split. Splits are compared by what is left;
- gains within 1e-10 of the node's impurity are equal: the lowest feature wins, then missing-right,
  then the lowest cut.

Gini impurity is squared error of the class indicators, so both share one formula.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

TIE = 1e-10
MAX_CLASS_ORDERS = 8
FREE_LEVELS = 4
CHANCE = 2.0


@dataclass(frozen=True)
class Settings:
    criterion: str = "squared_error"
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    max_depth: int = 0


@dataclass(frozen=True)
class Problem:
    """X holds values or level numbers, NaN where missing. `y` is (n, k), or class numbers."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    n_levels: np.ndarray
    settings: Settings = field(default_factory=Settings)
    n_classes: int = 0

    @cached_property
    def response(self) -> np.ndarray:
        """(n, n_outputs): y itself, or the indicators of the classes."""
        if self.n_classes:
            return (self.y[:, None] == np.arange(self.n_classes)).astype(float)
        return self.y.astype(float)

    @cached_property
    def active_rows(self) -> np.ndarray:
        return np.flatnonzero(self.weight > 0)

    @cached_property
    def trust(self) -> list[float]:
        """Of each feature, what the rows of the whole tree say of it; 0 where it is numeric."""
        root = Node(self, self.active_rows, 0)
        n_levels = self.n_levels + np.isnan(self.X.astype(float)).any(axis=0)
        return [
            1.0 if n <= FREE_LEVELS else LevelPrice(root, j).trust if k else 0.0
            for j, (k, n) in enumerate(zip(self.n_levels, n_levels, strict=True))
        ]

    @cached_property
    def min_weight(self) -> float:
        return self.settings.min_weight_fraction_leaf * self.weight.sum()


@dataclass(frozen=True)
class Split:
    feature: int
    threshold: float
    left_levels: frozenset[int]
    missing_left: bool
    gain: float
    goes_left: np.ndarray
    price: float = 0.0

    @property
    def worth(self) -> float:
        """What splits are compared by."""
        return self.gain - self.price


class Node:
    """The rows of a node and all that is scored there."""

    def __init__(self, problem: Problem, rows: np.ndarray, depth: int) -> None:
        self.problem, self.rows, self.depth = problem, rows, depth
        self.weight = problem.weight[rows]
        self.response = problem.response[rows]
        self.sum_w = self.weight.sum()
        self.value = self.weight @ self.response / self.sum_w
        self.is_entropy = problem.settings.criterion == "entropy"
        self.prices: dict[int, float] = {}

    @cached_property
    def centred(self) -> np.ndarray:
        return self.response if self.is_entropy else self.response - self.value

    @cached_property
    def weighted(self) -> np.ndarray:
        return self.weight[:, None] * self.centred

    @cached_property
    def sum_wy(self) -> np.ndarray:
        return self.weighted.sum(axis=0)

    @cached_property
    def impurity(self) -> float:
        if self.is_entropy:
            return entropy(self.sum_wy[None], np.array([self.sum_w]))[0]
        return float((self.weighted * self.centred).sum())

    @property
    def is_pure(self) -> bool:
        return bool((self.response == self.response[0]).all())

    def best_split(self, features: Any = None) -> Split | None:
        """The split of the contract among `features` (all of them unless told)."""
        limit = self.problem.settings.max_depth
        if self.is_pure or (limit and self.depth >= limit):
            return None
        chosen = range(self.problem.X.shape[1]) if features is None else features
        candidates = [c for c in (self.candidates(j) for j in chosen) if len(c.gain)]
        candidates = [
            c for c in candidates if not c.price or c.gain.max() > c.price + TIE * self.impurity
        ]
        top = max((c.gain.max() - c.price for c in candidates), default=-np.inf)
        for c in candidates:
            near = np.flatnonzero(c.gain - c.price >= top - TIE * self.impurity)
            if top > -np.inf and len(near):
                return c.split(int(near[0]))
        return None

    def candidates(self, feature: int) -> "NumericCuts | LevelCuts":
        kind = LevelCuts if self.problem.n_levels[feature] else NumericCuts
        return kind(self, feature)

    def price(self, feature: int) -> float:
        """What the feature pays of its gain."""
        if not self.problem.n_levels[feature]:
            return 0.0
        if feature not in self.prices:
            trust = self.problem.trust[feature]
            self.prices[feature] = LevelPrice(self, feature).price(trust)
        return self.prices[feature]

    def gains(self, left: "Sums", right: "Sums") -> np.ndarray:
        """Decrease of impurity of each way to part the rows; -inf where it is not allowed."""
        least_n, least_w = self.problem.settings.min_samples_leaf, self.problem.min_weight
        allowed = (np.minimum(left.n, right.n) >= max(least_n, 1)) & (
            np.minimum(left.w, right.w) >= least_w * (1 - 1e-12)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.is_entropy:
                gain = self.impurity - entropy(left.wy, left.w) - entropy(right.wy, right.w)
            else:
                gain = (left.wy**2).sum(1) / left.w + (right.wy**2).sum(1) / right.w
                gain = gain - (self.sum_wy**2).sum() / self.sum_w
        return np.where(allowed, gain, -np.inf)

    def gain_of(self, goes_left: np.ndarray) -> float:
        return float(self.gains(self.sums(goes_left), self.sums(~goes_left))[0])

    def sums(self, rows: np.ndarray) -> "Sums":
        weight = self.weight[rows]
        return Sums.of(len(weight), weight.sum()[None], self.weighted[rows].sum(axis=0)[None])


@dataclass(frozen=True)
class Sums:
    """Rows, weight and weighted response of one side of each cut, added up and never subtracted."""

    table: np.ndarray

    @classmethod
    def of(cls, n: Any, w: np.ndarray, wy: np.ndarray) -> "Sums":
        table = np.empty((len(w), 2 + wy.shape[1]))
        table[:, 0], table[:, 1], table[:, 2:] = n, w, wy
        return cls(table)

    @property
    def n(self) -> np.ndarray:
        return self.table[:, 0]

    @property
    def w(self) -> np.ndarray:
        return self.table[:, 1]

    @property
    def wy(self) -> np.ndarray:
        return self.table[:, 2:]

    def before(self, ends: np.ndarray) -> "Sums":
        """Of groups in order: all up to each of `ends`."""
        return Sums(self.table.cumsum(axis=0)[ends])

    def after(self, ends: np.ndarray) -> "Sums":
        return Sums(self.table[::-1].cumsum(axis=0)[::-1][ends + 1])

    def plus(self, other: "Sums") -> "Sums":
        return Sums(self.table + other.table)

    def then(self, other: "Sums") -> "Sums":
        return Sums(np.concatenate([self.table, other.table]))


class NumericCuts:
    """Every cut of a numeric feature, in the order in which ties are won."""

    price = 0.0

    def __init__(self, node: Node, feature: int) -> None:
        self.node, self.feature = node, feature
        self.x = node.problem.X[node.rows, feature].astype(float)
        self.is_missing = np.isnan(self.x)
        order = np.argsort(self.x, kind="stable")[: (~self.is_missing).sum()]
        x = self.x[order]
        ends = np.flatnonzero(x[:-1] < x[1:])
        self.thresholds = midpoint(x[ends], x[ends + 1]) if len(ends) else np.zeros(0)
        self.missing_left = np.zeros(len(ends), dtype=bool)
        rows = Sums.of(1, node.weight[order], node.weighted[order])
        left, right = rows.before(ends), rows.after(ends)
        if self.is_missing.any() and len(order):
            left, right = self._with_missing(left, right)
        self.gain = node.gains(left, right)

    def _with_missing(self, left: Sums, right: Sums) -> tuple[Sums, Sums]:
        """Every cut with missing right, present | missing the last; then with missing left."""
        gone = self.node.sums(self.is_missing)
        present = self.node.sums(~self.is_missing)
        n_cuts = len(self.thresholds)
        self.missing_left = np.repeat([False, True], [n_cuts + 1, n_cuts])
        self.thresholds = np.concatenate([self.thresholds, [np.inf], self.thresholds])
        return (
            left.then(present).then(left.plus(gone)),
            right.plus(gone).then(gone).then(right),
        )

    def split(self, index: int) -> Split:
        threshold, missing_left = self.thresholds[index], bool(self.missing_left[index])
        goes_left = np.where(self.is_missing, missing_left, self.x <= threshold)
        if not self.is_missing.any():
            missing_left = is_left_larger(goes_left)
        gain = float(self.gain[index])
        return Split(self.feature, float(threshold), frozenset(), missing_left, gain, goes_left)


class LevelCuts:
    """Every prefix of every order of the levels of a categorical feature."""

    def __init__(self, node: Node, feature: int) -> None:
        self.node, self.feature = node, feature
        self.n_levels = int(node.problem.n_levels[feature])
        x = node.problem.X[node.rows, feature].astype(float)
        self.level = np.where(np.isnan(x), self.n_levels, x).astype(int)
        self.present, inverse = np.unique(self.level, return_inverse=True)
        levels = Sums.of(
            np.bincount(inverse),
            np.bincount(inverse, node.weight),
            np.stack([np.bincount(inverse, column) for column in node.weighted.T], axis=1),
        )
        means = [
            np.bincount(inverse, node.weight * node.response[:, k]) / levels.w
            for k in self._order_outputs()
        ]
        self.orders = [np.argsort(mean, kind="stable") for mean in means]
        ends = np.arange(max(len(self.present) - 1, 0))
        self.gain = np.concatenate([self._prefix_gains(levels, o, ends) for o in self.orders])
        self.price = node.price(feature) if len(ends) else 0.0

    def _prefix_gains(self, levels: Sums, order: np.ndarray, ends: np.ndarray) -> np.ndarray:
        ordered = Sums(levels.table[order])
        return self.node.gains(ordered.before(ends), ordered.after(ends))

    def _order_outputs(self) -> list[int]:
        """The outputs whose means order the levels."""
        n_classes = self.node.problem.n_classes
        if n_classes == 2:
            return [1]
        if not n_classes:
            return list(range(self.node.response.shape[1]))
        weight = self.node.weight @ self.node.response
        heaviest = np.argsort(-weight, kind="stable")[:MAX_CLASS_ORDERS]
        return sorted(int(k) for k in heaviest if weight[k] > 0)

    def split(self, index: int) -> Split:
        order, size = divmod(index, len(self.present) - 1)
        left = self.present[self.orders[order][: size + 1]]
        goes_left = np.isin(self.level, left)
        missing_present = self.n_levels in self.present
        missing_left = self.n_levels in left if missing_present else is_left_larger(goes_left)
        absent = set(range(self.n_levels)) - set(self.present.tolist())
        levels = set(left.tolist()) - {self.n_levels} | (absent if missing_left else set())
        gain = float(self.gain[index])
        return Split(
            self.feature, np.nan, frozenset(levels), missing_left, gain, goes_left, self.price
        )


class LevelPrice:
    """What a category pays for having its levels ordered by the response.

    With weights w_i, W = sum w_i, q = sum w_i^2 and the same per level (W_l, q_l), levels that mean
    nothing are expected to hold the share r = e / (W - q / W) of the impurity between them, where
    e = sum_l q_l / W_l - q / W; of equal weights, (k - 1) / (n - 1). Its variance is taken for a
    beta variable's, 2 r (1 - r) / (W^2 / q + 1). The share that the levels do hold lies z standard
    deviations above r, and trust in them is 1 - (2 / z)^2, at least 0; none if each row has a level
    of its own. Classes vary by chance in several directions: with shares p, C = diag(p) - p p', the
    variance is divided by tr(C)^2 / tr(C^2). Of k > 4 levels the price is

        (1 - trust) I e (k - 4) / (k - 1) / (W - q / W),

    I the impurity, and trust the larger of the tree's root's and the node's. Where each row has a
    level of its own no level is free: (1 - trust) I. A category that has at most 4 levels in the
    table, counting missing, is trusted.
    """

    def __init__(self, node: Node, feature: int) -> None:
        x = node.problem.X[node.rows, feature].astype(float)
        levels, part = np.unique(np.where(np.isnan(x), -1, x), return_inverse=True)
        self.node, self.n_levels = node, len(levels)
        w = np.bincount(part, node.weight)
        q = (node.weight**2).sum()
        self.between = (np.bincount(part, node.weight**2) / w).sum() - q / node.sum_w
        self.all = node.sum_w - q / node.sum_w
        self.n_effective = node.sum_w**2 / q
        self.n_directions = self._directions()
        wy = np.stack([np.bincount(part, column) for column in node.weighted.T], axis=1)
        if node.is_entropy:
            self.within = float(entropy(wy, w).sum())
        else:
            self.within = node.impurity - float((wy**2 / w[:, None]).sum())

    def _directions(self) -> float:
        if not self.node.problem.n_classes or self.node.is_pure:
            return 1.0
        covariance = np.diag(self.node.value) - np.outer(self.node.value, self.node.value)
        return float(np.trace(covariance) ** 2 / np.trace(covariance @ covariance))

    @property
    def deviation(self) -> float:
        """Of the share that levels hold by chance."""
        by_chance = self.between / self.all
        n = (self.n_effective + 1) * self.n_directions
        return float(np.sqrt(2 * by_chance * (1 - by_chance) / n))

    @property
    def trust(self) -> float:
        if not 1 < self.n_levels < len(self.node.rows) or self.node.impurity <= 0:
            return 0.0
        by_chance = self.between / self.all
        z = (1 - self.within / self.node.impurity - by_chance) / self.deviation
        return float(1 - (CHANCE / z) ** 2) if z > CHANCE else 0.0

    def price(self, root_trust: float) -> float:
        n_free = 1 if self.n_levels == len(self.node.rows) else FREE_LEVELS
        if root_trust == 1 or self.n_levels <= n_free:
            return 0.0
        doubt = 1 - max(root_trust, self.trust)
        share = self.between / self.all * (self.n_levels - n_free) / (self.n_levels - 1)
        return float(doubt * self.node.impurity * share)


def is_left_larger(goes_left: np.ndarray) -> bool:
    """Whether missing goes left that no row of the node showed: it has at least as many rows."""
    return bool(2 * goes_left.sum() >= len(goes_left))


def entropy(class_weight: np.ndarray, sum_w: np.ndarray) -> np.ndarray:
    """Weighted entropy in nats of each row of class weights."""
    share = np.maximum(class_weight, 0) / sum_w[:, None]
    safe = np.where(share > 0, share, 1.0)
    return -sum_w * (safe * np.log(safe)).sum(axis=1)


def midpoint(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def grow(problem: Problem) -> dict[str, Any]:
    """The whole tree, nodes in breadth-first order, in the layout of the native `Forest.tree`."""
    nodes = [Node(problem, problem.active_rows, 0)]
    splits: list[Split | None] = []
    children: list[tuple[int, int]] = []
    for node in nodes:  # grows while it is walked
        split = node.best_split()
        splits.append(split)
        children.append((len(nodes), len(nodes) + 1) if split else (-1, -1))
        if split:
            for side in (split.goes_left, ~split.goes_left):
                nodes.append(Node(problem, node.rows[side], node.depth + 1))
    return {
        "feature": np.array([s.feature if s else -1 for s in splits]),
        "threshold": np.array([s.threshold if s else np.nan for s in splits]),
        "left_levels": [s.left_levels if s else frozenset() for s in splits],
        "missing_left": np.array([bool(s and s.missing_left) for s in splits]),
        "gain": np.array([s.gain if s else 0.0 for s in splits]),
        "left": np.array([left for left, _ in children]),
        "right": np.array([right for _, right in children]),
        "n_samples": np.array([len(n.rows) for n in nodes]),
        "weight": np.array([n.sum_w for n in nodes]),
        "value": np.array([n.value for n in nodes]),
    }
