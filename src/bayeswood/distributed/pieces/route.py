"""Which branch each row belongs to: the trunk as a sorting function (section 5 of the paper)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest
from bayeswood.forest.tree import LEAF


def route(trunk: Forest, X: NDArray[Any], n_jobs: int = 1) -> NDArray[np.int32]:
    """Branch of each row.

    Parameters
    ----------
    trunk : Forest
        Of one tree.
    X : ndarray, (n_rows, n_features)
        Rows in the encoding of the trunk, float32 or float64.
    n_jobs : int, default=1
        Threads.

    Returns
    -------
    ndarray of int32, (n_rows,)
        Numbers of the trunk's leaves in node order.
    """
    is_leaf = trunk.core.tree(0)["feature"] == LEAF
    number = np.cumsum(is_leaf, dtype=np.int32) - np.int32(1)
    branch: NDArray[np.int32] = number[trunk.core.apply(X, n_jobs)[:, 0]]
    return branch


def branch_rows(branch: NDArray[np.int32], n_branches: int) -> list[NDArray[np.int32]]:
    """The rows of each branch, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> branch_rows(np.array([1, 0, 1], dtype=np.int32), 2)
    [array([1], dtype=int32), array([0, 2], dtype=int32)]
    """
    order = np.argsort(branch, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(branch, minlength=n_branches))
    return np.split(order, ends[:-1])
