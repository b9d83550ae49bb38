"""Read tables of every kind; write CSV (also gzipped) and Parquet. All through pyarrow."""

import io
from csv import writer as text_writer
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayeswood.errors import BayeswoodError
from bayeswood.table.arrow_functions import matches, some
from bayeswood.table.csv_format import MISSING_CELLS
from bayeswood.table.reading import ReadTable
from bayeswood.table.reading import read_table as read_file

BUILTIN = "builtin:"
DEFAULT_DATA = f"{BUILTIN}breast_cancer_wisconsin"
_PARQUET_ENDINGS = (".parquet", ".pq")
OUTPUT_ENDINGS = (".csv", ".csv.gz", *_PARQUET_ENDINGS)


@dataclass(frozen=True)
class ReadOptions:
    """The options that say how DATA is written; the help says what each means."""

    na: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True
    encoding: str | None = None
    day_first: bool | None = None

    @property
    def given(self) -> list[str]:
        """The options that are not at their defaults, as the user writes them."""
        names = {
            "na": "--na",
            "decimal": "--decimal",
            "thousands": "--thousands",
            "header": "--no-header",
            "encoding": "--encoding",
            "day_first": "--day-first" if self.day_first else "--month-first",
        }
        plain = vars(ReadOptions())
        return [option for name, option in names.items() if getattr(self, name) != plain[name]]


def read_table(source: str, options: ReadOptions | None = None, **others: Any) -> ReadTable:
    """Read a table from a file, the standard input or a bundled data set.

    Parameters
    ----------
    source : str
        A path, ``-`` for the standard input, or ``builtin:NAME`` for a bundled data set.
    options : ReadOptions, optional
        How it is written.
    **others : Any
        As of `bayeswood.read_table`.

    Returns
    -------
    ReadTable
        With at least one row and distinct column names.
    """
    file: Any = source_path(source) if source.startswith(BUILTIN) else source
    return read_file(file, **vars(options or ReadOptions()), **others)


def source_path(source: str) -> Path:
    """The file behind a DATA argument."""
    if source.startswith(BUILTIN):
        from bayeswood.datasets import builtin_path

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

    kind = kind_of or path
    if is_parquet(kind):
        import pyarrow.parquet as pq

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

    special = '[",\r\n]|^(' + "|".join(MISSING_CELLS) + ")$"
    texts = [column for column in table.columns if pa.types.is_string(column.type)]
    return any(some(matches(text, special)) for text in texts)
