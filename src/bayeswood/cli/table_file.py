"""Read and write tables: CSV (also gzipped) and Parquet, through pyarrow."""

import gzip
import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from csv import writer as text_writer
from pathlib import Path
from typing import Any

from bayeswood.datasets import builtin_path
from bayeswood.errors import BayeswoodError
from bayeswood.table.csv_format import MISSING_CELLS, cell_options, find_delimiter, one_line

BUILTIN = "builtin:"
_PARQUET_ENDINGS = (".parquet", ".pq")
OUTPUT_ENDINGS = (".csv", ".csv.gz", *_PARQUET_ENDINGS)


def read_table(source: str, *, types: Mapping[str, Any] | None = None) -> Any:
    """Read a table from a file, by the ending of its name.

    Parameters
    ----------
    source : str
        A path, or ``builtin:NAME`` for a bundled data set.
    types : mapping of str to pyarrow.DataType, optional
        Types of CSV columns that are not to be inferred.

    Returns
    -------
    pyarrow.Table
        With at least one row and distinct column names. Text that is not UTF-8 is refused.
    """
    path = source_path(source)
    if not path.exists():
        raise BayeswoodError(f"No file '{source}'.")
    if path.is_dir():
        raise BayeswoodError(f"'{source}' is a folder, not a data file.")
    table = _read_parquet(path) if is_parquet(path) else _read_csv(path, types or {})
    _check_table(table, source)
    return table


def source_path(source: str) -> Path:
    """The file behind a DATA argument."""
    if source.startswith(BUILTIN):
        return builtin_path(source.removeprefix(BUILTIN))
    return Path(source)


def check_ending(path: Path, option: str) -> None:
    """Refuse a name that promises another format than CSV or Parquet.

    Parameters
    ----------
    path : Path
        Where a table is to be written.
    option : str
        The option that names it, for the message.
    """
    if not path.name.lower().endswith(OUTPUT_ENDINGS):
        endings = ", ".join(OUTPUT_ENDINGS)
        raise BayeswoodError(f"{option} must end in {endings}. Got '{path}' instead.")


def is_parquet(path: Path) -> bool:
    """Whether the name says Parquet; anything else is CSV."""
    return path.suffix.lower() in _PARQUET_ENDINGS


def _read_parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise BayeswoodError(f"{path}: not a readable Parquet file: {one_line(error)}") from error
    # pandas keeps its row labels in columns of these names.
    return table.select([n for n in table.column_names if not n.startswith("__index_level_")])


def _read_csv(path: Path, types: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    try:
        data = path.read_bytes()
        if path.suffix.lower() == ".gz":
            data = gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError) as error:
        raise BayeswoodError(f"{path}: not a whole gzip file: {one_line(error)}") from error
    if not data.strip():
        raise BayeswoodError(f"{path}: the file is empty.")
    try:
        return _parse_csv(data, types, block_size=None)
    except UnicodeDecodeError as error:
        raise BayeswoodError(f"{path}: the header is not UTF-8 text.") from error
    except pa.ArrowInvalid:
        pass
    # Types are inferred from the first block alone and may not suit a later one: once more with
    # the whole file as one block, and if it still fails the file is at fault.
    try:
        return _parse_csv(data, types, block_size=min(len(data) + 1, 2**31 - 1))
    except pa.ArrowInvalid as error:
        ragged = _first_ragged_row(data)
        raise BayeswoodError(f"{path}: {ragged or one_line(error)}") from error


def _first_ragged_row(data: bytes) -> str:
    """What is wrong with the first row of too many or too few cells; empty if there is none."""
    import pyarrow as pa

    found: list[str] = []

    def refuse(row: Any) -> str:
        cells = f"{row.actual_columns} cells where the header has {row.expected_columns}"
        found.append(f"line {row.number} has {cells}: {one_line(row.text)}")
        return "error"

    with suppress(pa.ArrowInvalid):
        _parse_csv(data, {}, block_size=None, ragged=refuse)
    return found[0] if found else ""


def _parse_csv(
    data: bytes,
    types: Mapping[str, Any],
    block_size: int | None,
    ragged: Callable[[Any], str] | None = None,
) -> Any:
    """Parse; `ragged` is told of rows of too many or too few cells, by one thread that counts."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(block_size=block_size, use_threads=ragged is None),
        parse_options=csv.ParseOptions(delimiter=find_delimiter(data), invalid_row_handler=ragged),
        convert_options=cell_options(types),
    )


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


def write_table(table: Any, path: Path, *, kind_of: Path | None = None) -> None:
    """Write CSV, gzipped CSV or Parquet.

    Parameters
    ----------
    table : pyarrow.Table
    path : Path
        Where to write.
    kind_of : Path, optional
        The name whose ending decides on the format; ``path`` itself by default.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = kind_of or path
    if is_parquet(kind):
        pq.write_table(table, path)
        return
    compression = "gzip" if kind.suffix.lower() == ".gz" else None
    with pa.output_stream(path, compression=compression) as stream:
        write_csv(table, stream)


def write_csv(table: Any, stream: Any) -> None:
    """Write CSV to a binary stream; text is quoted only if some of it has to be.

    Parameters
    ----------
    table : pyarrow.Table
    stream : binary file
    """
    from pyarrow import csv

    header = io.StringIO(newline="")
    text_writer(header, lineterminator="\n").writerow(table.column_names)
    stream.write(header.getvalue().encode())
    style = "needed" if _needs_quotes(table) else "none"
    csv.write_csv(table, stream, csv.WriteOptions(include_header=False, quoting_style=style))


def _needs_quotes(table: Any) -> bool:
    """Whether some text would be misread without quotes, as a delimiter or as a missing cell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    special = '[",\r\n]|^(' + "|".join(MISSING_CELLS) + ")$"
    texts = [column for column in table.columns if pa.types.is_string(column.type)]
    return any(pc.any(pc.match_substring_regex(text, special)).as_py() for text in texts)
