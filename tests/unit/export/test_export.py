"""Models that are special in some way, refusals, and what comes with the files."""

import ctypes
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_regression
from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError

from bayeswood import (
    BARTClassifier,
    BayesianForestClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    CalibratedForestClassifier,
    RandomForestClassifier,
    export,
    from_sklearn,
)

spec = importlib.util.spec_from_file_location(
    "every_estimator", Path(__file__).with_name("test_every_estimator.py")
)
every = importlib.util.module_from_spec(spec)
spec.loader.exec_module(every)


def onnx_session(model, **options):
    pytest.importorskip("onnx", reason="needs the extra 'export'")
    runtime = pytest.importorskip("onnxruntime", reason="needs the extra 'export'")
    made = export.to_onnx(model, **options).SerializeToString()
    return runtime.InferenceSession(made, providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def many_classes():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 4))
    return X, rng.integers(0, 150, 600)


@pytest.fixture(
    scope="module", params=["hard votes", "many classes", "several responses", "boosting", "theirs"]
)
def special(request, iris):
    """A model, rows, and what it says of them."""
    X, y = iris
    if request.param == "hard votes":
        model = RandomForestClassifier(7, voting="hard", random_state=0).fit(X, y)
    elif request.param == "many classes":
        X, y = many_classes()
        model = BayesianForestClassifier(5, random_state=0).fit(X, y)
    elif request.param == "several responses":
        X, y = make_regression(100, 4, n_targets=3, random_state=0)
        model = BayesianForestRegressor(5, random_state=0).fit(X, y)
    elif request.param == "boosting":
        model = from_sklearn(GradientBoostingClassifier(n_estimators=5).fit(X, y))
    else:
        X, y = make_regression(100, 4, random_state=0)
        model = from_sklearn(RandomForestRegressor(5, random_state=0).fit(X, y))
    is_classes = hasattr(model, "classes_")
    answer = model.predict_proba(X) if is_classes else model.predict(X).reshape(len(X), -1)
    return request.param, model, np.ascontiguousarray(X), answer


def test_special_models_in_c(special, tmp_path):
    name, model, X, answer = special
    export.to_c(model, tmp_path / "model.c")
    found = every.run_c(every.compiled(tmp_path / "model.c"), X, answer.shape[1])
    if name == "boosting":
        assert every.relative(found, answer) < every.DIGITS
    else:
        assert (found == answer).all()


def test_special_models_in_onnx(special):
    _, model, X, answer = special
    found = onnx_session(model).run(None, {"X": X})[-1]
    assert every.relative(found, answer) < every.DIGITS


def test_special_models_in_treelite(special):
    treelite = pytest.importorskip("treelite", reason="needs the extra 'export'")
    name, model, X, answer = special
    found = treelite.gtil.predict(export.to_treelite(model), X, nthread=1).reshape(answer.shape)
    assert every.relative(found, answer) < (every.SINGLE if name == "boosting" else every.DIGITS)


@pytest.mark.filterwarnings("ignore")
def test_probits(iris, tmp_path):
    X, y = iris
    model = BARTClassifier(4, n_chains=1, n_burn_in=5, n_draws=10, random_state=0)
    model.fit(X, y == 1)
    export.to_c(model, tmp_path / "model.c")
    found = every.run_c(every.compiled(tmp_path / "model.c"), X, 2)
    assert every.relative(found, model.predict_proba(X)) < every.DIGITS
    label, probabilities = onnx_session(model).run(None, {"X": X})
    # The error function of onnxruntime is one of float32.
    assert every.relative(probabilities, model.predict_proba(X)) < every.SINGLE
    assert (label == model.predict(X)).all()


def test_labels_of_numbers_stay_numbers(iris):
    X, y = iris
    model = BayesianForestClassifier(5, random_state=0).fit(X, y + 10)
    label = onnx_session(model).run(["label"], {"X": X})[0]
    assert label.dtype == np.int64
    assert (label == model.predict(X)).all()


def test_c_knows_classes_columns_and_levels(fit_case, tmp_path):
    case = fit_case("BayesianForestClassifier")
    export.to_c(case.model, tmp_path / "model.c", name="m2")
    library = every.compiled(tmp_path / "model.c")
    words = ctypes.c_char_p * 4
    assert words.in_dll(library, "m2_columns")[3] == b"sex"
    library.m2_level.restype = ctypes.c_double
    levels = [column.levels for column in case.model.schema_.columns]
    for column in (2, 3):
        for number, level in enumerate(levels[column]):
            assert library.m2_level(ctypes.c_size_t(column), level.encode()) == number
    assert np.isnan(library.m2_level(ctypes.c_size_t(3), b"never seen"))
    rows = export.encode(case.model, case.rows)
    library.m2_class.restype = ctypes.c_size_t
    found = [library.m2_class(ctypes.c_void_p(row.ctypes.data)) for row in rows[:100]]
    assert (case.model.classes_[found] == case.model.predict(case.rows[:100])).all()


def test_json_file(iris, tmp_path):
    X, y = iris
    model = BayesianForestClassifier(2, random_state=0).fit(X, y)
    export.to_json(model, tmp_path / "model.json")
    plain = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert plain == export.to_dict(model)
    assert plain["classes"] == [0, 1, 2]
    assert (plain["format"], plain["version"]) == ("bayeswood-model", 1)


def test_refusals(iris, tmp_path):
    X, y = iris
    with pytest.raises(NotFittedError, match="not fitted yet"):
        export.to_dict(BayesianForestClassifier())
    with pytest.raises(BayeswoodError, match="must be a fitted estimator of bayeswood"):
        export.to_dict([1])
    model = BayesianForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(BayeswoodError, match="'name' parameter of to_c must be letters"):
        export.to_c(model, tmp_path / "model.c", name="2; int main")


@pytest.mark.parametrize("package", ["onnx", "treelite"])
def test_a_package_that_is_not_there_is_named(package, iris, monkeypatch):
    model = BayesianForestClassifier(2, random_state=0).fit(*iris)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.model_builder", None)
    with pytest.raises(BayeswoodError, match=rf"needs the package {package}.*bayeswood\[export\]"):
        getattr(export, f"to_{package}")(model)


def test_export_is_imported_at_first_use():
    asked = "import sys, bayeswood; print('bayeswood.export' in sys.modules); bayeswood.export.to_c"
    result = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "False\n")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pools_with_boosted_sums(n_classes, tmp_path):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 8))
    y = np.digitize(X.sum(axis=1), [-1.0, 2.0][: n_classes - 1])
    model = CalibratedForestClassifier(8, random_state=0).fit(X, y)
    assert model.predictive_.additive_sums is not None
    expected = model.predict_proba(X)
    export.to_c(model, tmp_path / "model.c")
    found = every.run_c(every.compiled(tmp_path / "model.c"), X, n_classes)
    assert every.relative(found, expected) < every.DIGITS
    plain = json.loads(json.dumps(export.to_dict(model)))
    assert every.relative(every.twin.predict(plain, X[:20]), expected[:20]) < 1e-13
    assert every.relative(onnx_session(model).run(None, {"X": X})[1], expected) < every.DIGITS
    interval = onnx_session(model, coverage=0.9).run(["interval"], {"X": X})[0]
    assert np.abs(interval - model.predict_interval(X)).max() < 1e-9
