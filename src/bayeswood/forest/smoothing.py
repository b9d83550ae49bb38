"""Smoothed class probabilities in the leaves."""

import numpy as np

from bayeswood.forest.forest import Forest


def smooth_classes(forest: Forest, alpha: float) -> Forest:
    """The forest with alpha added to every class weight in every leaf.

    Parameters
    ----------
    forest : Forest
        Of a classifier.
    alpha : float
        Weight added to each of the C classes; 1 is Laplace's rule, 0 changes nothing.

    Returns
    -------
    Forest
        Leaves of weight W hold (W_c + alpha) / (W + C alpha), for all classes: 12 bytes per leaf
        and class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BayesianForestClassifier(n_estimators=5, random_state=0).fit(X, y).forest_
    >>> float(forest.predict(X[:1]).min()), bool(smooth_classes(forest, 1.0).predict(X).min() > 0)
    (0.0, True)
    """
    if alpha == 0:
        return forest
    arrays = forest.to_arrays()
    n_leaves, n_classes = len(arrays["leaf_n_entries"]), forest.n_outputs
    weight = arrays["leaf_weight"].astype(float)
    values = np.full((n_leaves, n_classes), alpha)
    leaf = np.repeat(np.arange(n_leaves), arrays["leaf_n_entries"])
    values[leaf, arrays["leaf_class"]] += arrays["leaf_value"] * weight[leaf]
    values /= values.sum(axis=1, keepdims=True)
    arrays["leaf_n_entries"] = np.full(n_leaves, n_classes, np.int32)
    arrays["leaf_class"] = np.tile(np.arange(n_classes, dtype=np.int32), n_leaves)
    arrays["leaf_value"] = values.ravel()
    return forest.with_trees(arrays)
