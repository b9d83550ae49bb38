"""Shapley values of every estimator: they sum to what it predicts."""

import re

import numpy as np
import pytest
from sklearn.base import is_classifier

import bayeswood
from bayeswood.errors import BayeswoodError
from bayeswood.methods.registry import ESTIMATORS

FEW = {
    "MCMC": {"n_chains": 2, "n_burn_in": 40, "n_draws": 20},
    "SMC": {"n_particles": 20, "n_islands": 2},
    "BART": {"n_estimators": 5, "n_chains": 2, "n_burn_in": 10, "n_draws": 5},
    "Calibrated": {"n_estimators": 20},
}


def made(name, **options):
    few = next((o for start, o in FEW.items() if name.startswith(start)), {"n_estimators": 6})
    return ESTIMATORS[name](random_state=0, **{**few, **options})


def table(rng, n_classes):
    X = rng.normal(size=(120, 4))
    X[rng.random((120, 4)) < 0.05] = np.nan
    X[:, 3] = rng.integers(0, 3, 120)
    f = np.nan_to_num(X[:, 0]) + (X[:, 3] == 1) * np.nan_to_num(X[:, 1])
    y = np.digitize(f, [0.0] if n_classes == 2 else [-0.4, 0.6]) if n_classes else f
    return X, y


def fitted(name, rng, n_classes=3, **options):
    X, y = table(rng, n_classes if name.endswith("Classifier") else 0)
    model = made(name, categorical_features=[3], **options)
    return model.fit(X, y), X[:7]


def answer(model, rows):
    return model.predict_proba(rows) if is_classifier(model) else model.predict(rows)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_they_sum_to_the_prediction(name, rng):
    model, rows = fitted(name, rng)
    found = model.shap_values(rows)
    assert found.shape == ((7, 4, 3) if is_classifier(model) else (7, 4))
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, answer(model, rows), atol=1e-9)
    raw = model.shap_values(rows, output="raw")
    assert np.isfinite(raw.values).all()
    assert len(found.feature_names) == 4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_those_of_members_sum_to_what_they_say(name, rng):
    model, rows = fitted(name, rng, 2)
    found = model.shap_values(rows, draws=True)
    assert found.values.shape[1:] == ((7, 4, 2) if is_classifier(model) else (7, 4))
    total = found.base_values + found.values.sum(axis=2)
    if not name.startswith(("CalibratedForestC", "SafeBayes")):  # these lie around the answer
        np.testing.assert_allclose(total, model.predict_draws(rows), atol=1e-9)
    middle = np.tensordot(found.member_weights, total, 1)
    np.testing.assert_allclose(middle, answer(model, rows), atol=1e-9)
    ends = found.interval(0.8)
    assert (ends[..., 0] <= ends[..., 1]).all()
    assert (ends[..., 0] < ends[..., 1]).any()
    np.testing.assert_allclose(found.mean().values, np.tensordot(found.member_weights, found, 1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(ESTIMATORS))
@pytest.mark.parametrize("output", ["prediction", "raw"])
def test_the_mean_of_draws_is_the_value(name, output, rng):
    model, rows = fitted(name, rng)
    plain = model.shap_values(rows, output=output)
    draws = model.shap_values(rows, draws=True, output=output)
    assert (draws.output, draws.is_exact) == (plain.output, plain.is_exact)
    np.testing.assert_allclose(draws.mean().values, plain.values, atol=1e-8)
    np.testing.assert_allclose(draws.mean().base_values, plain.base_values, atol=1e-8)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["CalibratedForestClassifier", "SafeBayesForestRegressor"])
def test_those_against_a_background_sum_too(name, rng):
    model, rows = fitted(name, rng)
    found = model.shap_values(rows, background=rows[2:])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, answer(model, rows), atol=1e-9)
    assert not found.is_exact


def test_sums_beside_trees_in_the_pool(rng):
    X = rng.normal(size=(800, 9))
    y = (X[:, :8].sum(axis=1) + rng.normal(size=800) > 0).astype(int)
    model = bayeswood.CalibratedForestClassifier(20, additive_members=4, random_state=0).fit(X, y)
    assert model.additive_weight_ > 0
    found = model.shap_values(X[:9])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(X[:9]), atol=1e-9)
    sizes = abs(found.values[..., 1]).mean(axis=0)
    assert sizes[8] < sizes[:8].min()
    bands = model.shap_values(X[:9], draws=True).interval(0.9)
    middle = bands.mean(axis=-1)
    assert np.corrcoef(middle.ravel(), found.values.ravel())[0, 1] > 0.9


def test_hard_votes(rng):
    model, rows = fitted("RandomForestClassifier", rng, voting="hard")
    found = model.shap_values(rows)
    assert found.is_exact
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(rows), atol=1e-12)


def test_several_responses(rng):
    X = rng.normal(size=(60, 3))
    model = bayeswood.RandomForestRegressor(5, random_state=0).fit(X, X[:, :2])
    found = model.shap_values(X[:4])
    np.testing.assert_allclose(
        found.base_values + found.values.sum(axis=1), model.predict(X[:4]), atol=1e-12
    )
    assert found.output_names == ("y0", "y1")
    np.testing.assert_array_equal(found.of_output("y1").values, found.values[..., 1])


def test_pairs_sum_to_values(rng):
    model, rows = fitted("BayesianForestClassifier", rng)
    pairs = model.shap_values(rows, interactions=True)
    np.testing.assert_allclose(pairs.values.sum(axis=2), model.shap_values(rows), atol=1e-12)
    np.testing.assert_allclose(pairs.values, np.swapaxes(pairs.values, 1, 2), atol=1e-15)


@pytest.mark.filterwarnings("ignore")
def test_no_pairs_of_what_is_no_sum(rng):
    model, rows = fitted("SafeBayesForestClassifier", rng)
    with pytest.raises(BayeswoodError, match="this prediction is none"):
        model.shap_values(rows, interactions=True)
    assert model.shap_values(rows, interactions=True, output="raw").shape == (7, 4, 4, 3)


def test_bands_need_draws(rng):
    model, rows = fitted("RandomForestRegressor", rng)
    with pytest.raises(BayeswoodError, match="draws=True"):
        model.shap_values(rows).interval()
    with pytest.raises(BayeswoodError, match="'output' parameter of RandomForestRegressor"):
        model.shap_values(rows, output="margin")


def test_levels_have_names():
    X = np.array([["red"], ["blue"], ["red"], ["green"]] * 5, dtype=object)
    model = bayeswood.RandomForestRegressor(3, random_state=0).fit(X, np.arange(20.0))
    found = model.shap_values(X[:2])
    assert found.data.tolist() == [["red"], ["blue"]]
    assert "prediction" in repr(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize(
    "name", ["BayesianForestRegressor", "BARTClassifier", "SafeBayesForestRegressor"]
)
def test_progress_counts_rows_once(name, draws, rng, monkeypatch, capsys):
    monkeypatch.setattr("bayeswood.methods.base.attributions._LONG", 1)
    model, _ = fitted(name, rng, n_jobs=1)
    capsys.readouterr()
    model.set_params(verbose=1).shap_values(np.zeros((700, 4)), draws=draws)
    lines = capsys.readouterr().err.splitlines()
    done = [int(re.search(r"(\d[\d,]*)/700 rows", line)[1]) for line in lines]
    assert done == sorted(done)
    assert done[-1] == 700
