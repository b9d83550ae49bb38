"""Making one prediction of many trees: linear pooling, and pooling of evidence.

Members k have weights w_k, proportional to (marginal likelihood)^β, and class probabilities p_k(c).

- Power pooling (Quadrianto and Ghahramani 2015, Algorithm 2, normalised): p(c) = Σ_k w_k p_k(c).
- Evidence pooling: with the class shares π_c = (n_c + α_c) / (N + Σ α),

      log p(c) = log π_c + γ Σ_k w_k log[p_k(c) / π_c] − log Z.

  γ, the sharpness, maximises the log probability of rows left out, under log γ ~ N(0, 2²): the
  trees are individually weak, and how much their agreement is worth only data can tell.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import Additive, AdditivePart
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.forest.class_prior import total_alpha
from bayeswood.forest.leaf_values import with_leaf_values
from bayeswood.methods.base.predictive import (
    Arrays,
    ClassPredictive,
    plain_leaf_prior,
    read_leaf_prior,
)
from bayeswood.methods.base.saved_state import read_array, read_scalar
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.uncertainty import Uncertainty

F64 = NDArray[np.float64]

#: Of the prior on log γ.
LOG_SHARPNESS_SD = 2.0
#: Where γ is looked for; beyond, its prior forbids it anyway.
LOG_SHARPNESS_RANGE = (-7.0, 7.0)


def class_shares(n_rows: NDArray[np.int64], alphas: F64) -> F64:
    """π_c = (n_c + α_c) / (N + Σ α), over the last axis."""
    whole = n_rows.sum(axis=-1, keepdims=True) + total_alpha(alphas)
    shares: F64 = (n_rows + alphas) / whole
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

    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        loss, bounds=LOG_SHARPNESS_RANGE, method="bounded", options={"xatol": 1e-9}
    )
    return float(np.exp(found.x))


@dataclass(frozen=True, eq=False)
class EvidencePool(ClassPredictive):
    """The members' evidence, pooled and sharpened.

    Attributes
    ----------
    log_shares : ndarray, (n_classes,)
        log π_c.
    sharpness : float
        γ.
    leaf_prior : ndarray, (n_classes,), or None
        As in `ClassPredictive`.
    """

    log_shares: F64
    sharpness: float
    leaf_prior: F64 | None = None

    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """From Σ_k w_k log p_k(c), which a forest of logarithms gives."""
        mean_log = self._logarithms(forest).predict(rows, n_jobs)
        return evidence_pool(mean_log, self.log_shares, self.sharpness)

    def additive(self, forest: Forest) -> Additive:
        """Σ_k w_k log p_k(c), and the pool of it."""
        part = AdditivePart(self._logarithms(forest))
        factor = np.full(len(self.log_shares), self.sharpness)
        offset = (1.0 - self.sharpness) * self.log_shares
        steps = {"op": "affine", "factor": factor, "offset": offset}, {"op": "softmax"}
        return Additive((part,), self._pool, "mean log probability", steps)

    def _pool(self, mean_log: F64) -> F64:
        return evidence_pool(mean_log, self.log_shares, self.sharpness)

    def _logarithms(self, forest: Forest) -> Forest:
        """The same trees with log p in their leaves; made once for a forest."""
        made = self.__dict__.get("_made")
        if made is None or made[0] is not forest.core:
            values = LeafTable.of(forest).value
            made = (forest.core, with_leaf_values(forest, np.log(values)))
            self.__dict__["_made"] = made
        logarithms: Forest = made[1]
        return logarithms

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_made"}

    def entropy_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Entropy of the pool; knowledge is that of the members, but no more than the total."""
        from scipy.special import entr

        total = np.maximum(entr(self.probabilities(forest, rows, n_jobs)).sum(axis=1), 0.0)
        members = super().entropy_parts(forest, rows, n_jobs)
        knowledge = np.minimum(members.knowledge, total)
        return Uncertainty(total, total - knowledge, knowledge)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Class shares, γ and α."""
        return {
            "log_shares": self.log_shares,
            "sharpness": np.array(self.sharpness),
            **(plain_leaf_prior(self.leaf_prior) or {"leaf_prior": np.array(0.0)}),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "EvidencePool":
        """Checked; γ is positive."""
        log_shares = read_array(arrays, "log_shares", (forest.n_outputs,))
        sharpness = read_scalar(arrays, "sharpness", float)
        if not sharpness > 0:
            raise BayeswoodError("The model file holds a 'sharpness' out of range.")
        return cls(log_shares, sharpness, read_leaf_prior(arrays, forest.n_outputs))


@dataclass(frozen=True)
class LeaveOneOutPool:
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
