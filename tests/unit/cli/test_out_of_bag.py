"""A fit without rows held out is judged by the rows that trees left out."""

import numpy as np
import pytest
from cli_cases import run, run_json

import bayeswood
from bayeswood.cli.out_of_bag import OutOfBag
from bayeswood.datasets import load_wine

WINE = "builtin:wine"


@pytest.mark.parametrize("method", ["random-forest", "calibrated-forest"])
@pytest.mark.parametrize(("task", "name"), [("classification", "accuracy"), ("regression", "r2")])
def test_the_score_is_the_estimators(method, task, name, tmp_path):
    options = ("fit", WINE, "-m", method, "-n", 20, "--task", task, "--seed", 3)
    found = run_json(*options, "--out", tmp_path / "model.bw")["out_of_bag"]
    kind = {"random": "RandomForest", "calibrated": "CalibratedForest"}[method.split("-")[0]]
    cls = getattr(bayeswood, kind + {"c": "Classifier", "r": "Regressor"}[task[0]])
    asked = {"oob_score": True} if method == "random-forest" else {}
    wine = load_wine(as_frame=True)
    estimator = cls(20, random_state=3, **asked).fit(wine.data.astype(float), wine.target)
    assert found[name] == pytest.approx(estimator.oob_score_, rel=1e-9)
    assert found["n_rows"] <= 178
    assert set(found) - {"n_rows", name} <= {"log_predictive_probability", "rmse"}
    model = bayeswood.load(tmp_path / "model.bw")
    assert not getattr(model, "oob_score", False)
    if method == "random-forest":
        assert not [n for n in vars(model) if n.startswith("oob_") and n != "oob_score"]
        assert model.forest_.digest == estimator.forest_.digest


def test_weights_count():
    wine = load_wine()
    weights = np.arange(178) % 3 + 0.5
    estimator = bayeswood.RandomForestClassifier(20, random_state=0)
    left_out = OutOfBag(estimator)
    estimator.fit(wine.data, wine.target, weights)
    expected = estimator.oob_score_
    assert left_out.take(wine.target, weights)["accuracy"] == pytest.approx(expected, rel=1e-12)
    estimator = bayeswood.RandomForestRegressor(20, random_state=0)
    left_out = OutOfBag(estimator)
    estimator.fit(wine.data, wine.target, weights)
    expected = estimator.oob_score_
    assert left_out.take(wine.target, weights)["r2"] == pytest.approx(expected, rel=1e-12)


def test_who_asked_for_it_keeps_it(tmp_path):
    run(
        "fit", WINE, "-m", "random-forest", "-n", 9, "-p", "oob_score=true", "-o", tmp_path / "m.bw"
    )
    model = bayeswood.load(tmp_path / "m.bw")
    assert model.oob_score
    assert model.oob_decision_function_.shape == (178, 3)


def test_words():
    out = run("fit", WINE, "-n", 40).stdout
    assert "Out of bag: 178 rows, each by the trees that left it out" in out
    out = run("fit", WINE, "-n", 9, "-m", "bayesian-forest").stdout
    assert "there is no out-of-bag" in out
    assert "-p weight_threshold=0.7" in out
    out = run("fit", WINE, "-n", 9, "-m", "bayesian-forest", "-p", "weight_threshold=0.7").stdout
    assert "Out of bag" in out
    out = run("fit", WINE, "-n", 9, "-m", "safe-bayes-forest").stdout
    assert "weight_threshold" not in out
    assert "--test-size" in out
    assert "bag" not in run("fit", WINE, "-n", 9, "--test-size", 0.3).stdout


def test_sums_of_trees_are_called_so(tmp_path):
    chain = ("-p", "n_draws=10", "-p", "n_burn_in=10", "-p", "n_chains=1", "-n", 6)
    out = run("fit", WINE, "-m", "bart", *chain, "-o", tmp_path / "m.bw").stdout
    assert "Importance ± spread over the sums of trees" in out
    assert "sums of trees  10 sums of 18 trees; a tree has" in run("info", tmp_path / "m.bw").stdout
    assert "of the sums of trees vote" in run("evaluate", tmp_path / "m.bw", WINE).stdout
    out = run("predict", tmp_path / "m.bw", WINE, "-o", tmp_path / "p.csv").stdout
    assert "of the sums of trees agree" in out
