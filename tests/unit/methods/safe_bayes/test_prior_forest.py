"""Chunks, merges and un-learning, and what is refused."""

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from bayeswood import BayeswoodError, SafeBayesForestClassifier, SafeBayesForestRegressor, load

X, Y = load_iris(return_X_y=True)
NUMBERS = X[:, 3] * 3.7 + np.sin(np.arange(150))


def small(**parameters):
    return SafeBayesForestClassifier(**{"n_estimators": 15, "random_state": 1, **parameters})


def numbers(**parameters):
    return SafeBayesForestRegressor(**{"n_estimators": 15, "random_state": 1, **parameters})


def test_the_first_chunk_names_the_classes():
    forest = small().partial_fit(X[:100], Y[:100], classes=[2, 0, 1])
    assert forest.classes_.tolist() == [0, 1, 2]
    assert forest.predict_proba(X).shape == (150, 3)
    forest.partial_fit(X[100:], Y[100:])
    assert forest.n_rows_seen_ == 150
    with pytest.raises(BayeswoodError, match="as in the first call"):
        forest.partial_fit(X, Y, classes=[0, 1])


def test_unseen_classes_are_refused():
    forest = small().partial_fit(X[:100], Y[:100])
    with pytest.raises(BayeswoodError, match="class 2, which SafeBayesForestClassifier does not"):
        forest.partial_fit(X[100:], Y[100:])
    with pytest.raises(BayeswoodError, match="class 2"):
        small().partial_fit(X, Y, classes=[0, 1])
    assert forest.n_rows_seen_ == 100


def test_other_columns_are_refused():
    forest = small().partial_fit(X, Y)
    with pytest.raises(ValueError, match="3 features"):
        forest.partial_fit(X[:, :3], Y)
    with pytest.raises(BayeswoodError, match="one response per row"):
        forest.partial_fit(X, Y[:-1])


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (small(random_state=2), "different seeds"),
        (small(n_estimators=16), "different tree priors: .* Give both the same n_estimators"),
        (small(depth=5), "different tree priors: .* Give both the same depth"),
        (small(pit_reference=X[:50]), "different edges"),
    ],
)
def test_different_trees_cannot_be_merged(other, words):
    with pytest.raises(BayeswoodError, match=words):
        small(pit_reference=X).fit(X, Y).merge(clone(other).fit(X, Y))


def test_unequal_shards_say_which_parameter_to_fix():
    rows, y = np.tile(X, (8, 1)), np.tile(Y, 8)
    large, few = small(pit_reference=X, depth="auto"), small(pit_reference=X, depth="auto")
    with pytest.raises(BayeswoodError, match=r"depth is 11 in one and 10 in the other \('auto'"):
        large.fit(rows, y).merge(few.fit(X[::4], Y[::4]))
    large.set_params(depth=6).fit(rows, y).merge(few.set_params(depth=6).fit(X[::4], Y[::4]))
    assert large.n_rows_seen_ == 1200 + 38


def test_only_the_same_kind_can_be_merged():
    forest = small().fit(X, Y)
    with pytest.raises(BayeswoodError, match="must be a SafeBayesForestClassifier"):
        forest.merge(numbers().fit(X, NUMBERS))
    with pytest.raises(BayeswoodError, match="same classes"):
        forest.merge(small().fit(X, np.array(["a", "b", "c"])[Y]))
    with pytest.raises(BayeswoodError, match="scale of the response"):
        numbers().fit(X, NUMBERS).merge(numbers().fit(X, 2 * NUMBERS))


@pytest.mark.parametrize("reservoir_size", [0, 2000])
def test_rows_never_seen_cannot_be_forgotten(reservoir_size):
    forest = small(reservoir_size=reservoir_size).fit(X, Y)
    before = forest.predict_proba(X)
    with pytest.raises(BayeswoodError, match="only if they were seen"):
        forest.forget(X[:1], [2])
    with pytest.raises(BayeswoodError, match="only if they were seen"):
        forest.forget(np.repeat(X[:1], 60, axis=0), np.zeros(60, dtype=int))
    np.testing.assert_array_equal(forest.predict_proba(X), before)


@pytest.mark.parametrize("reservoir_size", [0, 2000])
def test_numbers_never_seen_cannot_be_forgotten(reservoir_size):
    forest = numbers(reservoir_size=reservoir_size).fit(X, NUMBERS)
    with pytest.raises(BayeswoodError, match="only if they were seen"):
        forest.forget(X[:1], [NUMBERS.max() * 20])


def test_everything_can_be_forgotten():
    forest = small().fit(X, Y).forget(X, Y)
    assert forest.n_rows_seen_ == 0
    np.testing.assert_allclose(forest.predict_proba(X[:2]), 1 / 3)
    forest.partial_fit(X, Y)
    np.testing.assert_array_equal(forest.predict_proba(X), small().fit(X, Y).predict_proba(X))


def test_responses_far_from_the_first_chunk_are_refused():
    with pytest.raises(BayeswoodError, match="32 times the range"):
        numbers().partial_fit(X, NUMBERS).partial_fit(X[:1], [1e9])


def test_the_regressor_leaves_rows_out_exactly():
    forest = numbers().fit(X, NUMBERS)
    left = forest.loo_predict()
    np.testing.assert_array_equal(forest.loo_predict(X, NUMBERS), left)
    sharpness = forest.sharpness_
    for row in (0, 70, 149):
        forest.forget(X[[row]], NUMBERS[[row]])
        forest._posterior.__dict__["sharpness"] = sharpness
        assert forest.predict(X[[row]])[0] == pytest.approx(left[row], abs=1e-9)
        forest.partial_fit(X[[row]], NUMBERS[[row]])


def test_one_leaf_by_hand():
    """With a prior that forbids cuts to matter, the predictive is the closed form."""
    y = np.array([1.0, 2.0, 4.0])
    forest = numbers(n_estimators=1, depth=1, pooling="power", power=1.0, prior_strength=0.5)
    forest.fit(np.zeros((3, 1)), y)
    center, variance = y.mean(), y.var()
    scale = 0.5 * variance + 0.5 * ((y - center) ** 2).sum()
    expected = scale / (2 + 1.5 - 1) * 4.5 / 3.5
    assert forest.predict([[0.0]])[0] == pytest.approx(center)
    assert forest.predict_var([[0.0]])[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("pooling", ["evidence", "power"])
def test_numbers_have_quantiles(pooling, rng):
    forest = numbers(pooling=pooling, n_estimators=60).fit(X, NUMBERS)
    levels = np.array([0.05, 0.5, 0.95])
    found = forest.predict_quantiles(X, levels)
    assert (np.diff(found, axis=1) > 0).all()
    split = forest.uncertainty(X)
    np.testing.assert_allclose(split.total, split.data + split.knowledge)
    np.testing.assert_array_equal(forest.predict_var(X), split.total)
    inside = (found[:, 0] < NUMBERS) & (found[:, 2] > NUMBERS)
    assert inside.mean() > 0.85
    assert forest.predict_interval(X, kind="mean").shape == (150, 2)


def test_mixture_quantiles_solve_the_mixture(rng):
    from scipy.stats import t as student

    from bayeswood.methods.safe_bayes.pool_numbers import mixture_quantiles

    mean, variance = rng.normal(size=(5, 4)), rng.uniform(0.1, 3, size=(5, 4))
    freedom = rng.uniform(2.5, 30, size=(5, 4))
    weights = rng.dirichlet(np.ones(5))
    found = mixture_quantiles(
        np.stack([mean, variance, freedom], axis=2), weights, np.array([0.02, 0.7])
    )
    scale = np.sqrt(variance * (freedom - 2) / freedom)
    for column, level in enumerate((0.02, 0.7)):
        reached = weights @ student.cdf(found[:, column], freedom, mean, scale)
        np.testing.assert_allclose(reached, level, atol=1e-9)


def _lowered(posterior):
    """Statistics in which the first leaf that holds rows lacks one of them."""
    statistics = posterior.statistics.copy()
    leaf = tuple(np.argwhere(statistics > 0)[0])
    statistics[leaf] -= 1
    return replace(posterior, statistics=statistics)


def _moved(posterior):
    """A reservoir whose first row fell into other leaves."""
    X = posterior.reservoir.X.copy()
    X[0] = 100.0
    return replace(posterior, reservoir=replace(posterior.reservoir, X=X))


@pytest.mark.parametrize("change", [_lowered, _moved])
@pytest.mark.parametrize("kind", [SafeBayesForestClassifier, SafeBayesForestRegressor])
def test_file_whose_statistics_lack_rows_of_the_reservoir_is_refused(kind, change, rng):
    X = rng.normal(size=(40, 2))
    model = kind(n_estimators=5, depth=3, random_state=0).fit(X, X[:, 0] > 0)
    model._learn(change(model._posterior), model._training_sample)
    stream = BytesIO()
    model.save(stream)
    stream.seek(0)
    with pytest.raises(BayeswoodError, match=r"lack rows that its|do not match"):
        load(stream)
