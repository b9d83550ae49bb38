"""Every internal regime of the grower: node sizes, drawn weights, random features, same bits."""

import numpy as np
import pytest
from cart_twin import Node, Problem, Settings
from native_grower import assert_same_bits, grow_native
from random_tables import random_problem
from tree_verdict import verify_tree

from bayeswood import _core

MIXED = ("normal", "levels12", "rounded", "integer")


@pytest.mark.parametrize("target", ["regression", "tied", "binary", "multiclass"])
@pytest.mark.parametrize("n", [2048, 4096, 4097, 8200, 30000])
def test_large_nodes(rng, n, target):
    kinds = ("normal", "rounded", "tailed")
    problem = random_problem(rng, n, kinds, target, min_samples_leaf=max(n // 400, 1))
    verify_tree(grow_native(problem)[0].tree(0), problem)


@pytest.mark.parametrize("target", ["entropy", "outputs"])
def test_large_nodes_of_the_slower_targets(rng, target):
    problem = random_problem(rng, 9000, ("normal", "rounded"), target, min_samples_leaf=40)
    verify_tree(grow_native(problem)[0].tree(0), problem)


@pytest.mark.parametrize("target", ["regression", "binary", "multiclass", "entropy", "outputs"])
@pytest.mark.parametrize("max_features", [1, 4])
def test_nodes_of_more_than_65536_rows(rng, target, max_features):
    kinds = ("rounded", "levels12", "integer", "offset")
    problem = random_problem(rng, 70_000, kinds, target, missing=0.05, max_depth=2)
    forest, _ = grow_native(problem, max_features=max_features)
    verify_tree(forest.tree(0), problem, all_features=max_features == 4)


def test_more_values_than_codes(rng):
    """Beyond 65,535 values a cut lies between two of their quantiles; rows still go where told."""
    problem = random_problem(rng, 80_000, ("normal", "tailed"), "regression", max_depth=6)
    forest, _ = grow_native(problem)
    tree, leaf = forest.tree(0), forest.apply(problem.X)[:, 0]
    is_leaf = tree["feature"] < 0
    counts = np.bincount(leaf, minlength=len(is_leaf))
    np.testing.assert_array_equal(counts[is_leaf], tree["n_samples"][is_leaf])
    node = Node(problem, problem.active_rows, 0)
    best = node.best_split()
    goes_left = problem.X[:, tree["feature"][0]] <= tree["threshold"][0]
    assert node.gain_of(goes_left) > 0.9999 * best.gain


@pytest.mark.parametrize("weights", ["unit", "zeros", "counts", "tiny", "uneven"])
def test_large_nodes_with_all_weights(rng, weights):
    problem = random_problem(
        rng, 10000, ("normal", "rounded"), "regression", weights, min_samples_leaf=30
    )
    verify_tree(grow_native(problem)[0].tree(0), problem)


@pytest.mark.parametrize("offset", [1e6, -1e9])
def test_large_nodes_with_a_huge_offset(rng, offset):
    problem = random_problem(rng, 10000, ("normal", "integer"), min_samples_leaf=30)
    moved = Problem(
        problem.X, problem.y + offset, problem.weight, problem.n_levels, problem.settings
    )
    verify_tree(grow_native(moved)[0].tree(0), moved)


def test_a_deep_tree_passes_through_all_sizes(rng):
    problem = random_problem(rng, 6000, ("normal", "rounded"))
    verdict = verify_tree(grow_native(problem)[0].tree(0), problem)
    assert verdict.n_nodes > 10000


@pytest.mark.parametrize(("base", "n"), [(2.0, 40), (10.0, 14), (1.3, 100)])
def test_a_response_over_many_orders_of_magnitude(base, n):
    """Deep nodes are small against the whole: sums around the table's mean would drown them."""
    y = base ** np.arange(n)[:, None]
    problem = Problem(np.arange(n, dtype=float)[:, None], y, np.ones(n), np.zeros(1, int))
    forest, _ = grow_native(problem)
    verify_tree(forest.tree(0), problem)
    np.testing.assert_array_equal(forest.predict_draws(problem.X)[0], y)
    if base == 10:  # each cut takes the largest row off
        assert forest.depths()[0] == n - 1


@pytest.mark.parametrize("n", [300, 6000])
def test_a_heavy_tailed_response(rng, n):
    problem = random_problem(
        rng, n, ("normal", "rounded", "levels12"), min_samples_leaf=1 + n // 500
    )
    prices = Problem(
        problem.X, np.exp(4 * problem.y), problem.weight, problem.n_levels, problem.settings
    )
    verify_tree(grow_native(prices)[0].tree(0), prices)


@pytest.mark.parametrize("scheme", ["exponential", "bootstrap"])
@pytest.mark.parametrize("with_weight", [False, True])
def test_drawn_weights_are_those_that_are_told(rng, scheme, with_weight):
    problem = random_problem(rng, 400, MIXED, missing=0.1, weights="unit")
    sample_weight = rng.exponential(size=400) if with_weight else None
    forest, importances = grow_native(
        problem, scheme=scheme, seed=7, n_trees=3, first_tree=5, sample_weight=sample_weight
    )
    for t in range(3):
        weight = _core.draw_weights(scheme, 7, 5 + t, 400)
        if with_weight:
            weight = weight * sample_weight
        drawn = Problem(problem.X, problem.y, weight, problem.n_levels)
        verdict = verify_tree(forest.tree(t), drawn)
        np.testing.assert_allclose(
            importances[t], verdict.importances, rtol=1e-6, atol=1e-9 * importances.max()
        )


@pytest.mark.parametrize("target", ["regression", "binary", "multiclass", "entropy", "outputs"])
@pytest.mark.parametrize("n", [50, 800, 9000])
def test_random_features_give_the_best_split_of_a_feature(rng, n, target):
    problem = random_problem(
        rng, n, (*MIXED, "normal", "binary"), target, missing=0.1, min_samples_leaf=max(n // 200, 1)
    )
    for max_features in (1, 2, 5):
        forest, importances = grow_native(problem, max_features=max_features, seed=max_features)
        verdict = verify_tree(forest.tree(0), problem, all_features=False)
        np.testing.assert_allclose(
            importances[0], verdict.importances, rtol=1e-6, atol=1e-9 * importances.max()
        )


def test_random_features_are_uniform_subsets(rng):
    """With m of d features the k-th best is chosen with probability C(d - k, m - 1) / C(d, m).

    Pearson's statistic over 4,000 roots has 3 degrees of freedom; 21.1 is exceeded once in 1e4.
    """
    problem = random_problem(rng, 300, ("normal",) * 5, weights="unit", max_depth=1)
    node = Node(problem, problem.active_rows, 0)
    gains = [node.best_split([j]).gain for j in range(5)]
    ranks = np.argsort(np.argsort(-np.array(gains)))
    forest, _ = grow_native(
        problem, scheme="unit", max_features=2, n_trees=4000, seed=int(rng.integers(2**32))
    )
    roots = [forest.tree(t)["feature"][0] for t in range(4000)]
    counts = np.bincount(ranks[roots], minlength=5)
    expected = 4000 * np.array([4, 3, 2, 1, 0]) / 10
    assert counts[4] == 0
    assert ((counts - expected)[:4] ** 2 / expected[:4]).sum() < 21.1


def test_random_ties_are_uniform():
    """Three equal features: each wins a third of 3,000 roots. 18.4 is exceeded once in 1e4."""
    x = np.arange(10.0)
    X = np.stack([x, -x, x**2], axis=1)
    y = (x > 4)[:, None].astype(float)
    problem = Problem(X, y, np.ones(10), np.zeros(3, int), Settings(max_depth=1))
    forest, _ = grow_native(problem, scheme="unit", n_trees=3000, seed=1, random_ties=True)
    counts = np.bincount([forest.tree(t)["feature"][0] for t in range(3000)], minlength=3)
    assert ((counts - 1000.0) ** 2 / 1000).sum() < 18.4


@pytest.mark.parametrize("target", ["regression", "binary", "multiclass", "entropy", "outputs"])
@pytest.mark.parametrize("n", [300, 9000])
@pytest.mark.parametrize("max_features", [2, 4])
def test_same_bits_for_any_instruction_set(rng, n, target, max_features):
    problem = random_problem(rng, n, MIXED, target, missing=0.1, min_samples_leaf=3)
    options = {"scheme": "exponential", "n_trees": 3, "random_ties": True}
    options |= {"max_features": max_features, "keep_rows": True}
    sets = _core.instruction_sets()
    assert "portable" in sets
    forests = [grow_native(problem, instruction_set=name, **options) for name in sets]
    for forest, importances in forests[1:]:
        assert_same_bits(forests[0][0], forest)
        assert importances.tobytes() == forests[0][1].tobytes()


@pytest.mark.parametrize("target", ["regression", "multiclass"])
@pytest.mark.parametrize("scheme", ["exponential", "bootstrap"])
def test_same_bits_for_any_number_of_threads(rng, target, scheme):
    problem = random_problem(rng, 5000, MIXED, target, missing=0.1, min_samples_leaf=3)
    options = {"scheme": scheme, "n_trees": 9, "random_ties": True, "max_features": 2}
    one, importances = grow_native(problem, n_jobs=1, **options)
    for n_jobs in (2, 4):
        more, more_importances = grow_native(problem, n_jobs=n_jobs, **options)
        assert_same_bits(one, more)
        assert importances.tobytes() == more_importances.tobytes()


def test_trees_do_not_depend_on_the_block_they_are_grown_in(rng):
    problem = random_problem(rng, 500, MIXED, missing=0.1)
    options = {"scheme": "exponential", "max_features": 2, "random_ties": True, "seed": 3}
    whole, _ = grow_native(problem, n_trees=6, **options)
    part, _ = grow_native(problem, n_trees=2, first_tree=3, **options)
    assert_same_bits(whole.select(np.array([3, 4])), part)
