"""Scaled residuals whose distribution changes with the spread.

The spread s(x) says how wide residuals are at x. Noise that is skewed where it is large, or a
spread that is off where it is small, is left in z = r / s. So the out-of-bag rows are parted into
thirds by s, and each third k has quantiles of its own, z_q^k: weighted quantiles of all z, in which
the rows of the third, and the row to come, count in full and all others together as much as 5 rows
(if there are so many). At x,

    z_q(x) = Σ_k h_k(log s(x)) z_q^k,

h_k >= 0 of sum 1, linear between the medians of log s in the thirds and constant beyond them. A
mean of monotone functions of q is monotone, so quantiles never cross.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayeswood.uncertainty.calibration.residual_quantiles import ResidualQuantiles, usual_weight

F64 = NDArray[np.float64]

N_PARTS = 3
# What the rows outside a third count together, in rows.
_BORROWED_ROWS = 5.0


@dataclass(frozen=True)
class SpreadResiduals:
    """Scaled residuals, and in which third of the spread each was found.

    Attributes
    ----------
    values : ndarray, (n,)
        z, ascending.
    part : ndarray of int, (n,)
        Third of each by s: 0, 1 or 2.
    centres : ndarray, (3,)
        Median of log s in each third. Unless ascending, one distribution serves all x.
    weights : ndarray, (n,) or None
        Weights of the rows; None if all count alike.
    """

    values: F64
    part: NDArray[np.intp]
    centres: F64
    weights: F64 | None = None

    @classmethod
    def of(
        cls, values: F64, spread: F64, weights: F64 | None = None, by_spread: bool = True
    ) -> "SpreadResiduals":
        """From residuals z and spreads s; without `by_spread`, one distribution for all x."""
        part = np.zeros(len(values), dtype=np.intp)
        centres = np.zeros(N_PARTS)
        if by_spread and len(values) >= N_PARTS:
            logs = _log(spread)
            for k, rows in enumerate(np.array_split(np.argsort(spread, kind="stable"), N_PARTS)):
                part[rows] = k
                centres[k] = _middle(logs[rows])
        order = np.argsort(values, kind="stable")
        sorted_weights = None if weights is None else weights[order]
        return cls(values[order], part[order], centres, sorted_weights)

    def scaled(self, factor: float) -> "SpreadResiduals":
        """The same, all residuals times a positive factor."""
        return replace(self, values=factor * self.values)

    @property
    def reach(self) -> float:
        """The outermost level that the sample supports: n / (n + 1) with equal weights."""
        return ResidualQuantiles(self.values, self.weights).reach

    def at(self, spread: F64, levels: F64) -> F64:
        """z_q(x) for rows of these spreads, (n_rows, n_levels).

        Examples
        --------
        Noise that is skewed where it is large:

        >>> rng = np.random.default_rng(0)
        >>> s = np.repeat([1.0, 2.0, 3.0], 500)
        >>> z = np.where(s > 2, rng.exponential(size=1500) - 1, rng.normal(size=1500))
        >>> SpreadResiduals.of(z, s).at(np.array([1.0, 3.0]), np.array([0.05, 0.95])).round(1)
        array([[-1.8,  1.7],
               [-1. ,  2.3]])
        """
        if (np.diff(self.centres) <= 0).any():
            common = ResidualQuantiles(self.values, self.weights).at(levels)
            return np.broadcast_to(common, (len(spread), len(levels)))
        places = _log(spread)
        found = np.zeros((len(spread), len(levels)))
        for shape, quantiles in zip(np.eye(N_PARTS), self.of_parts(levels)[1], strict=True):
            share = np.interp(places, self.centres, shape)
            found += share[:, None] * quantiles
        return found

    def of_parts(self, levels: F64) -> tuple[F64, F64]:
        """Centres of log s, ascending, and z_q at each of them, (3, n_levels)."""
        if (np.diff(self.centres) <= 0).any():
            common = ResidualQuantiles(self.values, self.weights).at(levels)
            return np.arange(float(N_PARTS)), np.tile(common, (N_PARTS, 1))
        return self.centres, np.stack([self._of_part(k).at(levels) for k in range(N_PARTS)])

    def _of_part(self, part: int) -> ResidualQuantiles:
        weights = np.ones(len(self.values)) if self.weights is None else self.weights
        outside = self.part != part
        elsewhere = float(weights[outside].sum() / weights.mean())
        borrowed = min(1.0, _BORROWED_ROWS / elsewhere) if elsewhere > 0 else 1.0
        mixed = np.where(outside, borrowed * weights, weights)
        return ResidualQuantiles(self.values, mixed, usual_weight(weights[~outside]))


#: Least spread that has a logarithm.
LEAST_SPREAD = float(np.finfo(np.float64).tiny)


def _log(spread: F64) -> F64:
    """Log s; where s is 0 (a perfect forest), that of the least positive number."""
    logs: F64 = np.log(np.maximum(spread, LEAST_SPREAD))
    return logs


def _middle(ascending: F64) -> float:
    """What `numpy.median` finds, without its overhead."""
    half = len(ascending) // 2
    if len(ascending) % 2 == 1:
        return float(ascending[half])
    return float((ascending[half - 1] + ascending[half]) / 2)
