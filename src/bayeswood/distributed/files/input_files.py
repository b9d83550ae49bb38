"""Which files a fit or a prediction reads: found, sorted, told apart by their endings."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Literal

from bayeswood.errors import BayeswoodError

FileKind = Literal["parquet", "csv", "arrow"]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

#: Begins the names of the folders that fits make in a spill directory.
SPILL_PREFIX = "bayeswood-"
ENDINGS: dict[str, FileKind] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}


@dataclass(frozen=True)
class InputFile:
    """One file of rows.

    Attributes
    ----------
    path : str
        Absolute path.
    kind : {"parquet", "csv", "arrow"}
        Format.
    n_bytes : int
        Size on disk.
    modified_ns : int
        When it was last changed, by the file system's clock.
    group_rows : tuple of int
        Rows of each Parquet row group or Arrow record batch; of a CSV file all rows as one group.
    types : dict of str to str
        Type of each column, as Arrow spells it.
    """

    path: str
    kind: FileKind
    n_bytes: int
    modified_ns: int
    group_rows: tuple[int, ...]
    types: dict[str, str]

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return sum(self.group_rows)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "InputFile":
        """What `to_json` gave."""
        return cls(**{**plain, "group_rows": tuple(plain["group_rows"])})


def find_files(paths: Paths, owner: str) -> list[str]:
    """The files that `paths` stand for, as absolute paths in sorted order.

    Parameters
    ----------
    paths : str, path-like, or sequence of these
        Files, folders (all data files below them) and patterns with ``*``, ``?`` or ``[...]``.
    owner : str
        Who reads them, for the errors.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.parquet", "notes.txt"):
    ...         _ = Path(folder, name).write_text("x")
    ...     [Path(found).name for found in find_files(folder, "fit_parquet")]
    ['a.parquet', 'b.csv']
    """
    need_pyarrow(owner)
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not given:
        raise BayeswoodError(
            f"The 'paths' parameter of {owner} must name at least one file. Got none."
        )
    found = [os.path.abspath(file) for path in given for file in _expand(os.fspath(path), owner)]
    repeated = sorted(file for file, times in Counter(found).items() if times > 1)
    if repeated:
        raise BayeswoodError(f"The file '{repeated[0]}' is named twice in the paths of {owner}.")
    return sorted(found)


def need_pyarrow(owner: str) -> None:
    """Say what to install where files cannot be read."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{owner} reads files with pyarrow: pip install 'bayeswood[parquet]'", name="pyarrow"
        ) from error


def file_kind(path: str) -> FileKind:
    """The format that a name's ending says."""
    kind = _kind_or_none(path)
    if kind is None:
        endings = ", ".join(ENDINGS)
        raise BayeswoodError(f"'{path}': the name of a data file must end in one of {endings}.")
    return kind


def _kind_or_none(path: str) -> FileKind | None:
    name = os.path.basename(path).lower()
    return next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), None)


def _expand(path: str, owner: str) -> Iterable[str]:
    if os.path.isdir(path):
        below = sorted(Path(path).rglob("*"))
        files = [str(file) for file in below if _is_data_file(file, Path(path))]
        if not files:
            raise BayeswoodError(f"The folder '{path}' given to {owner} holds no data file.")
        return files
    if os.path.exists(path):
        file_kind(path)
        return [path]
    matches = sorted(glob(path, recursive=True)) if has_magic(path) else []
    if not matches:
        raise BayeswoodError(f"{owner} finds no file '{path}'.")
    return [file for match in matches for file in _expand(match, owner)]


def _is_data_file(file: Path, folder: Path) -> bool:
    # Other tools keep their own files beside the data under names like _SUCCESS and .crc, and a
    # fit may spill there.
    parts = file.relative_to(folder).parts
    hidden = any(part.startswith(("_", ".", SPILL_PREFIX)) for part in parts)
    return file.is_file() and not hidden and _kind_or_none(file.name) is not None
