"""Where the file of a data set may lie on this machine, and how a copy is proven there."""

import hashlib
import os
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.datasets.catalogue import TARGET, Facts
from bayeswood.datasets.csv_file import (
    Columns,
    digest_of_cells,
    format_columns,
    parse_columns,
)
from bayeswood.errors import DataSetError, warn_user

VARIABLE = "BAYESWOOD_DATA"
FOLDER, CACHE, BUNDLED = "folder", "cache", "bundled"
BUNDLE = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Places:
    """The folders that are looked through, in this order, before the package itself.

    Attributes
    ----------
    folder : Path or None
        Of files as they were published with their digests.
    cache : Path
        Of what was fetched.
    """

    folder: Path | None
    cache: Path

    def find(self, facts: Facts) -> tuple[str, Path] | None:
        """The first place that has the file, and its path."""
        for place, folder in ((FOLDER, self.folder), (CACHE, self.cache), (BUNDLED, BUNDLE)):
            if folder is not None and (folder / facts.file).is_file():
                return place, folder / facts.file
        return None

    def __str__(self) -> str:
        folder = f"{VARIABLE} is not set" if self.folder is None else f"not in {self.folder}"
        return f"{folder}, not in the cache {self.cache}, not in the package"


def find_places(
    folder: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None
) -> Places:
    """The folders to look through.

    Parameters
    ----------
    folder : path-like, default None
        In place of the one that the environment variable BAYESWOOD_DATA names.
    cache : path-like, default None
        In place of the folder ``bayeswood`` in scikit-learn's data home.
    """
    return Places(data_folder(folder), _cache_folder() if cache is None else Path(cache))


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path | None:
    """The folder of data files that is named, or else that BAYESWOOD_DATA names.

    Parameters
    ----------
    folder : path-like, default None

    Returns
    -------
    Path or None

    Examples
    --------
    >>> from bayeswood import datasets
    >>> datasets.data_folder(".").is_dir()
    True
    """
    value = os.environ.get(VARIABLE) if folder is None else os.fspath(folder)
    if not value:
        return None
    if not Path(value).is_dir():
        what = f"The environment variable {VARIABLE}" if folder is None else "'folder'"
        raise DataSetError(f"{what} must name a folder. Got '{value}' instead.")
    return Path(value)


def _cache_folder() -> Path:
    """The folder in scikit-learn's data home, whose place is asked for without making it."""
    home = os.environ.get("SCIKIT_LEARN_DATA", os.path.join("~", "scikit_learn_data"))
    return Path(home).expanduser() / "bayeswood"


def read_place(facts: Facts, place: str, path: Path) -> Columns:
    """The columns of a file, proven: by the file's digest, or in the cache by that of its cells.

    Parameters
    ----------
    facts : Facts
    place : str
    path : Path

    Raises
    ------
    DataSetError
        If the file is damaged or another one.
    """
    try:
        data = path.read_bytes()
        if place != CACHE:
            _check_file(facts, path, data)
        columns = parse_columns(data, facts.text_columns)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        if isinstance(error, DataSetError):
            raise
        raise DataSetError(f"{path} cannot be read ({error}). Delete or replace it.") from error
    if place == CACHE:
        check_columns(facts, columns, f"{path}", "Delete it, and it will be fetched again.")
    return columns


def _check_file(facts: Facts, path: Path, data: bytes) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != facts.sha256:
        raise DataSetError(
            f"{path} is not the data set '{facts.name}': its SHA-256 is {found[:12]}…, not "
            f"{facts.sha256[:12]}…. Replace the file, or take it away."
        )


def check_columns(facts: Facts, columns: Columns, whose: str, advice: str) -> None:
    """Refuse columns that are not those of the data set, cell by cell and in the same order.

    Parameters
    ----------
    facts : Facts
    columns : dict of str to ndarray
    whose : str
        Where they come from, for the message.
    advice : str
        What to do about it.

    Raises
    ------
    DataSetError
        That names the first thing in which they differ.
    """
    differs = _first_difference(facts, columns)
    if differs:
        raise DataSetError(f"{whose}: this is not the data set '{facts.name}': {differs}. {advice}")


def _first_difference(facts: Facts, columns: Columns) -> str:
    n_rows = len(next(iter(columns.values()), ()))
    if n_rows != facts.rows:
        return f"it has {n_rows:,} rows, not {facts.rows:,}"
    if tuple(columns) != facts.columns:
        return f"its columns are {_shortened(columns)}, not {_shortened(facts.columns)}"
    if facts.classes:
        counts, known = _count_labels(columns[TARGET]), dict(sorted(facts.classes.items()))
        if counts != known:
            return f"its classes are {counts}, not {known}"
    n_missing = sum(_count_missing(column) for column in columns.values())
    if n_missing != facts.missing:
        return f"it lacks {n_missing:,} cells, not {facts.missing:,}"
    if digest_of_cells(columns) != facts.cells:
        return "its cells differ, or the order of its rows"
    return ""


def _shortened(names: Iterable[str]) -> str:
    """How many names there are, and the first of them."""
    listed = list(names)
    return f"{len(listed)} ({', '.join(listed[:3])}, …)"


def _count_labels(labels: NDArray[Any]) -> dict[str, int]:
    """Rows of each class, by its spelling."""
    counts = Counter(labels.tolist())
    spelt = {x if isinstance(x, str) else f"{x:g}": n for x, n in counts.items()}
    return dict(sorted(spelt.items()))


def _count_missing(column: NDArray[Any]) -> int:
    if column.dtype == object:
        return sum(cell is None for cell in column)
    return int(np.isnan(column).sum())


def keep(facts: Facts, columns: Columns, cache: Path) -> None:
    """Write what was fetched to the cache, beside its place and renamed; warn if that fails."""
    path = cache / facts.file
    staged = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(format_columns(columns))
        os.replace(staged, path)
    except OSError as error:
        warn_user(f"The data set '{facts.name}' could not be kept in {cache}: {error}.")
    finally:
        with suppress(OSError):
            staged.unlink()
