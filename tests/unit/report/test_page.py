"""The HTML report: its numbers are those of the functions they come from, its words are text."""

import re
import warnings
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
from report_cases import COLUMN, LABEL, LEVEL, hostile_table
from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor

import bayeswood
from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    EnvelopeClassifier,
    UncertaintyEnvelope,
    choose_gamma0_by_cost,
    report,
)
from bayeswood.methods.registry import ESTIMATORS
from bayeswood.report import predict_rows, score_predictions
from bayeswood.report.page.render.markup import Html, tag
from bayeswood.report.page.summary.rows import Asked, read_rows, take_rows
from bayeswood.report.page.summary.scores import summarize_scores
from bayeswood.report.palette import DARK_COLOURS, PAGE_COLOURS

TRAIN, TEST = slice(0, 140), slice(140, None)
SMALL = {"n_estimators": 8, "n_draws": 12, "n_burn_in": 20, "n_particles": 20, "n_chains": 2}
SECTIONS = ("data", "scores", "trust", "regions", "support", "drivers", "cases", "trees")


class Page(HTMLParser):
    """Elements and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.addresses, self.texts = [], set(), [], []
        self.feed(text)

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        found = dict(attributes)
        self.ids.add(found.get("id"))
        self.addresses += [found[key] for key in ("src", "href") if key in found]
        assert not [key for key in found if key.startswith("on")]

    handle_startendtag = handle_starttag

    def handle_data(self, text):
        self.texts.append(text)


@pytest.fixture(scope="module")
def table():
    return hostile_table()


@pytest.fixture(scope="module")
def classes(table):
    X, y, _ = table
    model = BayesianForestClassifier(25, min_samples_leaf=3, random_state=0)
    return model.fit(X[TRAIN], y[TRAIN])


@pytest.fixture(scope="module")
def numbers(table):
    X, _, y = table
    model = BayesianForestRegressor(25, min_samples_leaf=3, random_state=0)
    return model.fit(X[TRAIN], y[TRAIN])


@pytest.fixture(scope="module")
def class_page(classes, table):
    return report.html(classes, table[0][TEST], table[1][TEST], max_cases=30)


@pytest.fixture(scope="module")
def number_page(numbers, table):
    return report.html(numbers, table[0][TEST], table[2][TEST], max_cases=30)


def fitted(cls, table):
    X, labels, number = table
    y = labels if cls.__name__.endswith("Classifier") else number
    names = cls._get_param_names()
    chosen = {name: value for name, value in SMALL.items() if name in names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(**chosen, random_state=0).fit(X[TRAIN], y[TRAIN]), y


@pytest.mark.parametrize("name", [n for n in ESTIMATORS if not n.startswith("Adopted")])
def test_every_estimator_has_a_report(name, table):
    model, y = fitted(ESTIMATORS[name], table)
    found = report.html(model, table[0][220:], y[220:], max_cases=4)
    page = Page(found.text)
    assert page.ids >= {*SECTIONS, "settings"}
    assert found.summary.settings.digest == model.forest_.digest
    assert (found.summary.trees.diagnostics is not None) == hasattr(model, "trace_") or hasattr(
        model, "island_log_evidence_"
    )


@pytest.mark.parametrize("kind", ["boosting", "regressor"])
def test_forests_from_elsewhere_have_a_report(kind, rng):
    X = rng.normal(size=(80, 3))
    if kind == "boosting":
        model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, X[:, 0] > 0)
        found = report.html(bayeswood.from_sklearn(model), X, X[:, 0] > 0, max_cases=4)
    else:
        model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0])
        found = report.html(bayeswood.from_sklearn(model), X, X[:, 0], max_cases=4)
        assert found.summary.trust is None
        assert "no intervals of new values" in found.text
    assert found.summary.support is None
    assert "kept no training rows" in found.text


def test_scores_are_those_of_evaluate(classes, numbers, class_page, number_page, table):
    for model, page, y in ((classes, class_page, table[1]), (numbers, number_page, table[2])):
        rows, truth = table[0][TEST], np.asarray(y[TEST])
        expected = vars(score_predictions(predict_rows(model, rows), truth))
        wanted = {
            "accuracy": "accuracy",
            "log predictive probability": "log_predictive_probability",
            "Brier score": "brier",
            "root mean squared error": "rmse",
            "mean absolute error": "mae",
            "R²": "r2",
            "coverage": "covered",
            "mean width": "mean_width",
        }
        for score in page.summary.scores.scores:
            assert score.value == pytest.approx(expected[wanted[score.name]], rel=1e-9)
            assert score.lower <= score.value <= score.upper


def test_intervals_of_scores_hold_as_often_as_they_say():
    """Of 100 intervals of 95 %, binomially 87 or fewer hold with probability 0.0015."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 1))
    model = BayesianForestClassifier(4, max_depth=1, random_state=0).fit(X, X[:, 0] > 0)
    held, asked = 0, Asked(0.9, 0.9, 1000, 0)
    for _ in range(100):
        rows = rng.normal(size=(60, 1))
        y = np.where(rng.random(60) < 0.8, model.predict(rows), ~model.predict(rows))
        score = summarize_scores(read_rows(model, rows, y, None, asked)).scores[0]
        held += score.lower <= 0.8 <= score.upper
    assert held > 87


def test_weights_count_in_scores(classes, table):
    X, y = table[0][TEST], table[1][TEST]
    weights = np.where(np.arange(len(X)) < 50, 1.0, 0.0)
    weighted = report.html(classes, X, y, sample_weight=weights, max_cases=2).summary.scores
    part = report.html(classes, X[:50], y[:50], max_cases=2).summary.scores
    assert weighted.scores[0].value == pytest.approx(part.scores[0].value)
    assert weighted.scores[1].value == pytest.approx(part.scores[1].value)


def test_the_envelope_is_that_of_python(classes, class_page, table):
    trust = class_page.summary.trust
    for gamma0 in (0.5, 0.6, 0.9, 0.96, 1.0):
        found = UncertaintyEnvelope(gamma0).assess(classes, table[0][TEST], table[1][TEST])
        at = round(gamma0 * trust.steps) - trust.first
        assert trust.n_correct[at] == round(found.confident_correct * 100)
        assert trust.n_incorrect[at] == round(found.confident_incorrect * 100)
    costs = (10 * trust.n_incorrect + (100 - trust.n_correct - trust.n_incorrect)) / 100
    best = choose_gamma0_by_cost(classes, table[0][TEST], table[1][TEST], cost_incorrect=10)
    assert min(costs.min(), 1.0) == pytest.approx(best.cost)


def test_levels_are_those_of_predict_interval(numbers, number_page, table):
    trust, y = number_page.summary.trust, np.asarray(table[2][TEST])
    for level in (0.2, 0.5, 0.9, 0.99):
        ends = numbers.predict_interval(table[0][TEST], coverage=level)
        at = int(np.argmin(abs(trust.levels - level)))
        assert trust.covered[at] == np.mean((ends[:, 0] <= y) & (y <= ends[:, 1]))
        assert trust.mean_width[at] == pytest.approx((ends[:, 1] - ends[:, 0]).mean())
    assert trust.n_held[-1] + trust.n_missed[-1] == len(y)
    assert trust.n_held[-1] / len(y) == trust.covered[int(np.argmin(abs(trust.levels - 0.9)))]


def test_reasons_add_up(classes, class_page, table):
    proba = classes.predict_proba(table[0][TEST]).max(axis=1)
    for case in class_page.summary.cases.cases:
        total = case.base + case.others + sum(reason.added for reason in case.reasons)
        assert total == pytest.approx(proba[case.row], abs=1e-9)
        assert all(r.lower <= r.upper for r in case.reasons)


def test_values_from_the_data_are_text(class_page):
    page = Page(class_page.text)
    assert page.tags.count("script") == 2
    assert "img" not in page.tags
    text = "".join(page.texts)
    assert COLUMN in text
    assert LABEL in text
    assert LEVEL[:20] in text
    assert "\u2028" not in class_page.text.split('id="report-data"')[1]


def test_nothing_is_asked_of_a_network(class_page, number_page):
    for found in (class_page, number_page):
        assert all(place.startswith("#") for place in Page(found.text).addresses)
        assert "default-src 'none'" in unescape(found.text)
        assert not re.search(r"url\(|@import", found.text)


def test_same_seed_same_bytes(classes, class_page, table):
    again = report.html(classes, table[0][TEST], table[1][TEST], max_cases=30)
    assert again.text == class_page.text
    other = report.html(classes, table[0][TEST], table[1][TEST], max_cases=30, random_state=1)
    assert other.text != class_page.text


def test_saved_in_one_step(class_page, tmp_path):
    place = tmp_path / "report.html"
    place.write_text("old")
    class_page.save(place)
    assert place.read_text(encoding="utf-8") == class_page.text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(bayeswood.BayeswoodError, match="Cannot write the report"):
        class_page.save(tmp_path / "none" / "report.html")
    frame = class_page._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame


def test_ten_thousand_rows_stay_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 20))
    y = np.where(X[:, 0] + rng.normal(size=10_000) > 0, "yes", "no")
    model = BayesianForestClassifier(10, min_samples_leaf=50, random_state=0).fit(X, y)
    found = report.html(model, X, y)
    assert len(found.text.encode()) < 1_000_000
    assert found.summary.trust.n_rows == 10_000
    assert "200 of 10,000 rows" in found.text
    thinned = report.html(model, X, y, max_rows=500, max_cases=3)
    assert "500 of 10,000 rows" in thinned.text
    assert thinned.summary.scores.n_rows == 500


def test_any_kind_of_table(rng):
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.1 * X[:, 1]
    model = BayesianForestRegressor(5, random_state=0).fit(X, y)
    pages = [report.html(model, rows, y, max_cases=5, max_rows=40).text for rows in (X, X.tolist())]
    assert pages[0] == pages[1]
    frames = [pd.DataFrame(X, columns=["a", "b"]), pl.DataFrame(X, schema=["a", "b"])]
    frames.append(frames[1].to_arrow())
    model = BayesianForestRegressor(5, random_state=0).fit(frames[0], y)
    pages = [report.html(model, rows, y, max_cases=5, max_rows=40).text for rows in frames]
    assert pages[0] == pages[1] == pages[2]
    np.testing.assert_array_equal(take_rows(X, np.array([3, 5])), X[[3, 5]])


def test_few_rows_new_levels_and_new_classes(classes, table):
    X, y = table[0][TEST][:2].copy(), ["never seen", "no"]
    X["kind"] = ["violet", "red"]
    found = report.html(classes, X, y)
    assert "have a class that the model never saw" in found.text
    assert "levels that the model never saw, taken as missing: 1" in found.text
    one = report.html(classes, table[0][TEST][:1], table[1][TEST][:1])
    assert one.summary.scores.n_rows == 1


def test_an_envelope_is_reported_at_its_threshold(classes, table):
    careful = EnvelopeClassifier(classes, gamma0=0.75).fit(table[0][TRAIN], table[1][TRAIN])
    found = report.html(careful, table[0][TEST], table[1][TEST], max_cases=2)
    assert found.summary.trust.gamma0 == 0.75
    assert found.summary.settings.estimator == "BayesianForestClassifier"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": GradientBoostingClassifier()}, "from_sklearn takes"),
        ({"model": BayesianForestClassifier()}, "must be a fitted bayeswood estimator"),
        ({"y": [1, 2]}, "one value per row of X, 100 in all. Got 2"),
        ({"y": range(100)}, "must be of one kind"),
        ({"rows": slice(0, 0)}, "minimum of 1 is required"),
        ({"coverage": 1.5}, "coverage"),
        ({"gamma0": 0.0}, "'gamma0' parameter of report.html must be a float above 0"),
        ({"max_cases": 0}, "'max_cases' parameter of report.html must be an int >= 1. Got 0"),
        ({"sample_weight": [-1.0] * 100}, "weight"),
    ],
)
def test_bad_input_gets_one_clear_line(classes, table, change, message):
    rows = change.pop("rows", slice(None))
    given = {"model": classes, "y": table[1][TEST][rows], **change}
    model, y = given.pop("model"), given.pop("y")
    with pytest.raises(ValueError, match=message):
        report.html(model, table[0][TEST][rows], y, **given)


def test_several_responses_are_refused(rng):
    X = rng.normal(size=(40, 2))
    model = BayesianForestRegressor(3, random_state=0).fit(X, X)
    with pytest.raises(ValueError, match="must predict one target"):
        report.html(model, X, X)
    labels = X > 0
    model = BayesianForestClassifier(3, random_state=0).fit(X, labels)
    with pytest.raises(ValueError, match="must predict one target"):
        report.html(model, X, labels)


def test_markup_is_safe_by_construction():
    assert tag("p", "<b>", Html("<i></i>"), title='"') == '<p title="&quot;">&lt;b&gt;<i></i></p>'


def contrast(one, other):
    """WCAG's ratio of two colours' luminances."""
    light = []
    for colour in (one, other):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        light.append(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("colours", [PAGE_COLOURS, DARK_COLOURS])
def test_words_can_be_read_and_marks_seen(colours):
    for paper in (colours["paper"], colours["wash"]):
        for words in ("ink", "soft", "link"):
            assert contrast(colours[words], paper) >= 4.5
        for marks in ("blue", "crimson", "grey"):
            assert contrast(colours[marks], paper) >= 2.9
