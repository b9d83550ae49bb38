"""Intervals of a frequency seen in n cases."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


def wilson_interval(
    n_hits: ArrayLike, n_cases: ArrayLike, confidence: float = 0.9
) -> tuple[F64, F64]:
    """Wilson's score interval of a frequency: right on average, for pictures.

    Parameters
    ----------
    n_hits, n_cases : array-like
        ``n_cases`` is positive.
    confidence : float, default 0.9

    Returns
    -------
    lower, upper : ndarray

    Examples
    --------
    >>> low, high = wilson_interval([9], [10])
    >>> low.round(3), high.round(3)
    (array([0.652]), array([0.977]))
    """
    from scipy.stats import norm  # takes longer to import than a forest to predict

    hits, cases = np.asarray(n_hits, np.float64), np.asarray(n_cases, np.float64)
    z = float(norm.ppf(0.5 + confidence / 2))
    share = hits / cases
    centre = (share + z**2 / (2 * cases)) / (1 + z**2 / cases)
    half = np.sqrt(share * (1 - share) / cases + z**2 / (4 * cases**2))
    half *= z / (1 + z**2 / cases)
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


def clopper_pearson_interval(
    n_hits: ArrayLike, n_cases: ArrayLike, confidence: float = 0.95
) -> tuple[F64, F64]:
    """Clopper and Pearson's interval of a frequency: never covers less than it says.

    Parameters
    ----------
    n_hits, n_cases : array-like
    confidence : float, default 0.95

    Returns
    -------
    lower, upper : ndarray
        From 0 to 1 where there are no cases.

    Examples
    --------
    >>> low, high = clopper_pearson_interval([0, 9], [10, 10])
    >>> low.round(4), high.round(4)
    (array([0.   , 0.555]), array([0.3085, 0.9975]))
    """
    from scipy.stats import beta

    hits, cases = np.asarray(n_hits, np.float64), np.asarray(n_cases, np.float64)
    tail = (1.0 - confidence) / 2.0
    misses = cases - hits
    # The quantiles of a beta distribution with a parameter 0 are the ends of [0, 1].
    lower = np.where(hits > 0, beta.ppf(tail, np.maximum(hits, 1.0), misses + 1.0), 0.0)
    upper = np.where(misses > 0, beta.ppf(1 - tail, hits + 1.0, np.maximum(misses, 1.0)), 1.0)
    return np.asarray(lower), np.asarray(upper)


def clopper_pearson_upper(n_events: int, n_rows: int, confidence: float) -> float:
    """Upper confidence limit of a rate, exact in the sense that it is never too small.

    Parameters
    ----------
    n_events, n_rows : int
        Events among rows.
    confidence : float
        Of the one-sided interval.

    Returns
    -------
    float

    Examples
    --------
    No error in 299 rows is the least that shows a rate of at most 1 % with 95 % confidence:

    >>> clopper_pearson_upper(0, 299, 0.95) < 0.01 < clopper_pearson_upper(0, 298, 0.95)
    True
    """
    # Its one tail is each of the two of an interval of that confidence.
    return float(clopper_pearson_interval(n_events, n_rows, 2.0 * confidence - 1.0)[1])
