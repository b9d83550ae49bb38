"""A sample of rows that depends on their numbers alone, not on files, batches or workers."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bayeswood.table.splitmix import splitmix64

U64 = NDArray[np.uint64]

_ALL = 2**64 - 1


def row_keys(seed: int, first_row: int, n_rows: int) -> U64:
    """A pseudo-random 64-bit key for each of the rows from `first_row` on.

    Examples
    --------
    >>> whole = row_keys(7, 0, 10)
    >>> bool((row_keys(7, 4, 3) == whole[4:7]).all())
    True
    """
    return keys_of(seed, np.arange(first_row, first_row + n_rows, dtype=np.uint64))


def keys_of(seed: int, rows: U64) -> U64:
    """The keys of some rows."""
    with np.errstate(over="ignore"):
        return splitmix64(rows + splitmix64(np.array([seed], dtype=np.uint64))[0])


def key_limit(n_rows: int, size: int) -> int:
    """A limit below which there are `size` keys and few more.

    The number of keys below it is binomial; its mean is more than eight standard deviations above
    `size`, so that fewer than `size` have a probability below 1e-15.
    """
    if size >= n_rows:
        return _ALL
    wanted = size + 8 * sqrt(size) + 64
    return min(_ALL, int(wanted / n_rows * 2.0**64))


def smallest_keys(keys: U64, size: int) -> NDArray[np.intp]:
    """Places of the `size` smallest keys, ascending by place."""
    if len(keys) <= size:
        return np.arange(len(keys))
    return np.sort(np.argpartition(keys, size - 1)[:size])


def sample_rows(n_rows: int, size: int, seed: int) -> NDArray[np.intp]:
    """The rows of a sample, ascending: those of the smallest keys.

    Parameters
    ----------
    n_rows : int
        Rows in all.
    size : int
        Rows of the sample.
    seed : int
        Of the whole fit.

    Examples
    --------
    >>> sample_rows(1000, 3, seed=0).tolist() == sorted(set(sample_rows(1000, 3, seed=0).tolist()))
    True
    """
    return smallest_keys(row_keys(seed, 0, n_rows), size)
