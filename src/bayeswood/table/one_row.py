"""One row at a time, for whoever asks for one prediction after the other.

Reading a data frame column by column costs some 0.2 ms for each: dear for a frame of one row. Here
a row is a list of plain Python values, looked up one by one. What is not plain, such as a date or a
number that a float64 does not hold exactly, is left to the way that reads whole tables, and so are
all errors: both ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table.cells import Cells, moments_among, object_cells
from bayeswood.table.moments import MomentCells
from bayeswood.table.schema import Column, Schema

F64 = NDArray[np.float64]

_NUMBERS = frozenset(
    {float, int, np.float64, np.float32, np.int8, np.int16, np.int32, np.int64}
    | {np.uint8, np.uint16, np.uint32, np.uint64}
)
# float64 holds all whole numbers up to here, and nothing beyond is looked at more closely.
_EXACT = 2.0**53


def frame_row(X: Any, schema: Schema, unseen: float) -> F64 | None:
    """The encoded row of a pandas or polars frame that has one, if its cells are plain.

    Parameters
    ----------
    X : object
        The user's table, of whatever kind.
    schema : Schema
        What to read it by.
    unseen : float
        What stands for a level that training did not see.

    Returns
    -------
    ndarray of shape (1, n_features) or None
        None if the table has to be read column by column.
    """
    kind = type(X)
    if kind.__name__ != "DataFrame" or not schema.named or schema.moments:
        return None
    library = kind.__module__.partition(".")[0]
    if library == "polars":
        values = _polars_row(X, schema.names)
    elif library == "pandas":
        values = _pandas_row(X, schema.names)
    else:
        return None
    return None if values is None else encode_row(values, schema, unseen)


def _polars_row(frame: Any, names: tuple[str, ...]) -> Sequence[Any] | None:
    if frame.height != 1 or tuple(frame.columns) != names:
        return None
    values: Sequence[Any] = frame.row(0)
    return values


def _pandas_row(frame: Any, names: tuple[str, ...]) -> Sequence[Any] | None:
    if len(frame) != 1 or tuple(frame.columns.tolist()) != names:
        return None
    array = frame.values
    # Dates would become numbers; single precision is kept as it is by the other way.
    if array.dtype.kind not in "Ofiub" or array.dtype == np.float32:
        return None
    values: list[Any] = array[0].tolist()
    return values


def encode_row(values: Sequence[Any], schema: Schema, unseen: float) -> F64 | None:
    """One row of plain values as the core reads it; None if some value is not plain.

    Parameters
    ----------
    values : sequence
        One for each column of the schema.
    schema : Schema
        What to read them by.
    unseen : float
        What stands for a level that training did not see.
    """
    if schema.moments:
        return None
    encoded = []
    for value, column in zip(values, schema.columns, strict=True):
        number = _encode(value, column, unseen)
        if number is None:
            return None
        encoded.append(number)
    return np.array([encoded])


def _encode(value: Any, column: Column, unseen: float) -> float | None:
    if value is None:
        return nan
    kind = type(value)
    if kind is str:
        return _encode_word(value, column, unseen)
    if kind is bool:
        is_flag = column.level_type is bool
        return column.level_numbers.get(value, unseen) if is_flag else None
    if kind not in _NUMBERS:
        return None
    number = float(value)
    if number != number:
        return nan
    if not -_EXACT <= number <= _EXACT:
        return None
    return number if column.kind == "numeric" else _encode_level(number, column, unseen)


def _encode_word(word: str, column: Column, unseen: float) -> float | None:
    if column.level_type is str:
        return column.level_numbers.get(word, unseen)
    return nan if column.kind == "category" and not column.levels else None


def _encode_level(number: float, column: Column, unseen: float) -> float | None:
    held = column.level_type
    if held is None:
        return nan
    if held is str or (held is bool and number not in (0.0, 1.0)):
        return None
    return column.level_numbers.get(number, unseen)


def row_values(row: Any, schema: Schema, estimator_name: str) -> list[Any]:
    """The cells of one row, in the order of the schema.

    Parameters
    ----------
    row : mapping of str to value, sequence or 1-D array
        Cells by the names of the columns, or in their order.
    schema : Schema
        The columns.
    estimator_name : str
        Who reads the row, for the errors.
    """
    if isinstance(row, Mapping) or hasattr(row, "keys"):
        return _named_values(row, schema, estimator_name)
    if isinstance(row, np.ndarray):
        if row.ndim != 1:
            raise BayeswoodError(f"A row must be 1-dimensional. Got an array of shape {row.shape}.")
        # Of a date this would make a number.
        row = row.tolist() if row.dtype.kind in "OfiubU" else list(row)
    if isinstance(row, str) or not isinstance(row, Sequence):
        got = type(row).__name__
        raise BayeswoodError(f"A row must be a dict, a sequence or a 1-D array. Got {got} instead.")
    if len(row) != len(schema.inputs):
        raise BayeswoodError(
            f"The row has {len(row)} features, but {estimator_name} is expecting "
            f"{len(schema.inputs)} features as input."
        )
    return list(row)


def _named_values(row: Any, schema: Schema, estimator_name: str) -> list[Any]:
    try:
        values = [row[name] for name in schema.input_names]
    except KeyError as error:
        raise BayeswoodError(
            f"The row lacks the column {error.args[0]!r}, which {estimator_name} was fitted with. "
            "Give None where the value is missing."
        ) from None
    if len(row) != len(values):
        other = sorted(set(map(str, row.keys())) - set(schema.input_names))
        raise BayeswoodError(
            f"The row has a column {other[0]!r}, which {estimator_name} was fitted without."
        )
    return values


@dataclass(frozen=True)
class RowTable:
    """A row of any values as a table, for the way that reads whole tables."""

    values: Sequence[Any]
    names: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return 1, len(self.values)

    def matrix(self) -> None:
        """The values have no common type."""
        return

    def write_floats(self, matrix: F64, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Write no column; `cells` gives them all."""
        return np.zeros_like(wanted)

    def cells(self, index: int) -> Cells:
        """Read one column."""
        return object_cells([self.values[index]], f"Column {self.names[index]!r} of X")

    def moments(self, index: int) -> MomentCells | None:
        """Read one column as dates, if it is one."""
        cell = np.empty(1, dtype=object)
        cell[0] = self.values[index]
        return moments_among(cell, f"Column {self.names[index]!r} of X")
