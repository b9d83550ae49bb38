"""A slow, plain twin of the grower that keeps rules: max_leaf_nodes, min_impurity_decrease,
ccp_alpha, monotonic_cst, interaction_cst, and all criteria.

Impurities are written out as they are defined, over the rows of both sides of every cut:

    squared_error  Σ w (y − mean)²            gini     W (1 − Σ p²)
    poisson        Σ w y log(y / mean)        entropy  −W Σ p log p
    absolute_error Σ w |y − median|           summed over outputs

What the contract of `cart_twin` says of thresholds, missing values, levels and ties holds here too.
Besides:

- a cut along a monotone column (missing | present is none) counts only if both sides' values are
  within the node's bounds and in the right order; children are bounded by the middle of the two,
  and a leaf's value is moved within its bounds;
- the node of the largest decrease is split first where leaves are limited, the older of equal ones;
- the columns on a path from the root are in one of the sets;
- pruning is Breiman's: while the weakest link g(t) = (R(t) − R(T_t)) / (leaves − 1) is not above
  alpha, it is cut.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from cart_twin import CHANCE, FREE_LEVELS, MAX_CLASS_ORDERS, TIE, Problem, is_left_larger, midpoint
from nested_tree import levels_of


@dataclass(frozen=True)
class Rules:
    max_leaf_nodes: int = 0
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    monotonic_cst: tuple[int, ...] = ()
    interaction_cst: tuple[tuple[int, ...], ...] = ()
    min_samples_split: int = 2


def median(y: np.ndarray, w: np.ndarray) -> float:
    order = np.argsort(y, kind="stable")
    below, half = np.cumsum(w[order]), w.sum() / 2
    first = int(np.argmax(below >= half))
    next_one = min(first + 1, len(y) - 1) if below[first] == half else first
    return float(y[order][first] + y[order][next_one]) / 2


def impurity(problem: Problem, rows: np.ndarray) -> float:
    """Summed over the rows; infinite where it is not defined."""
    y, w = problem.response[rows], problem.weight[rows]
    criterion = problem.settings.criterion
    if criterion == "absolute_error":
        return float(sum(w @ np.abs(c - median(c, w)) for c in y.T))
    mean = w @ y / w.sum()
    if criterion == "poisson":
        if (mean <= 0).any():
            return np.inf
        return float(sum(w[c > 0] @ (c * np.log(np.where(c > 0, c, m) / m))[c > 0]
                         for c, m in zip(y.T, mean, strict=True)))  # fmt: skip
    if criterion == "entropy":
        p = mean[mean > 0]
        return float(-w.sum() * (p * np.log(p)).sum())
    return float((w[:, None] * (y - mean) ** 2).sum())


def unit(problem: Problem) -> float:
    """Of the impurity, as scikit-learn counts it."""
    if problem.n_classes:
        return 1 / np.log(2) if problem.settings.criterion == "entropy" else 1.0
    return 1 / problem.response.shape[1]


def values(problem: Problem, rows: np.ndarray) -> np.ndarray:
    y, w = problem.response[rows], problem.weight[rows]
    if problem.settings.criterion == "absolute_error":
        return np.array([median(column, w) for column in y.T])
    return w @ y / w.sum()


@dataclass
class Cut:
    feature: int
    goes_left: np.ndarray
    threshold: float = np.nan
    missing_left: bool = False
    left_levels: frozenset = frozenset()
    gain: float = -np.inf
    price: float = 0.0
    along: bool = False


@dataclass
class Node:
    problem: Problem
    rules: Rules
    rows: np.ndarray
    depth: int = 0
    path: frozenset = frozenset()
    bounds: tuple[float, float] = (-np.inf, np.inf)
    cut: Cut | None = None
    children: list["Node"] = field(default_factory=list)

    @cached_property
    def impurity(self) -> float:
        return impurity(self.problem, self.rows)

    @cached_property
    def response_value(self) -> float:
        """What constraints are about: the response, or the share of the second class."""
        return float(values(self.problem, self.rows)[1 if self.problem.n_classes else 0])

    @cached_property
    def value(self) -> np.ndarray:
        """What a leaf of these rows says."""
        if not self.rules.monotonic_cst:
            return values(self.problem, self.rows)
        held = float(np.clip(self.response_value, *self.bounds))
        return np.array([1 - held, held] if self.problem.n_classes else [held])

    @property
    def leaves(self) -> list["Node"]:
        return [leaf for c in self.children for leaf in c.leaves] if self.children else [self]

    def allowed(self) -> list[int]:
        features = range(self.problem.X.shape[1])
        if not self.rules.interaction_cst:
            return list(features)
        met = [set(s) for s in self.rules.interaction_cst if self.path <= set(s)]
        return [j for j in features if any(j in s for s in met)]

    def must_stop(self) -> bool:
        s = self.problem.settings
        y = self.problem.response[self.rows]
        return bool(
            (y == y[0]).all()
            or len(self.rows) < max(self.rules.min_samples_split, 2 * s.min_samples_leaf)
            or (s.max_depth and self.depth >= s.max_depth)
        )

    def best_cut(self, trust: list[float]) -> Cut | None:
        found = []
        for j in self.allowed():
            mine = [c for c in self.cuts(j) if self.measure(c)]
            if mine and self.problem.n_levels[j]:
                price = Levels(self.problem, self.rows, j).price(trust[j])
                if price and max(c.gain for c in mine) <= price + TIE * self.impurity:
                    continue
                for c in mine:
                    c.price = price
            found += mine
        if not found:
            return None
        top = max(c.gain - c.price for c in found)
        return next(c for c in found if c.gain - c.price >= top - TIE * self.impurity)

    def measure(self, cut: Cut) -> bool:
        """Sets the gain; whether the cut is allowed."""
        problem, s = self.problem, self.problem.settings
        left, right = self.rows[cut.goes_left], self.rows[~cut.goes_left]
        least = problem.min_weight * (1 - 1e-12)
        if min(len(left), len(right)) < s.min_samples_leaf:
            return False
        if min(problem.weight[left].sum(), problem.weight[right].sum()) < least:
            return False
        cut.gain = self.impurity - impurity(problem, left) - impurity(problem, right)
        if cut.gain == -np.inf:
            return False
        sign = self.rules.monotonic_cst[cut.feature] if self.rules.monotonic_cst else 0
        if not sign or not cut.along:
            return True
        low, high = (Node(problem, self.rules, rows).response_value for rows in (left, right))
        in_bounds = all(self.bounds[0] <= v <= self.bounds[1] for v in (low, high))
        return in_bounds and sign * (low - high) <= 0

    def cuts(self, feature: int) -> list[Cut]:
        x = self.problem.X[self.rows, feature].astype(float)
        if self.problem.n_levels[feature]:
            return self.level_cuts(feature, x)
        gone = np.isnan(x)
        seen = np.unique(x[~gone])
        edges = midpoint(seen[:-1], seen[1:]).tolist() if len(seen) > 1 else []
        cuts = []
        for to_left in (False, True) if gone.any() else (False,):
            for edge in edges:
                goes_left = np.where(gone, to_left, x <= edge)
                side = to_left if gone.any() else is_left_larger(goes_left)
                cuts.append(Cut(feature, goes_left, edge, side, along=True))
            if not to_left and gone.any() and len(seen):
                cuts.append(Cut(feature, ~gone, np.inf, False))
        return cuts

    def level_cuts(self, feature: int, x: np.ndarray) -> list[Cut]:
        n_levels = int(self.problem.n_levels[feature])
        level = np.where(np.isnan(x), n_levels, x).astype(int)
        present = np.unique(level)
        cuts = []
        for k in self.orders():
            keys = [values(self.problem, self.rows[level == c])[k] for c in present]
            order = present[np.argsort(keys, kind="stable")]
            for size in range(1, len(order)):
                left = set(order[:size].tolist())
                goes_left = np.isin(level, list(left))
                missing = n_levels in left if n_levels in present else is_left_larger(goes_left)
                absent = set(range(n_levels)) - set(present.tolist()) if missing else set()
                levels = frozenset((left - {n_levels}) | absent)
                cuts.append(Cut(feature, goes_left, np.nan, missing, levels))
        return cuts

    def orders(self) -> list[int]:
        if self.problem.n_classes == 2:
            return [1]
        if not self.problem.n_classes:
            return list(range(self.problem.response.shape[1]))[:MAX_CLASS_ORDERS]
        share = values(self.problem, self.rows)
        heaviest = np.argsort(-share, kind="stable")[:MAX_CLASS_ORDERS]
        return sorted(int(k) for k in heaviest if share[k] > 0)

    def split(self) -> None:
        for side in (self.cut.goes_left, ~self.cut.goes_left):
            path = self.path | {self.cut.feature}
            child = Node(self.problem, self.rules, self.rows[side], self.depth + 1, path)
            child.bounds = self.bounds
            self.children.append(child)
        sign = self.rules.monotonic_cst[self.cut.feature] if self.rules.monotonic_cst else 0
        if sign and self.cut.along:
            middle = sum(float(np.clip(c.response_value, *self.bounds)) for c in self.children) / 2
            low, high = self.children[::sign]
            low.bounds = (self.bounds[0], middle)
            high.bounds = (middle, self.bounds[1])


class Levels:
    """What a category pays, as `cart_twin.LevelPrice` says it, in the units of any criterion."""

    def __init__(self, problem: Problem, rows: np.ndarray, feature: int) -> None:
        x = problem.X[rows, feature].astype(float)
        level = np.where(np.isnan(x), -1, x)
        self.parts = [rows[level == c] for c in np.unique(level)]
        w = problem.weight[rows]
        self.n_rows, self.total = len(rows), impurity(problem, rows)
        self.within = sum(impurity(problem, part) for part in self.parts)
        q, all_w = (w**2).sum(), w.sum()
        self.e = sum((problem.weight[p] ** 2).sum() / problem.weight[p].sum() for p in self.parts)
        self.e -= q / all_w
        self.all, self.n_effective = all_w - q / all_w, all_w**2 / q
        self.directions = 1.0
        if problem.n_classes and self.total > 0:
            p = values(problem, rows)
            covariance = np.diag(p) - np.outer(p, p)
            self.directions = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)

    @property
    def trust(self) -> float:
        if not 1 < len(self.parts) < self.n_rows or self.total <= 0:
            return 0.0
        r = self.e / self.all
        excess = 1 - self.within / self.total - r
        variance = 2 * r * (1 - r) / ((self.n_effective + 1) * self.directions)
        return max(0.0, 1 - CHANCE**2 * variance / excess**2) if excess > 0 else 0.0

    def price(self, root_trust: float) -> float:
        k = len(self.parts)
        if root_trust == 1 or not (k > FREE_LEVELS or k == self.n_rows):
            return 0.0
        free = 1 if k == self.n_rows else FREE_LEVELS
        doubt = 1 - max(root_trust, self.trust)
        return doubt * self.total / self.all * self.e * (k - free) / (k - 1)


def root_trust(problem: Problem) -> list[float]:
    gone = np.isnan(problem.X.astype(float)).any(axis=0)
    return [
        1.0 if k + gone[j] <= FREE_LEVELS else Levels(problem, problem.active_rows, j).trust
        for j, k in enumerate(problem.n_levels)
    ]


def grow(problem: Problem, rules: Rules) -> Node:
    """The tree of the contract, all columns looked at in every node."""
    root = Node(problem, rules, problem.active_rows)
    per_weight = unit(problem) / problem.weight.sum()
    trust, waiting, n_nodes, n_leaves = root_trust(problem), [], 0, 1
    new = [root]
    while True:
        for node in new:
            cut = None if node.must_stop() else node.best_cut(trust)
            gain = cut.gain - cut.price if cut else 0.0
            if cut and gain * per_weight + 2e-16 >= rules.min_impurity_decrease:
                waiting.append((-gain, n_nodes, node, cut))
            n_nodes += 1
        if not waiting or n_leaves == rules.max_leaf_nodes:
            break
        chosen = min(waiting, key=lambda entry: entry[:2])
        waiting.remove(chosen)
        _, _, node, node.cut = chosen
        node.split()
        new, n_leaves = node.children, n_leaves + 1
    while rules.ccp_alpha > 0 and prune_weakest(root, rules.ccp_alpha, per_weight):
        pass
    return root


def prune_weakest(root: Node, alpha: float, per_weight: float) -> bool:
    inner = [root] if root.children else []
    for node in inner:
        inner += [child for child in node.children if child.children]
    if not inner:
        return False

    def strength(node: Node) -> float:
        below = sum(leaf.impurity for leaf in node.leaves)
        return (node.impurity - below) * per_weight / (len(node.leaves) - 1)

    weakest = min(inner, key=strength)
    if strength(weakest) > alpha:
        return False
    weakest.children = []
    return True


def assert_twin(tree: dict, index: int, node: Node) -> None:
    """Equality of a subtree in every law, threshold and statistic."""
    where = f"node {index}"
    assert tree["n_samples"][index] == len(node.rows), where
    if not node.children:
        assert tree["feature"][index] == -1, where
        slack = 1e-12 * np.abs(node.problem.response).max()
        np.testing.assert_allclose(tree["value"][index], node.value, rtol=1e-10, atol=slack)
        return
    cut = node.cut
    assert tree["feature"][index] == cut.feature, where
    np.testing.assert_array_equal(tree["threshold"][index], cut.threshold)
    assert tree["missing_left"][index] == cut.missing_left, where
    n_levels = int(node.problem.n_levels[cut.feature])
    if n_levels:
        assert levels_of(tree, index, n_levels) == cut.left_levels, where
    assert_twin(tree, tree["left"][index], node.children[0])
    assert_twin(tree, tree["right"][index], node.children[1])
