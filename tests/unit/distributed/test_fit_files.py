"""Fits from files: the same forest as in memory, however the rows are stored and read."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_tables import FEATURES, classifier, regressor, small_table, write_parts

import bayeswood
from bayeswood import BayeswoodError


@pytest.fixture(scope="module")
def table():
    return small_table()


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts") / "data", table, [500, 1, 699])


def column(table, name):
    return np.asarray(table[name].to_pylist())


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("sample", [None, 300])
def test_numbers_equal_the_fit_in_memory(table, folder, weight, sample):
    forest = regressor(trunk_sample_size=sample)
    given = None if weight is None else column(table, weight)
    expected = regressor(trunk_sample_size=sample).fit(
        table.select(FEATURES), column(table, "y"), given
    )
    forest.fit_parquet(folder, "y", FEATURES, weight, n_jobs=1, batch_rows=70)
    assert forest.forest_.digest == expected.forest_.digest
    np.testing.assert_allclose(forest.feature_importances_, expected.feature_importances_)
    rows = table.select(FEATURES).slice(0, 50)
    np.testing.assert_array_equal(forest.predict_interval(rows), expected.predict_interval(rows))
    assert forest.schema_ == expected.schema_
    assert forest.seed_ == expected.seed_


@pytest.mark.parametrize("weight", [None, "w"])
def test_classes_equal_the_fit_in_memory(table, folder, weight):
    given = None if weight is None else column(table, weight)
    expected = classifier().fit(table.select(FEATURES), table["kind"], given)
    forest = classifier().fit_parquet(folder, "kind", FEATURES, weight, n_jobs=1)
    assert forest.forest_.digest == expected.forest_.digest
    assert forest.classes_.tolist() == ["low", "mid", "top"]
    assert forest.classes_.dtype == expected.classes_.dtype


def test_the_forest_does_not_depend_on_how_rows_are_cut(table, folder, tmp_path, monkeypatch):
    expected = regressor().fit_parquet(folder, "y", FEATURES, n_jobs=1).forest_.digest
    monkeypatch.setattr("bayeswood.distributed.files.file_plan.FRAGMENT_ROWS", 90)
    monkeypatch.setattr("bayeswood.distributed.fit_files._CHUNK_BYTES", (1, 4000))
    monkeypatch.setattr("bayeswood.distributed.fit_files._GRAFT_BYTES", 40_000)
    found = {
        regressor()
        .fit_parquet(
            write_parts(tmp_path / f"{group_rows}-{batch_rows}", table, sizes, group_rows),
            "y",
            FEATURES,
            n_jobs=1,
            batch_rows=batch_rows,
        )
        .forest_.digest
        for sizes, group_rows, batch_rows in (
            ([1200], 1200, 7),
            ([400, 400, 400], 64, 1000),
            ([1, 1, 1198], 1, 131),
        )
    }
    assert found == {expected}


def test_processes_give_the_same_forest(table, folder, monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.files.file_plan.FRAGMENT_ROWS", 200)
    alone = classifier().fit_parquet(folder, "kind", FEATURES, n_jobs=1)
    together = classifier().fit_parquet(folder, "kind", FEATURES, n_jobs=2)
    assert together.forest_.digest == alone.forest_.digest


@pytest.mark.parametrize("kind", ["csv", "arrow"])
def test_other_formats_give_the_same_forest(table, tmp_path, kind):
    from pyarrow import csv

    columns = ["x0", "x1", "flag", "y"]
    # Decimals in a CSV file are read as double; so are they here.
    wide = pa.table(
        {name: table[name].cast("double") if name[0] == "x" else table[name] for name in columns}
    )
    expected = regressor().fit(wide.select(columns[:-1]), column(wide, "y")).forest_.digest
    path = tmp_path / f"rows.{kind}"
    if kind == "csv":
        csv.write_csv(wide, path)
    else:
        with pa.ipc.new_file(str(path), wide.schema) as writer:
            writer.write_table(wide, max_chunksize=130)
    assert regressor().fit_parquet(path, "y", n_jobs=1).forest_.digest == expected


def test_levels_and_classes_are_those_of_all_files(tmp_path):
    n = 60
    x = pa.array(np.arange(n, dtype=np.float32))
    for part, (word, label) in enumerate([("b", 7), ("a", 3), ("c", 7)]):
        rows = pa.table({"x": x, "word": [word] * n, "y": [label] * n})
        pq.write_table(rows, tmp_path / f"{part}.parquet")
    forest = classifier().fit_parquet(tmp_path, "y", n_jobs=1)
    assert forest.schema_.columns[1].levels == ("a", "b", "c")
    assert forest.classes_.tolist() == [3, 7]
    assert forest.predict(pa.table({"x": x[:1], "word": ["a"]})).tolist() == [3]


def test_branches_of_one_row_and_of_one_class(tmp_path):
    rng = np.random.default_rng(3)
    x = np.concatenate([np.zeros(400), [1.0], np.full(400, 2.0)])
    kind = np.where(x == 0, "a", np.where(rng.random(801) < 0.5, "b", "c"))
    kind[400] = "d"
    pq.write_table(pa.table({"x": x, "kind": kind}), tmp_path / "rows.parquet")
    forest = classifier(min_samples_leaf=1, trunk_min_samples_leaf=1)
    forest.fit_parquet(tmp_path, "kind", n_jobs=1)
    expected = classifier(min_samples_leaf=1, trunk_min_samples_leaf=1).fit(
        pa.table({"x": x}), kind.astype(object)
    )
    assert forest.trunk_.n_leaves.tolist() == [3]
    assert forest.forest_.digest == expected.forest_.digest
    assert forest.predict(pa.table({"x": [0.0, 1.0]})).tolist() == ["a", "d"]


def test_several_targets(table, tmp_path):
    both = table.append_column("z", pa.array(column(table, "y") ** 2))
    folder = write_parts(tmp_path / "data", both, [1200])
    forest = regressor().fit_parquet(folder, ["y", "z"], FEATURES, n_jobs=1)
    y = np.column_stack([column(both, "y"), column(both, "z")])
    expected = regressor().fit(both.select(FEATURES), y)
    assert forest.forest_.digest == expected.forest_.digest
    assert forest.predict(both.select(FEATURES).slice(0, 3)).shape == (3, 2)
    with pytest.raises(BayeswoodError, match="predicts one target"):
        classifier().fit_parquet(folder, ["kind", "y"], FEATURES)


def test_each_fit_has_the_seed_it_draws(folder, table, tmp_path):
    """Two fits that differ in nothing but a seed from chance share the name of their spill."""
    files, memory = np.random.default_rng(5), np.random.default_rng(5)
    digests = []
    for _ in range(2):
        forest = regressor(random_state=files, trunk_sample_size=100)
        forest.fit_parquet(folder, "y", FEATURES, n_jobs=1, spill_dir=tmp_path)
        expected = regressor(random_state=memory, trunk_sample_size=100)
        expected.fit(table.select(FEATURES), column(table, "y"))
        assert forest.forest_.digest == expected.forest_.digest
        digests.append(forest.forest_.digest)
    assert digests[0] != digests[1]


def test_the_trunk_is_checked_on_the_sample(folder):
    forest = regressor(check_trunk=True, trunk_max_leaves=2).fit_parquet(
        folder, "y", FEATURES, n_jobs=1
    )
    assert forest.trunk_stability_.n_draws > 0


def test_the_model_saves_and_loads(folder, table, tmp_path):
    forest = regressor().fit_parquet(folder, "y", FEATURES, n_jobs=1)
    forest.save(tmp_path / "forest.bw")
    loaded = bayeswood.load(tmp_path / "forest.bw")
    assert loaded.forest_.digest == forest.forest_.digest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"memory_limit": "lots"}, "'memory_limit' parameter of .*must be a number of bytes"),
        ({"memory_limit": "1MB"}, "must be at least 600.0 MB. Got '1MB' instead"),
        ({"on_large_branch": "drop"}, "'on_large_branch' parameter .*'raise', 'split'"),
        ({"batch_rows": 0}, "'batch_rows' parameter"),
        ({"stall_timeout": 0}, "'stall_timeout' parameter"),
        ({"resume": True}, "resume=True needs the 'spill_dir'"),
    ],
)
def test_parameters_are_checked(folder, arguments, words):
    with pytest.raises(BayeswoodError, match=words):
        regressor().fit_parquet(folder, "y", FEATURES, n_jobs=1, **arguments)


def test_out_of_bag_scores_are_refused(folder):
    forest = regressor(oob_score=True, weight_threshold=0.3)
    with pytest.raises(BayeswoodError, match=r"'oob_score' parameter .* False for fit_parquet"):
        forest.fit_parquet(folder, "y", FEATURES)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("y", None, "rows 2 to 3 .*Input y contains NaN or None: row 1"),
        ("y", float("inf"), "Input y contains infinity"),
        ("x", float("inf"), "Input X contains infinity: column 'x'"),
        ("w", -1.0, "negative weight"),
        ("w", None, "sample_weight contains NaN"),
    ],
)
def test_bad_rows_are_named_with_their_file(tmp_path, name, value, words):
    columns = {name: [1.0, 2.0, 3.0, 4.0] for name in ("x", "w", "y")}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    columns[name] = [1.0, 2.0, 3.0, value]
    pq.write_table(pa.table(columns), tmp_path / "b.parquet")
    with pytest.raises(BayeswoodError, match=rf"b\.parquet', {words}|b\.parquet'.*{words}"):
        regressor().fit_parquet(tmp_path, "y", ["x"], "w", n_jobs=1, batch_rows=2)


def test_weights_of_zero_everywhere_are_refused(tmp_path):
    pq.write_table(
        pa.table({"x": [1.0, 2.0], "w": [0.0, 0.0], "y": [1.0, 2.0]}), tmp_path / "a.parquet"
    )
    with pytest.raises(BayeswoodError, match="'w' is zero in every row"):
        regressor().fit_parquet(tmp_path, "y", ["x"], "w", n_jobs=1)
