"""Tables as they are, through the verbs: notes, options, and what a model remembers."""

import io
import json
import sys

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as feather
import pytest
from click.testing import CliRunner

from bayeswood.cli.app import app

N_ROWS = 60


def run(*arguments, stdin=None, fails=False):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert (result.exit_code != 0) == fails, result.output
    return result


def run_json(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def german(value):
    return f"{value:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


def rows(target=True):
    """Prices with decimal commas, dates with points, words for missing cells."""
    lines = ["when;price;town;y" if target else "when;price;town"]
    for i in range(N_ROWS):
        price = "n/a" if i % 11 == 3 else german(37.25 * i) + " €"
        cells = [f"{1 + i % 28:02}.{1 + i % 12:02}.2024", price, "ab"[i % 2]]
        lines.append(";".join([*cells, german(i * 4.5)] if target else cells))
    return "\n".join(lines) + "\n"


FIT = ("-t", "y", "-m", "random-forest", "-n", 5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    (place / "train.csv").write_text(rows())
    (place / "new.csv").write_text(rows(target=False))
    run("fit", place / "train.csv", *FIT, "-o", place / "m")
    return place


def predictions(path):
    return pa_csv.read_csv(path).drop_columns(["support"])


def test_a_decimal_comma_target_is_a_number_and_all_is_said_on_stderr(folder):
    result = run("fit", folder / "train.csv", *FIT)
    for words in ("decimal comma", "'n/a' taken as missing", "day.month.year", "'€' left off"):
        assert words in result.stderr
        assert words not in result.stdout
    assert "regression" in result.stdout
    assert "when.month" in result.stdout  # among the importances
    found = run_json("fit", folder / "train.csv", *FIT)
    assert found["task"] == "regression"
    assert any("decimal comma" in note for note in found["notes"])
    assert found["features"] == ["when", "price", "town"]


def test_a_model_knows_its_target_and_its_marks(folder):
    scores = run_json("evaluate", folder / "m", folder / "train.csv")
    assert scores["target"] == "y"
    assert scores["notes"] == []
    assert scores["r2"] > 0.8
    assert run_json("info", folder / "m")["target"] == "y"
    assert "target" in run("info", folder / "m").stdout


def test_new_rows_are_read_as_the_training_rows_were(folder, tmp_path):
    run("predict", folder / "m", folder / "new.csv", "-o", tmp_path / "a.csv")
    plain = pa.table({"when": ["2024-01-01"], "price": ["1234.50"], "town": ["a"]})
    pa_csv.write_csv(plain, tmp_path / "plain.csv")
    (tmp_path / "own.csv").write_text("when;price;town\n01.01.2024;1.234,50;a\n")
    (tmp_path / "three.csv").write_text("when;price;town\n01.01.2024;1.234;a\n")
    (tmp_path / "whole.csv").write_text("when;price;town\n01.01.2024;1234;a\n")
    found = {}
    for name in ("plain", "own", "three", "whole"):
        out = tmp_path / f"{name}-out.csv"
        found[name] = run("predict", folder / "m", tmp_path / f"{name}.csv", "-o", out).stderr
    assert predictions(tmp_path / "plain-out.csv") == predictions(tmp_path / "own-out.csv")
    assert predictions(tmp_path / "three-out.csv") == predictions(tmp_path / "whole-out.csv")
    assert "PLEASE CHECK: column 'price'" in found["plain"]
    assert not found["own"]
    assert not found["three"]


def test_the_target_of_new_rows_may_hold_anything(folder, tmp_path):
    (tmp_path / "new.csv").write_text(rows().replace("0,00\n", "not sold yet\n", 1))
    run("predict", folder / "m", tmp_path / "new.csv", "-o", tmp_path / "a.csv")
    run("predict", folder / "m", folder / "new.csv", "-o", tmp_path / "b.csv")
    assert predictions(tmp_path / "a.csv") == predictions(tmp_path / "b.csv")
    line = run("evaluate", folder / "m", tmp_path / "new.csv", fails=True).stderr
    assert "target column 'y' must hold numbers" in line


def test_standard_input_and_other_formats_by_the_same_door(folder, tmp_path):
    text = rows(target=False)
    result = run("predict", folder / "m", "-", "-o", tmp_path / "a.csv", stdin=text)
    assert result.exit_code == 0
    run("predict", folder / "m", folder / "new.csv", "-o", tmp_path / "b.csv")
    assert predictions(tmp_path / "a.csv") == predictions(tmp_path / "b.csv")
    lines = text.splitlines()
    records = [dict(zip(lines[0].split(";"), line.split(";"), strict=True)) for line in lines[1:]]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    feather.write_feather(pa.Table.from_pylist(records), str(tmp_path / "new.feather"))
    for name in ("new.jsonl", "new.feather"):
        run("predict", folder / "m", tmp_path / name, "-o", tmp_path / "c.csv")
        assert predictions(tmp_path / "c.csv") == predictions(tmp_path / "b.csv")


def test_rows_without_a_target_can_be_left_out(folder, tmp_path):
    gaps = tmp_path / "gaps.csv"
    gaps.write_text(rows() + "01.01.2024;5,5;a;\n02.01.2024;5,5;a;?\n")
    line = run("fit", gaps, *FIT, fails=True).stderr
    assert "--drop-missing-target" in line
    found = run_json("fit", gaps, *FIT, "--drop-missing-target")
    assert found["n_train"] == N_ROWS
    assert any("left out: 2 of 62" in note for note in found["notes"])
    assert run_json("evaluate", folder / "m", gaps, "--drop-missing-target")["n_rows"] == N_ROWS
    found = run_json("compare", gaps, "-t", "y", "-m", "random-forest", "--drop-missing-target")
    assert any("left out" in note for note in found["notes"])


def test_every_verb_has_the_options(folder):
    for verb in ("fit", "predict", "evaluate", "compare"):
        text = run(verb, "--help").stdout
        for option in ("--na", "--decimal", "--thousands", "--no-header", "--encoding"):
            assert option in text, (verb, option)


def test_the_options_reach_the_reader(tmp_path):
    data = tmp_path / "rows.csv"
    lines = [f"1.{100 + i};gone;{i}.5" for i in range(40)]
    data.write_text("\n".join(lines) + "\n", encoding="utf-8")
    common = ("fit", data, "--no-header", "-t", "x2", "-m", "random-forest", "-n", 2)
    found = run_json(*common, "--na", "gone", "--decimal", ".")
    assert found["features"] == ["x0", "x1"]
    assert any("'x1': has no values" in note for note in found["notes"])
    assert not any("PLEASE" in note for note in found["notes"])
    grouped = run_json("fit", data, "--no-header", "-t", "x0", "--thousands", ".", "-n", 2,
                       "-m", "random-forest", "-o", tmp_path / "m")  # fmt: skip
    assert grouped["task"] == "regression"
    scores = run_json("evaluate", tmp_path / "m", data, "--no-header")
    assert scores["target"] == "x0"
    assert scores["rmse"] < 100


def test_words_of_the_user_are_remembered(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("c,y\n" + "".join(f"{'abz'[i % 3]},{i}.5\n" for i in range(60)))
    run("fit", data, *FIT, "--na", "z", "-o", tmp_path / "m")
    assert run_json("info", tmp_path / "m")["categories"]["c"] == ["a", "b"]
    assert run_json("evaluate", tmp_path / "m", data)["notes"] == []  # no level is new


def test_ids_are_noted_and_errors_stay_one_line(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("id,same,y\n" + "".join(f"{i},1,{i}.5\n" for i in range(40)))
    stderr = run("fit", data, *FIT).stderr
    assert "--drop id" in stderr
    assert "column 'same': has the same value" in stderr
    assert not run("fit", data, *FIT, "-q").stderr
    line = run("fit", data, *FIT, "-p", "criterion=gini", fails=True).stderr
    assert line.count("\n") == 1


def test_rows_in_pieces_are_read_the_same_way_or_refused(folder, tmp_path, monkeypatch):
    run("predict", folder / "m", folder / "new.csv", "-o", tmp_path / "a.csv")
    monkeypatch.setattr("bayeswood.cli.large.large_input._CSV_FACTOR", 10**9)
    run("predict", folder / "m", folder / "new.csv", "-o", tmp_path / "b.csv")
    assert predictions(tmp_path / "a.csv") == predictions(tmp_path / "b.csv")
    for name, cell in (("three", "1.234"), ("whole", "1234")):
        (tmp_path / f"{name}.csv").write_text(f"when;price;town\n01.01.2024;{cell};a\n")
        out = tmp_path / f"{name}-out.csv"
        run("predict", folder / "m", tmp_path / f"{name}.csv", "-o", out)
    assert predictions(tmp_path / "three-out.csv") == predictions(tmp_path / "whole-out.csv")
    odd = tmp_path / "odd.csv"
    odd.write_text(rows(target=False).replace("€", "$", 1))
    line = run("predict", folder / "m", odd, "-o", tmp_path / "c.csv", fails=True).stderr
    assert "'price' of X held numbers" in line
    assert "--decimal" in line
    given = (
        "predict",
        folder / "m",
        folder / "new.csv",
        "-o",
        tmp_path / "c.csv",
        "--decimal",
        ",",
    )
    assert "--decimal needs all rows in memory" in run(*given, fails=True).stderr
    line = run("fit", folder / "train.csv", "-t", "y", fails=True).stderr
    assert line.count("\n") == 1
    assert "target column 'y' holds numbers that are not written plainly" in line
    assert "--decimal" in line
    line = run("fit", folder / "train.csv", "-t", "town", fails=True).stderr
    assert "Column 'when' holds dates" in line or "'price' holds numbers" in line
    line = run("fit", folder / "train.csv", "-t", "y", "--thousands", ".", fails=True).stderr
    assert "--thousands needs all rows in memory" in line


def test_a_stream_of_bytes_stands_for_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows().encode())))
    from bayeswood.cli.tables.table_file import read_table

    assert read_table("-").table.num_rows == N_ROWS
