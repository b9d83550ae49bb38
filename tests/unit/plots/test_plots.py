"""Every plot is drawn, is not blank, and shows the numbers it should."""

import io
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.plots import (
    ClassProbabilityDisplay,
    ImportanceDisplay,
    IntervalCoverageDisplay,
    IntervalDisplay,
    PosteriorCurveDisplay,
    ReliabilityDisplay,
    plot_overview,
)
from bayeswood.report import (
    ClassPredictions,
    Importances,
    NumberPredictions,
    Outcome,
    predict_rows,
    summarize_importances,
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def pixels(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=60)
    buffer.seek(0)
    return plt.imread(buffer)


def assert_drawn(figure):
    """More than white paper: many colours, and ink in every quarter of the page."""
    image = pixels(figure)[..., :3]
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 20
    height, width = image.shape[0] // 2, image.shape[1] // 2
    quarters = (
        image[:height, :width],
        image[:height, width:],
        image[height:, :width],
        image[height:],
    )
    for quarter in quarters:
        assert quarter.min() < 0.7


@pytest.fixture(scope="module")
def binary():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=400) > 0, "yes", "no")
    forest = BayesianForestClassifier(n_estimators=30, min_samples_leaf=3, random_state=0)
    return forest.fit(X[:250], y[:250]), X[250:], y[250:]


@pytest.fixture(scope="module")
def several():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=400), [-1, 0, 1])
    forest = BayesianForestClassifier(n_estimators=30, random_state=0).fit(X[:250], y[:250])
    return forest, X[250:], y[250:]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(6)
    X = rng.uniform(size=(900, 3))
    y = 5 * X[:, 0] + rng.normal(size=900)
    return (
        BayesianForestRegressor(n_estimators=30, random_state=0).fit(X[:400], y[:400]),
        X[400:],
        y[400:],
    )


@pytest.fixture(scope="module")
def curve():
    rng = np.random.default_rng(8)
    X = rng.uniform(0, 10, size=(150, 1))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=150)
    return BayesianForestRegressor(n_estimators=40, random_state=0).fit(X, y), X, y


@pytest.mark.parametrize("data", ["binary", "several"])
def test_class_probabilities(data, request):
    display = ClassProbabilityDisplay.from_estimator(*request.getfixturevalue(data), gamma0=0.8)
    assert_drawn(display.figure_)
    assert display.predictions.gamma0 == 0.8
    assert display.ax_.get_legend() is not None


def test_two_classes_are_sorted_by_the_second(binary):
    display = ClassProbabilityDisplay.from_estimator(*binary)
    np.testing.assert_array_equal(display.height, display.predictions.proba[:, 1])
    assert np.all(np.diff(display.height[display.order]) >= 0)
    assert display.ax_.get_ylabel() == "probability of yes"


def test_several_classes_are_grouped_by_the_truth(several):
    display = ClassProbabilityDisplay.from_estimator(*several)
    assert np.all(np.diff(display.y[display.order]) >= 0)
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert labels == ["0", "1", "2", "3"]
    rows = np.arange(len(display.y))
    np.testing.assert_array_equal(display.height, display.predictions.proba[rows, display.y])


def test_every_outcome_and_every_mistake_has_its_mark():
    proba = np.array([[0.9, 0.1], [0.2, 0.8], [0.45, 0.55], [0.6, 0.4]])
    predictions = ClassPredictions(
        np.array(["a", "b"]), np.array(["a", "b", "b", "a"]), proba, proba - 0.05, proba + 0.05,
        np.array([1, 1, 0.6, 0.6]), 0.9, 0.9,
    )  # fmt: skip
    display = ClassProbabilityDisplay.from_predictions(["a", "a", "b", "b"], predictions)
    assert display.outcome.tolist() == [
        Outcome.CONFIDENT_CORRECT, Outcome.CONFIDENT_INCORRECT, Outcome.UNCERTAIN,
        Outcome.UNCERTAIN,
    ]  # fmt: skip
    drawn = [len(c.get_offsets()) for c in display.ax_.collections if hasattr(c, "get_sizes")]
    assert sum(drawn) == 4


def test_a_class_unseen_in_training_has_probability_0(several):
    forest, X, y = several
    truth = np.where(np.arange(len(y)) < 5, 99, y)
    display = ClassProbabilityDisplay.from_estimator(forest, X, truth)
    assert display.height[:5].tolist() == [0] * 5
    assert display.ax_.get_xticklabels()[0].get_text() == "unseen"


def test_importances(binary):
    display = ImportanceDisplay.from_estimator(binary[0])
    assert_drawn(display.figure_)
    assert next(tick.get_text() for tick in display.ax_.get_yticklabels()) == "x0"


def test_long_names_and_many_features():
    names = tuple(f"an_extremely_long_feature_name_number_{i:04d}" for i in range(200))
    mean = np.linspace(0.01, 0, 200)
    display = ImportanceDisplay.from_importances(Importances(names, mean, mean), n_features=8)
    assert_drawn(display.figure_)
    labels = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert len(labels) == 8
    assert max(map(len, labels)) <= 34
    assert len(set(labels)) == 8
    assert "and 192 more" in [text.get_text() for text in display.ax_.texts]


@pytest.mark.parametrize("data", ["binary", "several"])
def test_reliability(data, request):
    display = ReliabilityDisplay.from_estimator(*request.getfixturevalue(data), n_bins=5)
    assert_drawn(display.figure_)
    shown = display.reliability
    assert shown.n_cases.sum() == 150
    assert np.all((shown.lower <= shown.frequency) & (shown.frequency <= shown.upper))
    assert f"calibration error {shown.error:.3f}" in display.ax_.get_title(loc="left")


def test_intervals(numbers):
    display = IntervalDisplay.from_estimator(*numbers, coverage=0.5)
    assert_drawn(display.figure_)
    assert 0.3 < np.mean(display.side == 0) < 0.8
    assert "160 of 500 cases" in display.ax_.get_xlabel()


def test_sides_of_an_interval():
    zero = np.zeros(3)
    given = NumberPredictions(zero, zero - 1, zero + 1, 0.9)
    assert IntervalDisplay(given, [-2, 1, 2]).side.tolist() == [-1, 0, 1]


def test_interval_coverage(numbers):
    display = IntervalCoverageDisplay.from_estimator(*numbers)
    assert_drawn(display.figure_)
    assert np.all(np.diff(display.mean_width) >= 0)
    forest, X, y = numbers
    ends = forest.predict_interval(X)
    inside = np.mean((ends[:, 0] <= y) & (y <= ends[:, 1]))
    assert display.covered.mean() == pytest.approx(inside, abs=0.01)


def test_posterior_curve(curve):
    display = PosteriorCurveDisplay.from_estimator(*curve)
    assert_drawn(display.figure_)
    assert np.all(display.lower <= display.upper)
    assert np.mean(np.abs(display.mean - np.sin(display.grid)) < 0.4) > 0.9


def test_posterior_curve_keeps_the_frame(curve):
    _, X, y = curve
    frame = pd.DataFrame({"time": X[:, 0]})
    forest = BayesianForestRegressor(n_estimators=5, random_state=0).fit(frame, y)
    display = PosteriorCurveDisplay.from_estimator(forest, frame, y, n_grid=20)
    assert display.draws.shape == (5, 20)


def test_posterior_curve_from_draws():
    draws = np.random.default_rng(0).normal(size=(200, 5))
    display = PosteriorCurveDisplay.from_predictions(np.arange(5), draws, coverage=0.5)
    np.testing.assert_allclose(display.upper, 0.67, atol=0.3)


def test_posterior_curve_of_several_features(numbers):
    with pytest.raises(BayeswoodError, match="1 feature"):
        PosteriorCurveDisplay.from_estimator(*numbers)


@pytest.mark.parametrize("data", ["binary", "several", "numbers"])
def test_overview(data, request):
    forest, X, y = request.getfixturevalue(data)
    figure = plot_overview(
        predict_rows(forest, X), y, summarize_importances(forest), title="Title", target="y"
    )
    assert_drawn(figure)
    assert len(figure.axes) == 4
    assert plt.get_fignums() == []


def test_overview_of_one_row(binary):
    forest, X, y = binary
    figure = plot_overview(predict_rows(forest, X[:1]), y[:1], summarize_importances(forest))
    assert pixels(figure).min() < 0.5


def test_overview_of_one_class():
    X = np.arange(10.0)[:, None]
    forest = BayesianForestClassifier(n_estimators=3).fit(X, np.zeros(10, int))
    figure = plot_overview(predict_rows(forest, X), np.zeros(10), summarize_importances(forest))
    assert pixels(figure).min() < 0.5


def test_overview_of_many_classes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 30, size=400)
    forest = BayesianForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert_drawn(plot_overview(predict_rows(forest, X), y, summarize_importances(forest)))


def test_given_axes_are_used(binary):
    figure = Figure()
    ax = figure.add_subplot()
    assert ClassProbabilityDisplay.from_estimator(*binary, ax=ax).ax_ is ax
    assert plt.get_fignums() == []


def test_plots_and_reports_need_no_command_line_packages():
    code = (
        "import sys\n"
        "for name in ('rich', 'click', 'pyarrow'):\n"
        "    sys.modules[name] = None\n"
        "import bayeswood.plots, bayeswood.report, bayeswood.datasets\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
