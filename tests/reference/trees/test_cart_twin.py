"""The twin itself: against enumeration, against scikit-learn, against trees worked out by hand."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from cart_twin import Node, Problem, Settings, grow, midpoint
from random_tables import random_problem
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tree_verdict import exact_gain

D5_X = np.array([[0, 3], [1, 1], [2, 5], [3, 0], [4, 4], [5, 2]], dtype=float)
D5_Y = np.array([1.0, 0.2, 1.4, 0.9, 2.0, 1.1])[:, None]
D5_WEIGHTS = np.array([0.3, 1.7, 0.4, 2.2, 0.1, 1.3])


def best_subset_gain(node: Node, feature: int) -> float:
    """The best of all 2^(L-1) - 1 ways to part the levels that the node has."""
    level = node.problem.X[node.rows, feature]
    level = np.where(np.isnan(level), -1, level)
    present = np.unique(level)
    gains = [
        node.gain_of(np.isin(level, chosen))
        for size in range(1, len(present))
        for chosen in combinations(present, size)
    ]
    return max(gains)


@pytest.mark.parametrize("target", ["regression", "tied", "binary"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_levels", [2, 3, 7])
def test_ordering_the_levels_finds_the_best_subset(rng, target, missing, n_levels):
    for _ in range(20):
        kinds = (f"levels{n_levels}",)
        problem = random_problem(rng, 40, kinds, target, missing=missing)
        node = Node(problem, problem.active_rows, 0)
        [cuts] = node.candidates([0])
        assert cuts.gain.max() == pytest.approx(best_subset_gain(node, 0), rel=1e-9)


def test_one_order_per_class_is_close_to_the_best_subset(rng):
    shares = []
    for _ in range(50):
        problem = random_problem(rng, 200, ("levels7",), "multiclass")
        node = Node(problem, problem.active_rows, 0)
        [cuts] = node.candidates([0])
        shares.append(cuts.gain.max() / best_subset_gain(node, 0))
    assert max(shares) <= 1 + 1e-9
    assert min(shares) > 0.6
    assert np.mean(shares) > 0.9


@pytest.mark.parametrize("target", ["regression", "binary", "multiclass", "entropy", "outputs"])
@pytest.mark.parametrize("min_samples_leaf", [1, 7])
def test_twin_grows_the_tree_of_scikit_learn(rng, target, min_samples_leaf):
    kinds = ("normal", "tailed", "normal")
    problem = random_problem(rng, 300, kinds, target, min_samples_leaf=min_samples_leaf)
    # scikit-learn casts to float32 and breaks ties at random: stay clear of both.
    X = problem.X.astype(np.float32)
    problem = Problem(
        X, problem.y, problem.weight, problem.n_levels, problem.settings, problem.n_classes
    )
    kind = DecisionTreeClassifier if problem.n_classes else DecisionTreeRegressor
    peer = kind(
        criterion=problem.settings.criterion,
        min_samples_leaf=min_samples_leaf,
        random_state=0,
    ).fit(X, problem.y, sample_weight=problem.weight)
    ours = predict(grow(problem), X)
    theirs = peer.predict_proba(X) if problem.n_classes else peer.predict(X).reshape(len(X), -1)
    agree = np.isclose(ours, theirs, rtol=1e-5, atol=1e-8).all(axis=1).mean()
    # Deep nodes of two or three rows have many exact ties.
    assert agree > (0.9 if min_samples_leaf == 1 else 0.97)


def predict(tree: dict, X: np.ndarray) -> np.ndarray:
    leaf = []
    for x in X.astype(float):
        node = 0
        while tree["feature"][node] >= 0:
            is_left = x[tree["feature"][node]] <= tree["threshold"][node]
            node = tree["left" if is_left else "right"][node]
        leaf.append(node)
    return tree["value"][leaf]


def test_float_gains_agree_with_exact_ones(rng):
    problem = random_problem(rng, 30, ("normal",), "regression")
    node = Node(problem, problem.active_rows, 0)
    first, second = (problem.X[:, 0] <= t for t in (0.0, 0.5))
    exact = exact_gain(node, first) - exact_gain(node, second)
    assert isinstance(exact, Fraction)
    assert float(exact) == pytest.approx(node.gain_of(first) - node.gain_of(second), rel=1e-9)


def test_midpoints_never_reach_the_upper_value():
    low = np.array([1.0, 0.0, -1e308, 1e308, 5e-324, -0.0])
    high = np.array([np.nextafter(1.0, 2), 5e-324, 1e308, 1.7e308, 1e-323, 1.0])
    middle = midpoint(low, high)
    assert (low <= middle).all()
    assert (middle < high).all()
    assert np.isfinite(middle).all()


def test_depth_two_tree_of_fixed_weights():
    tree = grow(Problem(D5_X, D5_Y, D5_WEIGHTS, np.zeros(2, int), Settings(max_depth=2)))
    assert tree["feature"].tolist() == [0, 0, 1, -1, -1, -1, -1]
    assert tree["threshold"][:3].tolist() == [1.5, 0.5, 3.0]
    assert tree["n_samples"].tolist() == [6, 2, 4, 1, 1, 2, 2]
    np.testing.assert_allclose(
        tree["value"][:, 0],
        [0.8016666666666669, 0.32, 1.0425, 1.0, 0.2, 0.9742857142857143, 1.52],
    )
