"""Sums of trees by Metropolis-Hastings, against enumeration of all trees of tiny tables.

Twenty chains give twenty averages; their mean is compared with the exact one in units of its own
standard error, Student with 19 degrees of freedom: beyond 5.5 lies a share of 3e-5, and a test here
looks at 15 numbers at most. What a wrong ratio of a move does is seen in the last tests.
"""

import numpy as np
import pytest
from sum_twin import MISSING, SumPosterior, partitions

from bayeswood import _core

NAN = np.nan
TABLES = {
    "numbers": (np.array([[0, 0], [0, 1], [1, 0], [1, 2], [2, 1], [2, 2], [2, 0.0]]), [0, 0]),
    "category": (np.array([[0, 0], [0, 1], [1, 2], [1, 0], [2, 1], [0, 2.0]]), [0, 3]),
    "missing": (np.array([[0, 0], [NAN, 1], [1, NAN], [1, 1], [2, 0], [NAN, 2.0]]), [0, 3]),
    "many cuts": (np.array([[0], [1], [2], [3], [4], [5.0]]), [0]),
}
Y = np.array([1.2, -0.3, 0.8, -1.1, 0.4, 2.0, -0.7])
LEAF, NOISE, ALPHA, BETA = 0.5, 0.6, 0.9, 0.7
N_CHAINS = 20
FAR = 5.5


def columns_of(X):
    return [[MISSING if np.isnan(v) else int(v) for v in column] for column in X.T]


def prior_of(name, **limits):
    X, n_levels = TABLES[name]
    return partitions(columns_of(X), [n > 0 for n in n_levels], ALPHA, BETA, **limits)


def sample(
    name, n_trees, seed, n_draws=8000, how="mh", moves=(0.25, 0.25, 0.3, 0.2), of=None, **more
):
    """Averages of every chain: shares of numbers of leaves of the first tree, and f at the rows.

    With `of`, what that function says of a chain's forest and the number of rows too.
    """
    X, n_levels = TABLES[name]
    settings = {"offset": np.zeros(1), "unit": np.ones(1), "leaf_sd": np.full(1, LEAF**0.5)}
    noise = np.full(1, NOISE**0.5)
    sampler = _core.sum_sampler(
        X,
        np.array(n_levels, dtype=np.int32),
        Y[: len(X)],
        response="number",
        noise_sd=noise,
        noise_start=noise,
        seed=seed,
        n_chains=N_CHAINS,
        n_trees=n_trees,
        alpha_split=ALPHA,
        beta_split=BETA,
        move_probabilities=np.array(moves),
        **settings,
        **more,
    )
    run = sampler.run(n_regrown=2, n_burn_in=200, n_draws=n_draws, sampler=how)
    leaves, means, others = [], [], []
    for chain in run["chains"]:
        sizes = chain["forest"].n_leaves[::n_trees]
        leaves.append(np.bincount(sizes, minlength=len(X) + 1) / len(sizes))
        means.append(chain["forest"].predict_draws(X, 1, n_trees).mean(axis=0)[:, 0])
        if of is not None:
            others.append(of(chain["forest"], len(X)))
    return (np.array(leaves), np.array(means), *([np.array(others)] if of else []))


def distance(averages, exact):
    """In standard errors; 0 where nothing varies and all is right."""
    error = averages.std(axis=0, ddof=1) / np.sqrt(len(averages))
    apart = averages.mean(axis=0) - exact
    return np.divide(apart, error, out=np.sign(apart) * 99.0, where=error > 0)


def furthest(found, posterior):
    leaves, means = found
    apart = [distance(leaves, posterior.leaves(leaves.shape[1] - 1)),
             distance(means, posterior.mean)]  # fmt: skip
    return np.abs(np.concatenate(apart)).max()


@pytest.mark.parametrize("n_trees", [1, 2])
@pytest.mark.parametrize("name", ["numbers", "category", "missing"])
def test_sums_are_the_posterior(name, n_trees):
    X = TABLES[name][0]
    posterior = SumPosterior(prior_of(name), Y[: len(X)], LEAF, NOISE, n_trees)
    assert furthest(sample(name, n_trees, seed=7), posterior) < FAR
    particles = sample(name, n_trees, seed=7, how="particle-gibbs", n_draws=2000, n_particles=5)
    assert furthest(particles, posterior) < FAR
    # From the root trees are drawn near the posterior's mass, but not from the posterior.
    assert furthest(sample(name, n_trees, 7, 1000, "grow-from-root"), posterior) > 2 * FAR


def test_weights_divide_the_noise():
    weight = np.array([1.0, 2.0, 0.5, 3.0, 1.0, 1.0, 0.2])
    posterior = SumPosterior(prior_of("numbers"), Y, LEAF, NOISE / weight, 1)
    assert furthest(sample("numbers", 1, seed=3, weight=weight), posterior) < FAR
    without = SumPosterior(prior_of("numbers"), Y, LEAF, NOISE, 1)
    assert furthest(sample("numbers", 1, seed=3, weight=weight), without) > 2 * FAR


def test_small_leaves_have_probability_0():
    posterior = SumPosterior(prior_of("numbers", min_leaf=2), Y, LEAF, NOISE, 2)
    for how in ("mh", "particle-gibbs"):
        found = sample("numbers", 2, 5, 4000, how, min_samples_leaf=2)
        assert furthest(found, posterior) < FAR


def test_shares_of_features_are_the_prior_s():
    """Without data, the shares' draws are those of their Dirichlet prior mixed over θ."""
    X, n_levels = TABLES["missing"]
    sampler = _core.sum_sampler(
        X, np.array(n_levels, dtype=np.int32), Y[:6], response="number", offset=np.zeros(1),
        unit=np.ones(1), leaf_sd=np.ones(1), noise_sd=np.full(1, 1e6), noise_start=np.full(1, 1e6),
        seed=1, n_chains=N_CHAINS, n_trees=2, alpha_split=ALPHA, beta_split=BETA, has_shares=True,
        move_probabilities=np.array([0.25, 0.25, 0.3, 0.2]),
    )  # fmt: skip
    run = sampler.run(n_regrown=0, n_burn_in=500, n_draws=4000)
    shares = np.array([chain["shares"].reshape(-1, 2)[:, 0] for chain in run["chains"]])
    x = np.arange(1, 1001) / 1001  # θ/(θ + 2) on the sampler's grid, Beta(1/2, 1)
    theta, weight = 2 * x / (1 - x), x**-0.5
    variance = np.average(0.25 / (theta + 1), weights=weight)
    assert abs(distance(shares.mean(axis=1)[:, None], 0.5)[0]) < FAR
    squares = ((shares - 0.5) ** 2).mean(axis=1)
    assert abs(distance(squares[:, None], variance)[0]) < FAR


@pytest.mark.parametrize(("move", "error"), [(0, 0.3), (1, 0.3), (2, 3.0), (3, 3.0)])
def test_a_wrong_ratio_of_any_move_is_seen(move, error):
    wrong = np.zeros(4)
    wrong[move] = error
    posterior = SumPosterior(prior_of("numbers"), Y, LEAF, NOISE, 1)
    assert furthest(sample("numbers", 1, seed=2, log_ratio_error=wrong), posterior) > 1.5 * FAR


def stump_shares(forest, n_rows):
    """Share of trees with one split and so many rows on its left, for each number."""
    sizes = forest.n_leaves
    first = np.cumsum(sizes) - sizes
    on_left = forest.to_arrays()["leaf_n_samples"][first[sizes == 2]]
    return np.bincount(on_left, minlength=n_rows)[1:] / len(sizes)


def test_steps_to_cuts_near_by_are_exact():
    """At the ends of the range fewer cuts are near: without that ratio they would be too rare."""
    moves = (0.2, 0.2, 0.03, 0.03, 0.54)
    posterior = SumPosterior(prior_of("many cuts"), Y[:6], LEAF, NOISE, 1)
    exact = np.zeros(5)
    for (partition,), mass in posterior.mass.items():
        if len(partition) == 2:
            exact[min(len(rows) for rows in partition if 0 in rows) - 1] += mass
    off = {}
    for error in (0.0, 3.0):
        wrong = np.array([0, 0, 0, 0, error])
        found = sample("many cuts", 1, 11, moves=moves, log_ratio_error=wrong, of=stump_shares)
        off[error] = np.abs(distance(found[2], exact)).max()
        assert (furthest(found[:2], posterior) < FAR) or error
    assert off[0.0] < FAR
    assert off[3.0] > 1.5 * FAR
    two = SumPosterior(prior_of("many cuts"), Y[:6], LEAF, NOISE, 2)
    assert furthest(sample("many cuts", 2, 12, moves=moves), two) < FAR


def test_the_prior_comes_back_without_data():
    """With noise beyond all bounds the posterior of the trees is their prior."""
    X, n_levels = TABLES["missing"]
    prior = prior_of("missing")
    exact = np.zeros(len(X) + 1)
    for partition, mass in prior.items():
        exact[len(partition)] += mass
    sampler = _core.sum_sampler(
        X, np.array(n_levels, dtype=np.int32), Y[:6], response="number", offset=np.zeros(1),
        unit=np.ones(1), leaf_sd=np.ones(1), noise_sd=np.full(1, 1e6), noise_start=np.full(1, 1e6),
        seed=1, n_chains=N_CHAINS, n_trees=3, alpha_split=ALPHA, beta_split=BETA,
        move_probabilities=np.array([0.25, 0.25, 0.3, 0.2]),
    )  # fmt: skip
    run = sampler.run(n_regrown=0, n_burn_in=200, n_draws=4000)
    sizes = [chain["forest"].n_leaves for chain in run["chains"]]
    shares = np.array([np.bincount(n, minlength=len(X) + 1) / len(n) for n in sizes])
    assert np.abs(distance(shares, exact)).max() < FAR
