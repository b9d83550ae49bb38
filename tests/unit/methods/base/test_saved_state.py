"""Saving, loading, and refusing a state that is not lawful."""

import copy
import io

import joblib
import numpy as np
import pandas as pd
import pytest

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomizedTreesClassifier,
    SubsampleForestClassifier,
    SubsampleForestRegressor,
    load,
)
from bayeswood.methods.base.saved_state import own_parameters, read_parameters
from bayeswood.methods.registry import DEFAULT_METHOD, ESTIMATORS, METHODS, method_class

MODELS = [
    BayesianForestClassifier(n_estimators=4, random_state=0, criterion="entropy"),
    BayesianForestRegressor(n_estimators=4, random_state=np.random.RandomState(0)),
    BayesianForestRegressor(n_estimators=4, keep_responses=False, max_features=0.5),
    RandomForestClassifier(n_estimators=30, oob_score=True, voting="hard", random_state=0),
    RandomForestRegressor(n_estimators=30, oob_score=True, random_state=np.int64(3)),
    CalibratedForestClassifier(n_estimators=30, random_state=0),
    CalibratedForestRegressor(n_estimators=30, random_state=0, interval="leaves"),
    EmpiricalBayesianForestClassifier(n_estimators=4, random_state=0),
    EmpiricalBayesianForestRegressor(
        n_estimators=60, weight_threshold=0.3, oob_score=True, random_state=0
    ),
    EmpiricalBayesianForestRegressor(n_estimators=4, keep_responses=False),
    SubsampleForestClassifier(n_estimators=3, random_state=0),
    SubsampleForestRegressor(n_estimators=3, random_state=0),
]


@pytest.fixture
def table(rng):
    """Numbers with holes and strings."""
    number = np.where(rng.uniform(size=120) < 0.1, np.nan, rng.normal(size=120))
    return pd.DataFrame({"number": number, "word": rng.choice(list("abcd"), size=120)})


@pytest.fixture
def y(table, rng):
    return (table["word"] == "a").to_numpy() * 3.0 + rng.normal(size=120)


def fit(model, table, y, weight=None):
    model = copy.deepcopy(model)
    classify = "Classifier" in type(model).__name__
    return model.fit(table, np.where(y > 1, "high", "low") if classify else y, weight)


def assert_same(first, second, table):
    """Everything two fitted estimators can be asked has the same answer."""
    assert type(first) is type(second)
    np.testing.assert_array_equal(first.predict(table), second.predict(table))
    np.testing.assert_array_equal(first.predict_draws(table), second.predict_draws(table))
    np.testing.assert_array_equal(first.feature_importances_, second.feature_importances_)
    np.testing.assert_array_equal(first.feature_names_in_, second.feature_names_in_)
    assert first.schema_ == second.schema_
    assert first.seed_ == second.seed_
    assert first.max_features_ == second.max_features_
    assert first.forest_.trees[0].to_text() == second.forest_.trees[0].to_text()
    kind = "prediction" if getattr(first, "keep_responses", True) else "mean"
    np.testing.assert_array_equal(
        first.predict_interval(table, kind=kind), second.predict_interval(table, kind=kind)
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_loaded_model_answers_the_same(model, table, y, tmp_path):
    fitted = fit(model, table, y)
    fitted.save(tmp_path / "model.bw")
    again = load(tmp_path / "model.bw")
    assert_same(fitted, again, table)
    for name in ("oob_score_", "oob_prediction_", "oob_decision_function_", "classes_"):
        assert hasattr(fitted, name) == hasattr(again, name)
        if hasattr(fitted, name):
            np.testing.assert_array_equal(getattr(again, name), getattr(fitted, name))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_weights_survive_the_file(model, table, y, tmp_path, rng):
    weight = rng.exponential(size=120)
    weight[::10] = 0.0
    fitted = fit(model, table, y, weight)
    fitted.save(tmp_path / "model.bw")
    assert_same(fitted, load(tmp_path / "model.bw"), table)


def test_parameters_survive_the_file(table, y, tmp_path):
    model = BayesianForestRegressor(
        n_estimators=np.int64(3), max_features=0.5, max_depth=4, min_samples_leaf=0.05, n_jobs=1
    )
    fit(model, table, y).save(tmp_path / "model.bw")
    assert load(tmp_path / "model.bw").get_params() == model.get_params()


def test_several_responses_survive_the_file(table, y, tmp_path):
    fitted = fit(MODELS[4], table, np.c_[y, -y])
    fitted.save(tmp_path / "model.bw")
    again = load(tmp_path / "model.bw")
    np.testing.assert_array_equal(again.predict_interval(table), fitted.predict_interval(table))
    np.testing.assert_array_equal(again.predict_var(table), fitted.predict_var(table))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["é", "zz"]),
        np.array(["é", "zz"], dtype=object),
        np.array([3, 2**60]),
        np.array([1, 2], dtype=np.uint8),
        np.array([False, True]),
        np.array([1.0, 2.0], dtype=np.float32),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_classes_survive_the_file(labels, tmp_path):
    fitted = BayesianForestClassifier(n_estimators=2).fit(
        np.arange(10.0)[:, None], labels.repeat(5)
    )
    fitted.save(tmp_path / "model.bw")
    again = load(tmp_path / "model.bw")
    np.testing.assert_array_equal(again.classes_, fitted.classes_)
    assert again.classes_.dtype == fitted.classes_.dtype


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_joblib_keeps_everything(model, table, y):
    fitted = fit(model, table, y)
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    buffer.seek(0)
    assert_same(fitted, joblib.load(buffer), table)


def test_a_loaded_model_can_be_fitted_again(table, y, tmp_path):
    fitted = fit(MODELS[0], table, y)
    fitted.save(tmp_path / "model.bw")
    again = load(tmp_path / "model.bw")
    again.fit(table, np.where(y > 1, "high", "low"))
    assert_same(fitted, again, table)


def set_in(path, value):
    """A change of the metadata at a path of keys."""

    def change(meta, arrays):
        inner = meta
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


def set_array(name, array):
    """A change of one array; None takes it out."""

    def change(meta, arrays):
        if array is None:
            del arrays[name]
        else:
            arrays[name] = array

    return change


BROKEN = {
    "no seed": (0, lambda meta, arrays: meta.pop("seed"), "lacks 'seed'"),
    "seed is text": (0, set_in(["seed"], "1"), "wrong type"),
    "seed is a bool": (0, set_in(["seed"], True), "wrong type"),
    "seed is negative": (0, set_in(["seed"], -1), "out of range"),
    "seed is too large": (0, set_in(["seed"], 2**64), "out of range"),
    "unknown parameter": (0, set_in(["parameters", "evil"], 1), "no parameter 'evil'"),
    "bad parameter": (0, set_in(["parameters", "n_estimators"], -5), "'n_estimators'"),
    "no classes": (0, lambda meta, arrays: meta.pop("classes"), "lacks 'classes'"),
    "too many classes": (0, set_in(["classes", "labels"], ["a", "b", "c"]), "classes do not match"),
    "classes of a strange type": (0, set_in(["classes", "dtype"], "V8"), "unknown type"),
    "classes of another type": (0, set_in(["classes", "labels"], [1, 2]), "not of type"),
    "the same class twice": (0, set_in(["classes", "labels"], ["a", "a"]), "twice"),
    "classes are no list": (0, set_in(["classes", "labels"], "ab"), "wrong type"),
    "other columns": (0, lambda meta, arrays: meta["schema"]["columns"].pop(), "do not match"),
    "schema is a list": (0, set_in(["schema"], []), "wrong type"),
    "no importances": (0, set_array("importances", None), "lacks the array"),
    "short importances": (0, set_array("importances", np.zeros((1, 2))), "unusable array"),
    "NaN importances": (0, set_array("importances", np.full((4, 2), np.nan)), "unusable array"),
    "unknown number": (0, set_in(["numbers", "classes_"], 1), "unusable number"),
    "number is text": (0, set_in(["numbers", "max_features_"], "1"), "unusable number"),
    "single output is a number": (1, set_in(["single_output"], 1), "wrong type"),
    "unknown scheme": (1, set_in(["scheme"], "given"), "do not match"),
    "y too short": (1, set_array("y", np.zeros((3, 1))), "do not match"),
    "y of two columns": (1, set_array("y", np.zeros((120, 2))), "unusable array"),
    "NaN in y": (1, set_array("y", np.full((120, 1), np.nan)), "unusable array"),
    "short weights": (1, set_array("sample_weight", np.ones(3)), "unusable array"),
    "zero weights": (1, set_array("sample_weight", np.zeros(120)), "not positive"),
    "y without rows": (2, set_array("y", np.zeros((120, 1))), "'scheme'"),
    "oob of text": (3, set_array("oob_decision_function_", np.array(["a"])), "unusable array"),
    "no power": (5, lambda meta, arrays: meta["numbers"].pop("calibration_power_"), "lacks"),
    "power of zero": (5, set_in(["numbers", "calibration_power_"], 0.0), "out of range"),
    "power is text": (5, set_in(["numbers", "calibration_power_"], "1"), "wrong type"),
    "no shrinkage": (5, lambda meta, arrays: meta["numbers"].pop("leaf_shrinkage_"), "lacks"),
    "negative shrinkage": (5, set_in(["numbers", "leaf_shrinkage_"], -1.0), "out of range"),
    "negative weight": (5, set_in(["numbers", "randomized_weight_"], -0.5), "out of range"),
    "no offsets": (5, set_array("calibration_offset_", None), "lacks the array"),
    "short offsets": (5, set_array("calibration_offset_", np.zeros(1)), "unusable array"),
    "no class slopes": (5, set_array("calibration_slopes_", None), "lacks the array"),
    "class slopes of zero": (5, set_array("calibration_slopes_", np.zeros(2)), "out of range"),
    "report of other shape": (5, set_array("report_scores", np.zeros((2, 2))), "unusable array"),
    "report of no rows": (5, set_array("report_proba", np.zeros((0, 2))), "differing number"),
    "report of no probabilities": (5, set_array("report_proba", np.full((120, 2), 9.0)), "report"),
    "report of nothing": (5, set_array("report_about", np.full(4, -1.0)), "unusable array"),
    "no factor": (6, set_array("residual_factor_", None), "lacks the array"),
    "negative factor": (6, set_array("residual_factor_", np.array([-1.0])), "negative"),
    "share above one": (6, set_array("residual_share_", np.array([1.5])), "no share"),
    "negative size": (6, set_array("residual_least", np.array([-1.0])), "negative"),
    "falling levels": (6, set_array("level_reached", -np.arange(39.0)[:, None]), "not in order"),
    "broken sizes": (6, set_array("size_feature", np.zeros(3, dtype=np.int32)), "unlawful size"),
    "no members": (6, set_in(["numbers", "size_trees_per_member"], 0), "trees_per_member"),
    "no residuals": (6, set_array("scaled_residuals_", np.zeros((0, 1))), "not in order"),
    "disordered residuals": (
        6,
        set_array("scaled_residuals_", np.array([[1.0], [0.0]])),
        "not in order",
    ),
    "no thirds": (6, set_array("residual_parts", None), "lacks the array"),
    "a fourth third": (6, set_array("residual_parts", np.full((120, 1), 3.0)), "third"),
    "two centres": (6, set_array("spread_centres_", np.zeros((2, 1))), "unusable array"),
    "residual weights of zero": (
        6,
        set_array("residual_weights", np.zeros((120, 1))),
        "residual",
    ),
    "unknown groups": (6, set_array("row_groups", np.full(120, 500)), "left out"),
    "negative threshold": (6, set_in(["weight_threshold"], -1.0), "left out"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_unlawful_states_are_refused(case, table, y):
    which, change, message = BROKEN[case]
    fitted = fit(MODELS[which], table, y)
    meta, arrays, forest = fitted._state()
    meta, arrays = copy.deepcopy(meta), dict(arrays)
    assert type(fitted)._from_state(copy.deepcopy(meta), arrays, forest)
    change(meta, arrays)
    with pytest.raises(BayeswoodError, match=message):
        type(fitted)._from_state(meta, arrays, forest)


def test_a_regression_forest_is_no_classifier(table, y):
    classifier, regressor = fit(MODELS[0], table, y), fit(MODELS[2], table, y)
    meta, arrays, _ = classifier._state()
    with pytest.raises(BayeswoodError, match="do not match its trees"):
        BayesianForestClassifier._from_state(meta, arrays, regressor.forest_)


def test_files_of_unknown_classes_are_refused(table, y, tmp_path, monkeypatch):
    path = tmp_path / "model.bw"
    fit(MODELS[0], table, y).save(path)
    monkeypatch.delitem(ESTIMATORS, "BayesianForestClassifier")
    with pytest.raises(
        BayeswoodError, match="'BayesianForestClassifier', which this version lacks"
    ):
        load(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BayeswoodError, match="nowhere"):
        load(tmp_path / "nowhere.bw")


def test_every_method_has_its_classes():
    assert method_class("bayesian-forest", "classification") is BayesianForestClassifier
    assert method_class("random-forest", "regression") is RandomForestRegressor
    assert method_class("calibrated-forest", "regression") is CalibratedForestRegressor
    assert set(METHODS) == {
        "calibrated-forest",
        "bayesian-forest",
        "random-forest",
        "randomized-trees",
        "safe-bayes-forest",
        "empirical-bayesian-forest",
        "subsample-forest",
        "mcmc-tree",
        "smc-tree",
        "bart",
    }
    assert DEFAULT_METHOD == "calibrated-forest"


@pytest.mark.parametrize(
    ("name", "task", "message"),
    [
        ("oracle", "regression", "no method 'oracle'. The methods are calibrated-forest"),
        ("random-forest", "divination", "Got 'divination'"),
    ],
)
def test_unknown_methods_and_tasks_are_refused(name, task, message):
    with pytest.raises(BayeswoodError, match=message):
        method_class(name, task)


def test_later_parameters_are_kept_where_they_are_used():
    later = {"bootstrap", "max_samples", "class_weight", "warm_start"}
    plain = own_parameters(RandomForestClassifier(3))
    assert not later & set(plain)
    used = own_parameters(RandomForestClassifier(3, bootstrap=False, class_weight={1: 2}))
    assert set(used) - set(plain) == {"bootstrap", "class_weight"}
    assert read_parameters(used)["class_weight"] == {1: 2.0}
    assert "min_samples_split" in own_parameters(RandomizedTreesClassifier())  # from the first


@pytest.mark.parametrize("wrong", [[["a"]], [[None, 1.0]], ["ab"], {"outputs": [[1]]}])
def test_unlawful_class_weights_are_refused(wrong):
    with pytest.raises(BayeswoodError, match="class_weight"):
        RandomForestClassifier._from_parameters({"class_weight": wrong})
