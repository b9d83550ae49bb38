"""The command line takes the path of large input by itself."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from file_tables import FEATURES, classifier, regressor, small_table, write_parts

import bayeswood
from bayeswood.cli.app import app
from bayeswood.cli.large.large_input import bytes_in_memory, is_large, memory_limit
from bayeswood.distributed.files.batches import read_batches


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
    monkeypatch.setattr("bayeswood.cli.large.large_input._BYTES_PER_CELL", 10**6)
    monkeypatch.setattr("bayeswood.cli.large.large_input._CSV_FACTOR", 10**6)


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
    monkeypatch.setattr("bayeswood.cli.large.large_input._BYTES_PER_CELL", 1)
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


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Models of a class and of a number, and labelled rows with levels and classes unseen."""
    place = tmp_path_factory.mktemp("models")
    rows = small_table()
    classifier().fit(rows.select(FEATURES), rows["kind"]).save(place / "kind.bw")
    regressor().fit(rows.select(FEATURES), rows["y"]).save(place / "y.bw")
    other = small_table(700, seed=1).to_pandas()
    other.loc[5, "group"], other.loc[[300, 650], "kind"] = "centre", ["new", "newer"]
    other.to_csv(place / "rows.csv", index=False)
    other.to_parquet(place / "rows.parquet", index=False)
    return place


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("target", ["kind", "y"])
def test_scores_in_pieces_are_those_of_one_piece(models, kind, target, monkeypatch):
    args = ["evaluate", models / f"{target}.bw", models / f"rows.{kind}", "-t", target, "--json"]
    whole = json.loads(run(*args))
    monkeypatch.setattr("bayeswood.cli.large.large_input._BYTES_PER_CELL", 10**6)
    monkeypatch.setattr("bayeswood.cli.large.large_input._CSV_FACTOR", 10**6)
    sizes = []

    def few(file, columns):
        for batch in read_batches(file, columns, batch_rows=90):
            sizes.append(batch.num_rows)
            yield batch

    monkeypatch.setattr("bayeswood.cli.large.evaluate_large.read_batches", few)
    pieces = json.loads(run(*args, "--memory-limit", "700MB", "-j", 2))
    assert len(sizes) == 8
    assert sum(sizes) == 700
    notes, shorter = whole.pop("notes"), pieces.pop("notes")
    assert pieces == whole
    assert notes[0].split(":")[0] == shorter[0].split(":")[0] == "column 'group'"
    assert notes[1:] == shorter[1:]
    if target == "kind":
        assert "in 2 of 700 rows: new, newer." in notes[1]


def test_a_folder_can_be_evaluated(models, folder):
    text = run("evaluate", models / "y.bw", folder, "-t", "y")
    assert "on 1,200 rows of" in text
    words = run("evaluate", models / "y.bw", folder, fails=True)
    assert "Name the target with --target. Not used by the model is more than one: w" in words


def test_threads_change_no_prediction(models):
    one, two = (
        run("predict", models / "kind.bw", models / "rows.csv", "-o", "-", flag, n, "--json")
        for flag, n in (("-j", 1), ("--jobs", 2))
    )
    assert one == two
