"""Intervals of numbers as a further output, and columns as inputs, of ONNX models."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_regression
from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor

from bayeswood import (
    BARTClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    CalibratedForestRegressor,
    SubsampleForestRegressor,
    export,
    from_sklearn,
)
from bayeswood import RandomForestRegressor as OurRandomForestRegressor

pandas = pytest.importorskip("pandas")
pytest.importorskip("onnx", reason="needs the extra 'export'")

spec = importlib.util.spec_from_file_location(
    "every_estimator", Path(__file__).with_name("test_every_estimator.py")
)
every = importlib.util.module_from_spec(spec)
spec.loader.exec_module(every)


def interval_in_onnx(model, X, coverage):
    session = every.session_of(model, coverage=coverage)
    return session.run(["interval"], {"X": np.ascontiguousarray(X, dtype=float)})[0]


def lumps(n_targets=1):
    """Responses that come in lumps, and noise that grows."""
    X, y = make_regression(240, 5, n_targets=n_targets, random_state=3)
    rng = np.random.default_rng(0)
    wide = np.abs(X[:, 0]).reshape(-1, *[1] * (y.ndim - 1))
    y = y + 40.0 * wide * rng.normal(size=y.shape)
    return X, np.where(y > 0, np.round(y, -1), 0.0)


SMALL = {"n_estimators": 10, "n_boosting_stages": 5, "random_state": 0}
MODELS = {
    "affine": CalibratedForestRegressor(**SMALL, interval="affine"),
    "one shape": CalibratedForestRegressor(**SMALL, interval="affine", residual_shape="common"),
    "leaves": CalibratedForestRegressor(**SMALL, interval="leaves"),
    "exponential": BayesianForestRegressor(10, random_state=0),
    "bootstrap": OurRandomForestRegressor(10, random_state=0),
    "subsample": SubsampleForestRegressor(10, random_state=0),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("n_targets", [1, 2])
def test_ends_are_ours(kind, n_targets):
    X, y = lumps(n_targets)
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    model = MODELS[kind].fit(X, y, sample_weight=weights)
    for coverage in (0.5, 0.9):
        expected = model.predict_interval(X, coverage=coverage)
        found = interval_in_onnx(model, X, coverage)
        assert np.abs(found - expected.reshape(found.shape)).max() < 1e-9 * np.abs(y).max()


def test_two_accounts_are_mixed_for_each_response():
    X, y = lumps(2)
    model = CalibratedForestRegressor(**SMALL, interval="leaves").fit(X, y)
    shares = zip(model.predictive_.outputs, (0.25, 0.75), strict=True)
    outputs = tuple(replace(one, share=share) for one, share in shares)
    model.predictive_ = replace(model.predictive_, outputs=outputs)
    found = interval_in_onnx(model, X, 0.9)
    assert np.abs(found - model.predict_interval(X)).max() < 1e-9 * np.abs(y).max()


def test_a_perfect_forest_has_points():
    X = np.repeat(np.arange(4.0), 20)[:, None]
    model = CalibratedForestRegressor(**SMALL, interval="affine").fit(X, X[:, 0])
    found = interval_in_onnx(model, X, 0.9)
    assert np.abs(found[:, 0] - model.predict_interval(X)).max() < 1e-9


@pytest.mark.filterwarnings("ignore")
def test_intervals_of_probits_and_of_boosting():
    X, y = load_iris(return_X_y=True)
    probits = BARTClassifier(4, n_chains=1, n_burn_in=5, n_draws=10, random_state=0).fit(X, y == 1)
    found = interval_in_onnx(probits, X, 0.9)
    assert np.abs(found - probits.predict_interval(X)).max() < every.SINGLE
    boosted = from_sklearn(GradientBoostingClassifier(n_estimators=3).fit(X, y))
    assert np.abs(interval_in_onnx(boosted, X, 0.9) - boosted.predict_interval(X)).max() < 1e-12


def test_refusals():
    X, y = lumps()
    forgetful = BayesianForestRegressor(3, keep_responses=False, random_state=0).fit(X, y)
    with pytest.raises(BayeswoodError, match="to_onnx with 'coverage' needs the training resp"):
        export.to_onnx(forgetful, coverage=0.9)
    theirs = from_sklearn(RandomForestRegressor(3, random_state=0).fit(X, y))
    with pytest.raises(BayeswoodError, match="which an adopted forest does not have"):
        export.to_onnx(theirs, coverage=0.9)
    model = BayesianForestRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(BayeswoodError, match="'coverage' parameter of to_onnx must be"):
        export.to_onnx(model, coverage=1.5)


def test_tables_too_large_are_refused(monkeypatch):
    X, y = lumps()
    model = BayesianForestRegressor(3, random_state=0).fit(X, y)
    monkeypatch.setattr("bayeswood.export.onnx_interval._MOST_ENTRIES", 10)
    with pytest.raises(BayeswoodError, match=r"no room for the interval: .* leaves that hold"):
        export.to_onnx(model, coverage=0.9)


def test_levels_of_every_type_are_inputs():
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(
        {
            "v0": rng.normal(size=120),  # as values inside the graph might be called
            "code": pandas.Categorical(rng.choice([7, 5, 2**53 + 1], 120)),
            "flag": rng.random(120) < 0.5,
            "step": pandas.Categorical(rng.choice([0.5, 1.25], 120)),
            "nothing": [None] * 120,
        }
    )
    y = table["v0"] + (table["code"] == 7) + 2.0 * table["flag"] - (table["step"] == 0.5)
    model = BayesianForestRegressor(8, random_state=0).fit(table, y)
    session = every.session_of(model, by_column=True)
    kinds = {given.name: given.type[7:-1] for given in session.get_inputs()}
    assert kinds == {
        "v0": "double", "code": "int64", "flag": "bool", "step": "double", "nothing": "string",
    }  # fmt: skip
    given = {
        "v0": table[["v0"]].to_numpy(),
        "code": table[["code"]].to_numpy(dtype=np.int64),
        "flag": table[["flag"]].to_numpy(),
        "step": table[["step"]].to_numpy(dtype=float),
        "nothing": np.full((120, 1), "", dtype=object),
    }
    assert np.abs(session.run(None, given)[0][:, 0] - model.predict(table)).max() < 1e-12
    # What is no level counts as missing.
    odd = table.assign(code=pandas.Categorical([9] * 120), step=np.nan)
    given |= {"code": np.full((120, 1), 9), "step": np.full((120, 1), np.nan)}
    assert np.abs(session.run(None, given)[0][:, 0] - model.predict(odd)).max() < 1e-12


def test_a_column_called_like_an_output_is_refused():
    table = pandas.DataFrame({"label": [1.0, 2.0, 3.0, 4.0]})
    model = BayesianForestRegressor(2, random_state=0).fit(table, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(BayeswoodError, match=r"'label' is no name for an input\. Rename"):
        export.to_onnx(model, by_column=True)
    export.to_onnx(model)
