"""``bayeswood compare``: every method on the same folds."""

import numpy as np
import pytest
from cli_cases import rows_of, run, run_json, write_mixed


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    write_mixed(path)
    return path


def test_compare_puts_methods_on_the_same_folds(mixed, tmp_path):
    options = ("-t", "kind", "--drop", "id,price", "--folds", 3, "-o", tmp_path / "folds.csv")
    out = run("compare", mixed, "-m", "bayesian-forest,random-forest", *options).stdout
    assert "2 methods on 120 rows" in out
    assert "best" in out
    assert max(map(len, out.splitlines())) <= 80
    rows = rows_of(tmp_path / "folds.csv")
    assert [(row["method"], row["fold"], row["n_rows"]) for row in rows] == [
        (name, str(fold), "40")
        for name in ("bayesian-forest", "random-forest")
        for fold in range(3)
    ]


def test_compare_gives_the_mean_over_folds(tmp_path):
    options = (
        "compare",
        "builtin:iris",
        "--folds",
        2,
        "-m",
        "random-forest",
        "-m",
        "bayesian-forest",
    )
    result = run_json(*options, "--out", tmp_path / "folds.csv")
    by_fold = rows_of(tmp_path / "folds.csv")
    for entry in result["methods"]:
        values = [float(r["brier"]) for r in by_fold if r["method"] == entry["method"]]
        assert entry["brier"] == pytest.approx(np.mean(values))
        assert len(values) == 2
    differences = {entry["method"]: entry["worse_than_best"] for entry in result["methods"]}
    assert differences.pop(result["best"]) == 0
    assert all(value > 0 for value in differences.values())
    assert run_json(*options)["methods"][0]["brier"] == result["methods"][0]["brier"]


def test_compare_numbers(mixed):
    result = run_json("compare", mixed, "-t", "price", "--drop", "id,kind", "--folds", 2,
                      "-m", "bayesian-forest", "--weights", "weight")  # fmt: skip
    assert result["task"] == "regression"
    assert 0 < result["methods"][0]["rmse"] < 5
    assert 0.5 < result["methods"][0]["covered"] <= 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("-m", "no-such-forest"), 2, "No method 'no-such-forest'"),
        (
            ("-m", "randomized-trees", "-t", "price"),
            2,
            "cannot do regression",
        ),
        (("--folds", 100), 1, "--folds 100 needs at least 200 rows"),
        (("--out", "scores.txt"), 1, "--out must end in"),
    ],
)
def test_compare_refuses(mixed, arguments, code, words):
    target = () if "-t" in arguments else ("-t", "kind")
    result = run("compare", mixed, *target, "--drop", "id", *arguments, code=code)
    assert words in result.stderr
