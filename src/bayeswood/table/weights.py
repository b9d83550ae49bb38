"""The ``sample_weight`` of a fit."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.vector import open_columns

#: Rows that can be counted, copies included.
MOST_ROWS = 2**31 - 1
# Leaves keep their weight in single precision, whose range ends at 2**127.
_LARGEST_EXPONENT = 60


def check_weights(
    sample_weight: Any, n_rows: int, estimator_name: str
) -> NDArray[np.float64] | None:
    """Read the weights of the training rows.

    Parameters
    ----------
    sample_weight : array-like or series of shape (n_rows,), a number, or None
        Finite and not negative; not all zero. A number is the weight of every row.
    n_rows : int
        How many rows the table has.
    estimator_name : str
        Who reads them, for the errors.

    Returns
    -------
    ndarray of float64 of shape (n_rows,), or None
        The weights, contiguous; None if there are none.

    Examples
    --------
    >>> check_weights([1, 0, 2], 3, "Forest")
    array([1., 0., 2.])
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    weights = _read(sample_weight, n_rows, estimator_name)
    for flags, problem in (
        (np.isnan(weights), "NaN"),
        (np.isinf(weights), "infinity"),
        (weights < 0, "a negative weight"),
    ):
        if flags.any():
            row = int(np.argmax(flags))
            raise BayeswoodError(
                f"Input sample_weight contains {problem}: row {row}. {estimator_name} needs "
                "weights that are finite numbers >= 0."
            )
    _check_sum(weights, estimator_name)
    return weights


def _read(sample_weight: Any, n_rows: int, estimator_name: str) -> NDArray[np.float64]:
    columns, n_dimensions = open_columns(sample_weight, "sample_weight", estimator_name)
    if n_dimensions != 1:
        raise BayeswoodError(
            f"Sample weights must be a 1D array or a number. {estimator_name} got a "
            f"{n_dimensions}D array."
        )
    cells = columns[0]
    if cells.family == "string":
        raise DataTypeError(f"sample_weight holds strings. {estimator_name} needs numbers.")
    if len(cells.values) != n_rows:
        raise BayeswoodError(
            f"sample_weight must have one weight per row of X, {n_rows}. {estimator_name} got "
            f"{len(cells.values)}."
        )
    return np.ascontiguousarray(cells.floats())


def _check_sum(weights: NDArray[np.float64], estimator_name: str) -> None:
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total == 0:
        raise BayeswoodError(
            f"sample_weight is zero in every row. {estimator_name} needs at least one row of "
            "positive weight."
        )
    if not np.isfinite(total):
        raise BayeswoodError(
            f"sample_weight adds up to infinity. {estimator_name} needs weights with a finite sum."
        )


def scale_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring weights of an extreme size near 1; the forest depends on their ratios alone.

    The factor is a power of two, so that no bit of the weights is lost.

    Examples
    --------
    >>> import numpy as np
    >>> scale_weights(np.array([2.0**100, 2.0**99]))
    array([0.5 , 0.25])
    >>> scale_weights(np.array([3.0, 1.0]))
    array([3., 1.])
    """
    exponent = weight_exponent(float(weights.max()))
    return np.ldexp(weights, -exponent) if exponent else weights


def weight_exponent(largest: float) -> int:
    """The power of two that weights are divided by; 0 unless the largest has an extreme size.

    Examples
    --------
    >>> weight_exponent(2.0**100), weight_exponent(3.0)
    (101, 0)
    """
    exponent = int(np.frexp(largest)[1])
    return exponent if abs(exponent) > _LARGEST_EXPONENT else 0


def whole_copies(sample_weight: NDArray[np.float64] | None, owner: str) -> NDArray[np.int32] | None:
    """Weights as numbers of copies; None if every row counts once."""
    if sample_weight is None or bool((sample_weight == 1).all()):
        return None
    odd = (sample_weight != np.floor(sample_weight)) | (sample_weight > MOST_ROWS)
    if odd.any():
        raise BayeswoodError(
            f"{owner} counts rows in whole numbers, so that updates are exact: sample_weight must "
            f"hold whole numbers. Got {sample_weight[odd][0]:g} in it. Multiply the weights by a "
            "common factor and round them."
        )
    if float(sample_weight.sum()) > MOST_ROWS:
        raise BayeswoodError(f"{owner} counts at most {MOST_ROWS:,} rows, weights included.")
    return sample_weight.astype(np.int32)
