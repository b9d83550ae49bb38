"""Priors and likelihoods of sampled trees, slow and plain: one tree, or all of a tiny problem.

A problem is a table of floats (NaN: missing; categories: level numbers), `n_levels` per column (0
for numbers), and a function from row numbers to the log marginal likelihood of a leaf.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from math import comb, exp, inf, lgamma, log, pi

import numpy as np


def each_alpha(n_classes, alpha):
    """Of each class, where `alpha` is the total or that already."""
    return np.full(n_classes, alpha / n_classes) if np.ndim(alpha) == 0 else np.array(alpha)


def class_leaf(y, n_classes, alpha):
    """Dirichlet-multinomial; `alpha` is the total, or that of each class."""
    alphas = each_alpha(n_classes, alpha)

    def log_marginal(rows):
        counts = [sum(1 for i in rows if y[i] == c) for c in range(n_classes)]
        return (
            lgamma(sum(alphas))
            - lgamma(len(rows) + sum(alphas))
            + sum(lgamma(m + a) - lgamma(a) for m, a in zip(counts, alphas, strict=True))
        )

    return log_marginal


def class_predictive(y, n_classes, alpha):
    alphas = each_alpha(n_classes, alpha)

    def predictive(rows):
        counts = np.array([sum(1 for i in rows if y[i] == c) for c in range(n_classes)])
        return (counts + alphas) / (len(rows) + alphas.sum())

    return predictive


def number_leaf(y, center, strength, shape, scale):
    """Normal-inverse-gamma."""

    def log_marginal(rows):
        values = np.array([y[i] - center for i in rows])
        n, k, a = len(values), strength + len(values), shape + len(values) / 2
        mean = values.mean()
        b = scale + ((values - mean) ** 2).sum() / 2 + strength * n * mean**2 / (2 * k)
        return (
            -n / 2 * log(2 * pi)
            + log(strength / k) / 2
            + shape * log(scale)
            - a * log(b)
            + lgamma(a)
            - lgamma(shape)
        )

    return log_marginal


@dataclass
class Problem:
    X: np.ndarray
    log_marginal: object
    n_levels: tuple = ()
    prior: str = "chipman"  # "denison", "denison-node"
    alpha_split: float = 0.95
    beta_split: float = 0.5
    min_samples_leaf: int = 1
    max_leaves: float = inf
    power: float = 1.0
    predictive: object = None
    X_test: np.ndarray = field(default_factory=lambda: np.empty((0, 1)))
    memo: dict = field(default_factory=dict)

    @cached_property
    def n_features(self):
        return self.X.shape[1]

    @cached_property
    def has_missing(self):
        return np.isnan(self.X).any(axis=0)

    def is_category(self, j):
        return bool(self.n_levels) and self.n_levels[j] > 0

    def values(self, rows, j):
        """Distinct values that are not missing, ascending."""
        return sorted({self.X[i, j] for i in rows if not np.isnan(self.X[i, j])})

    def varying(self, rows):
        return [j for j in range(self.n_features) if len(self.values(rows, j)) > 1]

    def split_probability(self, depth):
        return self.alpha_split * (1 + depth) ** -self.beta_split

    def stop_factor(self, rows, depth):
        if self.prior != "chipman" or not self.varying(rows):
            return 1.0
        return 1 - self.split_probability(depth)

    def node_cuts(self, rows, j):
        """Cuts and sides of missing values that the node may have: "denison-node"."""
        here = self.values(rows, j)
        found = []
        for cut in here[:-1]:
            below = sum(self.X[i, j] <= cut for i in rows)
            n_missing = sum(np.isnan(self.X[i, j]) for i in rows)
            for missing_left in (0, 1) if self.has_missing[j] else (None,):
                left = below + (n_missing if missing_left else 0)
                if min(left, len(rows) - left) >= self.min_samples_leaf:
                    found.append((cut, missing_left))
        return found

    def with_rules(self, rows):
        """Features that have a rule in the node: "denison-node"."""
        return [j for j in self.varying(rows) if self.is_category(j) or self.node_cuts(rows, j)]

    def all_rows(self):
        return tuple(range(len(self.X)))


# --- one tree -----------------------------------------------------------------------------------


def goes_left(tree, node, value, n_levels):
    if np.isnan(value):
        return bool(tree["missing_left"][node])
    offset = tree["category_offset"]
    if len(offset) and offset[node] >= 0:
        word = int(tree["category_words"][offset[node] + int(value) // 64])
        return bool(word >> (int(value) % 64) & 1)
    return value <= tree["threshold"][node]


def log_catalan(n):
    return log(comb(2 * n, n) // (n + 1))


def log_rule(problem, rows, j):
    """Log prior of any rule of feature j that the node may have."""
    coin = log(2) if problem.has_missing[j] else 0.0
    if problem.prior == "denison":
        everywhere = problem.values(problem.all_rows(), j)
        n_rules = len(everywhere) - 1
        if problem.is_category(j):
            n_rules = 2 ** len(everywhere) - 2
        return -log(problem.n_features) - log(n_rules) - coin
    here = problem.values(rows, j)
    if problem.prior == "denison-node":
        n_features = len(problem.with_rules(rows))
        if problem.is_category(j):
            return -log(n_features) - log(2 ** len(here) - 2) - coin
        return -log(n_features) - log(len(problem.node_cuts(rows, j)))
    size = 2 ** len(here) - 2 if problem.is_category(j) else here[-1] - here[0]
    return -log(len(problem.varying(rows))) - log(size) - coin


def log_prior_and_likelihood(problem, tree):
    """Of a tree as `_core.Forest.tree` gives it."""
    log_prior = log_likelihood = 0.0
    leaves = 0
    stack = [(0, problem.all_rows(), 0)]
    while stack:
        node, rows, depth = stack.pop()
        j = int(tree["feature"][node])
        if j < 0:
            leaves += 1
            log_prior += log(problem.stop_factor(rows, depth))
            log_likelihood += problem.log_marginal(rows)
            continue
        if problem.prior == "chipman":
            log_prior += log(problem.split_probability(depth))
        log_prior += log_rule(problem, rows, j)
        left = tuple(i for i in rows if goes_left(tree, node, problem.X[i, j], problem.n_levels))
        right = tuple(i for i in rows if i not in set(left))
        assert left
        assert right
        stack += [(int(tree["left"][node]), left, depth + 1)]
        stack += [(int(tree["right"][node]), right, depth + 1)]
    if problem.prior != "chipman":
        log_prior -= log_catalan(leaves - 1)
    return log_prior, log_likelihood


# --- all trees of a tiny problem ------------------------------------------------------------------


def rules(problem, rows):
    """All ways to divide a node: (feature, prior probability, left rows, right rows, side).

    `side(x)` is the probability that a new value of the feature goes left.
    """
    features = range(problem.n_features)
    if problem.prior == "chipman":
        features = problem.varying(rows)
    if problem.prior == "denison-node":
        features = problem.with_rules(rows)
    for j in features:
        here = problem.values(rows, j)
        everywhere = problem.values(problem.all_rows(), j)
        space = everywhere if problem.prior == "denison" else here
        if len(space) < 2:
            continue
        missing = [i for i in rows if np.isnan(problem.X[i, j])]
        for missing_left in (0, 1) if problem.has_missing[j] else (None,):
            coin = 0.5 if problem.has_missing[j] else 1.0
            lawful = None
            if problem.prior == "denison-node" and not problem.is_category(j):
                cuts = problem.node_cuts(rows, j)
                lawful = [cut for cut, side in cuts if side == missing_left]
                coin = len(lawful) / len(cuts)
            for p, sends_left, side in _cuts(problem, j, space, lawful):
                left = [i for i in rows if i not in missing and sends_left(problem.X[i, j])]
                left += missing if missing_left else []
                right = [i for i in rows if i not in set(left)]
                if not left or not right:
                    continue
                yield (
                    j,
                    p * coin / len(list(features)),
                    tuple(sorted(left)),
                    tuple(right),
                    _with_unseen(side, here, missing_left, len(left) >= len(right), problem, j),
                )


def _cuts(problem, j, space, lawful):
    if problem.is_category(j):
        n_subsets = 2 ** len(space) - 2
        for size in range(1, len(space)):
            for subset in combinations(space, size):
                yield 1 / n_subsets, lambda v, s=subset: v in s, lambda v, s=subset: float(v in s)
        return
    for cut in lawful or ():
        yield 1 / len(lawful), lambda v, t=cut: v <= t, lambda v, t=cut: float(v <= t)
    for low, high in pairwise(space) if lawful is None else ():
        if problem.prior == "denison":
            yield (
                1 / (len(space) - 1),
                lambda v, t=low: v <= t,
                lambda v, t=low: float(v <= t),
            )
        else:
            yield (
                (high - low) / (space[-1] - space[0]),
                lambda v, t=low: v <= t,
                lambda v, a=low, b=high: min(1.0, max(0.0, (b - v) / (b - a))),
            )


def _with_unseen(side, here, missing_left, larger_left, problem, j):
    """Missing values without a drawn side follow the larger child; unseen levels follow them."""
    default = float(larger_left if missing_left is None else missing_left)

    def full_side(value):
        if np.isnan(value) or (problem.is_category(j) and value not in here):
            return default
        return side(value)

    return full_side


def by_leaves(problem, rows, depth=0):
    """{number of leaves: (sum of prior * likelihood^power, the same times predictives)}.

    Predictives at the rows of `problem.X_test`, (n_test, n_outputs). Without the factor of shapes
    of Denison's prior.
    """
    key = (rows, depth if problem.prior == "chipman" else 0)
    if key in problem.memo:
        return problem.memo[key]
    found = {}
    tests = problem.X_test
    if len(rows) >= problem.min_samples_leaf:
        mass = problem.stop_factor(rows, depth) * exp(problem.power * problem.log_marginal(rows))
        value = problem.predictive(rows) if len(tests) else 0.0
        found[1] = (mass, mass * np.tile(value, (len(tests), 1)))
    for j, p, left, right, side in rules(problem, rows):
        if problem.prior == "chipman":
            p *= problem.split_probability(depth)
        go_left = np.array([[side(x[j])] for x in tests]).reshape(-1, 1)
        lefts = by_leaves(problem, left, depth + 1)
        rights = by_leaves(problem, right, depth + 1)
        for k, (left_mass, left_value) in lefts.items():
            for m, (right_mass, right_value) in rights.items():
                if k + m > problem.max_leaves:
                    continue
                value = go_left * left_value * right_mass
                value = value + (1 - go_left) * left_mass * right_value
                before = found.get(k + m, (0.0, 0.0))
                mass = left_mass * right_mass
                found[k + m] = (before[0] + p * mass, before[1] + p * value)
    problem.memo[key] = found
    return found


def shape_factor(problem, k):
    return 1.0 if problem.prior == "chipman" else exp(-log_catalan(k - 1))


def leaf_posterior(problem):
    """{number of leaves: posterior probability}."""
    found = by_leaves(problem, problem.all_rows())
    masses = {k: mass * shape_factor(problem, k) for k, (mass, _) in found.items()}
    return {k: mass / sum(masses.values()) for k, mass in masses.items()}


def log_evidence(problem):
    found = by_leaves(problem, problem.all_rows())
    return log(sum(mass * shape_factor(problem, k) for k, (mass, _) in found.items()))


def predictives(problem):
    """At the rows of `problem.X_test`, (n_test, n_outputs)."""
    found = by_leaves(problem, problem.all_rows())
    values = sum(value * shape_factor(problem, k) for k, (_, value) in found.items())
    return values / exp(log_evidence(problem))


def root_posterior(problem):
    """{feature: posterior probability of the root's split}, -1 for a leaf; Chipman only."""
    rows = problem.all_rows()
    total = exp(log_evidence(problem))
    masses = {}
    stop = problem.stop_factor(rows, 0) * exp(problem.power * problem.log_marginal(rows))
    masses[-1] = stop / total
    for j, p, left, right, _ in rules(problem, rows):
        below = [
            sum(mass for mass, _ in by_leaves(problem, side, 1).values()) for side in (left, right)
        ]
        masses[j] = masses.get(j, 0.0) + p * problem.split_probability(0) * np.prod(below) / total
    return masses
