"""Why a forest beats its trees: the mistake model and the variance of a mean.

Reference: S. Tierney, "Ensemble Methods 2 - Random Forests", QBUS6850 lecture, week 6.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]


def majority_vote_error(n_trees: ArrayLike, error: ArrayLike) -> float | F64:
    """Probability that a vote of independent trees is wrong.

    Parameters
    ----------
    n_trees : int or array of int
        Number of trees B, at least 1.
    error : float or array of float
        Misclassification rate ε of one tree, in [0, 1].

    Returns
    -------
    float or ndarray
        One value for each pair, after broadcasting.

    Notes
    -----
    With X ~ Binomial(B, ε) wrong trees, the vote is wrong when X >= ceil(B / 2): with an even
    number of trees a tie counts as a mistake. The tail is computed as the regularised incomplete
    beta function I_ε(k, B - k + 1) with k = ceil(B / 2), which keeps full relative accuracy where
    ``1 - cdf`` would give 0.

    Examples
    --------
    >>> majority_vote_error(3, 0.25)
    0.15625
    >>> majority_vote_error([1, 2, 3], 0.25)
    array([0.25   , 0.4375 , 0.15625])
    """
    n = _checked_n_trees(n_trees, "majority_vote_error")
    eps = np.asarray(error, dtype=np.float64)
    _require(
        (eps >= 0) & (eps <= 1), eps, "error", "majority_vote_error", "a probability in [0, 1]"
    )
    n_wrong = np.ceil(n / 2)
    return _scalar_if_0d(betainc(n_wrong, n - n_wrong + 1, eps))


def ensemble_variance(
    variance: ArrayLike, correlation: ArrayLike, n_trees: ArrayLike
) -> float | F64:
    """Variance of the mean of equally correlated trees.

    Parameters
    ----------
    variance : float or array of float
        Variance σ² of one tree, at least 0.
    correlation : float or array of float
        Mean correlation ρ between two trees, in [-1 / (n_trees - 1), 1].
    n_trees : int or array of int
        Number of trees B, at least 1.

    Returns
    -------
    float or ndarray

    Notes
    -----
    Var(mean) = σ²/B + (B - 1)/B ρσ². What is random is the training set and each tree's own
    draws; see `estimate_tree_correlation` for σ² and ρ in this sense.

    Examples
    --------
    >>> ensemble_variance(1.0, 0.5, 10)
    0.55
    """
    name = "ensemble_variance"
    n = _checked_n_trees(n_trees, name)
    sigma2 = np.asarray(variance, dtype=np.float64)
    rho = np.asarray(correlation, dtype=np.float64)
    _require(np.isfinite(sigma2) & (sigma2 >= 0), sigma2, "variance", name, "a number >= 0")
    # A sum of variances is never negative: (B - 1)ρ >= -1.
    possible = (rho <= 1) & ((n - 1) * rho >= -1 - 1e-12)
    _require(possible, rho, "correlation", name, "in [-1 / (n_trees - 1), 1]")
    return _scalar_if_0d(np.maximum(sigma2 / n + (n - 1) / n * rho * sigma2, 0.0))


def _checked_n_trees(n_trees: ArrayLike, function: str) -> F64:
    n = np.asarray(n_trees, dtype=np.float64)
    _require((n >= 1) & (n == np.floor(n)), n, "n_trees", function, "an int >= 1")
    return n


def _require(is_good: NDArray[np.bool_], value: F64, name: str, function: str, must: str) -> None:
    if np.all(is_good):
        return
    shown = np.broadcast_to(value, np.shape(is_good))[~is_good].flat[0]
    raise BayeswoodError(
        f"The '{name}' parameter of {function} must be {must}. Got {shown:g} instead."
    )


def _scalar_if_0d(values: F64) -> float | F64:
    return float(values) if np.ndim(values) == 0 else np.asarray(values)
