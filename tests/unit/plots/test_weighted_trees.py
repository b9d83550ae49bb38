"""Pictures of the safe-Bayesian forest."""

import io
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from bayeswood import BayesianForestClassifier, Forest, SafeBayesForestClassifier
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Labels
from bayeswood.plots import (
    OperatingCurveDisplay,
    WeightedTreesDisplay,
    operating_curve,
    weighted_trees,
)
from bayeswood.plots.tree_layout import lay_out
from bayeswood.plots.weighted_trees import CLASS_COLOURS, class_colours, mix_colours

SHAPE = (0, 0.5, {"counts": [6, 0, 0]}, (1, 0.5, {"counts": [0, 2, 2]}, (0, 0.7, None, None)))


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def pixels(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=60)
    buffer.seek(0)
    return plt.imread(buffer)[..., :3]


def has_colour(image, colour):
    wanted = mix_colours(np.ones((1, 1)), (colour,))[0]
    return bool((np.abs(image - wanted).max(axis=-1) < 0.02).any())


def curve(n=40, lift=0.0):
    power = np.arange(1, n + 1) / n
    return SimpleNamespace(
        power=power, accuracy=0.7 + lift - 0.1 * power, log_probability=-0.5 + lift - power
    )


def forest_of(n_trees=5, alpha=0.0, **options):
    labels = Labels(("petal width", "petal length"), (), ("setosa", "versicolor", "virginica"))
    return Forest.from_nested(
        [SHAPE] * n_trees, dirichlet_alpha=alpha, labels=labels,
        log_weights=np.array([3.0, -2000.0, 1.0, 2.0, 0.0, *[-1.0] * 10])[:n_trees], **options,
    )  # fmt: skip


# --- the operating curve ------------------------------------------------------------------------


def test_curves_are_drawn_on_a_log_axis():
    curves = {"training": curve(lift=0.1), "leave-one-out": curve(), "test": curve(lift=-0.1)}
    display = OperatingCurveDisplay.from_curves(curves, power=5 / 40)
    upper, lower = display.axes_
    assert [line.get_label() for line in upper.lines[:3]] == list(curves)
    np.testing.assert_allclose(upper.lines[0].get_ydata(), 100 * curves["training"].accuracy)
    np.testing.assert_allclose(lower.lines[2].get_ydata(), curves["test"].log_probability)
    assert (upper.get_xscale(), lower.get_xscale()) == ("log", "log")
    np.testing.assert_allclose(lower.lines[3].get_xdata(), 5 / 40)
    image = pixels(display.figure_)
    assert all(has_colour(image, line.get_color()) for line in upper.lines[:3])


def test_lines_differ_in_colour_dashes_and_marker():
    display = OperatingCurveDisplay.from_curves({str(i): curve(lift=i / 50) for i in range(5)})
    lines = display.axes_[0].lines
    for trait in ("get_color", "get_marker", "get_linestyle"):
        values = [getattr(line, trait)() for line in lines]
        assert len(set(values)) > 1
    looks = {(line.get_color(), line.get_marker()) for line in lines}
    assert len(looks) == 5
    assert len(display.axes_[0].get_legend().texts) == 5


def test_nothing_of_the_curve_is_cut_off():
    display = OperatingCurveDisplay.from_curves({"training": curve()}, power=1 / 40)
    display.figure_.canvas.draw()
    page = display.figure_.bbox
    for ax in display.axes_:
        box = ax.get_tightbbox()
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1
        assert box.y1 <= page.y1


def test_given_axes_take_the_curve():
    axes = Figure().subplots(2)
    display = OperatingCurveDisplay.from_curves({"training": curve()}, axes=axes)
    assert display.axes_.tolist() == axes.tolist()
    assert plt.get_fignums() == []
    with pytest.raises(BayeswoodError, match="must be two axes"):
        OperatingCurveDisplay.from_curves({"training": curve()}, axes=axes[0])


@pytest.mark.parametrize("n_curves", [0, 6])
def test_too_few_or_too_many_curves(n_curves):
    with pytest.raises(BayeswoodError, match=f"must hold 1 to 5 curves. Got {n_curves}"):
        OperatingCurveDisplay({str(i): curve() for i in range(n_curves)})


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(90, 3))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.4 * rng.normal(size=90), [-0.5, 0.5])]
    forest = SafeBayesForestClassifier.as_published(n_estimators=60, random_state=0)
    return forest.fit(X[:60], y[:60]), X[60:], y[60:]


def test_curves_of_a_fitted_forest(fitted):
    forest, X, y = fitted
    upper, lower = operating_curve(forest, X, y, name="test rows")
    assert [line.get_label() for line in upper.lines[:3]] == [
        "training",
        "leave-one-out",
        "test rows",
    ]
    np.testing.assert_allclose(upper.lines[0].get_xdata(), np.arange(1, 61) / 60)
    right = np.mean(forest.predict(X) == y)
    assert upper.lines[2].get_ydata()[4] == pytest.approx(100 * right)
    own = forest.predict_proba(X)[np.arange(30), np.searchsorted(forest.classes_, y)]
    assert lower.lines[2].get_ydata()[4] == pytest.approx(np.log(own).mean())
    assert len(operating_curve(forest)[0].lines) == 3  # two curves and the power in use


def test_trees_of_a_fitted_forest(fitted):
    forest, _, _ = fitted
    display = WeightedTreesDisplay.from_estimator(forest, n_trees=2)
    assert (display.dirichlet_alpha == 1.0).all()
    shares, has_rows = display.shares(int(display.highest[0]))
    np.testing.assert_allclose(shares[has_rows].sum(axis=1), 1.0)
    counts = shares * forest.forest_.trees[int(display.highest[0])].n_samples[:, None]
    is_leaf = forest.forest_.trees[int(display.highest[0])].feature < 0
    np.testing.assert_allclose(counts[is_leaf], counts[is_leaf].round(), atol=1e-9)
    assert has_colour(pixels(display.figure_), "#000000")


# --- weighted trees -----------------------------------------------------------------------------


def test_the_highest_and_the_lowest_are_chosen():
    display = WeightedTreesDisplay(forest_of(), n_trees=2).plot()
    assert display.highest.tolist() == [0, 3]
    assert display.lowest.tolist() == [1, 4]
    titles = [ax.get_title() for ax in display.axes_.ravel()]
    assert titles[0] == "highest\nweight 0.644"
    assert titles[2] == "lowest\nweight $10^{-870.1}$"
    assert display.axes_.shape == (2, 2)


def test_leaves_have_the_colours_of_their_classes():
    estimator = SimpleNamespace(
        forest_=forest_of(alpha=1.0), predictive_=SimpleNamespace(leaf_prior=np.ones(3))
    )
    axes = weighted_trees(estimator, n_trees=1, collapses_empty=False)
    leaves = axes[0, 0].collections[1]
    half = mix_colours(np.array([[0.0, 0.5, 0.5]]), class_colours(3))[0]
    expected = [mix_colours(np.ones((1, 1)), (CLASS_COLOURS[0],))[0], half, [0] * 3, [0] * 3]
    np.testing.assert_allclose(leaves.get_facecolors()[:, :3], expected, atol=1e-12)
    image = pixels(axes[0, 0].figure)
    assert has_colour(image, CLASS_COLOURS[0])
    assert has_colour(image, "#000000")


def test_a_subtree_without_rows_is_one_black_leaf():
    axes = WeightedTreesDisplay(forest_of(), n_trees=1).plot().axes_
    colours = axes[0, 0].collections[1].get_facecolors()
    assert [tuple(colour[:3]) == (0, 0, 0) for colour in colours] == [False, False, True]
    assert axes[0, 0].get_xlabel() == "4 leaves, 3 drawn"


def test_averaged_leaves_are_shown_as_they_are():
    estimator = SimpleNamespace(
        forest_=forest_of(alpha=1.0), predictive_=SimpleNamespace(leaf_prior=None)
    )
    display = WeightedTreesDisplay.from_estimator(estimator, n_trees=1)
    np.testing.assert_allclose(display.shares(0)[0][1], [7 / 9, 1 / 9, 1 / 9], rtol=1e-12)


def test_the_legend_names_the_classes():
    display = WeightedTreesDisplay(forest_of(), n_trees=1).plot()
    names = [text.get_text() for text in display.figure_.legends[0].texts]
    assert names == ["setosa", "versicolor", "virginica", "no rows"]


def test_many_classes_share_a_grey():
    leaf = {"counts": np.eye(12)[9]}
    forest = Forest.from_nested([(0, 0.5, leaf, None)])
    display = WeightedTreesDisplay(forest, n_trees=1).plot()
    names = [text.get_text() for text in display.figure_.legends[0].texts]
    assert names == ["0", "1", "2", "3", "4", "5", "6", "5 more", "no rows"]


def overlaps(texts, figure):
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in texts]
    return [
        (i, j) for i in range(len(boxes)) for j in range(i) if boxes[i].overlaps(boxes[j])
    ]  # fmt: skip


@pytest.mark.parametrize("n_trees", [1, 4])
def test_names_of_splits_do_not_overlap(n_trees, rng):
    """Random trees of 2 to 9 leaves with long names."""

    def grow(n_leaves):
        if n_leaves == 1:
            return {"counts": rng.integers(5, size=2)}
        n_left = int(rng.integers(1, n_leaves))
        return (int(rng.integers(2)), 0.5, grow(n_left), grow(n_leaves - n_left))

    labels = Labels(("a_very_long_name_of_a_feature", "another_name_that_is_long"))
    trees = [grow(int(n)) for n in rng.integers(2, 10, size=2 * n_trees)]
    forest = Forest.from_nested(trees, n_features=2, labels=labels)
    display = WeightedTreesDisplay(forest, n_trees=n_trees).plot()
    display.figure_.canvas.draw()
    for ax in display.axes_.ravel():
        assert not overlaps([*ax.texts, ax.title, ax.xaxis.label], display.figure_)


def test_splits_are_named_where_there_is_room():
    display = WeightedTreesDisplay(forest_of(), n_trees=1).plot()
    names = [text.get_text() for text in display.axes_[0, 0].texts]
    assert names == ["petal width", "petal length"]


def test_fitted_forests_and_depth(rng):
    X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    model = BayesianForestClassifier(8, random_state=0).fit(X, y)
    axes = weighted_trees(model, n_trees=3, max_depth=2)
    assert axes.shape == (2, 3)
    assert all(len(ax.collections[1].get_offsets()) <= 4 for ax in axes.ravel())
    assert pixels(axes[0, 0].figure).min() < 0.3


def test_layout_puts_parents_above_their_children():
    tree = forest_of(1).trees[0]
    layout = lay_out(tree)
    assert layout.x[layout.is_leaf].tolist() == [0.0, 1.0, 2.0, 3.0]
    for place, above in enumerate(layout.parent):
        if above >= 0:
            assert layout.depth[place] == layout.depth[above] + 1
            children = layout.x[layout.parent == above]
            assert layout.x[above] == children.mean()
    cut = lay_out(tree, max_depth=1)
    assert (cut.node.tolist(), cut.is_leaf.tolist()) == ([0, 1, 2], [False, True, True])


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(BayeswoodError, match=r"'n_trees'.*in \[1, 5\]. Got 6"):
        WeightedTreesDisplay(forest_of(), n_trees=6)
    with pytest.raises(BayeswoodError, match="must classify"):
        WeightedTreesDisplay(Forest.from_nested([1.0]), n_trees=1)
    with pytest.raises(BayeswoodError, match="2 x 2 array"):
        WeightedTreesDisplay(forest_of(), n_trees=2).plot(Figure().subplots(2))
