"""The verdict itself: a tree with one thing wrong is never let pass."""

import numpy as np
import pytest
from cart_twin import Problem, Settings
from native_grower import grow_native
from random_tables import random_problem
from tree_verdict import verify_tree


@pytest.fixture
def grown(rng):
    """A lawful tree, writable, and its problem."""
    problem = random_problem(
        rng, 200, ("normal", "levels12", "rounded"), missing=0.2, min_samples_leaf=5
    )
    tree = {name: np.array(array) for name, array in grow_native(problem)[0].tree(0).items()}
    verify_tree(tree, problem)
    return tree, problem


def first(tree, *, feature):
    return int(np.flatnonzero(tree["feature"] == feature)[0])


def move_threshold(tree):
    node = first(tree, feature=0)
    tree["threshold"][node] = np.nextafter(tree["threshold"][node], np.inf)


def change_feature(tree):
    node = first(tree, feature=0)
    tree["feature"][node] = 2


def turn_missing(tree):
    node = first(tree, feature=0)
    tree["missing_left"][node] ^= 1


def flip_level(tree):
    node = first(tree, feature=1)
    tree["category_words"][tree["category_offset"][node]] ^= np.uint64(1)


def swap_children(tree):
    left, right = tree["left"][0], tree["right"][0]
    tree["left"][0], tree["right"][0] = right, left


def change_value(tree):
    leaf = first(tree, feature=-1)
    tree["value"][leaf] += 1e-9


def change_count(tree):
    tree["n_samples"][first(tree, feature=-1)] += 1


def change_weight(tree):
    tree["weight"][first(tree, feature=-1)] *= 1.0001


def cut_short(tree):
    tree["feature"][0] = -1


@pytest.mark.parametrize(
    "spoil",
    [
        move_threshold,
        change_feature,
        turn_missing,
        flip_level,
        swap_children,
        change_value,
        change_count,
        change_weight,
        cut_short,
    ],
)
def test_a_spoilt_tree_is_found(grown, spoil):
    tree, problem = grown
    spoil(tree)
    with pytest.raises(AssertionError):
        verify_tree(tree, problem)


def test_a_worse_cut_is_found(rng):
    """The second best cut, by a hair: y of the middle row moves the best one over."""
    X = np.arange(4.0)[:, None]
    settings = Settings(max_depth=1)
    low, high = (
        Problem(
            X, np.array([0, 0.5 + nudge, 0.5, 1])[:, None], np.ones(4), np.zeros(1, int), settings
        )
        for nudge in (-1e-8, 1e-8)
    )
    tree = grow_native(low)[0].tree(0)
    verify_tree(tree, low)
    with pytest.raises(AssertionError):
        verify_tree(tree, high)


def test_an_equal_cut_is_found_where_the_order_of_ties_counts():
    """Cuts 0.5 and 2.5 are exact ties; only the lower one is the contract's."""
    X = np.arange(4.0)[:, None]
    y = np.array([0.0, 1.0, 1.0, 0.0])[:, None]
    lower = Problem(X, y, np.ones(4), np.zeros(1, int), Settings(max_depth=1))
    tree = {name: np.array(array) for name, array in grow_native(lower)[0].tree(0).items()}
    assert tree["threshold"][0] == 0.5
    tree["threshold"][0] = 2.5
    tree["missing_left"][0] = 1
    for name in ("n_samples", "weight", "value"):
        tree[name][[1, 2]] = tree[name][[2, 1]]
    tree["value"][1:] = [[2 / 3], [0.0]]
    with pytest.raises(AssertionError, match="not won by the lowest"):
        verify_tree(tree, lower)
    assert verify_tree(tree, lower, tie_order=False).n_ties == 1
