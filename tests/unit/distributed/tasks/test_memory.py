"""Memory is planned before it is used: refused with the numbers, or split until it fits."""

import numpy as np
import pytest
from file_tables import FEATURES, regressor, small_table, write_parts

from bayeswood import BayeswoodError
from bayeswood.distributed.fit_in_pieces import sample_rows_for
from bayeswood.distributed.tasks import memory
from bayeswood.distributed.tasks.memory import RowCosts, in_words, parse_bytes, plan_memory

COSTS = RowCosts(table=48, n_features=10, leaf_bytes=60, rows_per_leaf=100, n_trees=20)
GIGA = 10**9


def plan(counts, limit=4 * GIGA, n_jobs=2):
    return plan_memory(COSTS, counts, limit, n_jobs, spill_row=44, trunk_bytes=0)


@pytest.mark.parametrize(
    ("given", "n_bytes"),
    [("4GB", 4 * GIGA), ("512 MiB", 512 * 2**20), ("1.5e", None), (123.0, 123), ("-1GB", None),
     (True, None), ("2TB", 2 * 10**12), (None, None)],
)  # fmt: skip
def test_bytes_are_read(given, n_bytes):
    if n_bytes is None:
        with pytest.raises(BayeswoodError, match="'memory_limit' parameter of fit must be"):
            parse_bytes(given, "memory_limit", "fit")
    else:
        assert parse_bytes(given, "memory_limit", "fit") == n_bytes


def test_small_branches_share_the_memory():
    found = plan([1_000_000] * 10)
    assert (found.n_workers, found.n_threads) == (2, 1)
    assert found.peak <= found.limit
    assert found.spill_bytes == 10_000_000 * 44


def test_a_branch_that_fills_the_memory_gets_the_threads():
    found = plan([11_000_000, 1000])
    assert (found.n_workers, found.n_threads) == (1, 2)
    assert found.peak <= found.limit


def test_the_largest_branch_that_fits_does_fit():
    most = COSTS.most_rows(3 * GIGA)
    assert COSTS.branch(most) <= 3 * GIGA < COSTS.branch(int(1.01 * most))


def test_a_branch_that_does_not_fit_is_refused_with_the_numbers():
    found = plan([60_000_000, 1000])
    words = rf"60,000,000 rows and needs {in_words(found.branch_bytes)}.*4\.0 GB, leaves 3\.7 GB"
    with pytest.raises(BayeswoodError, match=words + ".*on_large_branch='split'"):
        memory.refuse_large(found, COSTS, "Forest")


def test_a_forest_that_does_not_fit_is_refused_with_the_numbers():
    found = plan([1_000_000] * 100)
    memory.refuse_large(found, COSTS, "Forest")
    deep = RowCosts(48, 10, leaf_bytes=60, rows_per_leaf=2, n_trees=20)
    found = plan_memory(deep, [1_000_000] * 200, 4 * GIGA, 2, 44, 0)
    with pytest.raises(BayeswoodError, match=r"will take about 120\.0 GB.*Raise min_samples_leaf"):
        memory.refuse_large(found, deep, "Forest")


def test_the_sample_is_all_rows_if_there_is_room():
    assert sample_rows_for(1000, 100, 4 * GIGA) == 1000
    assert sample_rows_for(10**8, 100, 4 * GIGA) == 1_000_000
    assert sample_rows_for(10**8, 10_000, 10**9) * 30_000 <= 10**9 / 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts") / "data", small_table(4000), [4000], 500)


@pytest.fixture
def _dear_rows(monkeypatch):
    """Rows so dear that a process of the smallest limit can fit a few hundred of them."""
    monkeypatch.setattr(memory, "_THREAD_ROW", 200_000)


@pytest.mark.usefixtures("_dear_rows")
def test_a_fit_is_refused_before_any_branch_is_fitted(folder, tmp_path):
    with pytest.raises(BayeswoodError, match=r"largest of 5 branches has .* at most 3.. rows"):
        regressor().fit_parquet(
            folder, "y", FEATURES, spill_dir=tmp_path, memory_limit="600MB", n_jobs=1
        )
    assert list(tmp_path.rglob("*.spill"))
    assert not list(tmp_path.rglob("fit-*/*"))


@pytest.mark.usefixtures("_dear_rows")
@pytest.mark.parametrize("sample", [None, 500])
def test_large_branches_are_split_until_they_fit(folder, sample):
    forest = regressor(trunk_sample_size=sample).fit_parquet(
        folder,
        "y",
        FEATURES,
        memory_limit="600MB",
        n_jobs=1,
        on_large_branch="split",
    )
    found = forest.memory_plan_
    assert found.n_branches > 5
    assert found.n_rows == 4000
    assert found.largest_branch < 400
    assert found.peak <= found.limit
    # A deeper trunk is still a trunk: every tree of the forest begins with it.
    trunk = forest.trunk_.trees[0]
    table = small_table(4000).select(FEATURES)
    assert trunk.n_leaves == found.n_branches
    assert np.abs(forest.predict(table) - small_table(4000)["y"].to_numpy()).mean() < 0.5


def test_rows_that_cannot_be_split_are_said_to_be(folder, tmp_path, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.setattr(memory, "_THREAD_ROW", 200_000)
    pq.write_table(pa.table({"x": [1.0] * 2000, "y": [0.0, 1.0] * 1000}), tmp_path / "a.parquet")
    with pytest.raises(BayeswoodError, match=r"2,000 rows would have to be split.*cannot be split"):
        regressor().fit_parquet(
            tmp_path, "y", memory_limit="600MB", n_jobs=1, on_large_branch="split"
        )


def test_a_forest_larger_than_expected_stops_the_fit(folder, monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.fit_in_pieces.rows_per_leaf", lambda *_: 1e9)
    monkeypatch.setattr("bayeswood.distributed.fit_files.PROCESS_BYTES", 599_900_000)
    monkeypatch.setattr("bayeswood.distributed.fit_files.FolderSite.room", 10**9)
    with pytest.raises(
        BayeswoodError, match=r"forest of all 4,000 would take .* Raise min_samples"
    ):
        regressor(min_samples_leaf=1).fit_parquet(
            folder, "y", FEATURES, memory_limit="600MB", n_jobs=1
        )
