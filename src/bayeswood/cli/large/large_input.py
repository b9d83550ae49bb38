"""Input that is larger than the memory limit: which it is, and what it is fitted with."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayeswood.cli.tables.table_file import BUILTIN, ReadOptions

if TYPE_CHECKING:
    from bayeswood.distributed.files.input_files import InputFile

Verb = TypeVar("Verb", bound=Callable[..., Any])

# A fit in memory holds every cell several times over, as it was read and as it is encoded, in
# 8 bytes; a cell of a CSV file is some 6 bytes of text.
_BYTES_PER_CELL = 32
_CSV_FACTOR, _GZIP_FACTOR = 6, 24
_WITHOUT_MEMORY = 4 * 10**9


def memory_option(verb: Verb) -> Verb:
    """Add ``--memory-limit``."""
    option = click.option(
        "--memory-limit",
        metavar="SIZE",
        help="Read DATA in pieces if it would take more than this, such as 4GB "
        "[default: half of the memory].",
    )
    return option(verb)


def jobs_option(verb: Verb) -> Verb:
    """Add ``--n-jobs``."""
    text = "Threads; -1 for all processors."
    return click.option("--n-jobs", "--jobs", "-j", "n_jobs", type=int, help=text)(verb)


def memory_limit(given: str | None) -> int:
    """The limit in bytes: as given, or half of what the machine has."""
    if given is not None:
        from bayeswood.distributed.tasks.memory import SMALLEST_LIMIT, in_words, parse_bytes

        limit = parse_bytes(given, "--memory-limit", "bayeswood")
        if limit < SMALLEST_LIMIT:
            least = in_words(SMALLEST_LIMIT)
            raise click.UsageError(f"--memory-limit must be at least {least}. Got '{given}'.")
        return limit
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not every system tells
        return _WITHOUT_MEMORY


def is_large(source: str, limit: int) -> bool:
    """Whether DATA is to be read in pieces.

    Folders and patterns are; a single file is if a fit in memory would take more
    than the limit.

    Parameters
    ----------
    source : str
        The DATA argument.
    limit : int
        Bytes.
    """
    if source.startswith(BUILTIN):
        return False
    if not os.path.isfile(source):
        return os.path.isdir(source) or any(mark in source for mark in "*?[")
    kind = file_kind_or_csv(source)
    return bytes_in_memory(source, kind) > limit


def file_kind_or_csv(path: str) -> str:
    """The format of a file; one without a known ending is read as CSV."""
    if path.lower().endswith(".csv"):
        return "csv"
    from bayeswood.distributed.files.input_files import file_kind

    try:
        return file_kind(path)
    except ValueError:
        return "csv"


def bytes_in_memory(path: str, kind: str) -> int:
    """About what a fit to a file of this kind would take, if it were read as a whole."""
    size = os.path.getsize(path)
    if path.lower().endswith(".gz"):
        return _GZIP_FACTOR * size
    if kind == "csv":
        return _CSV_FACTOR * size
    from bayeswood.distributed.files.file_types import inspect_file

    try:
        found = inspect_file(path)
    except ValueError:  # whoever reads the file says what is wrong with it
        return 0
    return _BYTES_PER_CELL * found.n_rows * len(found.types)


def refuse_reading(options: ReadOptions) -> None:
    """Refuse options that say how cells are written: rows in pieces are read as they are."""
    if options.given:
        raise click.UsageError(
            f"{options.given[0]} needs all rows in memory, and DATA is read in pieces. Raise "
            "--memory-limit, or write the numbers plainly and missing cells empty."
        )


def large_files(source: str) -> list[InputFile]:
    """The files that DATA stands for."""
    from bayeswood.distributed.files.file_types import inspect_file
    from bayeswood.distributed.files.input_files import find_files

    return [inspect_file(path) for path in find_files(source, "bayeswood")]
