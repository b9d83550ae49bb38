"""Sums of trees by enumeration: a slow, obvious twin of the sampler, for tables of a few rows.

Trees that divide the rows alike are worth the same, so a tree is its partition here: a frozenset of
frozensets of rows. The prior mass of a partition is that of all its trees together.
"""

from functools import cache
from itertools import combinations, product

import numpy as np

MISSING = None


def partitions(columns, categories, alpha, beta, min_leaf=1, shares=None):
    """Prior mass of every partition: {partition: mass}, not normalised under `min_leaf`.

    `columns`: codes of each feature, row by row, MISSING where there is none; codes of numbers
    count from 0 without gaps. `categories`: which features are such. `shares`: of the features.
    """
    n_rows = len(columns[0])
    has_missing = [any(code is MISSING for code in column) for column in columns]
    weight = np.ones(len(columns)) if shares is None else np.asarray(shares)

    def rules(feature, rows):
        """Pairs (probability, the rows that go left)."""
        codes = sorted({columns[feature][i] for i in rows} - {MISSING})
        if categories[feature]:
            sizes = range(1, len(codes))
            lefts = [set(chosen) for size in sizes for chosen in combinations(codes, size)]
        else:
            lefts = [set(range(cut + 1)) for cut in range(codes[0], codes[-1])]
        sides = (False, True) if has_missing[feature] else (False,)
        for left, missing_left in product(lefts, sides):
            goes = frozenset(
                i
                for i in rows
                if (missing_left if columns[feature][i] is MISSING else columns[feature][i] in left)
            )
            yield 1 / (len(lefts) * len(sides)), goes

    def varying(rows):
        present = [{columns[j][i] for i in rows} - {MISSING} for j in range(len(columns))]
        return [j for j, codes in enumerate(present) if len(codes) > 1]

    @cache
    def below(rows, depth):
        features = varying(rows)
        if not features:
            return {frozenset([rows]): 1.0}
        split = alpha * (1 + depth) ** -beta
        found = {frozenset([rows]): 1 - split}
        for feature in features:
            share = split * weight[feature] / weight[features].sum()
            for probability, left in rules(feature, rows):
                right = rows - left
                if len(left) < min_leaf or len(right) < min_leaf:
                    continue
                pairs = product(below(left, depth + 1).items(), below(right, depth + 1).items())
                for (first, p), (second, q) in pairs:
                    both = first | second
                    found[both] = found.get(both, 0.0) + share * probability * p * q
        return found

    return below(frozenset(range(n_rows)), 0)


def membership(partition, n_rows):
    """Which leaf each row is in, as a matrix of ones and zeros, (n_rows, n_leaves)."""
    leaves = sorted(partition, key=min)
    found = np.zeros((n_rows, len(leaves)))
    for column, rows in enumerate(leaves):
        found[list(rows), column] = 1
    return found


def log_normal(y, covariance):
    """Log density of y ~ N(0, covariance)."""
    _, log_det = np.linalg.slogdet(covariance)
    return -0.5 * (len(y) * np.log(2 * np.pi) + log_det + y @ np.linalg.solve(covariance, y))


class SumPosterior:
    """The posterior of a sum of one or two trees with known variances.

    Attributes
    ----------
    log_evidence : float
    mass : dict
        Posterior probability of each tuple of partitions.
    mean : ndarray, (n_rows,)
        Posterior mean of f at the rows.
    """

    def __init__(self, prior, y, leaf_variance, noise, n_trees):
        n = len(y)
        noise = np.broadcast_to(noise, n)
        total = sum(prior.values())
        members = {p: membership(p, n) for p in prior}
        log_mass, means = {}, {}
        for trees in product(prior, repeat=n_trees):
            f = leaf_variance * sum(members[p] @ members[p].T for p in trees)
            covariance = f + np.diag(noise)
            log_prior = sum(np.log(prior[p] / total) for p in trees)
            log_mass[trees] = log_prior + log_normal(y, covariance)
            means[trees] = f @ np.linalg.solve(covariance, y)
        logs = np.array(list(log_mass.values()))
        self.log_evidence = float(np.logaddexp.reduce(logs))
        self.mass = {t: float(np.exp(v - self.log_evidence)) for t, v in log_mass.items()}
        self.mean = sum(self.mass[t] * means[t] for t in self.mass)

    def leaves(self, most):
        """Probability of each number of leaves of the first tree."""
        found = np.zeros(most + 1)
        for trees, mass in self.mass.items():
            found[len(trees[0])] += mass
        return found
