"""Splits drawn among the best: every one is, and each is drawn as often."""

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.datasets import load_iris

from bayeswood import _core

K = 6


def entropy_sum(labels, weights):
    """W H of a set of rows."""
    shares = np.bincount(labels, weights)
    total = shares.sum()
    shares = shares[shares > 0]
    return total * np.log(total) - (shares * np.log(shares)).sum()


def all_splits(X, y, w, min_rows):
    """Every cut of every feature: {(feature, lower, upper value, missing left): gain}."""
    whole = entropy_sum(y, w)
    found = {}
    for feature in range(X.shape[1]):
        column = X[:, feature]
        values = np.unique(column[~np.isnan(column)])
        missing = np.isnan(column)
        tops = [*values[:-1], *(values[-1:] if missing.any() else [])]
        for at, value in enumerate(tops):
            for missing_left in (False, True) if missing.any() else (False,):
                left = np.where(missing, missing_left, column <= value)
                if missing_left and value == values[-1]:
                    continue
                if min(left.sum(), (~left).sum()) < min_rows:
                    continue
                gain = whole - entropy_sum(y[left], w[left]) - entropy_sum(y[~left], w[~left])
                upper = values[at + 1] if at + 1 < len(values) else np.inf
                found[feature, value, upper, missing_left] = gain
    return found


def grow(X, y, n_classes, weights=None, **options):
    encoded = _core.EncodedMatrix(X, np.zeros(X.shape[1], np.int32))
    options = {"n_candidates": K, "seed": 0, "n_trees": 1, **options}
    return _core.grow_forest(
        encoded,
        y.astype(np.int32),
        weights,
        criterion="entropy",
        scheme="unit",
        n_classes=n_classes,
        max_features=X.shape[1],
        **options,
    )[0]


def chosen(tree, node, splits):
    """The split of `splits` that a node has."""
    feature, threshold = tree["feature"][node], tree["threshold"][node]
    missing_left = bool(tree["missing_left"][node])
    fits = [
        split
        for split in splits
        if split[0] == feature
        and (split[1] <= threshold < split[2] or (split[2] == threshold == np.inf))
    ]
    # Where no value was missing, the side of missing values is that of the larger child.
    (split,) = [split for split in fits if split[3] == missing_left] or fits
    return split


def assert_among_the_best(tree, X, y, w, min_rows):
    rows_of = {0: np.arange(len(X))}
    for node in range(len(tree["feature"])):
        rows = rows_of[node]
        splits = all_splits(X[rows], y[rows], w[rows], min_rows)
        if tree["feature"][node] < 0:
            assert not splits or len(np.unique(y[rows])) == 1
            continue
        split = chosen(tree, node, splits)
        better = sum(gain > splits[split] + 1e-9 * len(X) for gain in splits.values())
        assert better < K, (node, split)
        column = X[rows, split[0]]
        left = np.where(np.isnan(column), split[3], column <= split[1])
        rows_of[tree["left"][node]], rows_of[tree["right"][node]] = rows[left], rows[~left]


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("min_rows", [1, 4])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_every_split_is_among_the_best(rng, seed, n_classes, min_rows, missing):
    for weights in (np.ones(90), rng.exponential(size=90)):
        X = np.column_stack([rng.normal(size=90), rng.normal(size=90).round(1)])
        y = (n_classes / (1 + np.exp(-X.sum(axis=1) - rng.normal(size=90)))).astype(int)
        X[rng.random(X.shape) < missing] = np.nan
        forest = grow(X, y, n_classes, weights, n_trees=8, seed=seed, min_samples_leaf=min_rows)
        for number in range(8):
            assert_among_the_best(forest.tree(number), X, y, weights, min_rows)


def test_the_best_are_drawn_alike(seed):
    """False alarm 1e-6: the chi-squared test of 6 equal shares in 3,000 roots."""
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(seed).normal(0, 1e-3, X.shape)  # no two gains the same
    gains = all_splits(X, y, np.ones(150), 1)
    best = sorted(gains, key=gains.get)[-K:]
    forest = grow(X, y, 3, n_trees=3000, seed=seed, max_depth=1)
    roots = [chosen(forest.tree(number), 0, gains) for number in range(3000)]
    counts = np.array([roots.count(split) for split in best])
    assert counts.sum() == 3000
    assert chisquare(counts).pvalue > 1e-6


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 12])
def test_long_lists_hide_none_of_the_best(rng, seed, n_classes, weighted):
    """False alarm 1e-15: one of 6 equal shares not among 200 roots. Blocks of rows are skipped."""
    X = np.column_stack([rng.normal(size=700), rng.normal(size=700).round(1)])
    X = np.column_stack([X, X[:, 0] + rng.normal(0, 0.05, 700)])
    y = (n_classes / (1 + np.exp(-X[:, :2].sum(axis=1) - rng.normal(size=700)))).astype(int)
    weights = rng.exponential(size=700) if weighted else np.ones(700)
    gains = all_splits(X, y, weights, 5)
    best = sorted(gains, key=gains.get)[-K:]
    forest = grow(X, y, n_classes, weights, n_trees=200, seed=seed, max_depth=1, min_samples_leaf=5)
    roots = {chosen(forest.tree(number), 0, gains) for number in range(200)}
    assert roots == set(best)


def test_one_candidate_is_the_greedy_tree(rng):
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int) + (X[:, 1] > 1)
    drawn = grow(X, y, 3, n_candidates=1, min_samples_leaf=2).to_arrays()
    greedy = grow(X, y, 3, n_candidates=0, min_samples_leaf=2).to_arrays()
    for name, value in drawn.items():
        np.testing.assert_array_equal(value, greedy[name], err_msg=name)


def test_large_tables_and_any_threads_and_instructions(rng):
    X = rng.normal(size=(70_000, 3)).round(2)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    options = {"n_trees": 2, "min_samples_leaf": 500, "n_candidates": 3}
    expected = grow(X, y, 3, **options).to_arrays()
    for n_jobs in (1, 2):
        for instruction_set in _core.instruction_sets():
            again = grow(X, y, 3, n_jobs=n_jobs, instruction_set=instruction_set, **options)
            for name, value in again.to_arrays().items():
                np.testing.assert_array_equal(value, expected[name], err_msg=name)
    top = all_splits(X[:, :1].round(0), y, np.ones(len(X)), 500)  # a coarse feature by itself
    tree = grow(X[:, :1].round(0), y, 3, **options, max_depth=1).tree(0)
    assert sum(gain > top[chosen(tree, 0, top)] + 1e-6 for gain in top.values()) < 3


def test_candidates_need_entropy(rng):
    X = rng.normal(size=(20, 2))
    encoded = _core.EncodedMatrix(X, np.zeros(2, np.int32))
    y = np.arange(20, dtype=np.int32) % 2
    with pytest.raises(ValueError, match="n_candidates"):
        _core.grow_forest(
            encoded,
            y,
            None,
            criterion="gini",
            scheme="unit",
            seed=0,
            n_trees=1,
            n_classes=2,
            max_features=2,
            n_candidates=3,
        )
