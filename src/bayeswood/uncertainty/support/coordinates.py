"""Columns on one scale, on which gaps keep their width and long tails do not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

# A normal column's quartiles are so many standard deviations apart.
_QUARTILES = 1.349
# Beyond it nothing is told apart; the squares of its logarithm are far from overflow.
_FARTHEST = 1e300


@dataclass(frozen=True, eq=False)
class Coordinates:
    """A scale per column.

    Attributes
    ----------
    centre, scale : ndarray, (n_features,)
        Median, and distance of the quartiles over 1.349; where these coincide, the standard
        deviation; 1 where that is 0 too.
    is_category : ndarray of bool, (n_features,)
        Columns of level numbers, which stay as they are.

    Notes
    -----
    z = asinh((x − centre) / scale): the value itself near the centre, its logarithm far from it.
    Ranks would not do, for in ranks a gap has no width.
    """

    centre: F64
    scale: F64
    is_category: NDArray[np.bool_]

    @classmethod
    def fit(cls, rows: NDArray[Any], is_category: NDArray[np.bool_]) -> "Coordinates":
        """The scales of a sample's columns; NaN is missing."""
        found = [
            (0.0, 1.0) if category else _centre_and_scale(rows[:, j])
            for j, category in enumerate(is_category)
        ]
        centre, scale = np.array(found, dtype=np.float64).reshape(-1, 2).T
        return cls(centre, scale, is_category)

    def __call__(self, rows: NDArray[Any]) -> F64:
        """Rows on these scales."""
        with np.errstate(over="ignore"):
            scaled = (np.asarray(rows, dtype=np.float64) - self.centre) / self.scale
        z = np.arcsinh(np.clip(scaled, -_FARTHEST, _FARTHEST))
        z[:, self.is_category] = rows[:, self.is_category]
        return z


def _centre_and_scale(column: NDArray[Any]) -> tuple[float, float]:
    values = np.asarray(column[~np.isnan(column)], dtype=np.float64)
    if not values.size:
        return 0.0, 1.0
    if values.min() == values.max():
        return float(values[0]), 1.0
    ascending = np.sort(values)
    low, centre, high = (quantile(ascending, share) for share in (0.25, 0.5, 0.75))
    with np.errstate(over="ignore"):
        for spread in (lambda: (high - low) / _QUARTILES, lambda: np.std(values)):
            scale = spread()
            if np.isfinite(scale) and scale > 0:
                return float(centre), float(scale)
    return float(centre), 1.0


def quantile(values: F64, share: float) -> np.float64:
    """What `numpy.quantile` finds among numbers in ascending order, without its overhead."""
    place = (len(values) - 1) * share
    below = int(place)
    low, high = values[below], values[min(below + 1, len(values) - 1)]
    t = place - below
    found: np.float64 = high - (high - low) * (1 - t) if t >= 0.5 else low + (high - low) * t
    return found
