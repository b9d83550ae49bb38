"""Trees of fixed weights whose answer is worked out by hand."""

import numpy as np
from cart_twin import Problem, Settings
from native_grower import grow_native
from test_cart_twin import D5_WEIGHTS, D5_X, D5_Y


def fixed_tree(weight, **settings):
    problem = Problem(D5_X, D5_Y, weight, np.zeros(2, int), Settings(**settings))
    return grow_native(problem)[0].tree(0)


def assert_tree(tree, feature, threshold, n_samples, weight, value):
    assert tree["feature"].tolist() == feature
    inner = tree["feature"] >= 0
    assert tree["threshold"][inner].tolist() == threshold
    assert tree["n_samples"].tolist() == n_samples
    np.testing.assert_allclose(tree["weight"], weight, rtol=1e-6)
    value, found = np.array(value), tree["value"][:, 0]
    np.testing.assert_allclose(found[~inner], value[~inner], rtol=1e-12)
    # Inner nodes are averaged over the leaves by weights in single precision.
    np.testing.assert_allclose(found[inner], value[inner], rtol=1e-7)


def test_weighted():
    assert_tree(
        fixed_tree(D5_WEIGHTS, max_depth=2),
        [0, 0, 1, -1, -1, -1, -1],
        [1.5, 0.5, 3.0],
        [6, 2, 4, 1, 1, 2, 2],
        [6.0, 2.0, 4.0, 0.3, 1.7, 3.5, 0.5],
        [0.8016666666666669, 0.32, 1.0425, 1.0, 0.2, 0.9742857142857143, 1.52],
    )


def test_unweighted():
    assert_tree(
        fixed_tree(np.ones(6), max_depth=2),
        [1, 1, 0, -1, -1, -1, -1],
        [3.5, 1.5, 3.0],
        [6, 4, 2, 2, 2, 1, 1],
        [6, 4, 2, 2, 2, 1, 1],
        [1.1, 0.8, 1.7, 0.55, 1.05, 1.4, 2.0],
    )


def test_minimum_weight():
    assert_tree(
        fixed_tree(D5_WEIGHTS, max_depth=2, min_weight_fraction_leaf=0.2),
        [0, -1, 1, -1, -1],
        [1.5, 1.0],
        [6, 2, 4, 1, 3],
        [6.0, 2.0, 4.0, 2.2, 1.8],
        [0.8016666666666669, 0.32, 1.0425, 0.9, 1.2166666666666668],
    )


def test_decrease_of_impurity():
    """Importances are shares of the root's weighted squared error."""
    problem = Problem(D5_X, D5_Y, D5_WEIGHTS, np.zeros(2, int), Settings(max_depth=2))
    _, importances = grow_native(problem)
    mean = D5_WEIGHTS @ D5_Y[:, 0] / 6
    total = D5_WEIGHTS @ (D5_Y[:, 0] - mean) ** 2
    left = 0.3 * 1.7 / 2.0 * 0.8**2
    by_first = total - 0.354975 + left
    by_second = 0.354975 - left - 0.061485714285714324
    np.testing.assert_allclose(importances[0], np.array([by_first, by_second]) / total, rtol=1e-9)
