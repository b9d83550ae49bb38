import csv
import json
import re
from pathlib import Path

import pytest

from bayeswood import datasets
from bayeswood.datasets import catalogue
from bayeswood.errors import DataSetError

ALL = catalogue.catalogue()
every_set = pytest.mark.parametrize("name", ALL)


def test_there_are_as_many_as_there_were():
    assert len(datasets.names()) == 36
    assert datasets.names() == sorted(ALL)


@every_set
def test_facts_agree_with_each_other(name):
    facts = ALL[name]
    assert len(set(facts.features)) == len(facts.features) > 0
    assert set(facts.categorical) <= set(facts.features)
    assert facts.task == ("classification" if facts.classes else "regression")
    for counts in filter(None, (facts.classes, facts.split)):
        assert sum(counts.values()) == facts.rows
    for digest in (facts.sha256, facts.cells):
        assert re.fullmatch("[0-9a-f]{64}", digest)
    assert list(facts.split) in ([], ["train", "test"])


@every_set
def test_every_set_is_described(name):
    facts = ALL[name]
    text = facts.description()
    assert text.startswith(f"origin: {facts.origin}\ntask: {facts.task}\nrows: {facts.rows:,}\n")
    assert f"features: {len(facts.features)}: " in text
    assert f"missing: {facts.missing:,} cells" in text
    assert ("classes: " in text) == (facts.task == "classification")


def test_nothing_of_the_machine_is_kept():
    text = catalogue._FILE.read_text(encoding="utf-8")
    assert not re.search(r"/(home|work|tmp|root|usr)\b|copy_used|sanity", text)


def test_numbered_columns_are_spelt_out():
    assert list(catalogue._numbered("x08..x11")) == ["x08", "x09", "x10", "x11"]
    assert list(catalogue._numbered("V9..V10")) == ["V9", "V10"]
    assert list(catalogue._numbered("Soil_Type_1..Soil_Type_3"))[-1] == "Soil_Type_3"
    assert list(catalogue._numbered("od280_od315")) == ["od280_od315"]
    assert len(ALL["fashion_mnist_7k"].features) == 784
    assert ALL["fashion_mnist_7k"].features[-1] == "p783"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("irsi", r"Did you mean iris\?"),
        ("wine-quality", r"Did you mean wine_quality\?"),
        ("nosuch", r"datasets\.names\(\) lists them"),
        ("", r"datasets\.names\(\) lists them"),
        ("../iris", "iris"),
    ],
)
def test_unknown_names(name, hint):
    with pytest.raises(
        DataSetError, match=rf"No data set is called '{re.escape(name)}'\. .*{hint}"
    ):
        datasets.load(name)


def test_the_page_lists_every_set():
    page = (Path(__file__).parents[3] / "docs" / "datasets.md").read_text(encoding="utf-8")
    for name, facts in ALL.items():
        (line,) = re.findall(rf"^\| `{name}` \| [\d,]+ x .*$", page, re.MULTILINE)
        assert line.startswith(f"| `{name}` | {facts.rows:,} x {len(facts.features)} | ")
        home = f"OpenML {facts.openml.id}" if facts.openml else ""
        bundled = name in datasets.builtin_names()
        assert line.endswith(f"| {'in the package' if bundled else home} |")


def test_the_folders_own_list_says_the_same():
    folder = datasets.data_folder()
    if folder is None or not (folder / "MANIFEST.csv").is_file():
        pytest.skip("needs MANIFEST.csv in the folder that the variable BAYESWOOD_DATA names")
    with (folder / "MANIFEST.csv").open(encoding="utf-8", newline="") as file:
        listed = {row["name"]: row for row in csv.DictReader(file)}
    assert set(listed) == set(ALL)
    for name, row in listed.items():
        facts = ALL[name]
        told = (facts.file, facts.rows, len(facts.features), facts.task, facts.sha256)
        sizes = (int(row["rows"]), int(row["features"]))
        assert told == (row["file"], *sizes, row["task"], row["sha256"])
        assert dict(facts.classes) == json.loads(row["classes"] or "{}")
        assert dict(facts.split) == json.loads(row["split"] or "{}")
        assert facts.missing == int(row["missing"].split()[0])
        assert ";".join(facts.categorical) == row["categorical_columns"]
