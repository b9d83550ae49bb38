"""Log prior and log likelihood of sampled trees against the slow twin, tree by tree."""

import numpy as np
import pytest
import tree_posterior_twin as twin
from scipy import stats

from bayeswood import _core

MOVES = {
    "schetinin": [0.1, 0.1, 0.1, 0.7, 0.0, 0.0],
    "chipman": [0.25, 0.25, 0.25, 0.0, 0.25, 0.0],
    "shifts": [0.2, 0.2, 0.1, 0.0, 0.0, 0.5],
    "all": [0.2, 0.2, 0.2, 0.2, 0.2, 0.2],
}
NUMBERS = ("center", "unit", "strength", "shape", "scale")


def sample(X, y, n_levels=None, moves="all", **options):
    n_levels = np.zeros(X.shape[1], np.int32) if n_levels is None else n_levels
    copies, power = options.pop("copies", None), options.pop("power", 1.0)
    numbers = options.pop("numbers", None)
    if numbers is None:
        model = _core.class_leaves(y, copies, alpha=np.full(3, 2.0 / 3), power=power)
    else:
        model = _core.number_leaves(y, copies, **numbers, power=power)
    settings = {
        "prior": "chipman",
        "alpha_split": 0.95,
        "beta_split": 0.5,
        "seed": 5,
        "n_chains": 3,
        "n_burn_in": 0,
        "n_draws": 300,
    }
    settings |= {"move_probabilities": np.array(MOVES[moves]), **options}
    return _core.sample_tree_chains(X, n_levels, model, **settings)


def mixed_table(rng, n_rows):
    """Numbers with ties and holes, categories with holes, of few and of many levels."""
    X = rng.normal(size=(n_rows, 5)).round(1)
    X[:, 2] = rng.integers(0, 4, n_rows)
    X[:, 3] = rng.choice([1, 5, 66, 69], n_rows)
    X[rng.uniform(size=(n_rows, 5)) < 0.15] = np.nan
    X[:, 4] = rng.integers(0, 2, n_rows)
    X[:, 2] = np.nan_to_num(X[:, 2])
    return X, np.array([0, 0, 4, 70, 0], np.int32)


def problem_of(X, n_levels, log_marginal, prior):
    return twin.Problem(X, log_marginal, tuple(n_levels), prior)


@pytest.mark.parametrize("prior", ["chipman", "denison", "denison-node"])
@pytest.mark.parametrize("moves", MOVES)
def test_trees_of_classes_have_the_twin_s_posterior(rng, prior, moves):
    X, n_levels = mixed_table(rng, 40)
    y = rng.integers(0, 3, 40).astype(np.int32)
    found = sample(X, y, n_levels, moves, prior=prior, power=0.7)
    problem = problem_of(X, n_levels, twin.class_leaf(y, 3, 2.0), prior)
    compare(found, problem, 0.7)


@pytest.mark.parametrize("prior", ["chipman", "denison", "denison-node"])
def test_trees_of_numbers_have_the_twin_s_posterior(rng, prior):
    X, n_levels = mixed_table(rng, 40)
    units = rng.integers(-1000, 1000, 40).astype(np.int32)
    center, unit, strength, shape, scale = numbers = [7.0, 0.25, 0.3, 2.0, 500.0]
    options = {"numbers": dict(zip(NUMBERS, numbers, strict=True)), "power": 0.2}
    found = sample(X, units, n_levels, prior=prior, **options)
    leaf = twin.number_leaf(center + unit * units, center, strength, shape, scale)
    problem = problem_of(X, n_levels, leaf, prior)
    compare(found, problem, 0.2)


def compare(found, problem, power):
    trees = {}
    for chain in found["chains"]:
        for number, likelihood, posterior, leaves, depth in zip(
            *(chain[n] for n in ("draw", "log_likelihood", "log_posterior", "n_leaves", "depth")),
            strict=True,
        ):
            trees[int(number)] = (likelihood, posterior, leaves, depth)
    assert len(trees) == found["forest"].n_trees
    assert len(trees) > 50
    chosen = list(trees)[::5]
    for number in chosen:
        tree = found["forest"].tree(number)
        log_prior, log_likelihood = twin.log_prior_and_likelihood(problem, tree)
        likelihood, posterior, leaves, depth = trees[number]
        assert likelihood == pytest.approx(log_likelihood, abs=1e-9)
        assert posterior == pytest.approx(log_prior + power * log_likelihood, abs=1e-9)
        assert found["log_likelihood"][number] == pytest.approx(log_likelihood, abs=1e-9)
        assert leaves == (tree["feature"] < 0).sum()
        assert depth == found["forest"].depths()[number]


def test_leaves_are_the_predictive_of_their_rows(rng):
    X, n_levels = mixed_table(rng, 60)
    y = rng.integers(0, 3, 60).astype(np.int32)
    found = sample(X, y, n_levels)
    node = found["forest"].apply(X)
    for number in range(0, found["forest"].n_trees, 7):
        tree = found["forest"].tree(number)
        for leaf in np.unique(node[:, number]):
            counts = np.bincount(y[node[:, number] == leaf], minlength=3)
            assert tree["n_samples"][leaf] == counts.sum()
            expected = (counts + 2 / 3) / (counts.sum() + 2)
            np.testing.assert_allclose(tree["value"][leaf], expected, rtol=1e-12)


def test_a_leaf_of_numbers_is_its_integral():
    """∫∫ Π N(y; μ, σ²) N(μ; μ0, σ²/κ) IG(σ²; a, b) dμ dσ², on a fine grid."""
    units = np.array([4, -3, 9], np.int32)
    center, unit, strength, shape, scale = numbers = [2.0, 0.5, 0.3, 2.0, 1.5]
    leaves = dict(zip(NUMBERS, numbers, strict=True))
    X = np.arange(3.0)[:, None]
    found = sample(X, units, numbers=leaves, max_leaves=1, n_draws=1)
    y = center + unit * units

    mu = np.linspace(-150, 150, 3001)[:, None]
    variance = np.exp(np.linspace(-6, 14, 1001))  # the measure of log σ² has a factor σ²
    density = stats.norm.pdf(mu, center, np.sqrt(variance / strength))
    for response in y:
        density = density * stats.norm.pdf(response, mu, np.sqrt(variance))
    density = density * stats.invgamma.pdf(variance, shape, scale=scale) * variance
    whole = density.sum() * (mu[1, 0] - mu[0, 0]) * np.log(variance[1] / variance[0])
    assert found["chains"][0]["log_likelihood"][0] == pytest.approx(np.log(whole), abs=1e-6)


@pytest.mark.parametrize("prior", ["chipman", "denison", "denison-node"])
def test_copies_are_repeated_rows(rng, prior):
    X, n_levels = mixed_table(rng, 30)
    y = rng.integers(0, 3, 30).astype(np.int32)
    copies = rng.integers(1, 5, 30).astype(np.int32)
    order = rng.permutation(np.repeat(np.arange(30), copies))
    options = {"prior": prior, "min_samples_leaf": 3}
    first = sample(X, y, n_levels, copies=copies, **options)
    second = sample(X[order], y[order], n_levels, **options)
    for one, other in zip(first["chains"], second["chains"], strict=True):
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])
    one, other = first["forest"].to_arrays(), second["forest"].to_arrays()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])


@pytest.mark.parametrize("prior", ["chipman", "denison", "denison-node"])
def test_restrictions_hold_in_every_tree(rng, prior):
    X, n_levels = mixed_table(rng, 60)
    y = rng.integers(0, 3, 60).astype(np.int32)
    limits = {"min_samples_leaf": 5, "max_leaves": 4}
    found = sample(X, y, n_levels, prior=prior, power=0.0, n_draws=1500, **limits)
    leaves = found["forest"].to_arrays()["leaf_n_samples"]
    assert leaves.min() == 5
    assert found["forest"].n_leaves.max() == 4


def test_growth_is_restricted_at_first(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(np.int32) + (X[:, 1] > 0)
    found = sample(X, y, growth_leaves=3, growth_iterations=150)
    leaves = np.stack([chain["n_leaves"] for chain in found["chains"]])
    assert leaves[:, :150].max() == 3
    assert leaves[:, 150:].max() > 4


def test_equal_classes_of_trees_have_one_key_and_mass(rng):
    """The mass of a class is the integral of its trees' density over their gaps."""
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    y = np.array([0, 1, 1, 2], np.int32)
    found = sample(X, y, n_draws=4000)
    by_key = {}
    for number in range(found["forest"].n_trees):
        tree = found["forest"].tree(number)
        inner = tree["feature"] >= 0
        gaps = tuple(np.searchsorted(X[:, 0], tree["threshold"][inner], side="right"))
        shape = (tuple(inner), gaps)
        length = np.prod([np.diff(X[:, 0])[gap - 1] for gap in gaps])
        mass = np.exp(found["log_posterior"][number]) * length
        assert np.exp(found["log_mass"][number]) == pytest.approx(mass, rel=1e-9)
        assert by_key.setdefault(int(found["mass_key"][number]), shape) == shape
    assert len(by_key) == len(set(by_key.values())) == 15
    # All classes were visited: their masses are the evidence.
    keys, first = np.unique(found["mass_key"], return_index=True)
    problem = twin.Problem(X, twin.class_leaf(y, 3, 2.0))
    total = np.exp(found["log_mass"][first]).sum()
    assert np.log(total) == pytest.approx(twin.log_evidence(problem), abs=1e-9)
    assert len(keys) == 15
