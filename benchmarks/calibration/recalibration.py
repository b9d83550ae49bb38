"""Recalibrate any forest from its out-of-bag predictions, written apart from the package's own.

Classes: p̃ = (B p̄ + 1/C)/(B + 1) with B the number of trees behind p̄; log p_c = γ log p̃_c + b_c −
log Z. γ in [.2, 8] and b minimise the negative log likelihood of the out-of-bag rows plus
(log γ)²/(2·1.5²) + Σ b_c²/(2·0.5²). By class, of which there are three or more: with this γ,
log p_c = γ s_c log(C p̃_c) + b_c − log Z, s and b by the same likelihood plus
Σ (log s_c)²/(2·0.3²) + Σ b_c²/(2·0.5²) with γ s_c in [.2, 8].

Responses: s²(x) = u + v·(variance of the trees at x), u, v >= 0 by weighted least squares on
squared out-of-bag residuals; the interval is the mean plus s(x) times two order statistics of
residual/s.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

F64 = NDArray[np.float64]

MIN_GAMMA, MAX_GAMMA, SD_LOG_GAMMA, SD_OFFSET = 0.2, 8.0, 1.5, 0.5
SD_LOG_SLOPE = 0.3
TINY = 1e-9  # what rounding may add to a whole number


def smoothed_log(probability: F64, n_trees: F64 | int) -> F64:
    n_classes = probability.shape[1]
    n_trees = np.reshape(n_trees, (-1, 1))
    return np.log((n_trees * probability + 1 / n_classes) / (n_trees + 1))


def recalibrated(log_p: F64, gamma: float | F64, offsets: F64) -> F64:
    scores = gamma * log_p + offsets
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def fit_temperature(log_p: F64, codes: NDArray[np.intp]) -> tuple[float, F64]:
    """γ and the offsets b that minimise the penalised out-of-bag loss."""
    n_classes = log_p.shape[1]
    happened = np.eye(n_classes)[codes]

    def loss(parameters: F64) -> tuple[float, F64]:
        gamma, offsets = parameters[0], parameters[1:]
        p = recalibrated(log_p, gamma, offsets)
        fit = -np.log(p[np.arange(len(codes)), codes]).sum()
        penalty = np.log(gamma) ** 2 / (2 * SD_LOG_GAMMA**2)
        penalty += (offsets**2).sum() / (2 * SD_OFFSET**2)
        slope = ((p - happened) * log_p).sum() + np.log(gamma) / (gamma * SD_LOG_GAMMA**2)
        slopes = (p - happened).sum(axis=0) + offsets / SD_OFFSET**2
        return fit + penalty, np.concatenate([[slope], slopes])

    bounds = [(MIN_GAMMA, MAX_GAMMA)] + [(None, None)] * n_classes
    start = np.concatenate([[1.0], np.zeros(n_classes)])
    best = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return float(best[0]), best[1:]


def fit_slopes(log_p: F64, codes: NDArray[np.intp]) -> tuple[F64, F64]:
    """γ s and the offsets; `log_p` is log(C p̃). Two classes have one γ."""
    gamma, offsets = fit_temperature(log_p, codes)
    n_classes = log_p.shape[1]
    if n_classes == 2:
        return np.full(2, gamma), offsets
    happened = np.eye(n_classes)[codes]

    def loss(parameters: F64) -> tuple[float, F64]:
        log_slopes, offsets = np.split(parameters, 2)
        powers = gamma * np.exp(log_slopes)
        p = recalibrated(log_p, powers, offsets)
        fit = -np.log(p[np.arange(len(codes)), codes]).sum()
        penalty = (log_slopes**2).sum() / (2 * SD_LOG_SLOPE**2)
        penalty += (offsets**2).sum() / (2 * SD_OFFSET**2)
        slopes = powers * ((p - happened) * log_p).sum(axis=0) + log_slopes / SD_LOG_SLOPE**2
        shifts = (p - happened).sum(axis=0) + offsets / SD_OFFSET**2
        return fit + penalty, np.concatenate([slopes, shifts])

    inside = (np.log(MIN_GAMMA / gamma), np.log(MAX_GAMMA / gamma))
    bounds = [inside] * n_classes + [(None, None)] * n_classes
    start = np.concatenate([np.zeros(n_classes), offsets])
    best = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return gamma * np.exp(best[:n_classes]), best[n_classes:]


def fit_scale(residual: F64, variance: F64) -> tuple[float, float]:
    """u and v of s² = u + v·variance; rows of large variance count less, for theirs is noisier."""
    weight = 1 / (variance + variance.mean())
    design = np.column_stack([np.ones_like(variance), variance]) * weight[:, None]
    (u, v), _ = nnls(design, residual**2 * weight)
    return (u, v) if u + v > 0 else (float(np.mean(residual**2)), 0.0)


def order_statistics(scores: F64, coverage: float) -> tuple[float, float]:
    """The scores of ranks (n + 1)(1 ∓ coverage)/2, rounded outwards (at most the extremes)."""
    n_scores = len(scores)
    tail = (1 - coverage) / 2
    low = max(int(np.floor((n_scores + 1) * tail + TINY)), 1)
    high = min(int(np.ceil((n_scores + 1) * (1 - tail) - TINY)), n_scores)
    ordered = np.sort(scores)
    return float(ordered[low - 1]), float(ordered[high - 1])
