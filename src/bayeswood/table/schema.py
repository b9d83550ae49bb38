"""What a training table looked like: its columns, their kinds and their levels.

A `Schema` is made at fit, kept by the estimator, written to the model file, and every later table
is read through it. It is plain data: immutable, comparable, and JSON there and back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table.moments import Moments
from bayeswood.table.written import Reading

Level = str | int | float | bool
Kind = Literal["numeric", "category"]

#: The core codes a column in 16 bits and keeps one code for missing.
MAX_LEVELS = 65_535

_LEVEL_TYPES = (str, bool, int, float)
_INT_RANGES = (range(-(2**63), 2**63), range(2**64))


@dataclass(frozen=True)
class Column:
    """One column of the training table.

    Attributes
    ----------
    name : str
        The user's name of the column, or ``x0``, ``x1``, ... by position.
    kind : {"numeric", "category"}
        How the column is split on.
    levels : tuple of str, bool, int or float
        The levels of a category that occurred in training, all of one type, ascending (strings by
        code point); the position of a level is its number in the encoded matrix. Empty for a
        numeric column, and for a category of which training saw nothing but missing values.
    """

    name: str
    kind: Kind
    levels: tuple[Level, ...] = ()

    @property
    def level_type(self) -> type[Level] | None:
        """The type that all levels share; None if there are none."""
        return type(self.levels[0]) if self.levels else None

    @cached_property
    def level_numbers(self) -> dict[Level, float]:
        """The number of each level in the encoded matrix."""
        return {level: float(number) for number, level in enumerate(self.levels)}

    def __getstate__(self) -> dict[str, Any]:
        """The fields: what was looked up does not travel."""
        return {"name": self.name, "kind": self.kind, "levels": self.levels}


@dataclass(frozen=True)
class Schema:
    """The columns of the training table, in order.

    Attributes
    ----------
    columns : tuple of Column
        One per feature that trees split on. A column of dates is several, ``when.year`` and so on.
    named : bool
        True if the names are the user's, False if they were made up from positions.
    moments : tuple of Moments
        The user's columns of dates, times and durations, and how they were taken apart.
    reading : Reading
        How the file was written that the table came from, and the target's name, where known.
    """

    columns: tuple[Column, ...]
    named: bool
    moments: tuple[Moments, ...] = ()
    reading: Reading = field(default_factory=Reading, compare=False)

    @property
    def n_features(self) -> int:
        """How many columns trees can split on."""
        return len(self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names; ``x0``, ``x1``, ... when the table had none."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def inputs(self) -> tuple[Column | Moments, ...]:
        """The user's columns, in order."""
        if not self.moments:
            return self.columns
        taken_apart = {name: moments for moments in self.moments for name in moments.names}
        found = (taken_apart.get(column.name, column) for column in self.columns)
        return tuple(dict.fromkeys(found))

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """Names of the user's columns, in order."""
        return tuple(column.name for column in self.inputs)

    @property
    def n_levels(self) -> NDArray[np.int32]:
        """Number of levels per column, 0 where there are none (a fresh array)."""
        return np.array([len(column.levels) for column in self.columns], dtype=np.int32)

    @cached_property
    def all_numeric(self) -> bool:
        """True if the user's columns are numbers throughout."""
        return not self.moments and all(column.kind == "numeric" for column in self.columns)

    def with_target_of(self, y: Any) -> Schema:
        """The schema with the name of a series, if it is not known by another."""
        name = getattr(y, "name", None)
        if self.reading.target is not None or not isinstance(name, str) or not name:
            return self
        return replace(self, reading=replace(self.reading, target=name))

    def to_json(self) -> dict[str, Any]:
        """Give the schema as dicts, lists, strings, numbers and booleans.

        Examples
        --------
        >>> Schema((Column("sex", "category", ("f", "m")),), named=True).to_json()
        {'named': True, 'columns': [{'name': 'sex', 'kind': 'category', 'levels': ['f', 'm']}]}
        """
        columns = [
            {"name": column.name, "kind": column.kind, "levels": list(column.levels)}
            for column in self.columns
        ]
        plain: dict[str, Any] = {"named": self.named, "columns": columns}
        if self.moments:
            plain["moments"] = [moments.to_json() for moments in self.moments]
        if self.reading != Reading():
            plain["reading"] = self.reading.to_json()
        return plain

    @classmethod
    def from_json(cls, obj: object) -> Schema:
        """Build a schema from what `to_json` gives.

        Parameters
        ----------
        obj : object
            Anything; untrusted.

        Raises
        ------
        BayeswoodError
            If `obj` is not exactly what `to_json` would have given for some schema.
        """
        members: dict[str, type] = {"named": bool, "columns": list}
        optional: dict[str, type] = {"moments": list, "reading": dict}
        if isinstance(obj, dict):
            members |= {name: kind for name, kind in optional.items() if name in obj}
        table = _members(obj, "The schema", members)
        columns = tuple(
            _column_from_json(column, f"Column {i} of the schema")
            for i, column in enumerate(table["columns"])
        )
        moments = tuple(
            Moments.from_json(plain, f"Entry {i} of the schema's moments")
            for i, plain in enumerate(table.get("moments", ()))
        )
        reading = Reading.from_json(table["reading"]) if "reading" in table else Reading()
        schema = cls(columns, table["named"], moments, reading)
        _check_moments(schema)
        _check_names(schema)
        return schema


def generated_names(n_features: int) -> tuple[str, ...]:
    """Name columns by position.

    Examples
    --------
    >>> generated_names(3)
    ('x0', 'x1', 'x2')
    """
    return tuple(f"x{i}" for i in range(n_features))


def _members(obj: object, what: str, members: dict[str, type]) -> dict[str, Any]:
    if not isinstance(obj, dict) or set(obj) != set(members):
        expected = ", ".join(repr(key) for key in members)
        raise BayeswoodError(f"{what} must be an object with the members {expected} and no other.")
    for key, kind in members.items():
        if type(obj[key]) is not kind:
            got = type(obj[key]).__name__
            raise BayeswoodError(
                f"{what}: member {key!r} must be of type {kind.__name__}. Got {got} instead."
            )
    return obj


def _column_from_json(obj: object, what: str) -> Column:
    column = _members(obj, what, {"name": str, "kind": str, "levels": list})
    if column["kind"] not in ("numeric", "category"):
        raise BayeswoodError(
            f"{what}: member 'kind' must be 'numeric' or 'category'. "
            f"Got {column['kind']!r} instead."
        )
    _check_levels(column["levels"], what)
    if column["kind"] == "numeric" and column["levels"]:
        raise BayeswoodError(f"{what} is numeric and must have no levels.")
    return Column(column["name"], column["kind"], tuple(column["levels"]))


def _check_levels(levels: list[Any], what: str) -> None:
    if len(levels) > MAX_LEVELS:
        raise BayeswoodError(f"{what} has {len(levels)} levels; at most {MAX_LEVELS} are possible.")
    types = {type(level) for level in levels}
    if len(types) > 1 or not types <= set(_LEVEL_TYPES):
        raise BayeswoodError(f"{what}: levels must be all str, all bool, all int or all float.")
    if types == {float} and not all(map(math.isfinite, levels)):
        raise BayeswoodError(f"{what}: levels must be finite numbers.")
    if types == {int} and not any(
        min(levels) in bounds and max(levels) in bounds for bounds in _INT_RANGES
    ):
        raise BayeswoodError(f"{what}: whole-number levels must fit in 64 bits, all in one way.")
    if any(low >= high for low, high in pairwise(levels)):
        raise BayeswoodError(f"{what}: levels must be distinct and in ascending order.")


def _check_moments(schema: Schema) -> None:
    """Every part must be a number, and the parts of a column lie together."""
    parts = [name for moments in schema.moments for name in moments.names]
    numbers = [column.name for column in schema.columns if column.kind == "numeric"]
    if len(set(parts)) != len(parts) or not set(parts) <= set(numbers):
        raise BayeswoodError("The schema's moments do not match its columns.")
    expanded = [
        name
        for column in schema.inputs
        for name in (column.names if isinstance(column, Moments) else (column.name,))
    ]
    if expanded != list(schema.names):
        raise BayeswoodError("The schema's moments do not match its columns.")


def _check_names(schema: Schema) -> None:
    names = schema.names
    if not names:
        raise BayeswoodError("The schema must have at least one column.")
    if len(set(names)) != len(names) or len(set(schema.input_names)) != len(schema.input_names):
        raise BayeswoodError("The schema's column names must be distinct.")
    if not schema.named and schema.input_names != generated_names(len(schema.inputs)):
        raise BayeswoodError("The columns of a schema without names must be called x0, x1, ...")
