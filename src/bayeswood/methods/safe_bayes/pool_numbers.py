"""Making one predictive distribution of a number from those of many trees.

Members k have weights w_k and predictive distributions with mean μ_k, variance v_k and degrees of
freedom f_k.

- Power pooling: the mixture Σ_k w_k t_k of Student distributions.
- Evidence pooling: with the distribution of all responses, mean μ and variance v, and every
  distribution taken as normal, p ∝ π Π_k (p_k / π)^(γ w_k), which is normal again:

      1/variance    = 1/v + γ (Σ_k w_k / v_k − 1/v),
      mean/variance = μ/v + γ (Σ_k w_k μ_k / v_k − μ/v).

  γ, the sharpness, maximises the log density of rows left out, under log γ ~ N(0, 2²).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from bayeswood.attribution import Additive, AdditivePart
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.forest.leaf_values import with_leaf_values
from bayeswood.methods.base.predictive import Arrays, NumberPredictive
from bayeswood.methods.base.saved_state import read_array, read_scalar
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.methods.safe_bayes.pool_classes import LOG_SHARPNESS_RANGE, LOG_SHARPNESS_SD
from bayeswood.uncertainty import Uncertainty, row_blocks

F64 = NDArray[np.float64]

# A sharpened precision is at least this share of 1/v: members vaguer than π must not make it 0.
_LEAST_PRECISION = 0.05
_LOG_TWO_PI = float(np.log(2 * np.pi))
_STEPS = 60


class Normal(NamedTuple):
    """Mean and variance of a distribution."""

    mean: F64
    variance: F64


def evidence_normal(precision: F64, lean: F64, base: Normal, sharpness: float) -> Normal:
    """Evidence pooling.

    Parameters
    ----------
    precision, lean : ndarray, (n_rows,)
        Σ_k w_k / v_k and Σ_k w_k μ_k / v_k.
    base : Normal
        Of all responses, μ and v.
    sharpness : float
        γ.
    """
    plain = 1.0 / base.variance
    sharp = plain + sharpness * (precision - plain)
    shift = base.mean * plain + sharpness * (lean - base.mean * plain)
    # Where the floor acts, the mean must keep to the members' own.
    floor = _LEAST_PRECISION * plain
    mean = np.where(sharp > floor, shift / np.maximum(sharp, floor), lean / precision)
    return Normal(mean, 1.0 / np.maximum(sharp, floor))


def best_number_sharpness(precision: F64, lean: F64, base: Normal, y: F64, times: F64) -> float:
    """The γ of the greatest log density of responses left out, under its weak prior.

    Parameters
    ----------
    precision, lean : ndarray, (n_rows,)
        As in `evidence_normal`, with the row left out.
    base : Normal
        Of all other responses, for each row.
    y : ndarray, (n_rows,)
        Responses.
    times : ndarray, (n_rows,)
        How often each row counts.
    """
    if not len(y):
        return 1.0

    def loss(log_sharpness: float) -> float:
        found = evidence_normal(precision, lean, base, float(np.exp(log_sharpness)))
        squares = (y - found.mean) ** 2 / found.variance
        log_density = -0.5 * (_LOG_TWO_PI + np.log(found.variance) + squares)
        return float(0.5 * (log_sharpness / LOG_SHARPNESS_SD) ** 2 - times @ log_density)

    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        loss, bounds=LOG_SHARPNESS_RANGE, method="bounded", options={"xatol": 1e-9}
    )
    return float(np.exp(found.x))


def normal_quantiles(found: Normal, levels: F64) -> F64:
    """Quantiles of normal distributions, (n_rows, n_levels)."""
    quantiles: F64 = found.mean[:, None] + np.sqrt(found.variance)[:, None] * ndtri(levels)
    return quantiles


def mixture_quantiles(members: F64, weights: F64, levels: F64) -> F64:
    """Quantiles of mixtures of Student distributions, by bisection.

    Parameters
    ----------
    members : ndarray, (n_members, n_rows, 3)
        Mean, variance and degrees of freedom (> 2).
    weights : ndarray, (n_members,)
        Summing to 1.
    levels : ndarray, (n_levels,)
        In [0, 1]; 0 and 1 give minus and plus infinity.

    Returns
    -------
    ndarray, (n_rows, n_levels)
        Within 1e-15 of the width of the bracket they are searched in.
    """
    mean, variance, freedom = np.moveaxis(members, 2, 0)
    scale = np.sqrt(variance * (freedom - 2) / freedom)
    columns = [_mixture_quantile(mean, scale, freedom, weights, float(level)) for level in levels]
    return np.stack(columns, axis=-1)


def _mixture_quantile(mean: F64, scale: F64, freedom: F64, weights: F64, level: float) -> F64:
    if level in (0.0, 1.0):
        return np.full(mean.shape[1], -np.inf if level == 0.0 else np.inf)
    # By Cantelli's inequality no member's quantile lies further from its mean.
    reach = np.sqrt(max(level / (1 - level), (1 - level) / level)) + 1.0
    deviation = scale * np.sqrt(freedom / (freedom - 2))
    low = (mean - reach * deviation).min(axis=0)
    high = (mean + reach * deviation).max(axis=0)
    for _ in range(_STEPS):
        middle = low / 2 + high / 2
        below = weights @ stdtr(freedom, (middle - mean) / scale) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    quantile: F64 = low / 2 + high / 2
    return quantile


@dataclass(frozen=True, eq=False)
class StudentMixture(NumberPredictive):
    """Power pooling: the mixture over trees of the leaves' Student distributions.

    Attributes
    ----------
    variance, freedom : ndarray, (n_leaves in all,)
        Of the leaves' predictive distributions, in node order; their means are in the forest.
    """

    searches_quantiles: ClassVar[bool] = True
    variance: F64
    freedom: F64

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Of the mixture; levels 0 and 1 give infinities."""
        table = LeafTable.of(forest)
        of_leaf = np.stack([table.value[:, 0], self.variance, self.freedom], axis=1)
        found = [
            mixture_quantiles(of_leaf[table.at(rows[block], n_jobs)], forest.weights, levels)
            for block in row_blocks(len(rows), forest.n_trees, 3)
        ]
        return np.concatenate(found)[:, None]

    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Total of the mixture, knowledge between the trees' means, data the rest."""
        within = self.variance[:, None]
        _, total = forest.core.predict_moments(rows, forest.weights, within, n_jobs)
        return capped_parts(total, self.variance_of_mean(forest, rows, n_jobs))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Of the leaves."""
        return {"leaf_variance": self.variance, "leaf_freedom": self.freedom}

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "StudentMixture":
        """Checked: one of each per leaf."""
        variance = _leaf_array(arrays, "leaf_variance", forest)
        return cls(variance, _leaf_array(arrays, "leaf_freedom", forest))


@dataclass(frozen=True, eq=False)
class PooledNormal(NumberPredictive):
    """Evidence pooling: the normal distribution that the members' evidence makes of all responses.

    Attributes
    ----------
    variance : ndarray, (n_leaves in all,)
        Of the leaves' predictive distributions, in node order; their means are in the forest.
    center : float
        From where means are measured.
    base_mean, base_variance : float
        Of all responses; the mean from the center.
    sharpness : float
        γ.
    """

    variance: F64
    center: float
    base_mean: float
    base_variance: float
    sharpness: float

    def mean(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Of the pooled distribution."""
        return self._pooled(forest, rows, n_jobs).mean[:, None]

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Of the pooled distribution."""
        return normal_quantiles(self._pooled(forest, rows, n_jobs), levels)[:, None]

    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Total of the pool; knowledge between the members' means, no more than the total."""
        total = self._pooled(forest, rows, n_jobs).variance[:, None]
        return capped_parts(total, self.variance_of_mean(forest, rows, n_jobs))

    def additive(self, forest: Forest) -> Additive:
        """Mean precision and mean lean, and the mean of the pool."""
        part = AdditivePart(self._precisions(forest))
        step = {
            "op": "precision-mean",
            "mean": self.base_mean,
            "precision": 1.0 / self.base_variance,
            "sharpness": self.sharpness,
            "least": _LEAST_PRECISION,
            "offset": self.center,
        }

        def mean(sums: F64) -> F64:
            return self._normal(sums).mean[:, None]

        return Additive((part,), mean, "pooled precision", (step,))

    def _pooled(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Normal:
        return self._normal(self._precisions(forest).predict(rows, n_jobs))

    def _normal(self, sums: F64) -> Normal:
        """Of mean precisions and leans, (n_rows, 2)."""
        precision, lean = sums.T
        base = Normal(np.array([self.base_mean]), np.array([self.base_variance]))
        found = evidence_normal(precision, lean, base, self.sharpness)
        return Normal(found.mean + self.center, found.variance)

    def _precisions(self, forest: Forest) -> Forest:
        """The same trees with 1/v and μ/v in their leaves; made once for a forest."""
        made = self.__dict__.get("_made")
        if made is None or made[0] is not forest.core:
            lean = (LeafTable.of(forest).value[:, 0] - self.center) / self.variance
            values = np.stack([1 / self.variance, lean], axis=1)
            made = (forest.core, with_leaf_values(forest, values))
            self.__dict__["_made"] = made
        precisions: Forest = made[1]
        return precisions

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_made"}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Variances of leaves, and the numbers."""
        numbers = {name: np.array(getattr(self, name)) for name in _POOL_NUMBERS}
        return {"leaf_variance": self.variance, **numbers}

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "PooledNormal":
        """Checked: variances and γ are positive."""
        numbers = [read_scalar(arrays, name, float) for name in _POOL_NUMBERS]
        if not (np.isfinite(numbers).all() and min(numbers[2:]) > 0):
            raise BayeswoodError("The model file holds a 'sharpness' out of range.")
        return cls(_leaf_array(arrays, "leaf_variance", forest), *numbers)


_POOL_NUMBERS = ("center", "base_mean", "base_variance", "sharpness")


def capped_parts(total: F64, spread: F64) -> Uncertainty:
    """Knowledge is the spread of the members, but no more than the total; data is the rest."""
    knowledge = np.minimum(spread, total)
    return Uncertainty(total, total - knowledge, knowledge)


def _leaf_array(arrays: Arrays, name: str, forest: Forest) -> F64:
    found = read_array(arrays, name, (int(forest.n_leaves.sum()),))
    if not (found > 0).all():
        raise BayeswoodError("The model file's variances do not match its trees.")
    return found
