"""The Dirichlet prior of a leaf's class probabilities: one α for all classes, or one for each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]


def class_alphas(alpha: Any, n_classes: int, owner: str, *, zero: bool = False) -> F64:
    """α_c of each class.

    Parameters
    ----------
    alpha : float or array-like, (n_classes,)
        The `dirichlet_alpha` of its owner, per class.
    n_classes : int
    owner : str
        Whose parameter it is, for the error.
    zero : bool, default=False
        Whether 0 is allowed.

    Examples
    --------
    >>> class_alphas(0.5, 3, "weigh_trees"), class_alphas([1, 2, 0.5], 3, "weigh_trees")
    (array([0.5, 0.5, 0.5]), array([1. , 2. , 0.5]))
    """
    try:
        given = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty((0, 0))
    if given.shape in ((), (n_classes,)):
        alphas = np.full(n_classes, given) if given.ndim == 0 else given.copy()
        if np.isfinite(alphas).all() and bool((alphas >= 0 if zero else alphas > 0).all()):
            return alphas
    wanted = "number that is not negative" if zero else "positive number"
    raise BayeswoodError(
        f"The 'dirichlet_alpha' parameter of {owner} must be a {wanted}, or a list of "
        f"such, one for each of {n_classes} classes in their order. Got {alpha!r} instead."
    )


def total_alpha(alphas: F64) -> float:
    """Σ_c α_c, as the core sums it.

    Examples
    --------
    >>> total_alpha(np.array([0.5, 0.5])), total_alpha(np.array([1.0, 2.0, 0.5]))
    (1.0, 3.5)
    """
    if bool((alphas == alphas[0]).all()):
        return float(alphas[0]) * len(alphas)
    return float(np.cumsum(alphas)[-1])
