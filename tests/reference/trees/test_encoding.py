"""Rank codes against `np.unique`."""

import numpy as np
import pytest
from cart_twin import midpoint
from random_tables import KINDS, random_rows

from bayeswood import _core


def encode(X, n_levels=None, **options):
    levels = np.zeros(X.shape[1], np.int32) if n_levels is None else np.array(n_levels, np.int32)
    return _core.EncodedMatrix(X, levels, **options)


def codes_of(encoded):
    """(n_rows, n_features)."""
    codes = np.asarray(encoded.codes())
    assert codes.dtype == np.uint16
    assert codes.shape == (encoded.n_rows, encoded.n_features)
    return codes.astype(int)


def ranks(column):
    """0 for the lowest distinct value; missing behind all."""
    present = ~np.isnan(column)
    values, inverse = np.unique(column[present], return_inverse=True)
    rank = np.full(len(column), len(values))
    rank[present] = inverse
    return rank, values


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n", [1, 2, 7, 1000, 20000])
def test_codes_keep_the_order(rng, n, missing, dtype):
    X = random_rows(rng, n, KINDS, missing).astype(dtype)
    encoded = encode(X)
    codes = codes_of(encoded)
    for j, column in enumerate(X.T):
        rank, _ = ranks(column)
        present = ~np.isnan(column)
        same_order = np.unique(np.stack([rank[present], codes[present, j]]), axis=1)
        assert (np.diff(same_order, axis=1) > 0).all(), f"feature {j}"
        assert len(np.unique(codes[~present, j])) <= 1
        assert not set(codes[~present, j]) & set(codes[present, j])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_are_midpoints(rng, dtype):
    X = random_rows(rng, 500, KINDS, 0.1).astype(dtype)
    encoded = encode(X)
    for j, column in enumerate(X.T):
        _, values = ranks(column.astype(float))
        expected = midpoint(values[:-1], values[1:])
        np.testing.assert_array_equal(encoded.thresholds(j)[: len(expected)], expected)


def test_any_strides_and_read_only(rng):
    X = random_rows(rng, 300, ("normal", "rounded", "integer"), 0.1)
    expected = codes_of(encode(X))
    wide = np.zeros((600, 6))
    wide[::2, ::2] = X
    reversed_rows = X[::-1].copy()[::-1]
    frozen = X.copy()
    frozen.flags.writeable = False
    for view in (np.asfortranarray(X), wide[::2, ::2], reversed_rows, frozen):
        np.testing.assert_array_equal(codes_of(encode(view)), expected)


def test_n_jobs_gives_the_same_codes(rng):
    X = random_rows(rng, 5000, KINDS, 0.1)
    one, two = encode(X, n_jobs=1), encode(X, n_jobs=2)
    np.testing.assert_array_equal(codes_of(one), codes_of(two))


def test_levels_are_their_own_codes(rng):
    level = rng.integers(300, size=1000).astype(float)
    X = np.stack([level, rng.normal(size=1000)], axis=1)
    codes = codes_of(encode(X, [300, 0]))
    np.testing.assert_array_equal(codes[:, 0], level)


def test_both_zeros_share_a_code():
    codes = codes_of(encode(np.array([-0.0, 0.0, 1.0])[:, None]))
    assert codes[0, 0] == codes[1, 0] != codes[2, 0]


def test_all_65535_values_are_exact():
    n = 65535
    X = np.random.default_rng(0).permutation(n).astype(float)[:, None]
    codes = codes_of(encode(X))
    assert len(np.unique(codes)) == n
    assert (np.argsort(codes[:, 0]) == np.argsort(X[:, 0])).all()


@pytest.mark.parametrize("max_codes", [2, 16, 255, 1000])
def test_quantile_codes_beyond_the_limit(rng, max_codes):
    x = np.exp(2 * rng.normal(size=20000))
    x[:3000] = 1.0
    codes = codes_of(encode(x[:, None], max_codes=max_codes))[:, 0]
    order = np.argsort(x, kind="stable")
    assert (np.diff(codes[order]) >= 0).all()
    n_used = len(np.unique(codes))
    assert max_codes / 2 <= n_used <= max_codes
    assert len(np.unique(codes[:3000])) == 1
    # Equal shares, but for the one value that is 15 % of the rows.
    sizes = np.bincount(np.unique(codes, return_inverse=True)[1])
    other = np.delete(sizes, np.unique(codes).searchsorted(codes[0]))
    assert other.max(initial=0) <= 2.5 * len(x) / max_codes + 1


def test_more_values_than_codes_still_cut_between_them(rng):
    x = rng.permutation(70000).astype(float)
    encoded = encode(x[:, None])
    codes = codes_of(encoded)[:, 0]
    thresholds = np.asarray(encoded.thresholds(0))
    for k in rng.integers(0, encoded.n_codes[0] - 1, size=50):
        low, high = x[codes <= k].max(), x[codes > k].min()
        assert low <= thresholds[k] < high


def test_counts_and_size(rng):
    X = random_rows(rng, 100, ("normal", "binary", "constant"))
    encoded = encode(X)
    assert (encoded.n_rows, encoded.n_features) == (100, 3)
    assert np.asarray(encoded.n_codes).tolist()[:3] == [100, 2, 1]
    assert encoded.nbytes >= 100 * 3 * 2
