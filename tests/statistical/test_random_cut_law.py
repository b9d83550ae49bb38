"""The law of random cuts at the root. Every threshold has a false-alarm rate of 1e-6 or less."""

import numpy as np
import pytest
from scipy import stats

from bayeswood import _core

ALARM = 1e-6
N_TREES = 4000


def roots(X, y, n_levels=None, max_features=1, **options):
    n_levels = np.zeros(X.shape[1], np.int32) if n_levels is None else n_levels
    forest, _ = _core.grow_forest(
        _core.EncodedMatrix(X, n_levels),
        y,
        None,
        criterion="squared_error",
        scheme="unit",
        seed=11,
        n_trees=N_TREES,
        max_features=max_features,
        max_depth=1,
        splitter="random",
        **options,
    )
    return [forest.tree(index) for index in range(N_TREES)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_are_uniform_in_value(rng, dtype):
    """On the scale of the values, however unevenly these lie on it."""
    X = np.exp(3 * rng.normal(size=(50, 1))).astype(dtype)
    low, high = float(X.min()), float(X.max())
    threshold = np.array([tree["threshold"][0] for tree in roots(X, rng.normal(size=(50, 1)))])
    assert ((low < threshold) & (threshold < high)).all()
    assert stats.kstest((threshold - low) / (high - low), "uniform").pvalue > ALARM
    of_ranks = np.searchsorted(np.sort(X[:, 0]), threshold) / len(X)
    assert stats.kstest(of_ranks, "uniform").pvalue < ALARM  # negative control


def test_features_that_vary_are_equally_likely(rng):
    X = rng.normal(size=(40, 6))
    X[:, [1, 4]] = 3.0
    feature = np.array([tree["feature"][0] for tree in roots(X, rng.normal(size=(40, 1)))])
    count = np.bincount(feature, minlength=6)
    assert count[[1, 4]].tolist() == [0, 0]
    assert stats.chisquare(count[[0, 2, 3, 5]]).pvalue > ALARM


def test_features_that_do_not_vary_do_not_count(rng):
    """Of two features that vary both are tried, whatever the number of constant ones."""
    X = np.full((40, 8), 2.0)
    y = rng.normal(size=(40, 1))
    X[:, 3], X[:, 6] = y[:, 0], rng.permutation(y[:, 0])
    feature = np.array([tree["feature"][0] for tree in roots(X, y, max_features=2)])
    # With one of the two tried, each would win half of the trees.
    assert (feature == 3).mean() > 0.8


@pytest.mark.parametrize("n_present", [2, 4])
def test_subsets_of_the_levels_present_are_equally_likely(rng, n_present):
    X = np.repeat([0.0, 2.0, 3.0, 5.0][:n_present], 5)[:, None]
    y = rng.normal(size=(len(X), 1))
    trees = roots(X, y, np.array([7], np.int32))
    mask = sum(1 << int(level) for level in np.unique(X))
    sets = np.array([int(tree["category_words"][0]) & mask for tree in trees])
    found, count = np.unique(sets, return_counts=True)
    assert len(found) == 2**n_present - 2
    assert 0 not in found
    assert mask not in found
    assert stats.chisquare(count).pvalue > ALARM


def test_missing_values_go_to_the_better_side(rng):
    """Missing rows are like those of large x: never with the small ones."""
    x = np.concatenate([np.arange(20.0), np.full(10, np.nan)])
    y = np.concatenate([np.arange(20.0), np.full(10, 19.0)])[:, None]
    for tree in roots(x[:, None], y)[:500]:
        right = y[(x > tree["threshold"][0]) | np.isnan(x)]
        left = y[x <= tree["threshold"][0]]
        if np.isinf(tree["threshold"][0]):
            continue
        assert not tree["missing_left"][0]
        assert left.mean() < right.mean()


def test_missing_values_are_cut_off_where_that_is_better(rng):
    x = np.concatenate([np.arange(20.0), np.full(10, np.nan)])
    y = np.concatenate([np.zeros(20), np.full(10, 9.0)])[:, None] + 0.01 * rng.normal(size=(30, 1))
    for levels in (np.zeros(1, np.int32), np.full(1, 20, np.int32)):
        for tree in roots(x[:, None], y, levels)[:500]:
            assert sorted(tree["n_samples"].tolist()) == [10, 20, 30]
