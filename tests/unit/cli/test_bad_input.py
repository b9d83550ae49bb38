"""Every mistake gives one clear line on stderr, the right exit code, and no file."""

import gzip
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import bayeswood
from bayeswood.cli.app import app

GOOD = "a,b,y\n" + "".join(f"{i},{'uv'[i % 2]},{i % 3}.5\n" for i in range(30))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)
    fit = ["fit", "good.csv", "-t", "y", "-o", "good.bw", "-n", "3", "-q"]
    result = CliRunner().invoke(app, fit)
    assert result.exit_code == 0, result.output
    return tmp_path


def fails(command, code=1):
    """Run a command that must fail; its one line."""
    result = CliRunner().invoke(app, command.split() if isinstance(command, str) else command)
    assert result.exit_code == code, result.output
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert "Traceback" not in result.output
    return lines[0]


FILES = {
    "empty.csv": (b"", "the file is empty"),
    "blank.csv": (b"\n \n", "the file is empty"),
    "header.csv": (b"a,b,y\n", "no rows"),
    "ragged.csv": (b"a,b,y\n1,u,2\n1,u\n", "line 3 has 2 cells where the header has 3: 1,u"),
    "latin.csv": ("a,b,y\n1,café,2\n2,thé,3.5\n".encode("latin-1"), "'b'.*not UTF-8"),
    "latin_header.csv": ("a,bé,y\n1,u,2\n".encode("latin-1"), "not UTF-8"),
    "twice.csv": (b"a,a,y\n1,2,3\n", "'a' occurs more than once"),
    "binary.csv": (bytes(range(256)) * 8, "binary.csv"),
    "bad.csv.gz": (b"not gzip at all", "gzip"),
    "cut.csv.gz": (gzip.compress(GOOD.encode() * 99)[:-30], "gzip"),
    "bad.parquet": (b"PAR1 but not really", "not a readable Parquet file"),
    "dates.csv": (b"a,y\n1,2020-01-01\n2,2020-01-02\n", "'y' must hold numbers.*date"),
    "inf.csv": (b"a,y\n1,2.5\ninf,3.5\n", "'a'"),
    "gap.csv": (b"a,y\n1,2.5\n2,\n3,4.5\n4,\n", "'y' has missing cells, the first in data row 2"),
    "lonely.csv": (b"y\n1.5\n2.5\n", "No feature column"),
    "infinite.csv": (b"a,y\n1,2.5\n2,inf\n", "inf"),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_data_files(folder, name):
    content, message = FILES[name]
    (folder / name).write_bytes(content)
    line = fails(f"fit {name} --target y --out new.bw --predictions new.csv")

    assert re.search(message, line), line
    assert not list(folder.glob("*new*"))


FIT = "fit good.csv --target y "
COMMANDS = {
    "fit gone.csv --target y": "No file 'gone.csv'",
    "fit *.nothing --target y": "finds no file",
    "fit builtin:irish": "'irish'.*iris",
    "fit good.csv --target Y": "No target column 'Y'. Did you mean 'y'",
    "fit good.csv --target zebra": "There are: a, b, y",
    FIT + "--drop aa": "Did you mean 'a'",
    FIT + "--columns a,q": "No column 'q'",
    FIT + "--categorical q": "No column 'q'",
    FIT + "--drop a,b": "No feature column",
    FIT + "--drop a --categorical a": "'a' is not among the features",
    FIT + "--groups w": "No groups column 'w'",
    FIT + "--groups y": "'y' cannot be both target and groups",
    FIT + "--groups b -m bayesian-forest": "--groups is of no use to the method",
    FIT + "--weights w": "No weights column 'w'",
    FIT + "--weights y": "'y' cannot be both target and weights",
    FIT + "--weights b": "weights column 'b' must hold numbers",
    "fit good.csv --target b --task regression": "'b' must hold numbers",
    FIT + "--param min_samples_leaf=0": "'min_samples_leaf' parameter",
    FIT + "--param criterion=gini": "'criterion' parameter",
    FIT + "--test-size 0.99": "leaves none",
    FIT + "--out gone/new.bw": "no folder 'gone'",
    FIT + "--out .": "it is a folder",
    FIT + "--out good.csv": "an input of this command",
    FIT + "--predictions new.xlsx": "--predictions must end in .csv, .csv.gz, .parquet",
    FIT + "--predictions new.csv --out new.csv": "same file name",
    FIT + "--plot new.gif": "--plot must end in",
    "predict good.bw good.csv --out gone/new.csv": "no folder 'gone'",
    "predict gone.bw good.csv --out new.csv": "gone.bw",
    "predict good.bw good.csv --out new.gz": "--out must end in .csv, .csv.gz, .parquet",
    "predict good.csv good.csv --out new.csv": "not a bayeswood model",
    "predict good.bw gone.csv --out new.csv": "No file 'gone.csv'",
    "predict good.bw good.csv --out new.csv --keep q": "No column 'q'",
    "predict good.bw good.csv --out good.bw": "an input of this command",
    "evaluate good.bw good.csv --target q": "No target column 'q'",
    "evaluate good.bw good.csv --target b": "'b' is a feature of the model",
    "info gone.bw": "gone.bw",
    "info good.csv": "not a bayeswood model",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_requests(folder, command):

    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    line = fails(command)
    assert re.search(COMMANDS[command], line), line
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


USAGE = {
    "frobnicate": "No such command 'frobnicate'",
    "fit good.csv": "--target.*a, b, y",
    "fit good.csv --target y --nonsense": "--nonsense",
    FIT + "--method foresty": "No method 'foresty'",
    FIT + "--method bayesian-florest": "Did you mean 'bayesian-forest'",
    FIT + "--param min_leaf=3": "no parameter 'min_leaf'. Did you mean 'min_samples_leaf'",
    FIT + "--param oops": "name=value",
    FIT + "--test-size 1.5": "test-size",
    FIT + "--coverage 1": "coverage",
    FIT + "--gamma0 0": "gamma0",
    FIT + "--n-estimators 0": "n-estimators",
    FIT + "--task clustering": "clustering",
    "predict good.bw good.csv": "--out",
    "predict": "MODEL",
}


@pytest.mark.parametrize("command", USAGE)
def test_misuse_exits_with_2(folder, command):

    line = fails(command, code=2)
    assert re.search(USAGE[command], line), line
    assert "--help" in line


def test_columns_missing_at_predict(folder):
    (folder / "new.csv").write_text("A,b\n1,u\n")
    line = fails("predict good.bw new.csv --out p.csv")
    assert "lack 1 of the model's columns: 'a'. Did you mean 'A'?" in line
    (folder / "new.csv").write_text("q,z\n1,u\n")
    assert "'a', 'b'" in fails("predict good.bw new.csv --out p.csv")
    assert not (folder / "p.csv").exists()


def test_text_in_a_column_of_numbers_at_predict(folder):
    (folder / "new.csv").write_text("a,b\nmany,u\n")
    line = fails("predict good.bw new.csv --out p.csv")
    assert "'a' must hold numbers" in line


@pytest.mark.parametrize("keep", [0, 1, 40, 400, -1])
def test_damaged_model_files(folder, keep):
    data = (folder / "good.bw").read_bytes()
    (folder / "cut.bw").write_bytes(data[:keep])
    assert "cut.bw" in fails("info cut.bw")
    fails("predict cut.bw good.csv --out p.csv")
    assert not (folder / "p.csv").exists()


def test_evaluate_needs_to_know_the_target(folder):
    (folder / "more.csv").write_text("a,b,y,z\n1,u,2.5,1\n")
    known = CliRunner().invoke(app, ["evaluate", "good.bw", "more.csv"])
    assert known.exit_code == 0, known.output
    assert "target y" in known.output
    (folder / "more.csv").write_text("a,b,q,z\n1,u,2.5,1\n")
    assert "--target" in fails("evaluate good.bw more.csv")
    (folder / "less.csv").write_text("a,b\n1,u\n")
    assert "--target" in fails("evaluate good.bw less.csv")


def test_evaluate_with_classes_of_another_type(folder):
    (folder / "c.csv").write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(20)))
    run = CliRunner().invoke(app, ["fit", "c.csv", "-t", "y", "-o", "c.bw", "-n", "3", "-q"])
    assert run.exit_code == 0
    (folder / "t.csv").write_text("x,y\n1,yes\n2,no\n")
    assert "does not hold the model's classes" in fails("evaluate c.bw t.csv")


def test_unnamed_models_need_the_same_number_of_columns(folder):
    X = np.random.default_rng(0).normal(size=(30, 3))
    bayeswood.BayesianForestRegressor(n_estimators=2).fit(X, X[:, 0]).save("u.bw")
    assert "must hold numbers" in fails("predict u.bw good.csv --out p.csv")
    (folder / "two.csv").write_text("a,b\n1,2\n")
    assert "3 columns without names" in fails("predict u.bw two.csv --out p.csv")


def test_nested_parquet_columns_are_refused(folder):
    pq.write_table(pa.table({"a": [[1, 2], [3]], "y": [1.5, 2.5]}), "n.parquet")
    assert "Column 'a' holds list" in fails("fit n.parquet -t y")


def test_evaluate_needs_numbers_for_a_regressor(folder):
    (folder / "text.csv").write_text("a,b,y\n1,u,many\n2,v,few\n")
    assert "must hold numbers" in fails("evaluate good.bw text.csv --target y")


def test_several_targets_are_refused(folder):
    X = np.arange(40.0)[:, None]
    bayeswood.BayesianForestRegressor(n_estimators=2).fit(X, np.column_stack([X, X])).save("m.bw")
    (folder / "x.csv").write_text("a\n1\n")
    assert "one target" in fails("predict m.bw x.csv --out p.csv")


def test_old_output_survives_a_failure(folder):
    (folder / "p.csv").write_text("precious")
    (folder / "new.csv").write_text("a,b\nmany,u\n")
    fails("predict good.bw new.csv --out p.csv")
    assert (folder / "p.csv").read_text() == "precious"


def test_failure_while_writing_leaves_nothing(folder, monkeypatch):
    def fail(table, path, **_):
        path.write_text("half")
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("bayeswood.cli.verbs.fit.write_table", fail)
    line = fails(FIT + "-n 2 --out new.bw --predictions new.csv -q")
    assert "No space left" in line
    assert {path.name for path in folder.iterdir()} == {"good.csv", "good.bw"}


def test_unexpected_errors_are_one_line_and_debug_shows_where(folder, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("the roof\nis on fire")

    monkeypatch.setattr("bayeswood.cli.verbs.info.summarize_model", fail)
    assert "RuntimeError: the roof is on fire (--debug" in fails("info good.bw")
    result = CliRunner().invoke(app, ["info", "good.bw", "--debug"])
    assert result.exit_code == 1
    assert "Traceback" in result.stderr


@pytest.mark.parametrize(("module", "command", "extra"), [
    ("pyarrow", "predict good.bw good.csv --out p.csv", "cli"),
    ("matplotlib.figure", FIT + "--plot p.png", "plots"),
])  # fmt: skip
def test_missing_packages_are_named(folder, monkeypatch, module, command, extra):
    monkeypatch.setitem(sys.modules, module, None)
    line = fails(command)
    assert module.split(".")[0] in line
    assert f"bayeswood[{extra}]" in line


@pytest.mark.parametrize(
    ("module", "command"),
    [("click", "fit --help"), ("rich", "predict gone.bw gone.csv --out p.csv"), ("rich", "fit")],
)
def test_missing_command_line_packages(module, command):
    # Help needs no more than click; without rich a verb stops before it does anything. In a process
    # of its own: modules that are imported twice in one would trouble other tests.
    lines = f"import sys; sys.modules['{module}'] = None; from bayeswood import cli"
    code = f"{lines}; cli.main({command.split()})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert f"needs {module}: pip install 'bayeswood[cli]'" in found.stderr
