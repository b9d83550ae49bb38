"""A tree as arrays and in words."""

import numpy as np
import pytest

from bayeswood.forest import Forest, Labels

N_CITIES = 70
CITIES = tuple(f"city{i:02d}" for i in range(N_CITIES))
# Levels 0, 2, ..., 68 of 70 go left: two words of 64 bits.
EVEN = 0x5555555555555555


@pytest.fixture
def tree():
    """Height at the root; to the left a leaf, to the right a split on the city."""
    arrays = {
        "n_features": 2,
        "n_outputs": 3,
        "is_classifier": True,
        "n_levels": np.array([0, N_CITIES], np.int32),
        "n_nodes": np.array([5], np.int64),
        "feature": np.array([0, -1, 1, -1, -1], np.int32),
        "threshold": np.array([1.5, np.nan, np.nan, np.nan, np.nan]),
        "missing_left": np.array([0, 0, 1, 0, 0], np.uint8),
        "category_words": np.array([EVEN, EVEN & 0x3F], np.uint64),
        "leaf_n_samples": np.array([1, 4, 5], np.int32),
        "leaf_weight": np.array([1.0, 4.0, 5.0], np.float32),
        "leaf_n_entries": np.array([1, 2, 3], np.int32),
        "leaf_class": np.array([0, 0, 1, 0, 1, 2], np.int32),
        "leaf_value": np.array([1.0, 0.25, 0.75, 0.2, 0.3, 0.5]),
        "leaf_rows": np.zeros(0, np.int32),
    }
    labels = Labels(("height", "city"), ((), CITIES), ("no", "maybe", "yes"))
    return Forest.from_arrays(arrays).labelled(labels).trees[0]


def test_shape_of_the_tree(tree):
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (5, 3, 2)
    np.testing.assert_array_equal(tree.left, [1, -1, 3, -1, -1])
    np.testing.assert_array_equal(tree.right, [2, -1, 4, -1, -1])
    np.testing.assert_array_equal(tree.n_samples, [10, 1, 9, 4, 5])


def test_inner_values_are_weighted_means(tree):
    np.testing.assert_allclose(tree.value[2], [(4 * 0.25 + 5 * 0.2) / 9, 4.5 / 9, 2.5 / 9])
    np.testing.assert_allclose(tree.value.sum(axis=1), 1.0)


def test_left_levels_across_words(tree):
    np.testing.assert_array_equal(tree.left_levels(2), np.arange(0, N_CITIES, 2))


@pytest.mark.parametrize("node", [0, 1])
def test_left_levels_need_a_category_split(tree, node):
    with pytest.raises(ValueError, match="does not split on a category"):
        tree.left_levels(node)


def test_text_uses_names_and_abbreviates(tree):
    assert tree.to_text().splitlines() == [
        "height <= 1.5  [10 rows]",
        "|-- yes: no 1.00  [1 row]",
        "|-- no:  city in {city00, city02, city04, city06, city08, ... 30 more}  [9 rows]",
        "|   |-- yes: maybe 0.75, no 0.25  [4 rows]",
        "|   |-- no:  yes 0.50, maybe 0.30, no 0.20  [5 rows]",
    ]


def test_text_says_where_missing_values_go(tree):
    text = tree.to_text(show_missing=True)
    assert "height <= 1.5 and not missing" in text
    assert "more} or missing" in text


def test_text_can_be_cut_short(tree):
    lines = tree.to_text(max_depth=1).splitlines()
    assert len(lines) == 3
    assert lines[2].endswith("[9 rows] (cut short)")


def test_text_takes_other_names(tree):
    text = tree.to_text(["h", "c"], ["N", "M", "Y"], [(), tuple(range(N_CITIES))])
    assert text.startswith("h <= 1.5")
    assert "c in {0, 2, 4, 6, 8, ... 30 more}" in text
    assert "M 0.75, N 0.25" in text


def test_text_needs_enough_names(tree):
    with pytest.raises(ValueError, match="only 1 feature names"):
        tree.to_text(["height"])


def test_text_of_a_deep_tree_does_not_recurse():
    depth = 3000
    n_nodes = 2 * depth + 1
    # A comb: of each pair of children the right one splits again.
    feature = np.full(n_nodes, -1, np.int32)
    feature[0] = feature[2 : n_nodes - 2 : 2] = 0
    arrays = {
        "n_features": 1,
        "n_outputs": 1,
        "is_classifier": False,
        "n_levels": np.zeros(1, np.int32),
        "n_nodes": np.array([n_nodes], np.int64),
        "feature": feature,
        "threshold": np.where(feature == 0, np.arange(n_nodes), np.nan),
        "missing_left": np.zeros(n_nodes, np.uint8),
        "category_words": np.zeros(0, np.uint64),
        "leaf_n_samples": np.ones(depth + 1, np.int32),
        "leaf_weight": np.ones(depth + 1, np.float32),
        "leaf_n_entries": np.zeros(0, np.int32),
        "leaf_class": np.zeros(0, np.int32),
        "leaf_value": np.zeros(depth + 1),
        "leaf_rows": np.zeros(0, np.int32),
    }
    comb = Forest.from_arrays(arrays).trees[0]
    assert comb.depth == depth
    assert comb.to_text(max_depth=5).count("\n") == 10
    assert len(comb.to_text().splitlines()) == n_nodes
