"""Whatever the chunks, their order, merges and un-learning: the same bits as one batch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayeswood import SafeBayesForestClassifier, SafeBayesForestRegressor, _core
from bayeswood.methods.safe_bayes.prior_trees import PriorPlan, PriorTrees
from bayeswood.table.pit import fit_pit

SEEDS = st.integers(0, 2**32 - 1)


def draw_table(rng):
    """Ties, holes and a category."""
    n_rows = int(rng.integers(4, 60))
    X = rng.integers(0, 6, (n_rows, 4)) + rng.choice([0.0, 0.25], (n_rows, 4))
    X[:, 3] = rng.integers(0, 3, n_rows)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    X[:3, 3] = [0, 1, 2]
    return X


def make(rng, X, kind):
    settings = {
        "n_estimators": int(rng.integers(1, 8)),
        "tree_prior": str(rng.choice(["full", "galton-watson"])),
        "depth": int(rng.integers(1, 6)),
        "reservoir_size": int(rng.choice([0, 5, 2000])),
        "random_state": int(rng.integers(0, 1000)),
        "pit_reference": X,
        "categorical_features": [3],
    }
    return kind(**settings)


def statistics(forest):
    members = forest._posterior
    return members.counts if hasattr(members, "counts") else members.sums


def assert_equal(first, second, X):
    np.testing.assert_array_equal(statistics(first), statistics(second))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
    np.testing.assert_array_equal(first.predict_draws(X), second.predict_draws(X))
    assert first.sharpness_ == second.sharpness_


@pytest.mark.parametrize("kind", [SafeBayesForestClassifier, SafeBayesForestRegressor])
@given(seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_streams(kind, seed):
    rng = np.random.default_rng(seed)
    X = draw_table(rng)
    n_rows = len(X)
    is_classes = kind is SafeBayesForestClassifier
    y = rng.integers(0, 3, n_rows) if is_classes else rng.normal(size=n_rows).round(1)
    if is_classes:
        y[:3] = [0, 1, 2]
    state = rng.bit_generator.state
    batch = make(rng, X, kind).fit(X, y)

    def fresh():
        rng.bit_generator.state = state
        return make(rng, X, kind).fit(X, y)  # settles scale and edges; emptied below

    empty = fresh().forget(X, y)
    order = rng.permutation(n_rows)
    chunked = empty
    for part in np.array_split(order, int(rng.integers(1, 6))):
        if len(part):
            chunked = chunked.partial_fit(X[part], y[part])
    if batch.reservoir_size == 2000:  # nothing was evicted, so forgetting lost no sample
        assert_equal(chunked, batch, X)
    np.testing.assert_array_equal(statistics(chunked), statistics(batch))

    cut = int(rng.integers(1, n_rows))
    left, right = fresh().forget(X[cut:], y[cut:]), fresh().forget(X[:cut], y[:cut])
    merged = left.merge(right)
    np.testing.assert_array_equal(statistics(merged), statistics(batch))
    if batch.reservoir_size == 2000:
        assert_equal(merged, batch, X)


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_instruction_sets_and_single_rows_agree(seed):
    rng = np.random.default_rng(seed)
    X = np.repeat(draw_table(rng), int(rng.integers(1, 30)), axis=0)
    n_levels = np.array([0, 0, 0, 3 if rng.uniform() < 0.5 else 0], dtype=np.int32)
    y = rng.integers(0, 11, len(X)).astype(np.int32) % int(rng.integers(2, 12))
    n_classes = int(y.max()) + 1
    depth = int(rng.integers(0, 7))
    plan = PriorPlan(int(rng.integers(0, 2**63)), 6, depth, float(rng.uniform(0.2, 0.7)), 300)
    trees = PriorTrees(plan, fit_pit(X, n_levels))
    leaf = trees.core.apply(X, instruction_set="portable")
    expected = np.zeros((trees.n_leaves_in_all, n_classes), dtype=np.int32)
    np.add.at(expected, (leaf, y[:, None]), 1)
    for name in _core.instruction_sets():
        np.testing.assert_array_equal(trees.core.apply(X, instruction_set=name), leaf)
        counts = np.zeros_like(expected)
        trees.core.count(X, y, None, 1, counts, instruction_set=name)
        np.testing.assert_array_equal(counts, expected)
        trees.core.count(X, y, np.full(len(X), 2, np.int32), 1, counts, instruction_set=name)
        np.testing.assert_array_equal(counts, 3 * expected)


@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_the_forest_sends_rows_where_they_were_counted(seed):
    rng = np.random.default_rng(seed)
    X = draw_table(rng)
    y = rng.integers(0, 2, len(X))
    forest = make(rng, X, SafeBayesForestClassifier).fit(X, y)
    members = forest._posterior
    encoded = forest._encode(X)
    draws = members.probability[members.trees.core.apply(encoded).T]
    np.testing.assert_array_equal(forest.predict_draws(X), draws)
