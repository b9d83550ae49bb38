"""Boosted bags beside a twin that grows stage after stage on residuals, one tree at a time."""

import numpy as np
import pytest

from bayeswood import _core

FIRST_NUMBER = 2**40
MOST_STAGES = 2**20
SETTINGS = {"max_features": 2, "min_samples_leaf": 3, "max_depth": 3}


@pytest.fixture(scope="module", params=[1, 2])
def table(request):
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(300, 4))
    X[:, 3] = rng.integers(0, 5, size=300)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, :1]) ** 2 + rng.normal(size=(300, request.param)) / 2
    return X, y, np.array([0, 0, 0, 5], dtype=np.int32)


def law(seed=3):
    return {"scheme": "subsample", "seed": seed, "weight_threshold": 0.4}


def native(table, n_stages=6, n_bags=3, weights=None, before=None, **options):
    X, y, n_levels = table
    return _core.boost_bags(
        _core.EncodedMatrix(X, n_levels), y, weights, X, before, criterion="squared_error",
        n_trees=n_bags, n_stages=n_stages, learning_rate=0.3, **law(), **SETTINGS, **options,
    )  # fmt: skip


def slow_bag(table, bag, n_stages, weights):
    """One bag: a tree on the residuals of the sum so far, and so on."""
    X, y, n_levels = table
    encoded = _core.EncodedMatrix(X, n_levels)
    drawn = _core.draw_weights(tree=bag, n_rows=len(X), sample_weight=weights, **law())
    given = drawn if weights is None else drawn * weights
    inside = given > 0
    mean = np.average(y[inside], axis=0, weights=given[inside])
    residuals = np.where(inside[:, None], y - mean, 0.0)
    trees, total = [], np.tile(mean, (len(X), 1))
    for stage in range(n_stages):
        tree, _ = _core.grow_forest(
            encoded, residuals, None, criterion="squared_error", scheme="given", seed=3,
            given_weights=given[None], n_trees=1,
            first_tree=FIRST_NUMBER + bag * MOST_STAGES + stage, **SETTINGS,
        )  # fmt: skip
        step = 0.3 * tree.predict_mean(X, np.ones(1))
        residuals = np.where(inside[:, None], residuals - step, 0.0)
        total += step
        trees.append(tree.tree(0))
    return trees, total


@pytest.mark.parametrize("weighted", [False, True])
def test_every_stage_is_that_of_the_twin(table, weighted):
    X = table[0]
    weights = np.random.default_rng(0).exponential(size=len(X)) if weighted else None
    grown, importances = native(table, weights=weights)
    assert importances.shape == (3, 4)
    for bag in range(3):
        trees, total = slow_bag(table, bag, 6, weights)
        for stage, tree in enumerate(trees):
            found = grown.tree(6 * bag + stage)
            np.testing.assert_array_equal(found["feature"], tree["feature"])
            np.testing.assert_allclose(found["threshold"], tree["threshold"], rtol=1e-12)
        summed = grown.select(np.arange(6) + 6 * bag).predict_mean(X, np.ones(6))
        np.testing.assert_allclose(summed, total, rtol=1e-9, atol=1e-9)


def test_stages_to_come_are_those_of_one_go(table):
    X = table[0]
    whole, of_whole = native(table, n_stages=8)
    first, of_first = native(table, n_stages=3)
    rest, of_rest = native(table, n_stages=5, before=first)
    for bag in range(3):
        parts = [first.select(np.arange(3) + 3 * bag), rest.select(np.arange(5) + 5 * bag)]
        both = _core.Forest.join(parts).predict_mean(X, np.ones(8))
        expected = whole.select(np.arange(8) + 8 * bag).predict_mean(X, np.ones(8))
        np.testing.assert_allclose(both, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(of_first + of_rest, of_whole, rtol=1e-9)


def test_any_number_of_threads_gives_the_same_bits(table):
    one, _ = native(table, n_jobs=1)
    two, _ = native(table, n_jobs=2)
    for name, array in one.to_arrays().items():
        np.testing.assert_array_equal(array, two.to_arrays()[name])


def test_rows_of_a_bag_weigh_one_or_nothing():
    drawn = _core.draw_weights("exponential", 3, 5, 400, 0.4)
    kept = _core.draw_weights("subsample", 3, 5, 400, 0.4)
    np.testing.assert_array_equal(kept, (drawn > 0).astype(float))
    for tree in (10, 11):
        shared = _core.draw_weights("subsample", 3, tree, 400, 0.4, trees_per_draw=2)
        np.testing.assert_array_equal(shared, kept)


def test_the_path_is_the_sum_over_bags_that_left_a_row_out(table):
    X, y, _ = table
    grown, _ = native(table, n_stages=6)
    stops = np.array([2, 5, 6])
    sums, counts = grown.predict_oob_path(X, stops, **law(), trees_per_draw=6, n_jobs=2)
    out = np.array([_core.draw_weights(tree=b, n_rows=len(X), **law()) == 0 for b in range(3)])
    np.testing.assert_array_equal(counts, out.sum(axis=0))
    for place, stop in enumerate(stops):
        expected = np.zeros(y.shape)
        for bag in range(3):
            part = grown.select(np.arange(stop) + 6 * bag).predict_mean(X, np.ones(stop))
            expected += np.where(out[bag][:, None], part, 0.0)
        np.testing.assert_allclose(sums[place], expected, rtol=1e-9, atol=1e-12)


def test_out_of_bag_sums_know_bags(table):
    X, y, n_levels = table
    trees, _ = _core.grow_forest(
        _core.EncodedMatrix(X, n_levels), y, None, criterion="squared_error", n_trees=8,
        trees_per_draw=4, **law(), **SETTINGS,
    )  # fmt: skip
    sums, counts = trees.predict_oob(X, **law(), trees_per_draw=4)
    out = np.array([_core.draw_weights(tree=b, n_rows=len(X), **law()) == 0 for b in range(2)])
    np.testing.assert_array_equal(counts, 4 * out.sum(axis=0))
    draws = trees.predict_draws(X)
    expected = (draws * np.repeat(out, 4, axis=0)[:, :, None]).sum(axis=0)
    np.testing.assert_allclose(sums, expected, rtol=1e-12)


def test_values_are_scaled_tree_by_tree(table):
    X, _, _ = table
    grown, _ = native(table, n_stages=2)
    factors = np.arange(6.0) - 2
    scaled = grown.scaled(factors)
    np.testing.assert_allclose(
        scaled.predict_draws(X), factors[:, None, None] * grown.predict_draws(X)
    )
    assert not scaled.has_rows


def test_out_of_bag_quantiles_are_of_the_leaves_that_left_a_row_out(table):
    X, y, n_levels = table
    keep = {**SETTINGS, "min_samples_leaf": 6}
    trees, _ = _core.grow_forest(
        _core.EncodedMatrix(X, n_levels), y, None, criterion="squared_error", n_trees=6,
        trees_per_draw=2, keep_rows=True, **law(), **keep,
    )  # fmt: skip
    shared = {**law(), "trees_per_draw": 2}
    responses = _core.LeafResponses(trees, y, None, **shared)
    out = np.array([_core.draw_weights(tree=b, n_rows=len(X), **law()) == 0 for b in range(3)])
    rows = np.flatnonzero(out.any(axis=0))[::7].astype(np.int32)
    levels = np.array([0.1, 0.5, 0.8])
    found = responses.oob_quantiles(X[rows], rows, levels, **shared)
    leaves = trees.apply(X)
    for place, row in enumerate(rows):
        mates, weights = [], []
        for tree in np.flatnonzero(np.repeat(out[:, row], 2)):
            inside = ~out[tree // 2] & (leaves[:, tree] == leaves[row, tree])
            mates.extend(np.flatnonzero(inside))
            weights.extend([1 / inside.sum()] * inside.sum())
        for output in range(y.shape[1]):
            order = np.argsort(y[mates, output], kind="stable")
            reached = np.cumsum(np.array(weights)[order])
            expected = [
                y[mates, output][order][np.searchsorted(reached, level * reached[-1] * (1 - 1e-9))]
                for level in levels
            ]
            np.testing.assert_allclose(found[place, output], expected)
