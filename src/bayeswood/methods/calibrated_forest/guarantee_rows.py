"""The rows by which a promise is kept: which, how many, and whether they are enough."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty import largest_coverage, n_units

GuaranteeT = TypeVar("GuaranteeT")

# More rows than these are not asked: a share is then known to 0.7 percent.
MOST_ROWS = 2048
_TOLERANCE = 1e-9


def units_left_out(left_out: NDArray[np.bool_], groups: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which draw left which group out, (n_draws, n_groups), of what it did with each row."""
    first = np.unique(groups, return_index=True)[1]
    return left_out[:, first]


def rows_that_count(
    groups: NDArray[np.int32], usable: NDArray[np.bool_], seed: int
) -> NDArray[np.intp]:
    """Numbers of the rows to ask, ascending: all that are usable, or a random part of many.

    Of more groups than `MOST_ROWS` so many are taken, and of each group as many rows as then are
    not too many: what is taken depends on the number of groups alone, and groups stay exchangeable.

    Examples
    --------
    >>> rows_that_count(np.array([0, 1, 1], dtype=np.int32), np.array([False, True, True]), 0)
    array([1, 2])
    """
    rows = np.flatnonzero(usable)
    units, unit = np.unique(groups[rows], return_inverse=True)
    if not len(rows):
        return rows
    random = np.random.default_rng(seed)
    n_taken = min(len(units), MOST_ROWS)
    taken = random.permutation(len(units)) < n_taken
    order = np.lexsort((random.random(len(rows)), unit))
    starts = np.searchsorted(unit[order], np.arange(len(units)))
    place = np.empty(len(rows), dtype=np.intp)
    place[order] = np.arange(len(rows)) - starts[unit[order]]
    return rows[taken[unit] & (place < MOST_ROWS // n_taken)]


def check_reach(groups: NDArray[np.int32], coverage: float, caller: str) -> None:
    """Raise where so few rows, or groups, cannot promise the coverage."""
    n = n_units(groups)
    reach = largest_coverage(n)
    if coverage > reach + _TOLERANCE:
        raise BayeswoodError(
            f"{caller} cannot promise a coverage of {coverage:g} by {n} rows (or groups) that were "
            f"left out: at most {reach:.4g}. Ask for less, or fit with more rows."
        )


def find_guarantee(parts: Sequence[object], kind: type[GuaranteeT], caller: str) -> GuaranteeT:
    """The part of an estimator that promises; an error where there is none."""
    for part in parts:
        if isinstance(part, kind):
            return part
    raise BayeswoodError(
        f"{caller} needs rows that trees left out, to promise by, and this model has none: it was "
        "saved by an earlier version, or no row was left out. Fit it again, with more rows or a "
        "larger weight_threshold."
    )


def read_integers(
    arrays: Mapping[str, NDArray[Any]], name: str, n: int, bound: int, least: int = 0
) -> NDArray[np.int32]:
    """One array of n whole numbers from `least` to below `bound`, from a model file."""
    if name not in arrays:
        raise BayeswoodError(f"The model file lacks the array '{name}'.")
    array = np.asarray(arrays[name])
    fits = array.shape == (n,) and array.dtype.kind in "iu"
    if not fits or (n and not (array.min() >= least and array.max() < bound)):
        raise BayeswoodError(f"The model file holds an unusable array '{name}'.")
    return np.ascontiguousarray(array, dtype=np.int32)
