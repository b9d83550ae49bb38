"""Numbers for rows that are known by an id: how many rows have a smaller one.

Ids are counted in blocks of neighbouring ones while the rows are read for the first time; the rows
of a block then come together, are sorted, and are numbered from the number of rows in the blocks
before. Any ids will do: dense, with gaps, or spread over all 64 bits.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.pieces.row_sample import keys_of
from bayeswood.errors import BayeswoodError

I64 = NDArray[np.int64]

_FIRST_SHIFT = 16
# Blocks are made larger when there would be more.
_MOST_BLOCKS = 4096


class BlockCounts:
    """Rows per block of ids.

    Parameters
    ----------
    shift : int, default=16
        A block has 2^shift ids.

    Examples
    --------
    >>> counts = BlockCounts(shift=2)
    >>> counts.add(np.array([0, 3, 4, 11]))
    >>> dict(counts.counts)
    {0: 2, 1: 1, 2: 1}
    """

    def __init__(self, shift: int = _FIRST_SHIFT) -> None:
        self.shift = shift
        self.counts: Counter[int] = Counter()

    def add(self, ids: I64) -> None:
        """See some ids."""
        blocks, found = np.unique(ids >> self.shift, return_counts=True)
        self._take(dict(zip(blocks.tolist(), found.tolist(), strict=True)))

    def _take(self, found: Mapping[int, int]) -> None:
        self.counts.update(found)
        while len(self.counts) > _MOST_BLOCKS:
            self._coarsen(self.shift + 1)

    def _coarsen(self, shift: int) -> None:
        coarse: Counter[int] = Counter()
        for block, found in self.counts.items():
            coarse[block >> (shift - self.shift)] += found
        self.shift, self.counts = shift, coarse

    def merge(self, other: "BlockCounts") -> None:
        """See what another has seen."""
        shift = max(self.shift, other.shift)
        self._coarsen(shift)
        other._coarsen(shift)
        self._take(other.counts)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"shift": self.shift, "counts": sorted(self.counts.items())}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "BlockCounts":
        """What `to_json` gave."""
        counts = cls(plain["shift"])
        counts._take(dict(plain["counts"]))
        return counts


@dataclass(frozen=True)
class IdBlocks:
    """Where the numbers of each block begin.

    Attributes
    ----------
    shift : int
        A block has 2^shift ids.
    blocks : ndarray of int64
        The blocks that hold rows, ascending.
    first_rows : ndarray of int64
        Rows in the blocks before each.
    """

    shift: int
    blocks: I64
    first_rows: I64

    @classmethod
    def join(cls, parts: Iterable[BlockCounts]) -> "IdBlocks":
        """The blocks of all rows."""
        total = BlockCounts()
        for part in parts:
            total.merge(part)
        blocks = np.array(sorted(total.counts), dtype=np.int64)
        counts = np.array([total.counts[int(block)] for block in blocks], dtype=np.int64)
        return cls(total.shift, blocks, np.cumsum(counts) - counts)

    def places(self, ids: I64) -> NDArray[np.int64]:
        """Place, among the blocks, of the block of each id."""
        return np.searchsorted(self.blocks, ids >> self.shift)

    def parts(self, ids: I64, n_parts: int) -> NDArray[np.int32]:
        """A partition for each id; those of one block are in one."""
        found = self.places(ids) * n_parts // len(self.blocks)
        return found.astype(np.int32)

    def sampled(self, ids: I64, seed: int, limit: int, row_id: str) -> tuple[I64, I64]:
        """Ids and numbers of the rows whose keys are within a limit.

        Parameters
        ----------
        ids : ndarray of int64
            All ids of some blocks.
        seed : int
            Of the fit.
        limit : int
            The largest key.
        row_id : str
            Column of the ids, for the errors.
        """
        ids = np.sort(ids)
        refuse_repeated(ids, row_id)
        place = self.places(ids)
        numbers = self.first_rows[place] + np.arange(len(ids)) - np.searchsorted(place, place)
        chosen = keys_of(seed, numbers.astype(np.uint64)) <= np.uint64(limit)
        return ids[chosen], numbers[chosen]


def refuse_repeated(ids: I64, row_id: str) -> None:
    """Refuse sorted ids of which two are the same."""
    repeated = np.flatnonzero(ids[1:] == ids[:-1])
    if len(repeated):
        raise BayeswoodError(
            f"Two rows have the same {row_id!r}, {ids[repeated[0]]}. Every row needs its own; "
            "without it the order of the rows, and so the forest, would be left to chance."
        )
