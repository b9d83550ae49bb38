"""Feature names, by scikit-learn's rules and in its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bayeswood.errors import BayeswoodError, DataTypeError, warn_user
from bayeswood.table.schema import Schema

_MAX_LISTED = 5


def feature_names(columns: Sequence[Any]) -> tuple[str, ...] | None:
    """Take the names of a frame's columns if they are strings; refuse a name that comes twice.

    Parameters
    ----------
    columns : sequence
        Column labels of any type.

    Returns
    -------
    tuple of str or None
        The names; None if there are none, or if none is a string.

    Raises
    ------
    DataTypeError
        If some are strings and some are not.
    BayeswoodError
        If two are the same.
    """
    types = {type(column) for column in columns}
    are_names = any(issubclass(kind, str) for kind in types)
    if are_names and not all(issubclass(kind, str) for kind in types):
        listed = sorted(kind.__qualname__ for kind in types)
        raise DataTypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {listed} as feature name / column name types. If you want feature names "
            "to be stored and validated, you must convert them all to strings, by using "
            "X.columns = X.columns.astype(str) for example. Otherwise you can remove feature / "
            "column names from your input data, or convert them all to a non-string data type."
        )
    _refuse_duplicates(columns)
    return tuple(str(column) for column in columns) if are_names else None


def _refuse_duplicates(labels: Sequence[Any]) -> None:
    seen = set()
    for label in labels:
        if label in seen:
            raise BayeswoodError(f"The column names of X must be distinct. Got {label!r} twice.")
        seen.add(label)


def check_names(names: tuple[str, ...] | None, schema: Schema, estimator_name: str) -> None:
    """Compare a table's names with those of the training table.

    One of the two without names gives a warning; different names give an error.
    """
    if names is None and schema.named:
        warn_user(
            f"X does not have valid feature names, but {estimator_name} was fitted with feature "
            "names",
        )
    elif names is not None and not schema.named:
        warn_user(
            f"X has feature names, but {estimator_name} was fitted without feature names",
        )
    elif names is not None and names != schema.input_names:
        raise BayeswoodError(_mismatch(names, schema.input_names))


def check_n_features(n_features: int, schema: Schema, estimator_name: str) -> None:
    """Refuse a table with another number of columns than the training table."""
    if n_features != len(schema.inputs):
        raise BayeswoodError(
            f"X has {n_features} features, but {estimator_name} is expecting "
            f"{len(schema.inputs)} features as input."
        )


def _mismatch(names: tuple[str, ...], fitted: tuple[str, ...]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unexpected = sorted(set(names) - set(fitted))
    missing = sorted(set(fitted) - set(names))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _listed(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _listed(names: Iterable[str]) -> str:
    lines = [f"- {name}\n" for name in names]
    return "".join(lines[:_MAX_LISTED]) + ("- ...\n" if len(lines) > _MAX_LISTED else "")
