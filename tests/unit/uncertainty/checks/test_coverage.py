"""How often intervals hold the truth: overall, by width, by group."""

import numpy as np
import pytest

from bayeswood import BayesianForestRegressor, coverage_report
from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty import summarize_coverage


def test_counts_by_hand():
    y = np.array([0.0, 5.0, -5.0, 1.0, 0.5, 2.0])
    ends = np.column_stack([np.full(6, -1.0), [1, 1, 1, 3, 3, 5]])
    report = summarize_coverage(y, ends, coverage=0.5, groups=list("aabbbb"))
    overall = report.overall
    assert overall.n_rows == 6
    assert overall.covered == pytest.approx(4 / 6)
    assert (overall.below, overall.above) == (pytest.approx(1 / 6), pytest.approx(1 / 6))
    assert overall.mean_width == pytest.approx((2 * 3 + 4 * 2 + 6) / 6)
    assert [(g.name, g.n_rows, g.covered) for g in report.by_group] == [
        ("a", 2, 0.5),
        ("b", 4, 0.75),
    ]
    assert [line.n_rows for line in report.by_width] == [2, 2, 2]
    assert [line.covered for line in report.by_width] == [0.5, 0.5, 1.0]


def test_binomial_interval_by_its_definition():
    """The ends are where so many hits, or more, have probability 0.025."""
    from scipy.stats import binom

    y = np.where(np.arange(40) < 33, 0.0, 9.0)
    line = summarize_coverage(y, np.tile([-1.0, 1.0], (40, 1)), coverage=0.9).overall
    assert binom.sf(32, 40, line.lower) == pytest.approx(0.025)
    assert binom.cdf(33, 40, line.upper) == pytest.approx(0.025)


def test_ends_count_as_inside():
    report = summarize_coverage([1.0, 2.0], [[1, 2], [1, 2]], coverage=0.9)
    assert report.overall.covered == 1


def test_lines_off_the_promise_are_marked(rng):
    y = rng.normal(size=900)
    scale = np.repeat([0.5, 1.0, 3.0], 300)
    ends = np.column_stack([-1.645 * scale, 1.645 * scale])
    report = summarize_coverage(y, ends, coverage=0.9)
    names = [line.name for line in report.off]
    assert "narrowest third" in names
    assert "widest third" in names
    assert str(report).count("*") == 1 + len(names)


def test_report_of_a_model(rng):
    X = rng.uniform(size=(600, 2))
    y = X[:, 0] + 0.2 * rng.normal(size=600)
    forest = BayesianForestRegressor(30, min_samples_leaf=10, random_state=0).fit(X[:300], y[:300])
    where = np.where(X[300:, 1] > 0.5, "a name that is longer than thirty characters", "low")
    report = coverage_report(forest, X[300:], y[300:], coverage=0.8, groups=where)
    ends = forest.predict_interval(X[300:], coverage=0.8)
    held = (ends[:, 0] <= y[300:]) & (y[300:] <= ends[:, 1])
    assert report.overall.covered == pytest.approx(held.mean())
    assert report.by_group[1].covered == pytest.approx(held[where == "low"].mean())
    assert sum(line.n_rows for line in report.by_width) == 300
    assert max(map(len, str(report).splitlines())) <= 80


def test_two_rows_have_two_thirds():
    report = summarize_coverage([0.0, 0.0], [[-1, 1], [-2, 2]], coverage=0.9)
    assert [line.n_rows for line in report.by_width] == [1, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coverage": 1.0}, "'coverage' parameter of coverage_report"),
        ({"confidence": 0}, "'confidence' parameter of coverage_report"),
        ({"groups": ["a"]}, "'groups' parameter of coverage_report"),
        ({"ends": [[0, 1]]}, "one true response and one interval per row"),
    ],
)
def test_bad_input(change, message):
    given = {"y": [0.0, 1.0], "ends": [[0, 1], [0, 1]], "coverage": 0.9, **change}
    with pytest.raises(BayeswoodError, match=message):
        summarize_coverage(**given)
