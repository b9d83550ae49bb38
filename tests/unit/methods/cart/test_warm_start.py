"""Forests that are grown further: one larger fit, to the bit."""

import io

import numpy as np
import pytest
from forest_estimator_cases import assert_same_trees, data_for

import bayeswood as bw

FORESTS = [
    (bw.RandomForestClassifier, {"oob_score": True, "max_samples": 0.7}),
    (bw.RandomForestRegressor, {"oob_score": True}),
    (bw.BayesianForestClassifier, {"class_weight": "balanced_subsample"}),
    (bw.BayesianForestRegressor, {"weight_threshold": 0.5, "oob_score": True}),
]


def table(cls):
    if "Classifier" in cls.__name__:
        return data_for(bw.RandomForestClassifier)
    return data_for(bw.RandomForestRegressor)


@pytest.mark.filterwarnings("ignore:.*took part in every tree")
@pytest.mark.parametrize(("cls", "settings"), FORESTS, ids=lambda p: getattr(p, "__name__", ""))
def test_more_trees_are_those_of_one_larger_fit(cls, settings):
    X, y = table(cls)
    forest = cls(5, warm_start=True, random_state=3, **settings).fit(X, y)
    forest.set_params(n_estimators=9, n_jobs=2).fit(X, y)
    whole = cls(9, random_state=3, **settings).fit(X, y)
    assert_same_trees(forest, whole)
    np.testing.assert_array_equal(forest.feature_importances_, whole.feature_importances_)
    for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
        np.testing.assert_equal(getattr(forest, name, None), getattr(whole, name, None))
    if "Regressor" in cls.__name__:
        np.testing.assert_array_equal(forest.predict_interval(X), whole.predict_interval(X))


def test_a_loaded_forest_goes_on():
    X, y = table(bw.RandomForestRegressor)
    file = io.BytesIO()
    bw.RandomForestRegressor(4, warm_start=True, random_state=1).fit(X, y).save(file)
    file.seek(0)
    forest = bw.load(file).set_params(n_estimators=6).fit(X, y)
    assert_same_trees(forest, bw.RandomForestRegressor(6, random_state=1).fit(X, y))


def test_a_forest_without_a_seed_goes_on_with_its_own():
    X, y = table(bw.RandomForestRegressor)
    forest = bw.RandomForestRegressor(4, warm_start=True).fit(X, y)
    seed, before = forest.seed_, forest.predict_draws(X)
    forest.set_params(n_estimators=6).fit(X, y)
    assert forest.seed_ == seed
    np.testing.assert_array_equal(forest.predict_draws(X)[:4], before)


def test_other_data_or_parameters_are_refused_and_the_forest_stays():
    X, y = table(bw.RandomForestRegressor)
    forest = bw.RandomForestRegressor(4, warm_start=True, random_state=1).fit(X, y)
    before = forest.forest_.digest
    forest.set_params(n_estimators=6)
    for other in ((X[:50], y[:50]), (X, y + 1), (X, y, np.arange(len(y)) + 1.0)):
        with pytest.raises(bw.BayeswoodError, match="needs the data and the trees' parameters"):
            forest.fit(*other)
    with pytest.raises(bw.BayeswoodError, match="needs the data and the trees' parameters"):
        forest.set_params(max_depth=2).fit(X, y)
    assert forest.forest_.digest == before


def test_fewer_trees_are_refused_and_as_many_are_none():
    X, y = table(bw.RandomForestRegressor)
    forest = bw.RandomForestRegressor(4, warm_start=True, random_state=1).fit(X, y)
    with pytest.raises(bw.BayeswoodError, match="an int >= 4, the trees it has"):
        forest.set_params(n_estimators=3).fit(X, y)
    before = forest.forest_.digest
    with pytest.warns(UserWarning, match="does not fit new trees"):
        forest.set_params(n_estimators=4).fit(X, y)
    assert forest.forest_.digest == before


def test_without_warm_start_nothing_stays():
    X, y = table(bw.RandomForestRegressor)
    forest = bw.RandomForestRegressor(4, random_state=1).fit(X, y).fit(X[:50], y[:50])
    assert forest.forest_.n_trees == 4
    assert "_data_digest" not in vars(forest)
