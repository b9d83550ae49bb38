"""Spill files: routed rows on disk, those of each branch together.

A file holds the rows of one chunk of the input. It begins with ``BWSPILL1``, the length of a JSON
header as 8 bytes little-endian, and the header: the branches' numbers of rows, the type of each
column and a CRC-32 per branch. Then come the branches one after another, and of each branch its
columns one after another, raw. Rows of a branch keep the order of the input, so that the branch of
all chunks, in their order, is in the order of row ids however the input was cut into chunks.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.tasks.work_folder import SpillError

_MAGIC = b"BWSPILL1"


@dataclass(frozen=True)
class SpillHeader:
    """Where things are in a spill file.

    Attributes
    ----------
    counts : list of int
        Rows of each branch.
    dtypes : list of str
        Type of each column.
    checks : list of int
        CRC-32 of each branch's bytes.
    start : int
        Where the first branch begins.
    """

    counts: list[int]
    dtypes: list[str]
    checks: list[int]
    start: int

    @property
    def row_bytes(self) -> int:
        """Bytes of one row."""
        return sum(np.dtype(kind).itemsize for kind in self.dtypes)


def write_spill(
    path: Path, columns: Sequence[NDArray[Any]], branch: NDArray[Any], n_branches: int
) -> list[int]:
    """Write rows, sorted by branch.

    Parameters
    ----------
    path : Path
        Where to write.
    columns : sequence of ndarray, (n_rows,)
        The columns, in the types to be written.
    branch : ndarray of int, (n_rows,)
        Branch of each row.
    n_branches : int
        Number of branches.

    Returns
    -------
    list of int
        Rows of each branch.
    """
    # Small integers are sorted by their digits, in linear time.
    order = np.argsort(
        branch.astype(np.uint16 if n_branches <= 65_536 else np.int64), kind="stable"
    )
    counts = np.bincount(branch, minlength=n_branches)
    ends = np.cumsum(counts)
    ordered = [np.ascontiguousarray(column[order]) for column in columns]
    places = list(zip(ends - counts, ends, strict=True))
    checks = [_check_sum(column[a:b] for column in ordered) for a, b in places]
    header = json.dumps(
        {
            "counts": counts.tolist(),
            "dtypes": [column.dtype.str for column in ordered],
            "checks": checks,
        }
    ).encode()
    with open(path, "wb") as stream:
        stream.write(_MAGIC + len(header).to_bytes(8, "little") + header)
        for a, b in places:
            for column in ordered:
                stream.write(column[a:b].data)
    return [int(count) for count in counts]


def read_header(stream: BinaryIO, path: Path) -> SpillHeader:
    """The header of an open spill file."""
    if stream.read(len(_MAGIC)) != _MAGIC:
        raise _damaged(path)
    length = int.from_bytes(stream.read(8), "little")
    try:
        header = json.loads(stream.read(length))
        return SpillHeader(**header, start=len(_MAGIC) + 8 + length)
    except (ValueError, TypeError) as error:
        raise _damaged(path) from error


def read_branch(paths: Sequence[Path], branch: int, into: Sequence[NDArray[Any]]) -> None:
    """Read one branch of several spill files.

    Parameters
    ----------
    paths : sequence of Path
        The files, in the order of their rows.
    branch : int
        Number of the branch.
    into : sequence of ndarray, (n_rows,)
        Filled, one per column; their types may be wider than those of the files.
    """
    first = 0
    for path in paths:
        with open(path, "rb") as stream:
            header = read_header(stream, path)
            n_rows = header.counts[branch]
            stream.seek(header.start + sum(header.counts[:branch]) * header.row_bytes)
            data = stream.read(n_rows * header.row_bytes)
        if len(data) != n_rows * header.row_bytes or zlib.crc32(data) != header.checks[branch]:
            raise _damaged(path)
        _unpack(data, header.dtypes, n_rows, [column[first : first + n_rows] for column in into])
        first += n_rows


def _unpack(data: bytes, dtypes: list[str], n_rows: int, into: list[NDArray[Any]]) -> None:
    start = 0
    for kind, column in zip(dtypes, into, strict=True):
        column[...] = np.frombuffer(data, dtype=kind, count=n_rows, offset=start)
        start += n_rows * np.dtype(kind).itemsize


def _check_sum(pieces: Any) -> int:
    check = 0
    for piece in pieces:
        check = zlib.crc32(piece.data, check)
    return check


def _damaged(path: Path) -> SpillError:
    return SpillError(
        f"The spill file '{path}' is damaged. Delete its folder and fit again without resume=True."
    )
