"""Predictions of files: in order, whole, and the same as in memory."""

import errno

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_tables import FEATURES, classifier, regressor, small_table, write_parts
from pyarrow import csv
from sklearn.exceptions import NotFittedError

from bayeswood import BayeswoodError
from bayeswood.distributed.tasks.work_folder import SpillError


@pytest.fixture(scope="module")
def table():
    return small_table()


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts") / "data", table, [500, 700])


@pytest.fixture(scope="module")
def numbers(table):
    return regressor().fit(table.select(FEATURES), table["y"].to_numpy())


@pytest.fixture(scope="module")
def classes(table):
    return classifier().fit(table.select(FEATURES), table["kind"])


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.csv.gz", "out.arrow"])
def test_predictions_are_those_in_memory(table, folder, classes, tmp_path, name):
    out = tmp_path / name
    classes.predict_parquet(folder, out, keep=["y"], batch_rows=130)
    if name.endswith("parquet"):
        found = pq.read_table(out)
    elif name.endswith("arrow"):
        found = pa.ipc.open_file(str(out)).read_all()
    else:
        found = csv.read_csv(out)
    rows = table.select(FEATURES)
    assert found.column_names == ["y", "predicted", "p_low", "p_mid", "p_top"]
    np.testing.assert_array_equal(found["y"], table["y"])
    assert found["predicted"].to_pylist() == classes.predict(rows).tolist()
    shares = np.column_stack([found[f"p_{label}"] for label in ("low", "mid", "top")])
    np.testing.assert_allclose(shares, classes.predict_proba(rows), rtol=1e-12)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_numbers_with_one_and_with_two_responses(table, folder, numbers, tmp_path):
    numbers.predict_parquet([folder / "part-1.parquet"], tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    expected = numbers.predict(table.select(FEATURES).slice(500))
    np.testing.assert_array_equal(found["predicted"], expected)
    y = np.column_stack([table["y"].to_numpy(), table["w"].to_numpy()])
    both = regressor().fit(table.select(FEATURES), y)
    both.predict_parquet(folder, tmp_path / "both.parquet")
    found = pq.read_table(tmp_path / "both.parquet")
    np.testing.assert_array_equal(found["predicted_1"], both.predict(table.select(FEATURES))[:, 1])


def test_words_that_look_like_numbers_stay_words(tmp_path):
    rows = pa.table({"code": ["01", "1", "a"] * 40, "y": [1.0, 2.0, 3.0] * 40})
    forest = regressor().fit(rows.select(["code"]), rows["y"].to_numpy())
    (tmp_path / "new.csv").write_text("code\n01\n1\n1\n")
    forest.predict_parquet(tmp_path / "new.csv", tmp_path / "out.csv")
    found = csv.read_csv(tmp_path / "out.csv")["predicted"].to_pylist()
    assert found == [1.0, 2.0, 2.0]


def test_bad_requests_leave_nothing_behind(folder, numbers, tmp_path):
    out = tmp_path / "out.parquet"
    with pytest.raises(NotFittedError):
        regressor().predict_parquet(folder, out)
    with pytest.raises(BayeswoodError, match=r"must end in one of \.parquet"):
        numbers.predict_parquet(folder, tmp_path / "out.txt")
    with pytest.raises(BayeswoodError, match="is one of the files to predict"):
        numbers.predict_parquet(folder, folder / "part-0.parquet")
    with pytest.raises(BayeswoodError, match="has no column 'z'"):
        numbers.predict_parquet(folder, out, keep=["z"])
    pq.write_table(pa.table({"x0": ["word"]}), tmp_path / "bad.parquet")
    with pytest.raises(BayeswoodError, match=r"bad\.parquet' has no column 'x1'"):
        numbers.predict_parquet(tmp_path / "bad.parquet", out)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.parquet"]


def test_a_string_where_a_number_was_names_the_file(table, numbers, tmp_path):
    rows = table.select(FEATURES)
    bad = rows.set_column(0, "x0", pa.array(["word"] * len(rows)))
    pq.write_table(bad, tmp_path / "bad.parquet")
    with pytest.raises(BayeswoodError, match=r"bad\.parquet'.*'x0' of X held numbers"):
        numbers.predict_parquet(tmp_path / "bad.parquet", tmp_path / "out.parquet")


def test_a_full_disk_leaves_no_half_file(folder, numbers, tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("bayeswood.distributed.predict_files.publish", full)
    with pytest.raises(SpillError, match="full"):
        numbers.predict_parquet(folder, tmp_path / "out.parquet")
    assert not list(tmp_path.iterdir())
