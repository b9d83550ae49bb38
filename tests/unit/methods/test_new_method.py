"""What a new method costs: one short file with its own predictive, and all else comes with it."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayeswood import load
from bayeswood.methods.registry import ESTIMATORS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from tempered_forest import TemperedForestClassifier  # noqa: E402


def test_it_takes_sixty_lines_at_most():
    assert len((HERE / "tempered_forest.py").read_text().splitlines()) <= 60


@parametrize_with_checks([TemperedForestClassifier(n_estimators=5, random_state=0)])
def test_it_keeps_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.fixture
def fitted():
    X, y = load_iris(return_X_y=True)
    forest = TemperedForestClassifier(n_estimators=8, temper=3.0, random_state=0)
    return forest.fit(X, y), X


def test_it_predicts_by_its_own_rule(fitted):
    forest, X = fitted
    expected = forest.forest_.predict(X) ** 3
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(forest.predict_proba(X), expected)
    assert forest.temper_ == 3.0
    assert forest.predict_interval(X).shape == (150, 3, 2)
    assert forest.uncertainty(X).total.shape == (150,)


def test_it_saves_and_loads(fitted, tmp_path, monkeypatch):
    forest, X = fitted
    forest.save(tmp_path / "model")
    monkeypatch.setitem(ESTIMATORS, "TemperedForestClassifier", TemperedForestClassifier)
    again = load(tmp_path / "model")
    assert type(again) is TemperedForestClassifier
    assert again.temper_ == 3.0
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))
