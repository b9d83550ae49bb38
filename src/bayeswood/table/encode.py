"""From the user's table to the matrix that the core reads.

The matrix is two-dimensional, float64 (or float32 where the user's array is), NaN where a value is
missing. A numeric column holds its values. A category column holds level numbers: positions in the
column's sorted levels, NaN for a missing value and for a level that training did not see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.categorical import forced_categories
from bayeswood.table.cells import PLURALS, Cells, nothing
from bayeswood.table.finite import refuse_infinite
from bayeswood.table.moments import PLURAL, MomentCells, Moments, fit_moments, text_moments
from bayeswood.table.names import check_n_features, check_names
from bayeswood.table.one_row import RowTable, encode_row, frame_row, row_values
from bayeswood.table.read import open_table, table_names
from bayeswood.table.schema import MAX_LEVELS, Column, Level, Schema

if TYPE_CHECKING:
    from bayeswood.table.read import Table


def fit_table(
    X: Any, *, categorical_features: Any = "from_dtype", estimator_name: str
) -> tuple[NDArray[Any], Schema]:
    """Read a training table.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        NumPy, pandas, polars, pyarrow, lists of rows. Numbers are numeric columns; strings,
        booleans and categoricals are categories. None and NaN are missing.
    categorical_features : "from_dtype", None, mask, or list of names or positions
        Columns to take as categories in addition to those whose type says so. None: no column is
        a category; booleans are then numbers, and strings are refused.
    estimator_name : str
        Who reads the table, for the errors.

    Returns
    -------
    matrix : ndarray of shape (n_rows, n_features)
        The encoded table. A float32 or float64 array is returned as it is, without a copy.
    schema : Schema
        What to read later tables by.

    Examples
    --------
    >>> matrix, schema = fit_table([["b", 1.5], ["a", None]], estimator_name="Forest")
    >>> matrix
    array([[1. , 1.5],
           [0. , nan]])
    >>> schema.columns[0]
    Column(name='x0', kind='category', levels=('a', 'b'))
    """
    table = open_table(X, estimator_name)
    names = table_names(table)
    forced = forced_categories(categorical_features, table.names, len(names), estimator_name)
    columns = [Column(name, "numeric") for name in names]
    matrix = None if forced.any() else table.matrix()
    blocks: dict[int, tuple[Moments, NDArray[np.float64]]] = {}
    if matrix is None:
        matrix = np.empty(table.shape, order="F")
        for j in map(int, np.flatnonzero(~table.write_floats(matrix, ~forced))):
            cells = _training_cells(table, j, names[j], forced=bool(forced[j]))
            if isinstance(cells, MomentCells):
                blocks[j] = fit_moments(cells, names[j])
                continue
            columns[j] = _fit_column(
                cells, names[j], bool(forced[j]), categorical_features is None, matrix[:, j]
            )
    named, reading = table.names is not None, table.reading().of_columns(names)
    moments_of: tuple[Moments, ...] = ()
    if blocks:
        matrix, columns = _put_in(matrix, columns, blocks)
        moments_of = tuple(found for found, _ in blocks.values())
    schema = Schema(tuple(columns), named, moments_of, reading)
    refuse_infinite(matrix, schema, estimator_name)
    return matrix, schema


def _training_cells(table: Table, index: int, name: str, *, forced: bool) -> MomentCells | Cells:
    """A training column; text counts as dates if every word is an ISO date."""
    found = table.moments(index)
    if found is None:
        cells = table.cells(index)
        if forced or cells.declared or cells.family != "string":
            return cells
        found = text_moments(cells.words, cells.values, name, strict=False)
        return cells if found is None or bool(found.missing.all()) else found
    if forced:
        raise DataTypeError(
            f"Column {name!r} of X holds {PLURAL[found.kind]} and cannot be a category. Turn it "
            "into strings first, or leave it out of categorical_features."
        )
    return nothing(table.shape[0]) if bool(found.missing.all()) else found


def _put_in(
    matrix: NDArray[np.float64],
    columns: list[Column],
    blocks: dict[int, tuple[Moments, NDArray[np.float64]]],
) -> tuple[NDArray[np.float64], list[Column]]:
    """The matrix and its columns with every column of dates in its parts."""
    wide = [
        [Column(name, "numeric") for name in blocks[j][0].names] if j in blocks else [column]
        for j, column in enumerate(columns)
    ]
    described = [column for part in wide for column in part]
    names = [column.name for column in described]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BayeswoodError(
            f"X has a column {twice[0]!r} of its own, which is also the name of a part of its "
            f"dates {twice[0].rpartition('.')[0]!r}. Rename one of them."
        )
    out = np.empty((len(matrix), len(described)), order="F")
    start = 0
    for j, part in enumerate(wide):
        stop = start + len(part)
        out[:, start:stop] = blocks[j][1] if j in blocks else matrix[:, j : j + 1]
        start = stop
    return out, described


def transform_table(
    X: Any, schema: Schema, *, estimator_name: str, unseen: float = np.nan
) -> NDArray[Any]:
    """Read a later table the way the training table was read.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        The same columns in the same order, of the same kinds.
    schema : Schema
        What `fit_table` made of the training table.
    estimator_name : str
        Who reads the table, for the errors.
    unseen : float, default NaN
        What stands for a level that training did not see. A column without any level is missing.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        The encoded table. A float32 or float64 array is returned as it is, without a copy, if no
        column is a category.
    """
    one = frame_row(X, schema, unseen)
    if one is not None:
        return one
    table = open_table(X, estimator_name)
    check_names(table.names, schema, estimator_name)
    check_n_features(table.shape[1], schema, estimator_name)
    matrix = table.matrix() if schema.all_numeric else None
    if matrix is None:
        matrix = _transform_columns(table, schema, estimator_name, unseen)
    refuse_infinite(matrix, schema, estimator_name)
    return matrix


def transform_row(
    row: Any, schema: Schema, *, estimator_name: str, unseen: float = np.nan
) -> NDArray[np.float64]:
    """Read one row the way the training table was read.

    Parameters
    ----------
    row : mapping of str to value, sequence or 1-D array
        Values by the names of the columns, or in their order. None and NaN are missing.
    schema : Schema
        What `fit_table` made of the training table.
    estimator_name : str
        Who reads the row, for the errors.
    unseen : float, default NaN
        As in `transform_table`.

    Returns
    -------
    ndarray of shape (1, n_features)
        The encoded row: the same as that of a table of this row.

    Examples
    --------
    >>> _, schema = fit_table([["b", 1.5], ["a", None]], estimator_name="Forest")
    >>> transform_row({"x0": "b", "x1": 2}, schema, estimator_name="Forest")
    array([[1., 2.]])
    """
    values = row_values(row, schema, estimator_name)
    encoded = encode_row(values, schema, unseen)
    if encoded is None:
        table = RowTable(values, schema.input_names)
        encoded = _transform_columns(table, schema, estimator_name, unseen)
        refuse_infinite(encoded, schema, estimator_name)
    return encoded


def _transform_columns(
    table: Table | RowTable, schema: Schema, estimator_name: str, unseen: float
) -> NDArray[np.float64]:
    matrix = np.empty(table.shape, order="F")
    inputs = schema.inputs
    blocks: dict[int, tuple[Moments, NDArray[np.float64]]] = {}
    numeric = np.array([isinstance(c, Column) and c.kind == "numeric" for c in inputs])
    for j in map(int, np.flatnonzero(~table.write_floats(matrix, numeric))):
        column, out = inputs[j], matrix[:, j]
        if isinstance(column, Moments):
            cells = _same_moments(table, j, column, estimator_name)
            blocks[j] = column, column.encode(cells)
            continue
        values = table.cells(j)
        _transform_column(values, column, estimator_name, out)
        if column.levels and not np.isnan(unseen):
            out[np.isnan(out) & ~values.is_missing()] = unseen
    if not blocks:
        return matrix
    placeholders = [Column(column.name, "numeric") for column in inputs]
    return _put_in(matrix, placeholders, blocks)[0]


def _same_moments(
    table: Table | RowTable, index: int, column: Moments, estimator_name: str
) -> MomentCells:
    """A later column of the kind that was taken apart in training."""
    what = f"Column {column.name!r} of X"
    cells, values = table.moments(index), None
    if cells is None:
        values = table.cells(index)
        if values.all_missing():
            missing = np.ones(table.shape[0], dtype=np.bool_)
            return MomentCells(column.kind, np.zeros(len(missing), np.int64), missing, column.zone)
        if values.family == "string" and column.kind == "date":
            cells = text_moments(values.words, values.values, what, strict=True)
    if cells is None or cells.kind != column.kind:
        now = PLURAL[cells.kind] if cells else PLURALS[values.family if values else "nothing"]
        raise DataTypeError(
            f"{what} held {PLURAL[column.kind]} when {estimator_name} was fitted, but now holds "
            f"{now}."
        )
    if (cells.zone is None) != (column.zone is None):
        was, now = ("a", "no") if column.zone else ("no", "a")
        raise DataTypeError(
            f"{what} held dates with {was} time zone when {estimator_name} was fitted, but now "
            f"they have {now} time zone."
        )
    return cells


def _fit_column(
    cells: Cells, name: str, forced: bool, no_categories: bool, out: NDArray[np.float64]
) -> Column:
    """Write one encoded training column to `out` and describe it."""
    if cells.family == "nothing":
        out[:] = np.nan
        return Column(name, "category")
    if no_categories and cells.family == "string":
        raise DataTypeError(
            f"Column {name!r} of X holds strings, and categorical_features=None allows no "
            "categories. Use categorical_features='from_dtype', or drop the column."
        )
    by_type = cells.declared or cells.family in ("string", "bool")
    if not forced and (no_categories or not by_type):
        out[:] = cells.floats()
        return Column(name, "numeric")
    levels = _levels(cells, name)
    column = Column(name, "category", levels)
    out[:] = _level_numbers(cells, column)
    return column


def _transform_column(
    cells: Cells, column: Column, estimator_name: str, out: NDArray[np.float64]
) -> None:
    """Write one encoded column to `out`, by the training column's rules."""
    unseen_only = column.kind == "category" and not column.levels
    if cells.family == "nothing" or unseen_only:
        out[:] = np.nan
        return
    held = column.level_type
    if (cells.family == "string") != (held is str):
        # A frame whose column is all missing may give it any type.
        if not cells.all_missing():
            raise DataTypeError(
                f"Column {column.name!r} of X held {_held(column)} when {estimator_name} was "
                f"fitted, but now holds {PLURALS[cells.family]}."
            )
        out[:] = np.nan
        return
    if held is bool and cells.family == "number":
        _check_zero_one(cells, column.name, estimator_name)
    out[:] = cells.floats() if column.kind == "numeric" else _level_numbers(cells, column)


def _held(column: Column) -> str:
    if column.level_type is str:
        return "strings"
    if column.level_type is bool:
        return "booleans"
    return "numbers" if column.kind == "numeric" else "numbers as categories"


def _check_zero_one(cells: Cells, name: str, estimator_name: str) -> None:
    odd = ~(np.isin(cells.values, (0, 1)) | cells.is_missing())
    if odd.any():
        row = int(np.argmax(odd))
        raise DataTypeError(
            f"Column {name!r} of X held booleans when {estimator_name} was fitted, but now holds "
            f"the number {cells.values[row].item()!r} in row {row}."
        )


def _levels(cells: Cells, name: str) -> tuple[Level, ...]:
    """Sort the levels that occur."""
    levels: tuple[Level, ...]
    if cells.family == "string":
        occurs = np.bincount(cells.values + 1, minlength=len(cells.words) + 1)[1:] > 0
        levels = tuple(sorted(w for w, used in zip(cells.words, occurs, strict=True) if used))
    else:
        levels = _number_levels(cells, name)
    if len(levels) > MAX_LEVELS:
        raise BayeswoodError(
            f"Column {name!r} of X has {len(levels)} levels; a category can have at most "
            f"{MAX_LEVELS}. Drop the column, or join its rare levels."
        )
    return levels


def _number_levels(cells: Cells, name: str) -> tuple[Level, ...]:
    present = np.unique(cells.values[~cells.is_missing()])
    if present.dtype.kind == "f" and np.isinf(present).any():
        raise BayeswoodError(f"Input X contains infinity: column {name!r}, which is a category.")
    if cells.family == "bool":
        return tuple(bool(value) for value in present)
    # Whole numbers are the same levels whether they came as integers or, beside a NaN, as floats.
    if present.dtype.kind == "f" and np.all(np.abs(present) <= 2**53):
        whole = present.astype(np.int64)
        present = whole if np.array_equal(whole, present) else present
    return tuple(present.tolist())


def _level_numbers(cells: Cells, column: Column) -> NDArray[np.float64]:
    """Look every value up among the levels; NaN where it is none of them."""
    if cells.family == "string":
        number = column.level_numbers
        numbers = np.array([*map(number.get, cells.words), None], dtype=np.float64)
        encoded: NDArray[np.float64] = numbers[cells.values]
        return encoded
    if not column.levels:
        return np.full(len(cells.values), np.nan)
    known = _as_array(column.levels)
    place = np.searchsorted(known, _in_range_of(known, cells.values))
    place = np.minimum(place, len(known) - 1)
    found = (known[place] == cells.values) & ~cells.is_missing()
    return np.where(found, place, np.nan)


def _as_array(levels: tuple[Level, ...]) -> NDArray[Any]:
    if isinstance(levels[-1], float):
        return np.array(levels, dtype=np.float64)
    return np.array(levels, dtype=np.uint64 if int(levels[-1]) >= 2**63 else np.int64)


def _in_range_of(known: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Bring int64 and uint64 together; NumPy would compare them as inexact floats."""
    if known.dtype == np.int64 and values.dtype == np.uint64:
        values = np.minimum(values, np.uint64(2**63 - 1)).astype(np.int64)
    elif known.dtype == np.uint64 and values.dtype.kind == "i":
        values = np.maximum(values, 0).astype(np.uint64)
    return values
