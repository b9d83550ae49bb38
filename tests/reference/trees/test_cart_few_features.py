"""Class trees that look at few features: vector lanes, bins of codes and bins of sums."""

from dataclasses import replace

import numpy as np
import pytest
from native_grower import assert_same_bits, grow_native
from random_tables import random_problem
from tree_verdict import verify_tree

from bayeswood import _core

KINDS = ("normal", "rounded", "integer", "tailed", "rounded")  # of many and of few values


def class_problem(rng, n, n_classes, **options):
    """Classes that follow the first column, so that deep nodes keep only some of them."""
    problem = random_problem(rng, n, KINDS, "multiclass", **options)
    signal = np.nan_to_num(problem.X[:, 0]) + 0.3 * rng.normal(size=n)
    ranks = np.argsort(np.argsort(signal))
    y = (ranks * n_classes // n).astype(problem.y.dtype)
    noisy = rng.random(n) < 0.1
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    return replace(problem, y=y, n_classes=n_classes, weight=rng.exponential(size=n))


def verify_few(problem, max_features=2, tie_order=True):
    """Every node is the best of its feature, and the same bits come from all kernels."""
    forests = [
        grow_native(problem, max_features=max_features, instruction_set=name)[0]
        for name in _core.instruction_sets()
    ]
    for forest in forests[1:]:
        assert_same_bits(forests[0], forest)
    return verify_tree(forests[0].tree(0), problem, all_features=False, tie_order=tie_order)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 10, 16, 17])
@pytest.mark.parametrize("n", [3, 30, 170, 900])
def test_every_node_is_the_best_of_its_feature(rng, n, n_classes, missing):
    for max_features in (1, 2):
        verify_few(class_problem(rng, n, n_classes, missing=missing), max_features)


@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize(
    "limits", [{"min_samples_leaf": 6}, {"min_weight_fraction_leaf": 0.02}, {"max_depth": 3}]
)
def test_limits_hold(rng, n_classes, limits):
    verify_few(class_problem(rng, 1200, n_classes, missing=0.05, **limits))


@pytest.mark.parametrize("n_classes", [2, 10])
def test_one_feature_among_constant_ones_gives_the_twins_tree(rng, n_classes):
    """Features are drawn until one can be cut: every cut is the best of all."""
    problem = class_problem(rng, 1500, n_classes)
    X = np.zeros_like(problem.X)
    X[:, 3] = problem.X[:, 0]
    forest, _ = grow_native(replace(problem, X=X), max_features=1)
    assert verify_tree(forest.tree(0), replace(problem, X=X)).n_nodes > 50


@pytest.mark.parametrize("n_classes", [2, 10])
def test_a_row_of_hardly_any_weight_is_split_off(rng, n_classes):
    """What rounding leaves of a sum is not taken for a gain, though it may choose among ties."""
    problem = class_problem(rng, 400, n_classes)
    weight = problem.weight.copy()
    weight[::50] = 1e-5
    y = np.zeros_like(problem.y)
    y[::50] = 1
    verify_few(replace(problem, y=y, weight=weight), tie_order=False)


@pytest.mark.parametrize("n", [13_000, 40_000])
def test_large_nodes_of_two_classes(rng, n):
    verify_few(class_problem(rng, n, 2, max_depth=4))
