"""Making one prediction of many trees: linear pooling, and pooling of evidence.

Members k have weights w_k, proportional to (marginal likelihood)^β, and class probabilities p_k(c).

- Power pooling (Quadrianto and Ghahramani 2015, Algorithm 2, normalised): p(c) = Σ_k w_k p_k(c).
- Evidence pooling: with the class shares π_c = (n_c + α) / (N + C α),

      log p(c) = log π_c + γ Σ_k w_k log[p_k(c) / π_c] − log Z.

  γ, the sharpness, maximises the log probability of rows left out, under log γ ~ N(0, 2²): the
  trees are individually weak, and how much their agreement is worth only data can tell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

F64 = NDArray[np.float64]

#: Of the prior on log γ.
LOG_SHARPNESS_SD = 2.0
#: Where γ is looked for; beyond, its prior forbids it anyway.
LOG_SHARPNESS_RANGE = (-7.0, 7.0)


def class_shares(n_rows: NDArray[np.int64], alpha: float) -> F64:
    """π_c = (n_c + α) / (N + C α), over the last axis."""
    shares: F64 = (n_rows + alpha) / (n_rows.sum(axis=-1, keepdims=True) + alpha * n_rows.shape[-1])
    return shares


def normalised_weights(log_evidence: F64, power: float | F64) -> F64:
    """Weights proportional to exp(power · log_evidence), over the first axis.

    Examples
    --------
    >>> import numpy as np
    >>> normalised_weights(np.log([1.0, 9.0]), 0.5)
    array([0.25, 0.75])
    """
    logs = power * log_evidence
    weights: F64 = np.exp(logs - logs.max(axis=0))
    weights /= weights.sum(axis=0)
    return weights


def evidence_pool(mean_log: F64, log_shares: F64, sharpness: float) -> F64:
    """Class probabilities from Σ_k w_k log p_k(c), (n_rows, n_classes)."""
    logits = (1.0 - sharpness) * log_shares + sharpness * mean_log
    logits -= logits.max(axis=1, keepdims=True)
    probability: F64 = np.exp(logits)
    probability /= probability.sum(axis=1, keepdims=True)
    return probability


def best_sharpness(mean_log: F64, log_shares: F64, y: NDArray[np.int32], times: F64) -> float:
    """The γ of the greatest log probability of the responses, under its weak prior.

    Parameters
    ----------
    mean_log : ndarray, (n_rows, n_classes)
        Σ_k w_k log p_k(c) with the row left out.
    log_shares : ndarray, (n_rows, n_classes)
        log π_c with the row left out.
    y : ndarray of int32, (n_rows,)
        Classes.
    times : ndarray, (n_rows,)
        How often each row counts.

    Notes
    -----
    The log probability is concave in γ, a single number; the search is over log γ.
    """
    if not len(y) or mean_log.shape[1] < 2:
        return 1.0
    lean = mean_log - log_shares
    rows = np.arange(len(y))
    own_lean, own_share = lean[rows, y], log_shares[rows, y]

    def loss(log_sharpness: float) -> float:
        sharpness = np.exp(log_sharpness)
        logits = log_shares + sharpness * lean
        top = logits.max(axis=1)
        log_z = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
        gain = times @ (own_share + sharpness * own_lean - log_z)
        return float(0.5 * (log_sharpness / LOG_SHARPNESS_SD) ** 2 - gain)

    found = minimize_scalar(
        loss, bounds=LOG_SHARPNESS_RANGE, method="bounded", options={"xatol": 1e-9}
    )
    return float(np.exp(found.x))


@dataclass(frozen=True)
class LeftOut:
    """Predictions of rows by a forest that did without them, before they are sharpened.

    Attributes
    ----------
    pooled : ndarray, (n_rows, n_classes)
        Σ_k w_k log p_k(c) for evidence pooling, Σ_k w_k p_k(c) for power pooling.
    log_shares : ndarray, (n_rows, n_classes)
        log π_c without the row.
    """

    pooled: F64
    log_shares: F64


def pool_left_out(
    members: F64, y: NDArray[np.int32], log_evidence: F64, power: float, logarithmic: bool
) -> F64:
    """Pool members' predictions of rows that each was left out of.

    Parameters
    ----------
    members : ndarray, (n_members, n_rows, n_classes)
        Class probabilities with the row left out.
    y : ndarray of int32, (n_rows,)
        Classes of the rows.
    log_evidence : ndarray, (n_members,)
        With all rows; without the row it is smaller by log p_k(y).
    power : float
        β without the row.
    logarithmic : bool
        Whether logarithms are pooled.

    Returns
    -------
    ndarray, (n_rows, n_classes)
    """
    own = np.take_along_axis(members, y[None, :, None].astype(np.intp), axis=2)[:, :, 0]
    weights = normalised_weights(log_evidence[:, None] - np.log(own), power)
    values = np.log(members) if logarithmic else members
    pooled: F64 = np.einsum("kn,knc->nc", weights, values)
    return pooled
