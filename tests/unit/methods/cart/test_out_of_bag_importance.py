"""Importances on the rows that trees did without."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import bayeswood
from bayeswood import BayesianForestClassifier, RandomForestClassifier, RandomForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.plots import ImportanceDisplay


@pytest.fixture(scope="module")
def noisy():
    """A column of noise with many values, and one of two values that says something."""
    rng = np.random.default_rng(4)
    noise, coin = rng.normal(size=600), rng.integers(2, size=600)
    return np.column_stack([noise, coin]), coin + rng.normal(size=600)


def test_noise_of_many_values_is_worth_nothing(noisy):
    X, y = noisy
    forest = RandomForestRegressor(100, min_samples_leaf=5, random_state=0).fit(X, y)
    assert forest.feature_importances_[0] > forest.feature_importances_[1]
    found = forest.oob_importances(X, y)
    assert found.names == ("x1", "x0")
    assert found.mean[1] < 0.2 * found.mean[0]
    assert (found.spread > 0).all()
    plt.close(ImportanceDisplay.from_importances(found).figure_)


def test_it_is_the_rise_of_the_out_of_bag_error(noisy):
    X, y = noisy
    forest = RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, y)
    found = forest.oob_importances(X, y, n_repeats=1, rng=3)
    order = np.random.default_rng(3).permutation(len(X))
    shuffled = X.copy()
    shuffled[:, 1] = X[order, 1]
    law, _ = forest._row_law
    sums, counts = forest.forest_.core.predict_oob(shuffled, hard=False, **law.arguments())
    before = np.mean((forest.oob_prediction_ - y) ** 2)
    after = np.mean((sums[:, 0] / counts - y) ** 2)
    assert found.mean[0] == pytest.approx(after - before)


def test_classes_and_random_weights(noisy):
    X, y = noisy
    labels = np.where(y > 0.5, "high", "low")
    for forest in (
        RandomForestClassifier(50, min_samples_leaf=5, random_state=0),
        BayesianForestClassifier(50, min_samples_leaf=5, weight_threshold=0.5, random_state=0),
    ):
        assert forest.fit(X, labels).oob_importances(X, labels).names[0] == "x1"


def test_what_it_needs(noisy, tmp_path):
    X, y = noisy
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    with pytest.raises(BayeswoodError, match="the 600 training rows"):
        forest.oob_importances(X[:5], y[:5])
    with pytest.raises(BayeswoodError, match="'n_repeats' parameter"):
        forest.oob_importances(X, y, n_repeats=0)
    forest.save(tmp_path / "m")
    with pytest.raises(BayeswoodError, match="permutation_importance"):
        bayeswood.load(tmp_path / "m").oob_importances(X, y)
    with pytest.raises(BayeswoodError, match="weight_threshold"):
        BayesianForestClassifier(3, random_state=0).fit(X, y > 0).oob_importances(X, y > 0)
