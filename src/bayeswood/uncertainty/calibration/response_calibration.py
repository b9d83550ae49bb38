"""The distribution of a response, from out-of-bag residuals and from the responses in leaves.

Model: at x the forest's mean is μ(x), and a(x) > 0 a fit to the sizes |r_i| of out-of-bag residuals
r_i = y_i − μ_oob(x_i). Two accounts of the quantile of y at level q are mixed,

    Q_q(x) = ω (μ(x) + a(x) z_q(x))  +  (1 − ω) L_λ(q)(x).

The first has the shape of the scaled residuals z_i = r_i / a_oob(x_i), see `residual_shape`. The
second, L, is the quantile of the training responses in the leaves that x falls in, right where
responses come in lumps: λ(q) is the level below which a share q of the out-of-bag responses lay,
each spread over the levels at which its own lump lies. ω in 0, 1/4, ..., 1 has the least out-of-bag
loss, the mean over levels of the quantile loss, which is half the continuous ranked probability
score.

The variance of y is c a²(x), c the mean of z².
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayeswood.uncertainty.calibration.residual_shape import SpreadResiduals

F64 = NDArray[np.float64]

#: Levels at which the two accounts are compared and the second is set right.
LEVELS: F64 = np.arange(1, 40) / 40
_SHARES = np.array([1.0, 0.75, 0.5, 0.25, 0.0])
# Least a, as a share of the median residual: where residuals vanish, intervals do not.
_LEAST_SHARE = 0.1


@dataclass(frozen=True)
class OutOfBagResponse:
    """What is known of one response at the rows that some bags left out.

    Attributes
    ----------
    y, mean, size : ndarray, (n_rows,)
        Response, μ_oob and a_oob.
    weights : ndarray, (n_rows,) or None
        Positive weights of the rows.
    in_leaves : ndarray, (n_rows, n_levels) or None
        Quantiles of the responses in leaves at `LEVELS`.
    """

    y: F64
    mean: F64
    size: F64
    weights: F64 | None = None
    in_leaves: F64 | None = None

    def take(self, chosen: NDArray[np.bool_]) -> "OutOfBagResponse":
        """The rows where `chosen` holds."""
        return OutOfBagResponse(
            self.y[chosen],
            self.mean[chosen],
            self.size[chosen],
            None if self.weights is None else self.weights[chosen],
            None if self.in_leaves is None else self.in_leaves[chosen],
        )

    @property
    def scaled(self) -> F64:
        """Residuals in units of their fitted size, z."""
        residuals = self.y - self.mean
        return np.divide(residuals, self.size, out=np.zeros_like(residuals), where=self.size > 0)


def least_size(residuals: F64) -> float:
    """What a must not fall below.

    Examples
    --------
    >>> least_size(np.array([-1.0, 2.0, 3.0]))
    0.2
    """
    return _LEAST_SHARE * float(np.median(np.abs(residuals))) if len(residuals) else 0.0


@dataclass(frozen=True)
class ResponseCalibration:
    """The distribution of one response.

    Attributes
    ----------
    residuals : SpreadResiduals
        z, and how their distribution changes with a.
    factor : float
        c.
    share : float
        ω.
    reached : ndarray, (n_levels,)
        The share of the responses at or below each of `LEVELS` in leaves; without leaves,
        `LEVELS`.
    """

    residuals: SpreadResiduals
    factor: float
    share: float
    reached: F64

    @classmethod
    def fit(
        cls, known: OutOfBagResponse, by_spread: bool = True, share: float | None = None
    ) -> "ResponseCalibration":
        """From out-of-bag rows; `share` is ω if it is given.

        Examples
        --------
        Noise of sd a, well known: nine in ten within ± 1.64 a.

        >>> rng = np.random.default_rng(0)
        >>> a = rng.uniform(1, 3, size=4000)
        >>> known = OutOfBagResponse(a * rng.normal(size=4000), np.zeros(4000), a)
        >>> found = ResponseCalibration.fit(known, by_spread=False)
        >>> found.of_residuals(np.zeros(1), np.ones(1), np.array([0.05, 0.95])).round(1)
        array([[-1.6,  1.7]])
        >>> round(found.factor, 1), found.share
        (1.0, 1.0)
        """
        z = known.scaled
        residuals = SpreadResiduals.of(z, known.size, known.weights, by_spread)
        factor = float(np.average(z**2, weights=known.weights))
        found = cls(residuals, factor, 1.0 if share is None else share, _reached(known))
        if known.in_leaves is None or share is not None:
            return found
        return replace(found, share=found._best_share(known))

    def for_more_bags(self, shrinkage: float) -> "ResponseCalibration":
        """For rows that more bags predict, where residuals are smaller by this factor."""
        residuals = self.residuals.scaled(shrinkage)
        return replace(self, residuals=residuals, factor=self.factor * shrinkage**2)

    def of_residuals(self, mean: F64, size: F64, levels: F64) -> F64:
        """μ + a z_q, (n_rows, n_levels)."""
        return mean[:, None] + size[:, None] * self.residuals.at(size, levels)

    def leaf_levels(self, levels: F64) -> F64:
        """λ(q)."""
        ends = [0.0], [1.0]
        reached = np.concatenate([ends[0], self.reached, ends[1]])
        found: F64 = np.interp(levels, reached, np.concatenate([ends[0], LEVELS, ends[1]]))
        return found

    def quantiles(
        self, mean: F64, size: F64, levels: F64, in_leaves: Callable[[F64], F64] | None
    ) -> F64:
        """Q_q, (n_rows, n_levels); `in_leaves` gives the quantiles in leaves at some levels."""
        found = np.zeros((len(mean), len(levels)))
        if self.share > 0:
            found += self.share * self.of_residuals(mean, size, levels)
        if self.share < 1 and in_leaves is not None:
            found += (1.0 - self.share) * in_leaves(self.leaf_levels(levels))
        return found

    def _best_share(self, known: OutOfBagResponse) -> float:
        first = self.of_residuals(known.mean, known.size, LEVELS)
        second = interpolated(known.in_leaves, self.leaf_levels(LEVELS))
        losses = [
            quantile_loss(known.y, w * first + (1 - w) * second, LEVELS, known.weights)
            for w in _SHARES
        ]
        return float(_SHARES[int(np.argmin(losses))])


def _reached(known: OutOfBagResponse) -> F64:
    """The distribution at `LEVELS` of the levels at which the responses lie in leaves.

    A response lies evenly between the last level whose quantile is below it and the first whose
    quantile is above it: far apart where it is one of a lump.
    """
    if known.in_leaves is None:
        return LEVELS.copy()
    step = LEVELS[1] - LEVELS[0]
    y = known.y[:, None]
    first = step * (known.in_leaves < y).sum(axis=1)
    last = step * ((known.in_leaves <= y).sum(axis=1) + 1)
    passed = np.clip((LEVELS - first[:, None]) / (last - first)[:, None], 0.0, 1.0)
    found: F64 = np.average(passed, axis=0, weights=known.weights)
    # np.interp needs them to rise; ties would leave the level open.
    return found + 1e-9 * np.arange(len(found))


def interpolated(in_leaves: F64 | None, levels: F64) -> F64:
    """Quantiles in leaves at other levels, on the line between those of `LEVELS`."""
    assert in_leaves is not None
    places = np.clip(np.interp(levels, LEVELS, np.arange(len(LEVELS))), 0, len(LEVELS) - 1)
    low = np.floor(places).astype(np.intp)
    high = np.minimum(low + 1, len(LEVELS) - 1)
    share = places - low
    mixed: F64 = (1 - share) * in_leaves[:, low] + share * in_leaves[:, high]
    return mixed


def quantile_loss(y: F64, quantiles: F64, levels: F64, weights: F64 | None = None) -> float:
    """Mean over rows and levels of max(q d, (q − 1) d), d = y − Q_q: half the CRPS.

    Examples
    --------
    >>> quantile_loss(np.array([1.0]), np.array([[0.0]]), np.array([0.5]))
    0.5
    """
    off = y[:, None] - quantiles
    losses = np.maximum(levels * off, (levels - 1) * off).mean(axis=1)
    return float(np.average(losses, weights=weights))
