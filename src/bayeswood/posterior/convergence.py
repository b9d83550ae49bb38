"""Have Markov chains converged? R-hat and effective sample size of (chain, draw) arrays.

Model
    M chains of N draws of one number each. If all chains are where they should be, the spread
    between them is explained by the spread within them.
Formula
    Each chain is cut into two halves. With W the mean of the chains' variances and B/N the variance
    of their means, R-hat = √(((N - 1) W / N + B / N) / W), taken of the draws' normal scores
    z = Φ⁻¹((rank - 3/8) / (S + 1/4)) and of those of their distances from the median; the larger
    one counts. The effective sample size is S / τ with τ = -1 + 2 Σ P_k, where P_k is the sum of
    the autocorrelations at lags 2k and 2k + 1, as far as it is positive and made to fall (Geyer's
    initial monotone sequence).
Reference
    A. Vehtari, A. Gelman, D. Simpson, B. Carpenter and P.-C. Bürkner, "Rank-normalization, folding
    and localization: an improved R-hat for assessing convergence of MCMC", Bayesian Analysis 16,
    2021. C. J. Geyer, "Practical Markov chain Monte Carlo", Statistical Science 7, 1992.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]

_TAILS = (0.05, 0.95)
_FEWEST_DRAWS = 4


def split_rhat(draws: ArrayLike) -> Any:
    """Rank-normalised split R-hat: near 1 where the chains agree.

    Parameters
    ----------
    draws : array-like, (n_chains, n_draws, ...)

    Returns
    -------
    float, or ndarray of the shape of what is behind the draws
        NaN where nothing varies or something is not finite; infinite where each half of a chain
        stands still, but not all at the same place.

    Notes
    -----
    1.01 is the customary limit for chains whose draws are to be trusted to the second digit.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> draws = rng.normal(size=(4, 500))
    >>> round(split_rhat(draws), 2)
    1.0
    >>> draws[0] += 2
    >>> round(split_rhat(draws), 1)
    1.3
    """
    return _each(draws, _rhat_of_ranks, "split_rhat")


def bulk_ess(draws: ArrayLike) -> Any:
    """Effective sample size for the centre of the distribution.

    Parameters
    ----------
    draws : array-like, (n_chains, n_draws, ...)

    Returns
    -------
    float, or ndarray of the shape of what is behind the draws
        NaN where something is not finite.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> independent = rng.normal(size=(4, 500))
    >>> sticky = np.repeat(rng.normal(size=(4, 50)), 10, axis=1)
    >>> bulk_ess(independent) > 1500, bulk_ess(sticky) < 400
    (True, True)
    """
    return _each(draws, lambda one: _ess(_normal_scores(_halves(one))), "bulk_ess")


def tail_ess(draws: ArrayLike) -> Any:
    """Effective sample size for the 5 % and the 95 % quantile: that of the worse one.

    Parameters
    ----------
    draws : array-like, (n_chains, n_draws, ...)

    Returns
    -------
    float, or ndarray of the shape of what is behind the draws
        NaN where something is not finite.

    Examples
    --------
    >>> tail_ess(np.random.default_rng(0).normal(size=(4, 500))) > 1000
    True
    """
    return _each(draws, _ess_of_tails, "tail_ess")


def _each(draws: ArrayLike, measure: Callable[[F64], float], caller: str) -> Any:
    """Apply a measure to each number that is drawn."""
    values = np.asarray(draws, dtype=np.float64)
    if values.ndim < 2 or values.shape[0] < 1 or values.shape[1] < _FEWEST_DRAWS:
        raise BayeswoodError(
            f"The 'draws' parameter of {caller} must have the shape (n_chains, n_draws, ...) with "
            f"at least {_FEWEST_DRAWS} draws. Got {values.shape} instead."
        )
    if values.ndim == 2:
        return _measured(values, measure)
    behind = values.shape[2:]
    flat = values.reshape(*values.shape[:2], -1)
    found = [_measured(flat[:, :, k], measure) for k in range(flat.shape[2])]
    return np.array(found).reshape(behind)


def _measured(one: F64, measure: Callable[[F64], float]) -> float:
    return measure(one) if np.isfinite(one).all() else float("nan")


def _halves(one: F64) -> F64:
    """Each chain as two; of an odd number of draws the middle one is left out."""
    half = one.shape[1] // 2
    return np.concatenate([one[:, :half], one[:, -half:]])


def _normal_scores(chains: F64) -> F64:
    from scipy.stats import rankdata

    ranks = rankdata(chains, method="average", axis=None).reshape(chains.shape)
    scores: F64 = ndtri((ranks - 0.375) / (chains.size + 0.25))
    return scores


def _rhat_of_ranks(one: F64) -> float:
    chains = _halves(one)
    distances = np.abs(chains - np.median(chains))
    both = [_rhat(_normal_scores(chains)), _rhat(_normal_scores(distances))]
    known = [rhat for rhat in both if not np.isnan(rhat)]
    return max(known, default=float("nan"))


def _rhat(chains: F64) -> float:
    n_draws = chains.shape[1]
    within = float(chains.var(axis=1, ddof=1).mean())
    between = float(chains.mean(axis=1).var(ddof=1))
    if within <= 1e-30:
        return float("inf") if between > 1e-30 else float("nan")
    return float(np.sqrt((n_draws - 1) / n_draws + between / within))


def _ess_of_tails(one: F64) -> float:
    quantiles = np.quantile(one, _TAILS)
    return min(_ess(_halves((one <= q).astype(np.float64))) for q in quantiles)


def _ess(chains: F64) -> float:
    n_chains, n_draws = chains.shape
    total = n_chains * n_draws
    if np.ptp(chains) <= 1e-12:
        return float(total)
    covariance = _autocovariance(chains).mean(axis=0)
    within = covariance[0] * n_draws / (n_draws - 1)
    variance = covariance[0]
    if n_chains > 1:
        variance += chains.mean(axis=1).var(ddof=1)
    correlation = 1 - (within - covariance) / variance
    correlation[0] = 1.0
    # Below log₁₀(S)/S: draws that swing to and fro may beat independent ones, but not endlessly.
    return float(total / max(_integrated_time(correlation), 1 / np.log10(total)))


def _autocovariance(chains: F64) -> F64:
    """Of each chain at each lag, divided by the number of draws."""
    n_draws = chains.shape[1]
    centred = chains - chains.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, n=2 * n_draws, axis=1)
    covariance: F64 = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n_draws] / n_draws
    return covariance


def _integrated_time(correlation: F64) -> float:
    """-1 + 2 Σ P_k over the initial pairs of lags whose sum is positive, made to fall.

    Of the pair that ends them the even lag counts once, if its correlation is positive.
    """
    n_pairs = max((len(correlation) - 3) // 2, 0)
    even, odd = correlation[: 2 * n_pairs + 1 : 2], correlation[1 : 2 * n_pairs : 2]
    pairs = even[:n_pairs] + odd
    stops = np.flatnonzero(pairs <= 0)
    n_used = int(stops[0]) if stops.size else n_pairs
    summed = 2 * float(np.minimum.accumulate(pairs[:n_used]).sum())
    return summed - 1 + max(float(even[n_used]), 0.0)
