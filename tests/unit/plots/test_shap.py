"""Pictures of Shapley values."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.plots import ShapFeatureDisplay, ShapRowDisplay, ShapRowsDisplay
from bayeswood.plots.shap_rows import swarm


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 14))
    X[:, 1] = rng.integers(3, size=90)
    X[::9, 2] = np.nan
    y = X[:, 0] + (X[:, 1] == 2)
    forest = BayesianForestRegressor(20, categorical_features=[1], random_state=0)
    return forest.fit(X, y), X


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    return BayesianForestClassifier(20, random_state=0).fit(X, y), X


def test_rows_of_features_are_ranked(model):
    forest, X = model
    shown = ShapRowsDisplay.from_estimator(forest, X, n_features=5)
    labels = [label.get_text() for label in shown.ax_.get_yticklabels()]
    assert labels[0] == "x0"
    assert len(labels) == 5
    assert "9 more features" in shown.ax_.get_title("right")
    assert len(shown.ax_.collections) == 5


def test_steps_lead_from_the_base_to_the_prediction(model):
    forest, X = model
    shown = ShapRowDisplay.from_estimator(forest, X[3:4], n_features=4)
    bars = shown.ax_.patches
    assert len(bars) == 5
    assert bars[0].get_x() + bars[0].get_width() == pytest.approx(forest.predict(X[3:4])[0])
    assert bars[-1].get_x() == pytest.approx(shown.base)
    assert shown.ax_.get_yticklabels()[-1].get_text() == "10 more features"
    assert (shown.lower <= shown.upper).all()
    # A line for each feature that has a bar of its own.
    assert len(shown.ax_.collections[0].get_segments()) == 4


def test_the_predicted_class_is_shown(classes):
    forest, X = classes
    shown = ShapRowDisplay.from_estimator(forest, X[:1])
    assert shown.prediction == pytest.approx(forest.predict_proba(X[:1]).max())
    assert "of " + forest.predict(X[:1])[0] in shown.ax_.get_xlabel()
    asked = ShapRowDisplay.from_estimator(forest, X[:1], output="middle")
    assert "of middle" in asked.ax_.get_xlabel()


def test_a_feature_by_its_values(model):
    forest, X = model
    shown = ShapFeatureDisplay.from_estimator(forest, X, "x2")
    assert len(shown.ax_.collections[1].get_offsets()) == 80  # ten are missing
    levels = ShapFeatureDisplay.from_estimator(forest, X, 1, draws=False)
    assert len(levels.ax_.get_xticklabels()) == 3


def test_several_outputs_must_be_told_apart(classes):
    forest, X = classes
    found = forest.shap_values(X[:5])
    for display in (ShapRowsDisplay, ShapRowDisplay, lambda v: ShapFeatureDisplay(v, 0)):
        with pytest.raises(BayeswoodError, match="one output"):
            display(found)
    with pytest.raises(BayeswoodError, match="no output 'top'"):
        found.of_output("top")
    with pytest.raises(BayeswoodError, match="name or number of a feature"):
        ShapFeatureDisplay(found.of_output("low"), "x9")
    with pytest.raises(BayeswoodError, match="a row of the 5"):
        ShapRowDisplay(found.of_output("low"), 5)


def test_a_swarm_parts_equal_values():
    heights = swarm(np.array([0.0, 0.0, 0.0, 1.0]))
    assert len(set(heights[:3])) == 3
    assert heights[3] == 0
    assert abs(heights).max() <= 1
