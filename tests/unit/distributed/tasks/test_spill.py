"""Spill files give back, branch by branch, what went in; the sample depends on row numbers."""

import numpy as np
import pytest

from bayeswood.distributed.pieces.row_sample import key_limit, row_keys, sample_rows
from bayeswood.distributed.tasks.spill import read_branch, write_spill
from bayeswood.distributed.tasks.work_folder import SpillError, WorkFolder


def spilled(folder, rng, n_chunks=3, n_branches=4):
    """Random chunks on disk, and what was written."""
    paths, written = [], []
    for chunk in range(n_chunks):
        n_rows = int(rng.integers(1, 40))
        columns = [rng.standard_normal(n_rows).astype(kind) for kind in ("<f4", "<f8")]
        columns.append(rng.integers(0, 9, n_rows).astype("<i4"))
        branch = rng.integers(0, n_branches - 1, n_rows)  # the last branch stays empty
        counts = write_spill(folder / f"{chunk}.spill", columns, branch, n_branches)
        assert counts == np.bincount(branch, minlength=n_branches).tolist()
        paths.append(folder / f"{chunk}.spill")
        written.append((columns, branch))
    return paths, written


def test_branches_come_back_in_the_order_of_rows(tmp_path, rng):
    paths, written = spilled(tmp_path, rng)
    for number in range(4):
        expected = [
            np.concatenate([columns[j][branch == number] for columns, branch in written])
            for j in range(3)
        ]
        into = [np.empty(len(column)) for column in expected]
        read_branch(paths, number, into)
        for found, column in zip(into, expected, strict=True):
            np.testing.assert_array_equal(found, column)


@pytest.mark.parametrize("damage", ["cut", "magic", "flip"])
def test_damage_is_found(tmp_path, rng, damage):
    (path, *_), written = spilled(tmp_path, rng, n_chunks=1)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        del data[-3:]
    else:
        data[0 if damage == "magic" else -1] ^= 1
    path.write_bytes(data)
    last = int(written[0][1].max())
    n_rows = int((written[0][1] == last).sum())
    with pytest.raises(SpillError, match="damaged"):
        read_branch([path], last, [np.empty(n_rows) for _ in range(3)])


def test_a_sample_depends_on_row_numbers_alone(seed):
    whole = row_keys(seed, 0, 1000)
    pieces = [row_keys(seed, start, 125) for start in range(0, 1000, 125)]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    rows = sample_rows(1000, 100, seed)
    assert len(set(rows.tolist())) == 100
    assert whole[rows].max() < np.delete(whole, rows).min()
    assert not np.array_equal(rows, sample_rows(1000, 100, seed + 1))
    np.testing.assert_array_equal(sample_rows(10, 20, seed), np.arange(10))


def test_the_limit_leaves_enough_keys_and_few_more(seed):
    # Binomial with a mean eight standard deviations above 5,000: fewer at most once in 1e15.
    keys = row_keys(seed, 0, 200_000)
    n_below = int((keys <= np.uint64(key_limit(200_000, 5000))).sum())
    assert 5000 <= n_below <= 6500


def test_every_row_is_as_likely_in_the_sample(seed):
    """Chi-square over 10 blocks of rows; a false alarm once in 1e6 seeds (critical value 44.8)."""
    counts = np.bincount(sample_rows(10_000, 2000, seed) // 1000, minlength=10)
    # Without replacement the variance is smaller by the share not drawn.
    statistic = ((counts - 200) ** 2 / (200 * 0.8)).sum()
    assert statistic < 44.8


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    folder = WorkFolder(tmp_path / "work")

    def half(path):
        path.write_text("half")
        assert not folder.has("step.json")  # nor would it be there if the process died here
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.write("step.json", half)
    assert not folder.has("step.json")
    assert not list(folder.path.iterdir())
