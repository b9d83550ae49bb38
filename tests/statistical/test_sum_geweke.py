"""The joint distribution of parameters and data, drawn in two ways (Geweke 2004).

One way draws parameters from the prior and data from the parameters. The other goes on from the
last data: a sweep of the sampler, then new data from the parameters. If, and only if, sweeps leave
the posterior as it is, both have the same moments: of σ, f, the number of leaves, and products of
these with the data. Twenty chains give twenty averages, so that their standard error knows of
autocorrelation; the difference in standard errors is Student with 19 degrees of freedom or more:
beyond 5.5 lies a share of 3e-5, and a test here looks at 14 numbers at most. Wrong samplers at the
end show that the others can fail.

Reference: J. Geweke, *Getting it right: joint distribution tests of posterior simulators*, JASA 99,
2004.
"""

from functools import cache
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import ndtr
from sum_twin import MISSING, membership, partitions

from bayeswood import _core

NAN = np.nan
# A number and a category, both with missing values.
X = np.array([[0, 0], [NAN, 1], [1, NAN], [1, 1], [2, 0], [NAN, 2.0]])
N_LEVELS = np.array([0, 3], dtype=np.int32)
N_ROWS, N_TREES, ALPHA, BETA = len(X), 3, 0.9, 0.7
LEAF_SD, LAMBDA, FREEDOM = 0.6, 0.5, 8.0
OFFSETS = np.array([-0.3, 0.4, 0.0])
N_VARIANCE = 2
N_CHAINS, N_PRIOR = 20, 200_000
FAR = 5.5
FIRST_SQUARE, LEAVES = 3, 6  # places among the numbers that are compared


@cache
def prior_partitions():
    """Prior mass of every way in which a tree divides the rows, and the leaf of each row."""
    columns = [[MISSING if np.isnan(v) else int(v) for v in column] for column in X.T]
    prior = partitions(columns, N_LEVELS > 0, ALPHA, BETA)
    leaves = np.array([membership(p, N_ROWS).argmax(axis=1) for p in prior])
    return np.array(list(prior.values())), leaves


def drawn_trees(size, n_trees, values, rng):
    """Sums at the rows, (size, n_rows), of trees whose leaves have these values; their leaves."""
    mass, leaves = prior_partitions()
    total, n_leaves = np.zeros((size, N_ROWS)), np.zeros(size)
    for _ in range(n_trees):
        which = leaves[rng.choice(len(mass), size, p=mass / mass.sum())]
        total += np.take_along_axis(values((size, N_ROWS), rng), which, axis=1)
        n_leaves += which.max(axis=1) + 1
    return total, n_leaves


def drawn_sums(size, rng):
    return drawn_trees(size, N_TREES, lambda shape, r: LEAF_SD * r.normal(size=shape), rng)


class Numbers:
    """y ~ N(f, σ²); the sums of one sampler are its chains."""

    n_samplers = 1
    settings: ClassVar = {"response": "number", "noise_freedom": FREEDOM}
    lambdas, offset = np.full(N_CHAINS, LAMBDA**0.5), np.zeros(N_CHAINS)

    def prior(self, size, rng):
        f, n_leaves = drawn_sums(size, rng)
        sd = np.sqrt(FREEDOM * LAMBDA / rng.chisquare(FREEDOM, size))[:, None]
        return f, n_leaves, sd

    def state(self, chain):
        """f and σ, one row for each chain, and leaves of each."""
        f = chain["forest"].predict_draws(X, 1, N_CHAINS * N_TREES)[0].T
        n_leaves = chain["forest"].n_leaves.reshape(N_CHAINS, N_TREES).sum(axis=1)
        return f, n_leaves, self.sd(chain)

    def sd(self, chain):
        return chain["noise_sd"][-N_CHAINS:, None]

    def data(self, f, sd, rng):
        return f + sd * rng.normal(size=f.shape)

    def numbers(self, f, n_leaves, sd, y):
        """What is compared, one column each."""
        log_sd, z = np.log(sd[:, 0]), (y - f) / sd
        return np.column_stack([
            log_sd, log_sd**2, f[:, 0], f[:, 0] ** 2, f[:, 0] * f[:, 4], f[:, 5] ** 2,
            n_leaves, n_leaves**2, z[:, 0] ** 2, z[:, 2] * f[:, 2], z[:, 1] * z[:, 3],
            n_leaves * np.abs(z[:, 3]), log_sd * z[:, 5] ** 2, f[:, 3] * z[:, 4],
        ])  # fmt: skip


class VaryingNoise(Numbers):
    """σ² is a product of trees."""

    settings: ClassVar = {**Numbers.settings, "n_variance_trees": N_VARIANCE}

    def prior(self, size, rng):
        f, n_leaves = drawn_sums(size, rng)
        freedom = 2 / (1 - (1 - 2 / FREEDOM) ** (1 / N_VARIANCE))
        scale = freedom * LAMBDA ** (1 / N_VARIANCE)
        log_variance, _ = drawn_trees(
            size, N_VARIANCE, lambda shape, r: np.log(scale / r.chisquare(freedom, shape)), rng
        )
        return f, n_leaves, np.exp(0.5 * log_variance)

    def sd(self, chain):
        trees = N_CHAINS * N_VARIANCE
        return np.exp(0.5 * chain["variance_forest"].predict_draws(X, 1, trees)[0].T)


class TwoClasses:
    """P(y = 1) = Φ(f); a sampler for each chain."""

    n_samplers = N_CHAINS
    settings: ClassVar = {"response": "two-classes"}
    offset, lambdas = OFFSETS[:1], np.ones(1)

    def prior(self, size, rng):
        found = [drawn_sums(size, rng) for _ in self.offset]
        f = np.concatenate([total for total, _ in found], axis=1)
        return f + np.repeat(self.offset, N_ROWS), sum(n for _, n in found), None

    def state(self, chain):
        """Sum after sum."""
        n_trees = N_TREES * len(self.offset)
        f = chain["forest"].predict_draws(X, 1, n_trees)[0][:, -len(self.offset) :]
        return f.T.reshape(1, -1), chain["forest"].n_leaves.sum(keepdims=True), None

    def data(self, f, sd, rng):
        return (rng.random(f.shape) < ndtr(f)).astype(float)

    def numbers(self, f, n_leaves, sd, y):
        right = y - ndtr(f)
        return np.column_stack([
            f[:, 0], f[:, 0] ** 2, f[:, 0] * f[:, 4], f[:, 5] ** 2, n_leaves, n_leaves**2,
            right[:, 0], right[:, 1] * f[:, 1], right[:, 2] * right[:, 3], n_leaves * right[:, 4],
        ])  # fmt: skip


class Classes(TwoClasses):
    """P(y = k) in proportion to exp f_k, three of them."""

    settings: ClassVar = {"response": "classes"}
    offset, lambdas = OFFSETS, np.ones(3)

    def p(self, f):
        odds = np.exp(f.reshape(len(f), 3, N_ROWS))
        return odds / odds.sum(axis=1, keepdims=True)

    def data(self, f, sd, rng):
        steps = self.p(f).cumsum(axis=1)
        return (rng.random((len(f), 1, N_ROWS)) > steps[:, :2]).sum(axis=1).astype(float)

    def numbers(self, f, n_leaves, sd, y):
        right = (y == 1) - self.p(f)[:, 1]
        g = f.reshape(len(f), 3, N_ROWS)
        return np.column_stack([
            g[:, 0, 0], g[:, 0, 0] ** 2, g[:, 1, 0] * g[:, 1, 4], g[:, 0, 3] * g[:, 2, 3],
            g[:, 2, 5] ** 2, n_leaves, n_leaves**2, right[:, 0], right[:, 1] * g[:, 1, 1],
            right[:, 2] * g[:, 0, 2], right[:, 3] * right[:, 4], n_leaves * right[:, 5],
        ])  # fmt: skip


def start(model, number, wrong):
    """A sampler whose data are to come."""
    ones, n_sums = np.ones(len(model.offset)), len(model.offset)
    n_responses = n_sums if model.settings["response"] == "number" else 1
    settings = {
        "offset": model.offset, "leaf_sd": LEAF_SD * ones, "noise_sd": model.lambdas,
        "n_particles": 5, **model.settings, **wrong,
    }  # fmt: skip
    return _core.sum_sampler(
        X, N_LEVELS, np.zeros(n_responses * N_ROWS), unit=ones, noise_start=model.lambdas,
        seed=number, n_chains=1, n_trees=N_TREES, alpha_split=ALPHA, beta_split=BETA,
        move_probabilities=np.array([0.25, 0.25, 0.3, 0.2]), **settings,
    )  # fmt: skip


def chain_averages(model, how, n_sweeps, rng, wrong):
    """Averages of every chain of sweeps and data, (N_CHAINS, n_numbers)."""
    averages = []
    for number in range(model.n_samplers):
        sampler = start(model, number, wrong)
        f, _, sd = model.prior(N_CHAINS // model.n_samplers, rng)
        visited = []
        for _ in range(n_sweeps):
            y = model.data(f, sd, rng)
            sampler.replace_responses(y.ravel())
            run = sampler.run(n_regrown=0, n_burn_in=0, n_draws=1, sampler=how)
            f, n_leaves, sd = model.state(run["chains"][0])
            visited.append((f, n_leaves, sd, y))
        # The first tenth is left out: trees begin as single leaves.
        averages.append(mean_numbers(model, visited[n_sweeps // 10 :]))
    return np.concatenate(averages)


def mean_numbers(model, visited):
    """Averages over sweeps, for each of the sampler's chains."""
    f, n_leaves, sd, y = (
        None if part[0] is None else np.concatenate(part) for part in zip(*visited, strict=True)
    )
    numbers = model.numbers(f, n_leaves, sd, y)
    return numbers.reshape(len(visited), -1, numbers.shape[1]).mean(axis=0)


def distances(model, how, n_sweeps, rng, **wrong):
    """Differences of both ways, in standard errors."""
    f, n_leaves, sd = model.prior(N_PRIOR, rng)
    first = model.numbers(f, n_leaves, sd, model.data(f, sd, rng))
    second = chain_averages(model, how, n_sweeps, rng, wrong)
    error = np.sqrt(first.var(axis=0) / len(first) + second.var(axis=0, ddof=1) / len(second))
    return (second.mean(axis=0) - first.mean(axis=0)) / error


MODELS = {
    "numbers": Numbers(),
    "noise that varies": VaryingNoise(),
    "two classes": TwoClasses(),
    "classes": Classes(),
}


@pytest.mark.parametrize(
    ("name", "how", "n_sweeps"),
    [
        ("numbers", "mh", 5000),
        ("numbers", "particle-gibbs", 1500),
        ("noise that varies", "mh", 3000),
        ("noise that varies", "particle-gibbs", 800),
        ("two classes", "mh", 700),
        ("two classes", "particle-gibbs", 500),
        ("classes", "mh", 500),
        ("classes", "particle-gibbs", 300),
    ],
)
def test_both_ways_have_the_same_moments(name, how, n_sweeps, rng):
    assert np.abs(distances(MODELS[name], how, n_sweeps, rng)).max() < FAR


def test_trees_from_the_root_are_off(rng):
    """By 10 standard errors and more of this many sweeps: their trees are too small."""
    found = distances(MODELS["numbers"], "grow-from-root", 3000, rng)
    assert np.abs(found).max() > 1.5 * FAR
    assert found[LEAVES] < -1.5 * FAR


def test_a_wrong_ratio_is_seen(rng):
    wrong = np.array([0.3, 0.0, 0.0, 0.0])
    found = distances(MODELS["numbers"], "mh", 1500, rng, log_ratio_error=wrong)
    assert found[LEAVES] > 2 * FAR


def test_another_prior_of_the_leaves_is_seen(rng):
    """Particles that take leaves for a quarter wider than they are: E f² is too large."""
    wide = np.full(N_CHAINS, 1.25 * LEAF_SD)
    found = distances(MODELS["numbers"], "particle-gibbs", 800, rng, leaf_sd=wide)
    assert found[FIRST_SQUARE] > 2 * FAR
