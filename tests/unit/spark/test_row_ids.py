"""Numbers of rows that are known by their ids, however these are spread and cut into parts."""

import numpy as np
import pytest

from bayeswood import BayeswoodError
from bayeswood.distributed.pieces.row_sample import row_keys
from bayeswood.spark.row_ids import BlockCounts, IdBlocks, refuse_repeated

ALL = 2**64 - 1


def ids_like(kind, n_rows, rng):
    """Unique ids: without gaps, as Spark's partitions count them, or anywhere."""
    if kind == "dense":
        return np.arange(n_rows)
    if kind == "per partition":
        return (rng.integers(0, 5, n_rows) << 33) + np.arange(n_rows)
    return np.unique(rng.integers(-(2**63), 2**63 - 1, n_rows))


def counted(ids, rng, n_parts=4):
    parts = np.array_split(rng.permutation(ids), n_parts)
    found = []
    for part in parts:
        counts = BlockCounts()
        for batch in np.array_split(part, 3):
            counts.add(batch)
        found.append(BlockCounts.from_json(counts.to_json()))
    return IdBlocks.join(found)


@pytest.mark.parametrize("kind", ["dense", "per partition", "anywhere"])
def test_numbers_are_ranks(kind, rng):
    ids = ids_like(kind, 200_000, rng)
    blocks = counted(ids, rng)
    assert len(blocks.blocks) <= 4096
    part = blocks.parts(ids, 7)
    numbers = {}
    for number in range(7):
        own, found = blocks.sampled(rng.permutation(ids[part == number]), 0, ALL, "id")
        numbers |= dict(zip(own.tolist(), found.tolist(), strict=True))
    assert [numbers[i] for i in np.sort(ids).tolist()] == list(range(len(ids)))


def test_the_sample_is_that_of_row_numbers(rng):
    ids = 10 * np.arange(5000) - 17
    blocks = counted(ids, rng)
    limit = 2**60
    chosen, numbers = blocks.sampled(ids, 3, limit, "id")
    expected = np.flatnonzero(row_keys(3, 0, 5000) <= limit)
    assert 0 < len(expected) < 1000
    np.testing.assert_array_equal(numbers, expected)
    np.testing.assert_array_equal(chosen, ids[expected])


def test_repeated_ids_are_refused():
    with pytest.raises(BayeswoodError, match="Two rows have the same 'id', 4"):
        refuse_repeated(np.array([1, 4, 4, 9]), "id")
    refuse_repeated(np.array([], dtype=np.int64), "id")
