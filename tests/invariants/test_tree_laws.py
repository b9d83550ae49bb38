"""Laws that every grown tree keeps, whatever the data."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayeswood import _core

SLOW_OK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.data_too_large]
)


@st.composite
def tables(draw):
    """X with numbers of few or many values, levels, missing cells; y; weights; settings."""
    n = draw(st.integers(1, 60))
    n_levels = draw(st.lists(st.sampled_from([0, 0, 1, 2, 5, 70]), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    step = draw(st.sampled_from([0.0, 0.1, 1.0]))
    columns = []
    for levels in n_levels:
        z = rng.normal(size=n) * 10.0 ** draw(st.integers(-3, 3))
        column = (
            rng.integers(levels, size=n) if levels else (np.round(z / step) * step if step else z)
        )
        columns.append(
            np.where(rng.random(n) < draw(st.sampled_from([0, 0.2, 0.9])), np.nan, column)
        )
    X = np.stack(columns, axis=1).astype(draw(st.sampled_from([np.float32, np.float64])))
    criterion = draw(st.sampled_from(["squared_error", "gini", "entropy"]))
    n_classes = draw(st.sampled_from([1, 2, 3, 12])) if criterion != "squared_error" else 0
    y = (
        rng.integers(n_classes, size=n).astype(np.int32)
        if n_classes
        else rng.normal(size=(n, draw(st.integers(1, 3)))).round(draw(st.sampled_from([0, 8])))
    )
    weight = rng.exponential(size=n) * (rng.random(n) < draw(st.sampled_from([0.5, 1.0])))
    weight[rng.integers(n)] += 1.0
    options = {
        "criterion": criterion,
        "n_classes": n_classes,
        "scheme": draw(st.sampled_from(["exponential", "bootstrap", "unit"])),
        "seed": draw(st.integers(0, 2**63)),
        "max_features": draw(st.integers(1, len(n_levels))),
        "min_samples_leaf": draw(st.integers(1, 8)),
        "min_weight_fraction_leaf": draw(st.sampled_from([0.0, 0.1])),
        "max_depth": draw(st.sampled_from([0, 0, 1, 3])),
        "random_ties": draw(st.booleans()),
        "n_trees": 3,
        "keep_rows": True,
    }
    return X, np.array(n_levels, np.int32), y, weight, options


def grow(table):
    X, n_levels, y, weight, options = table
    return _core.grow_forest(_core.EncodedMatrix(X, n_levels), y, weight, **options)


def drawn_weight(table, tree):
    """The weights of a tree, or None where sample_weight has a say in the draw itself."""
    X, _, _, weight, options = table
    if options["scheme"] == "unit":
        return weight
    if options["scheme"] == "bootstrap" and not (weight > 0).all():
        return None
    return weight * _core.draw_weights(options["scheme"], options["seed"], tree, len(X))


@SLOW_OK
@given(tables())
def test_children_follow_breadth_first(table):
    forest, _ = grow(table)
    for t in range(forest.n_trees):
        tree = forest.tree(t)
        is_split = tree["feature"] >= 0
        rank = np.cumsum(is_split) - 1
        np.testing.assert_array_equal(tree["left"], np.where(is_split, 1 + 2 * rank, -1))
        np.testing.assert_array_equal(tree["right"], np.where(is_split, 2 + 2 * rank, -1))
        assert len(is_split) == 2 * is_split.sum() + 1
        np.testing.assert_array_equal(tree["leaf"][~is_split], np.arange((~is_split).sum()))
        assert (tree["leaf"][is_split] == -1).all()


@SLOW_OK
@given(tables())
def test_children_share_out_rows_weight_and_value(table):
    forest, _ = grow(table)
    for t in range(forest.n_trees):
        tree = forest.tree(t)
        node = np.flatnonzero(tree["feature"] >= 0)
        left, right = tree["left"][node], tree["right"][node]
        n, w, value = tree["n_samples"], tree["weight"].astype(float), tree["value"]
        np.testing.assert_array_equal(n[node], n[left] + n[right])
        np.testing.assert_allclose(w[node], w[left] + w[right], rtol=1e-6)
        mixed = (w[left, None] * value[left] + w[right, None] * value[right]) / w[node, None]
        np.testing.assert_allclose(value[node], mixed, rtol=1e-5, atol=1e-6 * np.abs(value).max())


@SLOW_OK
@given(tables())
def test_leaves_are_as_large_as_asked(table):
    options = table[-1]
    forest, _ = grow(table)
    for t in range(forest.n_trees):
        tree = forest.tree(t)
        inner = tree["feature"] >= 0
        if not inner[0]:
            continue
        assert tree["n_samples"][~inner].min() >= options["min_samples_leaf"]
        least = options["min_weight_fraction_leaf"] * tree["weight"][0]
        assert tree["weight"][~inner].min() >= least * (1 - 1e-6)
        if options["max_depth"]:
            assert forest.depths()[t] <= options["max_depth"]


@SLOW_OK
@given(tables())
def test_every_active_row_is_in_the_leaf_that_predicts_it(table):
    X, _, _, weight, _ = table
    forest, _ = grow(table)
    leaf_node = forest.apply(X)
    arrays = forest.to_arrays()
    ends = np.cumsum(arrays["leaf_n_samples"])
    first_leaf = np.concatenate([[0], np.cumsum(forest.n_leaves)])
    for t in range(forest.n_trees):
        seen = []
        nodes = np.flatnonzero(forest.tree(t)["feature"] < 0)
        for k, node in enumerate(nodes):
            leaf = first_leaf[t] + k
            rows = arrays["leaf_rows"][ends[leaf] - arrays["leaf_n_samples"][leaf] : ends[leaf]]
            assert (leaf_node[rows, t] == node).all()
            seen.extend(rows.tolist())
        assert len(set(seen)) == len(seen)
        assert (weight[seen] > 0).all()
        drawn = drawn_weight(table, t)
        if drawn is not None:
            assert sorted(seen) == np.flatnonzero(drawn > 0).tolist()


@SLOW_OK
@given(tables())
def test_values_are_weighted_means_of_the_leaves(table):
    X, _, y, _, options = table
    forest, _ = grow(table)
    response = np.eye(options["n_classes"])[y] if options["n_classes"] else y
    leaf_node = forest.apply(X)
    for t in range(forest.n_trees):
        drawn = drawn_weight(table, t)
        if drawn is None:
            continue
        tree = forest.tree(t)
        for node in np.unique(leaf_node[drawn > 0, t]):
            here = (leaf_node[:, t] == node) & (drawn > 0)
            mean = drawn[here] @ response[here] / drawn[here].sum()
            np.testing.assert_allclose(tree["value"][node], mean, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(tree["weight"][node], drawn[here].sum(), rtol=1e-6)


@SLOW_OK
@given(tables())
def test_importances_are_never_negative(table):
    forest, importances = grow(table)
    assert importances.shape == (3, table[0].shape[1])
    assert np.isfinite(importances).all()
    assert (importances >= -1e-12).all()
    used = [set(forest.tree(t)["feature"].tolist()) - {-1} for t in range(3)]
    for t in range(3):
        assert set(np.flatnonzero(importances[t] > 1e-9).tolist()) <= used[t]


@SLOW_OK
@given(tables())
def test_arrays_go_there_and_back(table):
    forest, _ = grow(table)
    arrays = forest.to_arrays()
    back = _core.Forest.from_arrays(arrays).to_arrays()
    for name, value in arrays.items():
        assert np.asarray(back[name]).tobytes() == np.asarray(value).tobytes(), name


def small_forest():
    rng = np.random.default_rng(0)
    X = np.stack([rng.normal(size=80), rng.integers(5, size=80).astype(float)], axis=1)
    encoded = _core.EncodedMatrix(X, np.array([0, 5], np.int32))
    y = rng.integers(3, size=80).astype(np.int32)
    return _core.grow_forest(
        encoded,
        y,
        None,
        criterion="gini",
        scheme="exponential",
        seed=1,
        n_trees=2,
        n_classes=3,
        max_features=2,
        keep_rows=True,
    )[0]


def broken(name, change):
    def apply(arrays):
        value = np.array(arrays[name])
        arrays[name] = change(value)

    return pytest.param(apply, id=f"{name}")


def put(index, value):
    def change(array):
        array[index] = value
        return array

    return change


@pytest.mark.parametrize(
    "break_law",
    [
        broken("feature", put(0, 2)),
        broken("feature", put(0, -2)),
        broken("feature", put(0, -1)),
        broken("feature", lambda a: a[:-1]),
        broken("threshold", lambda a: np.where(np.isnan(a), a, np.nan)),
        broken("threshold", lambda a: a[:-1]),
        broken("missing_left", put(0, 2)),
        broken("n_nodes", put(0, 2)),
        broken("n_nodes", put(0, -1)),
        broken("n_nodes", put(0, 2**62)),
        broken("category_words", lambda a: a[:-1]),
        broken("leaf_n_samples", put(0, -1)),
        broken("leaf_weight", put(0, np.nan)),
        broken("leaf_weight", put(0, -1.0)),
        broken("leaf_n_entries", put(0, 0)),
        broken("leaf_n_entries", put(0, 2**30)),
        broken("leaf_class", put(0, 3)),
        broken("leaf_class", put(0, -1)),
        broken("leaf_value", put(0, np.nan)),
        broken("leaf_value", put(0, -0.5)),
        broken("leaf_value", put(0, 7.0)),
        broken("leaf_rows", put(0, -1)),
        broken("leaf_rows", lambda a: a[:-1]),
        broken("n_levels", put(1, -1)),
        broken("n_levels", put(1, 70)),
        broken("n_levels", lambda a: a[:-1]),
    ],
)
def test_a_broken_law_is_refused(break_law):
    arrays = dict(small_forest().to_arrays())
    _core.Forest.from_arrays(arrays)
    break_law(arrays)
    with pytest.raises(ValueError, match=r"."):
        _core.Forest.from_arrays(arrays)
