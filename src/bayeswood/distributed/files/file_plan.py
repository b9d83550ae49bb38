"""The plan of a fit from files: what is read, in which pieces, and what each row is called."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

from bayeswood.distributed.files.column_roles import Roles, choose_roles
from bayeswood.distributed.files.file_types import agreed_types, inspect_file, unified
from bayeswood.distributed.files.input_files import InputFile, Paths, find_files
from bayeswood.distributed.pieces.row_sample import key_limit
from bayeswood.errors import BayeswoodError

#: Row groups are taken together until they have so many rows.
FRAGMENT_ROWS = 1_000_000


@dataclass(frozen=True)
class Fragment:
    """A piece of one file: what one task reads.

    Attributes
    ----------
    file : int
        Number of the file in the sorted list.
    start, stop : int
        Its row groups.
    first_row : int
        Number of its first row in the file.
    n_rows : int
        Its rows.
    """

    file: int
    start: int
    stop: int
    first_row: int
    n_rows: int


@dataclass(frozen=True)
class FilePlan:
    """What all tasks of a fit know.

    Attributes
    ----------
    files : tuple of InputFile
        The files, sorted.
    fragments : tuple of Fragment
        Their pieces, in the order of the rows.
    roles : Roles
        What the columns are for.
    types : dict of str to str
        Types of the columns, the same in all files.
    is_classifier : bool
        Whether the response is a class.
    owner : str
        Who reads the rows, for the errors.
    seed : int
        Of the whole fit.
    batch_rows : int
        Rows read at a time.
    chunk_rows : int
        Rows of a spill file.
    keep_rows : bool
        Whether the leaves shall remember their rows.
    """

    files: tuple[InputFile, ...]
    fragments: tuple[Fragment, ...]
    roles: Roles
    types: dict[str, str]
    is_classifier: bool
    owner: str
    seed: int
    batch_rows: int
    chunk_rows: int
    keep_rows: bool

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(file.n_rows for file in self.files)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "FilePlan":
        """What `to_json` gave."""
        read = {
            "files": tuple(InputFile.from_json(file) for file in plain["files"]),
            "fragments": tuple(Fragment(**fragment) for fragment in plain["fragments"]),
            "roles": Roles.from_json(plain["roles"]),
        }
        return cls(**{**plain, **read})


@dataclass(frozen=True)
class RowNumbers:
    """What the rows that take part are called: 0, 1, ... in the order of files and rows.

    Rows of weight 0 take no part and have no number.

    Attributes
    ----------
    n_rows : int
        How many take part.
    first_rows : list of int
        For each fragment, how many take part before it.
    sample_size : int
        Rows of the sample that the trunk is fitted to.
    sample_limit : int
        Rows of a larger key are not in it.
    """

    n_rows: int
    first_rows: list[int]
    sample_size: int
    sample_limit: int


def number_rows(counts: Sequence[int], sample_size: int) -> RowNumbers:
    """Number the rows of fragments with so many rows."""
    n_rows = sum(counts)
    first_rows = list(accumulate(counts, initial=0))[:-1]
    return RowNumbers(n_rows, first_rows, sample_size, key_limit(n_rows, sample_size))


@dataclass(frozen=True)
class Source:
    """Files whose columns agree.

    Attributes
    ----------
    files : tuple of InputFile
        The files, sorted.
    roles : Roles
        What the columns are for.
    types : dict of str to str
        Types of the columns.
    """

    files: tuple[InputFile, ...]
    roles: Roles
    types: dict[str, str]

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(file.n_rows for file in self.files)


def open_source(
    paths: Paths,
    target: str | Sequence[str],
    features: Sequence[str] | None,
    weight: str | None,
    categorical_features: Any,
    owner: str,
) -> Source:
    """Find the files and check every one's columns before a row is read.

    Parameters
    ----------
    paths : str, path-like, or sequence of these
        Files, folders and patterns.
    target, features, weight, categorical_features
        As in `choose_roles`.
    owner : str
        Who reads them, for the errors.
    """
    files = [inspect_file(path) for path in find_files(paths, owner)]
    roles = choose_roles(
        list(files[0].types), target, features, weight, categorical_features, owner
    )
    types = agreed_types(files, roles.columns, owner)
    source = Source(tuple(unified(files, types)), roles, types)
    if source.n_rows == 0:
        raise BayeswoodError(f"The files given to {owner} have no rows.")
    return source


def cut_fragments(files: Sequence[InputFile], most_rows: int | None = None) -> list[Fragment]:
    """Neighbouring row groups, taken together until there are `most_rows` or `FRAGMENT_ROWS`.

    Which row groups are taken together changes who does what and when, and no result.
    """
    fragments: list[Fragment] = []
    for number, file in enumerate(files):
        first_row = 0
        for groups in _together(file.group_rows, most_rows or FRAGMENT_ROWS):
            n_rows = sum(file.group_rows[group] for group in groups)
            fragments.append(Fragment(number, groups.start, groups.stop, first_row, n_rows))
            first_row += n_rows
    return [fragment for fragment in fragments if fragment.n_rows]


def _together(group_rows: Sequence[int], most_rows: int) -> Iterator[range]:
    start = total = 0
    for group, n_rows in enumerate(group_rows):
        if total and total + n_rows > most_rows:
            yield range(start, group)
            start, total = group, 0
        total += n_rows
    if start < len(group_rows):
        yield range(start, len(group_rows))
