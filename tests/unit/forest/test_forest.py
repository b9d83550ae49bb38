"""The hand-over forest, on trees written down by hand."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from bayeswood import BayeswoodError, MCMCTreeRegressor
from bayeswood.forest import Forest, Labels, normalise


def stump_arrays(values=(1.0, 3.0), threshold=0.5, counts=(2, 3)):
    """One regression tree: x0 <= threshold."""
    return {
        "n_features": 2,
        "n_outputs": 1,
        "is_classifier": False,
        "n_levels": np.zeros(2, np.int32),
        "n_nodes": np.array([3], np.int64),
        "feature": np.array([0, -1, -1], np.int32),
        "threshold": np.array([threshold, np.nan, np.nan]),
        "missing_left": np.array([1, 0, 0], np.uint8),
        "category_words": np.zeros(0, np.uint64),
        "leaf_n_samples": np.array(counts, np.int32),
        "leaf_weight": np.array(counts, np.float32),
        "leaf_n_entries": np.zeros(0, np.int32),
        "leaf_class": np.zeros(0, np.int32),
        "leaf_value": np.array(values),
        "leaf_rows": np.zeros(0, np.int32),
    }


@pytest.fixture
def pair():
    """Two stumps."""
    first = Forest.from_arrays(stump_arrays())
    second = Forest.from_arrays(stump_arrays((10.0, 30.0), threshold=1.5))
    return Forest.concatenate([first, second])


ROWS = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [np.nan, 0.0]])


def test_equal_weights_average_the_trees(pair):
    np.testing.assert_allclose(pair.predict(ROWS)[:, 0], [5.5, 6.5, 16.5, 5.5])


def test_log_weights_weigh_the_trees():
    trees = Forest.concatenate(
        [Forest.from_arrays(stump_arrays()), Forest.from_arrays(stump_arrays((10.0, 30.0)))]
    )
    weighted = Forest(trees.core, np.log([0.75, 0.25]) + 700.0)
    np.testing.assert_allclose(weighted.weights, [0.75, 0.25])
    np.testing.assert_allclose(weighted.predict(ROWS[:2])[:, 0], [3.25, 9.75])


def test_draws_are_what_each_tree_says(pair):
    expected = [[1.0, 3.0, 3.0, 1.0], [10.0, 10.0, 30.0, 10.0]]
    np.testing.assert_array_equal(pair.draws(ROWS)[:, :, 0], expected)


def test_apply_gives_node_indices(pair):
    np.testing.assert_array_equal(pair.apply(ROWS), [[1, 1], [2, 1], [2, 2], [1, 1]])


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, list, pd.DataFrame])
def test_rows_may_be_any_matrix_of_numbers(pair, kind):
    rows = ROWS[:3].tolist()
    given = kind(rows) if kind in (list, pd.DataFrame) else np.array(rows, dtype=kind)
    np.testing.assert_array_equal(pair.apply(given), pair.apply(ROWS[:3]))
    np.testing.assert_array_equal(pair.predict(given), pair.predict(ROWS[:3]))
    np.testing.assert_array_equal(pair.draws(given), pair.draws(ROWS[:3]))


@pytest.mark.parametrize("rows", [ROWS[0], ROWS[:, :1], ROWS[None]])
def test_rows_of_another_shape_are_refused(pair, rows):
    with pytest.raises(BayeswoodError, match=r"needs rows of shape \(n_rows, 2\)"):
        pair.apply(rows)


def test_select_keeps_weights_and_order(pair):
    weighted = Forest(pair.core, np.log([0.2, 0.8]))
    chosen = weighted.select([1, 0])
    np.testing.assert_allclose(chosen.weights, [0.8, 0.2])
    np.testing.assert_array_equal(chosen.draws(ROWS), pair.draws(ROWS)[::-1])


def test_select_takes_masks_and_negative_indices(pair):
    np.testing.assert_array_equal(pair.select([-1]).draws(ROWS), pair.draws(ROWS)[1:])
    np.testing.assert_array_equal(pair.select([False, True]).draws(ROWS), pair.draws(ROWS)[1:])


def test_select_refuses_nothing(pair):
    with pytest.raises(BayeswoodError, match="At least one tree"):
        pair.select([False, False])


def test_concatenate_refuses_other_features():
    other = {**stump_arrays(), "n_features": 3, "n_levels": np.zeros(3, np.int32)}
    forests = [Forest.from_arrays(stump_arrays()), Forest.from_arrays(other)]
    with pytest.raises(BayeswoodError, match="same n_features"):
        Forest.concatenate(forests)


def test_concatenate_refuses_an_empty_list():
    with pytest.raises(BayeswoodError, match="At least one forest"):
        Forest.concatenate([])


def test_trees_are_a_sequence(pair):
    assert len(pair.trees) == len(pair) == pair.n_trees == 2
    assert [tree.threshold[0] for tree in pair.trees] == [0.5, 1.5]
    assert pair.trees[-1].threshold[0] == 1.5
    assert [tree.threshold[0] for tree in pair.trees[::-1]] == [1.5, 0.5]
    with pytest.raises(IndexError, match="has 2 trees"):
        pair.trees[2]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_copies_predict_the_same(pair, again):
    named = Forest(pair.core, [0.0, -1.0], Labels(("height", "width")))
    copied = again(named)
    np.testing.assert_array_equal(copied.predict(ROWS), named.predict(ROWS))
    assert copied.trees[0].to_text() == named.trees[0].to_text()


def test_arrays_round_trip(pair):
    weighted = Forest(pair.core, [0.0, -2.0])
    arrays = weighted.to_arrays()
    again = Forest.from_arrays(arrays).to_arrays()
    assert arrays.keys() == again.keys()
    for name in arrays:
        np.testing.assert_array_equal(arrays[name], again[name])


@pytest.mark.parametrize(
    ("log_weights", "message"),
    [
        ([0.0], "needs 2 log-weights"),
        ([0.0, np.nan], "NaN"),
        ([0.0, np.inf], r"\+inf"),
        ([-np.inf, -np.inf], "positive weight"),
    ],
)
def test_bad_log_weights_are_refused(pair, log_weights, message):
    with pytest.raises(BayeswoodError, match=message):
        Forest(pair.core, log_weights)


def test_the_callers_log_weights_are_copied(pair):
    given = np.zeros(2)
    forest = Forest(pair.core, given)
    given[0] = 5.0
    np.testing.assert_array_equal(forest.log_weights, [0.0, 0.0])
    assert not forest.log_weights.flags.writeable
    assert not forest.weights.flags.writeable


def test_normalise_survives_extreme_log_weights():
    np.testing.assert_allclose(normalise(np.array([-1e5, -1e5 + np.log(3)])), [0.25, 0.75])
    np.testing.assert_array_equal(normalise(np.array([-np.inf, 0.0])), [0.0, 1.0])
    assert normalise(np.zeros(0)).size == 0


def test_broken_trees_are_refused():
    broken = {**stump_arrays(), "feature": np.array([7, -1, -1], np.int32)}
    with pytest.raises(ValueError):
        Forest.from_arrays(broken)


def test_repr_says_what_it_is(pair):
    assert repr(pair) == "<Forest of 2 trees over 2 features>"
    assert repr(pair.select([0])) == "<Forest of 1 tree over 2 features>"
    assert repr(pair.trees[0]) == "<Tree of 2 leaves, depth 1>"


def test_rows_get_the_same_bits_of_small_trees_alone_and_among_many(rng):
    X = rng.normal(size=(60, 3))
    model = MCMCTreeRegressor(n_chains=1, n_burn_in=20, n_draws=60, thin=1, random_state=0)
    model.fit(X, X[:, 0] + rng.normal(size=60))
    many = model.forest_.predict(X)
    for n in (1, 5, 15, 16, 31):
        parts = [model.forest_.predict(X[i : i + n]) for i in range(0, 60, n)]
        np.testing.assert_array_equal(np.concatenate(parts), many)


def balanced_arrays(thresholds, values):
    """One regression tree of 2^k - 1 splits of x0: the leaf's number is the value's place."""
    n = len(thresholds)
    order = [
        np.arange((n + 1) >> (level + 1), n + 1, (n + 1) >> level) - 1
        for level in range(n.bit_length())
    ]
    splits = np.sort(thresholds)[np.concatenate(order)]
    return stump_arrays() | {
        "n_features": 1,
        "n_levels": np.zeros(1, np.int32),
        "n_nodes": np.array([2 * n + 1], np.int64),
        "feature": np.repeat(np.array([0, -1], np.int32), [n, n + 1]),
        "threshold": np.concatenate([splits, np.full(n + 1, np.nan)]),
        "missing_left": np.arange(2 * n + 1).astype(np.uint8) % 2 * (np.arange(2 * n + 1) < n),
        "leaf_n_samples": np.ones(n + 1, np.int32),
        "leaf_weight": np.ones(n + 1, np.float32),
        "leaf_value": values,
    }


def test_more_thresholds_than_16_bits_can_number():
    """Rows are placed for groups of trees: leaves and sums are those of every tree by itself."""
    random = np.random.default_rng(0)
    thresholds = random.random((20, 4095))
    values = random.normal(size=(20, 4096))
    forest = Forest.concatenate(
        [
            Forest.from_arrays(balanced_arrays(*tree))
            for tree in zip(thresholds, values, strict=True)
        ]
    )
    X = random.random((500, 1))
    places = np.stack([np.searchsorted(np.sort(t), X[:, 0]) for t in thresholds], axis=1)
    np.testing.assert_array_equal(forest.apply(X), 4095 + places)
    mean = np.zeros(500)
    for weight, value, place in zip(forest.weights, values, places.T, strict=True):
        mean += weight * value[place]
    np.testing.assert_array_equal(forest.predict(X)[:, 0], mean)
    np.testing.assert_array_equal(forest.predict(X, n_jobs=2)[:, 0], mean)
    np.testing.assert_array_equal(forest.predict(X[:1])[:, 0], mean[:1])
