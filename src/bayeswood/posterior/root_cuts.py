"""How many different cuts do the members begin with?

The first cut divides everything below it, and a sampler that grows trees from the root down decides
about it first: whatever is drawn anew later, no other first cut comes back. So the number of
distinct cuts of the root is the first to show how few ancestors a set of trees has.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Tree
from bayeswood.posterior.splits import forest_of

F64 = NDArray[np.float64]


def root_cut_shares(model: Any) -> F64:
    """Weights of the distinct cuts of the root.

    Parameters
    ----------
    model : fitted bayeswood estimator, or Forest

    Returns
    -------
    ndarray, (n_cuts,)
        Largest first; they sum to 1. Roots that are not split count as one cut.

    Notes
    -----
    Two cuts are the same if they ask for the same feature and divide the training rows alike:
    thresholds may differ between two neighbouring values. The effective number of cuts is
    1 / Σ share².

    Examples
    --------
    >>> from bayeswood.forest import Forest
    >>> from bayeswood.posterior import root_cut_shares
    >>> few, many = {"counts": [3, 0]}, {"counts": [2, 5]}
    >>> trees = [(0, 1.0, few, many), (0, 1.5, few, many), (0, 9.0, many, few), {"counts": [5, 5]}]
    >>> root_cut_shares(Forest.from_nested(trees, log_weights=[0.0, 0.0, 0.0, 0.0])).tolist()
    [0.5, 0.25, 0.25]
    """
    forest = forest_of(model, "root_cut_shares").apart()
    shares: dict[tuple[Any, ...], float] = {}
    for number in np.flatnonzero(forest.weights > 0).tolist():
        cut = _root_cut(forest.trees[number])
        shares[cut] = shares.get(cut, 0.0) + float(forest.weights[number])
    found = np.sort(np.array(list(shares.values())))[::-1]
    normalised: F64 = found / found.sum()
    return normalised


def effective_number(shares: F64) -> float:
    """How many equal shares would be as diverse: 1 / Σ share²."""
    return float(1 / np.sum(shares**2))


def _root_cut(tree: Tree) -> tuple[Any, ...]:
    """What tells first cuts apart; of a number, the rows that go left tell its neighbours."""
    if tree.feature[0] < 0:
        return ()
    levels = tree.left_levels(0).tolist() if tree.is_category_split(0) else ()
    n_left = int(tree.n_samples[tree.left[0]])
    return int(tree.feature[0]), int(tree.missing_left[0]), n_left, *levels
