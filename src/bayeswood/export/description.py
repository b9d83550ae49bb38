"""What is exported: trees, their weights, and what is made of their sums."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from bayeswood.attribution import Additive, AdditivePart
from bayeswood.errors import BayeswoodError
from bayeswood.export.flat_trees import FlatTrees
from bayeswood.export.steps import Step
from bayeswood.forest import Forest
from bayeswood.table import Schema, transform_table

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExportedPart:
    """share · normalised(Σ_m w_m steps(Σ_t tree_t)).

    Attributes
    ----------
    forest : Forest
        Members of `forest.trees_per_member` trees, and their weights w.
    share : float
        Of the part in the whole.
    steps : tuple of dict
        What is made of each member's sum.
    """

    forest: Forest
    share: float
    steps: tuple[Step, ...]

    @property
    def normalised(self) -> bool:
        """Whether class probabilities are brought to a sum of 1, for the weights' rounding."""
        return self.forest.is_classifier

    @cached_property
    def trees(self) -> FlatTrees:
        """With their own values."""
        return FlatTrees.of(self.forest)

    @cached_property
    def weighted_trees(self) -> FlatTrees:
        """Their values times their weights, so that the sum over all trees is the mean."""
        trees = self.trees.weighted(self.forest.tree_weights)
        return trees.merged() if self.forest.trees_per_member > 1 else trees


@dataclass(frozen=True, eq=False)
class Description:
    """answer = steps(Σ parts).

    Attributes
    ----------
    name : str
        Class of the estimator.
    schema : Schema
        Columns, their kinds and levels.
    classes : ndarray or None
        Labels, in the order of the outputs; None for numbers.
    parts : tuple of ExportedPart
    steps : tuple of dict
        What is made of the sum.
    n_outputs : int
        Classes, or responses.
    """

    name: str
    schema: Schema
    classes: NDArray[Any] | None
    parts: tuple[ExportedPart, ...]
    steps: tuple[Step, ...]
    n_outputs: int


def describe(model: Any) -> Description:
    """What there is to export of a fitted estimator.

    Parameters
    ----------
    model : estimator
        Fitted; of bayeswood.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import CalibratedForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CalibratedForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> [step["op"] for step in describe(model).steps]
    ['affine', 'log', 'affine', 'softmax']
    """
    name = type(model).__name__
    if not hasattr(model, "__sklearn_is_fitted__") or not hasattr(model, "forest_"):
        if hasattr(model, "fit") and hasattr(model, "_check_fitted"):
            raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' first.")
        raise BayeswoodError(
            "The 'model' parameter of an export must be a fitted estimator of bayeswood. "
            f"Got {name} instead."
        )
    additive: Additive = model.predictive_.additive(model.forest_)
    if additive.link is not None and not additive.steps:
        raise _refusal(name)
    classes = getattr(model, "classes_", None)
    parts = tuple(_part(part, name) for part in additive.parts)
    n_outputs = model.n_outputs_ if classes is None else len(classes)
    return Description(name, model.schema_, classes, parts, additive.steps, n_outputs)


def _part(part: AdditivePart, name: str) -> ExportedPart:
    if part.link is not None and not part.steps:
        raise _refusal(name)
    return ExportedPart(part.forest, part.share, part.steps)


def _refusal(name: str) -> BayeswoodError:
    return BayeswoodError(
        f"The answer of this {name} is not made of sums of trees by steps that can be exported."
    )


def encode(model: Any, X: Any) -> NDArray[Any]:
    """Rows as exported models take them.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : array-like or data frame, (n_rows, n_features)
        Rows, as `predict` takes them.

    Returns
    -------
    ndarray of float64, (n_rows, n_features)
        Numbers as they are, categories as the number of their level, NaN where a value is missing
        or a level was not seen in training.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayeswood import BayesianForestRegressor
    >>> table = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "b", "b", "a"]})
    >>> model = BayesianForestRegressor(2, random_state=0).fit(table, [1.0, 2.0, 3.0, 4.0])
    >>> encode(model, pd.DataFrame({"size": [1.5, None], "kind": ["b", "unheard of"]}))
    array([[1.5, 1. ],
           [nan, nan]])
    """
    rows = transform_table(X, model.schema_, estimator_name=type(model).__name__)
    return np.ascontiguousarray(rows, dtype=np.float64)
