"""Trees drawn over rows whose responses nobody looked at."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeswood import BayeswoodError, SafeBayesForestClassifier, SafeBayesForestRegressor, load


def forest(n_trees=20, **parameters):
    return SafeBayesForestClassifier(
        n_trees, **{"tree_prior": "rows", "random_state": 1, **parameters}
    )


@pytest.fixture
def mixed(rng):
    """Numbers with ties and holes, and words."""
    number = np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120).round(1))
    table = {
        "number": number,
        "whole": rng.integers(4, size=120),
        "word": rng.choice(list("abcd"), 120),
    }
    frame = pd.DataFrame(table)
    return frame, rng.integers(3, size=120)


def rules_of(model):
    arrays = model.forest_.to_arrays()
    return {
        name: arrays[name] for name in ("feature", "threshold", "missing_left", "category_words")
    }


def same_rules(one, two):
    one, two = rules_of(one), rules_of(two)
    return all(np.array_equal(one[name], two[name], equal_nan=True) for name in one)


def test_responses_are_not_looked_at(mixed, rng):
    X, y = mixed
    assert same_rules(forest().fit(X, y), forest().fit(X, rng.permutation(y)))


def test_neither_order_nor_copies_of_rows_matter(mixed, rng):
    X, y = mixed
    copies = rng.integers(1, 4, len(y))
    order = rng.permutation(np.repeat(np.arange(len(y)), copies))
    one = forest().fit(X, y, sample_weight=copies)
    two = forest().fit(X.iloc[order], y[order])
    assert same_rules(one, two)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_any_number_of_threads_gives_the_same_bits(mixed):
    X, y = mixed
    one, two = forest(n_jobs=1).fit(X, y), forest(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_every_cut_parts_the_rows_of_its_node(mixed):
    X, y = mixed
    for tree in forest().fit(X, y).forest_.trees:
        assert tree.n_samples.min() > 0
        assert (tree.n_samples[tree.feature < 0] == 1).mean() > 0.5  # most rows are distinct


def test_the_largest_node_is_cut_next(rng):
    X, y = rng.normal(size=(1000, 3)), rng.integers(2, size=1000)
    model = forest(50, max_leaves=8).fit(X, y)
    for tree in model.forest_.trees:
        inner = tree.feature >= 0
        assert inner.sum() == 7
        assert tree.n_samples[inner].min() >= tree.n_samples[~inner].max()


def test_the_root_parts_two_random_rows():
    """A feature of one 1 in 20 rows parts a pair with probability 2 · .05 · .95 · 20/19, and then
    competes with the number. Chi-square of 20,000 roots at 1e-6."""
    number = np.arange(20.0)
    X = np.column_stack([number, number == 7])
    model = forest(20_000, max_leaves=2).fit(X, np.arange(20) % 2)
    arrays = model.forest_.to_arrays()
    roots = np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"]
    is_rare = arrays["feature"][roots] == 1
    rare = 0.5 * 2 / 20  # pairs are drawn anew while they are one row
    assert stats.binomtest(int(is_rare.sum()), 20_000, rare).pvalue > 1e-6
    cuts = np.floor(arrays["threshold"][roots][~is_rare]).astype(int)
    expected = np.zeros(19)
    for a in range(20):
        for b in range(a + 1, 20):
            share = 0.5 if 7 in (a, b) else 1.0
            expected[a:b] += share / (b - a)
    count = np.bincount(cuts, minlength=19)
    assert stats.chisquare(count, expected / expected.sum() * count.sum()).pvalue > 1e-6
    # Negative control: cuts from the middle of all values.
    even = np.full(19, count.sum() / 19)
    assert stats.chisquare(count, even).pvalue < 1e-6


@pytest.mark.parametrize("kind", [SafeBayesForestClassifier, SafeBayesForestRegressor])
def test_files_and_pickles_hold_the_trees(mixed, kind, tmp_path):
    X, y = mixed
    model = kind(10, tree_prior="rows", random_state=1).fit(X[:60], y[:60])
    model.save(tmp_path / "model")
    for again in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        again.partial_fit(X[60:], y[60:])
        again.forget(X[60:], y[60:])
        np.testing.assert_array_equal(again.log_evidence_, model.log_evidence_)


def test_a_file_of_other_rules_is_refused(mixed):
    X, y = mixed
    meta, arrays, trees = forest().fit(X, y)._state()
    for name, change in (
        ("tree_rules", lambda a: a[:-1]),
        ("tree_rules", lambda a: np.where(a == a.max(), 0, a)),
        ("tree_rules", lambda a: np.where(np.arange(len(a)) == 0, 2 * 9, a)),
        ("tree_leaves", lambda a: a + 1),
        ("tree_sets", lambda a: a[1:]),
        ("tree_sets", lambda a: a.astype(float)),
    ):
        with pytest.raises(BayeswoodError, match="model file"):
            SafeBayesForestClassifier._from_state(
                meta, arrays | {name: change(arrays[name])}, trees
            )


def test_only_forests_over_the_same_rows_are_merged(mixed):
    X, y = mixed
    halves = [forest(pit_reference=X).fit(X[part], y[part]) for part in (slice(60), slice(60, 120))]
    merged = halves[0].merge(halves[1])
    whole = forest(pit_reference=X).fit(X, y)
    np.testing.assert_array_equal(merged.log_evidence_, whole.log_evidence_)
    shifted = X.assign(whole=X["whole"].sample(frac=1, random_state=0).to_numpy())
    with pytest.raises(BayeswoodError, match="drawn over different rows"):
        merged.merge(forest(pit_reference=shifted).fit(X, y))


def test_rows_that_are_all_alike():
    model = forest(3).fit(np.zeros((5, 2)), [0, 1, 0, 1, 1])
    assert model.forest_.n_leaves.tolist() == [1, 1, 1]
    assert np.isfinite(model.predict_proba([[3.0, np.nan]])).all()
