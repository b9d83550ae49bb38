"""The scale of a response: what the prior of its leaves is measured by."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]

_RANGE_BITS = 24
_MOST_UNITS = 2**30


@dataclass(frozen=True)
class ResponseScale:
    """The responses' own scale, settled by the first chunk.

    Attributes
    ----------
    center : float
        Their mean: the prior mean of every leaf.
    variance : float
        Their variance: the measure of the prior variance.
    unit : float
        The step to which responses are rounded; a power of two.
    """

    center: float
    variance: float
    unit: float

    @classmethod
    def of(cls, y: F64, copies: NDArray[np.int32] | None) -> "ResponseScale":
        """Read the scale off responses."""
        times = np.ones(len(y)) if copies is None else copies.astype(np.float64)
        center = float(times @ y / times.sum())
        variance = float(times @ (y - center) ** 2 / times.sum())
        spread = float(np.ptp(y)) or max(abs(center), 1.0)
        unit = float(np.ldexp(1.0, int(np.frexp(spread)[1]) - _RANGE_BITS))
        return cls(center, variance if variance > 0 else spread**2, unit)

    def to_units(self, y: F64, owner: str) -> NDArray[np.int32]:
        """Responses as whole numbers of units from the center."""
        units = np.rint((y - self.center) / self.unit)
        beyond = np.abs(units) > _MOST_UNITS
        if beyond.any():
            row = int(np.argmax(beyond))
            raise BayeswoodError(
                f"y is {y[row]:g} in row {row}, more than 32 times the range of the first chunk "
                f"away from its mean: {owner} keeps exact sums on the scale of the first chunk. "
                "Start with a chunk that is typical, or transform y."
            )
        return units.astype(np.int32)
