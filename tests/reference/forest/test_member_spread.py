"""Quantiles and moments over members, against NumPy's on all draws at once."""

import numpy as np
import pytest

from bayeswood import _core
from bayeswood.uncertainty import member_quantiles

LEVELS = np.array([0.0, 0.05, 0.3, 0.5, 0.95, 1.0])
N_TREES = 24


@pytest.fixture(params=["classes", "numbers"])
def forest(request, rng):
    X = rng.normal(size=(400, 4))
    encoded = _core.EncodedMatrix(X, np.zeros(4, dtype=np.int32))
    options = {"scheme": "exponential", "seed": 3, "n_trees": N_TREES, "max_features": 2}
    if request.param == "classes":
        y = np.argmax(X[:, :3] + rng.gumbel(size=(400, 3)), axis=1).astype(np.int32)
        made, _ = _core.grow_forest(
            encoded, y, None, criterion="gini", n_classes=3, min_samples_leaf=4, **options
        )
    else:
        y = X[:, :2] + rng.normal(size=(400, 2))
        made, _ = _core.grow_forest(
            encoded, y, None, criterion="squared_error", min_samples_leaf=4, **options
        )
    return X, made


def weights_of(kind, n_members, rng):
    if kind == "equal":
        return np.full(n_members, 1 / n_members)
    weights = rng.random(n_members)
    if kind == "some zero":
        weights[::3] = 0.0
    return weights / weights.sum()


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("kind", ["equal", "unequal", "some zero"])
def test_quantiles_are_those_of_the_draws(forest, kind, size, rng):
    X, made = forest
    weights = weights_of(kind, N_TREES // size, rng)
    found = made.predict_member_quantiles(X, weights, LEVELS, trees_per_member=size)
    draws = made.predict_draws(X, trees_per_member=size)
    np.testing.assert_array_equal(found, member_quantiles(draws, weights, LEVELS))
    threaded = made.predict_member_quantiles(X, weights, LEVELS, 3, size)
    np.testing.assert_array_equal(threaded, found)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("kind", ["equal", "unequal", "some zero"])
def test_moments_are_those_of_the_draws(forest, kind, size, rng):
    X, made = forest
    weights = weights_of(kind, N_TREES // size, rng)
    mean, variance = made.predict_member_moments(X, weights, trees_per_member=size)
    draws = made.predict_draws(X, trees_per_member=size)
    expected = np.tensordot(weights, draws, axes=1)
    np.testing.assert_allclose(mean, expected, rtol=1e-12, atol=1e-14)
    spread = np.tensordot(weights, (draws - expected) ** 2, axes=1)
    np.testing.assert_allclose(variance, spread, rtol=1e-9, atol=1e-13)
    assert (variance >= 0).all()
    threaded = made.predict_member_moments(X, weights, 3, size)
    np.testing.assert_array_equal(threaded[1], variance)


def test_unusable_weights_are_refused(forest):
    X, made = forest
    with pytest.raises(ValueError, match="one per member"):
        made.predict_member_quantiles(X, np.ones(5), LEVELS)
    with pytest.raises(ValueError, match="positive"):
        made.predict_member_moments(X, np.zeros(N_TREES))
