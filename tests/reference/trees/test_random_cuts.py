"""The native grower of extremely randomised trees against its twin, draw for draw."""

import numpy as np
import pytest
from cart_twin import Problem
from nested_tree import add_gains, assert_same
from random_cut_twin import RandomTree
from random_tables import TARGETS, random_problem

from bayeswood import _core

SEED = 5
NUMBERS = ("normal", "rounded", "integer", "tailed", "offset", "constant", "binary")
MIXED = ("normal", "levels2", "rounded", "levels7", "levels90")


def grow(problem: Problem, max_features: int, n_trees: int = 3, **options):
    """Trees of the problem's own weights."""
    encoded = _core.EncodedMatrix(
        problem.X, problem.n_levels.astype(np.int32), 1, options.pop("max_codes", 65535)
    )
    settings = problem.settings
    forest, importances = _core.grow_forest(
        encoded,
        problem.y,
        None,
        criterion=settings.criterion,
        scheme="given",
        seed=SEED,
        n_trees=n_trees,
        n_classes=problem.n_classes,
        max_features=max_features,
        min_samples_leaf=settings.min_samples_leaf,
        min_weight_fraction_leaf=settings.min_weight_fraction_leaf,
        max_depth=settings.max_depth,
        given_weights=np.tile(problem.weight, (n_trees, 1)),
        splitter="random",
        keep_rows=True,
        **options,
    )
    return forest, importances


def assert_twins(problem: Problem, max_features: int, n_trees: int = 3) -> None:
    forest, importances = grow(problem, max_features, n_trees)
    for index in range(n_trees):
        twin = RandomTree(problem, SEED, index, max_features)
        assert_same(forest.tree(index), 0, twin.root, problem.n_levels)
        expected = np.zeros(problem.X.shape[1])
        add_gains(twin.root, expected)
        impurity = twin.root["node"].impurity
        if impurity > 0:
            np.testing.assert_allclose(importances[index], expected / impurity, atol=1e-8)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("kinds", [NUMBERS, MIXED])
def test_trees_are_those_of_the_twin(rng, target, missing, kinds):
    for max_features in (1, 3):
        problem = random_problem(rng, 120, kinds, target, missing=missing)
        assert_twins(problem, max_features)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("max_features", [4, 6, 9])
def test_features_that_are_looked_at_together(rng, target, max_features):
    """Four at a time, or all; some do not vary, and values lie in uneven cells of their range."""
    problem = random_problem(rng, 260, (*NUMBERS, "tailed", "normal"), target)
    assert_twins(problem, max_features)


@pytest.mark.parametrize("target", TARGETS)
def test_rows_that_are_copied_together(rng, target):
    """Those of subtrees of up to 256 KiB of values, unless nodes look at few of the features."""
    assert_twins(random_problem(rng, 700, NUMBERS, target), 2, n_trees=1)
    assert_twins(random_problem(rng, 4500, NUMBERS, target, min_samples_leaf=40), 2, n_trees=1)
    assert_twins(random_problem(rng, 120, ("normal",) * 9, target), 1, n_trees=1)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_limits_are_those_of_the_twin(rng, target, missing):
    limits = {"min_samples_leaf": 4, "min_weight_fraction_leaf": 0.02, "max_depth": 6}
    problem = random_problem(rng, 200, MIXED, target, missing=missing, **limits)
    assert_twins(problem, 2)


@pytest.mark.parametrize("weights", ["unit", "zeros", "counts", "tiny", "uneven"])
def test_weights_are_those_of_the_twin(rng, weights):
    assert_twins(random_problem(rng, 150, NUMBERS, "regression", weights), 3)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("target", TARGETS)
def test_tiny_tables(rng, n, target):
    assert_twins(random_problem(rng, n, MIXED, target, missing=0.2), 2, n_trees=10)


def assert_rows_in_their_leaves(forest, X) -> None:
    arrays, leaf = forest.to_arrays(), forest.apply(X)
    at = 0
    for index in range(forest.n_trees):
        tree = forest.tree(index)
        for node in np.flatnonzero(tree["feature"] == -1):
            rows = arrays["leaf_rows"][at : at + tree["n_samples"][node]]
            at += len(rows)
            assert len(rows) > 0
            assert (leaf[rows, index] == node).all()
    assert at == len(arrays["leaf_rows"])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_codes", [16, 65535])
def test_no_training_row_goes_to_the_wrong_child(rng, dtype, max_codes):
    """Neighbouring floats, huge and tiny ranges, and bins of many values."""
    n = 600
    steps = rng.integers(0, 4, n)
    neighbours = np.array([1.0], dtype=dtype)
    for _ in range(3):
        neighbours = np.append(neighbours, np.nextafter(neighbours[-1], dtype(2)))
    top = np.finfo(dtype).max
    X = np.stack(
        [
            neighbours[steps],
            rng.choice([-top, 0, top], n),
            rng.normal(size=n) * np.finfo(dtype).tiny,
            rng.choice(np.array([0, 5e-324], dtype=dtype), n),
            rng.normal(size=n),
            np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        ],
        axis=1,
    ).astype(dtype)
    problem = Problem(X, rng.normal(size=(n, 1)), rng.exponential(size=n), np.zeros(6, int))
    for max_features in (1, 6):
        forest, _ = grow(problem, max_features, 5, max_codes=max_codes)
        assert_rows_in_their_leaves(forest, X)


def test_more_values_than_codes(rng):
    """Beyond 65,535 values thresholds lie between bins, never inside one."""
    n = 70_000
    X = rng.normal(size=(n, 2))
    problem = Problem(X, rng.normal(size=(n, 1)), np.ones(n), np.zeros(2, int))
    forest, _ = grow(problem, 1, 1)
    assert_rows_in_their_leaves(forest, X)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("kinds", "missing"), [(MIXED, 0.1), (NUMBERS, 0.0)])
def test_same_bits_for_any_threads_and_instructions(rng, target, kinds, missing):
    problem = random_problem(rng, 800, kinds, target, missing=missing)
    expected, importances = grow(problem, 3, 8)
    for options in ({"n_jobs": 3}, *({"instruction_set": s} for s in _core.instruction_sets())):
        found, others = grow(problem, 3, 8, **options)
        np.testing.assert_array_equal(importances, others)
        arrays = found.to_arrays()
        for name, array in expected.to_arrays().items():
            np.testing.assert_array_equal(arrays[name], array)
