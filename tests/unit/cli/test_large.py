"""The command line takes the path of large input by itself."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from file_tables import FEATURES, classifier, regressor, small_table, write_parts

import bayeswood
from bayeswood.cli.app import app
from bayeswood.cli.large_input import bytes_in_memory, is_large, memory_limit


def run(*arguments, fails=False):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert (result.exit_code != 0) == fails, result.output
    return result.stdout if not fails else result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts") / "data", small_table(), [500, 700])


@pytest.fixture
def _tiny_memory(monkeypatch):
    """Even a small file is larger than the memory limit."""
    monkeypatch.setattr("bayeswood.cli.large_input._BYTES_PER_CELL", 10**6)
    monkeypatch.setattr("bayeswood.cli.large_input._CSV_FACTOR", 10**6)


def test_what_is_large(folder, tmp_path):
    path = folder / "part-0.parquet"
    assert bytes_in_memory(str(path), "parquet") == 32 * 500 * 8
    assert is_large(str(folder), 10**9)
    assert is_large(str(folder / "*.parquet"), 10**9)
    assert not is_large(str(path), 10**9)
    assert is_large(str(path), 10**5)
    assert not is_large("builtin:iris", 1)
    assert not is_large(str(tmp_path / "nowhere.csv"), 1)
    text = tmp_path / "rows.csv"
    text.write_text("x" * 1000)
    assert is_large(str(text), 5999)
    assert not is_large(str(text), 6000)
    assert memory_limit("2GB") == 2 * 10**9
    assert memory_limit(None) > 10**8


@pytest.mark.usefixtures("_tiny_memory")
def test_fit_and_predict_in_pieces(folder, tmp_path):
    columns = ",".join(FEATURES)
    found = json.loads(
        run("fit", folder, "-t", "y", "--columns", columns, "-n", 4, "-p", "min_samples_leaf=5",
            "--seed", 1, "-j", 1, "-o", tmp_path / "y.bw", "--memory-limit", "1GB", "--json")
    )  # fmt: skip
    assert found["method"] == "empirical-bayesian-forest"
    assert found["n_train"] == 1200
    assert any("taken for regression" in note for note in found["notes"])
    model = bayeswood.load(tmp_path / "y.bw")
    expected = regressor(keep_responses=False).fit_parquet(folder, "y", FEATURES, n_jobs=1)
    assert model.forest_.digest == expected.forest_.digest

    text = run("predict", tmp_path / "y.bw", folder, "-o", tmp_path / "p.parquet", "--keep", "y")
    assert "Wrote 1,200 predictions" in text
    assert "intervals are of the mean" in text
    table = pq.read_table(tmp_path / "p.parquet")
    assert table.column_names == ["y", "predicted", "mean_lower", "mean_upper", "support"]
    rows = small_table()
    assert table["y"].to_pylist() == rows["y"].to_pylist()
    np.testing.assert_array_equal(table["predicted"], expected.predict(rows.select(FEATURES)))


@pytest.mark.usefixtures("_tiny_memory")
def test_predictions_in_pieces_are_those_of_one_piece(folder, tmp_path, monkeypatch):
    rows = small_table()
    classifier().fit(rows.select(FEATURES), rows["kind"]).save(tmp_path / "kind.bw")
    path = folder / "part-1.parquet"
    monkeypatch.setattr("bayeswood.distributed.predict_files.predict_files.__kwdefaults__",
                        {"keep": (), "batch_rows": 90, "show_progress": False})  # fmt: skip
    pieces = run("predict", tmp_path / "kind.bw", path, "-o", "-", "--json")
    monkeypatch.setattr("bayeswood.cli.large_input._BYTES_PER_CELL", 1)
    whole = run("predict", tmp_path / "kind.bw", path, "-o", "-", "--json")
    assert pieces.count("\n") == 701
    assert pieces.replace('"', "") == whole.replace('"', "")


def test_a_small_file_is_still_read_as_a_whole(folder, tmp_path):
    text = run("fit", folder / "part-0.parquet", "-t", "kind", "-n", 3, "-m", "bayesian-forest")
    assert "in pieces" not in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--test-size", "0.2"], "--test-size needs all rows in memory"),
        (["--plot", "p.png"], "--plot needs all rows in memory"),
        (["--method", "random-forest"], "--method random-forest needs all rows in memory"),
        (["--memory-limit", "1kB"], "--memory-limit must be at least 600.0 MB"),
        (["--resume"], "resume=True needs the 'spill_dir'"),
        (["--columns", "x9"], "No column 'x9'"),
    ],
)
def test_what_cannot_be_done_in_pieces(folder, options, words):
    assert words in run("fit", folder, "-t", "y", *options, fails=True)


def test_a_target_is_needed(folder):
    assert "Name the column to predict" in run("fit", folder, fails=True)


def test_a_model_without_responses_predicts_bundled_data(tmp_path):
    model, out = tmp_path / "wine.bw", tmp_path / "out.csv"
    data = "builtin:wine_quality"
    run("fit", data, "-m", "bayesian-forest", "--task", "regression", "-n", 2, "-p",
        "keep_responses=false", "-p", "max_depth=3", "-o", model, "-q")  # fmt: skip
    run("predict", model, data, "-o", out)
    assert out.read_text().splitlines()[0].replace('"', "") == (
        "predicted,mean_lower,mean_upper,support"
    )
