"""A CSV file as a table of text: encoding, separator, header and lines that are no rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bayeswood.errors import BayeswoodError
from bayeswood.table.csv_format import MISSING_CELLS, find_delimiter, one_line
from bayeswood.table.reading.note import Note
from bayeswood.table.schema import generated_names

_UTF8, _UTF16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_SEPARATOR_LINE = re.compile(rb"sep=(.)\r?\n", re.IGNORECASE)
_BAD_COLUMN = re.compile(r"In CSV column #(\d+)")
_COMMENT = b"#"


@dataclass(frozen=True)
class CsvText:
    """A table of text.

    Attributes
    ----------
    table : pyarrow.Table
        Strings; null where a cell is empty or one of the words for missing.
    separator : str
        What stands between cells.
    notes : list of Note
        About the file as a whole.
    """

    table: Any
    separator: str
    notes: list[Note]


def read_csv_text(
    data: bytes, source: str, *, header: bool, encoding: str | None, na: tuple[str, ...] = ()
) -> CsvText:
    """Read CSV, every cell as it is spelt.

    Parameters
    ----------
    data : bytes
        The whole file.
    source : str
        What it is called in errors.
    header : bool
        Whether the first line names the columns.
    encoding : str or None
        How letters are coded; None for UTF-8, or UTF-16 where a byte order mark says so.
    na : tuple of str
        Words for a missing cell besides the usual ones.
    """
    notes: list[Note] = []
    data = _as_utf8(data, source, encoding, notes)
    if not data.strip():
        raise BayeswoodError(f"{source}: the file is empty.")
    body, skipped, separator = _without_preamble(data, notes)
    try:
        mark = separator or find_delimiter(body)
        parser = _Parser(mark, header, na, _names(body, mark, header), skipped)
    except UnicodeDecodeError as error:
        raise BayeswoodError(f"{source}: the header is not UTF-8 text. {_ENCODING}") from error
    table = _without_empty(_parse(parser, body, source, notes), notes)
    if header:
        notes.extend(_header_notes(table.column_names))
    return CsvText(table, mark, notes)


_ENCODING = "Save the file as UTF-8, or name its encoding, such as --encoding latin-1."


def _as_utf8(data: bytes, source: str, encoding: str | None, notes: list[Note]) -> bytes:
    if encoding is None and data.startswith(_UTF8):
        return data[len(_UTF8) :]
    if encoding is None:
        encoding = _utf16(data)
        if encoding is None:
            return data
        notes.append(Note("encoding", f"the file is read as {encoding.upper()}."))
    try:
        text = data.decode(encoding)
    except LookupError:
        raise BayeswoodError(f"There is no encoding '{encoding}'. Try latin-1 or utf-16.") from None
    except UnicodeDecodeError as error:
        raise BayeswoodError(f"{source}: not {encoding} text: {one_line(error)}") from error
    return text.removeprefix("\ufeff").encode()


def _utf16(data: bytes) -> str | None:
    if data.startswith(_UTF16):
        return "utf-16"
    head = data[:400]
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if len(zeros) > 3 and zeros.count(0) > 0.7 * len(zeros):
            return name
    return None


def _without_preamble(data: bytes, notes: list[Note]) -> tuple[bytes, int, str | None]:
    """The bytes from the header on, how many lines come before, and a separator named there."""
    separator, skipped, n_comments = None, 0, 0
    named = _SEPARATOR_LINE.match(data)
    if named:
        separator, skipped, data = named.group(1).decode("latin-1"), 1, data[named.end() :]
    while True:
        line, _, rest = data.partition(b"\n")
        is_comment = line.startswith(_COMMENT) and not _is_marked_header(line, rest)
        if not rest or (line.strip() and not is_comment):
            break
        n_comments += is_comment
        data, skipped = rest, skipped + 1
    if n_comments:
        lines = "line is" if n_comments == 1 else "lines are"
        notes.append(Note("lines", f"{n_comments} comment {lines} skipped before the header."))
    return data, skipped, separator


def _is_marked_header(line: bytes, rest: bytes) -> bool:
    """Whether a line that begins with # names as many columns as the line after it has."""
    following = rest.partition(b"\n")[0]
    counts = [(line.count(mark), following.count(mark)) for mark in (b",", b";", b"\t", b"|")]
    return not following.startswith(_COMMENT) and any(n == m > 0 for n, m in counts)


def _names(body: bytes, separator: str, header: bool) -> list[str]:
    """Names of the columns, by the first record."""
    head = body[: 1 << 20]
    complete = head if len(head) == len(body) else head[: head.rindex(b"\n")]
    text = io.StringIO(_first_record(complete).decode("utf-8"), newline="")
    record = next(iter(csv.reader(text, delimiter=separator)), [])
    return record if header else list(generated_names(len(record)))


def _first_record(head: bytes) -> bytes:
    """The first line; lines go on inside quotes."""
    end = -1
    while True:
        end = head.find(b"\n", end + 1)
        if end < 0:
            return head.partition(b"\r")[0] if b'"' not in head else head
        if head.count(b'"', 0, end) % 2 == 0:
            record = head[:end]
            return record.partition(b"\r")[0] if b'"' not in record else record


@dataclass(frozen=True)
class _Parser:
    separator: str
    header: bool
    na: tuple[str, ...]
    names: list[str]
    skipped: int

    def __call__(self, data: bytes, ragged: Callable[[Any], str] | None = None) -> Any:
        """Parse; `ragged` is told of rows of too many or too few cells, by one thread."""
        import pyarrow as pa
        from pyarrow import csv as arrow

        names = {} if self.header else {"column_names": self.names}
        return arrow.read_csv(
            pa.BufferReader(data),
            read_options=arrow.ReadOptions(
                use_threads=ragged is None,
                block_size=min(max(len(data) + 1, 1024), 1 << 24),
                **names,
            ),
            parse_options=arrow.ParseOptions(
                delimiter=self.separator,
                invalid_row_handler=ragged,
                newlines_in_values=b'"' in data,
            ),
            convert_options=arrow.ConvertOptions(
                column_types={name: pa.string() for name in self.names},
                null_values=[*MISSING_CELLS, *self.na],
                strings_can_be_null=True,
            ),
        )


def _parse(parser: _Parser, data: bytes, source: str, notes: list[Note]) -> Any:
    import pyarrow as pa

    try:
        return parser(data)
    except pa.ArrowInvalid as error:
        failure = error
    bad = _BAD_COLUMN.search(str(failure))
    if bad and "UTF8" in str(failure):
        name = parser.names[int(bad.group(1))]
        raise BayeswoodError(
            f"{source}: column '{name}' holds bytes that are not UTF-8 text. {_ENCODING}"
        ) from failure
    stripped = _without_last_separator(data, parser.separator)
    with suppress(pa.ArrowInvalid):
        table = parser(stripped)
        notes.append(Note("lines", "rows end in a separator too many, which is left out."))
        return table
    ragged = _first_ragged_row(parser, data)
    raise BayeswoodError(f"{source}: {ragged or one_line(failure)}") from failure


def _without_last_separator(data: bytes, separator: str) -> bytes:
    mark = re.escape(separator.encode())
    return re.sub(mark + rb"[ \t]*(?=\r?\n|\r|\Z)", b"", data)


def _first_ragged_row(parser: _Parser, data: bytes) -> str:
    """What is wrong with the first row of too many or too few cells; empty if there is none."""
    import pyarrow as pa

    found: list[str] = []

    def refuse(row: Any) -> str:
        cells = f"{row.actual_columns} cells where the header has {row.expected_columns}"
        number = None if row.number is None else row.number + parser.skipped
        found.append(f"line {number} has {cells}: {one_line(row.text)}")
        return "error"

    with suppress(pa.ArrowInvalid):
        parser(data, refuse)
    return found[0] if found else ""


def _without_empty(table: Any, notes: list[Note]) -> Any:
    """Leave out columns without name or cell, and rows without any cell."""
    names = table.column_names
    empty = [j for j, n in enumerate(names) if not n and table[j].null_count == table.num_rows]
    if empty and len(empty) < len(names):
        table = table.select([j for j in range(len(names)) if j not in empty])
        notes.append(Note("lines", "the last column has neither name nor cells and is left out."))
    if not table.num_columns or not all(column.null_count for column in table.columns):
        return table
    import pyarrow as pa
    import pyarrow.compute as pc

    is_blank = pa.chunked_array([pa.array([True] * table.num_rows)])
    for column in table.columns:
        is_blank = pc.and_(is_blank, pc.is_null(column))
    n_blank = int(pc.sum(is_blank).as_py() or 0)
    # A column by itself may have missing cells; a row of several says nothing without any.
    if table.num_columns > 1 and 0 < n_blank < table.num_rows:
        table = table.filter(pc.invert(is_blank))
        notes.append(Note("lines", f"rows without any cell are left out: {n_blank:,}."))
    return table


def _header_notes(names: list[str]) -> list[Note]:
    """Loud if the names look like a row of data."""
    given = [name for name in names if name]
    numbers = [name for name in given if re.fullmatch(r"[-+]?[\d.,]*\d[\d.,]*(e[-+]?\d+)?", name)]
    if len(numbers) < max(1, (len(given) + 1) // 2) or len(given) == 0:
        return []
    return [
        Note(
            "header",
            f"the first line is taken as names of columns, and {len(numbers)} of {len(given)} are "
            "numbers; if it is a row of data, use --no-header.",
            loud=True,
        )
    ]
