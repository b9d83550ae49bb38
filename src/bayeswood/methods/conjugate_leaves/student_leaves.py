"""Leaves that predict a Student distribution, and mixtures of them over trees.

With κ, a and b of the prior and n rows in the leaf, the predictive has 2a + n degrees of freedom
about the leaf's mean; its variance is kept with the leaf.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, stdtr

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.predictive import Arrays, NumberPredictive
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.modelfile.laws import LARGEST_MEAN
from bayeswood.uncertainty import Uncertainty

F64 = NDArray[np.float64]

_STEPS = 100
_CLOSE = 1e-13


@dataclass(frozen=True, eq=False)
class StudentLeaves(NumberPredictive):
    """Mixtures over trees of the leaves' Student distributions.

    Attributes
    ----------
    variance : ndarray, (n_leaves in all,)
        Variances of the leaves' predictive distributions; their means are in the forest.
    strength, shape : float
        κ and a of the prior.
    """

    searches_quantiles: ClassVar[bool] = True
    variance: F64
    strength: float
    shape: float

    def freedom(self, table: LeafTable) -> F64:
        """Degrees of freedom of the leaves, (n_leaves in all,)."""
        freedom: F64 = 2 * self.shape + table.n_samples.astype(np.float64)
        return freedom

    def log_left_out(self, table: LeafTable, leaves: NDArray[np.int64], y: F64) -> F64:
        """Log density of responses left out of their leaves, (n_trees, n_rows)."""
        k = self.strength + table.n_samples[leaves]
        a = self.freedom(table)[leaves] / 2
        b = self.variance[leaves] * (a - 1) * k / (k + 1)
        mean = (k * table.value[leaves, 0] - y) / (k - 1)
        b = b - 0.5 * (k - 1) / k * (y - mean) ** 2
        scale = np.sqrt(b * k / ((a - 0.5) * (k - 1)))
        density: F64 = log_student((y - mean) / scale, 2 * a - 1) - np.log(scale)
        return density

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Of the mixture over trees; levels 0 and 1 give infinities."""
        table = LeafTable.of(forest)
        kind, first = self._kinds(table)
        mean, freedom = table.value[first, 0], self.freedom(table)[first]
        scale = np.sqrt(self.variance[first] * (freedom - 2) / freedom)
        found = np.empty((len(rows), 1, len(levels)))
        for block, leaves in table.blocks(rows, n_jobs):
            for row, members in enumerate(kind[leaves].T, start=block.start):
                summed: F64 = np.bincount(members, weights=forest.weights).astype(np.float64)
                here = np.flatnonzero(summed)
                parts = mean[here], scale[here], freedom[here], summed[here]
                found[row, 0] = [student_quantile(*parts, float(level)) for level in levels]
        return found

    def _kinds(self, table: LeafTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Leaves of one distribution have one number; and the first leaf of each.

        Most trees differ elsewhere: at a row few of their distributions are distinct.
        """
        parts = (self.freedom(table), self.variance, table.value[:, 0])
        order = np.lexsort(parts)
        steps = np.zeros(len(order), dtype=np.bool_)
        steps[0] = True
        for part in parts:
            steps[1:] |= np.diff(part[order]) != 0
        kind = np.empty(len(order), dtype=np.int64)
        kind[order] = np.cumsum(steps) - 1
        return kind, order[steps]

    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Total of the mixture, knowledge between the trees' means, data the rest."""
        within = self.variance[:, None]
        _, total = forest.core.predict_moments(rows, forest.weights, within, n_jobs)
        knowledge = np.minimum(self.variance_of_mean(forest, rows, n_jobs), total)
        return Uncertainty(total, total - knowledge, knowledge)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Variances, and the prior."""
        return {
            "leaf_variance_": self.variance,
            "prior_strength": np.array(self.strength),
            "prior_shape": np.array(self.shape),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "StudentLeaves":
        """Checked; where the prior is not told, it is that of the parameters."""
        variance = arrays.get("leaf_variance_")
        lawful = (
            variance is not None
            and variance.dtype.kind == "f"
            and variance.shape == (int(forest.n_leaves.sum()),)
            and bool((variance > 0).all())
            and bool((variance <= LARGEST_MEAN**2).all())
        )
        if variance is None or not lawful:
            raise BayeswoodError("The model file's variances do not match its trees.")
        return cls(variance, _prior(arrays, "prior_strength"), _prior(arrays, "prior_shape"))


def _prior(arrays: Arrays, name: str) -> float:
    told = arrays.get(name, arrays.get(f"parameters.{name}"))
    if told is None or told.ndim or type(told.item()) not in (int, float) or not told.item() > 0:
        raise BayeswoodError(f"The model file holds a '{name}' of the wrong type.")
    return float(told.item())


def log_student(x: F64, freedom: F64) -> F64:
    """Log density of the standard Student distribution.

    Examples
    --------
    >>> log_student(np.array([0.0]), np.array([1.0])).round(4)
    array([-1.1447])
    """
    constant = gammaln((freedom + 1) / 2) - gammaln(freedom / 2) - 0.5 * np.log(np.pi * freedom)
    with np.errstate(over="ignore"):  # so far away the density is 0
        density: F64 = constant - (freedom + 1) / 2 * np.log1p(x**2 / freedom)
    return density


def student_quantile(mean: F64, scale: F64, freedom: F64, weights: F64, level: float) -> float:
    """Quantile of a mixture of Student distributions, by Newton's steps kept within brackets.

    Parameters
    ----------
    mean, scale, freedom, weights : ndarray, (n_members,)
        Degrees of freedom above 2; weights that sum to 1.
    level : float
        In [0, 1]; 0 and 1 give minus and plus infinity.

    Examples
    --------
    >>> one = np.ones(1)
    >>> round(student_quantile(3 * one, 2 * one, 5 * one, one, 0.5), 9)
    3.0
    """
    if level in (0.0, 1.0):
        return -np.inf if level == 0.0 else np.inf
    # By Cantelli's inequality no member's quantile lies further from its mean.
    reach = np.sqrt(max(level / (1 - level), (1 - level) / level)) + 1.0
    deviation = scale * np.sqrt(freedom / (freedom - 2))
    low, high = float((mean - reach * deviation).min()), float((mean + reach * deviation).max())
    x = float(weights @ mean)
    width = high - low
    for _ in range(_STEPS):
        z = (x - mean) / scale
        excess = float(weights @ stdtr(freedom, z)) - level
        low, high = (x, high) if excess < 0 else (low, x)
        slope = float(weights @ (np.exp(log_student(z, freedom)) / scale))
        step = x - excess / slope if slope > 0 else np.inf
        following = step if low < step < high else low / 2 + high / 2
        if abs(following - x) <= _CLOSE * width:
            return following
        x = following
    return x
