"""Read a table from a file as it is, and say what its cells were taken for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError
from bayeswood.table.moments import Moments
from bayeswood.table.reading.column_notes import column_notes, differs_note, reading_notes
from bayeswood.table.reading.column_text import (
    ColumnText,
    Expected,
    Role,
    read_again,
    read_column,
)
from bayeswood.table.reading.csv_text import read_csv_text
from bayeswood.table.reading.note import Note, note_lines
from bayeswood.table.reading.number_text import looks_like_numbers
from bayeswood.table.reading.source import Source, open_source, typed_table
from bayeswood.table.schema import Schema
from bayeswood.table.written import Reading, Written


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table that was read, and what there is to say of it.

    Estimators take it as it is, and so does everything that takes Arrow data.

    Attributes
    ----------
    table : pyarrow.Table
        Numbers, dates, true and false, and text.
    notes : tuple of Note
        What cells were taken for, column by column.
    reading : Reading
        What a model remembers of it.
    text : dict of str to pyarrow.ChunkedArray
        Columns of a CSV file as they are spelt.
    """

    table: Any
    notes: tuple[Note, ...]
    reading: Reading
    text: Mapping[str, Any]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table, for all who take Arrow data."""
        return self.table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        size = f"{self.table.num_rows:,} rows, {self.table.num_columns} columns"
        lines = [f"ReadTable: {size}", *(f"  {line}" for line in note_lines(self.notes))]
        return "\n".join(lines)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        return self.table.to_pandas()

    @property
    def features(self) -> Any:
        """All columns but the target, as a pyarrow table."""
        names = [name for name in self.table.column_names if name != self.reading.target]
        return self.table.select(names)

    def split(self, target: str | None = None, *, drop_missing: bool = False) -> tuple[Any, Any]:
        """Features and target, for `fit`.

        Parameters
        ----------
        target : str, optional
            Name of the target, unless `read_table` was told.
        drop_missing : bool, default=False
            Whether to leave out rows without a target.

        Returns
        -------
        X : pyarrow.Table
            All other columns. A model fitted to it remembers how they were written, and the
            target's name.
        y : pyarrow.ChunkedArray
        """
        import pyarrow.compute as pc

        target = target or self.reading.target
        if target not in self.table.column_names:
            known = ", ".join(self.table.column_names[:12])
            raise BayeswoodError(
                f"The 'target' parameter of split must name a column. Got {target!r}; there are: "
                f"{known}."
            )
        table = self.table
        if drop_missing:
            table = table.filter(pc.is_valid(table[target]))
        reading = replace(self.reading, target=target)
        X = table.drop_columns([target]).replace_schema_metadata(reading.metadata())
        return X, table[target]


def read_table(
    source: Source,
    *,
    na: Sequence[str] = (),
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool = True,
    encoding: str | None = None,
    day_first: bool | None = None,
    text: Sequence[str] = (),
    target: str | None = None,
    like: Any = None,
) -> ReadTable:
    r"""Read a table from a file as it is, and say what its cells were taken for.

    CSV (also gzipped), JSON Lines, Parquet and Feather (Arrow IPC).

    Numbers may be written with decimal commas, thousands in groups, currency marks, percent signs
    and brackets for negative ones; words such as ``n/a`` or ``?`` among numbers are missing cells.
    Which marks a column uses is decided by all of its cells. Dates become dates.

    Parameters
    ----------
    source : str, path-like or binary stream
        The file; ``"-"`` is the standard input.
    na : sequence of str, default=()
        Further words for a missing cell, in every column.
    decimal : {".", ","}, optional
        The decimal mark; otherwise found by column.
    thousands : {",", ".", " ", "'"}, optional
        The mark between groups of three digits; otherwise found by column.
    header : bool, default=True
        Whether the first line of a CSV file names the columns; ``x0``, ``x1``, ... if not.
    encoding : str, optional
        How a CSV file codes its letters; otherwise UTF-8, or UTF-16 if it looks so.
    day_first : bool, optional
        Whether the day comes before the month in dates like 01/02/2024; otherwise found by column.
    text : sequence of str, default=()
        Columns to leave as text.
    target : str, optional
        The column to predict: a model fitted to the table knows it by this name.
    like : fitted estimator or Schema, optional
        Read the columns as those of its training table were read.

    Returns
    -------
    ReadTable
        With the table and the notes.

    Examples
    --------
    >>> import io
    >>> import bayeswood
    >>> file = io.BytesIO("when;price\n2024-05-01;1.234,50 €\n2024-05-02;n/a\n".encode())
    >>> read = bayeswood.read_table(file)
    >>> read.table["price"].to_pylist()
    [1234.5, None]
    >>> [note.kind for note in read.notes]
    ['date', 'number']
    """
    _check_marks(decimal, thousands)
    known = _Known.of(like)
    words = tuple(dict.fromkeys([*known.reading.na, *na]))
    opened = open_source(source)
    columns: list[ColumnText] = []
    separator = ""
    if opened.kind == "csv":
        read = read_csv_text(opened.data, opened.name, header=header, encoding=encoding, na=words)
        table, notes, separator = read.table, read.notes, read.separator
    else:
        table, notes = typed_table(opened), []
        table = _without_words(table, words)
    _check_table(table, opened.name)
    for name in table.column_names:
        if not _is_text(table[name].type):
            continue
        expected = known.expected(name, decimal, thousands, forced_text=name in text)
        expected = replace(expected, is_typed=opened.kind != "csv", day_first=day_first)
        column = read_column(name, _plain_text(table[name]), expected)
        known.check(column, expected)
        columns.append(column)
    columns, more = _settle(columns, separator, known, fixed=decimal is not None or bool(thousands))
    table = _with_values(table, columns)
    written = {c.name: c.written for c in columns if c.written != Written()}
    reading = Reading(target or known.reading.target, words, written)
    notes = [*notes, *more, *_notes(table, columns, known, target)]
    table = table.replace_schema_metadata(reading.metadata())
    return ReadTable(table, tuple(notes), reading, {c.name: c.text for c in columns})


def _with_values(table: Any, columns: list[ColumnText]) -> Any:
    """The table with what its columns of text were taken for."""
    import pyarrow as pa

    values = {column.name: column.values for column in columns}
    arrays = [values.get(name, table[name]) for name in table.column_names]
    return pa.Table.from_arrays(arrays, names=table.column_names)


def _check_marks(decimal: str | None, thousands: str | None) -> None:
    if decimal not in (None, ".", ","):
        raise BayeswoodError(
            f"The 'decimal' parameter of read_table must be '.' or ','. Got {decimal!r} instead."
        )
    if thousands not in (None, "", ",", ".", " ", "'"):
        raise BayeswoodError(
            "The 'thousands' parameter of read_table must be ',', '.', ' ' or \"'\". Got "
            f"{thousands!r} instead."
        )
    if decimal is not None and decimal == thousands:
        raise BayeswoodError("The 'decimal' and 'thousands' parameters of read_table must differ.")


@dataclass(frozen=True)
class _Known:
    """What a model knows of the columns; nothing without a model."""

    roles: Mapping[str, Role]
    reading: Reading
    is_model: bool = False

    @classmethod
    def of(cls, like: Any) -> _Known:
        if like is None:
            return cls({}, Reading())
        schema = like if isinstance(like, Schema) else getattr(like, "schema_", None)
        if not isinstance(schema, Schema):
            raise BayeswoodError(
                "The 'like' parameter of read_table must be a fitted bayeswood estimator or its "
                f"schema_. Got {type(like).__name__} instead."
            )
        roles: dict[str, Role] = {}
        if schema.named:
            for column in schema.inputs:
                role = _role(column)
                if role is not None:
                    roles[column.name] = role
        target = schema.reading.target
        if target is not None and target not in roles and like is not schema:
            role = _target_role(like)
            if role is not None:
                roles[target] = role
        return cls(roles, schema.reading, is_model=True)

    def expected(
        self, name: str, decimal: str | None, thousands: str | None, *, forced_text: bool
    ) -> Expected:
        role: Role | None = "text" if forced_text else self.roles.get(name)
        return Expected(decimal, thousands, role, self.reading.of(name))

    def check(self, column: ColumnText, expected: Expected) -> None:
        """Refuse text where the model knows numbers, and name the cell and the option.

        The target may hold anything: whoever needs it says what is wrong with it.
        """
        is_feature = column.name != self.reading.target
        if expected.role != "number" or not is_feature or not _is_text(column.values.type):
            return
        import pyarrow as pa
        import pyarrow.compute as pc

        odd = pc.invert(looks_like_numbers(pc.utf8_trim_whitespace(column.text)))
        odd = pc.fill_null(odd, False)
        flags = np.asarray(odd.combine_chunks() if isinstance(odd, pa.ChunkedArray) else odd)
        if flags.any():
            row = int(np.argmax(flags))
            word = column.text[row].as_py()
            raise BayeswoodError(
                f"Column '{column.name}' must hold numbers, as in training. It holds {word!r} in "
                f'data row {row + 1}; --na "{word}" takes it as missing.'
            )
        raise BayeswoodError(
            f"Column '{column.name}' must hold numbers, as in training, and its cells follow no "
            "single notation. Name the marks with --decimal and --thousands."
        )


def _role(column: Any) -> Role | None:
    if isinstance(column, Moments):
        return None if column.kind == "duration" else "date"
    if column.kind == "numeric":
        return "number"
    return "text" if column.level_type in (str, None) else None


def _target_role(estimator: Any) -> Role | None:
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return "number"
    return "text" if np.asarray(classes).dtype.kind in "OU" else None


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _plain_text(column: Any) -> Any:
    import pyarrow as pa

    return column if pa.types.is_string(column.type) else column.cast(pa.string())


def _without_words(table: Any, words: tuple[str, ...]) -> Any:
    """Make the user's words for a missing cell missing, in text of any file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not words:
        return table
    for position, name in enumerate(table.column_names):
        if _is_text(table[name].type):
            cells = _plain_text(table[name])
            absent = pc.is_in(cells, value_set=pa.array(words))
            cells = pc.if_else(absent, pa.scalar(None, pa.string()), cells)
            table = table.set_column(position, name, cells)
    return table


def _check_table(table: Any, source: str) -> None:
    import pyarrow as pa

    names = table.column_names
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise BayeswoodError(f"{source}: the column name '{repeated[0]}' occurs more than once.")
    if table.num_rows == 0:
        raise BayeswoodError(f"{source}: the table has no rows.")
    for field in table.schema:
        if pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type):
            raise BayeswoodError(
                f"{source}: column '{field.name}' holds bytes that are not UTF-8 text. "
                "Save the file as UTF-8."
            )


def _settle(
    columns: list[ColumnText], separator: str, known: _Known, *, fixed: bool
) -> tuple[list[ColumnText], list[Note]]:
    """Decide columns such as 1,234 or 1.234 by the others and by the file's separator."""
    if fixed:
        return columns, []
    clear = {column.clear_decimal for column in columns} - {""}
    settled, notes = [], []
    for column in columns:
        if not known.is_model or column.name not in known.roles:
            column, note = _settle_column(column, clear, separator)
            notes += [] if note is None else [note]
        settled.append(column)
    return settled, notes


def _settle_column(
    column: ColumnText, clear: set[str], separator: str
) -> tuple[ColumnText, Note | None]:
    if column.number is not None and column.number.other is not None:
        mark = "," if column.number.written.thousands == "," else "."
    elif column.unclear_point:
        mark = "."
    else:
        return column, None
    decimal, why = _decimal_of_file(mark, clear, separator)
    if mark == "." and decimal == "." and (clear or separator != ";"):
        return column, None  # the plain notation, and nothing speaks against it
    thousands = "" if decimal == mark else mark
    column = read_again(column, decimal, thousands)
    assert column.number is not None
    example = next(t for t in column.text.drop_null().to_pylist() if mark in t).strip()
    other = f"--thousands {mark}" if thousands == "" else f"--decimal {mark}"
    meaning = "decimal mark" if thousands == "" else "mark between thousands"
    name = "comma" if mark == "," else "point"
    text = f"the {name} of '{example}' is taken for a {meaning}, {why}; {other} says otherwise."
    return column, Note("ambiguous", text, column.name, loud=len(clear) != 1)


def _decimal_of_file(mark: str, clear: set[str], separator: str) -> tuple[str, str]:
    """The decimal mark that speaks for an unclear column, and why."""
    if len(clear) == 1:
        decimal = next(iter(clear))
        return decimal, f"as other columns have a decimal {'comma' if decimal == ',' else 'point'}"
    if mark == "," and separator == ";":
        return ",", "as cells are separated by semicolons"
    return ".", "as nothing in the file has a decimal comma"


def _notes(table: Any, columns: list[ColumnText], known: _Known, target: str | None) -> list[Note]:
    notes: list[Note] = []
    for column in columns:
        role = known.roles.get(column.name)
        if role is not None:
            differs = differs_note(column, known.reading.of(column.name))
            notes += [] if differs is None else [differs]
        else:
            notes += reading_notes(column)
    if known.is_model:
        return notes
    by_text = {column.name for column in columns}
    for name in table.column_names:
        if name and name != target:
            is_typed = name not in by_text
            notes += column_notes(name, table[name], is_typed=is_typed)
    return notes
