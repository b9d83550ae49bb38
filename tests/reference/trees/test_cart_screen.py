"""Cuts of many classes that are ruled out beforehand would not have been chosen: same bits."""

from dataclasses import replace

import numpy as np
import pytest
from cart_twin import Problem
from native_grower import assert_same_bits, grow_native
from random_tables import random_problem
from tree_verdict import verify_tree

# A minimum weight that no leaf misses: cuts are then all scored, for it may forbid the best.
SCORES_ALL = 1e-300


def clouds(rng, n, n_classes, weights="unit", missing=0.0, **settings):
    """Classes around centres; half of the columns have ties."""
    kinds = ("normal", "normal", "rounded", "integer")
    problem = random_problem(rng, n, kinds, "multiclass", weights, missing=missing, **settings)
    y = rng.integers(n_classes, size=n).astype(np.int32)
    X = problem.X + rng.normal(size=(n_classes, len(kinds)))[y].round(1)
    return replace(problem, X=X, y=y, n_classes=n_classes)


def scored_all(problem: Problem) -> Problem:
    settings = replace(problem.settings, min_weight_fraction_leaf=SCORES_ALL)
    return replace(problem, settings=settings)


@pytest.mark.parametrize("max_features", [1, 4])
@pytest.mark.parametrize("n_classes", [3, 12, 30, 200])
@pytest.mark.parametrize("weights", ["unit", "counts", "uneven"])
def test_the_same_trees_as_without(rng, n_classes, weights, max_features):
    problem = clouds(rng, 1500, n_classes, weights, missing=0.1 * (n_classes == 12))
    for scheme in ("given", "exponential"):
        options = {"scheme": scheme, "max_features": max_features, "n_trees": 1}
        forest, importances = grow_native(problem, **options)
        expected, expected_importances = grow_native(scored_all(problem), **options)
        assert_same_bits(forest, expected)
        np.testing.assert_array_equal(importances, expected_importances)
        portable, _ = grow_native(problem, instruction_set="portable", **options)
        assert_same_bits(portable, expected)


@pytest.mark.parametrize("lowest", [-13, -40, -320])
@pytest.mark.parametrize("highest", [3, 100])
def test_rows_that_count_for_nearly_nothing(rng, lowest, highest):
    """Weights over many orders of magnitude: bounds must allow for what rounding does to them."""
    problem = clouds(rng, 800, 6)
    problem = replace(problem, weight=10.0 ** rng.uniform(lowest, highest, size=800))
    assert_same_bits(grow_native(problem)[0], grow_native(scored_all(problem))[0])


@pytest.mark.parametrize("n_classes", [12, 30])
def test_the_best_cuts(rng, n_classes):
    problem = clouds(rng, 700, n_classes)
    verify_tree(grow_native(problem)[0].tree(0), problem)
