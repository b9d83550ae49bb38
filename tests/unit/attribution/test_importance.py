"""Importances by the size of Shapley values."""

import numpy as np

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.attribution import shap_importances


def test_they_are_mean_sizes(rng):
    X = rng.normal(size=(80, 3))
    found = BayesianForestRegressor(5, random_state=0).fit(X, X[:, 1]).shap_values(X)
    ranked = shap_importances(found)
    assert ranked.names[0] == "x1"
    np.testing.assert_allclose(ranked.mean[0], abs(found.values[:, 1]).mean())
    assert ranked.lower is None


def test_bands_are_over_members_and_outputs_add_up(rng):
    X = rng.normal(size=(80, 3))
    forest = BayesianForestClassifier(30, random_state=0).fit(X, np.digitize(X[:, 2], [-0.5, 0.5]))
    found = forest.shap_values(X, draws=True)
    ranked = shap_importances(found, coverage=0.5)
    of_members = np.sort(abs(found.values).mean(axis=1).sum(axis=-1)[:, 2])
    assert ranked.names[0] == "x2"
    assert ranked.lower[0] == of_members[7]  # of 30, the first with a quarter at or below it
    assert ranked.upper[0] == of_members[22]


def test_a_column_of_noise_with_many_values_is_not_favoured(rng):
    noise, coin = rng.normal(size=1000), rng.integers(2, size=1000)
    y = 0.6 * coin + rng.normal(size=1000)
    X = np.column_stack([noise, coin])
    forest = BayesianForestRegressor(50, min_samples_leaf=20, random_state=0).fit(X, y)
    assert forest.feature_importances_[0] > forest.feature_importances_[1]  # as impurity has it
    fresh = np.column_stack([rng.normal(size=400), rng.integers(2, size=400)])
    assert shap_importances(forest.shap_values(fresh)).names[0] == "x1"
