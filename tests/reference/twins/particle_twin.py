"""Slow, obvious versions of what the particle filter over trees computes.

`evidence_by_leaves` sums over all trees of a tiny data set; `split_table` lists the splits of a
node; `prior_filter` is the whole filter with the prior proposal, on the same random numbers.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from math import exp, lgamma, log, pi

import numpy as np

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix64(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Stream:
    """Counter-based random numbers, as in core/include/bayeswood/random.hpp."""

    def __init__(self, seed, member, purpose):
        key = mix64((seed + GOLDEN) & MASK)
        key = mix64(key ^ mix64((member + 2 * GOLDEN) & MASK))
        self.key = mix64(key ^ mix64((purpose + 3 * GOLDEN) & MASK))
        self.counter = 0

    def next(self):
        self.counter += 1
        return mix64((self.key + self.counter * GOLDEN) & MASK)

    def uniform(self):
        return ((self.next() >> 12) + 0.5) * 2.0**-52

    def below(self, bound):
        return ((self.next() >> 32) * bound) >> 32


@dataclass(frozen=True)
class ClassModel:
    y: tuple
    n_classes: int
    alpha: float | tuple  # the total, or of each class
    copies: tuple = None
    power: float = 1.0

    @property
    def alphas(self):
        if isinstance(self.alpha, tuple):
            return self.alpha
        return (self.alpha / self.n_classes,) * self.n_classes

    def times(self, row):
        return 1 if self.copies is None else self.copies[row]

    def log_marginal(self, rows):
        """Eq. 3."""
        counts = [0] * self.n_classes
        for row in rows:
            counts[self.y[row]] += self.times(row)
        found = lgamma(sum(self.alphas)) - lgamma(sum(self.alphas) + sum(counts))
        found += sum(lgamma(m + a) - lgamma(a) for m, a in zip(counts, self.alphas, strict=True))
        return self.power * found


@dataclass(frozen=True)
class NumberModel:
    y: tuple  # from the prior mean
    strength: float
    shape: float
    scale: float
    copies: tuple = None
    power: float = 1.0

    times = ClassModel.times

    def log_marginal(self, rows):
        values = np.repeat([self.y[r] for r in rows], [self.times(r) for r in rows])
        n, mean = len(values), float(np.mean(values))
        k, a = self.strength + n, self.shape + n / 2
        b = self.scale + ((values - mean) ** 2).sum() / 2 + self.strength * n * mean**2 / (2 * k)
        found = -n / 2 * log(2 * pi) + log(self.strength / k) / 2 + lgamma(a) - lgamma(self.shape)
        return self.power * (found + self.shape * log(self.scale) - a * log(b))


def is_missing(value):
    return value is None or value != value


@dataclass(frozen=True)
class Split:
    feature: int
    low: object  # neighbours of the gap, or the levels that go left and None
    high: object
    missing_left: bool
    base: float  # probability given the feature, under the prior
    left: tuple
    right: tuple


def list_splits(X, levels, rows, feature, empirical=False):
    """All splits of a feature in a node; with a missing value among its rows, in both directions.

    `levels`: number of levels of each feature, 0 for numbers.
    """
    values = {r: X[r][feature] for r in rows}
    missing = [r for r in rows if is_missing(values[r])]
    present = sorted({v for v in values.values() if not is_missing(v)})
    if len(present) < 2:
        return []
    if levels[feature]:
        inner = [set(c) for k in range(1, len(present)) for c in combinations(present, k)]
        sides = [(frozenset(c), None, 1 / len(inner)) for c in inner]
    else:
        gaps = list(pairwise(present))
        extent = present[-1] - present[0]
        sides = [(a, b, 1 / len(gaps) if empirical else (b - a) / extent) for a, b in gaps]
    found = []
    for low, high, base in sides:
        for missing_left in (False, True) if missing else (False,):

            def goes_left(r, low=low, missing_left=missing_left):
                if is_missing(values[r]):
                    return missing_left
                return values[r] in low if isinstance(low, frozenset) else values[r] <= low

            left = tuple(r for r in rows if goes_left(r))
            right = tuple(r for r in rows if not goes_left(r))
            share = base / 2 if missing else base
            found.append(Split(feature, low, high, missing_left, share, left, right))
    return found


def split_table(X, levels, model, rows, *, empirical=False, min_samples_leaf=1):
    """Feature → its lawful splits with their log Bayes factors."""
    table = {}
    whole = model.log_marginal(rows)
    for feature in range(len(levels)):
        splits = list_splits(X, levels, rows, feature, empirical)
        if not splits:
            continue
        table[feature] = [
            (s, model.log_marginal(s.left) + model.log_marginal(s.right) - whole)
            for s in splits
            if min(size(model, s.left), size(model, s.right)) >= min_samples_leaf
        ]
    return table


def size(model, rows):
    return sum(map(model.times, rows))


def evidence_by_leaves(X, levels, model, alpha_split, beta_split, min_samples_leaf=1):
    """Entry k: Σ p(T) p(Y | T) over the trees of k leaves, by recursion over nodes."""
    every = tuple(range(len(X)))
    features = range(len(levels))

    @cache
    def options(rows):
        """Splits with their probabilities, given that the node is split."""
        by_feature = [s for s in (list_splits(X, levels, rows, j) for j in features) if s]
        return [(s, s.base / len(by_feature)) for splits in by_feature for s in splits]

    @cache
    def sums(rows, depth):
        found = np.zeros(len(X) + 1)
        likelihood = exp(model.log_marginal(rows))
        if not options(rows):
            found[1] = likelihood
            return found
        p = alpha_split / (1 + depth) ** beta_split
        found[1] = (1 - p) * likelihood
        for split, share in options(rows):
            if min(size(model, split.left), size(model, split.right)) < min_samples_leaf:
                continue
            both = np.convolve(sums(split.left, depth + 1), sums(split.right, depth + 1))
            found += p * share * both[: len(found)]
        return found

    return sums(every, 0)


# --- the filter ----------------------------------------------------------------------------------


class Particle:
    def __init__(self, rows):
        self.open = [(0, 0, rows)]  # number, depth, rows; in order
        self.n_nodes = 1
        self.cuts = []  # (number, feature, threshold, missing left)

    def copy(self):
        other = Particle(())
        other.open, other.n_nodes, other.cuts = list(self.open), self.n_nodes, list(self.cuts)
        return other


def ancestors_at(weights, points):
    return np.minimum(np.searchsorted(np.cumsum(weights), points, side="right"), len(weights) - 1)


def prior_filter(X, model, settings, seed, island=0):
    """One island with the prior proposal and numeric features: log evidence, ESS, particles."""
    n = settings["n_particles"]
    has_missing = [any(is_missing(row[j]) for row in X) for j in range(len(X[0]))]
    particles = [Particle(tuple(range(len(X)))) for _ in range(n)]
    streams = [Stream(seed, island << 32 | m, 13) for m in range(n)]
    resampling = Stream(seed, island, 14)
    log_weights = np.zeros(n)
    log_evidence = model.log_marginal(range(len(X)))
    trace = []
    while any(p.open for p in particles):
        for m, particle in enumerate(particles):
            n_now = len(particle.open) if settings["layer"] else min(1, len(particle.open))
            todo, particle.open = particle.open[:n_now], particle.open[n_now:]
            for node in todo:
                log_weights[m] += decide(
                    X, model, settings, has_missing, particle, node, streams[m]
                )
        weights = np.exp(log_weights - log_weights.max())
        trace.append(weights.sum() ** 2 / (weights**2).sum())
        if trace[-1] < settings["ess_threshold"] * n and any(p.open for p in particles):
            log_evidence += log_weights.max() + log(weights.mean())
            if settings["resampling"] == "systematic":
                points = (np.arange(n) + resampling.uniform()) / n
            else:
                points = np.sort([resampling.uniform() for _ in range(n)])
            chosen = ancestors_at(weights / weights.sum(), points)
            particles = [particles[a].copy() for a in chosen]
            log_weights[:] = 0
    weights = np.exp(log_weights - log_weights.max())
    log_evidence += log_weights.max() + log(weights.mean())
    return log_evidence, np.array(trace), particles, weights / weights.sum()


def decide(X, model, settings, has_missing, particle, node, stream):
    """Stop or split one node; the log of the factor of the weight."""
    number, depth, rows = node
    seen = {
        j: [X[r][j] for r in rows if not is_missing(X[r][j])] for j in range(len(X[0]))
    }  # fmt: skip
    varying = [j for j in seen if len(set(seen[j])) > 1]
    p = settings["alpha_split"] / (1 + depth) ** settings["beta_split"]
    if not varying or stream.uniform() >= p:
        return 0.0
    feature = varying[stream.below(len(varying))]
    missing_left = bool(stream.next() >> 63) if has_missing[feature] else False
    low, high = min(seen[feature]), max(seen[feature])
    threshold = low + stream.uniform() * (high - low)
    left, right = [], []
    for r in rows:
        goes_left = missing_left if is_missing(X[r][feature]) else X[r][feature] <= threshold
        (left if goes_left else right).append(r)
    if not has_missing[feature]:
        missing_left = len(left) >= len(right)
    particle.cuts.append((number, feature, threshold, missing_left))
    first = particle.n_nodes
    particle.n_nodes += 2
    particle.open += [(first, depth + 1, tuple(left)), (first + 1, depth + 1, tuple(right))]
    return model.log_marginal(left) + model.log_marginal(right) - model.log_marginal(rows)
