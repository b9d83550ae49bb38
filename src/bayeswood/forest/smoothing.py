"""Smoothed class probabilities in the leaves."""

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest.forest import Forest


def smooth_classes(forest: Forest, alphas: NDArray[np.float64]) -> Forest:
    """The forest with α_c added to the weight of class c in every leaf.

    Parameters
    ----------
    forest : Forest
        Of a classifier.
    alphas : ndarray, (n_classes,)
        What is added; ones are Laplace's rule, zeros change nothing.

    Returns
    -------
    Forest
        Leaves of weight W hold (W_c + α_c) / (W + Σ α), for all classes: 12 bytes per leaf and
        class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BayesianForestClassifier(n_estimators=5, random_state=0).fit(X, y).forest_
    >>> smooth = smooth_classes(forest, np.ones(3))
    >>> float(forest.predict(X[:1]).min()), bool(smooth.predict(X).min() > 0)
    (0.0, True)
    """
    if not alphas.any():
        return forest
    arrays = forest.to_arrays()
    n_leaves, n_classes = len(arrays["leaf_n_entries"]), forest.n_outputs
    weight = arrays["leaf_weight"].astype(float)
    values = np.tile(alphas, (n_leaves, 1))
    leaf = np.repeat(np.arange(n_leaves), arrays["leaf_n_entries"])
    values[leaf, arrays["leaf_class"]] += arrays["leaf_value"] * weight[leaf]
    values /= values.sum(axis=1, keepdims=True)
    arrays["leaf_n_entries"] = np.full(n_leaves, n_classes, np.int32)
    arrays["leaf_class"] = np.tile(np.arange(n_classes, dtype=np.int32), n_leaves)
    arrays["leaf_value"] = values.ravel()
    return forest.with_trees(arrays)
