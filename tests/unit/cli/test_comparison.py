"""Which method is better, what to take, and other libraries' models beside ours."""

import numpy as np
import pyarrow as pa
import pytest
from cli_cases import run, run_json, write_mixed
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_info, threadpool_limits

from bayeswood.cli.baselines import BASELINES, FittedBaseline, installed_baselines
from bayeswood.cli.comparison import Comparison, Difference, MethodScores
from bayeswood.cli.verbs.compare import _gap_text, _once
from bayeswood.report import RegressorScores


def method(name, values, is_baseline=False):
    folds = tuple(RegressorScores(9, v, v, 0.5, 0.9, 0.9, 1.0) for v in values)
    return MethodScores(name, folds, 1.0, is_baseline)


NEAR = method("near", [1.0, 1.1, 0.9, 1.05])
BEST = method("best", [0.9, 1.15, 0.85, 1.0])
FAR = method("far", [2.0, 2.1, 1.9, 2.1])


def test_differences_are_paired_and_their_error_is_corrected():
    found = Comparison([FAR, NEAR, BEST], "regression")
    assert [scores.method for scores in found.ranked] == ["best", "near", "far"]
    gap = found.difference(NEAR)
    losses = np.array([0.1, -0.05, 0.05, 0.05])
    assert gap.mean == pytest.approx(losses.mean())
    assert gap.spread == pytest.approx(losses.std(ddof=1))
    assert gap.error == pytest.approx(losses.std(ddof=1) * np.sqrt(1 / 4 + 1 / 3))
    assert not gap.is_clear
    assert found.difference(FAR).is_clear
    assert found.difference(BEST).mean == 0


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([BEST], "best alone was tried"),
        ([BEST, FAR], "Take best: it is clearly better than every other on these folds."),
        ([BEST, NEAR, FAR], "Take best, the best here, though near cannot be told from it."),
        (
            [method("best", [0.9, 1.15, 0.85, 1.0], True), NEAR],
            "Take near: on these folds it cannot be told from the best, best, and it says how "
            "sure it is.",
        ),
        (
            [method("best", [0.9, 1.15, 0.85, 1.0], True), FAR],
            "best predicts best, by 1.050±0.054 over far, the best of those that say how sure",
        ),
        ([method("a", [1, 2], True), method("b", [2, 2], True)], "a predicts best here; none of"),
    ],
)
def test_one_sentence_says_what_to_take(found, words):
    text = Comparison(found, "regression").recommendation()
    assert text.startswith(words)
    assert text.count(".") - text.count("0.") - text.count("1.") == 1 or "±" in text


def test_warnings_that_differ_in_numbers_are_told_once():
    messages = ["uncertain by ±0.03", "uncertain by ±1.4e-05", "another"]
    assert _once("mcmc-tree", messages) == [
        "mcmc-tree: uncertain by ±0.03 (One of 2 like it.)",
        "mcmc-tree: another",
    ]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    write_mixed(path)
    return path


@pytest.mark.parametrize(("target", "drop"), [("kind", "id,price"), ("price", "id,kind")])
def test_baselines_see_the_same_folds(mixed, target, drop):
    pytest.importorskip("lightgbm")
    asked = "sklearn-random-forest,sklearn-boosting,lightgbm,bayesian-forest"
    result = run_json("compare", mixed, "-t", target, "--drop", drop, "--folds", 2, "-m", asked)
    assert [entry["baseline"] for entry in result["methods"]] == [True, True, True, False]
    main = "log_predictive_probability" if target == "kind" else "rmse"
    unknown = "uncertain" if target == "kind" else "covered"
    for entry in result["methods"]:
        assert np.isfinite(entry[main])
        assert (entry[unknown] is None) == entry["baseline"]
        assert entry["worse_than_best_error"] >= entry["worse_than_best_spread"] * 0.7
    assert result["recommendation"].endswith(".")
    assert all(name in BASELINES for name in installed_baselines())


@pytest.mark.parametrize("name", installed_baselines())
def test_baselines_know_categories_and_gaps(name):
    rng = np.random.default_rng(4)
    level = rng.integers(0, 6, 900)
    effect = np.array([1.0, -1.0, 0.5, -0.5, 1.0, -1.0])
    table = pa.table(
        {"level": pa.array([f"l{i}" for i in level], mask=rng.random(900) < 0.05),
         "x": pa.array(rng.normal(size=900), mask=rng.random(900) < 0.05)}
    )  # fmt: skip
    y = effect[level] + 0.1 * rng.normal(size=900)
    train, test = np.arange(900) < 700, np.arange(900) >= 700
    model = FittedBaseline(
        name, "regression", 0, 1, table.filter(train), y[train], np.ones(700), []
    )
    assert model.score(table.filter(test), y[test]).r2 > 0.5
    labels = np.where(y > 0, "up", "down")
    model = FittedBaseline(
        name, "classification", 0, 1, table.filter(train), labels[train], None, []
    )
    scores = model.score(table.filter(test), labels[test])
    assert scores.accuracy > 0.75
    assert np.isnan(scores.uncertain)


def test_baselines_take_no_more_threads_than_asked(monkeypatch):
    """Boosting of scikit-learn takes all that OpenMP would give it."""
    seen, fit = [], HistGradientBoostingRegressor.fit

    def watched(self, *args, **options):
        seen.append({i["num_threads"] for i in threadpool_info() if i["user_api"] == "openmp"})
        return fit(self.set_params(max_iter=1), *args, **options)  # threads that wait are busy

    monkeypatch.setattr(HistGradientBoostingRegressor, "fit", watched)
    y = np.arange(40.0)
    with threadpool_limits(3, user_api="openmp"):
        for n_jobs in (1, 2):
            FittedBaseline(
                "sklearn-boosting", "regression", 0, n_jobs, pa.table({"x": y}), y, None, []
            )
    assert seen == [{1}, {2}]


@pytest.mark.parametrize(
    ("mean", "error", "words"),
    [
        (0.03127, 0.0541, "+0.031±0.054"),
        (12345.6, 812.0, "+12,346±812"),
        (0.5, 0.0, "+0.500±0.000"),
    ],
)
def test_gaps_have_the_digits_of_their_error(mean, error, words):
    assert _gap_text(Difference(mean, error, error, False), "regression") == words


def test_the_table_fits_a_terminal():
    names = "random-forest,empirical-bayesian-forest,sklearn-boosting"
    options = ("--task", "regression", "--folds", 2, "-m", names)
    out = run("compare", "builtin:wine", *options).stdout
    assert "covered" in out
    assert "fit s" in out
    assert max(map(len, out.splitlines())) <= 80
