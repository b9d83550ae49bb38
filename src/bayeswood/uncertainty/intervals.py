"""Quantiles over a forest's members, and the levels that make an interval.

The quantile at level a of values v_m with weights w_m is the smallest v whose cumulative weight
is at least a: always one of the values, never outside them, monotone in a. The core uses the
same definition for the training responses in the leaves.
"""

from collections.abc import Iterator
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]

# Draws held at a time. Sorting them needs as much again for the order, the sorted values, the
# ordered weights and their cumulative sums: some 128 MiB in all.
BLOCK_BYTES = 24 * 2**20
# Cumulative sums of weights such as 0.01 miss a level such as 0.05 by rounding alone.
_LEVEL_TOLERANCE = 1e-12


def row_blocks(n_rows: int, n_members: int, n_outputs: int) -> Iterator[slice]:
    """Slices of rows whose draws fit in `BLOCK_BYTES`; at least one row each.

    Examples
    --------
    >>> list(row_blocks(4, 2**20, 1))
    [slice(0, 3, None), slice(3, 4, None)]
    """
    bytes_per_row = 8 * n_members * n_outputs
    step = max(1, BLOCK_BYTES // max(1, bytes_per_row))
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def check_coverage(coverage: float, caller: str) -> float:
    """The coverage of an interval as a float strictly between 0 and 1."""
    is_number = isinstance(coverage, (Real, np.number)) and not isinstance(coverage, bool)
    if not is_number or not 0.0 < coverage < 1.0:
        raise BayeswoodError(
            f"The 'coverage' parameter of {caller} must be a float in the range (0, 1). "
            f"Got {coverage!r} instead."
        )
    return float(coverage)


def check_alpha(alpha: ArrayLike, caller: str) -> F64:
    """Quantile levels as a 0-D or 1-D array of floats in [0, 1]."""
    try:
        levels = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        levels = np.full(1, np.nan)
    lawful = levels.ndim <= 1 and levels.size > 0 and bool(np.all((levels >= 0) & (levels <= 1)))
    if not lawful:
        raise BayeswoodError(
            f"The 'alpha' parameter of {caller} must be a float in the range [0, 1] or a "
            f"non-empty list of them. Got {alpha!r} instead."
        )
    return levels


def interval_levels(coverage: float) -> F64:
    """Levels of the central interval.

    Examples
    --------
    >>> interval_levels(0.5)
    array([0.25, 0.75])
    """
    tail = (1.0 - coverage) / 2.0
    return np.array([tail, 1.0 - tail])


def hold(ends: F64, mean: F64) -> F64:
    """Let intervals, (..., 2), reach to a value where it lies outside of them; in place.

    Examples
    --------
    >>> hold(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.5, 1.2])).tolist()
    [[0.0, 1.0], [0.0, 1.2]]
    """
    low, high = ends[..., 0], ends[..., 1]
    np.minimum(low, mean, out=low)
    np.maximum(high, mean, out=high)
    return ends


def member_quantiles(draws: F64, weights: F64, levels: F64) -> F64:
    """Weighted quantiles over the first axis.

    Parameters
    ----------
    draws : ndarray, (n_members, ...)
        Values; not changed.
    weights : ndarray, (n_members,)
        Non-negative, summing to 1; members of weight 0 take no part.
    levels : ndarray, (n_levels,)
        In [0, 1].

    Returns
    -------
    ndarray, (..., n_levels)

    Examples
    --------
    >>> import numpy as np
    >>> member_quantiles(np.array([3.0, 1.0, 2.0]), np.full(3, 1 / 3), np.array([0, 0.5, 1]))
    array([1., 2., 3.])
    """
    taking_part = weights > 0
    if not taking_part.all():
        draws, weights = draws[taking_part], weights[taking_part]
    if np.all(weights == weights[0]):
        return _equal_weight_quantiles(draws, levels)
    order = np.argsort(draws, axis=0, kind="stable")
    cumulative = np.cumsum(weights[order], axis=0)
    ordered = np.take_along_axis(draws, order, axis=0)
    # The index of the first member whose cumulative weight reaches the level.
    found = [
        np.minimum((cumulative < level - _LEVEL_TOLERANCE).sum(axis=0), len(weights) - 1)
        for level in levels
    ]
    picked = [np.take_along_axis(ordered, idx[None], axis=0)[0] for idx in found]
    return np.stack(picked, axis=-1)


def _equal_weight_quantiles(draws: F64, levels: F64) -> F64:
    n_members = draws.shape[0]
    places = np.ceil((levels - _LEVEL_TOLERANCE) * n_members).astype(np.int64) - 1
    places = np.clip(places, 0, n_members - 1)
    ordered = np.partition(draws, np.unique(places), axis=0)
    return np.ascontiguousarray(np.moveaxis(ordered[places], 0, -1))
