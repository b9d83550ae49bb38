"""Sampled trees at the edges: one class, nothing that varies, many rows, large and deep trees."""

import numpy as np
import pytest
from sklearn.base import clone

from bayeswood import MCMCTreeClassifier, MCMCTreeRegressor


def models(**parameters):
    short = {"n_chains": 1, "n_burn_in": 100, "n_draws": 50, "random_state": 1, **parameters}
    for prior in ("chipman", "denison"):
        yield MCMCTreeClassifier(prior=prior, **short)
        yield MCMCTreeRegressor(prior=prior, **short)


MODELS = list(models())
IDS = ["classes-chipman", "numbers-chipman", "classes-denison", "numbers-denison"]


def assert_sound(model, X):
    """Everything is finite, and everything that can be asked has an answer."""
    for name in ("log_likelihood", "log_posterior"):
        assert np.isfinite(getattr(model.trace_, name)).all()
    assert np.isfinite(model.predict_draws(X[:7])).all()
    assert np.isfinite(model.predict_interval(X[:7])).all()
    assert np.isfinite(model.uncertainty(X[:7]).total).all()
    assert np.isfinite(model.feature_importances_).all()
    assert model.member_weights_.sum() == pytest.approx(1)


def with_moves(model):
    return clone(model).set_params(move_probabilities=dict.fromkeys(ALL, 1))


ALL = ("birth", "death", "change_split", "change_rule", "swap")


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_one_class_or_value(model, rng):
    X = rng.normal(size=(60, 3))
    fitted = with_moves(model).fit(X, np.ones(60))
    assert_sound(fitted, X)
    np.testing.assert_allclose(fitted.predict(X), 1.0)


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_nothing_varies(model):
    X = np.full((30, 3), 2.0)
    X[:, 1] = np.nan
    fitted = with_moves(model).fit(X, np.arange(30) % 2)
    assert_sound(fitted, X)
    assert fitted.forest_.n_trees == 1
    assert fitted.trace_.n_leaves.max() == 1


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_constant_columns_are_never_cut(model, rng):
    X = np.zeros((80, 4))
    X[:, 2] = rng.normal(size=80)
    fitted = with_moves(model).fit(X, (X[:, 2] > 0.3).astype(float))
    assert_sound(fitted, X)
    used = fitted.forest_.to_arrays()["feature"]
    assert set(used[used >= 0]) == {2}


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_every_row_twice(model, rng):
    X = np.repeat(rng.normal(size=(40, 2)), 2, axis=0)
    y = rng.integers(0, 2, 80)
    fitted = with_moves(model).set_params(power=0.2).fit(X, y)
    assert_sound(fitted, X)
    assert (fitted.forest_.to_arrays()["leaf_n_samples"] % 2 == 0).all()


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_one_row(model):
    fitted = with_moves(model).fit([[1.0, 2.0]], [3])
    assert_sound(fitted, np.array([[1.0, 2.0]]))


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_extreme_columns(model, rng):
    X = np.column_stack(
        [rng.normal(size=60) * 1e300, rng.normal(size=60) * 1e-300, np.arange(60) * 1e-310]
    )
    fitted = with_moves(model).fit(X, rng.integers(0, 2, 60))
    assert_sound(fitted, X)


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_a_hundred_thousand_rows(model, rng):
    X = rng.normal(size=(100_000, 4)).astype(np.float32)
    y = (X[:, 0] > 0.1).astype(float) + (X[:, 1] > 1)
    fitted = with_moves(model).fit(X, y)
    assert_sound(fitted, X)
    assert (
        fitted.forest_.to_arrays()["leaf_n_samples"][: fitted.forest_.n_leaves[0]].sum() == 100_000
    )


def test_ten_thousand_leaves(rng):
    """A prior that splits as long as anything varies."""
    X = rng.normal(size=(11_000, 2))
    model = MCMCTreeClassifier(
        1, n_burn_in=500, n_draws=5, thin=100, alpha_split=0.9999, beta_split=0, power=0.0,
        move_probabilities=dict.fromkeys(ALL, 1), random_state=2,
    )  # fmt: skip
    model.fit(X, rng.integers(0, 3, 11_000))
    assert model.trace_.n_leaves.min() > 10_000
    assert_sound(model, X)
    # As the documentation says: 30 bytes per node and 12 per leaf and class, and a little.
    nodes = 2 * int(model.forest_.n_leaves.sum())
    assert model.forest_.nbytes < 30 * nodes + 12 * 3 * nodes / 2 + 1000 * model.forest_.n_trees


def test_a_tree_of_a_thousand_levels():
    """Each cut of numbers that grow by factors parts few rows from all others."""
    X = np.ldexp(1.0, np.arange(-1000, 1000))[:, None]
    model = MCMCTreeClassifier(
        1, n_burn_in=300, n_draws=5, alpha_split=0.9999, beta_split=0, power=0.0,
        move_probabilities=dict.fromkeys(ALL, 1), random_state=2,
    )  # fmt: skip
    model.fit(X, np.arange(2000) % 2)
    assert model.trace_.depth.max() > 500
    assert_sound(model, X)


def test_a_long_chain_keeps_few_trees(rng):
    X = rng.normal(size=(30, 2))
    model = MCMCTreeClassifier(
        1, n_burn_in=0, n_draws=200, thin=1000, prior="denison", random_state=2
    )
    model.fit(X, (X[:, 0] > 0).astype(int))
    assert model.forest_.n_trees <= 200
    # Sums that are kept up step by step have not drifted.
    trace = model.trace_
    tree = int(model.draw_tree_[0, -1])
    same = model.draw_tree_[0] == tree
    values = trace.log_posterior[0, 999::1000][same]
    np.testing.assert_allclose(values, values[0], rtol=0, atol=1e-9)
