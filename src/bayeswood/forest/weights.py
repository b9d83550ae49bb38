"""Weights of a forest's members, kept as logarithms."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]


def checked_weights(log_weights: ArrayLike, n_members: int) -> tuple[F64, F64]:
    """The log-weights, one per member, and weights of sum 1; ``-inf`` leaves a member out.

    Both are copies that cannot be written to.

    Raises
    ------
    BayeswoodError
        If their number is not `n_members`, one is NaN or ``+inf``, or all are ``-inf``.
    """
    checked = np.array(log_weights, dtype=np.float64)
    if checked.shape != (n_members,):
        raise BayeswoodError(
            f"A forest of {n_members} members needs {n_members} log-weights. "
            f"Got an array of shape {checked.shape} instead."
        )
    if np.isnan(checked).any() or np.isposinf(checked).any():
        raise BayeswoodError("The log-weights of a forest must not be NaN or +inf.")
    if n_members and np.isneginf(checked).all():
        raise BayeswoodError("At least one tree of a forest must have a positive weight.")
    weights = normalise(checked)
    checked.flags.writeable = weights.flags.writeable = False
    return checked, weights


def normalise(log_weights: F64) -> F64:
    """Weights proportional to ``exp(log_weights)`` that sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> normalise(np.log([1.0, 3.0]))
    array([0.25, 0.75])
    """
    if log_weights.size == 0:
        return log_weights.copy()
    scaled = np.exp(log_weights - log_weights.max())
    weights: F64 = scaled / scaled.sum()
    return weights
