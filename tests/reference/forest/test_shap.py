"""Native Shapley values against their definition."""

from functools import partial

import numpy as np
import pytest
import shap_twin as twin

from bayeswood import BayesianForestClassifier, BayesianForestRegressor, _core


def table(rng, n=60):
    """Numbers with ties and missing values, and a category of five levels."""
    X = np.round(rng.normal(size=(n, 4)), 1)
    X[rng.random((n, 4)) < 0.1] = np.nan
    X[:, 3] = rng.integers(0, 5, n)
    return X


def grown(kind, rng, **options):
    X = table(rng)
    signal = np.nan_to_num(X[:, 0]) * (X[:, 3] > 2) + np.nan_to_num(X[:, 1])
    if kind == "numbers":
        y = np.column_stack([signal, rng.normal(size=len(X))])
        estimator = BayesianForestRegressor
    else:
        y = np.digitize(signal + 0.3 * rng.normal(size=len(X)), [-0.5, 0.7])
        estimator = BayesianForestClassifier
    options = {"n_estimators": 3, "min_samples_leaf": 1, "random_state": 5, **options}
    forest = estimator(**options, categorical_features=[3]).fit(X, y, rng.uniform(0.5, 2, len(X)))
    rows = np.vstack([X[:5], table(rng, 4)])
    rows[-1, 3] = 7  # a level that was not there
    return forest.forest_, rows


def native(forest, rows, **options):
    return _core.shap_values(forest.core, rows, np.ones(forest.n_trees), by_member=True, **options)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
@pytest.mark.parametrize("instructions", ["portable", "auto"])
def test_along_paths(kind, instructions, rng):
    forest, rows = grown(kind, rng)
    found = native(forest, rows, instructions=instructions)
    for tree, of_tree in zip(forest.trees, found, strict=True):
        for row, own in zip(rows, of_tree, strict=True):
            expected = twin.shapley(partial(twin.expectation, tree, row), 4)
            np.testing.assert_allclose(own, expected, atol=1e-12)


def test_bases_are_expectations_of_trees(rng):
    forest, rows = grown("numbers", rng)
    bases = _core.shap_base(forest.core)
    expected = [twin.expectation(tree, rows[0], set()) for tree in forest.trees]
    np.testing.assert_allclose(bases, expected, atol=1e-12)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_against_a_background(kind, rng):
    forest, rows = grown(kind, rng)
    background = table(rng, 6)
    weights = np.ones(forest.n_trees)
    found = _core.shap_against(forest.core, rows, background, weights, by_member=True)
    for tree, of_tree in zip(forest.trees, found, strict=True):
        for row, own in zip(rows[:4], of_tree[:4], strict=True):
            expected = twin.shapley(partial(twin.mixed, tree, row, background), 4)
            np.testing.assert_allclose(own, expected, atol=1e-12)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_pairs(kind, rng):
    forest, rows = grown(kind, rng, n_estimators=1)
    tree = forest.trees[0]
    found = _core.shap_interactions(forest.core, rows, np.ones(1))
    np.testing.assert_allclose(found.sum(axis=2), native(forest, rows)[0], atol=1e-12)
    for row, own in zip(rows[:4], found, strict=False):
        for i, j in [(0, 1), (0, 3), (2, 1)]:
            expected = twin.interaction(partial(twin.expectation, tree, row), i, j, 4)
            np.testing.assert_allclose(own[i, j], expected, atol=1e-12)
            np.testing.assert_allclose(own[j, i], expected, atol=1e-12)


def test_paths_of_many_features(rng):
    X = rng.normal(size=(400, 40))
    forest = BayesianForestRegressor(2, max_features=1, min_samples_leaf=1, random_state=1)
    forest = forest.fit(X, rng.normal(size=400)).forest_
    assert forest.depths.max() > 16
    values = native(forest, X[:50]).sum(axis=2)
    draws = forest.draws(X[:50])
    np.testing.assert_allclose(values + _core.shap_base(forest.core)[:, None], draws, atol=1e-11)
    exact = native(forest, X[:50], instructions="portable")
    np.testing.assert_array_equal(native(forest, X[:50]), exact)
    np.testing.assert_array_equal(native(forest, X[:50], n_jobs=2), exact)


def test_a_leaf_that_no_row_reached(rng):
    forest, rows = grown("numbers", rng, n_estimators=1)
    arrays = forest.to_arrays()
    empty = np.zeros_like(arrays["leaf_weight"])
    assert "leaf_weight" in arrays
    empty[0] = 1.0
    bare = forest.from_arrays({**arrays, "leaf_weight": empty})
    found = native(bare, rows)[0]
    for row, own in zip(rows, found, strict=True):
        expected = twin.shapley(partial(twin.expectation, bare.trees[0], row), 4)
        np.testing.assert_allclose(own, expected, atol=1e-12)
