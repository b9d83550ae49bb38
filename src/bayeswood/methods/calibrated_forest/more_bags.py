"""How much smaller residuals are at new rows, which more bags predict.

A new row is predicted by all G bags, a training row out of bag by the k_i that left it out, a third
of them. An average of fewer bags is less steady: so is μ_oob, and so is the size a_oob that its
residual is divided by. Where noise is small beside the structure, this is much of the residual, and
intervals from such residuals cover too much.

Model. The mean m of |z|, z = (y − μ) / a, is linear in the mean of 1/k: the variance of an average
is. The line is known at two places, from all bags that left a row out and from either half of
them. At 1/G it gives the factor by which scaled residuals are smaller,

    s = 1 − (m_half / m − 1) (mean 1/k − 1/G) / (mean 1/k_half − mean 1/k).

Both means of 1/k are those of the bags for μ; the bags for a leave out as many rows.
"""

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.bags import Bags
from bayeswood.uncertainty import spread_sample

F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]

# So many rows tell: the residuals that are compared are of the same rows.
_MOST_ROWS = 2000
# Least s: beyond it the line is a guess.
_LEAST = 0.5


def shrinkage_by_more_bags(
    data: TrainingData, bags: Bags, sizes: Bags, least: F64, n_jobs: int
) -> F64:
    """The factor s of each response, between 1/2 and 1; 1 where no row was left out twice.

    Parameters
    ----------
    data : TrainingData
        The rows.
    bags, sizes : Bags
        For the mean, and for sizes of residuals.
    least : ndarray, (n_outputs,)
        What sizes do not fall below.
    n_jobs : int
        Threads.
    """
    twice = np.flatnonzero((bags.counts > 1) & (sizes.counts > 1))
    rows = twice[spread_sample(len(twice), most_rows=_MOST_ROWS)]
    if not len(rows):
        return np.ones(len(least))
    means, counts = _averages(data, bags, rows, n_jobs)
    spreads = np.maximum(_averages(data, sizes, rows, n_jobs)[0], least)
    weights = None if data.sample_weight is None else data.sample_weight[rows]
    off = np.abs(data.target.y[rows] - means)
    of_all = _mean_scaled(off[0], spreads[0], weights)
    pairs = [(i, j) for i in (1, 2) for j in (1, 2)]
    of_half = np.mean([_mean_scaled(off[i], spreads[j], weights) for i, j in pairs], axis=0)
    few, fewer = np.mean(1.0 / counts[0]), np.mean(1.0 / counts[1:])
    further = (few - 1.0 / bags.forest.n_members) / (fewer - few)
    grown = np.divide(of_half, of_all, out=np.ones_like(of_all), where=of_all > 0)
    found: F64 = np.clip(1.0 - (grown - 1.0) * further, _LEAST, 1.0)
    return found


def _averages(
    data: TrainingData, bags: Bags, rows: NDArray[np.intp], n_jobs: int
) -> tuple[F64, NDArray[np.intp]]:
    """What all bags that left a row out say, and every other one of them; and how many they are.

    (3, n_rows, n_outputs) and (3, n_rows).
    """
    said = bags.forest.draws(data.X[rows], n_jobs)
    left_out = bags.law.left_out(len(said), data.n_rows, rows)
    turn = np.cumsum(left_out, axis=0) % 2 == 1
    parts = np.stack([left_out, left_out & turn, left_out & ~turn])
    counts = parts.sum(axis=1)
    sums = np.einsum("pgi,gik->pik", parts.astype(np.float64), said)
    return sums / counts[:, :, None], counts


def _mean_scaled(off: F64, size: F64, weights: F64 | None) -> F64:
    """Mean of |y − μ| / a over the rows, for each response."""
    scaled = np.divide(off, size, out=np.zeros_like(off), where=size > 0)
    found: F64 = np.average(scaled, axis=0, weights=weights)
    return found
