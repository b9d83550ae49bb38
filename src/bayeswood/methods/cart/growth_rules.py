"""Rules that a tree may have to keep: scikit-learn's parameters of growing, resolved for a table.

What is not asked for costs nothing: without any of these rules the faster growers are used, and the
trees are the same bits as ever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import (
    NONE,
    Constraint,
    integer,
    one_of,
    parameter_error,
    real,
)
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.table import Schema

_MAX_LEAVES = int(np.iinfo(np.int32).max)
_DIRECTIONS = "one of -1, 0, 1 for each column, in a list or by name in a dict,"
_SETS = "a list of lists of columns, by number or name,"


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _are_directions(value: Any) -> bool:
    items = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(items, np.ndarray):
        items = items.tolist()
    return (
        _is_list(items)
        and all(isinstance(i, (int, float, Integral)) for i in items)
        and (all(i in (-1, 0, 1) for i in items))
    )


def _are_sets(value: Any) -> bool:
    def is_column(item: Any) -> bool:
        return isinstance(item, (str, Integral)) and not isinstance(item, bool)

    def is_set(item: Any) -> bool:
        return (_is_list(item) or isinstance(item, (set, frozenset))) and all(map(is_column, item))

    return _is_list(value) and len(value) > 0 and all(map(is_set, value))


GROWTH: Mapping[str, Constraint] = {
    "max_leaf_nodes": integer(2, _MAX_LEAVES) | NONE,
    "min_samples_split": integer(2) | real(0, 1, "right"),
    "min_impurity_decrease": real(0, integers=True),
    "ccp_alpha": real(0, integers=True),
    "monotonic_cst": Constraint(_DIRECTIONS, _are_directions) | NONE,
    "interaction_cst": one_of("pairwise", "no_interactions") | Constraint(_SETS, _are_sets) | NONE,
}
NUMBER_CRITERION = one_of("squared_error", "friedman_mse", "absolute_error", "poisson")


@dataclass(frozen=True)
class GrowthRules:
    """Rules of growing, by column number.

    Attributes
    ----------
    min_samples_split : int
        Fewest rows in a node that is split.
    max_leaf_nodes : int
        Most leaves; 0 for no limit.
    min_impurity_decrease, ccp_alpha : float
        Least decrease of impurity by a split, and what a leaf costs, per weight of the tree.
    monotonic_cst : tuple of int
        Per column 1, 0 or -1; empty if all are 0.
    interaction_cst : tuple of tuple of int
        Sets of columns that may meet on a path; empty if all may.
    """

    min_samples_split: int = 2
    max_leaf_nodes: int = 0
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    monotonic_cst: tuple[int, ...] = ()
    interaction_cst: tuple[tuple[int, ...], ...] = ()

    def arguments(self) -> dict[str, Any]:
        """The rules as `_core.grow_forest` takes them."""
        return {
            "min_samples_split": self.min_samples_split,
            "max_leaf_nodes": self.max_leaf_nodes,
            "min_impurity_decrease": self.min_impurity_decrease,
            "ccp_alpha": self.ccp_alpha,
            "monotonic_cst": list(self.monotonic_cst),
            "interaction_cst": [list(columns) for columns in self.interaction_cst],
        }


def resolve_growth(forest: Any, data: TrainingData) -> GrowthRules:
    """The rules that a forest's parameters ask for, on these data.

    A forest without these parameters has no rules.
    """
    owner, schema = type(forest).__name__, data.schema
    if getattr(forest, "criterion", None) == "poisson":
        _check_counts(data.target.y, np.flatnonzero(data.taking_part), owner)
    directions = getattr(forest, "monotonic_cst", None)
    meetings = getattr(forest, "interaction_cst", None)
    return GrowthRules(
        resolve_min_samples_split(getattr(forest, "min_samples_split", 2), data.n_rows),
        int(getattr(forest, "max_leaf_nodes", None) or 0),
        float(getattr(forest, "min_impurity_decrease", 0.0)),
        float(getattr(forest, "ccp_alpha", 0.0)),
        () if directions is None else _resolve_directions(directions, data, owner),
        () if meetings is None else resolve_meetings(meetings, schema, owner),
    )


def resolve_min_samples_split(min_samples_split: int | float, n_rows: int) -> int:
    """Fewest rows of a node that is split; a float is a share of the rows, rounded up.

    Examples
    --------
    >>> resolve_min_samples_split(0.05, 150)
    8
    """
    if isinstance(min_samples_split, Integral):
        return min(int(min_samples_split), max(n_rows, 2) + 1)
    return max(2, ceil(float(min_samples_split) * n_rows))


def _check_counts(y: NDArray[np.float64], rows: NDArray[np.intp], owner: str) -> None:
    """Raise for responses that have no Poisson deviance; `rows`: their numbers."""
    negative = np.flatnonzero((y < 0).any(axis=1))
    if len(negative):
        raise BayeswoodError(
            f"The criterion 'poisson' of {owner} needs responses that are not negative; take "
            f"'squared_error' for others. Row {rows[negative[0]]} of y is "
            f"{y[negative[0]].min():g}."
        )
    if not (y > 0).any(axis=0).all():
        raise BayeswoodError(
            f"The criterion 'poisson' of {owner} needs some response above 0. All of y are 0."
        )


def _resolve_directions(value: Any, data: TrainingData, owner: str) -> tuple[int, ...]:
    """Per column 1, 0 or -1; empty where all are 0."""
    found = resolve_directions(value, data.schema, owner)
    if any(found) and data.n_classes > 2:
        raise BayeswoodError(
            f"The 'monotonic_cst' parameter of {owner} must be None with more than two classes, "
            f"whose probabilities have no single order. Got {data.n_classes} classes; fit one "
            "class against the others."
        )
    if any(found) and data.target.y.ndim > 1 and data.target.y.shape[1] > 1:
        raise BayeswoodError(
            f"The 'monotonic_cst' parameter of {owner} must be None with several responses. Got "
            f"{data.target.y.shape[1]} of them; fit one forest for each."
        )
    return found if any(found) else ()


def resolve_directions(value: Any, schema: Schema, owner: str) -> tuple[int, ...]:
    """Monotone constraints as one of -1, 0, 1 per column.

    Parameters
    ----------
    value : array-like of int, or dict
        Per column, or by name; a dict may leave columns out.
    schema : Schema
        Of the table.
    owner : str
        Whose parameter it is, for errors.

    Examples
    --------
    >>> from bayeswood.table import Column, Schema
    >>> columns = (Column("age", "numeric"), Column("price", "numeric"))
    >>> resolve_directions({"price": -1}, Schema(columns, named=True), "RandomForestRegressor")
    (0, -1)
    """
    if isinstance(value, Mapping):
        found = [0] * schema.n_features
        for name, direction in value.items():
            found[_number_of(name, schema, "monotonic_cst", owner)] = int(direction)
    else:
        found = [int(direction) for direction in value]
    if len(found) != schema.n_features:
        words = f"as long as X has columns, {schema.n_features}"
        raise parameter_error("monotonic_cst", owner, words, value)
    for column, direction in zip(schema.columns, found, strict=True):
        if direction and column.kind != "numeric":
            words = f"0 for {column.name!r}, a category, which has no order"
            raise parameter_error("monotonic_cst", owner, words, direction)
    return tuple(found)


def resolve_meetings(value: Any, schema: Schema, owner: str) -> tuple[tuple[int, ...], ...]:
    """Interaction constraints as sets of columns, by number.

    Parameters
    ----------
    value : "pairwise", "no_interactions" or list of lists of int or str
        Columns in no list make up one more set.
    schema : Schema
        Of the table.
    owner : str
        Whose parameter it is, for errors.

    Examples
    --------
    >>> from bayeswood.table import Column, Schema
    >>> schema = Schema(tuple(Column(name, "numeric") for name in "abcd"), named=True)
    >>> resolve_meetings([["a", "b"]], schema, "RandomForestRegressor")
    ((0, 1), (2, 3))
    """
    everyone = range(schema.n_features)
    if value == "no_interactions":
        return tuple((j,) for j in everyone)
    if isinstance(value, str):
        return tuple(combinations(everyone, 2)) if schema.n_features > 1 else ((0,),)
    sets = [
        tuple(sorted({_number_of(c, schema, "interaction_cst", owner) for c in columns}))
        for columns in value
    ]
    others = tuple(sorted(set(everyone) - {j for columns in sets for j in columns}))
    return tuple(columns for columns in (*sets, others) if columns)


def _number_of(column: Any, schema: Schema, parameter: str, owner: str) -> int:
    """Of a column, given by number or name."""
    names: Sequence[str] = schema.names
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, Integral) and 0 <= int(column) < len(names):
        return int(column)
    words = f"of columns of X, by name or by number from 0 to {len(names) - 1}"
    raise parameter_error(parameter, owner, words, column)
