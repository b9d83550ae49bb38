"""A fitted estimator is a forest and a predictive, and its predictions are the two together."""

import dataclasses
import sys
import warnings

import numpy as np
import pytest

import bayeswood
from bayeswood import BayeswoodError, _core
from bayeswood.methods.base.predictive import ClassPredictive, LeafResponses, NumberPredictive
from bayeswood.methods.registry import ESTIMATORS
from bayeswood.methods.safe_bayes.class_posterior import ClassPosterior
from bayeswood.methods.safe_bayes.number_posterior import NumberPosterior

SMALL = {
    "n_estimators": 20,
    "n_chains": 2,
    "n_burn_in": 60,
    "n_draws": 60,
    "n_particles": 30,
    "random_state": 0,
}
# Parameters under which an estimator has another predictive than at its defaults.
OTHERS = [
    ("RandomForestClassifier", {"voting": "hard"}),
    ("CalibratedForestClassifier", {"calibration": None}),
    ("CalibratedForestRegressor", {"interval": "leaves"}),
    ("CalibratedForestRegressor", {"keep_responses": False}),
    ("BayesianForestRegressor", {"keep_responses": False}),
    ("SafeBayesForestClassifier", {"pooling": "power"}),
    ("SafeBayesForestClassifier", {"pooling": "power", "prune_average": False}),
    ("SafeBayesForestRegressor", {"pooling": "power"}),
]
CASES = [*((name, {}) for name in ESTIMATORS), *OTHERS]
LEVELS = np.array([0.1, 0.5])

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def make(name, given):
    """An estimator of few trees."""
    cls = ESTIMATORS[name]
    known = cls._get_param_names()
    return cls(**{**{n: v for n, v in SMALL.items() if n in known}, **given})


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(120, 3))
    X[rng.uniform(size=X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=120) / 2
    return X, y, np.digitize(y, [-0.5, 0.5])


@pytest.fixture(scope="module")
def fitted(table):
    """Every case, fitted when first asked for."""
    made = {}

    def fit(name, given):
        key = (name, *sorted(given.items()))
        if key not in made:
            X, numbers, classes = table
            y = classes if "Classifier" in name else numbers
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made[key] = make(name, given).fit(X, y)
        return made[key]

    return fit


every = pytest.mark.parametrize(("name", "given"), CASES, ids=lambda v: str(v))


def ask_all(predictive, forest, X, n_jobs=1):
    """All answers of a predictive, as `predict*` gives them for one response."""
    if isinstance(predictive, ClassPredictive):
        found = {
            "predict_proba": predictive.probabilities(forest, X, n_jobs),
            "predict_quantiles": predictive.quantiles(forest, X, LEVELS, n_jobs),
        }
        parts = predictive.entropy_parts(forest, X, n_jobs)
    else:
        found = {
            "predict": predictive.mean(forest, X, n_jobs)[:, 0],
            "quantiles_of_mean": predictive.quantiles_of_mean(forest, X, LEVELS, n_jobs)[:, 0],
            "variance_of_mean": predictive.variance_of_mean(forest, X, n_jobs)[:, 0],
        }
        if not predictive.gives_distribution:
            return found
        found["predict_quantiles"] = predictive.quantiles(forest, X, LEVELS, n_jobs)[:, 0]
        parts = predictive.variance_parts(forest, X, n_jobs)
    return found | {n: getattr(parts, n).squeeze() for n in ("total", "data", "knowledge")}


def ask_estimator(model, X):
    """The same of the estimator."""
    if hasattr(model, "predict_proba"):
        found = {
            "predict_proba": model.predict_proba(X),
            "predict_quantiles": model.predict_quantiles(X, LEVELS),
        }
    else:
        found = {
            "predict": model.predict(X),
            "quantiles_of_mean": model.predict_quantiles(X, LEVELS, kind="mean"),
            "variance_of_mean": model.predict_var(X, kind="mean"),
        }
        if not model.predictive_.gives_distribution:
            return found
        found["predict_quantiles"] = model.predict_quantiles(X, LEVELS)
    parts = model.uncertainty(X)
    return found | {n: getattr(parts, n) for n in ("total", "data", "knowledge")}


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


@every
def test_predictions_are_forest_and_predictive_together(name, given, fitted, table):
    model, X = fitted(name, given), table[0]
    kind = ClassPredictive if "Classifier" in name else NumberPredictive
    assert isinstance(model.predictive_, kind)
    assert_same(ask_all(model.predictive_, model.forest_, X), ask_estimator(model, X))


@every
def test_arrays_make_the_same_predictive_again(name, given, fitted, table):
    model, X = fitted(name, given), table[0]
    arrays = model.predictive_.arrays()
    assert all(isinstance(array, np.ndarray) for array in arrays.values())
    again = type(model.predictive_).from_arrays(arrays, model.forest_)
    assert_same(ask_all(again, model.forest_, X), ask_estimator(model, X))


@every
def test_predictives_do_not_change(name, given, fitted):
    predictive = fitted(name, given).predictive_
    fields = dataclasses.fields(predictive)
    for field in fields:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(predictive, field.name, None)


@every
def test_files_hold_the_same_predictive(name, given, fitted, table, tmp_path):
    model, X = fitted(name, given), table[0]
    model.save(tmp_path / "model")
    again = bayeswood.load(tmp_path / "model")
    assert type(again.predictive_) is type(model.predictive_)
    assert_same(ask_estimator(again, X), ask_estimator(model, X))


def test_what_is_not_known_is_said():
    with pytest.raises(BayeswoodError, match=r"Forest.predict_var needs .* keep_responses=True"):
        LeafResponses().check("Forest.predict_var")


# --- from `fit` to the native call ----------------------------------------------------------------


NATIVE = [
    (_core, "grow_forest"),
    (_core, "sample_tree_chains"),
    (_core, "sample_particles"),
    (_core, "sum_sampler"),  # and its `run`, called from as deep
]
# Their one line is the call; methods of native objects cannot be replaced.
CALLERS = [(ClassPosterior, "_native_add"), (NumberPosterior, "_native_add")]


def own_frames():
    """Frames of the package on the stack."""
    frame, own = sys._getframe(1), 0
    while frame is not None:
        own += frame.f_globals.get("__name__", "").startswith("bayeswood.")
        frame = frame.f_back
    return own


@pytest.fixture
def depths(monkeypatch):
    """How many frames of the package lie above each native call that grows or counts."""
    seen = []

    def watch(owner, name, of_the_caller):
        native = getattr(owner, name)

        def noting(*arguments, **keywords):
            seen.append(own_frames() + of_the_caller)
            return native(*arguments, **keywords)

        monkeypatch.setattr(owner, name, noting)

    for owner, name in NATIVE:
        watch(owner, name, 0)
    for owner, name in CALLERS:
        watch(owner, name, 1)
    return seen


@pytest.mark.parametrize("name", ESTIMATORS)
def test_few_frames_lie_between_fit_and_the_native_call(name, table, depths):
    X, numbers, classes = table
    make(name, {"n_jobs": 1}).fit(X, classes if "Classifier" in name else numbers)
    assert depths
    assert max(depths) <= 5


@pytest.mark.parametrize("name", ESTIMATORS)
def test_warnings_point_at_the_users_line(name, table):
    X, numbers, classes = table
    y = classes if "Classifier" in name else numbers
    model = make(name, {})
    with pytest.warns(UserWarning, match="column-vector y") as caught:
        model.fit(X, y[:, None])
    assert {warning.filename for warning in caught} == {__file__}


WARNING_FITS = [
    ("RandomForestClassifier", {"n_estimators": 1, "oob_score": True}, "took part in every tree"),
    ("RandomForestRegressor", {"n_estimators": 1, "oob_score": True}, "took part in every tree"),
    ("BayesianForestRegressor", {"weight_threshold": 0.01, "oob_score": True}, "took part"),
    ("CalibratedForestClassifier", {"weight_threshold": 0.0}, "could not be calibrated"),
    ("CalibratedForestRegressor", {"weight_threshold": 0.0}, "could not be calibrated"),
    ("SMCTreeClassifier", {"max_stages": 1}, "stopped after max_stages"),
    ("SMCTreeRegressor", {"max_stages": 1}, "stopped after max_stages"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "words"), WARNING_FITS, ids=lambda v: str(v)[:30])
def test_warnings_of_a_fit_point_at_the_users_line(name, given, words, table):
    X, numbers, classes = table
    with pytest.warns(UserWarning, match=words) as caught:
        make(name, given).fit(X, classes if "Classifier" in name else numbers)
    assert {warning.filename for warning in caught} == {__file__}


def test_warnings_of_a_prediction_point_at_the_users_line(fitted, table):
    model = fitted("CalibratedForestRegressor", {})
    with pytest.warns(UserWarning, match="CalibratedForestRegressor.predict_interval") as caught:
        model.predict_interval(table[0], coverage=0.9999)
    assert {warning.filename for warning in caught} == {__file__}
