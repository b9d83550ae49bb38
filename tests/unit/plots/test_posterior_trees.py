"""Pictures of chains and of the structure of their trees: what is drawn is what was counted."""

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from bayeswood import BayesianForestClassifier
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.plots import StructureDisplay, TraceDisplay, trace
from bayeswood.plots.structure import cut_density
from bayeswood.plots.trace import bin_edges, chain_colours, thin_path
from bayeswood.posterior import split_rhat, structure


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def make_trace(n_chains, n_burn_in=100, n_draws=200, thin=1):
    rng = np.random.default_rng(n_chains)
    shape = (n_chains, n_burn_in + n_draws * thin)
    leaves = rng.integers(5, 9, size=shape)
    log_likelihood = rng.normal(-40, 1, size=shape)
    log_likelihood[:, 0] = -5000
    return SimpleNamespace(
        log_likelihood=log_likelihood, log_posterior=log_likelihood - 9, n_leaves=leaves,
        depth=leaves // 2, n_burn_in=n_burn_in, thin=thin,
    )  # fmt: skip


def test_every_chain_has_its_path():
    found = make_trace(3)
    display = TraceDisplay.from_trace(found)
    paths, histogram = display.axes_[1]
    lines = paths.lines[:3]
    for chain, line in zip(found.n_leaves, lines, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), chain)
    assert len({line.get_color() for line in lines}) == 3
    shade = paths.patches[0].get_window_extent()
    ends = paths.transData.inverted().transform(shade)
    np.testing.assert_allclose(ends[:, 0], [0, 100], atol=1e-6)
    assert histogram.get_title(loc="right") == f"R-hat {display.rhat['n_leaves']:.2f}"


def test_histograms_hold_the_kept_draws_only():
    found = make_trace(2, thin=2)
    found.n_leaves[:, :100] = 99
    display = TraceDisplay.from_trace(found)
    kept = found.n_leaves[:, 101::2]
    bars = display.axes_[1, 1].patches
    shares = {
        round(bar.get_y() + bar.get_height() / 2): bar.get_width()
        for bar in bars if hasattr(bar, "get_y")
    }  # fmt: skip
    for leaves in range(5, 9):
        assert shares[leaves] == pytest.approx(np.mean(kept == leaves))
    assert display.rhat["n_leaves"] == split_rhat(kept)


def test_the_first_steps_do_not_hide_the_rest():
    low, high = TraceDisplay.from_trace(make_trace(4)).axes_[0, 0].get_ylim()
    assert low > -60
    assert high > -40


def test_the_dark_line_is_the_mean_of_the_chains():
    found = make_trace(5, n_burn_in=0, n_draws=150)
    display = TraceDisplay.from_trace(found, quantities=["depth"])
    np.testing.assert_allclose(display.axes_[0, 0].lines[-1].get_ydata(), found.depth.mean(axis=0))


def test_fifty_chains_and_one():
    many = TraceDisplay.from_trace(make_trace(50, n_draws=2000), quantities=["log_posterior"])
    assert len(many.axes_[0, 0].lines) == 51
    assert len(many.axes_[0, 0].lines[0].get_ydata()) <= 1500
    assert [text.get_text() for text in many.axes_[0, 0].texts] == ["50 chains"]
    one = TraceDisplay.from_trace(make_trace(1))
    assert len(one.axes_[0, 0].lines) == 1
    assert {t.get_text() for t in one.axes_[0, 0].texts} == {"1 chain", "burn-in"}


def test_trace_of_an_estimator():
    model = SimpleNamespace(trace_=make_trace(2), draw_tree_=np.zeros((2, 200), int))
    axes = trace(model, quantities=["depth"])
    assert axes.shape == (1, 2)
    _, own = plt.subplots(2, 2)
    assert trace(model, axes=own)[0, 0] is own[0, 0]


def test_a_thinned_path_keeps_lows_and_highs():
    values = np.random.default_rng(3).normal(size=10_000)
    at, path = thin_path(values, 500)
    assert len(path) <= 502
    assert (path.min(), path.max()) == (values.min(), values.max())
    assert np.all(np.diff(at) >= 0)


def test_bins_of_whole_numbers():
    np.testing.assert_array_equal(bin_edges(np.array([2.0, 4.0])), [1.5, 2.5, 3.5, 4.5])
    assert len(bin_edges(np.arange(500.0))) <= 42


def test_colours_of_chains_differ():
    assert len(set(map(str, chain_colours(7)))) == 7
    assert len(set(map(str, chain_colours(50)))) == 50


def test_bad_traces():
    with pytest.raises(BayeswoodError, match="'quantities' parameter of TraceDisplay"):
        TraceDisplay(make_trace(2), quantities=["height"])
    with pytest.raises(BayeswoodError, match="must be a 2 x 2 array"):
        TraceDisplay.from_trace(make_trace(2), axes=plt.subplots(3)[1])
    with pytest.raises(BayeswoodError, match="draws by Markov chains"):
        trace(SimpleNamespace())


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({
        "a feature with a rather long name": rng.normal(size=200),
        "ward": rng.choice(["oncology", "cardiology and surgery", "emergency"], 200),
        "x": rng.normal(size=200),
    })  # fmt: skip
    y = X.iloc[:, 0] + (X["ward"] == "oncology") > 0
    return BayesianForestClassifier(30, max_depth=3, random_state=0).fit(X, y)


def test_bars_are_the_probabilities(mixed):
    found = structure(mixed)
    display = StructureDisplay.from_structure(found)
    left = display.axes_[0]
    widths = [bar.get_width() for bar in left.patches]
    assert widths == pytest.approx(
        [f.use_probability for f in found.features] + [f.root_probability for f in found.features]
    )
    assert len(display.axes_[1].images) == 2  # a category has no strip
    assert any("in " in text.get_text() for text in display.axes_[1].texts)


def test_few_features_and_own_axes(mixed):
    _, axes = plt.subplots(1, 2)
    display = StructureDisplay.from_estimator(mixed, n_features=1, axes=axes)
    assert display.axes_[0] is axes[0]
    assert len(display.features) == 1
    with pytest.raises(BayeswoodError, match="two axes"):
        StructureDisplay.from_estimator(mixed, axes=plt.subplots(3)[1])


def test_density_of_cuts():
    leaf = {"value": 0.0}
    trees = [(0, cut, leaf, leaf) for cut in (0.0, 0.1, 1.0)]
    forest = Forest.from_nested(trees, log_weights=np.log([0.5, 0.3, 0.2]))
    np.testing.assert_allclose(cut_density(structure(forest)["x0"], 2), [0.8, 0.2])
    alone = Forest.from_nested(trees[:1])
    np.testing.assert_allclose(cut_density(structure(alone)["x0"]), [1.0])
    StructureDisplay.from_estimator(alone)


def test_trees_without_a_split_are_refused():
    alone = Forest.from_nested([{"value": 1.0}], n_features=1, n_classes=0)
    with pytest.raises(BayeswoodError, match="must hold a split"):
        StructureDisplay.from_estimator(alone)
