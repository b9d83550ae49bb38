"""The pictures of posteriors, trees and envelopes: drawn, right, and legible at every size."""

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.plots import (
    ClassProbabilityDisplay,
    DecisionMapDisplay,
    EnvelopeDisplay,
    ImportanceDisplay,
    IntervalCoverageDisplay,
    IntervalDisplay,
    PartialDependenceDisplay,
    PermutationImportanceDisplay,
    ReliabilityDisplay,
    TreeDisplay,
    TrunkDisplay,
)
from bayeswood.posterior import (
    decision_map,
    partial_dependence,
    permutation_importance,
    trunk_posterior,
)
from bayeswood.report.names import shorten_all
from bayeswood.report.palette import CLASS_COLOURS, class_colour
from bayeswood.uncertainty import EnvelopeCurve

DEPARTMENT = "hospital_department_of_first_admission"
NAMES = [
    f"{what}_of_{whose}_in_the_last_{days}_days"
    for what in ("mean_systolic_pressure", "maximum_heart_rate", "number_of_visits",
                 "share_of_missed_doses", "variance_of_glucose")
    for whose in ("ward_patients", "home_patients")
    for days in (7, 14, 30, 90, 365)
]  # fmt: skip


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def hospital():
    """Rows with 50 long names, a category with long levels, and three classes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(360, 50)), columns=NAMES)
    wards = ["cardiology and vascular surgery", "oncology", "emergency room (walk-in patients)"]
    X[DEPARTMENT] = rng.choice([*wards, "neurology", "paediatrics"], size=360)
    signal = X.iloc[:, 0] + X.iloc[:, 7] + 1.5 * (X[DEPARTMENT] == "oncology")
    signal = signal.to_numpy() + 0.5 * rng.normal(size=360)
    edges = np.quantile(signal, [0.35, 0.7])
    names = np.array(
        ["discharged", "readmitted within thirty days", "transferred to another hospital"]
    )
    return X, names[np.digitize(signal, edges)], signal


@pytest.fixture(scope="module")
def classifier(hospital):
    X, y, _ = hospital
    return BayesianForestClassifier(20, min_samples_leaf=5, random_state=0).fit(X[:240], y[:240])


@pytest.fixture(scope="module")
def regressor(hospital):
    X, _, z = hospital
    return BayesianForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X[:240], z[:240])


@pytest.fixture(scope="module")
def pictures(hospital, classifier, regressor):
    """Each picture as a function of the axes to draw on."""
    X, y, z = (part[240:] for part in hospital)
    importances = permutation_importance(classifier, X, y, n_repeats=1)
    category = partial_dependence(regressor, X, DEPARTMENT, max_rows=40)
    number = partial_dependence(classifier, X, 0, target="discharged", max_rows=40)
    return {
        "class_probability": lambda ax: ClassProbabilityDisplay.from_estimator(
            classifier, X, y, ax=ax
        ),
        "decision_map": lambda ax: DecisionMapDisplay.from_estimator(
            classifier, X, y, features=(0, 7), n_grid=40, ax=ax
        ),
        "envelope": lambda ax: EnvelopeDisplay.from_estimator(classifier, X, y, ax=ax),
        "importance": lambda ax: ImportanceDisplay.from_estimator(classifier, ax=ax),
        "importance_of_all": lambda ax: ImportanceDisplay.from_estimator(
            classifier, n_features=51, ax=ax
        ),
        "interval": lambda ax: IntervalDisplay.from_estimator(regressor, X, z, ax=ax),
        "interval_coverage": lambda ax: IntervalCoverageDisplay.from_estimator(
            regressor, X, z, ax=ax
        ),
        "partial_dependence": lambda ax: PartialDependenceDisplay.from_dependences([number], ax=ax),
        "partial_dependence_of_levels": lambda ax: PartialDependenceDisplay.from_dependences(
            [category], ax=ax
        ),
        "permutation": lambda ax: PermutationImportanceDisplay.from_importances(importances, ax=ax),
        "permutation_of_all": lambda ax: PermutationImportanceDisplay.from_importances(
            importances, n_features=51, ax=ax
        ),
        "reliability": lambda ax: ReliabilityDisplay.from_estimator(
            classifier, X, y, n_boot=20, ax=ax
        ),
        "tree": lambda ax: TreeDisplay.from_estimator(classifier, ax=ax),
        "tree_of_numbers": lambda ax: TreeDisplay.from_estimator(regressor, ax=ax),
        "trunk": lambda ax: TrunkDisplay.from_estimator(classifier, max_depth=3, ax=ax),
    }


PICTURES = [
    "class_probability", "decision_map", "envelope", "importance", "importance_of_all", "interval",
    "interval_coverage", "partial_dependence", "partial_dependence_of_levels", "permutation",
    "permutation_of_all", "reliability", "tree", "tree_of_numbers", "trunk",
]  # fmt: skip


def boxes(texts, renderer):
    shown = [t for t in texts if t.get_visible() and t.get_text().strip()]
    return [(t.get_text(), t.get_window_extent(renderer)) for t in shown]


def drawn_ticks(axis):
    """Labels of the ticks in view; matplotlib keeps some beyond."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def assert_legible(figure):
    """No text leaves the page, and no two texts of axes, ticks or legend lie on each other."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    page = figure.bbox
    for ax in figure.axes:
        titles = [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label]
        labels = [*titles, *ax.texts] if ax.axison else ax.texts
        ticks = drawn_ticks(ax.xaxis) + drawn_ticks(ax.yaxis) if ax.axison else []
        legend = ax.get_legend()
        texts = [*labels, *ticks, *(legend.get_texts() if legend else [])]
        found = boxes(texts, renderer)
        assert found
        for text, box in found:
            assert box.x0 >= page.x0 - 1, text
            assert box.x1 <= page.x1 + 1, text
            assert box.y0 >= page.y0 - 1, text
            assert box.y1 <= page.y1 + 1, text
        for (one, a), (other, b) in itertools.combinations(found, 2):
            across = min(a.x1, b.x1) - max(a.x0, b.x0)
            down = min(a.y1, b.y1) - max(a.y0, b.y0)
            # Boxes include the room of letters that hang below the line.
            assert across <= 1 or down <= 0.3 * min(a.height, b.height), (one, other)


def smallest_font(figure):
    sizes = []
    for ax in figure.axes:
        legend = ax.get_legend()
        texts = [*ax.texts, *(legend.get_texts() if legend else [])]
        if ax.axison:
            texts += [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label]
        sizes += [text.get_fontsize() for text in texts if text.get_text().strip()]
    return min(sizes)


@pytest.mark.parametrize("name", PICTURES)
def test_legible_on_a_laptop(name, pictures):
    display = pictures[name](None)
    assert_legible(display.figure_)
    assert smallest_font(display.figure_) >= 6.5


@pytest.mark.parametrize("name", PICTURES)
def test_legible_in_a_column_of_print(name, pictures):
    _, ax = plt.subplots(figsize=(3.3, 2.9), layout="constrained")
    display = pictures[name](ax)
    assert display.ax_ is ax
    assert_legible(display.figure_)
    assert display.ax_.get_position().width > 0.4  # names leave room for what they name
    # As printed: the label inside a bar is the smallest, a name of a row has 5.5 points.
    assert smallest_font(display.figure_) >= 4.2


def test_overlapping_texts_are_noticed():
    figure, ax = plt.subplots()
    ax.text(0.5, 0.5, "one text")
    ax.text(0.51, 0.5, "another")
    with pytest.raises(AssertionError, match="another"):
        assert_legible(figure)
    ax.texts[0].remove()
    ax.texts[0].set_position((0.98, 0.5))
    ax.texts[0].set_text("a text that leaves the page")
    with pytest.raises(AssertionError):
        assert_legible(figure)


def test_all_50_features_fit_a_tall_column(pictures):
    _, ax = plt.subplots(figsize=(3.3, 6.5), layout="constrained")
    display = pictures["importance_of_all"](ax)
    assert len(display.ax_.get_yticklabels()) == 51
    assert_legible(display.figure_)


def test_several_features_side_by_side(regressor, hospital):
    X = hospital[0][240:]
    display = PartialDependenceDisplay.from_estimator(
        regressor, X, [0, 7, 3, DEPARTMENT], max_rows=30, n_grid=15
    )
    assert display.ax_.shape == (4,)
    assert len({ax.get_ylim() for ax in display.ax_}) == 1
    assert_legible(display.figure_)


def test_partial_dependence_shows_its_numbers(regressor, hospital):
    X = hospital[0][240:]
    shown = partial_dependence(regressor, X, 0, max_rows=30)
    display = PartialDependenceDisplay.from_dependences([shown])
    line = display.ax_.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), shown.grid)
    np.testing.assert_array_equal(line.get_ydata(), shown.mean)


def test_many_levels_show_the_commonest():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"town": rng.choice([f"town number {i:02d}" for i in range(30)], size=300)})
    model = BayesianForestRegressor(3, random_state=0).fit(X, rng.normal(size=300))
    display = PartialDependenceDisplay.from_estimator(model, X, "town")
    assert len(display.ax_.get_xticklabels()) == 16
    assert "and 14 rarer levels" in display.ax_.get_xlabel()
    assert_legible(display.figure_)


def test_partial_dependence_needs_fitting_axes(regressor, hospital):
    _, axes = plt.subplots(1, 2)
    with pytest.raises(BayeswoodError, match="1 features need as many axes"):
        PartialDependenceDisplay.from_estimator(regressor, hospital[0], 0, max_rows=9, ax=axes)
    with pytest.raises(BayeswoodError, match="at least one feature"):
        PartialDependenceDisplay([])


def test_envelope_rates_by_hand():
    display = EnvelopeDisplay.from_predictions(
        ["a", "a", "b", "b"], ["a", "b", "b", "a"], [1.0, 0.95, 0.7, 0.6], gamma0=0.9
    )
    curve = display.curve
    at = list(curve.gamma0).index(0.9)
    assert (curve.confident_correct[at], curve.confident_incorrect[at]) == (0.25, 0.25)
    assert curve.uncertain[at] == 0.5
    total = curve.confident_correct + curve.uncertain + curve.confident_incorrect
    np.testing.assert_allclose(total, 1)
    assert curve.uncertain[0] == 0
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "uncertain 50.0%" in texts


def test_envelope_of_an_estimator_counts_votes(classifier, hospital):
    X, y = hospital[0][240:], hospital[1][240:]
    curve = EnvelopeDisplay.from_estimator(classifier, X, y, gamma0=0.6).curve
    votes = classifier.predict_draws(X).argmax(axis=2)
    shares = np.stack([(votes == k).mean(axis=0) for k in range(3)], axis=1)
    sure = shares.max(axis=1) >= 0.6 - 1e-9
    right = classifier.classes_[shares.argmax(axis=1)] == y
    at = list(curve.gamma0).index(0.6)
    assert curve.confident_correct[at] == pytest.approx(np.mean(sure & right))
    assert curve.confident_incorrect[at] == pytest.approx(np.mean(sure & ~right))


def test_envelope_of_a_given_curve(regressor, hospital):
    curve = EnvelopeCurve(
        gamma0=np.array([0.5, 0.9, 1.0]), confident_correct=np.array([0.8, 0.6, 0.5]),
        uncertain=np.array([0.0, 0.35, 0.5]), confident_incorrect=np.array([0.2, 0.05, 0.0]),
        n_rows=20,
    )  # fmt: skip
    display = EnvelopeDisplay.from_curve(curve, gamma0=0.88)
    assert display.ax_.get_legend().get_title().get_text() == "with γ₀ = 90% (dashed)"
    with pytest.raises(BayeswoodError, match="lassifier"):
        EnvelopeDisplay.from_estimator(regressor, hospital[0], hospital[1])


def test_decision_map_by_brute_force(classifier, hospital):
    X = hospital[0][240:]
    found = decision_map(classifier, X, (0, NAMES[7]), n_grid=9)
    rows = pd.DataFrame(
        [{**found.held, NAMES[0]: a, NAMES[7]: b} for b in found.y for a in found.x]
    )
    votes = classifier.predict_draws(rows[list(X.columns)]).argmax(axis=2)
    shares = np.stack([(votes == k).mean(axis=0) for k in range(3)], axis=1)
    np.testing.assert_array_equal(found.majority.ravel(), shares.argmax(axis=1))
    np.testing.assert_allclose(found.consistency.ravel(), shares.max(axis=1))
    assert found.held[NAMES[1]] == X.iloc[:, 1].median()
    assert found.held[DEPARTMENT] == X[DEPARTMENT].mode()[0]


def test_decision_map_of_given_decisions():
    display = DecisionMapDisplay.from_predictions(
        [0, 1], [0, 1], [[0, 1], [1, 1]], [[0.5, 1.0], [0.75, 1.0]], classes=["a", "b"]
    )
    colours = display._colours()
    np.testing.assert_allclose(colours[0, 1], colours[1, 1])
    # The less consistent, the paler.
    assert colours[1, 0].mean() > colours[1, 1].mean()


def test_decision_map_bad_input(classifier, regressor, hospital):
    X = hospital[0]
    with pytest.raises(BayeswoodError, match="must be a classifier"):
        decision_map(regressor, X)
    with pytest.raises(BayeswoodError, match="two different numeric columns"):
        decision_map(classifier, X, (0, 0))
    with pytest.raises(BayeswoodError, match="two different numeric columns"):
        decision_map(classifier, X, (0, DEPARTMENT))


def test_tree_lines_are_those_of_the_tree(classifier):
    tree = classifier.forest_.trees[3]
    display = TreeDisplay.from_estimator(classifier, member=3, max_depth=None)
    assert len(display.lines) == tree.n_nodes
    assert sum(line.is_leaf for line in display.lines) == tree.n_leaves
    assert display.lines[0].note == f"{int(tree.n_samples[0]):,}"
    left = int(tree.left[0])
    assert display.lines[1].answer == "yes"
    assert display.lines[1].note == f"{int(tree.n_samples[left]):,}"
    for line in display.lines:
        assert sum(share for share, _ in line.bar) == pytest.approx(1)


def test_cut_trees_say_what_is_below(classifier):
    tree = classifier.forest_.trees[0]
    display = TreeDisplay.from_tree(tree, max_depth=2)
    assert max(line.depth for line in display.lines) == 2
    cut = [line for line in display.lines if line.is_cut]
    below = sum(int(line.rest.split("… ")[1].split()[0]) for line in cut)
    plain = [line for line in display.lines if line.is_leaf and not line.is_cut]
    assert below + len(plain) == tree.n_leaves
    assert all(line.mark == ">" for line in cut)


def test_a_stump_and_many_classes():
    model = BayesianForestRegressor(1, random_state=0).fit([[0.0], [0.0]], [1.0, 3.0])
    assert_legible(TreeDisplay.from_estimator(model).figure_)
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 12, size=200)
    model = BayesianForestClassifier(3, random_state=0).fit(X, y)
    display = TreeDisplay.from_estimator(model)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels[-1] == "5 more classes"
    assert_legible(display.figure_)
    assert_legible(DecisionMapDisplay.from_estimator(model, X, y, n_grid=20).figure_)


def test_trunk_lines_are_those_of_the_posterior(regressor):
    trunk = trunk_posterior(regressor, max_depth=2)
    display = TrunkDisplay.from_trunk(trunk)
    main = [line for line in display.lines if not line.is_aside]
    assert [line.name for line in main] == [
        place.choices[0].feature or "" for place in trunk.places
    ]
    for line, place in zip(main, trunk.places, strict=True):
        assert line.note == f"{place.weight:.0%}"
        assert sum(share for share, _ in line.bar) == pytest.approx(1)


def test_trees_need_a_fitted_model():
    with pytest.raises(BayeswoodError, match="'estimator' parameter of TreeDisplay"):
        TreeDisplay.from_estimator(BayesianForestRegressor())


def test_permutation_display_shows_its_numbers(classifier, hospital):
    X, y = hospital[0][240:], hospital[1][240:]
    display = PermutationImportanceDisplay.from_estimator(
        classifier, X, y, n_features=5, n_repeats=1, score="brier"
    )
    means = display.ax_.collections[1].get_offsets()
    np.testing.assert_array_equal(means[:, 0], display.importances.mean[:5])
    assert "Brier score added by shuffling (and 46 more)" in display.ax_.get_xlabel()


def test_shortened_names_stay_different():
    for n_cells in (10, 16, 24, 34):
        assert len(set(shorten_all(NAMES, n_cells))) == 50
    assert shorten_all(["a", "b"], 10) == ["a", "b"]
    assert max(map(len, shorten_all(NAMES, 24))) <= 24


def luminance(colour):
    rgb = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


# Viénot, Brettel and Mollon's simulations (1999), on linear RGB.
DEUTERANOPIA = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
PROTANOPIA = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])


@pytest.mark.parametrize("vision", [np.eye(3), DEUTERANOPIA, PROTANOPIA])
def test_class_colours_differ_with_any_colour_vision(vision):
    linear = np.array([mpl.colors.to_rgb(c) for c in CLASS_COLOURS]) ** 2.2
    seen = np.clip(linear @ vision.T, 0, 1) ** (1 / 2.2)
    for a, b in itertools.combinations(range(len(seen)), 2):
        assert np.linalg.norm(seen[a] - seen[b]) > 0.08, (CLASS_COLOURS[a], CLASS_COLOURS[b])


def test_the_first_classes_differ_in_grey_print():
    shades = sorted(luminance(class_colour(k)) for k in range(3))
    assert min(np.diff(shades)) > 0.05
