"""Permutation importance against shuffling the user's own table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, r2_score

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.posterior import members, permutation_importance


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.choice(list("xyz"), size=150), "c": 1.0})
    y = X["a"] + 2.0 * (X["b"] == "x")
    return BayesianForestRegressor(8, min_samples_leaf=3, random_state=0).fit(X, y), X, y.to_numpy()


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(150, 3))
    y = np.where(X[:, 1] + 0.3 * rng.normal(size=150) > 0, "yes", "no")
    return BayesianForestClassifier(8, min_samples_leaf=5, random_state=0).fit(X, y), X, y


def by_hand(model, X, y, score, n_repeats, rng):
    """(n_members, n_features) in the order of the columns, and for the forest."""
    frame = pd.DataFrame(X)
    generator = np.random.default_rng(rng)
    shuffles = [generator.permutation(len(frame)) for _ in range(n_repeats)]

    def scores(table):
        table = table if isinstance(X, pd.DataFrame) else table.to_numpy()
        draws = model.predict_draws(table)
        average = np.tensordot(model.member_weights_, draws, axes=1)
        return np.array([score(y, draw) for draw in draws]), score(y, average)

    base, forest_base = scores(frame)
    each, forest = [], []
    for name in frame.columns:
        found = [scores(_shuffled(frame, name, shuffle)) for shuffle in shuffles]
        each.append(base - np.mean([f[0] for f in found], axis=0))
        forest.append(forest_base - np.mean([f[1] for f in found]))
    return np.stack(each, axis=1), np.array(forest)


def _shuffled(frame, name, shuffle):
    changed = frame.copy()
    changed[name] = frame[name].to_numpy()[shuffle]
    return changed


def clipped(proba):
    """As scikit-learn does where both probabilities are given."""
    return np.clip(proba, np.finfo(float).eps, 1 - np.finfo(float).eps)


def test_regression_by_brute_force(numbers):
    model, X, y = numbers
    found = permutation_importance(model, X, y, n_repeats=3, rng=4)
    expected, of_forest = by_hand(model, X, y, r2_score, 3, 4)
    order = [list(X.columns).index(name) for name in found.names]
    np.testing.assert_allclose(found.posterior.draws, expected[:, order], atol=1e-12)
    np.testing.assert_allclose(found.of_forest, of_forest[order], atol=1e-12)
    assert np.all(np.diff(found.mean) <= 0)
    assert found.score == "r2"
    assert found.forest_score == pytest.approx(model.score(X, y))


@pytest.mark.parametrize(
    ("score", "of_scikit_learn"),
    [
        ("accuracy", lambda y, p: accuracy_score(y == "yes", p.argmax(axis=1))),
        ("brier", lambda y, p: -brier_score_loss(y == "yes", p[:, 1])),
        ("log_loss", lambda y, p: -log_loss(y == "yes", clipped(p))),
    ],
)
def test_classes_by_brute_force(score, of_scikit_learn, classes):
    model, X, y = classes
    found = permutation_importance(model, X, y, score=score, n_repeats=2, rng=1)
    expected, of_forest = by_hand(model, X, y, of_scikit_learn, 2, 1)
    order = [int(name[1:]) for name in found.names]
    np.testing.assert_allclose(found.posterior.draws, expected[:, order], atol=1e-9)
    np.testing.assert_allclose(found.of_forest, of_forest[order], atol=1e-9)
    assert found.names[0] == "x1"


def test_a_function_as_score(numbers):
    model, X, y = numbers

    def minus_largest_error(truth, predicted):
        return -np.max(np.abs(truth - predicted))

    found = permutation_importance(model, X, y, score=minus_largest_error)
    assert found.score == "minus_largest_error"
    assert found.mean[0] > 0


def test_a_constant_feature_is_worth_nothing(numbers):
    found = permutation_importance(*numbers)
    constant = found.names.index("c")
    assert not found.posterior.draws[:, constant].any()


def test_members_in_blocks_give_the_same(numbers, monkeypatch):
    whole = permutation_importance(*numbers)
    monkeypatch.setattr(members, "BLOCK_BYTES", 8 * 150 * 3)
    blocks = permutation_importance(*numbers)
    np.testing.assert_array_equal(blocks.posterior.draws, whole.posterior.draws)
    np.testing.assert_allclose(blocks.of_forest, whole.of_forest)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": "r2"}, "must be one of 'accuracy', 'brier', 'log_loss'"),
        ({"n_repeats": 0}, "'n_repeats' parameter of permutation_importance"),
        ({"y": ["yes"]}, r"must be of shape \(150,\)"),
        ({"y": ["perhaps"] * 150}, "classes that the model knows"),
    ],
)
def test_bad_input(change, message, classes):
    model, X, y = classes
    with pytest.raises(BayeswoodError, match=message):
        permutation_importance(model, X, **{"y": y, **change})
