"""`bayeswood report`."""

import json

import numpy as np
import pytest
from cli_cases import run, run_json, write_mixed

import bayeswood


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("report")
    write_mixed(place / "mixed.csv")
    for target, other in (("kind", "price"), ("price", "kind")):
        model = place / f"{target}.bayeswood"
        drop = f"id,weight,{other}"
        run("fit", place / "mixed.csv", "-t", target, "--drop", drop, "-n", 10, "-o", model, "-q",
            "-m", "random-forest")  # fmt: skip
    return place


@pytest.mark.parametrize("target", ["kind", "price"])
def test_report_of_a_file(folder, tmp_path, target):
    out = tmp_path / "report.html"
    model, data = folder / f"{target}.bayeswood", folder / "mixed.csv"
    found = run_json("report", model, data, "--out", out)
    text = out.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert f"bayeswood.load(&#x27;{target}.bayeswood&#x27;)" in text
    assert str(folder) not in text
    assert found["bytes"] == out.stat().st_size
    assert found["n_rows"] == 120
    scores = run_json("evaluate", model, data)
    name, same = {"kind": ("accuracy", "accuracy"), "price": ("R²", "r2")}[target]
    assert found["scores"][name][0] == pytest.approx(scores[same])
    again = tmp_path / "again.html"
    run("report", model, data, "--out", again, "-q")
    assert again.read_bytes() == out.read_bytes()


def test_weights_and_words(folder, tmp_path):
    out = tmp_path / "report.html"
    args = ["report", folder / "kind.bayeswood", folder / "mixed.csv", "-o", out]
    result = run(*args, "--weights", "weight", "--title", "Kinds & sizes")
    assert "Kinds &amp; sizes" in out.read_text(encoding="utf-8")
    assert "Report on 120 rows" in result.stdout
    lines = [line for line in result.stdout.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 80
    plain = run_json(*args)["scores"]["accuracy"]
    weighted = run_json(*args, "--weights", "weight")["scores"]["accuracy"]
    assert plain != weighted


def test_failures_are_one_line_and_leave_no_file(folder, tmp_path):
    out = tmp_path / "report.html"
    model, data = folder / "kind.bayeswood", folder / "mixed.csv"
    for args, words in (
        ((model, data, "--weights", "wieght"), "wieght"),
        ((model, data, "-t", "colour"), "is a feature of the model"),
        ((model, tmp_path / "none.csv"), "none.csv"),
        ((model, data, "-o", model), "it is an input"),
    ):
        result = run("report", *args, *(() if "-o" in args else ("-o", out)), code=1)
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_levels_that_are_new_are_noted(folder, tmp_path):
    text = (folder / "mixed.csv").read_text().replace(",red,", ",violet,")
    (tmp_path / "new.csv").write_text(text)
    out = tmp_path / "report.html"
    found = run_json("report", folder / "price.bayeswood", tmp_path / "new.csv", "-o", out)
    assert any("never saw" in note for note in found["notes"])
    assert "never saw" in out.read_text(encoding="utf-8")
    assert np.isfinite(json.loads(json.dumps(found))["scores"]["R²"][0])
    assert bayeswood.load(folder / "price.bayeswood").schema_.reading.target == "price"
