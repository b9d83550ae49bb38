"""What one column of text is: numbers, dates, true and false, or words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bayeswood.table.arrow_functions import (
    cast,
    contains,
    every,
    matches,
    some,
    trimmed,
    without_nulls,
)
from bayeswood.table.csv_format import FALSE_CELLS, TRUE_CELLS
from bayeswood.table.reading.date_text import DateText, read_dates
from bayeswood.table.reading.number_text import (
    NumberText,
    is_three_decimals,
    read_numbers,
    read_numbers_as,
)
from bayeswood.table.written import Written

Role = Literal["text", "number", "date"]

# Cells that are looked at to see whether points are clearly decimal.
_LOOKED_AT = 10_000
# Cells that are tried before a whole column is.
_TRIED = 1_000


@dataclass(frozen=True)
class Expected:
    """What is known of a column before it is read.

    Attributes
    ----------
    decimal, thousands : str or None
        Marks that the user insists on.
    role : {"text", "number", "date"} or None
        What a model knows the column as.
    written : Written
        How the training column was written.
    is_typed : bool
        Whether the file says that the column is text: plain digits are then left as they are.
    day_first : bool or None
        Whether the day comes before the month in 01/02/2024, if the user says so.
    """

    decimal: str | None = None
    thousands: str | None = None
    role: Role | None = None
    written: Written = field(default_factory=Written)
    is_typed: bool = False
    day_first: bool | None = None


@dataclass(frozen=True)
class ColumnText:
    """A column of text and what it was taken for.

    Attributes
    ----------
    name : str
    text : pyarrow.ChunkedArray
        The cells as they are spelt.
    values : pyarrow.ChunkedArray
        What they are taken for.
    number : NumberText or None
        How numbers are written that are not plain.
    date : DateText or None
        How dates are written.
    unclear_point : bool
        Whether plain decimals could as well be thousands, as 1.234 is.
    clear_decimal : str
        The decimal mark that the column shows beyond doubt; empty if it shows none.
    """

    name: str
    text: Any
    values: Any
    number: NumberText | None = None
    date: DateText | None = None
    unclear_point: bool = False
    clear_decimal: str = ""

    @property
    def written(self) -> Written:
        """The marks to remember."""
        if self.number is not None:
            return self.number.written
        return Written() if self.date is None else self.date.written


def read_column(name: str, text: Any, expected: Expected) -> ColumnText:
    """Take a column of text for what it is, by all of its cells.

    Parameters
    ----------
    name : str
    text : pyarrow.ChunkedArray of string
    expected : Expected
    """
    import pyarrow as pa

    if text.null_count == len(text):
        values = text if expected.role == "text" else pa.chunked_array([pa.nulls(len(text))])
        return ColumnText(name, text, values)
    if expected.role == "text":
        return ColumnText(name, text, text)
    moves = expected.decimal == "," or expected.thousands == "." or expected.written.moves_the_point
    if not expected.is_typed:
        plain = _plain(name, text, whole_only=moves)
        if plain is not None:
            return plain
    return _by_marks(name, text, expected)


def _plain(name: str, text: Any, *, whole_only: bool) -> ColumnText | None:
    """Numbers in Python's own notation, and true and false."""
    import pyarrow as pa

    for kind in (pa.int64(), None if whole_only else pa.float64()):
        values = None if kind is None else _cast(text, kind)
        if values is not None:
            found = ColumnText(name, text, values)
            return _with_points(found) if kind == pa.float64() else found
    first = next(cell for chunk in text.chunks for cell in chunk if cell.is_valid).as_py()
    if first.strip() not in (*TRUE_CELLS, *FALSE_CELLS):
        return None
    if not every(matches(text, f"^({'|'.join((*TRUE_CELLS, *FALSE_CELLS))})$")):
        return None
    return ColumnText(name, text, cast(text, pa.bool_()))


def _cast(text: Any, kind: Any) -> Any:
    """The cells as another type; None if some cannot be. Most failures show in the first rows."""
    import pyarrow as pa

    try:
        cast(trimmed(text.slice(0, _TRIED)), kind)
        return cast(text, kind)
    except pa.ArrowInvalid:
        if not _has_outer_blanks(text):
            return None
    try:
        return cast(trimmed(text), kind)
    except pa.ArrowInvalid:
        return None


def _has_outer_blanks(text: Any) -> bool:
    ends = "^[ \\t\\r\\n\\x{00a0}]|[ \\t\\r\\n\\x{00a0}]$"
    return some(matches(text, ends))


def _with_points(found: ColumnText) -> ColumnText:
    """Whether the points of plain decimals are clearly decimal."""
    head = without_nulls(found.text.slice(0, _LOOKED_AT))
    if len(head) and not is_three_decimals(head):
        return replace(found, clear_decimal="." if some(contains(head, ".")) else "")
    return replace(found, unclear_point=is_three_decimals(without_nulls(found.text)))


def _by_marks(name: str, text: Any, expected: Expected) -> ColumnText:
    """Numbers and dates of other notations; text if it is neither."""
    codes, distinct = distinct_texts(text)
    date = None
    if expected.role != "number":
        date = read_dates(distinct, expected.written.date_format, expected.day_first)
    if date is not None:
        return ColumnText(name, text, _take(date.values, codes), date=date)
    number = None if expected.role == "date" else _numbers(distinct, expected)
    if number is None or (expected.is_typed and number.written == Written()):
        return ColumnText(name, text, text)
    values = _take(number.values, codes)
    clear = number.written.decimal if number.other is None and _shows_decimals(number) else ""
    return ColumnText(name, text, values, number=number, clear_decimal=clear)


def _numbers(distinct: Any, expected: Expected) -> NumberText | None:
    """By the marks of the user, of the training column, its decimal mark alone, or its own."""
    if expected.decimal is None and expected.thousands is None and expected.role == "number":
        found = read_numbers_as(distinct, expected.written)
        return (
            found
            or read_numbers(distinct, decimal=expected.written.decimal)
            or read_numbers(distinct)
        )
    return read_numbers(distinct, decimal=expected.decimal, thousands=expected.thousands)


def _shows_decimals(number: NumberText) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(number.values.type))


def read_again(column: ColumnText, decimal: str, thousands: str) -> ColumnText:
    """The column under other marks that fit it."""
    codes, distinct = distinct_texts(column.text)
    number = read_numbers(distinct, decimal=decimal, thousands=thousands)
    assert number is not None
    values = _take(number.values, codes)
    return replace(column, values=values, number=number, unclear_point=False)


def distinct_texts(text: Any) -> tuple[Any, Any]:
    """Positions, null where missing, in the distinct texts; and these."""
    encoded = text.combine_chunks().dictionary_encode()
    if hasattr(encoded, "chunks"):
        encoded = encoded.unify_dictionaries().combine_chunks()
    return encoded.indices, encoded.dictionary


def _take(values: Any, codes: Any) -> Any:
    import pyarrow as pa

    return pa.chunked_array([values.take(codes)])
