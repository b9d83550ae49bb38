"""How large are trees drawn from the Galton-Watson prior of the safe-Bayesian forest?

Reference: N. Quadrianto and Z. Ghahramani, "A very simple safe-Bayesian random forest", 2015.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]

# From here on the series below is exact to the last bit, and lgamma differences are not.
_SERIES_FROM = 400


def prior_leaf_count_pmf(split_probability: float, n_leaves: ArrayLike) -> float | F64:
    """Probability that a tree of the prior has a given number of leaves.

    Parameters
    ----------
    split_probability : float
        Probability λ in [0, 1] that a node below the root splits; the root always does.
    n_leaves : int or array of int
        Number of leaves n.

    Returns
    -------
    float or ndarray
        P(L = n); 0 for n < 2.

    Notes
    -----
    P(L = n) = C_{n-1} λ^{n-2} (1 - λ)^n for n >= 2, with C_k the k-th Catalan number: there are
    C_{n-1} shapes with n leaves, each has n - 2 splits below the root and n leaves. For
    λ <= 1/2 the probabilities sum to 1 (mean (2 - 2λ)/(1 - 2λ), infinite at λ = 1/2); for λ > 1/2
    a tree is infinite with the probability that is missing. Computed in log space.

    Examples
    --------
    >>> prior_leaf_count_pmf(0.5, [1, 2, 3])
    array([0.   , 0.25 , 0.125])
    """
    lam = _checked_probability(split_probability)
    n = np.asarray(n_leaves, dtype=np.float64)
    if not np.all(np.isfinite(n) & (n == np.floor(n))):
        raise BayeswoodError("The 'n_leaves' parameter of prior_leaf_count_pmf must be int.")
    n_splits = np.maximum(n - 1, 1.0)
    pmf = np.where(n >= 2, np.exp(_log_pmf(lam, n_splits)), 0.0)
    return float(pmf) if pmf.ndim == 0 else pmf


def _log_pmf(lam: float, n_splits: F64) -> F64:
    """Log of C_k λ^{k-1} (1 - λ)^{k+1}, k = `n_splits` >= 1, arranged so that nothing cancels."""
    if lam == 0.0:
        return np.where(n_splits == 1, 0.0, -np.inf)
    if lam == 1.0:
        return np.full_like(n_splits, -np.inf)
    # C_k = binom(2k, k) / (k + 1); 4λ(1 - λ) = 1 - (1 - 2λ)².
    log_shrink = np.log1p(-((1 - 2 * lam) ** 2))
    log_catalan_share = _log_central_binomial_share(n_splits) - np.log1p(n_splits)
    log_odds = float(np.log1p(-lam) - np.log(lam))
    return np.asarray(log_catalan_share + n_splits * log_shrink + log_odds)


def _log_central_binomial_share(k: F64) -> F64:
    """Log of binom(2k, k) / 4^k."""
    small = np.minimum(k, _SERIES_FROM)
    exact = gammaln(small + 0.5) - gammaln(small + 1) - 0.5 * np.log(np.pi)
    inverse = 1 / k
    series = -0.5 * np.log(np.pi * k) - inverse / 8 + inverse**3 / 192 - inverse**5 / 640
    return np.where(k < _SERIES_FROM, exact, series)


def _checked_probability(split_probability: float) -> float:
    lam = float(split_probability)
    if not 0.0 <= lam <= 1.0:
        raise BayeswoodError(
            "The 'split_probability' parameter of prior_leaf_count_pmf must be a probability in "
            f"[0, 1]. Got {lam:g} instead."
        )
    return lam
