"""Estimators around trees that were read from elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
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
from bayeswood.methods.base.forest_estimator import fitted_attributes, hand_over
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parts import ClassLabels, ResponseShape
from bayeswood.table import Column, Schema
from bayeswood.table.schema import Level, generated_names

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Origin:
    """What is known of an adopted forest besides its trees.

    Attributes
    ----------
    source : str
        Library and class.
    classes : ndarray or None
        Labels; None for numbers.
    schema : Schema
        The columns that it was fitted to.
    """

    source: str
    classes: NDArray[Any] | None
    schema: Schema

    @classmethod
    def of(cls, theirs: Any, levels: Sequence[Sequence[Level]] | None = None) -> "Origin":
        """From an estimator in scikit-learn's idiom; levels of each column, sorted."""
        names = getattr(theirs, "feature_names_in_", None)
        classes = getattr(theirs, "classes_", None)
        schema = named_columns(names, levels or [()] * theirs.n_features_in_)
        return cls(source_of(theirs), None if classes is None else np.asarray(classes), schema)


def source_of(theirs: Any) -> str:
    """Library and class, in words."""
    return f"{type(theirs).__module__.split('.')[0]}'s {type(theirs).__name__}"


def named_columns(names: Any, levels: Sequence[Sequence[Level]]) -> Schema:
    """Columns of numbers where there are no levels; made-up names for None.

    Examples
    --------
    >>> named_columns(None, [(), ("a", "b")]).columns[1]
    Column(name='x1', kind='category', levels=('a', 'b'))
    """
    called = generated_names(len(levels)) if names is None else tuple(map(str, names))
    columns = (
        Column(name, "category" if held else "numeric", tuple(held))
        for name, held in zip(called, levels, strict=True)
    )
    return Schema(tuple(columns), named=names is not None)


def adopt(
    origin: Origin, forest: Forest, importances: F64, link: str
) -> AdoptedClassifier | AdoptedRegressor:
    """A fitted estimator of ours.

    Parameters
    ----------
    origin : Origin
        Where the trees come from.
    forest : Forest
        Its trees.
    importances : ndarray, (n_members, n_features)
    link : str
        As of `AdoptedClassifier`.
    """
    found: AdoptedClassifier | AdoptedRegressor
    target: ClassLabels | ResponseShape
    if origin.classes is not None:
        found = AdoptedClassifier(origin.source, link=link)
        target = AdoptedLabels(origin.classes)
    else:
        found, target = AdoptedRegressor(origin.source), ResponseShape(forest.n_outputs == 1)
    grown, predictive = GrownForest(forest, importances, 0), found._predictive_kind()()
    hand_over(found, fitted_attributes(origin.schema, grown, predictive, target))
    return found


def adopt_sums(
    origin: Origin,
    start: F64,
    trees: Sequence[LinkedTree],
    importances: F64,
    *,
    factor: float = 1.0,
    places: Sequence[int] | None = None,
) -> AdoptedClassifier | AdoptedRegressor:
    """The same of boosting: one member, the sum of all trees and of what it starts from.

    Parameters
    ----------
    origin : Origin
        As of `adopt`.
    start : ndarray, (n_scores,)
        One score for two classes, the log odds of the second; else one for each class or response.
    trees : sequence of LinkedTree
        With one value in a leaf, or with all scores.
    importances : ndarray, (n_features,)
    factor : float
        Of all scores.
    places : sequence of int, default=None
        Score that each tree speaks of; None: in turn.
    """
    width = max(2, len(start)) if origin.classes is not None else len(start)
    first = width - len(start)
    added = [LinkedTree.of_leaf(np.append(np.zeros(first), factor * start))]
    for place, tree in zip(places or cycle(range(len(start))), trees, strict=False):
        value = np.zeros((len(tree.value), width))
        value[:, first + place :][:, : tree.value.shape[1]] = factor * tree.value
        added.append(replace(tree, value=value))
    core = linked_forest(added, origin.schema.n_levels, is_classifier=False)
    whole = Forest(core, trees_per_member=len(added))
    return adopt(origin, whole, importances.reshape(1, -1), link="logit")


def adopt_means(
    origin: Origin, start: F64, trees: Sequence[LinkedTree], importances: F64
) -> AdoptedRegressor:
    """A regressor whose answer is `start` and the mean of its trees: a member for each tree.

    Parameters
    ----------
    origin : Origin
        As of `adopt`.
    start : ndarray, (n_responses,)
        What is added to the mean.
    trees : sequence of LinkedTree
    importances : ndarray, (n_trees, n_features)
    """
    shifted = [replace(tree, value=start + tree.value) for tree in trees]
    core = linked_forest(shifted, origin.schema.n_levels, is_classifier=False)
    found = adopt(origin, Forest(core), importances, link="average")
    assert isinstance(found, AdoptedRegressor)
    return found
