"""The spread of y from the training responses in the leaves."""

import pickle

import numpy as np
import pytest

from bayeswood import _core
from bayeswood.forest import Forest, RowWeights
from bayeswood.uncertainty import Responses
from bayeswood.uncertainty.leaf_responses import grouped_variance

LEVELS = np.array([0.0, 0.1, 0.5, 0.9, 1.0])


def mixture(forest, responses, row):
    """Weights of the training rows in the mixture of the row's leaves, the slow way."""
    arrays = forest.to_arrays()
    ends = np.cumsum(arrays["leaf_n_samples"])
    rows_of_leaf = np.split(arrays["leaf_rows"], ends[:-1])
    mass = np.zeros(len(responses.y))
    first_leaf = 0
    for tree_idx, node in enumerate(forest.apply(row[None])[0]):
        leaves = np.flatnonzero(forest.trees[tree_idx].feature == -1)
        rows = rows_of_leaf[first_leaf + np.searchsorted(leaves, node)]
        weights = responses.tree_weights(tree_idx)[rows]
        mass[rows] += forest.weights[tree_idx] * weights / weights.sum()
        first_leaf += len(leaves)
    return mass


@pytest.fixture(params=["exponential", "bootstrap"])
def grown(request, rng):
    """A small forest of two responses with weights, and its responses."""
    X = rng.uniform(size=(60, 3))
    y = np.c_[X[:, 0] + rng.normal(size=60), rng.exponential(size=60)]
    weight = rng.uniform(0.5, 2.0, size=60)
    encoded = _core.EncodedMatrix(X, np.zeros(3, np.int32))
    core, _ = _core.grow_forest(
        encoded,
        y,
        weight,
        criterion="squared_error",
        scheme=request.param,
        seed=7,
        n_trees=6,
        max_features=2,
        min_samples_leaf=5,
        keep_rows=True,
    )
    forest = Forest(core, np.log(np.arange(1.0, 7.0)))
    return forest, Responses(y, weight, RowWeights(request.param, 7)), X


def test_variance_is_the_mean_variance_of_the_leaves(grown):
    forest, responses, X = grown
    found = responses.variance(forest, X)
    draws = forest.draws(X)
    for i in (0, 13, 59):
        mass = mixture(forest, responses, X[i])
        mean = mass @ responses.y
        total = mass @ (responses.y - mean) ** 2
        knowledge = forest.weights @ (draws[:, i] - mean) ** 2
        np.testing.assert_allclose(found[i], total - knowledge, rtol=1e-9)


def test_leaf_means_come_from_the_same_weights(grown):
    forest, responses, X = grown
    for i in (3, 31):
        mass = mixture(forest, responses, X[i])
        np.testing.assert_allclose(mass.sum(), 1.0)
        np.testing.assert_allclose(mass @ responses.y, forest.predict(X[i : i + 1])[0], rtol=1e-9)


def quantiles_of(mass, y, levels):
    """The smallest responses at which the weights reach each level, the slow way."""
    order = np.argsort(y)
    order = order[mass[order] > 0]
    place = np.searchsorted(np.cumsum(mass[order]), levels - 1e-9)
    return y[order[np.minimum(place, len(order) - 1)]]


def test_quantiles_are_those_of_the_mixture(grown):
    forest, responses, X = grown
    found = responses.quantiles(forest, X, LEVELS)
    for i in (0, 25, 44):
        mass = mixture(forest, responses, X[i])
        for output in range(2):
            expected = quantiles_of(mass, responses.y[:, output], LEVELS)
            np.testing.assert_array_equal(found[i, output], expected)


@pytest.mark.parametrize("digits", [1, 12])
def test_quantiles_of_leaves_with_many_rows(rng, digits):
    X = rng.uniform(size=(3000, 2))
    y = np.round(rng.standard_cauchy(size=(3000, 1)), digits)
    encoded = _core.EncodedMatrix(X, np.zeros(2, np.int32))
    core, _ = _core.grow_forest(
        encoded,
        y,
        None,
        criterion="squared_error",
        scheme="exponential",
        seed=3,
        n_trees=8,
        max_features=1,
        min_samples_leaf=70,
        keep_rows=True,
    )
    forest, responses = Forest(core), Responses(y, None, RowWeights("exponential", 3))
    levels = rng.permutation(np.linspace(0, 1, 41))
    found = responses.quantiles(forest, X[:150], levels)
    for i in (0, 63, 64, 149):
        mass = mixture(forest, responses, X[i])
        np.testing.assert_array_equal(found[i, 0], quantiles_of(mass, y[:, 0], levels))


def test_members_of_weight_zero_have_no_say(grown):
    forest, responses, X = grown
    alone = Forest(forest.core, [-np.inf, 0.0, *[-np.inf] * 4])
    found = responses.quantiles(alone, X, np.array([0.0, 1.0]))
    for i in range(len(X)):
        held = responses.y[mixture(alone, responses, X[i]) > 0]
        np.testing.assert_array_equal(found[i, :, 0], held.min(axis=0))
        np.testing.assert_array_equal(found[i, :, 1], held.max(axis=0))


def test_the_cache_is_not_pickled(grown):
    forest, responses, X = grown
    before = responses.variance(forest, X)
    again = pickle.loads(pickle.dumps(responses))
    assert again._variances is None
    np.testing.assert_array_equal(again.variance(forest, X), before)


def test_variance_of_an_empty_group_is_zero():
    y = np.array([[1.0], [3.0]])
    found = grouped_variance(y, np.ones(2), np.array([1, 1]), 3)
    np.testing.assert_array_equal(found, [[0.0], [1.0], [0.0]])
