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

    @cached_property
    def least(self) -> np.ndarray:
        """Rows and weight that either side of a cut must have."""
        return np.array([max(self.settings.min_samples_leaf, 1), self.min_weight * (1 - 1e-12)])


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
        self.parted: dict[int, Levels] = {}

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

    @cached_property
    def unparted(self) -> float:
        """What a cut has to exceed: nought, but for rounding."""
        return float((self.sum_wy**2).sum() / self.sum_w)

    @cached_property
    def is_pure(self) -> bool:
        return bool((self.response == self.response[0]).all())

    @cached_property
    def row_sums(self) -> np.ndarray:
        """1, the weight and the weighted response of each row: what the sides of cuts add up."""
        return np.column_stack([np.ones(len(self.rows)), self.weight, self.weighted])

    def best_split(self, features: Any = None) -> Split | None:
        """The split of the contract among `features` (all of them unless told)."""
        limit = self.problem.settings.max_depth
        if self.is_pure or (limit and self.depth >= limit):
            return None
        chosen = list(range(self.problem.X.shape[1]) if features is None else features)
        slack = TIE * self.impurity
        candidates = [c for c in self.candidates(chosen) if len(c.gain)]
        candidates = [c for c in candidates if not c.price or c.gain.max() > c.price + slack]
        top = max((c.gain.max() - c.price for c in candidates), default=-np.inf)
        if top == -np.inf:
            return None
        near = [(c, np.flatnonzero(c.gain - c.price >= top - slack)) for c in candidates]
        first = [(c, int(indices[0])) for c, indices in near if len(indices)]
        cuts, index = min(first, key=lambda pair: chosen.index(pair[0].feature_of(pair[1])))
        return cuts.split(index)

    def candidates(self, features: list[int]) -> list["NumericCuts | LevelCuts"]:
        """Of numeric features all in one, of every other one by itself."""
        n_levels = self.problem.n_levels
        numbers = [j for j in features if not n_levels[j]]
        of_levels = [LevelCuts(self, j) for j in features if n_levels[j]]
        return [NumericCuts(self, numbers), *of_levels] if numbers else of_levels

    def levels(self, feature: int) -> "Levels":
        """The rows, parted by the levels of a feature."""
        if feature not in self.parted:
            self.parted[feature] = Levels(self, feature)
        return self.parted[feature]

    def price(self, feature: int) -> float:
        """What the feature pays of its gain."""
        if not self.problem.n_levels[feature]:
            return 0.0
        if feature not in self.prices:
            trust = self.problem.trust[feature]
            self.prices[feature] = LevelPrice(self, feature).price(trust)
        return self.prices[feature]

    def gains(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Decrease of impurity of each way to part the rows; -inf where it is not allowed.

        A side of a cut is a row of sums: of rows, weight and weighted response, added up and never
        subtracted.
        """
        allowed = (np.minimum(left[:, :2], right[:, :2]) >= self.problem.least).all(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.is_entropy:
                gain = self.impurity - sum(entropy(s[:, 2:], s[:, 1]) for s in (left, right))
            else:
                gain = sum((s[:, 2:] ** 2).sum(axis=1) / s[:, 1] for s in (left, right))
                gain = gain - self.unparted
        return np.where(allowed, gain, -np.inf)

    def gain_of(self, goes_left: np.ndarray) -> float:
        left, right = (self.row_sums[side].sum(axis=0) for side in (goes_left, ~goes_left))
        return float(self.gains(left[None], right[None])[0])


def sides(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of groups in order along the first axis: sums up to each but the last, and beyond it."""
    return groups.cumsum(axis=0)[:-1], groups[::-1].cumsum(axis=0)[-2::-1]


class NumericCuts:
    """Every cut of some numeric features, in the order in which ties are won."""

    price = 0.0

    def __init__(self, node: Node, features: list[int]) -> None:
        self.node, self.features = node, features
        self.x = node.problem.X[node.rows[:, None], features].astype(float)
        order = np.argsort(self.x, axis=0, kind="stable")  # missing values are the last
        self.ordered = self.x[order, np.arange(len(features))]
        self.column, self.end = np.nonzero((self.ordered[:-1] < self.ordered[1:]).T)
        self.missing_left = np.zeros(len(self.end), dtype=bool)
        is_missing = np.isnan(self.ordered)
        rows = node.row_sums[order]
        if is_missing.any():
            rows[is_missing] = 0.0
        left, right = (side[self.end, self.column] for side in sides(rows))
        if is_missing.any():
            left, right = self._with_missing(left, right)
        self.gain = node.gains(left, right)

    def _with_missing(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Every cut with missing right, present | missing the last; then with missing left."""
        is_missing = np.isnan(self.x)
        gone, present = (which.astype(float).T @ self.node.row_sums for which in
                         (is_missing, ~is_missing))  # fmt: skip
        both = np.flatnonzero(is_missing.any(axis=0) & ~is_missing.all(axis=0))
        again = np.flatnonzero(is_missing.any(axis=0)[self.column])
        block = np.repeat([0, 1, 2], [len(self.end), len(both), len(again)])
        column = np.concatenate([self.column, both, self.column[again]])
        end = np.concatenate([self.end, np.full(len(both), -1), self.end[again]])
        left = np.concatenate([left, present[both], left[again] + gone[self.column[again]]])
        right = np.concatenate([right + gone[self.column], gone[both], right[again]])
        order = np.lexsort((block, column))
        self.column, self.end, self.missing_left = column[order], end[order], block[order] == 2
        return left[order], right[order]

    def feature_of(self, index: int) -> int:
        return self.features[self.column[index]]

    def threshold(self, index: int) -> float:
        """+inf where present is parted from missing."""
        end, column = self.end[index], self.column[index]
        return float(midpoint(*self.ordered[end : end + 2, column])) if end >= 0 else np.inf

    def split(self, index: int) -> Split:
        x, threshold = self.x[:, self.column[index]], self.threshold(index)
        is_missing, missing_left = np.isnan(x), bool(self.missing_left[index])
        goes_left = np.where(is_missing, missing_left, x <= threshold)
        if not is_missing.any():
            missing_left = is_left_larger(goes_left)
        gain, feature = float(self.gain[index]), self.feature_of(index)
        return Split(feature, threshold, frozenset(), missing_left, gain, goes_left)


class Levels:
    """The rows of a node by the levels of a feature; missing is one more."""

    def __init__(self, node: Node, feature: int) -> None:
        x = node.problem.X[node.rows, feature].astype(float)
        self.n_levels = int(node.problem.n_levels[feature])
        self.level = np.where(np.isnan(x), self.n_levels, x).astype(int)
        n_rows = np.bincount(self.level, minlength=self.n_levels + 1)
        self.present = np.flatnonzero(n_rows)
        self.part = (np.cumsum(n_rows > 0) - 1)[self.level]
        self.sums = self.add_up(node.row_sums)

    def add_up(self, rows: np.ndarray) -> np.ndarray:
        """(n_present, k) sums of (n, k) numbers, level by level."""
        k = rows.shape[1]
        place = (self.part[:, None] * k + np.arange(k)).ravel()
        return np.bincount(place, rows.ravel(), len(self.present) * k).reshape(-1, k)


class LevelCuts:
    """Every prefix of every order of the levels of a categorical feature."""

    def __init__(self, node: Node, feature: int) -> None:
        self.node, self.feature, self.levels = node, feature, node.levels(feature)
        sums = self.levels.sums
        response = node.response[:, self._order_outputs()]
        means = self.levels.add_up(node.weight[:, None] * response) / sums[:, 1:2]
        self.orders = np.argsort(means, axis=0, kind="stable")
        left, right = (
            side.swapaxes(0, 1).reshape(-1, sums.shape[1]) for side in sides(sums[self.orders])
        )
        self.gain = node.gains(left, right)
        self.price = node.price(feature) if len(self.gain) else 0.0

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

    def feature_of(self, index: int) -> int:
        return self.feature

    def split(self, index: int) -> Split:
        present, n_levels = self.levels.present, self.levels.n_levels
        order, size = divmod(index, len(present) - 1)
        left = present[self.orders[: size + 1, order]]
        goes_left = np.isin(self.levels.level, left)
        missing_left = n_levels in left if n_levels in present else is_left_larger(goes_left)
        absent = set(range(n_levels)) - set(present.tolist())
        levels = set(left.tolist()) - {n_levels} | (absent if missing_left else set())
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
        self.node, self.levels = node, node.levels(feature)
        self.n_levels = len(self.levels.present)
        q = (node.weight**2).sum()
        self.of_one_part = q / node.sum_w
        self.all = node.sum_w - self.of_one_part
        self.n_effective = node.sum_w**2 / q

    @cached_property
    def between(self) -> float:
        """e above."""
        q = self.levels.add_up(self.node.weight[:, None] ** 2)[:, 0]
        return float((q / self.levels.sums[:, 1]).sum() - self.of_one_part)

    @cached_property
    def within(self) -> float:
        """The impurity that is left when every level is a part of its own."""
        w, wy = self.levels.sums[:, 1], self.levels.sums[:, 2:]
        if self.node.is_entropy:
            return float(entropy(wy, w).sum())
        return self.node.impurity - float((wy**2 / w[:, None]).sum())

    def _directions(self) -> float:
        if not self.node.problem.n_classes or self.node.is_pure:
            return 1.0
        covariance = np.diag(self.node.value) - np.outer(self.node.value, self.node.value)
        return float(np.trace(covariance) ** 2 / np.trace(covariance @ covariance))

    @property
    def deviation(self) -> float:
        """Of the share that levels hold by chance."""
        by_chance = self.between / self.all
        n = (self.n_effective + 1) * self._directions()
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
