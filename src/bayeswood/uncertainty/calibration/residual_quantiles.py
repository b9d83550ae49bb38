"""Quantiles of scaled residuals, at the levels that a row to come gives them.

A row that is exchangeable with n others has a residual below the i-th of theirs with probability
i / (n + 1). That is the level of the i-th, and z_q lies on the line between neighbours: if the
scale of the residuals were known, the interval from level α/2 to 1 − α/2 would cover 1 − α. (Whole
ranks, rounded outward, cover more: of 90 % with 30 residuals 29/31.) With weights w and a row
to come of weight u, the level of the i-th is

    (w_1 + ... + w_{i-1} + w_i / 2 + u / 2) / (Σ w + u),    u = Σ w² / Σ w.

Rows of uneven weights tell as much as (Σ w)² / Σ w² equal ones, of which the row to come is one.
(With the plain mean for u, 90 % by 100 residuals of weights .2, 1 and 5 would cover .89.)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class ResidualQuantiles:
    """Scaled residuals and the weight of the row to come.

    Attributes
    ----------
    values : ndarray, (n,)
        Scaled residuals, ascending.
    weights : ndarray, (n,) or None
        Their weights; None if all count alike.
    to_come : float or None
        u; None for `usual_weight` of the weights.
    """

    values: F64
    weights: F64 | None = None
    to_come: float | None = None

    @classmethod
    def of(cls, values: F64, weights: F64 | None = None) -> "ResidualQuantiles":
        """Sort."""
        order = np.argsort(values, kind="stable")
        return cls(values[order], None if weights is None else weights[order])

    @property
    def reach(self) -> float:
        """The outermost level that the sample supports: n / (n + 1) with equal weights."""
        if not len(self.values):
            return 0.5
        total, unit = float(self._weights().sum()), self._unit()
        return total / (total + unit)

    def at(self, levels: F64) -> F64:
        """z_q; a level beyond the outermost gives the outermost residual.

        Examples
        --------
        >>> z = ResidualQuantiles.of(np.arange(19.0) - 9)
        >>> z.at(np.array([0.05, 0.5, 0.95])), z.at(np.array([0.001, 0.999]))
        (array([-9.,  0.,  9.]), array([-9.,  9.]))
        >>> z.at(np.array([0.07, 0.1])).round(2)
        array([-8.6, -8. ])
        """
        if not len(self.values):
            return np.zeros(len(levels))
        weights, unit = self._weights(), self._unit()
        reached = np.cumsum(weights)
        places = (reached - 0.5 * weights + 0.5 * unit) / (reached[-1] + unit)
        found: F64 = np.interp(levels, places, self.values)
        return found

    def _weights(self) -> F64:
        return np.ones(len(self.values)) if self.weights is None else self.weights

    def _unit(self) -> float:
        return usual_weight(self._weights()) if self.to_come is None else self.to_come


def usual_weight(weights: F64) -> float:
    """What a row weighs in the mean over weight, Σ w² / Σ w.

    Examples
    --------
    >>> usual_weight(np.array([1.0, 1.0, 4.0]))
    3.0
    """
    return float((weights * weights).sum() / weights.sum())
