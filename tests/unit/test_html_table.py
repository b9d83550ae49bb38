"""Tables for notebooks: small, escaped, in the page's own colours."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayeswood import (
    CalibratedForestRegressor,
    MCMCTreeClassifier,
    RandomForestClassifier,
    SMCTreeClassifier,
    calibration_report,
    compare_envelopes,
    coverage_report,
    explain,
    html_table,
)
from bayeswood.posterior import diagnose, structure

BAD = "<b onload=x>&"
X, Y = load_iris(return_X_y=True)
NAMES = np.array([BAD, "two", "three"])[Y]


@pytest.fixture(scope="module")
def forest():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=[BAD, "b", "c", "d"])
    return RandomForestClassifier(n_estimators=10, random_state=0).fit(table, NAMES), table


@pytest.fixture(scope="module")
def trees(forest):
    settings = {"n_burn_in": 50, "n_draws": 40, "random_state": 0}
    with pytest.warns(UserWarning, match="more or longer chains"):
        return MCMCTreeClassifier(2, **settings).fit(forest[1], NAMES)


def check(report):
    html = report._repr_html_()
    assert "<table" in html
    assert BAD not in html
    assert not re.search(r"[^-]color:(?!inherit)|background:(?!none)", html)
    assert len(html) < 8_000
    for tag in ("div", "table", "tr", "td", "th"):
        assert html.count(f"<{tag}>") + html.count(f"<{tag} ") == html.count(f"</{tag}>")
    return html


def test_values_and_titles_are_escaped():
    html = html_table.block(BAD, html_table.words(BAD), html_table.table([BAD], [[BAD]]),
                            html_table.entries([(BAD, BAD)]))  # fmt: skip
    assert BAD not in html
    assert html.count("&lt;b onload=x&gt;&amp;") == 6


def test_calibration_report(forest):
    assert "150 rows" in check(calibration_report(*forest, NAMES, n_boot=5))


def test_explanation(forest):
    model, table = forest
    html = check(explain(model, table.iloc[70]))
    assert "Prediction" in html


def test_explanation_names_where_ways_part(forest):
    model, table = forest
    hardest = int(model.uncertainty(table).knowledge.argmax())
    html = check(explain(model, table.iloc[hardest], gamma0=0.99))
    assert "where their ways part" in html


def test_envelope_comparison():
    models = {BAD: RandomForestClassifier(n_estimators=5, random_state=0)}
    html = check(compare_envelopes(models, X, Y, cv=2))
    assert "accuracy" in html
    assert "&lt;b onload" in html


def test_structure_and_diagnostics(trees):
    assert "root splits on" in check(structure(trees, n_top=3))
    assert "R-hat" in check(diagnose(trees))


@pytest.mark.filterwarnings("ignore:The islands disagree")
def test_islands():
    model = SMCTreeClassifier(n_particles=20, n_islands=2, random_state=0).fit(X, Y)
    assert "log evidence" in check(diagnose(model))


def test_intervals_and_out_of_bag_rows():
    y = X[:, 3] + np.sin(np.arange(150))
    model = CalibratedForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    assert "mean width" in check(model.out_of_bag_report())
    assert "narrowest third" in check(coverage_report(model, X, y))
