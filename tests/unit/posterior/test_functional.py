"""Functionals of the members, against all draws at once."""

import numpy as np
import pandas as pd
import pytest

from bayeswood import BayesianForestClassifier, BayesianForestRegressor, posterior_functional
from bayeswood.errors import BayeswoodError
from bayeswood.posterior import Members, Posterior, contrast, members
from bayeswood.uncertainty import member_quantiles


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(200, 3))
    y = 4 * X[:, 0] + rng.normal(size=200)
    return weighted(BayesianForestRegressor(17, min_samples_leaf=3, random_state=0).fit(X, y)), X


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.choice(list("uvw"), size=150)})
    y = np.where(X["a"] > 0, "yes", np.where(X["b"] == "u", "no", "perhaps"))
    return BayesianForestClassifier(12, min_samples_leaf=3, random_state=0).fit(X, y), X


def weighted(model):
    """The same trees with unequal weights, one of them 0."""
    forest = model.forest_
    log_weights = np.linspace(-1, 1, forest.n_trees)
    log_weights[3] = -np.inf
    model.forest_ = type(forest)(forest.core, log_weights, forest.labels)
    return model


def test_functional_of_the_draws(numbers):
    model, X = numbers
    found = posterior_functional(model, np.max, X)
    expected = model.predict_draws(X).max(axis=1)
    np.testing.assert_array_equal(found.draws, expected)
    assert found.mean == pytest.approx(model.member_weights_ @ expected)
    np.testing.assert_array_equal(
        found.interval(0.8),
        member_quantiles(expected, model.member_weights_, np.array([0.1, 0.9])),
    )


def test_functional_of_the_function_is_the_same(numbers, classes):
    for model, X in (numbers, classes):
        by_function = posterior_functional(model, lambda f, X=X: f(X).sum(axis=0))
        by_draws = posterior_functional(model, lambda draw: draw.sum(axis=0), X)
        np.testing.assert_allclose(by_function.draws, by_draws.draws, rtol=1e-12)


def test_members_in_blocks_give_the_same(numbers, monkeypatch):
    model, X = numbers
    whole = posterior_functional(model, np.median, X)
    monkeypatch.setattr(members, "BLOCK_BYTES", 8 * len(X) * 2 + 1)
    sizes = [block.stop - block.start for block in Members(model, "f").blocks(len(X))]
    assert sizes == [2] * 8 + [1]
    np.testing.assert_array_equal(posterior_functional(model, np.median, X).draws, whole.draws)


def test_kept_values_are_copies(numbers):
    model, X = numbers
    found = posterior_functional(model, lambda draw: draw, X)
    np.testing.assert_array_equal(found.draws, model.predict_draws(X))
    assert found.draws.base is None


def test_members_of_weight_0_count_for_nothing(numbers):
    model, X = numbers
    found = posterior_functional(model, np.mean, X)
    others = np.arange(17) != 3
    again = Posterior(found.draws[others], found.weights[others])
    assert found.mean == pytest.approx(again.mean)
    np.testing.assert_array_equal(found.quantiles([0, 0.5, 1]), again.quantiles([0, 0.5, 1]))
    moved = Posterior(np.where(others, found.draws, 1e9), found.weights)
    assert moved.mean == pytest.approx(found.mean)
    assert moved.std == pytest.approx(found.std)


def test_mean_of_a_linear_functional_is_that_of_the_forest(numbers, classes):
    model, X = numbers
    assert posterior_functional(model, np.mean, X).mean == pytest.approx(model.predict(X).mean())
    model, X = classes
    found = posterior_functional(model, lambda p: p.mean(axis=0), X)
    np.testing.assert_allclose(found.mean, model.predict_proba(X).mean(axis=0))


def test_probability_of_a_statement(numbers):
    model, X = numbers
    found = posterior_functional(model, lambda draw: draw[:2], X)
    by_hand = [sum(model.member_weights_[found.draws[:, k] > 1]) for k in range(2)]
    np.testing.assert_allclose(found.probability(lambda t: t > 1), by_hand)


def test_posteriors_introduce_themselves(numbers):
    model, X = numbers
    assert "shape (200,) from 17 members" in repr(posterior_functional(model, np.abs, X))
    assert "90 % in" in repr(posterior_functional(model, np.mean, X))


def test_contrast_is_a_difference_of_draws(numbers, classes):
    model, X = numbers
    found = contrast(model, X[0], X[1])
    draws = model.predict_draws(X[:2])
    np.testing.assert_array_equal(found.draws, draws[:, 1] - draws[:, 0])
    assert contrast(model, list(X[0]), X[1:2]).draws.tolist() == found.draws.tolist()
    several = contrast(model, X[:3], X[3:6])
    np.testing.assert_array_equal(
        several.draws, model.predict_draws(X[3:6]) - model.predict_draws(X[:3])
    )
    model, X = classes
    found = contrast(model, X.iloc[:1], X.iloc[1:2])
    assert found.draws.shape == (12, 3)
    np.testing.assert_allclose(found.draws.sum(axis=1), 0, atol=1e-12)
    again = contrast(model, X.iloc[0], X.iloc[1])
    np.testing.assert_array_equal(again.draws, found.draws)


def test_a_row_beside_itself_does_not_differ(numbers):
    model, X = numbers
    assert not contrast(model, X[0], X[0]).draws.any()


def test_several_responses():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(80, 2)), rng.normal(size=(80, 2))
    model = BayesianForestRegressor(5, random_state=0).fit(X, Y)
    found = posterior_functional(model, lambda draw: draw.mean(axis=0), X)
    np.testing.assert_allclose(found.mean, model.predict(X).mean(axis=0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X: posterior_functional(m, 3, X), "'fn' parameter of posterior_functional"),
        (lambda m, X: posterior_functional(None, max, X), "a fitted bayeswood estimator"),
        (lambda m, X: posterior_functional(BayesianForestRegressor(), max, X), "fit it first"),
        (lambda m, X: contrast(m, X[:2], X[:3]), "equally many"),
    ],
)
def test_bad_input(call, message, numbers):
    with pytest.raises(BayeswoodError, match=message):
        call(*numbers)


def test_every_value_has_one_shape(numbers):
    model, X = numbers
    lengths = iter(range(1, 50))
    with pytest.raises(BayeswoodError, match="same shape for every member"):
        posterior_functional(model, lambda draw: draw[: next(lengths)], X)
