"""The same trees with other numbers in their leaves."""

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest.forest import Forest

F64 = NDArray[np.float64]


def with_leaf_values(forest: Forest, values: F64) -> Forest:
    """A forest of numbers: the same trees and weights, these values in the leaves.

    Parameters
    ----------
    forest : Forest
        Of classes or numbers.
    values : ndarray, (n_leaves in all, n_outputs)
        For the leaves in node order, tree after tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BayesianForestClassifier(n_estimators=5, random_state=0).fit(X, y).forest_
    >>> ones = np.ones((int(forest.n_leaves.sum()), 2))
    >>> with_leaf_values(forest, ones).predict(X[:1])
    array([[1., 1.]])
    """
    nothing = np.empty(0, dtype=np.int32)
    arrays = {
        **forest.core.to_arrays(),
        "is_classifier": False,
        "n_outputs": values.shape[1],
        "leaf_value": np.ascontiguousarray(values, dtype=np.float64).ravel(),
        "leaf_n_entries": nothing,
        "leaf_class": nothing,
        "leaf_rows": nothing,
    }
    return forest.with_trees(arrays)
