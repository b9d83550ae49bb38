"""Sums that do not depend on the order, or on how the numbers are cut into batches."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# A float64 is a whole number of 53 bits times a power of two; the least such power is 2^-1126.
_BITS = 53
_SHIFT = 1126
#: The sums are whole multiples of one over this number.
UNIT = 1 << _SHIFT


def exact_sum(values: NDArray[np.float64]) -> int:
    """The sum of finite numbers, without rounding, as a multiple of ``1 / UNIT``.

    Examples
    --------
    >>> exact_sum(np.array([0.1, 1e30, -1e30])) / UNIT
    0.1
    >>> exact_sum(np.array([0.5, 0.25])) * 4 // UNIT
    3
    """
    mantissa, exponent = np.frexp(values)
    whole = np.ldexp(mantissa, _BITS).astype(np.int64)
    return sum(
        _whole_sum(whole[exponent == power]) << (power - _BITS + _SHIFT)
        for power in set(exponent.tolist())
    )


def _whole_sum(whole: NDArray[Any]) -> int:
    # In halves, so that billions of them do not leave the range of 64 bits.
    return (int((whole >> 26).sum()) << 26) + int((whole & ((1 << 26) - 1)).sum())


class ExactSum:
    """A sum that takes numbers in pieces.

    Examples
    --------
    >>> total = ExactSum()
    >>> for piece in ([0.1, 1e30], [-1e30, 0.2]):
    ...     total.add(np.array(piece))
    >>> total.over(2)
    0.15000000000000002
    """

    def __init__(self) -> None:
        self.units = 0
        self._beyond = 0.0  # infinities and NaN

    def add(self, values: NDArray[np.float64]) -> None:
        """Add all of some numbers."""
        finite = np.isfinite(values)
        self.units += exact_sum(values[finite])
        if not finite.all():
            self._beyond += float(values[~finite].sum())

    def over(self, n: int) -> float:
        """The sum divided by a number, rounded once."""
        return self.units / (UNIT * n) + self._beyond
