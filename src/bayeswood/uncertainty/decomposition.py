"""Total uncertainty = uncertainty in the data + uncertainty for want of knowledge.

With members m of weight w_m (a posterior sample of trees):

classification, entropies H in nats
    H(sum_m w_m p_m)  =  sum_m w_m H(p_m)  +  mutual information of class and member
regression, the law of total variance
    Var(y)            =  E_m[Var(y | m)]   +  Var_m(E[y | m])

The first term on the right, *data* (aleatoric), stays however many rows are added; the second,
*knowledge* (epistemic), is what more rows would remove.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


class Uncertainty(NamedTuple):
    """Uncertainty per row and where it comes from; ``total = data + knowledge``, none negative."""

    total: F64
    data: F64
    knowledge: F64


def split_entropy(draws: F64, weights: F64) -> Uncertainty:
    """Split the entropy of the averaged class probabilities, in nats.

    Parameters
    ----------
    draws : ndarray, (n_members, n_rows, n_classes)
        Class probabilities of every member.
    weights : ndarray, (n_members,)
        Non-negative, summing to 1.

    Examples
    --------
    Two members that are sure of different classes: all of it is want of knowledge.

    >>> import numpy as np
    >>> split = split_entropy(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]), np.full(2, 0.5))
    >>> split.total.round(4), split.data, split.knowledge.round(4)
    (array([0.6931]), array([0.]), array([0.6931]))
    """
    mean = np.tensordot(weights, draws, axes=1)
    from scipy.special import entr

    total = entr(mean).sum(axis=-1)
    within = weights @ entr(draws).sum(axis=-1)
    # Rounding can take a probability past 1, whose entropy is negative, and the mean of the
    # entropies past the entropy of the mean, which Jensen's inequality forbids.
    total = np.maximum(total, 0.0)
    data = np.clip(within, 0.0, total)
    return Uncertainty(total, data, total - data)


def split_variance(draws: F64, weights: F64, data: F64) -> Uncertainty:
    """Split the variance of the response by the law of total variance.

    Parameters
    ----------
    draws : ndarray, (n_members, n_rows, ...)
        Mean response by every member.
    weights : ndarray, (n_members,)
        Non-negative, summing to 1.
    data : ndarray, (n_rows, ...)
        Variance of the response within a member's leaf, averaged over members.
    """
    knowledge = member_variance(draws, weights)
    return Uncertainty(data + knowledge, data, knowledge)


def member_variance(draws: F64, weights: F64) -> F64:
    """Variance over members; in two passes, so never negative."""
    mean = np.tensordot(weights, draws, axes=1)
    # Identical members have variance 0, whatever the rounding of their mean.
    same = draws.min(axis=0) == draws.max(axis=0)
    spread: F64 = np.where(same, 0.0, np.tensordot(weights, (draws - mean) ** 2, axes=1))
    return spread
