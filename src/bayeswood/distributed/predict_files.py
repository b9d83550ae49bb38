"""Predictions of files, a batch at a time, into one file that appears when it is whole."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from bayeswood.distributed.files.batches import read_batches
from bayeswood.distributed.files.encoding import naming_rows
from bayeswood.distributed.files.file_types import agreed_types, inspect_file, unified
from bayeswood.distributed.files.input_files import InputFile, Paths, file_kind, find_files
from bayeswood.distributed.tasks.work_folder import full_disk, publish
from bayeswood.errors import BayeswoodError
from bayeswood.progress import rows_bar
from bayeswood.table import Schema

Predict = Callable[[Any], dict[str, Any]]


def predict_files(
    paths: Paths,
    out: str | os.PathLike[str],
    predict: Predict,
    *,
    schema: Schema,
    keep: Sequence[str] = (),
    batch_rows: int = 65_536,
    owner: str,
    show_progress: bool = False,
) -> int:
    """Predict the rows of files in their order.

    Parameters
    ----------
    paths : str, path-like, or sequence of these
        Files, folders and patterns.
    out : path-like
        Where to write.
    predict : callable
        Takes a pyarrow table of the features and gives columns.
    schema : Schema
        The features.
    keep : sequence of str, default=()
        Columns to copy before the predictions.
    batch_rows : int, default=65536
        Rows at a time.
    owner : str
        Who predicts, for the errors.
    show_progress : bool, default=False
        Whether to draw a bar on a terminal.

    Returns
    -------
    int
        Rows written.
    """
    files = checked_files(paths, schema, keep, owner)
    place = Path(out)
    if os.path.abspath(place) in [file.path for file in files]:
        raise BayeswoodError(f"{owner} cannot write '{place}': it is one of the files to predict.")
    total, done = sum(file.n_rows for file in files), 0
    if not total:
        raise BayeswoodError(f"The files given to {owner} have no rows.")
    with (
        rows_bar("Predicting", total, show=show_progress) as advance,
        table_file(place) as write,
    ):
        for file in files:
            for table in predicted_tables(file, predict, schema, keep, batch_rows):
                write(table)
                done += table.num_rows
                advance(table.num_rows)
    return done


def checked_files(paths: Paths, schema: Schema, keep: Sequence[str], owner: str) -> list[InputFile]:
    """The files to predict, with the columns that are needed in the types that the model knows."""
    files = [inspect_file(path) for path in find_files(paths, owner)]
    # Words that look like numbers stay words in a CSV file if the model knows them as such.
    words = {c.name: "string" for c in schema.columns if c.level_type is str}
    words |= {name: "string" for name, how in schema.reading.written.items() if not how.is_plain}
    files = [
        replace(file, types={n: words.get(n, kind) for n, kind in file.types.items()})
        if file.kind == "csv"
        else file
        for file in files
    ]
    columns = list(dict.fromkeys([*schema.input_names, *keep]))
    return unified(files, agreed_types(files, columns, owner))


def predicted_tables(
    file: InputFile,
    predict: Predict,
    schema: Schema,
    keep: Sequence[str],
    batch_rows: int,
    groups: range | None = None,
    first_row: int = 0,
) -> Iterator[Any]:
    """Tables of predictions of one file, or of some of its row groups from `first_row` on."""
    import pyarrow as pa

    from bayeswood.table.reading.later_rows import read_as_trained

    columns = list(dict.fromkeys([*schema.input_names, *keep]))
    row = first_row
    for batch in read_batches(file, columns, groups, batch_rows):
        if batch.num_rows:
            with naming_rows(file.path, row, batch.num_rows):
                table = pa.Table.from_batches([batch.select(list(schema.input_names))])
                found = predict(read_as_trained(table, schema))
            copied = {name: batch.column(name) for name in keep}
            clash = sorted(set(copied) & set(found))
            if clash:
                raise BayeswoodError(f"The predictions have a column {clash[0]!r} of their own.")
            yield pa.table({**copied, **found})
        row += batch.num_rows


@contextmanager
def table_file(place: Path) -> Iterator[Callable[[Any], None]]:
    """A function that appends tables to a file, which gets its name at the end."""
    kind = file_kind(str(place))
    beside = place.with_name(f".{place.name}.{os.getpid()}-{token_hex(6)}.part")
    opened: list[Any] = []

    def write(table: Any) -> None:
        if not opened:
            opened.append(_writer(beside, place, kind, table.schema))
        opened[0].write_table(table)

    try:
        yield write
        opened[0].close()
        publish(beside, place, sync=True)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise full_disk(error, f"'{place.parent}'", "Make room, and predict again.") from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _writer(beside: Path, place: Path, kind: str, schema: Any) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    if kind == "parquet":
        return pq.ParquetWriter(beside, schema)
    if kind == "arrow":
        return pa.ipc.new_file(str(beside), schema)
    packed = "gzip" if place.name.lower().endswith(".gz") else None
    return csv.CSVWriter(pa.output_stream(beside, compression=packed), schema)
