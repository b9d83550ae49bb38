"""Rows that come a batch at a time, read by the marks of the training table alone.

No batch knows the whole column, so nothing is guessed: what does not fit is refused.
"""

from __future__ import annotations

from typing import Any

from bayeswood.errors import DataTypeError
from bayeswood.table.moments import Moments
from bayeswood.table.reading.column_text import distinct_texts
from bayeswood.table.reading.date_text import read_dates
from bayeswood.table.reading.number_text import looks_like_numbers, read_numbers_as
from bayeswood.table.schema import Column, Schema


def read_as_trained(table: Any, schema: Schema) -> Any:
    """Turn text into the numbers and dates that a model knows.

    Parameters
    ----------
    table : pyarrow.Table
        Columns of the model, and others, which stay as they are. The target may be among them.
    schema : Schema
        What the training table looked like.

    Returns
    -------
    pyarrow.Table
    """
    import pyarrow as pa

    columns = [column for column in schema.inputs if _needs_reading(column)]
    target = schema.reading.target
    if target is not None and target in schema.reading.written:
        columns.append(Column(target, "numeric"))
    for column in columns:
        position = table.schema.get_field_index(column.name)
        if position < 0 or not pa.types.is_string(table[position].type):
            continue
        codes, distinct = distinct_texts(table[position])
        values = _values(distinct, column, schema)
        table = table.set_column(position, column.name, pa.chunked_array([values.take(codes)]))
    return table


def _needs_reading(column: Column | Moments) -> bool:
    return isinstance(column, Moments) or column.kind == "numeric"


def _values(distinct: Any, column: Column | Moments, schema: Schema) -> Any:
    import pyarrow as pa

    if not len(distinct):
        return pa.nulls(0, pa.float64())
    how = schema.reading.of(column.name)
    if isinstance(column, Moments):
        dates = read_dates(distinct, how.date_format)
        found = None if dates is None or dates.is_ambiguous else dates.values
        kind = "dates"
    else:
        numbers = read_numbers_as(distinct, how)
        found = None if numbers is None else numbers.values.cast(pa.float64())
        kind = "numbers"
    if found is None:
        raise DataTypeError(
            f"Column {column.name!r} of X held {kind} in training, and rows in pieces are read as "
            f"it was written then. It now holds text such as {_odd(distinct)!r}: write it plainly, "
            "or predict in memory, where --na, --decimal and --thousands help."
        )
    return found


def _odd(distinct: Any) -> str:
    """A text that does not look like a number, if there is one."""
    import pyarrow.compute as pc

    odd = distinct.filter(pc.invert(looks_like_numbers(distinct)))
    return str((odd if len(odd) else distinct)[0].as_py())
