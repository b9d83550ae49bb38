"""Order statistics of scaled residuals, with ranks that the finite sample allows.

With n residuals the rank at level q is ⌈(n + 1) q⌉ for q >= 1/2 and ⌊(n + 1) q⌋ below, so that an
interval is never narrower than the finite sample allows: if rows are exchangeable and the scale of
the residuals were known, the interval from level α/2 to 1 − α/2 covers with probability at least
1 − α. With weights, ranks are cumulative weights, and the row to come weighs as much as the mean.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

# (n + 1) q misses a whole number such as 95 by rounding alone.
_RANK_TOLERANCE = 1e-9


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
