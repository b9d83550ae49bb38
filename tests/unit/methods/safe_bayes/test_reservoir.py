"""The bounded sample of rows."""

import numpy as np
import pytest

from bayeswood import BayeswoodError
from bayeswood.methods.safe_bayes.reservoir import Reservoir, row_keys


def same(a, b):
    names = ("keys", "X", "y", "copies", "limit")
    return all(np.array_equal(getattr(a, n), getattr(b, n), equal_nan=n == "X") for n in names)


@pytest.fixture
def rows(rng):
    X = rng.integers(0, 4, (300, 3)).astype(float)
    X[::11, 1] = np.nan
    return X, rng.integers(0, 2, 300).astype(np.int32)


def filled(capacity, X, y, chunks=1):
    reservoir = Reservoir.empty(capacity, X.shape[1], np.int32)
    for part in np.array_split(np.arange(len(y)), chunks):
        reservoir = reservoir.add(X[part], y[part])
    return reservoir


@pytest.mark.parametrize("capacity", [0, 1, 20, 1000])
def test_order_and_chunks_do_not_matter(rows, rng, capacity):
    X, y = rows
    order = rng.permutation(len(y))
    assert same(filled(capacity, X, y), filled(capacity, X[order], y[order], chunks=7))


@pytest.mark.parametrize("capacity", [20, 1000])
def test_merging_is_seeing_both(rows, capacity):
    X, y = rows
    halves = filled(capacity, X[:140], y[:140]).merge(filled(capacity, X[140:], y[140:]))
    assert same(halves, filled(capacity, X, y))


def test_copies_of_kept_rows_are_exact(rows):
    X, y = rows
    kept = filled(20, X, y, chunks=9)
    keys = row_keys(X, y)
    np.testing.assert_array_equal(kept.copies, [(keys == key).sum() for key in kept.keys])
    assert kept.n_kept == 20
    assert kept.arrivals is None


def test_removed_rows_are_gone(rows):
    X, y = rows
    less = filled(1000, X, y).remove(X[:100], y[:100])
    assert same(less, filled(1000, X[100:], y[100:]))
    np.testing.assert_array_equal(less.keys[less.order], row_keys(X[100:], y[100:]))


def test_the_order_of_arrival_is_known_while_all_fit(rows):
    X, y = rows
    kept = filled(300, X, y, chunks=4)
    np.testing.assert_array_equal(kept.X[kept.order], X)
    assert filled(299, X, y).order is None


def test_rows_never_seen_are_refused(rows):
    X, y = rows
    with pytest.raises(BayeswoodError, match="only if they were seen"):
        filled(1000, X, y).remove(X[:1] + 50, y[:1])


def test_equal_numbers_in_different_places_differ():
    pairs = np.array([[a, b] for a in range(20) for b in range(20)], dtype=float)
    keys = [row_keys(pairs, np.full(400, label)) for label in range(20)]
    assert len(np.unique(keys)) == 8000
