"""The picture of a comparison shows its numbers and is legible."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from bayeswood import BayesianForestClassifier, RandomForestClassifier, compare_envelopes
from bayeswood.plots import EnvelopeComparisonDisplay
from bayeswood.theory import sample_five_gaussians


@pytest.fixture
def display():
    X, y = sample_five_gaussians(150, rng=0)
    models = {
        "a forest with quite a long name that goes on": BayesianForestClassifier(
            10, random_state=0
        ),
        "random": RandomForestClassifier(10, random_state=0),
    }
    yield EnvelopeComparisonDisplay.from_comparison(compare_envelopes(models, X, y, 3, gamma0=0.9))
    plt.close("all")


def test_points_are_the_mean_rates(display):
    drawn = {line.get_label(): line.get_xdata() for line in display.ax_.get_lines()}
    np.testing.assert_allclose(drawn["accuracy"], 100 * display.comparison.mean("accuracy"))
    points = [box.lines[0].get_xdata() for box in display.ax_.containers]
    for column, shown in zip(
        ("confident_correct", "uncertain", "confident_incorrect"), points, strict=True
    ):
        np.testing.assert_allclose(shown, 100 * display.comparison.mean(column))


def test_bars_stay_within_zero_and_a_hundred(display):
    for collection in display.ax_.collections:
        for segment in collection.get_segments():
            assert segment[:, 0].min() >= 0
            assert segment[:, 0].max() <= 100


def test_labels_do_not_overlap(display):
    display.figure_.draw_without_rendering()
    renderer = display.figure_.canvas.get_renderer()
    boxes = [label.get_window_extent(renderer) for label in display.ax_.get_yticklabels()]
    assert not boxes[0].overlaps(boxes[1])
    page = display.figure_.bbox
    assert all(box.x0 >= page.x0 for box in boxes)
    assert len(display.ax_.get_legend().get_texts()) == 4


def test_it_draws_on_given_axes(display):
    _, ax = plt.subplots()
    assert display.plot(ax).ax_ is ax
