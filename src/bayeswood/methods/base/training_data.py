"""The training data of one fit: read, checked and encoded, once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table import (
    Schema,
    check_groups,
    check_response_size,
    check_weights,
    fit_class_target,
    fit_class_targets,
    fit_numeric_target,
    fit_table,
    scale_weights,
    warn_of_identifiers,
    whole_copies,
)

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """The response as the core takes it.

    Attributes
    ----------
    y : ndarray
        Class numbers, int32 (n_rows,), or responses, float64 (n_rows, n_outputs).
    classes : ndarray or None
        The classes the numbers stand for; None in regression.
    single_output : bool
        Whether there is one response, so that predictions have one dimension.
    blocks : tuple of ndarray
        The classes of each output where there are several: `y` then has a column of 0 and 1 for
        each class, those of the first output first. Σ y (1 − ȳ) of such columns is the Gini
        impurity, so that trees for numbers are joint trees for these outputs.
    """

    y: NDArray[Any]
    classes: NDArray[Any] | None
    single_output: bool
    blocks: tuple[NDArray[Any], ...] = ()

    def outputs(self) -> list[tuple[NDArray[np.intp], NDArray[Any]]]:
        """Class numbers and classes of each output."""
        if not self.blocks:
            return [(self.y.astype(np.intp), np.asarray(self.classes))]
        parts = split_blocks(self.y, self.blocks)
        return [(np.argmax(p, axis=1), c) for p, c in zip(parts, self.blocks, strict=True)]

    def take(self, rows: NDArray[Any]) -> "Target":
        """The responses of some rows, by number or by mask."""
        return replace(self, y=self.y[rows])


@dataclass(frozen=True)
class TableShape:
    """How large a table is: all that a trunk is planned by, be its rows in memory or not.

    Attributes
    ----------
    n_rows : int
        Rows that take part.
    n_levels : ndarray of int32, (n_features,)
        Levels of each category; 0 for numbers.
    n_classes : int
        Number of classes; 0 in regression.
    """

    n_rows: int
    n_levels: NDArray[np.int32]
    n_classes: int = 0


@dataclass(frozen=True)
class TrainingData:
    """What a method grows its trees from.

    Rows of weight 0 take no part: they are left out of `X`, `target` and `sample_weight`, so
    that a weight of 0 is the same as the absence of the row, to the bit.

    Attributes
    ----------
    X : ndarray, (n_rows, n_features)
        The encoded table.
    schema : Schema
        Names, kinds and levels of its columns.
    target : Target
        The response.
    sample_weight : ndarray, (n_rows,) or None
        Positive weights.
    given_rows : ndarray, (n_given, n_features)
        The encoded table with the rows of weight 0.
    taking_part : ndarray of bool, (n_given,)
        Which of the given rows are in `X`.
    row_groups : ndarray of int32, (n_rows,) or None
        Group of each row in `X`, 0, 1, ...; a tree leaves all rows of a group out, or none.
    n_rows : int
        Rows that take part.
    n_classes : int
        Number of classes; 0 in regression.
    """

    X: NDArray[Any]
    schema: Schema
    target: Target
    sample_weight: F64 | None
    given_rows: NDArray[Any]
    taking_part: NDArray[np.bool_]
    row_groups: NDArray[np.int32] | None = None
    n_rows: int = field(init=False)
    n_classes: int = field(init=False)

    def __post_init__(self) -> None:
        classes = self.target.classes
        object.__setattr__(self, "n_rows", int(self.X.shape[0]))
        object.__setattr__(self, "n_classes", 0 if classes is None else len(classes))

    @property
    def shape(self) -> TableShape:
        """How large the table is."""
        return TableShape(self.n_rows, self.schema.n_levels, self.n_classes)

    @property
    def total_weight(self) -> float:
        """Summed weight of the rows; their number where they have no weights."""
        return float(self.n_rows if self.sample_weight is None else self.sample_weight.sum())

    def take(self, rows: NDArray[Any]) -> "TrainingData":
        """Some of the rows that take part, by number or by mask."""
        X = self.X[rows]
        return TrainingData(
            X,
            self.schema,
            self.target.take(rows),
            _taken(self.sample_weight, rows),
            X,
            np.ones(len(X), dtype=np.bool_),
            _taken(self.row_groups, rows),
        )

    def copies(self, owner: str) -> NDArray[np.int32] | None:
        """Weights as numbers of copies, for methods that count; None if every row counts once."""
        return whole_copies(self.sample_weight, owner)


def _taken(array: NDArray[Any] | None, rows: NDArray[Any]) -> Any:
    return None if array is None else array[rows]


def count_copies(n_rows: int, copies: NDArray[np.int32] | None) -> int:
    """How many rows there are, with their copies."""
    return n_rows if copies is None else int(copies.sum(dtype=np.int64))


def split_blocks(columns: NDArray[Any], blocks: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """The columns of each output, (..., n_classes of it)."""
    return np.split(columns, np.cumsum([len(classes) for classes in blocks])[:-1], axis=-1)


def read_class_blocks(y: Any, owner: str) -> Target:
    """Class numbers, or 0 and 1 for each class where there are several outputs."""
    found = fit_class_targets(y, owner)
    if found is None:
        return read_class_target(y, owner)
    blocks = tuple(classes for _, classes in found)
    ones = [np.eye(len(classes))[codes] for codes, classes in found]
    return Target(np.hstack(ones), None, single_output=False, blocks=blocks)


def read_class_target(y: Any, owner: str) -> Target:
    """Class numbers and the classes."""
    codes, classes = fit_class_target(y, owner)
    return Target(codes, classes, single_output=True)


def read_numeric_target(y: Any, owner: str) -> Target:
    """Responses as floats, one column per output."""
    values, is_single = fit_numeric_target(y, owner)
    check_response_size(np.abs(values).max(axis=0, initial=0.0), "y", owner)
    return Target(values, None, single_output=is_single)


def read_single_response(y: Any, owner: str) -> Target:
    """One response as floats, for methods that can predict but one."""
    target = read_numeric_target(y, owner)
    if not target.single_output:
        raise BayeswoodError(
            f"y should be a 1d array: {owner} predicts one response. Got {target.y.shape[1]} "
            "columns."
        )
    return target


def read_training_data(
    X: Any,
    target: Target,
    sample_weight: Any,
    oob_groups: Any = None,
    *,
    categorical_features: Any,
    owner: str,
) -> TrainingData:
    """Encode the table and leave out the rows of weight 0."""
    from sklearn.utils.validation import check_consistent_length

    matrix, schema = fit_table(X, categorical_features=categorical_features, estimator_name=owner)
    check_consistent_length(matrix, target.y)
    warn_of_identifiers(matrix, schema, owner)
    weights = groups = None
    if oob_groups is not None:
        groups = check_groups(oob_groups, matrix.shape[0], owner)
    if sample_weight is not None:
        weights = check_weights(sample_weight, matrix.shape[0], owner)
    weights = None if weights is None else scale_weights(weights)
    if weights is None or bool((weights > 0).all()):
        taking_part = np.ones(matrix.shape[0], dtype=np.bool_)
        return TrainingData(matrix, schema, target, weights, matrix, taking_part, groups)
    taking_part = weights > 0
    if groups is not None:
        groups = np.unique(groups[taking_part], return_inverse=True)[1].astype(np.int32)
    return TrainingData(
        matrix[taking_part],
        schema,
        target.take(taking_part),
        weights[taking_part],
        matrix,
        taking_part,
        groups,
    )


def read_known_classes(y: Any, classes: NDArray[Any], owner: str, *, learns: bool = True) -> Target:
    """Class numbers of labels that must be among the classes of earlier calls or of a fit."""
    codes, found = fit_class_target(y, owner)
    number = {label: place for place, label in enumerate(classes.tolist())}
    unknown = [label for label in found.tolist() if label not in number]
    if unknown:
        advice = "Name all classes in the first call of partial_fit. " if learns else ""
        raise BayeswoodError(
            f"y holds the class {unknown[0]!r}, which {owner} does not know. {advice}"
            f"The classes are {classes.tolist()}."
        )
    places = np.array([number[label] for label in found.tolist()], dtype=np.int32)
    return Target(places[codes], classes, single_output=True)
