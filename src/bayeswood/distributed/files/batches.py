"""Rows of a file, a batch at a time, in a memory that does not grow with the file."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from bayeswood.distributed.files.input_files import InputFile
from bayeswood.errors import BayeswoodError
from bayeswood.table.csv_format import cell_options, find_delimiter, one_line

#: Bytes of CSV text read at a time.
CSV_BLOCK = 1 << 22
#: Bytes of a Parquet column read at a time; without it a whole row group is held.
READ_BUFFER = 1 << 20


def read_batches(
    file: InputFile,
    columns: Sequence[str],
    groups: range | None = None,
    batch_rows: int = 65_536,
) -> Iterator[Any]:
    """Read some row groups of a file.

    Parameters
    ----------
    file : InputFile
        The file, with the types its columns are to have.
    columns : sequence of str
        Columns to read, in the order they are wanted.
    groups : range, default=None
        Which row groups; None for all. A CSV file has one.
    batch_rows : int, default=65536
        Most rows of a batch.

    Yields
    ------
    pyarrow.RecordBatch
        Rows in the order of the file.
    """
    wanted = range(len(file.group_rows)) if groups is None else groups
    readers = {"parquet": _parquet, "csv": _csv, "arrow": _arrow}
    try:
        for batch in readers[file.kind](file, list(columns), wanted, batch_rows):
            for start in range(0, batch.num_rows, batch_rows):
                yield batch.slice(start, batch_rows).select(list(columns))
    except _arrow_errors() as error:
        raise BayeswoodError(f"'{file.path}' cannot be read: {one_line(error)}") from error


def _parquet(file: InputFile, columns: list[str], groups: range, rows: int) -> Iterator[Any]:
    import pyarrow.parquet as pq

    # Read ahead and decoding threads would hold several row groups at once.
    with pq.ParquetFile(file.path, pre_buffer=False, buffer_size=READ_BUFFER) as source:
        yield from source.iter_batches(
            batch_size=rows, row_groups=list(groups), columns=columns, use_threads=False
        )


def _arrow(file: InputFile, columns: list[str], groups: range, rows: int) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(file.path) as source, pa.ipc.open_file(source) as reader:
        for group in groups:
            yield reader.get_batch(group)


def _csv(file: InputFile, columns: list[str], groups: range, rows: int) -> Iterator[Any]:
    if len(groups):
        yield from open_csv(file.path, file.types, columns)


def open_csv(path: str, types: dict[str, str], columns: Sequence[str] = ()) -> Any:
    """A streaming reader of a CSV file.

    Parameters
    ----------
    path : str
        The file; gzipped if its name ends in ``.gz``.
    types : dict of str to str
        Types of columns that are not to be inferred from the first block.
    columns : sequence of str, default=()
        The columns wanted; all if empty.
    """
    import pyarrow as pa
    from pyarrow import csv

    return csv.open_csv(
        pa.input_stream(path, compression="detect"),
        read_options=csv.ReadOptions(use_threads=False, block_size=CSV_BLOCK),
        parse_options=csv.ParseOptions(delimiter=_delimiter(path)),
        convert_options=cell_options(
            {name: pa.type_for_alias(kind) for name, kind in types.items()}, columns
        ),
    )


def _delimiter(path: str) -> str:
    import pyarrow as pa

    with pa.input_stream(path, compression="detect") as stream:
        return find_delimiter(stream.read(1 << 16), errors="replace")


def _arrow_errors() -> tuple[type[Exception], ...]:
    import pyarrow as pa

    return (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, pa.ArrowIOError)


def same_file(file: InputFile) -> bool:
    """Whether a file is still as it was when it was first looked at."""
    try:
        found = os.stat(file.path)
    except OSError:
        return False
    return found.st_size == file.n_bytes and found.st_mtime_ns == file.modified_ns
