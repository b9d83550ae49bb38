"""The calibrated forest for numbers: bags, their sum, and what the rows they left out say."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from sklearn.base import clone

from bayeswood import BayeswoodError, CalibratedForestRegressor, _core, load
from bayeswood.uncertainty import OutOfBagResponse, ResponseCalibration, least_size

N_BAGS = 20


@pytest.fixture(scope="module")
def affine(friedman):
    model = CalibratedForestRegressor(
        60, interval="affine", residual_shape="common", random_state=0
    )
    return model.fit(*friedman)


def left_out(model, n_rows, groups=None):
    """Which bags left which rows out, (n_bags, n_rows)."""
    drawn = [
        _core.draw_weights("subsample", model.seed_, bag, n_rows, model.weight_threshold_, groups)
        for bag in range(model.forest_.n_members)
    ]
    return np.array(drawn) == 0


def test_a_member_is_a_bag(regressor, friedman):
    forest = regressor.forest_
    assert forest.n_members == N_BAGS
    assert forest.trees_per_member >= regressor.n_boosting_stages_
    np.testing.assert_allclose(regressor.component_weights_.sum(), 1.0)
    assert (regressor.component_weights_ >= 0).all()
    draws = regressor.predict_draws(friedman[0])
    assert draws.shape == (N_BAGS, 200)
    np.testing.assert_allclose(draws.mean(axis=0), regressor.predict(friedman[0]))


def test_out_of_bag_predictions_are_of_bags_that_left_the_row_out(regressor, friedman):
    X, y = friedman
    out, draws = left_out(regressor, len(X)), regressor.predict_draws(X)
    expected = [draws[out[:, i], i].mean() for i in range(len(X))]
    np.testing.assert_allclose(regressor.oob_prediction_, expected)
    assert regressor.n_calibration_rows_ == (out.any(axis=0)).sum()
    residual = np.mean((y - regressor.oob_prediction_) ** 2)
    assert regressor.oob_score_ == pytest.approx(1 - residual / y.var())


def test_shares_are_of_least_out_of_bag_squares(regressor, friedman):
    X, y = friedman
    best = np.mean((y - regressor.oob_prediction_) ** 2)
    for stages in (0, 40):
        other = clone(regressor).set_params(n_boosting_stages=stages).fit(X, y)
        assert np.mean((y - other.oob_prediction_) ** 2) > 0.98 * best
    assert other.n_boosting_stages_ <= 40
    none = clone(regressor).set_params(n_boosting_stages=0).fit(X, y)
    assert none.n_boosting_stages_ == 0
    assert none.component_weights_[0] == 0
    assert none.forest_.n_trees <= 60


def test_quantiles_are_the_formula(affine, friedman):
    X, y = friedman
    residuals = y - affine.oob_prediction_
    predictive = affine.predictive_
    assert predictive.least[0] == pytest.approx(least_size(residuals))
    size = np.maximum(predictive.sizes.predict(X)[:, 0], predictive.least)
    z = affine.scaled_residuals_[:, 0]
    ends = np.quantile(z, [0.1, 0.9], method="weibull")
    expected = affine.predict(X)[:, None] + size[:, None] * ends
    np.testing.assert_allclose(affine.predict_quantiles(X, [0.1, 0.9]), expected)
    np.testing.assert_allclose(affine.residual_factor_, np.mean(z**2))
    assert affine.residual_share_ == 1.0
    assert predictive.leaves is None


def test_both_accounts_are_mixed(friedman):
    X, y = friedman
    model = CalibratedForestRegressor(60, random_state=0)
    of_leaves = clone(model).set_params(interval="leaves").fit(X, y)
    of_residuals = clone(model).set_params(interval="affine").fit(X, y)
    mixed = model.fit(X, y)
    share = mixed.residual_share_[0]
    levels = [0.05, 0.5, 0.9]
    expected = share * of_residuals.predict_quantiles(X, levels)
    expected += (1 - share) * of_leaves.predict_quantiles(X, levels)
    np.testing.assert_allclose(mixed.predict_quantiles(X, levels), expected)
    assert np.isin(of_leaves.predict_quantiles(X, levels), y).all()


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("interval", ["affine", "leaves", "oob"])
def test_an_interval_holds_the_prediction(interval, n_targets):
    """Where most responses are 0 and few are large, the mean lies beyond both quantiles."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3))
    y = np.where(rng.random((400, n_targets)) < 0.04, 10.0, 0.0) * (X[:, :1] > -1)
    y = y if n_targets > 1 else y[:, 0]
    model = CalibratedForestRegressor(20, interval=interval, random_state=0).fit(X, y)
    mean = model.predict(X)
    low, high = np.moveaxis(model.predict_interval(X, coverage=0.5), -1, 0)
    assert ((low <= mean) & (mean <= high)).all()
    quantiles = model.predict_quantiles(X, [0.25, 0.75])
    if interval != "affine":
        assert (mean > quantiles[..., 1]).mean() > 0.1
    np.testing.assert_array_equal(low, np.minimum(quantiles[..., 0], mean))
    np.testing.assert_array_equal(high, np.maximum(quantiles[..., 1], mean))


def test_lumps_are_left_to_the_leaves():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(800, 4))
    y = np.where(rng.uniform(size=800) < X[:, 0], 40.0, 0.0)
    model = CalibratedForestRegressor(100, random_state=0).fit(X, y)
    assert model.residual_share_[0] <= 0.5


def test_no_mean_is_surer_than_its_rows_allow(rng):
    """Where the response is 0 throughout, all bags say so."""
    X = np.column_stack([np.arange(200) % 2, rng.normal(size=200)])
    y = np.where(X[:, 0] > 0, rng.exponential(size=200), 0.0)
    model = CalibratedForestRegressor(8, random_state=0).fit(X, y)
    between = model.predict_draws(X).var(axis=0, ddof=1)
    of_residuals = model.predictive_._of_residuals(X, 1)[:, 0]
    least = of_residuals / len(model.predictive_.outputs[0].residuals.values)
    assert (between < 0.1 * least).any()
    split = model.uncertainty(X)
    np.testing.assert_allclose(split.knowledge, np.maximum(between, least))
    np.testing.assert_array_equal(split.knowledge, model.predict_var(X, kind="mean"))
    assert (np.diff(model.predict_interval(X, kind="mean")) > 0).all()


def test_variance_is_shared_between_noise_and_members(regressor, friedman):
    X, _ = friedman
    split = regressor.uncertainty(X)
    size = np.maximum(regressor.predictive_.sizes.predict(X)[:, 0], regressor.predictive_.least)
    of_residuals = regressor.residual_factor_ * size**2
    between = regressor.predict_draws(X).var(axis=0, ddof=1)
    np.testing.assert_allclose(split.knowledge, between)
    np.testing.assert_allclose(split.data, np.maximum(of_residuals - between, 0.1 * of_residuals))
    np.testing.assert_allclose(split.data + split.knowledge, split.total)
    np.testing.assert_array_equal(split.total, regressor.predict_var(X))
    np.testing.assert_allclose(regressor.predict_var(X, kind="mean"), between)
    assert (split.knowledge > 0).all()


def test_the_interval_of_the_mean_is_students_and_holds_it(regressor, friedman):
    X, _ = friedman
    low, high = regressor.predict_interval(X, coverage=0.9, kind="mean").T
    sd = regressor.predict_draws(X).std(axis=0, ddof=1)
    mean = regressor.predict(X)
    reach = student.ppf(0.95, N_BAGS - 1)
    np.testing.assert_allclose(low, mean - reach * sd)
    np.testing.assert_allclose(high, mean + reach * sd)
    assert ((low <= mean) & (mean <= high)).all()
    assert np.isfinite(regressor.predict_quantiles(X, [0.0, 1.0], kind="mean")).all()


def test_intervals_and_quantiles_agree(regressor, friedman):
    X, _ = friedman
    levels = np.linspace(0.01, 0.99, 99)
    many = regressor.predict_quantiles(X, levels)
    assert (np.diff(many, axis=1) >= 0).all()
    for coverage in (0.5, 0.8, 0.9):
        low, high = regressor.predict_interval(X, coverage).T
        tail = (1 - coverage) / 2
        ends = regressor.predict_quantiles(X, [tail, 1 - tail])
        np.testing.assert_array_equal(np.column_stack([low, high]), ends)
        assert (low <= regressor.predict_quantiles(X, 0.5)).all()


def test_levels_beyond_the_sample_are_the_outermost_with_a_warning(affine, friedman):
    X, _ = friedman
    outermost = affine.predict_quantiles(X, [0.0, 1.0])
    assert np.isfinite(outermost).all()
    with pytest.warns(UserWarning, match="calibration rows cannot promise") as caught:
        beyond = affine.predict_interval(X, coverage=0.999)
    np.testing.assert_array_equal(beyond, outermost)
    assert "predict_interval" in str(caught[0].message)


def test_without_responses_residuals_tell_all(friedman):
    X, y = friedman
    model = CalibratedForestRegressor(60, random_state=0, keep_responses=False).fit(X, y)
    assert model.residual_share_ == 1.0
    assert model.predictive_.leaves is None
    refused = clone(model).set_params(interval="leaves").fit(X, y)
    with pytest.raises(BayeswoodError, match="keep_responses=True"):
        refused.predict_interval(X)
    assert refused.predict_interval(X, kind="mean").shape == (200, 2)


def test_out_of_bag_predictions_of_rows_of_no_weight(friedman):
    X, y = friedman
    weight = np.ones(200)
    weight[:5] = 0
    model = CalibratedForestRegressor(60, random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(model.oob_prediction_[:5], model.predict(X[:5]))
    assert not np.allclose(model.oob_prediction_[5:], model.predict(X[5:]))


@pytest.mark.parametrize("labels", ["numbers", "words", "series"])
def test_a_group_is_left_out_together(labels, friedman):
    X, y = friedman
    number = np.arange(200) // 4
    groups = {
        "numbers": number * 10.5,
        "words": [f"g{n:03}" for n in number],
        "series": pd.Series(number).astype("category"),
    }[labels]
    model = CalibratedForestRegressor(40, random_state=0).fit(X, y, oob_groups=groups)
    out = left_out(model, 200, number.astype(np.int32))
    assert (out.reshape(N_BAGS, 50, 4) == out[:, ::4, None]).all()
    draws = model.predict_draws(X)
    seen = out.any(axis=0)
    expected = [draws[out[:, i], i].mean() for i in np.flatnonzero(seen)]
    np.testing.assert_allclose(model.oob_prediction_[seen], expected)
    assert model.predict_interval(X).shape == (200, 2)


def test_groups_are_kept_with_their_rows(friedman):
    X, y = friedman
    groups = np.arange(200) // 4
    weight = np.ones(200)
    weight[groups == 3] = 0.0
    model = CalibratedForestRegressor(20, random_state=0)
    kept = weight > 0
    with_zeros = clone(model).fit(X, y, weight, oob_groups=groups)
    without = clone(model).fit(X[kept], y[kept], weight[kept], oob_groups=groups[kept])
    np.testing.assert_array_equal(with_zeros.predict_interval(X), without.predict_interval(X))


def test_without_rows_left_out_only_the_spread_of_y_is_known(friedman, tmp_path):
    X, y = friedman
    model = CalibratedForestRegressor(4, weight_threshold=0.0, random_state=0)
    with pytest.warns(UserWarning, match="could not be calibrated"):
        model.fit(X, y)
    assert model.n_calibration_rows_ == 0
    assert model.predict_var(X) == pytest.approx(np.full(200, y.var()))
    low, high = model.predict_interval(X, coverage=0.8).T
    ends = np.quantile(y, [0.1, 0.9], method="weibull")
    np.testing.assert_allclose(high - low, ends[1] - ends[0])
    model.save(tmp_path / "model.bw")
    np.testing.assert_array_equal(
        load(tmp_path / "model.bw").predict_interval(X, 0.8), np.column_stack([low, high])
    )


def test_several_responses_are_calibrated_each(friedman, tmp_path):
    X, y = friedman
    both = np.column_stack([y, -10.0 * y])
    model = CalibratedForestRegressor(40, random_state=0, interval="affine").fit(X, both)
    assert model.residual_factor_.shape == (2,)
    interval = model.predict_interval(X)
    assert interval.shape == (200, 2, 2)
    np.testing.assert_allclose(interval[:, 1, ::-1], -10.0 * interval[:, 0], rtol=1e-6)
    assert "response 1: " in repr(model.calibration_report())
    model.save(tmp_path / "model.bw")
    np.testing.assert_array_equal(load(tmp_path / "model.bw").predict_interval(X), interval)


@pytest.mark.parametrize("n_estimators", [1, 2, 3, 7, 45])
def test_any_number_of_trees_makes_bags(n_estimators, friedman):
    X, y = friedman
    model = CalibratedForestRegressor(n_estimators, random_state=0).fit(X, y)
    assert model.forest_.n_members == max(1, min(N_BAGS, n_estimators // 2))
    assert np.isfinite(model.predict_interval(X)).all()
    assert np.isfinite(model.uncertainty(X).total).all()


def test_a_constant_response_is_certain():
    X = np.arange(60.0)[:, None]
    model = CalibratedForestRegressor(20, random_state=0).fit(X, np.full(60, 7.0))
    np.testing.assert_allclose(model.predict_interval(X), 7.0)
    assert not model.uncertainty(X).total.any()


def test_the_calibration_is_that_of_the_out_of_bag_rows(affine, friedman):
    _, y = friedman
    size = (y - affine.oob_prediction_)[np.argsort(y - affine.oob_prediction_)]
    assert np.sign(affine.scaled_residuals_[0, 0]) == np.sign(size[0])
    known = OutOfBagResponse(y, affine.oob_prediction_, np.ones(200))
    found = ResponseCalibration.fit(known, by_spread=False)
    assert found.factor == pytest.approx(np.mean((y - affine.oob_prediction_) ** 2))
