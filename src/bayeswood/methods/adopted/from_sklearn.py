"""Fitted forests of scikit-learn as ours."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.adopted.adopt import Origin, adopt, adopt_sums
from bayeswood.methods.adopted.adopted_forest import AdoptedClassifier, AdoptedRegressor
from bayeswood.methods.adopted.linked_trees import LinkedTree, linked_forest
from bayeswood.methods.adopted.rounded_rows import widened

F64 = NDArray[np.float64]

_TREES = ("DecisionTree", "ExtraTree")
_AVERAGES = ("RandomForest", "ExtraTrees")
_SUMS = ("GradientBoosting", "HistGradientBoosting")
_SIDES = ("Classifier", "Regressor")


def from_sklearn(forest: Any) -> AdoptedClassifier | AdoptedRegressor:
    """Take a fitted forest of scikit-learn over.

    Parameters
    ----------
    forest : estimator
        A fitted ``RandomForest``, ``ExtraTrees``, ``DecisionTree``, ``ExtraTree``,
        ``GradientBoosting`` or ``HistGradientBoosting`` classifier or regressor of scikit-learn.

    Returns
    -------
    AdoptedClassifier or AdoptedRegressor
        With the same trees: predictions, draws, intervals of the mean, envelopes, Shapley values,
        pictures and files. The original is not changed and not needed any more.

    Notes
    -----
    scikit-learn rounds a row to float32 before it compares it with a threshold t. Here rows are
    compared as they are, with the largest float64 that is rounded to a float32 <= t. So every row
    goes the same way, whatever its type.

    A forest is as many members as it has trees. Gradient boosting is one member, the sum of its
    trees, so that it has no spread: intervals of the mean are points.

    Training rows do not come with a forest: `support`, and quantiles, intervals and variances of
    the response itself, are refused.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from bayeswood import UncertaintyEnvelope, from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = RandomForestClassifier(n_estimators=25, random_state=0).fit(X[::2], y[::2])
    >>> ours = from_sklearn(theirs)
    >>> bool(abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 1e-12)
    True
    >>> ours.forest_
    <Forest of 25 trees over 4 features>
    """
    family = _family(forest)
    check_is_fitted(forest)
    _check_outputs(forest)
    if family in _SUMS:
        return _adopted_sums(forest) if family == _SUMS[0] else _adopted_binned(forest)
    trees = [forest] if family in _TREES else list(forest.estimators_)
    return _adopted_average(forest, trees)


def _family(forest: Any) -> str:
    """The name of the class without its side."""
    name = type(forest).__name__
    for side in _SIDES:
        family = name.removesuffix(side)
        is_theirs = type(forest).__module__.startswith("sklearn.")
        if is_theirs and family != name and family in (*_TREES, *_AVERAGES, *_SUMS):
            return family
    raise BayeswoodError(
        "The 'forest' parameter of from_sklearn must be a fitted random forest, extra trees, "
        f"decision tree or gradient boosting of scikit-learn. Got {name} instead."
    )


def _check_outputs(forest: Any) -> None:
    if hasattr(forest, "classes_") and getattr(forest, "n_outputs_", 1) > 1:
        raise BayeswoodError(
            "from_sklearn takes classifiers of one response. Got one of "
            f"{forest.n_outputs_} responses."
        )


def _adopted_average(forest: Any, trees: Sequence[Any]) -> AdoptedClassifier | AdoptedRegressor:
    is_classifier = hasattr(forest, "classes_")
    values = [_class_shares(t) if is_classifier else _means(t) for t in trees]
    linked = [_linked(tree.tree_, value) for tree, value in zip(trees, values, strict=True)]
    origin = Origin.of(forest)
    core = linked_forest(linked, origin.schema.n_levels, is_classifier=is_classifier)
    importances = np.array([_importances(tree) for tree in trees])
    return adopt(origin, Forest(core), importances, link="average")


def _class_shares(tree: Any) -> F64:
    value = np.asarray(tree.tree_.value[:, 0, :], dtype=np.float64)
    shares: F64 = value / value.sum(axis=1, keepdims=True)
    return shares


def _means(tree: Any) -> F64:
    value: F64 = np.asarray(tree.tree_.value[:, :, 0], dtype=np.float64)
    return value


def _importances(tree: Any) -> F64:
    found: F64 = tree.tree_.compute_feature_importances(normalize=False)
    return found


def _linked(tree: Any, value: F64) -> LinkedTree:
    return LinkedTree(
        left=tree.children_left,
        right=tree.children_right,
        feature=tree.feature,
        threshold=widened(tree.threshold),
        missing_left=tree.missing_go_to_left,
        n_samples=tree.n_node_samples,
        weight=tree.weighted_n_node_samples,
        value=value,
    )


def _adopted_sums(forest: Any) -> AdoptedClassifier | AdoptedRegressor:
    if forest.init is not None and not isinstance(forest.init, str):
        raise BayeswoodError(
            "from_sklearn takes gradient boosting that starts from a constant. Got one with "
            f"init={forest.init!r}."
        )
    rate, stages = forest.learning_rate, forest.estimators_
    trees = [_linked(tree.tree_, rate * _means(tree)) for tree in stages.ravel()]
    # Of the exponential loss, scores are half of the log odds.
    factor = 2.0 if getattr(forest, "loss", "") == "exponential" else 1.0
    importances = np.sum([_importances(tree) for tree in stages.ravel()], axis=0)
    return adopt_sums(Origin.of(forest), _start(forest), trees, importances, factor=factor)


def _start(forest: Any) -> F64:
    """What the sums begin with: the scores of a row without what the trees say of it."""
    row = np.zeros((1, forest.n_features_in_), dtype=np.float32)
    stages = forest.estimators_
    added = [[tree.tree_.predict(row)[0, 0] for tree in stage] for stage in stages]
    ask = getattr(forest, "decision_function", forest.predict)
    names = getattr(forest, "feature_names_in_", None)
    scores = np.ravel(ask(row if names is None else _named(row, names)))
    start: F64 = scores - forest.learning_rate * np.sum(added, axis=0)
    return start


def _named(row: NDArray[Any], names: NDArray[Any]) -> Any:
    """A frame that has the names; a forest that was fitted to one knows pandas."""
    from pandas import DataFrame

    return DataFrame(row, columns=list(names))


def _adopted_binned(forest: Any) -> AdoptedClassifier | AdoptedRegressor:
    if forest.is_categorical_ is not None and np.any(forest.is_categorical_):
        raise BayeswoodError(
            "from_sklearn takes histogram gradient boosting of numbers. Got one with categories."
        )
    if forest.loss in ("poisson", "gamma"):
        raise BayeswoodError(
            "from_sklearn takes histogram gradient boosting whose sums are the response. Got one "
            f"with loss={forest.loss!r}, whose sums are its logarithm."
        )
    nodes = [one.nodes for stage in forest._predictors for one in stage]
    trees = [_linked_nodes(one) for one in nodes]
    gains = [
        tree.summed(one["gain"], forest.n_features_in_)
        for tree, one in zip(trees, nodes, strict=True)
    ]
    importances = np.sum(gains, axis=0)
    return adopt_sums(Origin.of(forest), np.ravel(forest._baseline_prediction), trees, importances)


def _linked_nodes(nodes: NDArray[Any]) -> LinkedTree:
    """These compare float64 as it is."""
    is_leaf = nodes["is_leaf"] != 0
    return LinkedTree(
        left=np.where(is_leaf, -1, nodes["left"].astype(np.int64)),
        right=np.where(is_leaf, -1, nodes["right"].astype(np.int64)),
        feature=nodes["feature_idx"],
        threshold=nodes["num_threshold"].astype(np.float64),
        missing_left=nodes["missing_go_to_left"],
        n_samples=nodes["count"],
        weight=nodes["count"],
        value=nodes["value"].astype(np.float64)[:, None],
    )
