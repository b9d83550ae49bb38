"""Numeric features: every native tree is the twin's, node for node."""

import numpy as np
import pytest
from cart_twin import Problem, Settings, grow
from native_grower import grow_native
from random_tables import KINDS, TARGETS, random_problem
from tree_verdict import verify_tree

from bayeswood import _core

SIZES = [1, 2, 3, 5, 17, 64, 65, 300]


def assert_native_is_twin(problem, **options):
    forest, importances = grow_native(problem, **options)
    verdict = verify_tree(forest.tree(0), problem)
    np.testing.assert_allclose(
        importances[0], verdict.importances, rtol=1e-6, atol=1e-9 * verdict.importances.max()
    )
    return verdict


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", SIZES)
def test_all_kinds_of_columns(rng, n, target):
    for min_samples_leaf in (1, 2, 5):
        problem = random_problem(rng, n, KINDS, target, min_samples_leaf=min_samples_leaf)
        assert_native_is_twin(problem)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("weights", ["unit", "zeros", "counts", "tiny", "uneven"])
def test_all_kinds_of_weights(rng, weights, target):
    kinds = ("normal", "rounded", "integer")
    assert_native_is_twin(random_problem(rng, 250, kinds, target, weights))


@pytest.mark.parametrize("target", ["regression", "tied", "binary", "outputs"])
def test_extreme_weights(rng, target):
    """Weights over nine orders of magnitude."""
    kinds = ("normal", "rounded", "integer")
    assert_native_is_twin(random_problem(rng, 250, kinds, target, "extreme"))


def test_tied_outputs(rng):
    problem = random_problem(rng, 300, ("normal", "rounded", "integer"), "outputs")
    tied = Problem(problem.X, np.round(problem.y), problem.weight, problem.n_levels)
    assert_native_is_twin(tied)


@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize("min_samples_leaf", [1, 3, 20])
def test_each_kind_alone(rng, kind, min_samples_leaf):
    problem = random_problem(rng, 400, (kind, kind), min_samples_leaf=min_samples_leaf)
    assert_native_is_twin(problem)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.3, 0.5])
def test_minimum_weight(rng, fraction, target):
    kinds = ("normal", "rounded")
    settings = {"min_weight_fraction_leaf": fraction}
    problem = random_problem(rng, 300, kinds, target, "uneven", **settings)
    assert_native_is_twin(problem)


@pytest.mark.parametrize("max_depth", [1, 2, 5])
@pytest.mark.parametrize("target", TARGETS)
def test_maximum_depth(rng, max_depth, target):
    problem = random_problem(rng, 300, ("normal", "rounded"), target, max_depth=max_depth)
    forest, _ = grow_native(problem)
    assert forest.depths()[0] <= max_depth
    verify_tree(forest.tree(0), problem)


@pytest.mark.parametrize("target", TARGETS)
def test_float32_input(rng, target):
    problem = random_problem(rng, 500, ("normal", "rounded", "tailed"), target)
    X = problem.X.astype(np.float32)
    single = Problem(
        X, problem.y, problem.weight, problem.n_levels, problem.settings, problem.n_classes
    )
    assert_native_is_twin(single)


def test_unit_scheme_is_weight_one(rng):
    problem = random_problem(rng, 200, ("normal", "rounded"), weights="unit")
    assert_native_is_twin(problem, scheme="unit")


def test_unit_scheme_takes_sample_weight(rng):
    problem = random_problem(rng, 200, ("normal", "rounded"), weights="zeros")
    assert_native_is_twin(problem, scheme="unit", sample_weight=problem.weight)


def test_many_classes(rng):
    for n_classes in (3, 9, 40):
        kinds = ("normal", "integer", "binary")
        problem = random_problem(rng, 600, kinds, "multiclass", n_classes=n_classes)
        assert_native_is_twin(problem)


def test_more_classes_than_rows(rng):
    problem = random_problem(rng, 50, ("normal", "rounded"), "multiclass", n_classes=5000)
    assert_native_is_twin(problem)


@pytest.mark.parametrize("offset", [1e6, -1e9])
@pytest.mark.parametrize("weights", ["exponential", "tiny", "uneven"])
def test_a_huge_offset_of_y(rng, offset, weights):
    problem = random_problem(rng, 300, ("normal", "rounded", "integer"), weights=weights)
    moved = Problem(problem.X, problem.y + offset, problem.weight, problem.n_levels)
    assert_native_is_twin(moved)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_y(rng, scale):
    problem = random_problem(rng, 300, ("normal", "rounded"))
    assert_native_is_twin(Problem(problem.X, problem.y * scale, problem.weight, problem.n_levels))


@pytest.mark.parametrize("size", [40, 3000, 12000])
def test_near_ties_are_decided_in_double_precision(rng, size):
    """Two features cut at their middle; the second is better by 1e-7 of the impurity."""
    n = size - size % 4
    y = np.where(np.arange(n) < n // 2, 0.0, 1.0) + rng.choice([-0.25, 0.25], size=n)
    order = np.arange(n, dtype=float)
    swapped = order.copy()
    swapped[[n // 2 - 1, n // 2]] = swapped[[n // 2, n // 2 - 1]]
    y[n // 2 - 1], y[n // 2] = 0.5, 0.5 - 3e-7 * n
    X = np.stack([order, swapped], axis=1)
    problem = Problem(X, y[:, None] + 1e5, np.ones(n), np.zeros(2, int), Settings(max_depth=1))
    assert_native_is_twin(problem)
    worst_first = Problem(
        X[:, ::-1].copy(), problem.y, problem.weight, problem.n_levels, problem.settings
    )
    assert_native_is_twin(worst_first)


def test_ties_are_won_by_the_lowest_feature(rng):
    x = rng.normal(size=100)
    X = np.stack([rng.normal(size=100), x, -x, x], axis=1)
    y = (x > 0.2)[:, None].astype(float)
    problem = Problem(X, y, rng.exponential(size=100), np.zeros(4, int))
    forest, _ = grow_native(problem)
    tree = forest.tree(0)
    assert tree["feature"].tolist() == [1, -1, -1]


def test_ties_are_won_by_the_lowest_cut():
    X = np.arange(6.0)[:, None]
    y = np.array([0, 1, 1, 1, 1, 0.0])[:, None]
    forest, _ = grow_native(Problem(X, y, np.ones(6), np.zeros(1, int)))
    assert forest.tree(0)["threshold"][0] == 0.5


def test_a_cut_without_gain_is_made():
    """Exclusive or: no first cut helps, and two levels of cuts are perfect."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    y = np.array([0, 1, 1, 0.0])[:, None]
    problem = Problem(X, y, np.ones(4), np.zeros(2, int))
    forest, _ = grow_native(problem)
    tree = forest.tree(0)
    assert tree["feature"].tolist() == [0, 1, 1, -1, -1, -1, -1]
    assert sorted(tree["value"][3:, 0]) == [0, 0, 1, 1]


def test_neighbouring_doubles_are_told_apart():
    one = 1.0
    X = np.array([one, np.nextafter(one, 2), np.nextafter(np.nextafter(one, 2), 2)])[:, None]
    y = np.array([0.0, 5.0, 7.0])[:, None]
    problem = Problem(X, y, np.ones(3), np.zeros(1, int))
    assert_native_is_twin(problem)
    forest, _ = grow_native(problem)
    np.testing.assert_array_equal(forest.predict_draws(X)[0], y)


def test_extreme_values(rng):
    x = np.array([-1.7e308, -1e300, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e300, 1.5e308, 1.79e308])
    y = rng.normal(size=(10, 1))
    problem = Problem(x[:, None], y, np.ones(10), np.zeros(1, int))
    assert_native_is_twin(problem)
    forest, _ = grow_native(problem)
    np.testing.assert_allclose(forest.predict_draws(problem.X)[0], y, rtol=1e-15)


def test_both_zeros_are_one_value():
    X = np.array([-0.0, 0.0, -0.0, 0.0])[:, None]
    y = np.array([1.0, 2.0, 3.0, 4.0])[:, None]
    forest, _ = grow_native(Problem(X, y, np.ones(4), np.zeros(1, int)))
    assert forest.n_nodes.tolist() == [1]


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_one_class(criterion):
    y = np.zeros(5, dtype=np.int32)
    problem = Problem(
        np.arange(5.0)[:, None], y, np.ones(5), np.zeros(1, int), Settings(criterion), n_classes=1
    )
    forest, importances = grow_native(problem)
    assert forest.n_nodes.tolist() == [1]
    assert importances.tolist() == [[0.0]]
    assert forest.tree(0)["value"].tolist() == [[1.0]]


def test_twin_grown_on_its_own_is_the_same_tree(rng):
    problem = random_problem(rng, 800, ("normal", "normal", "tailed"), min_samples_leaf=3)
    ours, native = grow(problem), grow_native(problem)[0].tree(0)
    for name in ("feature", "left", "right", "n_samples", "missing_left"):
        np.testing.assert_array_equal(native[name], ours[name], err_msg=name)
    np.testing.assert_array_equal(native["threshold"], ours["threshold"])
    leaf = ours["feature"] < 0
    np.testing.assert_allclose(native["value"][leaf], ours["value"][leaf], rtol=1e-11)
    np.testing.assert_allclose(native["weight"], ours["weight"], rtol=1e-6)


def test_a_class_of_vanishing_weight():
    """Probabilities in a leaf are > 0 and add up to 1, whatever the weights."""
    X = np.zeros((2, 1))
    y = np.array([0, 1], dtype=np.int32)
    for n_classes in (2, 3):
        for weight in ([1e-20, 1.0], [1.0, 1e-20]):
            settings = Settings("gini")
            problem = Problem(X, y, np.array(weight), np.zeros(1, int), settings, n_classes)
            arrays = grow_native(problem)[0].to_arrays()
            assert (arrays["leaf_value"] > 0).all()
            assert arrays["leaf_value"].sum() == 1.0
            assert int(np.argmax(weight)) in arrays["leaf_class"]
            _core.Forest.from_arrays(arrays)


def test_ties_in_a_large_node_are_won_by_the_lowest(rng):
    """Integer y and three copies of one feature, in a node that is searched by histogram."""
    n = 9000
    x = rng.permutation(n).astype(float)
    y = (x < 3000).astype(float) + (x >= 6000)
    X = np.stack([rng.integers(3, size=n).astype(float), x, n - x, x // 1000, x], axis=1)
    problem = Problem(X, y[:, None], np.ones(n), np.zeros(5, int), Settings(max_depth=2))
    assert_native_is_twin(problem)
