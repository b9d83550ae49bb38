"""How good a forest of prior trees is at each power β of the marginal likelihood."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.parameters import parameter_error
from bayeswood.methods.safe_bayes.class_posterior import ClassPosterior
from bayeswood.methods.safe_bayes.pool_classes import (
    best_sharpness,
    class_shares,
    evidence_pool,
    normalised_weights,
)

F64 = NDArray[np.float64]

# So many powers are all of 1/N .. 1 on small data; beyond they thin out towards 1.
_MOST_POWERS = 200


@dataclass(frozen=True, eq=False)
class OperatingCurve:
    """Quality over β = m/N (Quadrianto and Ghahramani 2015, §4 and Figure 4).

    Attributes
    ----------
    power : ndarray, (n_powers,)
        β, ascending; the last is 1, Bayesian model averaging.
    accuracy : ndarray, (n_powers,)
        Share of rows whose most probable class is theirs.
    log_probability : ndarray, (n_powers,)
        Mean log probability of the rows' classes.
    on : str
        "train", "loo" or "given": the rows it was measured on.
    """

    power: F64
    accuracy: F64
    log_probability: F64
    on: str

    def best_power(self, by: str = "log_probability") -> float:
        """The β of the highest point; of equals the smallest.

        Parameters
        ----------
        by : {"log_probability", "accuracy"}, default="log_probability"

        Returns
        -------
        float
        """
        if by not in ("log_probability", "accuracy"):
            words = "one of 'log_probability', 'accuracy'"
            raise parameter_error("by", "OperatingCurve.best_power", words, by)
        return float(self.power[int(np.argmax(getattr(self, by)))])


def power_grid(n_rows: int) -> F64:
    """β = m/N for whole m: all of them, or 200 that thin out towards 1.

    Examples
    --------
    >>> power_grid(4)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    if n_rows <= _MOST_POWERS:
        return np.arange(1, n_rows + 1) / max(n_rows, 1)
    spread = np.geomspace(1, n_rows, _MOST_POWERS)
    return np.unique(np.concatenate([np.round(spread), np.arange(1, 11)])) / n_rows


@dataclass(frozen=True, eq=False)
class CurveRows:
    """The rows a curve is measured on, and what each member says of them.

    Attributes
    ----------
    draws : ndarray, (n_members, n_rows, n_classes)
        Class probabilities of every member.
    log_evidence : ndarray, (n_members,) or (n_members, n_rows)
        Of the members; for each row if the row was left out.
    class_rows : ndarray, (n_classes,) or (n_rows, n_classes)
        Rows of each class; without the row if it was left out.
    y : ndarray of int32, (n_rows,)
        Classes.
    times : ndarray, (n_rows,)
        How often each row counts.
    on : str
        What rows they are.
    """

    draws: F64
    log_evidence: F64
    class_rows: NDArray[np.int64]
    y: NDArray[np.int32]
    times: F64
    on: str


def measure_curve(members: ClassPosterior, rows: CurveRows, powers: F64) -> OperatingCurve:
    """Pool what the members say at each power, and compare with the truth.

    Evidence pooling fits its sharpness γ at each power anew, to the rows of the reservoir left out:
    at β the curve is that of a forest fitted with ``power=β``.
    """
    sharpness = _sharpness_at(members, rows) if members.model.pooling == "evidence" else None
    share = rows.times / rows.times.sum()
    pool = _Pool(members, rows)
    points = []
    for power in powers:
        pooled = pool.at(power)
        if sharpness is not None:
            pooled = evidence_pool(pooled, pool.log_shares, sharpness(power))
        right = np.argmax(pooled, axis=1) == rows.y
        own = pooled[np.arange(len(rows.y)), rows.y]
        points.append((float(share @ right), float(share @ np.log(own))))
    accuracy, log_probability = np.array(points).T
    return OperatingCurve(powers, accuracy, log_probability, rows.on)


class _Pool:
    """What the members say of rows, averaged with the weights of any power."""

    def __init__(self, members: ClassPosterior, rows: CurveRows) -> None:
        self._values = np.log(rows.draws) if members.model.pooling == "evidence" else rows.draws
        self._log_evidence = rows.log_evidence
        # Where β follows from the number of rows, a forest without one has a little more of it.
        has_fewer = rows.log_evidence.ndim == 2 and members.model.power is None
        self._factor = members.n_rows / max(members.n_rows - 1, 1) if has_fewer else 1.0
        log_shares = np.log(class_shares(rows.class_rows, members.model.alphas))
        self.log_shares = np.broadcast_to(log_shares, rows.draws.shape[1:])

    def at(self, power: float) -> F64:
        """The averages at a power, (n_rows, n_classes)."""
        weights = normalised_weights(self._log_evidence, min(1.0, power * self._factor))
        subscripts = "k,knc->nc" if weights.ndim == 1 else "kn,knc->nc"
        pooled: F64 = np.einsum(subscripts, weights, self._values)
        return pooled


def _sharpness_at(members: ClassPosterior, rows: CurveRows) -> Callable[[float], float]:
    """γ as a function of the power."""
    kept = members.reservoir
    if not kept.n_kept:
        return lambda power: 1.0
    if rows.on != "loo":
        rows = left_out_rows(members, kept.X, kept.y, kept.copies.astype(np.float64))
    pool = _Pool(members, rows)
    return lambda power: best_sharpness(pool.at(power), pool.log_shares, rows.y, rows.times)


def left_out_rows(
    members: ClassPosterior, X: NDArray[np.float64], y: NDArray[np.int32], times: F64
) -> CurveRows:
    """Rows that the members saw, each left out in turn."""
    blocks = [block for _, block in members.members_left_out(X, y)]
    draws = np.concatenate(blocks, axis=1)
    own = np.take_along_axis(draws, y[None, :, None].astype(np.intp), axis=2)[:, :, 0]
    others = members.class_rows[None, :] - (y[:, None] == np.arange(members.n_classes))
    log_evidence = members.log_evidence[:, None] - np.log(own)
    return CurveRows(draws, log_evidence, others, y, times, "loo")
