"""The bytes of a table and their format: by the ending of a name, or by how they begin."""

from __future__ import annotations

import gzip
import os
import sys
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from bayeswood.errors import BayeswoodError, MissingFileError
from bayeswood.table.csv_format import one_line

Format = Literal["csv", "parquet", "arrow", "json"]
Source = str | os.PathLike[str] | BinaryIO

#: Stands for the standard input.
STANDARD_INPUT = "-"
_ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
}
_BEGINNINGS: tuple[tuple[bytes, Format], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "arrow"),
    (b"{", "json"),
)
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class OpenSource:
    """The bytes of a table.

    Attributes
    ----------
    data : bytes
    kind : {"csv", "parquet", "arrow", "json"}
    name : str
        What it is called in errors.
    """

    data: bytes
    kind: Format
    name: str


def open_source(source: Source) -> OpenSource:
    """Read a file, a stream or the standard input.

    Parameters
    ----------
    source : str, path-like or binary stream
        ``"-"`` is the standard input.
    """
    need_pyarrow()
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        is_input = path == STANDARD_INPUT
        name = "standard input" if is_input else path
        data = sys.stdin.buffer.read() if is_input else _file_bytes(path)
    elif hasattr(source, "read"):
        name, data = str(getattr(source, "name", "the stream")), source.read()
    else:
        raise BayeswoodError(
            "The 'source' parameter of read_table must be a path, '-' or a binary stream. Got "
            f"{type(source).__name__} instead."
        )
    if not isinstance(data, bytes):
        raise BayeswoodError("The 'source' parameter of read_table must be open in binary mode.")
    data = _unpacked(data, name)
    return OpenSource(data, _format(name, data), name)


def need_pyarrow() -> None:
    """Say what to install where tables cannot be read."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ModuleNotFoundError(
            "read_table reads files with pyarrow: pip install 'bayeswood[parquet]'", name="pyarrow"
        ) from error


def _file_bytes(path: str) -> bytes:
    if os.path.isdir(path):
        raise BayeswoodError(f"'{path}' is a folder, not a data file.")
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise MissingFileError(f"No file '{path}'.") from error


def _unpacked(data: bytes, name: str) -> bytes:
    if not (data.startswith(_GZIP) or name.lower().endswith(".gz")):
        return data
    try:
        return gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, OSError) as error:
        raise BayeswoodError(f"{name}: not a whole gzip file: {one_line(error)}") from error


def _format(name: str, data: bytes) -> Format:
    lowered = name.lower().removesuffix(".gz")
    for ending, kind in _ENDINGS.items():
        if lowered.endswith(ending):
            return kind
    begin = data[:16].lstrip()
    return next((kind for mark, kind in _BEGINNINGS if begin.startswith(mark)), "csv")


def typed_table(opened: OpenSource) -> Any:
    """A table of a format that knows the types of its columns."""
    import pyarrow as pa

    read = {"parquet": _parquet, "arrow": _arrow, "json": _json}[opened.kind]
    try:
        table = read(opened.data)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, OSError) as error:
        words = {"parquet": "Parquet", "arrow": "Arrow", "json": "JSON Lines"}[opened.kind]
        raise BayeswoodError(
            f"{opened.name}: not a readable {words} file: {one_line(error)}"
        ) from error
    # pandas keeps its row labels in columns of these names.
    return table.select([n for n in table.column_names if not n.startswith("__index_level_")])


def _parquet(data: bytes) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(data))


def _arrow(data: bytes) -> Any:
    import pyarrow as pa

    if data.startswith(b"FEA1"):
        import pyarrow.feather as feather

        return feather.read_table(pa.BufferReader(data))
    if data.startswith(b"ARROW1"):
        with pa.ipc.open_file(pa.BufferReader(data)) as reader:
            return reader.read_all()
    with pa.ipc.open_stream(pa.BufferReader(data)) as reader:
        return reader.read_all()


def _json(data: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import json as arrow_json

    if not data.strip():
        raise pa.ArrowInvalid("the file is empty")
    try:
        block = min(max(len(data) + 1, 1024), 2**31 - 1)
        options = arrow_json.ReadOptions(block_size=block)
        return arrow_json.read_json(pa.BufferReader(data), read_options=options)
    except pa.ArrowInvalid:
        return _mixed_json(data)


def _mixed_json(data: bytes) -> Any:
    """Columns that hold numbers here and words there become text."""
    import json

    import pyarrow as pa

    rows: list[dict[str, Any]] = []
    for number, line in enumerate(data.decode("utf-8-sig", errors="strict").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise pa.ArrowInvalid(f"line {number}: {error}") from error
        if not isinstance(row, dict):
            raise pa.ArrowInvalid(f"line {number} is not an object")
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows], name) for name in names})


def _column(values: list[Any], name: str) -> Any:
    import json

    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if kinds & {list, dict}:
        raise pa.ArrowInvalid(f"column '{name}' holds lists or objects")
    if len(kinds) > 1 and not kinds <= {int, float}:
        values = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pa.array(values)
