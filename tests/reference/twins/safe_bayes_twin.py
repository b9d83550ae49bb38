"""A slow, plain Python twin of the safe-Bayesian forest.

Trees are nested: None is a leaf, `Split(feature, rule, left, right)` an inner node whose rule is a
cut (`x <= cut` goes left) or a set of levels (those in it go left); a missing value goes where the
split says. The twin keeps no counts and no running sums: whatever is asked of a node is computed
anew from the responses of the rows in it, and leaving a row out means to do without it.

Model -> what is computed, with the equations of Quadrianto and Ghahramani (2015):

- a leaf model gives `log_marginal(y)` and `predictive(y)`: Dirichlet-multinomial (eqs 3 and 7) or
  normal-inverse-gamma (a Student t);
- one tree as it stands, or averaged over all its prunings, where each inner node is a leaf with
  probability 1/2: W(leaf) = ML(leaf), W(v) = ML(v) / 2 + W(left) W(right) / 2;
- the forest: weights proportional to (marginal likelihood)^beta (eq. 6 with its normaliser), pooled
  linearly, or by evidence: log p(c) = log pi_c + gamma sum_k w_k log(p_k(c) / pi_c) - log Z.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace
from math import lgamma, log, pi
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import t as student_t

LOG_HALF = log(0.5)
LOG_GAMMA_SD = 2.0


class Split(NamedTuple):
    feature: int
    rule: Any  # a number, or a set of level numbers
    left: "Split | None"
    right: "Split | None"
    missing_left: bool = False


Tree = Split | None


def nested(tree: Any) -> Tree:
    """A tree from nested sequences (feature, rule, left, right[, missing_left])."""
    if tree is None:
        return None
    feature, rule, left, right, *missing_left = tree
    return Split(feature, rule, nested(left), nested(right), *missing_left)


def goes_left(split: Split, x: Sequence[float]) -> bool:
    value = x[split.feature]
    if value is None or np.isnan(value):
        return split.missing_left
    if isinstance(split.rule, set | frozenset):
        return int(value) in split.rule
    return bool(value <= split.rule)


def sides(split: Split, X: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    left = np.array([goes_left(split, X[i]) for i in rows], dtype=bool)
    return rows[left], rows[~left]


# --- the prior over trees -----------------------------------------------------------------------


def draw_shape(split_probability: float, rng: np.random.Generator, max_leaves: int) -> list[int]:
    """A code of 1s (inner) and 0s (leaves), depth first from the 1 of the root.

    Once splits enough for `max_leaves` leaves are drawn, the rest are leaves.
    """
    code, n_open, n_splits = [1], 2, 1
    uniform: list[float] = []
    while n_open:
        uniform = uniform or rng.random(16).tolist()
        splits = n_splits + 1 < max_leaves and uniform.pop() < split_probability
        code.append(int(splits))
        n_splits += splits
        n_open += 1 if splits else -1
    return code


def fill_rules(code: Sequence[int], n_features: int, rng: np.random.Generator) -> Tree:
    """A tree of the given shape with feature and cut of each split uniform (eqs 1 and 2)."""
    features = rng.integers(n_features, size=sum(code))
    return with_rules(code, features, rng.random(sum(code)))


def with_rules(code: Sequence[int], features: np.ndarray, cuts: np.ndarray) -> Tree:
    """A tree of the given shape whose splits, in the order of the code, have these rules."""
    finished: list[Tree] = []
    features, cuts = features.tolist(), cuts.tolist()
    for is_inner in reversed(code):  # children stand right of their parent
        if is_inner:
            left, right = finished.pop(), finished.pop()
            finished.append(Split(features.pop(), cuts.pop(), left, right))
        else:
            finished.append(None)
    (tree,) = finished
    return tree


def draw_full_tree(
    depth: int, n_features: int, rng: np.random.Generator, block: Any = None
) -> Tree:
    """All leaves at `depth`; feature uniform, cut uniform within the block of the node."""
    if depth == 0:
        return None
    block = block or [(0.0, 1.0)] * n_features
    feature = int(rng.integers(n_features))
    low, high = block[feature]
    cut = rng.uniform(low, high)
    left, right = list(block), list(block)
    left[feature], right[feature] = (low, cut), (cut, high)
    return Split(
        feature,
        cut,
        draw_full_tree(depth - 1, n_features, rng, left),
        draw_full_tree(depth - 1, n_features, rng, right),
    )


def n_leaves(tree: Tree) -> int:
    return 1 if tree is None else n_leaves(tree.left) + n_leaves(tree.right)


def mid_rank_pit(train: np.ndarray, x: np.ndarray) -> np.ndarray:
    """One column's place in the training column: rank / (N + 1), ties at their mean rank.

    A value that the training column lacks lies half-way between its neighbours' ranks.
    """
    below = (train[None, :] < x[:, None]).sum(axis=1)
    equal = (train[None, :] == x[:, None]).sum(axis=1)
    return (below + (equal + 1) / 2) / (len(train) + 1)


# --- leaf models --------------------------------------------------------------------------------


@dataclass(frozen=True)
class DirichletMultinomial:
    """Class counts under a Dirichlet prior; `alpha` has one concentration per class."""

    alpha: tuple[float, ...]

    @classmethod
    def symmetric(cls, n_classes: int, alpha: float | None = None) -> "DirichletMultinomial":
        return cls((1 / n_classes if alpha is None else alpha,) * n_classes)

    def counts(self, y: np.ndarray) -> list[int]:
        return [int(np.sum(y == c)) for c in range(len(self.alpha))]

    def log_marginal(self, y: np.ndarray) -> float:
        """Equation (3), one factor."""
        result = lgamma(sum(self.alpha)) - lgamma(len(y) + sum(self.alpha))
        for m, a in zip(self.counts(y), self.alpha, strict=True):
            result += lgamma(m + a) - lgamma(a)
        return result

    def predictive(self, y: np.ndarray) -> np.ndarray:
        """Equation (7)."""
        return (np.array(self.counts(y)) + self.alpha) / (len(y) + sum(self.alpha))


@dataclass(frozen=True)
class StudentMixture:
    """Weights, degrees of freedom, locations and scales of a mixture of Student t."""

    weight: np.ndarray
    df: np.ndarray
    loc: np.ndarray
    scale: np.ndarray
    __array_ufunc__ = None  # a NumPy number times a mixture is a mixture

    def __add__(self, other: "StudentMixture") -> "StudentMixture":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return StudentMixture(*(np.concatenate(pair) for pair in pairs))

    def __rmul__(self, factor: float) -> "StudentMixture":
        return replace(self, weight=factor * self.weight)

    def mean(self) -> float:
        return float(self.weight @ self.loc)

    def pdf(self, y: float) -> float:
        return float(self.weight @ student_t.pdf(y, self.df, self.loc, self.scale))

    def cdf(self, y: float) -> float:
        return float(self.weight @ student_t.cdf(y, self.df, self.loc, self.scale))


@dataclass(frozen=True)
class NormalInverseGamma:
    """y ~ N(mu, s2), mu ~ N(mean, s2 / n_mean), s2 ~ InverseGamma(shape, rate)."""

    mean: float
    n_mean: float
    shape: float
    rate: float

    def posterior(self, y: np.ndarray) -> "NormalInverseGamma":
        n, n_mean = len(y), self.n_mean + len(y)
        if n == 0:
            return self
        centre = float(np.mean(y))
        rate = self.rate + 0.5 * float(np.sum((y - centre) ** 2))
        rate += 0.5 * self.n_mean * n * (centre - self.mean) ** 2 / n_mean
        mean = (self.n_mean * self.mean + n * centre) / n_mean
        return NormalInverseGamma(mean, n_mean, self.shape + n / 2, rate)

    def log_marginal(self, y: np.ndarray) -> float:
        after = self.posterior(y)
        return (
            lgamma(after.shape)
            - lgamma(self.shape)
            + self.shape * log(self.rate)
            - after.shape * log(after.rate)
            + 0.5 * log(self.n_mean / after.n_mean)
            - 0.5 * len(y) * log(2 * pi)
        )

    def predictive(self, y: np.ndarray) -> StudentMixture:
        """One Student t: 2 shape degrees of freedom, scale^2 = rate (1 + 1/n_mean) / shape."""
        after = self.posterior(y)
        scale = np.sqrt(after.rate * (1 + 1 / after.n_mean) / after.shape)
        numbers = (1.0, 2 * after.shape, after.mean, scale)
        return StudentMixture(*(np.array([v], dtype=float) for v in numbers))


LeafModel = DirichletMultinomial | NormalInverseGamma


# --- one tree -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grown:
    """A tree with the training rows that lie in it."""

    tree: Tree
    X: np.ndarray
    y: np.ndarray
    leaf_model: LeafModel
    prunes: bool = False
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))

    def children(self) -> "tuple[Grown, Grown]":
        left, right = sides(self.tree, self.X, self.rows)
        return self.at(self.tree.left, left), self.at(self.tree.right, right)

    def at(self, tree: Tree, rows: np.ndarray) -> "Grown":
        return Grown(tree, self.X, self.y, self.leaf_model, self.prunes, rows)

    def log_marginal(self) -> float:
        """Of the node taken as a leaf."""
        return self.leaf_model.log_marginal(self.y[self.rows])

    def log_evidence(self) -> float:
        """Equation (3) over the leaves below, or W(v) if prunings are averaged."""
        if self.tree is None or not len(self.rows):  # a subtree without rows has evidence 1
            return self.log_marginal()
        left, right = self.children()
        split = left.log_evidence() + right.log_evidence()
        if not self.prunes:
            return split
        return float(np.logaddexp(LOG_HALF + self.log_marginal(), LOG_HALF + split))

    def predictive(self, x: Sequence[float]) -> Any:
        """Equation (7) in the leaf of x, or P_v averaged over the prunings along its path."""
        if self.tree is None:
            return self.leaf_model.predictive(self.y[self.rows])
        child = self.children()[0 if goes_left(self.tree, x) else 1]
        if not self.prunes:
            return child.predictive(x)
        here = self.leaf_model.predictive(self.y[self.rows])
        stop = float(np.exp(LOG_HALF + self.log_marginal() - self.log_evidence()))
        return stop * here + (1 - stop) * child.predictive(x)


# --- the forest ---------------------------------------------------------------------------------


def power_weights(log_evidences: Sequence[float], power: float) -> np.ndarray:
    """w_k^beta / sum of w^beta."""
    logs = power * np.asarray(log_evidences, dtype=float)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


@dataclass(frozen=True)
class Twin:
    """Given trees over given rows. `X` is on the scale of the trees' cuts."""

    trees: Sequence[Tree]
    X: np.ndarray
    y: np.ndarray
    leaf_model: LeafModel
    power: float
    prunes: bool = False

    def members(self) -> list[Grown]:
        rows = np.arange(len(self.y))
        return [
            Grown(tree, self.X, self.y, self.leaf_model, self.prunes, rows) for tree in self.trees
        ]

    def log_evidences(self) -> np.ndarray:
        return np.array([member.log_evidence() for member in self.members()])

    def weights(self) -> np.ndarray:
        return power_weights(self.log_evidences(), self.power)

    def draws(self, x: Sequence[float]) -> list[Any]:
        return [member.predictive(x) for member in self.members()]

    def linear(self, x: Sequence[float]) -> Any:
        """Equation (6): the weighted mean of the trees' predictives."""
        first, *others = [w * p for w, p in zip(self.weights(), self.draws(x), strict=True)]
        for other in others:
            first = first + other
        return first

    def best_tree(self) -> int:
        return int(np.argmax(self.log_evidences()))

    def base_rates(self) -> np.ndarray:
        """pi_c = (n_c + alpha) / (N + C alpha)."""
        return self.leaf_model.predictive(self.y)

    def log_ratios(self, x: Sequence[float]) -> np.ndarray:
        """sum_k w_k log(p_k(c | x) / pi_c), the direction that gamma stretches."""
        log_pi = np.log(self.base_rates())
        draws = np.log(self.draws(x)) - log_pi
        return self.weights() @ draws

    def evidence(self, x: Sequence[float], gamma: float) -> np.ndarray:
        return pooled(np.log(self.base_rates()), self.log_ratios(x), gamma)

    def without(self, row: int, power: float | None = None) -> "Twin":
        """The twin that never saw a row; the power stays unless another is given."""
        kept = np.arange(len(self.y)) != row
        power = self.power if power is None else power
        return Twin(self.trees, self.X[kept], self.y[kept], self.leaf_model, power, self.prunes)

    def loo_linear(self) -> list[Any]:
        return [self.without(i).linear(self.X[i]) for i in range(len(self.y))]

    def loo_evidence(self, gamma: float) -> np.ndarray:
        return np.array([self.without(i).evidence(self.X[i], gamma) for i in range(len(self.y))])

    def loo_directions(self, power: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """log pi and the pooled log ratios of each row left out, (n_rows, n_classes) each."""
        left_out = [self.without(i, power) for i in range(len(self.y))]
        log_pi = [np.log(twin.base_rates()) for twin in left_out]
        ratios = [twin.log_ratios(x) for twin, x in zip(left_out, self.X, strict=True)]
        return np.array(log_pi), np.array(ratios)

    def best_gamma(self, power: float | None = None) -> float:
        """Maximises the leave-one-out log likelihood plus the log density of log gamma."""
        log_pi, ratios = self.loo_directions(power)

        def loss(log_gamma: float) -> float:
            return -gamma_objective(log_pi, ratios, self.y, np.exp(log_gamma))

        coarse = np.linspace(-12, 12, 97)
        best = coarse[np.argmin([loss(u) for u in coarse])]
        found = minimize_scalar(
            loss, bounds=(best - 0.25, best + 0.25), method="bounded", options={"xatol": 1e-10}
        )
        return float(np.exp(found.x))


def log_pooled(log_pi: np.ndarray, ratios: np.ndarray, gamma: float) -> np.ndarray:
    logs = log_pi + gamma * ratios
    return logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True)


def pooled(log_pi: np.ndarray, ratios: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(log_pooled(log_pi, ratios, gamma))


def gamma_objective(log_pi: np.ndarray, ratios: np.ndarray, y: np.ndarray, gamma: float) -> float:
    """log gamma ~ N(0, 2^2) as a density of log gamma."""
    log_p = log_pooled(log_pi, ratios, gamma)[np.arange(len(y)), y]
    return float(log_p.sum() - 0.5 * (np.log(gamma) / LOG_GAMMA_SD) ** 2)
