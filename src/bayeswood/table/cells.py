"""One column in a form that no longer depends on the library it came from.

`Cells` holds either numbers or words, plus where they are missing. Columns of NumPy arrays and of
Python objects are read here; columns of data frames in `frame.py`.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.moments import MomentCells, moment_kind, numpy_moments, object_moments

Family = Literal["number", "bool", "string", "nothing"]

PLURALS = {"number": "numbers", "bool": "booleans", "string": "strings", "nothing": "nothing"}


@dataclass(frozen=True)
class Cells:
    """The values of one column.

    Attributes
    ----------
    family : {"number", "bool", "string", "nothing"}
        What the values are; "nothing" where all are missing and no type is known.
    values : ndarray of shape (n_rows,)
        Numbers as integers or floats, booleans as 0 and 1; for strings the position in `words`,
        -1 where missing.
    missing : ndarray of bool or None
        Where an *integer* column is missing. Floats say it with NaN, strings with -1.
    words : tuple of str
        The distinct strings, in no particular order; some may not occur.
    declared : bool
        True if the column's own type says that it is a category.
    """

    family: Family
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    words: tuple[str, ...] = ()
    declared: bool = False

    def is_missing(self) -> NDArray[np.bool_]:
        """Tell the rows without a value."""
        missing: NDArray[np.bool_] = np.zeros(len(self.values), dtype=np.bool_)
        if self.family == "string":
            missing = self.values < 0
        elif self.missing is not None:
            missing = self.missing
        elif self.values.dtype.kind == "f":
            missing = np.isnan(self.values)
        return missing

    def all_missing(self) -> bool:
        """Tell whether no row has a value."""
        return self.family == "nothing" or bool(self.is_missing().all())

    def floats(self) -> NDArray[np.float64]:
        """Numbers and booleans as float64, NaN where missing."""
        # A long double beyond float64 becomes infinite, and is then refused as such.
        with np.errstate(over="ignore"):
            values = self.values.astype(np.float64, copy=False)
        if self.missing is None:
            return values
        return np.where(self.missing, np.nan, values)


def nothing(n_rows: int) -> Cells:
    """Make a column of missing values of no known type."""
    return Cells("nothing", np.full(n_rows, np.nan))


def unmasked(array: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Turn masked cells into missing ones."""
    filled = np.ma.getdata(array).astype(np.float64 if array.dtype.kind in "fiu" else object)
    filled[np.ma.getmaskarray(array)] = None
    return filled


def array_cells(column: NDArray[Any], what: str) -> Cells:
    """Read one column of a NumPy array.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        Values of any dtype.
    what : str
        How to call the column in an error, as in ``Column 'age' of X``.
    """
    kind = column.dtype.kind
    if kind in "fiu":
        return Cells("number", column)
    if kind == "b":
        return Cells("bool", column.astype(np.int8))
    if kind in "OUT":
        return object_cells(column.tolist(), what)
    if kind in "mM":
        raise DataTypeError(dates_message(what, str(column.dtype)))
    if kind == "c":
        raise BayeswoodError(f"Complex data not supported. {what} holds complex numbers.")
    if kind == "S":
        raise DataTypeError(f"{what} holds bytes. Decode them to strings first.")
    raise DataTypeError(unusable_message(what, str(column.dtype)))


def object_cells(values: list[Any], what: str) -> Cells:
    """Read a column of Python objects: all strings, all booleans or all numbers, or missing.

    None, NaN, ``pandas.NA`` and ``NaT`` are missing.
    """
    types = set(map(type, values))
    absent = {kind for kind in types if _is_absent(kind)}
    family = _family(values, types - absent, what)
    if family == "nothing":
        return nothing(len(values))
    if family == "string":
        return _words(values)
    return _numbers(values, types, absent, family, what)


def moments_among(column: NDArray[Any], what: str) -> MomentCells | None:
    """Read a NumPy column if it holds dates, times or durations; None if it does not."""
    if column.dtype.kind in "mM":
        return numpy_moments(column)
    if column.dtype.kind != "O":
        return None
    values = column.tolist()
    kinds = {moment_kind(kind) for kind in set(map(type, values)) if not _is_absent(kind)}
    kinds -= {None} if _has_nan_only(values, kinds) else set()
    return object_moments(values, what) if len(kinds) == 1 and None not in kinds else None


def _has_nan_only(values: list[Any], kinds: set[Any]) -> bool:
    """Whether all that stands beside dates is NaN."""
    if kinds <= {None} or None not in kinds:
        return False
    others = (value for value in values if moment_kind(type(value)) is None)
    return all(_is_absent(type(v)) or (isinstance(v, float) and v != v) for v in others)


def through_dictionary(codes: NDArray[Any], entries: Cells) -> Cells:
    """Read a dictionary-encoded column: positions in a list of entries, -1 where missing."""
    missing = codes < 0
    if entries.family == "nothing":
        return nothing(len(codes))
    if entries.family == "string":
        positions = np.append(entries.values, -1)[codes]
        return replace(entries, values=positions, declared=True)
    if entries.values.dtype.kind == "f":
        values = np.append(entries.floats(), np.nan)[codes]
        return Cells(entries.family, values, declared=True)
    if entries.missing is not None:
        missing |= entries.missing[codes]
    return Cells(entries.family, entries.values[codes], missing, declared=True)


def dates_message(what: str, dtype: str) -> str:
    """Say that a column holds dates or times where they are of no use."""
    return (
        f"{what} holds dates or times ({dtype}) where numbers or categories are needed. Turn it "
        "into numbers first, for example days since a fixed date, or the month."
    )


def unusable_message(what: str, dtype: str) -> str:
    """Say that a column holds something that cannot be split on."""
    return f"{what} holds values of type {dtype}. It must hold numbers, strings or booleans."


def _is_absent(kind: type) -> bool:
    return kind is type(None) or (
        kind.__name__ in ("NAType", "NaTType") and kind.__module__.startswith("pandas")
    )


def _family_of_type(kind: type) -> str:
    if issubclass(kind, str):
        return "string"
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, (numbers.Real, Decimal)):
        return "number"
    if issubclass(kind, numbers.Complex):
        return "complex"
    return "other"


def _family(values: list[Any], types: set[type], what: str) -> Family:
    families = {_family_of_type(kind) for kind in types}
    if "complex" in families:
        raise BayeswoodError(f"Complex data not supported. {what} holds complex numbers.")
    if len(families) == 2 and "number" in families and not _has_number(values, types):
        families.discard("number")
    if not families:
        return "nothing"
    for family in ("string", "bool", "number"):
        if families == {family}:
            return family
    raise DataTypeError(
        f"{what} holds values of {_type_names(types)}: each argument must be a string, a bool or "
        "a number, and all of one column of one kind. None and NaN stand for missing."
    )


def _has_number(values: list[Any], types: set[type]) -> bool:
    """Tell whether a number occurs that is not NaN."""
    number_types = {kind for kind in types if _family_of_type(kind) == "number"}
    return any(type(value) in number_types and value == value for value in values)


def _type_names(types: set[type]) -> str:
    listed = ", ".join(sorted(kind.__name__ for kind in types))
    return f"type {listed}" if len(types) == 1 else f"mixed types ({listed})"


def _words(values: Sequence[Any]) -> Cells:
    words = tuple(str(value) for value in set(values) if isinstance(value, str))
    position = dict(zip(words, range(len(words)), strict=True))
    codes = np.fromiter(map(position.get, values, repeat(-1)), dtype=np.int64, count=len(values))
    return Cells("string", codes, words=words)


def _numbers(
    values: list[Any], types: set[type], absent: set[type], family: Family, what: str
) -> Cells:
    missing = np.fromiter(
        map(absent.__contains__, map(type, values)), dtype=np.bool_, count=len(values)
    )
    whole = all(issubclass(kind, (numbers.Integral, np.bool_)) for kind in types - absent)
    filled = np.empty(len(values), dtype=object)
    filled[:] = values
    filled[missing] = 0 if whole else np.nan
    if whole:
        try:
            return Cells(family, filled.astype(np.int64), missing if absent else None)
        except OverflowError:
            filled[missing] = np.nan
    try:
        return Cells(family, filled.astype(np.float64))
    except OverflowError:
        raise BayeswoodError(
            f"{what} holds a number beyond the range of float64 (infinity to the model)."
        ) from None
