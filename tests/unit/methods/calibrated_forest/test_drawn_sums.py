"""Draws of sums of trees in the bags of a calibrated forest."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_friedman1

from bayeswood import CalibratedForestRegressor, _core, load


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(n_samples=250, noise=1.0, random_state=0)


@pytest.fixture(scope="module")
def regressor(friedman):
    return CalibratedForestRegressor(60, additive_members=3, random_state=0).fit(*friedman)


def test_a_smooth_response_wants_them(regressor, friedman):
    shares = regressor.component_weights_
    assert shares.shape == (4,)
    assert shares[3] > 0.2
    np.testing.assert_allclose(shares.sum(), 1.0)
    X, y = make_friedman1(n_samples=2000, noise=0.0, random_state=1)
    without = clone(regressor).set_params(additive_members=0).fit(*friedman)
    assert without.component_weights_.shape == (3,)
    error, error_without = (np.mean((m.predict(X) - y) ** 2) for m in (regressor, without))
    assert error < 0.95 * error_without


def test_out_of_bag_predictions_are_of_bags_that_left_the_row_out(regressor, friedman):
    X, _ = friedman
    draws = regressor.predict_draws(X)
    drawn = [
        _core.draw_weights("subsample", regressor.seed_, bag, len(X), regressor.weight_threshold_)
        for bag in range(len(draws))
    ]
    out = np.array(drawn) == 0
    expected = [draws[out[:, i], i].mean() for i in range(len(X))]
    np.testing.assert_allclose(regressor.oob_prediction_, expected)


def test_same_bits_for_any_number_of_threads_and_from_a_file(regressor, friedman, tmp_path):
    X, y = friedman
    again = clone(regressor).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(regressor.predict_draws(X), again.predict_draws(X))
    regressor.save(tmp_path / "forest")
    loaded = load(tmp_path / "forest")
    np.testing.assert_array_equal(loaded.predict(X), regressor.predict(X))
    np.testing.assert_array_equal(loaded.component_weights_, regressor.component_weights_)


def test_weights_categories_missing_values_and_several_responses():
    rng = np.random.default_rng(0)
    X = rng.random((120, 3))
    X[:, 2] = rng.integers(0, 4, size=120)
    y = np.column_stack([X[:, 0] + X[:, 2], rng.random(120)])
    X[rng.random(X.shape) < 0.1] = np.nan
    weights = rng.exponential(size=120) * (rng.random(120) < 0.9)
    model = CalibratedForestRegressor(
        40, additive_members=2, categorical_features=[2], random_state=0
    ).fit(X, y, sample_weight=weights)
    assert model.predict(X).shape == (120, 2)
    assert np.isfinite(model.predict_interval(X)).all()
    assert (model.feature_importances_ >= 0).all()


@pytest.mark.parametrize("constant", [True, False])
def test_tiny_and_constant_tables(constant):
    X = np.arange(12.0)[:, None]
    y = np.full(12, 3.0) if constant else X[:, 0]
    model = CalibratedForestRegressor(40, additive_members=2, random_state=0).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    if constant:
        np.testing.assert_allclose(model.predict(X), 3.0, atol=1e-6)


def test_the_number_is_checked(friedman):
    with pytest.raises(ValueError, match="additive_members"):
        CalibratedForestRegressor(additive_members=-1).fit(*friedman)
