"""Prediction against a walk down the tree in Python, one row at a time."""

from dataclasses import replace

import numpy as np
import pytest
from cart_twin import Problem
from native_grower import grow_native, native_y
from random_tables import random_problem, random_rows
from tree_verdict import left_levels

from bayeswood import Forest, _core

MIXED = ("normal", "levels12", "rounded", "levels70", "integer")
TARGETS = ["regression", "binary", "multiclass", "outputs"]


def leaf_of(tree, x, n_levels):
    node = 0
    while tree["feature"][node] >= 0:
        feature = int(tree["feature"][node])
        value = x[feature]
        if np.isnan(value):
            is_left = tree["missing_left"][node]
        elif n_levels[feature]:
            is_left = int(value) in left_levels(tree, node, int(n_levels[feature]))
        else:
            is_left = value <= tree["threshold"][node]
        node = int(tree["left" if is_left else "right"][node])
    return node


def leaves(forest, X, n_levels):
    """(n_rows, n_trees)."""
    trees = [forest.tree(t) for t in range(forest.n_trees)]
    return np.array([[leaf_of(tree, x, n_levels) for tree in trees] for x in X.astype(float)])


def values(forest, leaf):
    """(n_trees, n_rows, n_outputs)."""
    return np.stack([forest.tree(t)["value"][leaf[:, t]] for t in range(forest.n_trees)])


@pytest.fixture
def grown(request, rng):
    """A forest of 7 trees, new rows (some missing) and their leaves."""
    problem = random_problem(rng, 400, MIXED, request.param, missing=0.15)
    options = {"scheme": "exponential", "max_features": 3, "seed": 11, "keep_rows": True}
    forest, _ = grow_native(problem, n_trees=7, **options)
    X = random_rows(rng, 150, MIXED, 0.25)
    return problem, forest, X, leaves(forest, X, problem.n_levels)


@pytest.mark.parametrize("grown", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_apply_and_draws(grown, dtype):
    problem, forest, X, _ = grown
    X = X.astype(dtype)
    leaf = leaves(forest, X, problem.n_levels)
    for n_jobs in (1, 2):
        np.testing.assert_array_equal(forest.apply(X, n_jobs), leaf)
        np.testing.assert_array_equal(forest.predict_draws(X, n_jobs), values(forest, leaf))


@pytest.mark.parametrize("grown", TARGETS, indirect=True)
def test_apply_where_it_is_asked_for(grown, rng):
    problem, forest, X, _ = grown
    leaf = leaves(forest, X, problem.n_levels)
    where = rng.random((forest.n_trees, len(X))) < 0.3
    where[0] = False
    for n_jobs in (1, 2):
        found = forest.apply(X, n_jobs, where.view(np.uint8))
        np.testing.assert_array_equal(found, np.where(where.T, leaf, 0))
    with pytest.raises(ValueError, match="where"):
        forest.apply(X, 1, where[1:].view(np.uint8))


@pytest.mark.parametrize("grown", TARGETS, indirect=True)
def test_weighted_mean(grown, rng):
    _, forest, X, leaf = grown
    weight = rng.dirichlet(np.ones(7))
    expected = np.einsum("t,tnk->nk", weight, values(forest, leaf))
    np.testing.assert_allclose(forest.predict_mean(X, weight), expected, rtol=1e-12, atol=1e-14)
    assert forest.predict_mean(X, weight, 2).tobytes() == forest.predict_mean(X, weight).tobytes()


@pytest.mark.parametrize("grown", ["binary", "multiclass"], indirect=True)
def test_weighted_votes(grown, rng):
    _, forest, X, leaf = grown
    weight = rng.dirichlet(np.ones(7))
    winner = values(forest, leaf).argmax(axis=2)
    expected = np.zeros((len(X), forest.n_outputs))
    for t in range(7):
        expected[np.arange(len(X)), winner[t]] += weight[t]
    np.testing.assert_allclose(forest.predict_votes(X, weight), expected, rtol=1e-12, atol=1e-15)


def test_a_tied_leaf_votes_for_the_lowest_class():
    X = np.zeros((4, 1))
    y = np.array([2, 1, 1, 2], dtype=np.int32)
    problem = Problem(X, y, np.ones(4), np.zeros(1, int), n_classes=3)
    encoded = _core.EncodedMatrix(X, np.zeros(1, np.int32))
    forest, _ = _core.grow_forest(
        encoded,
        native_y(problem),
        None,
        criterion="gini",
        scheme="unit",
        seed=0,
        n_trees=1,
        n_classes=3,
        max_features=1,
    )
    assert forest.predict_votes(X[:1], np.ones(1)).tolist() == [[0.0, 1.0, 0.0]]


@pytest.mark.parametrize("grown", TARGETS, indirect=True)
def test_any_strides(grown):
    _, forest, X, leaf = grown
    wide = np.zeros((2 * len(X), X.shape[1] + 3))
    wide[::2, 1:-2] = X
    for view in (np.asfortranarray(X), wide[::2, 1:-2], X[::-1].copy()[::-1]):
        np.testing.assert_array_equal(forest.apply(view), leaf)


def test_blocks_of_rows_do_not_matter(rng):
    problem = random_problem(rng, 500, MIXED, missing=0.1)
    forest, _ = grow_native(problem, scheme="exponential", n_trees=5)
    X = random_rows(rng, 40000, MIXED, 0.1)
    weight = np.full(5, 0.2)
    whole = forest.predict_mean(X, weight, 2)
    for rows in (slice(0, 1), slice(16383, 16386), slice(39990, 40000)):
        np.testing.assert_array_equal(forest.predict_mean(X[rows], weight), whole[rows])
    assert forest.predict_mean(X[:0], weight).shape == (0, 1)


@pytest.mark.parametrize("least", [1, 5])
@pytest.mark.parametrize("target", ["binary", "multiclass"])
def test_classes_of_one_row_have_the_bits_of_many(rng, target, least):
    """Many rows add pure leaves as such, and have all classes of mixed ones written down first."""
    problem = random_problem(rng, 500, MIXED, target, missing=0.1)
    problem = replace(problem, settings=replace(problem.settings, min_samples_leaf=least))
    forest, _ = grow_native(problem, scheme="exponential", n_trees=5)
    X = random_rows(rng, 2000, MIXED, 0.1)
    weight = rng.dirichlet(np.ones(5))
    whole = forest.predict_mean(X, weight)
    alone = np.concatenate([forest.predict_mean(X[i : i + 1], weight) for i in range(300)])
    assert whole[:300].tobytes() == alone.tobytes()


@pytest.mark.parametrize("n_rows", [1, 15, 16, 17, 200])
def test_uneven_thresholds_and_values_far_out(rng, n_rows):
    """Places are found by cells of equal width, most of which are empty here."""
    X = np.exp(rng.normal(scale=4, size=(600, 2))) * rng.choice([-1, 1], (600, 2))
    problem = Problem(X, rng.normal(size=(600, 1)), np.ones(600), np.zeros(2, int))
    forest, _ = grow_native(problem, scheme="unit", n_trees=2)
    far = np.array([-np.inf, np.inf, np.nan, 0.0, -0.0, 1e300, -1e300, 1e-300])
    new = rng.choice(np.concatenate([X.ravel(), 1.001 * X.ravel(), np.tile(far, 50)]), (n_rows, 2))
    np.testing.assert_array_equal(forest.apply(new), leaves(forest, new, problem.n_levels))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("scheme", ["exponential", "bootstrap", "unit"])
def test_training_rows_reach_the_leaf_they_were_counted_in(rng, target, scheme):
    problem = random_problem(rng, 600, MIXED, target, missing=0.2)
    forest, _ = grow_native(problem, scheme=scheme, n_trees=3, seed=5, keep_rows=True)
    assert forest.has_rows
    leaf_node = forest.apply(problem.X)
    arrays = forest.to_arrays()
    first_leaf, first_row = 0, 0
    for t in range(3):
        tree = forest.tree(t)
        nodes = np.flatnonzero(tree["feature"] < 0)
        for k, node in enumerate(nodes):
            size = arrays["leaf_n_samples"][first_leaf + k]
            rows = arrays["leaf_rows"][first_row : first_row + size]
            first_row += size
            assert (leaf_node[rows, t] == node).all()
            assert tree["n_samples"][node] == size
        first_leaf += len(nodes)
    assert first_row == len(arrays["leaf_rows"])


@pytest.mark.parametrize(
    ("target", "hard"), [*((t, False) for t in TARGETS), ("binary", True), ("multiclass", True)]
)
def test_out_of_bag(rng, target, hard):
    problem = random_problem(rng, 200, MIXED, target, missing=0.1)
    forest, _ = grow_native(problem, scheme="bootstrap", n_trees=9, seed=21)
    sums, counts = forest.predict_oob(problem.X, "bootstrap", 21, hard)
    leaf = leaves(forest, problem.X, problem.n_levels)
    member = values(forest, leaf)
    if hard:
        member = np.eye(forest.n_outputs)[member.argmax(axis=2)]
    out = np.stack([_core.draw_weights("bootstrap", 21, t, 200) == 0 for t in range(9)])
    np.testing.assert_array_equal(counts, out.sum(axis=0))
    expected = np.einsum("tn,tnk->nk", out.astype(float), member)
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("target", ["regression", "tied", "outputs"])
@pytest.mark.parametrize("scheme", ["exponential", "bootstrap"])
@pytest.mark.parametrize("with_weight", [False, True])
def test_quantiles(rng, target, scheme, with_weight):
    problem = random_problem(rng, 250, MIXED, target, missing=0.1, min_samples_leaf=8)
    sample_weight = rng.exponential(size=250) if with_weight else None
    forest, _ = grow_native(
        problem, scheme=scheme, n_trees=6, seed=4, keep_rows=True, sample_weight=sample_weight
    )
    X = random_rows(rng, 30, MIXED, 0.1)
    tree_weights = rng.dirichlet(np.ones(6))
    alpha = np.array([0.0, 0.05, 0.37, 0.5, 0.95, 1.0])
    responses = _core.LeafResponses(forest, problem.y, sample_weight, scheme, 4)
    got = responses.quantiles(X, tree_weights, alpha)
    assert responses.quantiles(X, tree_weights, alpha, 2).tobytes() == got.tobytes()
    leaf, own = leaves(forest, X, problem.n_levels), leaves(forest, problem.X, problem.n_levels)
    weight = np.stack([_core.draw_weights(scheme, 4, t, 250) for t in range(6)])
    weight = weight if sample_weight is None else weight * sample_weight
    for i in range(len(X)):
        together = np.where(leaf[i][:, None] == own.T, weight, 0.0)
        total = (tree_weights[:, None] * together / together.sum(axis=1, keepdims=True)).sum(axis=0)
        for k in range(problem.y.shape[1]):
            for q, level in enumerate(alpha):
                assert_is_quantile(got[i, k, q], problem.y[:, k], total, level)


def assert_is_quantile(value, y, weight, level):
    """The smallest y whose cumulative weight is >= level, up to rounding of the sums."""
    used = np.unique(y[weight > 0])
    assert value in used
    at_most = weight[y <= value].sum()
    below = weight[y < value].sum()
    assert at_most >= level - 1e-9
    assert below < level + 1e-9 or value == used[0]


def random_stump(rng, depth, n_cuts):
    """A nested tree over two numbers and a category of four levels."""
    if depth == 0:
        return float(rng.normal())
    feature = int(rng.integers(3))
    level_set = {int(level) for level in rng.choice(4, 2, replace=False)}
    rule = level_set if feature == 2 else int(rng.integers(n_cuts)) / n_cuts
    below = [random_stump(rng, int(rng.integers(depth)), n_cuts) for _ in range(2)]
    return (feature, rule, *below, bool(rng.integers(2)))


@pytest.mark.parametrize("n_cuts", [254, 3000])  # their places fit into a byte, or do not
def test_sums_of_small_trees_that_members_share(n_cuts, rng):
    levels = np.array([0, 0, 4], dtype=np.int32)
    numbers = [(j, c / n_cuts, 0.0, 1.0) for j in range(2) for c in range(n_cuts)]
    stumps = [random_stump(rng, 4, n_cuts) for _ in range(40)]
    deep = (0, 0.5, random_stump(rng, 9, n_cuts), random_stump(rng, 9, n_cuts))
    # Three members of the same shapes but the second, then all cuts there are.
    kept = [*stumps, deep, *stumps[:7], stumps[9], *stumps[8:], deep, *stumps, deep]
    forest = Forest.from_nested([*kept, *numbers[: len(numbers) // 41 * 41]], n_features=3,
                                n_levels=levels, trees_per_member=41)  # fmt: skip
    X = np.column_stack([rng.integers(0, n_cuts + 1, (3000, 2)) / n_cuts, rng.integers(0, 4, 3000)])
    X[rng.random(X.shape) < 0.1] = np.nan
    few = np.arange(0, 3000, 50)
    said = values(forest.core, leaves(forest.core, X[few], levels))
    draws = np.stack([member.cumsum(axis=0)[-1] for member in np.split(said, forest.n_members)])
    found = forest.draws(X)
    np.testing.assert_array_equal(found[:, few], draws)
    np.testing.assert_allclose(forest.predict(X)[few], draws.mean(axis=0), rtol=1e-12)
    for n_jobs in (2, 3):
        np.testing.assert_array_equal(forest.draws(X, n_jobs), found)
    np.testing.assert_array_equal(forest.draws(X[7:9]), found[:, 7:9])
    np.testing.assert_array_equal(forest.predict(X[7:9]), forest.predict(X)[7:9])
