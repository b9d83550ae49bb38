"""Numbers: members are sums of trees, and about each the response is normal.

y | member m ~ N(f_m(x), σ_m²), or σ_m²(x) where trees make the variance. A prediction is the
mixture over the members, which are alike.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.parts import forest_arrays, forest_from
from bayeswood.methods.base.predictive import (
    Arrays,
    NumberPredictive,
    over_blocks,
    sum_over_members,
)
from bayeswood.methods.base.saved_state import read_array
from bayeswood.modelfile.laws import LARGEST_MEAN
from bayeswood.uncertainty import Uncertainty, row_blocks

F64 = NDArray[np.float64]

_STEPS = 60
_CLOSE = 1e-10


@dataclass(frozen=True, eq=False)
class NormalSums(NumberPredictive):
    """Mixtures over members of normal distributions.

    Attributes
    ----------
    noise_sd : ndarray, (n_members, n_outputs)
        σ_m of each response; in the mean over the training rows, where trees make it.
    variance : Forest or None
        Trees whose sums are log σ_m²(x), member by member; None if σ_m is the same everywhere.
    """

    noise_sd: F64
    variance: Forest | None = None

    def noise(self, rows: NDArray[Any], n_jobs: int) -> F64:
        """σ_m(x), (n_members, n_rows or 1, n_outputs)."""
        if self.variance is None:
            return self.noise_sd[:, None, :]
        return np.exp(0.5 * _bounded(self.variance.draws(rows, n_jobs)))

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Of the mixture; levels 0 and 1 give infinities."""
        weights = forest.weights

        def of_block(block: slice) -> F64:
            draws, sd = forest.draws(rows[block], n_jobs), self.noise(rows[block], n_jobs)
            found = np.empty((*draws.shape[1:], len(levels)))
            for k in range(draws.shape[2]):
                for place, level in enumerate(levels):
                    found[:, k, place] = mixture_quantile(
                        draws[:, :, k], sd[:, :, k], weights, float(level)
                    )
            return found

        blocks = row_blocks(len(rows), forest.n_members, 2 * forest.n_outputs)
        return np.concatenate([of_block(block) for block in blocks])

    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Σ w_m σ_m²(x) + Var_m f_m(x), data and knowledge."""
        knowledge = self.variance_of_mean(forest, rows, n_jobs)
        if self.variance is None:
            data = np.broadcast_to(forest.weights @ self.noise_sd**2, knowledge.shape).copy()
        else:
            data = over_blocks(
                self.variance,
                rows,
                n_jobs,
                lambda logs: sum_over_members(forest.weights, np.exp(_bounded(logs))),
            )
        return Uncertainty(data + knowledge, data, knowledge)

    def variance_of_mean(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Var_m f_m(x)."""
        return forest.spread(rows, n_jobs)[1] ** 2

    def log_density(self, forest: Forest, rows: NDArray[Any], y: F64, weight: F64 | None,
                    n_jobs: int) -> F64:  # fmt: skip
        """Log density of responses (n_rows, n_outputs) by every member, (n_members, n_rows)."""
        sd = self.noise(rows, n_jobs)
        if weight is not None:
            sd = sd / np.sqrt(weight)[None, :, None]
        z = (y - forest.draws(rows, n_jobs)) / sd
        density: F64 = (-0.5 * z**2 - np.log(sd) - 0.5 * np.log(2 * np.pi)).sum(axis=-1)
        return density

    def arrays(self) -> dict[str, NDArray[Any]]:
        """σ_m, and the trees of the variance."""
        trees = {} if self.variance is None else forest_arrays("variance", self.variance)
        return {"member_noise_sd": self.noise_sd, **trees}

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> Self:
        """The same again."""
        shape = (forest.n_members, forest.n_outputs)
        noise = read_array(arrays, "member_noise_sd", shape, LARGEST_MEAN)
        if not (noise > 0).all():
            raise BayeswoodError("The model file holds noise that is not positive.")
        variance = forest_from("variance", arrays, forest)
        if variance is not None and variance.n_members != forest.n_members:
            raise BayeswoodError("The model file's trees of the variance do not match its draws.")
        return cls(noise, variance)


def _bounded(log_variance: F64) -> F64:
    """No variance is further from 1 than a float can say, whatever a file's trees add up to."""
    return np.clip(log_variance, -700.0, 700.0)


def mixture_quantile(mean: F64, sd: F64, weights: F64, level: float) -> F64:
    """Quantiles of mixtures of normal distributions, by Newton's steps kept within brackets.

    Parameters
    ----------
    mean : ndarray, (n_members, n_rows)
    sd : ndarray, (n_members, n_rows or 1)
    weights : ndarray, (n_members,)
        They sum to 1.
    level : float
        In [0, 1]; 0 and 1 give minus and plus infinity.

    Examples
    --------
    >>> mean = np.array([[-1.0, 5.0], [1.0, 5.0]])
    >>> mixture_quantile(mean, np.ones((2, 1)), np.full(2, 0.5), 0.5).round(6) + 0.0
    array([0., 5.])
    """
    if level in (0.0, 1.0):
        return np.full(mean.shape[1], -np.inf if level == 0.0 else np.inf)
    z = ndtri(level)
    own = mean + z * sd
    low, high = own.min(axis=0), own.max(axis=0)
    center = sum_over_members(weights, mean)
    variance = sum_over_members(weights, sd**2) + sum_over_members(weights, (mean - center) ** 2)
    x = np.clip(center + z * np.sqrt(variance), low, high)
    width = np.maximum(high - low, np.abs(high))
    done = np.zeros(len(x), bool)
    for _ in range(_STEPS):
        apart = (x - mean) / sd
        excess = sum_over_members(weights, ndtr(apart)) - level
        low, high = np.where(excess < 0, x, low), np.where(excess < 0, high, x)
        with np.errstate(over="ignore"):  # so far away the density is 0
            density = sum_over_members(weights, np.exp(-0.5 * apart**2) / sd)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = x - excess / (density / np.sqrt(2 * np.pi))
        within = np.where((step > low) & (step < high), step, low / 2 + high / 2)
        following = np.where(done, x, within)
        done |= np.abs(following - x) <= _CLOSE * width
        x = following
        if done.all():
            break
    quantile: F64 = x
    return quantile
