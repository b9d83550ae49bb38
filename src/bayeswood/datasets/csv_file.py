"""The columns of a gzipped CSV file: read, written, and proven by a digest.

Which columns are text is known beforehand, so nothing is guessed. pyarrow reads where it is
installed, the standard library where it is not, and both give the same bits.
"""

import csv
import gzip
import hashlib
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: float64 with NaN, or objects: text with None where a cell is missing.
Columns = dict[str, NDArray[Any]]

_ROWS_AT_ONCE = 10_000


def parse_columns(data: bytes, text_columns: Collection[str]) -> Columns:
    """Read the columns of a gzipped CSV file.

    Parameters
    ----------
    data : bytes
        UTF-8, with a header; an empty cell is a missing value.
    text_columns : collection of str
        The columns that are text; all others must be numbers.

    Raises
    ------
    OSError, EOFError or ValueError
        If the bytes are not such a file.
    """
    text = gzip.decompress(data)
    names = next(csv.reader([text[: text.find(b"\n")].decode()]), [])
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError:
        return _parse_plainly(text.decode(), names, text_columns)
    return _parse_with_arrow(text, names, text_columns)


def _parse_with_arrow(text: bytes, names: Sequence[str], text_columns: Collection[str]) -> Columns:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    types = {name: pa.string() if name in text_columns else pa.float64() for name in names}
    options = arrow_csv.ConvertOptions(
        column_types=types, null_values=[""], strings_can_be_null=True
    )
    table = arrow_csv.read_csv(pa.BufferReader(text), convert_options=options)
    return {name: table[name].to_numpy() for name in names}


def _parse_plainly(text: str, names: Sequence[str], text_columns: Collection[str]) -> Columns:
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    rows = csv.reader(io.StringIO(text, newline=""))
    next(rows, None)
    while block := list(islice(rows, _ROWS_AT_ONCE)):
        for name, cells in zip(names, zip(*block, strict=True), strict=True):
            parts[name].append(_text(cells) if name in text_columns else _numbers(cells))
    return {name: np.concatenate(found) for name, found in parts.items()}


def _text(cells: Sequence[str]) -> NDArray[np.object_]:
    return np.array([cell or None for cell in cells], dtype=object)


def _numbers(cells: Sequence[str]) -> NDArray[np.float64]:
    return np.array([float(cell) if cell else np.nan for cell in cells])


def format_columns(columns: Columns) -> bytes:
    """The bytes of a file that `parse_columns` reads back; the same columns give the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as packed:
        for text in _csv_blocks(columns):
            packed.write(text.encode())
    return buffer.getvalue()


def _csv_blocks(columns: Columns) -> Iterator[str]:
    natural = [whole_as_integers(column) for column in columns.values()]
    yield _csv_text([columns])
    for start in range(0, len(natural[0]), _ROWS_AT_ONCE):
        block = slice(start, start + _ROWS_AT_ONCE)
        yield _csv_text(zip(*(_cells(column[block]) for column in natural), strict=True))


def _csv_text(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cells(column: NDArray[Any]) -> list[Any]:
    """What the CSV writer spells: it leaves a cell empty for None."""
    if column.dtype.kind == "f":
        return [None if np.isnan(value) else value for value in column.tolist()]
    return list(column.tolist())


def whole_as_integers(column: NDArray[Any]) -> NDArray[Any]:
    """Numbers as int64 if all are whole and none is missing; everything else as it is."""
    if column.dtype == object or not np.array_equal(column, np.trunc(column)):
        return column
    return column.astype(np.int64)


def digest_of_cells(columns: Columns) -> str:
    """SHA-256 of all cells, column by column: numbers by their value, text by its spelling.

    Two files that differ in how numbers are written, or how the bytes are packed, have the same.
    """
    digest = hashlib.sha256()
    for column in columns.values():
        if column.dtype == object:
            digest.update("\n".join(cell or "" for cell in column).encode())
        else:
            # One zero (not -0.0), and one NaN.
            numbers = np.where(np.isnan(column), np.nan, column + 0.0)
            digest.update(numbers.astype("<f8").tobytes())
        digest.update(b"\0")
    return digest.hexdigest()
