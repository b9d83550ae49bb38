"""The README's figures are those of the kept results, with their dates."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
KEPT = ROOT / "benchmarks" / "results" / "2026-11-20-amd-epyc.json"
RECORD = json.loads(KEPT.read_text(encoding="utf-8"))
IN_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "kB": 1.0}

# Words of a line in the README: workload and measure of the record.
LINES = {
    "fit, regression 200,000 x 20, per tree": ("Friedman 200,000 x 20", "fit, CPU per tree"),
    "fit, two classes 200,000 x 20, √d features, per tree": (
        "binary 200,000 x 20",
        "fit, CPU per tree",
    ),
    "predict 100,000 rows, 100 trees": (
        "100,000 rows, 100 trees of Friedman 20,640 x 10",
        "predict, CPU",
    ),
    "predict one row, 20 trees, from Python": ("one row, 20 trees", "predict, CPU per call"),
    "model file, regression, per tree": ("Friedman 20,640 x 10", "file, per tree"),
}
COLUMNS = {2: "random forest", 3: "Bayesian forest"}


def cells(words):
    (line,) = [line for line in README.splitlines() if line.startswith(f"| {words} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def quantity(text):
    number, unit = re.match(r"([\d.]+) (\w+)", text).groups()
    return float(number) * IN_SECONDS[unit]


def kept(words, subject):
    workload, measure = LINES[words]
    (row,) = [
        row
        for row in RECORD["rows"]
        if (row["workload"], row["measure"], row["subject"]) == (workload, measure, subject)
        and row["beside"] in ("scikit-learn", "scikit-learn pickle")
    ]
    return row


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("words", LINES)
def test_speeds_are_those_of_the_record(words, column):
    shown, row = cells(words), kept(words, COLUMNS[column])
    scale = IN_SECONDS[row["unit"]]
    assert quantity(shown[1]) == pytest.approx(row["theirs"] * scale, rel=0.01)
    assert quantity(shown[column]) == pytest.approx(row["ours"] * scale, rel=0.04)
    ratio = float(re.search(r"\*\*([\d.]+)x\*\*", shown[column])[1])
    assert ratio == pytest.approx(row["ratio"], rel=0.035)


def test_the_date_is_that_of_the_record():
    assert RECORD["date"] in README
    assert RECORD["machine"]["libraries"]["scikit-learn"] in README


@pytest.mark.parametrize(
    ("words", "model", "page_column"),
    [
        ("log probability of the class", "class", 1),
        ("accuracy", "class", 4),
        ("RMSE, in standard deviations", "number", 7),
        ("coverage of 90 % intervals", "number", 1),
    ],
)
def test_scores_are_those_of_the_comparison(words, model, page_column):
    page = (ROOT / "docs" / "benchmarks-calibration.md").read_text(encoding="utf-8")
    heading = {"class": "## Class probabilities", "number": "## Intervals"}[model]
    forest = {"class": "random forest", "number": "random forest, tree quantiles"}[model]
    table = page.partition(heading)[2].partition("Paired differences")[0].splitlines()
    for column, name in ((1, "**calibrated forest**"), (2, forest), (3, "CatBoost")):
        line = next(line for line in table if line.startswith(f"| {name} |"))
        score = line.strip("|").split("|")[page_column].strip()
        shown = re.search(r"[−-]?\.\d+", cells(words)[column])[0]
        assert shown.replace("−", "-") == score, (words, name)
