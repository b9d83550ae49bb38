"""Boosted bags beside a twin that grows stage after stage on residuals, one tree at a time."""

import numpy as np
import pytest
from cart_twin import Problem, Settings
from nested_tree import add_gains, assert_same
from random_tables import n_levels_of, random_rows, signal
from stage_twin import MOST_BINS, Bins, StageTree

from bayeswood import _core

SEED = 3
RATE = 0.3
FIRST_NUMBER = 2**40
MOST_STAGES = 2**20
NUMBERS = ("normal", "rounded", "integer", "tailed", "constant", "binary")
MIXED = ("normal", "levels2", "rounded", "levels7", "levels300", "tailed")
FEW = ("normal", "normal", "normal", "levels5")
LAW = {"scheme": "subsample", "seed": SEED, "weight_threshold": 0.4}
SETTINGS = {"max_features": 2, "min_samples_leaf": 3, "max_depth": 3}


def table(rng, kinds, n=700, missing=0.0, n_outputs=1):
    X = random_rows(rng, n, kinds, missing)
    y = np.stack([signal(rng, X) for _ in range(n_outputs)], axis=1)
    return X, y, n_levels_of(kinds).astype(np.int32)


def boosted(data, weights=None, n_bags=3, n_jobs=1, n_stages=0, **settings):
    X, y, n_levels = data
    given = {"max_features": X.shape[1], "max_depth": 3, "min_samples_leaf": 4, **settings}
    bags = _core.BoostedBags(
        _core.EncodedMatrix(X, n_levels), y, weights, n_bags=n_bags, learning_rate=RATE,
        n_jobs=n_jobs, **LAW, **given,
    )  # fmt: skip
    if n_stages:
        bags.grow(n_stages, n_jobs=n_jobs)
    return bags


def weights_in(bag, n_rows, weights):
    drawn = _core.draw_weights(tree=bag, n_rows=n_rows, sample_weight=weights, **LAW)
    return drawn if weights is None else drawn * weights


def stage_value(tree, mean):
    """The tree of a stage with the values that its twin has: before they are shrunk."""
    return {**tree, "value": (np.asarray(tree["value"]).reshape(-1, len(mean)) - mean) / RATE}


def assert_stages_are_twins(data, weights=None, n_stages=3, **settings):
    X, y, n_levels = data
    bags = boosted(data, weights, n_bags=2, n_stages=n_stages, **settings)
    limits = {"max_depth": 3, "min_samples_leaf": 4, **settings}
    max_features = limits.pop("max_features", X.shape[1])
    for bag in range(2):
        given = weights_in(bag, len(X), weights)
        mean = np.average(y, axis=0, weights=given)
        squares = (given[:, None] * (y - mean) ** 2).sum()
        gains = np.zeros(X.shape[1])
        for stage in range(n_stages):
            forest = bags.forest(stage + 1, [bag])
            so_far = bags.forest(stage, [bag]).predict_mean(X, np.ones(stage)) if stage else mean
            problem = Problem(X, y - so_far, given, n_levels, Settings(**limits))
            number = FIRST_NUMBER + bag * MOST_STAGES + stage
            twin = StageTree(problem, SEED, number, max_features)
            tree = stage_value(forest.tree(stage), 0 * mean if stage else mean)
            assert_same(tree, 0, twin.root, n_levels)
            add_gains(twin.root, gains)
        np.testing.assert_allclose(bags.importances[bag], gains / squares, atol=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("kinds", [NUMBERS, MIXED])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_every_stage_is_that_of_the_twin(rng, missing, kinds, weighted, n_outputs):
    data = table(rng, kinds, missing=missing, n_outputs=n_outputs)
    weights = rng.exponential(size=len(data[0])) if weighted else None
    assert_stages_are_twins(data, weights)


@pytest.mark.parametrize("kinds", [NUMBERS, MIXED])
@pytest.mark.parametrize("max_features", [1, 3])
def test_features_are_drawn_as_the_twin_draws_them(rng, kinds, max_features):
    assert_stages_are_twins(table(rng, kinds, missing=0.1), max_features=max_features)


@pytest.mark.parametrize("n", [5, 30])
@pytest.mark.parametrize("weighted", [False, True])
def test_small_tables_and_limits(rng, n, weighted):
    weights = rng.exponential(size=n) if weighted else None
    assert_stages_are_twins(
        table(rng, MIXED, n=n, missing=0.1), weights, max_depth=5, min_samples_leaf=1,
        min_weight_fraction_leaf=0.1,
    )  # fmt: skip


def test_more_values_than_bins(rng):
    X = rng.normal(size=(3000, 2))
    X[rng.random(3000) < 0.4, 1] = 0.25
    heavy = Bins.of(X[:, 1])
    assert len(heavy.low) <= MOST_BINS
    assert (heavy.low[heavy.high == 0.25] == 0.25).all()  # a value of many rows has its own bin
    data = X, signal(rng, X)[:, None], np.zeros(2, dtype=np.int32)
    assert_stages_are_twins(data, max_depth=6)


def test_bins_share_rows_out(rng):
    x = rng.normal(size=10_000)
    bins = Bins.of(x)
    assert len(bins.low) == MOST_BINS
    counts = np.bincount(bins.number(x).astype(int))
    assert counts.min() >= 38
    assert counts.max() <= 41


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_responses_of_any_size(rng, scale):
    X, y, n_levels = table(rng, NUMBERS, n=300)
    usual = boosted((X, y, n_levels), n_stages=4)
    scaled = boosted((X, scale * y, n_levels), n_stages=4)
    for tree in range(12):
        a, b = usual.forest(4).tree(tree), scaled.forest(4).tree(tree)
        np.testing.assert_array_equal(a["feature"], b["feature"])
    np.testing.assert_allclose(scaled.importances, usual.importances, rtol=1e-6)


def test_a_constant_response_is_a_leaf(rng):
    X, y, n_levels = table(rng, NUMBERS, n=100)
    forest = boosted((X, np.full_like(y, 2.5), n_levels), n_stages=2).forest(2)
    assert all(len(forest.tree(t)["feature"]) == 1 for t in range(forest.n_trees))
    np.testing.assert_array_equal(forest.predict_mean(X, np.ones(6)), 7.5)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_stages_to_come_are_those_of_one_go(rng, n_outputs):
    data = table(rng, MIXED, n_outputs=n_outputs)
    whole, parts = boosted(data, n_stages=8), boosted(data, n_stages=3)
    parts.grow(5, [1])
    parts.grow(5, [0, 2])
    assert_same_bits(whole.forest(8), parts.forest(8))
    np.testing.assert_array_equal(whole.importances, parts.importances)


def test_a_bag_alone_is_the_same_bag(rng):
    data = table(rng, MIXED)
    among = boosted(data, n_stages=4).forest(4, [2])
    alone = boosted(data, n_bags=1, first_bag=2, n_stages=4).forest(4)
    assert_same_bits(among, alone)


def test_any_number_of_threads_gives_the_same_bits(rng):
    data = table(rng, MIXED, missing=0.1)
    one, two = (boosted(data, n_jobs=n, n_stages=5) for n in (1, 2))
    assert_same_bits(one.forest(5), two.forest(5))
    np.testing.assert_array_equal(one.out_of_bag()[0], two.out_of_bag()[0])


def assert_same_bits(one, other):
    for name, array in one.to_arrays().items():
        np.testing.assert_array_equal(array, other.to_arrays()[name])


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_out_of_bag_sums_are_of_the_bags_that_left_a_row_out(rng, n_outputs, weighted):
    data = table(rng, MIXED, missing=0.2, n_outputs=n_outputs)
    X, y, _ = data
    weights = rng.exponential(size=len(X)) if weighted else None
    bags = boosted(data, weights, n_stages=6)
    out = np.array([_core.draw_weights(tree=b, n_rows=len(X), **LAW) == 0 for b in range(3)])
    sums, counts = bags.out_of_bag()
    np.testing.assert_array_equal(counts, out.sum(axis=0))
    expected = np.zeros(y.shape)
    for bag in range(3):
        said = bags.forest(6, [bag]).predict_mean(X, np.ones(6))
        expected += np.where(out[bag][:, None], said, 0.0)
    np.testing.assert_allclose(sums, expected, rtol=1e-9, atol=1e-9)


def test_a_row_of_weight_0_takes_no_part(rng):
    data = table(rng, NUMBERS, n=200)
    weights = (rng.random(200) < 0.7).astype(float)
    bags = boosted(data, weights, n_stages=2)
    counts = bags.out_of_bag()[1]
    drawn = [weights_in(bag, 200, None) for bag in range(3)]
    np.testing.assert_array_equal(counts, sum((one == 0).astype(int) for one in drawn))
    tree = bags.forest(1, [0]).tree(0)
    assert tree["n_samples"][0] == (weights_in(0, 200, weights) > 0).sum()


def test_rows_of_a_bag_weigh_one_or_nothing():
    drawn = _core.draw_weights("exponential", 3, 5, 400, 0.4)
    kept = _core.draw_weights("subsample", 3, 5, 400, 0.4)
    np.testing.assert_array_equal(kept, (drawn > 0).astype(float))
    for tree in (10, 11):
        shared = _core.draw_weights("subsample", 3, tree, 400, 0.4, trees_per_draw=2)
        np.testing.assert_array_equal(shared, kept)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_out_of_bag_sums_know_bags(rng, n_outputs):
    X, y, n_levels = table(rng, FEW, n=300, missing=0.05, n_outputs=n_outputs)
    trees, _ = _core.grow_forest(
        _core.EncodedMatrix(X, n_levels), y, None, criterion="squared_error", n_trees=8,
        trees_per_draw=4, **LAW, **SETTINGS,
    )  # fmt: skip
    sums, counts = trees.predict_oob(X, **LAW, trees_per_draw=4)
    out = np.array([_core.draw_weights(tree=b, n_rows=len(X), **LAW) == 0 for b in range(2)])
    np.testing.assert_array_equal(counts, 4 * out.sum(axis=0))
    draws = trees.predict_draws(X)
    expected = (draws * np.repeat(out, 4, axis=0)[:, :, None]).sum(axis=0)
    np.testing.assert_allclose(sums, expected, rtol=1e-12)


def test_values_are_scaled_tree_by_tree(rng):
    data = table(rng, FEW, n=300)
    X, grown = data[0], boosted(data, n_stages=2).forest(2)
    factors = np.arange(6.0) - 2
    scaled = grown.scaled(factors)
    np.testing.assert_allclose(
        scaled.predict_draws(X), factors[:, None, None] * grown.predict_draws(X)
    )
    assert not scaled.has_rows


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_out_of_bag_quantiles_are_of_the_leaves_that_left_a_row_out(rng, n_outputs):
    X, y, n_levels = table(rng, FEW, n=300, missing=0.05, n_outputs=n_outputs)
    keep = {**SETTINGS, "min_samples_leaf": 6}
    trees, _ = _core.grow_forest(
        _core.EncodedMatrix(X, n_levels), y, None, criterion="squared_error", n_trees=6,
        trees_per_draw=2, keep_rows=True, **LAW, **keep,
    )  # fmt: skip
    shared = {**LAW, "trees_per_draw": 2}
    responses = _core.LeafResponses(trees, y, None, **shared)
    out = np.array([_core.draw_weights(tree=b, n_rows=len(X), **LAW) == 0 for b in range(3)])
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
