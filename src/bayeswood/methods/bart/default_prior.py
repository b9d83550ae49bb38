"""Offset, leaves and noise of a sum of trees by default: priors that follow the data.

Chipman, George and McCulloch (2010), sections 2.2.3 and 2.2.4: f(x) lies within the range of the
responses with probability 2Φ(k) − 1, and the noise is below a rough guess with probability q.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class SumPrior:
    """What each sum starts from and its priors, (n_sums,) each, on the user's scale.

    Attributes
    ----------
    offset : ndarray
        What the sum starts from.
    unit : ndarray
        A scale near that of the responses, in which the core counts.
    leaf_sd : ndarray
        Prior standard deviation of one leaf's value.
    noise_sd : ndarray
        √λ of the noise's prior, σ² ~ ν λ / χ²_ν, or σ itself where it is fixed.
    noise_start : ndarray
        Where σ starts.
    """

    offset: F64
    unit: F64
    leaf_sd: F64
    noise_sd: F64
    noise_start: F64


def number_prior(
    y: F64,
    rough_noise: F64,
    *,
    n_trees: int,
    k: float,
    df: float,
    quantile: float,
    leaf_sd: float | None,
    noise_sd: float | None,
) -> SumPrior:
    """Of responses: the middle of their range, and leaves that reach its ends.

    Parameters
    ----------
    y : ndarray, (n_rows, n_outputs)
        Responses.
    rough_noise : ndarray, (n_outputs,)
        The rough guess of σ.
    n_trees : int
        m.
    k, df, quantile : float
        k, ν and q.
    leaf_sd, noise_sd : float or None
        Given by the user, for all responses.

    Examples
    --------
    >>> y = np.array([[0.0], [2.0], [8.0]])
    >>> found = number_prior(y, np.ones(1), n_trees=4, k=2.0, df=3.0, quantile=0.9,
    ...     leaf_sd=None, noise_sd=None)
    >>> found.offset, found.leaf_sd, found.noise_sd.round(2)
    (array([4.]), array([1.]), array([0.44]))
    """
    from scipy.stats import chi2

    low, high = y.min(axis=0), y.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    spread = y.std(axis=0)
    unit = np.where(spread > 0, spread, 1.0)
    own_leaf = width / (2 * k * np.sqrt(n_trees))
    scale = rough_noise * np.sqrt(chi2.ppf(1 - quantile, df) / df)
    return SumPrior(
        offset=(low + high) / 2,
        unit=unit,
        leaf_sd=own_leaf if leaf_sd is None else np.full(len(low), float(leaf_sd)),
        noise_sd=scale if noise_sd is None else np.full(len(low), float(noise_sd)),
        noise_start=rough_noise if noise_sd is None else np.full(len(low), float(noise_sd)),
    )


def rough_noise(X: NDArray[Any], n_levels: NDArray[np.int32], y: F64, weight: F64 | None) -> F64:
    """Residual standard deviation of least squares, or the responses' own where that is less.

    Categories count by indicators, missing values as the mean of their column. A guess is never 0:
    at least a thousandth of the responses' standard deviation.
    """
    design = _design(X, n_levels, most=max(1, len(y) // 2))
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    spread = np.sqrt(np.average((y - np.average(y, axis=0, weights=root**2)) ** 2, axis=0,
                                weights=root**2))  # fmt: skip
    if design is not None:
        weighted = root[:, None] * design
        solved = np.linalg.lstsq(weighted, root[:, None] * y, rcond=None)[0]
        left = root[:, None] * y - weighted @ solved
        freedom = max(len(y) - design.shape[1], 1)
        spread = np.minimum(spread, np.sqrt((left**2).sum(axis=0) / freedom))
    own = y.std(axis=0)
    least = np.where(own > 0, 1e-3 * own, 1.0)
    return np.maximum(spread, least)


def _design(X: NDArray[Any], n_levels: NDArray[np.int32], most: int) -> F64 | None:
    """Columns of a linear model, scaled; None if they would be more than `most`."""
    if 1 + int(np.where(n_levels > 0, n_levels, 1).sum()) > most:
        return None
    columns = [np.ones(len(X))]
    for j, levels in enumerate(n_levels):
        column = X[:, j].astype(np.float64)
        if levels > 0:
            columns += [(column == level).astype(np.float64) for level in range(levels)]
            continue
        known = np.isfinite(column)
        center = column[known].mean() if known.any() else 0.0
        scale = column[known].std() if known.any() else 0.0
        columns.append(np.where(known, (column - center) / (scale if scale > 0 else 1.0), 0.0))
    return np.column_stack(columns)


# Half the width of the range within which f lies by the prior, with probability 2Φ(k) − 1: three
# standard deviations of the noise of a probit; for several classes so that differences of two sums
# reach as far on the scale of a logit, 1.702 times that of a probit.
PROBIT_REACH = 3.0
LOGIT_REACH = 3.0 * 1.702 / np.sqrt(2)


def class_prior(
    counts: NDArray[np.int64], *, n_trees: int, k: float, leaf_sd: float | None
) -> SumPrior:
    """Of classes: offsets that give their shares, and leaves that reach sure answers.

    Examples
    --------
    >>> class_prior(np.array([50, 50]), n_trees=9, k=2.0, leaf_sd=None).leaf_sd
    array([0.5])
    """
    shares = (counts + 0.5) / (counts + 0.5).sum()
    two = len(counts) == 2
    offset = np.atleast_1d(ndtri(shares[1])) if two else np.log(shares) - np.log(shares).mean()
    reach = PROBIT_REACH if two else LOGIT_REACH
    ones = np.ones(len(offset))
    each = reach / (k * np.sqrt(n_trees)) if leaf_sd is None else float(leaf_sd)
    return SumPrior(offset, ones, each * ones, ones, ones)
