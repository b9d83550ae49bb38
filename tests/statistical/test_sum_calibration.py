"""Simulation-based calibration of sums of trees (Talts and others 2018).

Parameters are drawn from the prior, data from the parameters, and the rank of the true value among
draws from the posterior is uniform if, and only if, the sampler is right: for σ, for f at a row and
for the number of leaves. χ² over 8 equal bins of 320 ranks; beyond 33 lies a share of 3e-5. The
test after them breaks the sampler, to show that they can fail: a quarter of the ranks see it.
"""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from bayeswood import BARTRegressor, _core

N_ROWS, N_TREES, ALPHA, BETA = 24, 4, 0.8, 1.0
LEAF_SD, LAMBDA, FREEDOM = 0.6, 0.3, 5.0
N_BINS, N_RANKS, N_DRAWS = 8, 320, 63
LIMIT = 33.0


def drawn_tree(X, rows, depth, rng, values):
    """Adds a tree's values to those of its rows; its number of leaves."""
    varying = [j for j in range(X.shape[1]) if np.ptp(X[rows, j]) > 0]
    if not varying or rng.random() >= ALPHA * (1 + depth) ** -BETA:
        values[rows] += LEAF_SD * rng.normal()
        return 1
    feature = rng.choice(varying)
    column = X[rows, feature]
    cut = rng.integers(column.min(), column.max())
    left, right = rows[column <= cut], rows[column > cut]
    return sum(drawn_tree(X, part, depth + 1, rng, values) for part in (left, right))


def ranks_of(sampler, seed, thin, n_ranks=N_RANKS, **more):
    """Ranks of σ, f at the first row and the number of leaves, (n_ranks, 3)."""
    rng = np.random.default_rng(seed)
    ranks = []
    for number in range(n_ranks):
        # Codes without gaps: the cuts of the sampler are those of the prior here.
        X = np.stack([rng.permutation(np.arange(N_ROWS) % k) for k in (6, 3)], axis=1)
        f = np.zeros(N_ROWS)
        leaves = sum(drawn_tree(X, np.arange(N_ROWS), 0, rng, f) for _ in range(N_TREES))
        sigma = np.sqrt(FREEDOM * LAMBDA / rng.chisquare(FREEDOM))
        y = f + sigma * rng.normal(size=N_ROWS)
        one = np.ones(1)
        chains = _core.sum_sampler(
            X.astype(float), np.zeros(2, dtype=np.int32), y, response="number",
            offset=np.zeros(1), unit=one, leaf_sd=LEAF_SD * one, noise_sd=LAMBDA**0.5 * one,
            noise_start=one, noise_freedom=FREEDOM, seed=number, n_chains=1, n_trees=N_TREES,
            alpha_split=ALPHA, beta_split=BETA, n_particles=6,
            move_probabilities=np.array([0.25, 0.25, 0.4, 0.1]), **more,
        )  # fmt: skip
        run = chains.run(
            n_regrown=0, n_burn_in=20 * thin, n_draws=N_DRAWS, thin=thin, sampler=sampler
        )["chains"][0]
        sizes = run["forest"].n_leaves.reshape(N_DRAWS, N_TREES).sum(axis=1)
        fits = run["forest"].predict_draws(X[:1].astype(float), 1, N_TREES)[:, 0, 0]
        noise = run["noise_sd"][20 * thin + thin - 1 :: thin]
        # Numbers of leaves tie: a true value among its equals has a uniform place.
        ties = (sizes == leaves).sum()
        place = (sizes < leaves).sum() + rng.integers(0, ties + 1)
        ranks.append(((noise < sigma).sum(), (fits < f[0]).sum(), place))
    return np.array(ranks)


def chi_square(ranks):
    """Of each column."""
    counts = [np.bincount(r * N_BINS // (N_DRAWS + 1), minlength=N_BINS) for r in ranks.T]
    expected = len(ranks) / N_BINS
    return ((np.array(counts) - expected) ** 2 / expected).sum(axis=1)


@pytest.mark.parametrize(("sampler", "thin"), [("mh", 20), ("particle-gibbs", 3)])
def test_the_truth_has_a_uniform_rank(sampler, thin):
    assert chi_square(ranks_of(sampler, seed=1, thin=thin)).max() < LIMIT


def test_a_wrong_ratio_is_seen():
    wrong = np.array([1.0, 0.0, 0.0, 0.0])
    found = chi_square(ranks_of("mh", seed=1, thin=10, n_ranks=80, log_ratio_error=wrong))
    assert found[2] > 2 * LIMIT


@pytest.mark.filterwarnings("ignore::bayeswood.posterior.MonteCarloWarning")
def test_both_exact_samplers_agree_on_friedmans_function():
    """Means of f at 12 rows from 10 chains each: the difference in its standard errors.

    Student with some 18 degrees of freedom: beyond 5 lies a share of 1e-4, of the largest of 12
    correlated numbers at most ten times that.
    """
    X, y = make_friedman1(n_samples=100, n_features=5, noise=1.0, random_state=0)
    means, noises = [], []
    for sampler, thin in (("mh", 20), ("particle-gibbs", 2)):
        model = BARTRegressor(
            10, n_chains=10, n_burn_in=60 * thin, n_draws=60, thin=thin, sampler=sampler,
            random_state=1,
        )  # fmt: skip
        model.fit(X, y)
        means.append(model.predict_draws(X[:12]).reshape(10, -1, 12).mean(axis=1))
        noises.append(model.noise_sd_.mean(axis=1)[:, None])
    for first, second in (means, noises):
        error = np.sqrt((first.var(axis=0, ddof=1) + second.var(axis=0, ddof=1)) / 10)
        assert np.abs((first.mean(axis=0) - second.mean(axis=0)) / error).max() < 5
