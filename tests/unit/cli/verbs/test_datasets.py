"""The verb that lists data sets, describes one, and saves it."""

from urllib.error import URLError

import pandas as pd
import pytest
import sklearn.datasets
from cli_cases import run, run_json

from bayeswood import datasets
from bayeswood.datasets.catalogue import catalogue


@pytest.fixture(autouse=True)
def _nothing_here(monkeypatch, tmp_path):
    monkeypatch.delenv("BAYESWOOD_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")


def line_of(text, name):
    (line,) = [line for line in text.splitlines() if line.split()[:1] == [name]]
    return line.split()


def assert_fits(text):
    assert max(map(len, text.splitlines())) <= 80


def test_the_list_fits_a_terminal(tmp_path):
    (tmp_path / "home" / "bayeswood").mkdir(parents=True)
    (tmp_path / "home" / "bayeswood" / "sonar.csv.gz").touch()
    text = run("datasets").stdout
    assert_fits(text)
    assert "36 data sets" in text
    assert len(text.splitlines()) == 36 + 3
    assert line_of(text, "iris") == ["iris", "classification", "150", "4", "3", "bundled"]
    assert line_of(text, "covertype")[2:] == ["581,012", "54", "7", "OpenML"]
    assert line_of(text, "mcycle") == ["mcycle", "regression", "133", "1", "not", "found"]
    assert line_of(text, "sonar")[-1] == "cache"


def test_the_folder_is_named(monkeypatch, tmp_path):
    (tmp_path / "mcycle.csv.gz").touch()
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path))
    assert line_of(run("datasets").stdout, "mcycle")[-1] == "folder"


@pytest.mark.parametrize("name", datasets.names())
def test_every_description_fits_a_terminal(name):
    text = run("datasets", name).stdout
    assert_fits(text)
    assert f"Data set {name}" in text
    assert f"{catalogue()[name].rows:,}" in text
    assert "origin" in text


def test_json_says_the_same():
    listed = run_json("datasets")["datasets"]
    assert [entry["name"] for entry in listed] == datasets.names()
    one = run_json("datasets", "wine")
    assert one == next(entry for entry in listed if entry["name"] == "wine")
    assert one["classes"] == {"1": 59, "2": 71, "3": 48}
    assert (one["from"], one["openml"], one["split"]) == ("bundled", None, {})
    assert "CC BY 4.0" in one["origin"]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_save(tmp_path, ending):
    path = tmp_path / f"cancer.{ending}"
    assert run_json("datasets", "breast_cancer_wisconsin", "--save", path)["saved"] == str(path)
    table = pd.read_parquet(path) if ending == "parquet" else pd.read_csv(path)
    wanted = datasets.load("breast_cancer_wisconsin", as_frame=True)
    assert table.columns.tolist() == [*wanted.feature_names, "target"]
    assert table["bare_nuclei"].isna().sum() == 16
    assert table["clump_thickness"].tolist() == wanted.features["clump_thickness"].tolist()
    assert table["target"].tolist() == wanted.target.tolist()


def test_what_is_saved_can_be_fitted(tmp_path):
    path = tmp_path / "wine.csv"
    run("datasets", "wine_quality", "-o", path, "-q")
    result = run_json("fit", path, "-t", "target", "-n", 3, "--task", "regression")
    assert (result["n_train"], result["categories"]) == (6497, ["color"])


BAD = {
    "datasets irsi": (1, "No data set is called 'irsi'. Did you mean iris?"),
    "datasets --save x.csv": (2, "--save needs the NAME of a data set."),
    "datasets wine --save x.xlsx": (1, "--save must end in .csv, .csv.gz, .parquet"),
    "datasets mcycle --save x.csv": (1, "put mcycle.csv.gz into a folder and name it in"),
    "datasets sonar --save x.csv": (1, "OpenML, id 40, gave nothing: <urlopen error off>"),
}


@pytest.mark.parametrize("command", BAD)
def test_failures_are_one_line(command, monkeypatch, tmp_path):
    def unreachable(**options):
        raise URLError("off")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    monkeypatch.chdir(tmp_path)
    code, message = BAD[command]
    result = run(*command.split(), code=code)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []
