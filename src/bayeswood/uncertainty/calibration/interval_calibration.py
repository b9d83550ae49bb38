"""Prediction intervals from out-of-bag residuals, wide where the forest is unsure.

Model: at x the forest's mean is μ(x) and the variance of its mixture of leaf responses v(x). With
residuals r_i = y_i − μ_oob(x_i) and v_i = v_oob(x_i),

    s²(x) = a + b v(x),    a, b >= 0,

by non-negative least squares of r² on v, each row weighted by 1 / (s² + 0.3 m)², m the mean square,
and by its own weight. The variance of a squared normal residual is proportional to s⁴; the 0.3 m
keeps the few rows on which all trees agree from ruling the fit. The quantile of y at level q is

    μ(x) + s(x) z_q(x),    z_q an order statistic of z_i = r_i / s(x_i).

Rank: with n residuals, ⌈(n + 1) q⌉ for q >= 1/2 and ⌊(n + 1) q⌋ below, so that an interval is
never narrower than the finite sample allows: if rows are exchangeable and a, b were known, the
interval from level α/2 to 1 − α/2 with one z for all x covers with probability at least 1 − α.

One z for all x would make s alone answer for how noise changes over the table, its shape included;
see `residual_shape` for z_q(x).

An out-of-bag mean averages B_i trees and a prediction all B, so its residual is larger by noise of
variance v_i (1/B_i − 1/B). z_i is shrunk by that share of s².
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

_N_REWEIGHTINGS = 10
# What is added to s² in the weights, as a share of the mean squared residual.
_DAMPING = 0.3
# Least a, as a share of the mean squared residual: where all trees agree, s is not 0.
_LEAST_SHARE = 1e-4
# Least share of a squared residual that is not put down to missing trees.
_LEAST_KEPT = 0.25
# (n + 1) q misses a whole number such as 95 by rounding alone.
_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True)
class ResidualScale:
    """s²(x) = a + b v(x).

    Attributes
    ----------
    intercept : float
        a: the part of the variance that does not vary.
    slope : float
        b: how much of the mixture's variance counts.
    """

    intercept: float
    slope: float

    def variance(self, mixture_variance: F64) -> F64:
        """s²."""
        return self.intercept + self.slope * mixture_variance


def fit_residual_scale(
    residuals: F64, mixture_variance: F64, weights: F64 | None = None
) -> ResidualScale:
    """Fit a and b.

    Parameters
    ----------
    residuals, mixture_variance : ndarray, (n_rows,)
        r and v of out-of-bag rows.
    weights : ndarray, (n_rows,), default=None
        Positive weights of the rows; only their ratios matter.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> v = rng.uniform(1, 9, size=20_000)
    >>> scale = fit_residual_scale(rng.normal(size=20_000) * np.sqrt(0.5 + 2 * v), v)
    >>> round(scale.intercept, 1), round(scale.slope, 1)
    (0.5, 2.0)
    """
    own = np.ones(len(residuals)) if weights is None else weights / weights.sum()
    level = _mean(residuals**2, own)
    if level == 0.0:
        return ResidualScale(0.0, 0.0)
    # In units of the mean square, so that all products stay within the range of a float.
    squares, variance = residuals**2 / level, mixture_variance / level
    scale = ResidualScale(_mean(variance, own), 1.0)
    for _ in range(_N_REWEIGHTINGS):
        precision = own / (scale.variance(variance) + _DAMPING) ** 2
        intercept, slope = _nonnegative_line(variance, squares, precision)
        scale = ResidualScale(max(intercept, _LEAST_SHARE), slope)
    return ResidualScale(scale.intercept * level, scale.slope)


def _mean(values: F64, weights: F64) -> float:
    return float(np.sum(weights * values) / np.sum(weights))


def _nonnegative_line(x: F64, y: F64, weights: F64) -> tuple[float, float]:
    """The line a + b x with a, b >= 0 of least weighted squares; x, y >= 0."""
    mean_x, mean_y = _mean(x, weights), _mean(y, weights)
    spread = _mean((x - mean_x) ** 2, weights)
    slope = _mean((x - mean_x) * (y - mean_y), weights) / spread if spread > 0 else 0.0
    if slope <= 0:
        return mean_y, 0.0
    if slope * mean_x <= mean_y:
        return mean_y - slope * mean_x, slope
    return 0.0, _mean(x * y, weights) / _mean(x**2, weights)


@dataclass(frozen=True)
class ResidualQuantiles:
    """Order statistics of scaled residuals.

    Attributes
    ----------
    values : ndarray, (n,)
        Scaled residuals, ascending.
    weights : ndarray, (n,) or None
        Their weights; None if all count alike.
    """

    values: F64
    weights: F64 | None = None

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
        weights = self._weights()
        total = float(weights.sum())
        return total / (total + float(weights.mean()))

    def at(self, levels: F64) -> F64:
        """z_q; a level beyond the outermost rank gives the outermost residual.

        Examples
        --------
        >>> z = ResidualQuantiles.of(np.arange(19.0) - 9)
        >>> z.at(np.array([0.05, 0.5, 0.95])), z.at(np.array([0.001, 0.999]))
        (array([-9.,  0.,  9.]), array([-9.,  9.]))
        """
        if not len(self.values):
            return np.zeros(len(levels))
        weights = self._weights()
        total = float(weights.sum()) + float(weights.mean())  # with the row to come
        above = self._first_reaching(np.cumsum(weights), levels * total)
        from_top = self._first_reaching(np.cumsum(weights[::-1]), (1.0 - levels) * total)
        places = np.where(levels >= 0.5, above, len(self.values) - 1 - from_top)
        return self.values[places]

    def _weights(self) -> F64:
        return np.ones(len(self.values)) if self.weights is None else self.weights

    @staticmethod
    def _first_reaching(cumulative: F64, wanted: F64) -> NDArray[np.intp]:
        tolerance = _RANK_TOLERANCE * cumulative[-1]
        places = np.searchsorted(cumulative, wanted - tolerance)
        return np.asarray(np.minimum(places, len(cumulative) - 1))


@dataclass(frozen=True)
class LeftOut:
    """What is known of the rows that some trees left out.

    Attributes
    ----------
    residuals : ndarray, (n_rows,)
        r_i.
    mixture_variance : ndarray, (n_rows,)
        v_i.
    n_left_out : ndarray of int, (n_rows,)
        B_i, the trees behind each out-of-bag mean.
    n_trees : int
        B, the trees behind a prediction.
    weights : ndarray, (n_rows,) or None
        Positive weights of the rows.
    """

    residuals: F64
    mixture_variance: F64
    n_left_out: NDArray[np.int32]
    n_trees: int
    weights: F64 | None = None

    def take(self, chosen: NDArray[np.bool_]) -> "LeftOut":
        """The rows where `chosen` holds."""
        return LeftOut(
            self.residuals[chosen],
            self.mixture_variance[chosen],
            self.n_left_out[chosen],
            self.n_trees,
            None if self.weights is None else self.weights[chosen],
        )


def fit_residuals(left_out: LeftOut) -> tuple[ResidualScale, F64]:
    """Fit a and b; the scale and the scaled residuals z, in the order of the rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> v = rng.uniform(0, 4, size=4000)
    >>> r = rng.normal(size=4000) * np.sqrt(1 + v)
    >>> scale, z = fit_residuals(LeftOut(r, v, np.full(4000, 300), 300))
    >>> ResidualQuantiles.of(z).at(np.array([0.05, 0.95])).round(1)
    array([-1.6,  1.6])
    """
    scale = fit_residual_scale(left_out.residuals, left_out.mixture_variance, left_out.weights)
    return scale, _scaled(left_out, scale)


def _scaled(left_out: LeftOut, scale: ResidualScale) -> F64:
    """z_i = r_i / s(x_i), shrunk for the trees that an out-of-bag mean lacks."""
    variance = scale.variance(left_out.mixture_variance)
    lacking = 1.0 / left_out.n_left_out - 1.0 / left_out.n_trees
    excess = left_out.mixture_variance * lacking
    share = np.divide(excess, variance, out=np.zeros_like(excess), where=variance > 0)
    spread = np.sqrt(variance)
    z = np.divide(left_out.residuals, spread, out=np.zeros_like(spread), where=spread > 0)
    return z * np.sqrt(np.clip(1.0 - share, _LEAST_KEPT, 1.0))
