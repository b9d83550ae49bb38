"""Uncertainty, intervals, quantiles and variances of every estimator, on small data."""

import warnings

import numpy as np
import pytest
from forest_estimator_cases import (
    ALL,
    REGRESSORS,
    UNCALIBRATED,
    data_for,
    fitted,
    n_members,
)
from sklearn.exceptions import DataConversionWarning

from bayeswood import (
    BayeswoodError,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    Forest,
)
from bayeswood.methods.registry import ESTIMATORS

# Some of these forests are too small to be calibrated, and say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:No training row was left out:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*calibration rows cannot promise:UserWarning"),
]


@pytest.mark.parametrize("cls", ALL)
def test_uncertainty_adds_up(cls):
    model, X, _ = fitted(cls)
    split = model.uncertainty(X)
    np.testing.assert_allclose(split.total, split.data + split.knowledge, rtol=1e-12)
    for part in split:
        assert part.shape == (len(X),)
        assert (part >= 0).all()
        assert np.isfinite(part).all()
    assert split._fields == ("total", "data", "knowledge")


@pytest.mark.parametrize("cls", REGRESSORS)
def test_intervals_of_the_response_hold_more_than_those_of_the_mean(cls):
    model, X, y = fitted(cls, n_estimators=60, min_samples_leaf=5)
    of_y = model.predict_interval(X, coverage=0.9)
    of_mean = model.predict_interval(X, coverage=0.9, kind="mean")
    assert of_y.shape == of_mean.shape == (len(X), 2)
    widths = np.diff(of_y)[:, 0], np.diff(of_mean)[:, 0]
    assert widths[0].mean() > widths[1].mean()
    covered = (of_y[:, 0] <= y) & (y <= of_y[:, 1])
    assert covered.mean() > 0.9


@pytest.mark.parametrize("cls", REGRESSORS)
def test_quantiles_are_monotone_and_shaped(cls):
    model, X, y = fitted(cls, **UNCALIBRATED.get(cls, {}))
    levels = np.linspace(0, 1, 21)
    for kind in ("prediction", "mean"):
        many = model.predict_quantiles(X, levels, kind=kind)
        assert many.shape == (len(X), 21)
        assert (np.diff(many, axis=1) >= 0).all()
        np.testing.assert_array_equal(model.predict_quantiles(X, 0.5, kind=kind), many[:, 10])
    assert np.isin(model.predict_quantiles(X, 0.3), y).all()


@pytest.mark.parametrize("cls", REGRESSORS)
def test_variances_follow_from_the_split(cls):
    model, X, _ = fitted(cls, **UNCALIBRATED.get(cls, {}))
    split = model.uncertainty(X)
    np.testing.assert_array_equal(model.predict_var(X), split.total)
    np.testing.assert_array_equal(model.predict_var(X, kind="mean"), split.knowledge)
    unbiased = 1 if cls is CalibratedForestRegressor else 0
    between = model.predict_draws(X).var(axis=0, ddof=unbiased)
    if unbiased:
        between = np.maximum(between, least_knowledge(model, X))
    np.testing.assert_allclose(split.knowledge, between, atol=1e-12)


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_walk_finds_quantiles_and_mean(n_targets, weighted, rng):
    X = rng.normal(size=(300, 3))
    y = rng.normal(size=(300, n_targets)) ** 3
    y = y if n_targets > 1 else y[:, 0]
    weight = rng.exponential(size=300) if weighted else None
    for name in ("RandomForestRegressor", "BayesianForestRegressor"):
        model = ESTIMATORS[name](12, random_state=0).fit(X, y, sample_weight=weight)
        responses, forest = model.predictive_.responses, model.forest_
        levels = np.array([0.1, 0.9])
        found, mean = responses.quantiles_and_mean(forest, X, levels)
        np.testing.assert_array_equal(found, responses.quantiles(forest, X, levels))
        np.testing.assert_array_equal(mean, forest.predict(X))


def least_knowledge(model, X):
    """That of the mean of all out-of-bag rows, were their residuals as large as here."""
    of_residuals = model.predictive_._of_residuals(X, 1)[:, 0]
    return of_residuals / len(model.predictive_.outputs[0].residuals.values)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_several_responses(cls):
    X, y = data_for(cls)
    both = np.c_[y, -2.0 * y]
    model = cls(n_estimators=8, random_state=0).fit(X, both)
    assert model.n_outputs_ == 2
    assert model.predict(X).shape == (len(X), 2)
    assert model.predict_draws(X).shape == (n_members(cls, 8), len(X), 2)
    assert model.predict_interval(X).shape == (len(X), 2, 2)
    assert model.predict_quantiles(X, [0.1, 0.5, 0.9]).shape == (len(X), 2, 3)
    assert model.predict_quantiles(X, 0.5, kind="mean").shape == (len(X), 2)
    assert model.predict_var(X).shape == (len(X), 2)
    assert model.uncertainty(X).data.shape == (len(X), 2)
    np.testing.assert_allclose(model.predict(X)[:, 1], -2.0 * model.predict(X)[:, 0])
    np.testing.assert_allclose(model.predict_var(X)[:, 1], 4.0 * model.predict_var(X)[:, 0])


@pytest.mark.parametrize("cls", REGRESSORS)
def test_a_column_of_responses_is_one_response(cls):
    X, y = data_for(cls)
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        column = cls(n_estimators=2, random_state=0).fit(X, y[:, None])
    assert caught[0].filename == __file__
    plain = cls(n_estimators=2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(column.predict(X), plain.predict(X))
    assert column.predict(X).shape == (len(X),)
    assert column.predict_interval(X, kind="mean").shape == (len(X), 2)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_without_responses_only_the_mean_has_a_spread(cls):
    model, X, _ = fitted(cls, keep_responses=False, **UNCALIBRATED.get(cls, {}))
    assert not model.forest_.has_rows
    assert model.predict_interval(X, kind="mean").shape == (len(X), 2)
    assert model.predict_var(X, kind="mean").shape == (len(X),)
    for ask in (
        model.predict_interval,
        model.predict_var,
        model.uncertainty,
        lambda rows: model.predict_quantiles(rows, 0.5),
    ):
        with pytest.raises(BayeswoodError, match="keep_responses=True"):
            ask(X)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_dropping_responses_leaves_the_trees_alone(cls):
    model, X, _ = fitted(cls)
    without, _, _ = fitted(cls, keep_responses=False)
    np.testing.assert_array_equal(model.predict_draws(X), without.predict_draws(X))


@pytest.mark.parametrize("cls", REGRESSORS)
def test_a_constant_response_has_no_variance(cls):
    X, _ = data_for(cls)
    model = cls(n_estimators=4).fit(X, np.full(len(X), 0.1))
    np.testing.assert_allclose(model.predict(X), 0.1)
    np.testing.assert_allclose(model.predict_var(X), 0.0, atol=1e-30)
    assert (model.predict_var(X) >= 0).all()


@pytest.mark.parametrize("cls", ALL)
def test_blocks_of_rows_change_nothing(cls, monkeypatch):
    model, X, _ = fitted(cls)
    interval, split = model.predict_interval(X, kind="mean"), model.uncertainty(X)
    held = []
    ask = Forest.draws
    monkeypatch.setattr("bayeswood.uncertainty.intervals.BLOCK_BYTES", 1000)
    monkeypatch.setattr(
        Forest, "draws", lambda *args: (draws := ask(*args), held.append(draws.nbytes))[0]
    )
    np.testing.assert_array_equal(model.predict_interval(X, kind="mean"), interval)
    for part, whole in zip(model.uncertainty(X), split, strict=True):
        np.testing.assert_allclose(part, whole, rtol=1e-12, atol=1e-15)
    assert all(n_bytes <= 1000 for n_bytes in held)
    # Quantiles of means are taken in the core; so are the calibrated forests' averages.
    assert len(held) > 10 or cls in (CalibratedForestClassifier, CalibratedForestRegressor)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "Regressor" in name])
@pytest.mark.parametrize("coverage", [0.05, 0.5, 0.9])
def test_intervals_hold_the_prediction(name, coverage):
    """Even where one row in fifty is far off, so that members and responses are lopsided."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2))
    y = np.where(np.arange(150) % 50 == 0, 1000.0, rng.normal(size=150))
    given = {"n_chains": 2, "n_burn_in": 50, "n_draws": 50, "n_particles": 40, "n_estimators": 30}
    cls = ESTIMATORS[name]
    small = {n: v for n, v in given.items() if n in cls._get_param_names()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cls(random_state=0, **small).fit(X, y)
    mean = model.predict(X)
    for kind in ("prediction", "mean"):
        low, high = model.predict_interval(X, coverage, kind=kind).T
        assert ((low <= mean) & (mean <= high)).all()
