"""Columns, types and exact row counts of every file, known before a row is used.

A reader of several files that fills a missing column with nulls or casts a changed type would
train on something nobody wrote. Here such a difference is an error that names file and column.
"""

import os
import re
from collections.abc import Sequence
from typing import Any

from bayeswood.distributed.files.batches import open_csv
from bayeswood.distributed.files.input_files import InputFile, file_kind
from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.csv_format import one_line

# What a CSV column may turn out to be after its first block: each type holds those before it.
_WIDER = {"null": "int64", "int64": "double", "double": "string", "bool": "string"}
_NUMBERS = ("int64", "double")
_CSV_COLUMN = re.compile(r"In CSV column #(\d+)")


def inspect_file(path: str) -> InputFile:
    """Read what a file says of itself; a CSV file says nothing and is read through.

    Parameters
    ----------
    path : str
        A Parquet, CSV or Arrow IPC file.
    """
    kind = file_kind(path)
    found = os.stat(path)
    if found.st_size == 0:
        raise BayeswoodError(f"'{path}' is empty: it has no bytes.")
    look = {"parquet": _look_at_parquet, "csv": _look_at_csv, "arrow": _look_at_arrow}[kind]
    import pyarrow as pa

    try:
        types, group_rows = look(path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowIOError) as error:
        words = {"parquet": "a Parquet", "csv": "a CSV", "arrow": "an Arrow IPC"}[kind]
        raise BayeswoodError(
            f"'{path}' is not a readable {words[words.index(' ') + 1 :]} file: {one_line(error)}"
        ) from error
    return InputFile(path, kind, found.st_size, found.st_mtime_ns, tuple(group_rows), types)


def _look_at_parquet(path: str) -> tuple[dict[str, str], list[int]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False) as source:
        meta = source.metadata
        rows = [meta.row_group(group).num_rows for group in range(meta.num_row_groups)]
        return _types(source.schema_arrow, path), rows


def _look_at_arrow(path: str) -> tuple[dict[str, str], list[int]]:
    import pyarrow as pa

    with pa.memory_map(path) as source, pa.ipc.open_file(source) as reader:
        batches = range(reader.num_record_batches)
        rows = [reader.get_batch(batch).num_rows for batch in batches]
        return _types(reader.schema, path), rows


def _look_at_csv(path: str) -> tuple[dict[str, str], list[int]]:
    """Types that hold every row: begun with those of the first block, widened where one fails."""
    import pyarrow as pa

    types: dict[str, str] = {}
    while True:
        reader = open_csv(path, types)
        found = _types(reader.schema, path)
        try:
            n_rows = sum(batch.num_rows for batch in reader)
        except pa.ArrowInvalid as error:
            types = _widened(found, error)
            continue
        return found, [n_rows]


def _widened(types: dict[str, str], error: Exception) -> dict[str, str]:
    """Types with the column that an error names made wider; the error itself if none is."""
    match = _CSV_COLUMN.search(str(error))
    if match is None:
        raise error
    name = list(types)[int(match.group(1))]
    kind = types[name]
    if kind == "string":
        raise error
    # What is neither number nor truth value, such as a date, is text.
    return {**types, name: _WIDER.get(kind, "string")}


def _types(schema: Any, path: str) -> dict[str, str]:
    names = list(schema.names)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise BayeswoodError(f"'{path}' has two columns of the name {repeated[0]!r}.")
    # pandas keeps its row labels in columns of these names.
    own = [field for field in schema if not field.name.startswith("__index_level_")]
    return {field.name: spelling(field.type) for field in own}


def spelling(kind: Any) -> str:
    """A type by what it holds, not by how: text is text, packed as a dictionary or not.

    Examples
    --------
    >>> import pyarrow as pa
    >>> spelling(pa.large_string()), spelling(pa.dictionary(pa.int8(), pa.string()))
    ('string', 'dictionary of string')
    """
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return f"dictionary of {spelling(kind.value_type)}"
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    view = getattr(pa.types, "is_string_view", lambda _: False)
    return "string" if text or view(kind) else str(kind)


def agreed_types(files: Sequence[InputFile], columns: Sequence[str], owner: str) -> dict[str, str]:
    """The type that each column has in all files.

    Parameters
    ----------
    files : sequence of InputFile
        As `inspect_file` gives them.
    columns : sequence of str
        Columns that are used; others may come and go.
    owner : str
        Who reads them, for the errors.

    Raises
    ------
    BayeswoodError
        If a file lacks a column, or holds it in another type than the file before; it names both.
    """
    agreed: dict[str, str] = {}
    first: dict[str, str] = {}
    for file in files:
        for name in columns:
            if name not in file.types:
                raise BayeswoodError(_lacking(file, name, files[0], owner))
            known, found = agreed.get(name), file.types[name]
            joined = found if known is None else _joined(known, found, file, name, first[name])
            agreed[name] = joined
            if known is None or known == "null":
                first[name] = file.path
    return agreed


def _joined(known: str, found: str, file: InputFile, name: str, before: str) -> str:
    """One type for a column of two files."""
    if known == found or {known, found} == {"string", "dictionary of string"}:
        return "string" if known != found else known
    # A CSV file has no types: whole numbers here and decimals there are both numbers, and a
    # column without a value can be anything.
    if file.kind == "csv":
        if known in _NUMBERS and found in _NUMBERS:
            return "double"
        if "null" in (known, found):
            return found if known == "null" else known
    raise DataTypeError(
        f"Column {name!r} of '{file.path}' holds {words_of(found)}, but that of '{before}' holds "
        f"{words_of(known)}. A column must have one type in all files; write it anew in one of "
        "them."
    )


def words_of(kind: str) -> str:
    """A type in words.

    Examples
    --------
    >>> words_of("double"), words_of("string")
    ('numbers (double)', 'strings')
    """
    if kind == "string":
        return "strings"
    if kind == "null":
        return "no values (null)"
    number = re.fullmatch(r"u?int\d+|float|double|halffloat|decimal.*", kind)
    return f"numbers ({kind})" if number else f"values of type {kind}"


def _lacking(file: InputFile, name: str, first: InputFile, owner: str) -> str:
    where = f"'{file.path}' has no column {name!r}"
    if file is first:
        return f"{where}, which {owner} needs. It has: {', '.join(list(file.types)[:12])}."
    return f"{where}, which '{first.path}' has. Every file must have all columns that are used."


def unified(files: Sequence[InputFile], types: dict[str, str]) -> list[InputFile]:
    """The files with the types that CSV columns are to be read in."""
    return [
        InputFile(
            file.path,
            file.kind,
            file.n_bytes,
            file.modified_ns,
            file.group_rows,
            {name: types.get(name, kind) for name, kind in file.types.items()}
            if file.kind == "csv"
            else file.types,
        )
        for file in files
    ]
