"""Estimators around trees that were read from elsewhere."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest
from bayeswood.methods.adopted.adopted_forest import (
    AdoptedClassifier,
    AdoptedLabels,
    AdoptedRegressor,
)
from bayeswood.methods.adopted.linked_trees import LinkedTree, linked_forest
from bayeswood.methods.base.forest_estimator import ForestEstimator, fitted_attributes, hand_over
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parts import ClassLabels, ResponseShape
from bayeswood.table import Column, Schema
from bayeswood.table.schema import generated_names

F64 = NDArray[np.float64]


def adopt(
    theirs: Any, forest: Forest, importances: F64, link: str
) -> AdoptedClassifier | AdoptedRegressor:
    """A fitted estimator of ours.

    Parameters
    ----------
    theirs : estimator
        In scikit-learn's idiom: classes, number and names of features.
    forest : Forest
        Its trees.
    importances : ndarray, (n_members, n_features)
    link : str
        As of `AdoptedClassifier`.
    """
    source = f"{type(theirs).__module__.split('.')[0]}'s {type(theirs).__name__}"
    found: AdoptedClassifier | AdoptedRegressor
    target: ClassLabels | ResponseShape
    if hasattr(theirs, "classes_"):
        found = AdoptedClassifier(source, link=link)
        target = AdoptedLabels(np.asarray(theirs.classes_))
    else:
        found, target = AdoptedRegressor(source), ResponseShape(forest.n_outputs == 1)
    _hand_over(found, theirs, GrownForest(forest, importances, 0), target)
    return found


def _hand_over(
    found: ForestEstimator, theirs: Any, grown: GrownForest, target: ClassLabels | ResponseShape
) -> None:
    names = getattr(theirs, "feature_names_in_", None)
    called = generated_names(theirs.n_features_in_) if names is None else tuple(map(str, names))
    schema = Schema(tuple(Column(name, "numeric") for name in called), named=names is not None)
    predictive = found._predictive_kind()()
    hand_over(found, fitted_attributes(schema, grown, predictive, target))


def adopt_sums(
    theirs: Any,
    start: F64,
    stages: Sequence[Sequence[LinkedTree]],
    importances: F64,
    factor: float = 1.0,
) -> AdoptedClassifier | AdoptedRegressor:
    """The same of boosting: one member, the sum of all trees and of what it starts from.

    Parameters
    ----------
    theirs : estimator
        As of `adopt`.
    start : ndarray, (n_scores,)
        One score for two classes, the log odds of the second; else one for each class.
    stages : sequence of sequences of LinkedTree
        In each stage a tree for each score, with one value in a leaf.
    importances : ndarray, (n_features,)
    factor : float
        Of all scores.
    """
    is_classifier = hasattr(theirs, "classes_")
    width = max(2, len(start)) if is_classifier else 1
    first = width - len(start)
    trees = [LinkedTree.of_leaf(np.append(np.zeros(first), factor * start))]
    for stage in stages:
        for place, tree in enumerate(stage, start=first):
            value = np.zeros((len(tree.value), width))
            value[:, place] = factor * tree.value[:, 0]
            trees.append(replace(tree, value=value))
    core = linked_forest(trees, theirs.n_features_in_, is_classifier=False)
    whole = Forest(core, trees_per_member=len(trees))
    return adopt(theirs, whole, importances.reshape(1, -1), link="logit")
