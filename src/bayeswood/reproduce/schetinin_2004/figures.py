"""Figures 1 to 7."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.plots import TraceDisplay
from bayeswood.plots.axes import legend_above, tidy
from bayeswood.report.palette import AMBER, BLUE, CLASS_COLOURS, GREY, INK
from bayeswood.reproduce.finding import Finding, Listing, Picture
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.pictures import new_figure, picture_of
from bayeswood.reproduce.schetinin_2004.measure import GAMMA0, N_GRID, N_REPEATS, boundary
from bayeswood.reproduce.schetinin_2004.section5 import INVALID_TREES, RANDOMISED, VALID
from bayeswood.reproduce.schetinin_2004.tables import RECONSTRUCTED, n_chains

F64 = NDArray[np.float64]

# Of N(2, 0.75) the second number may be a variance or a standard deviation.
_SECOND_SD = {"variance": 0.75**0.5, "standard deviation": 0.75}
_SAMPLERS = {VALID: ("ours", "our chains"), INVALID_TREES: ("reconstructed", RECONSTRUCTED)}


def two_gaussians(sd: float, gamma0: float = GAMMA0) -> dict[str, Any]:
    """The envelope of the Bayes rule between N(0, 1) and N(2, sd²), classes alike (Figure 1).

    Parameters
    ----------
    sd : float
    gamma0 : float, default 0.99
        Least posterior probability of a confident outcome.
    """
    x = np.linspace(-8, 12, 200_001)
    one, two = (
        0.5 * np.exp(-0.5 * ((x - mean) / each) ** 2) / (each * np.sqrt(2 * np.pi))
        for mean, each in ((0.0, 1.0), (2.0, sd))
    )
    total, best = one + two, np.maximum(one, two)
    confident = best >= gamma0 * total
    step = x[1] - x[0]
    return {
        "x": x, "one": one, "two": two, "confident": confident,
        "edges": x[1:][np.diff(confident.astype(int)) != 0],
        "correct": 100 * float(best[confident].sum() * step),
        "uncertain": 100 * float(total[~confident].sum() * step),
        "incorrect": 100 * float((total - best)[confident].sum() * step),
        "Bayes error": 100 * float((total - best).sum() * step),
    }  # fmt: skip


def incorrect_at_equal_doubt(shift: float) -> float:
    """Confident errors in % of a rule that takes N(2, .75) to be N(2 + shift, .75).

    It is as often uncertain as the Bayes rule at γ₀ = 0.99.

    Parameters
    ----------
    shift : float
    """
    told = two_gaussians(_SECOND_SD["variance"])
    x, one, two = told["x"], told["one"], told["two"]
    believed = np.interp(x - shift, x, two)
    share = np.maximum(one, believed) / (one + believed)
    surest = np.argsort(-share, kind="stable")
    mass = np.cumsum((one + two)[surest])
    confident = surest[mass <= mass[-1] * (1 - told["uncertain"] / 100)]
    wrong = np.where(one >= believed, two, one)
    return 100 * float(wrong[confident].sum() * (x[1] - x[0]))


def find_figure_1(found: Found, plan: Plan) -> Finding:
    """Two Gaussians and the envelope between them."""
    rows = []
    for reading, sd in _SECOND_SD.items():
        told = two_gaussians(sd)
        rates = [f"{told[key]:.2f}" for key in ("correct", "uncertain", "incorrect", "Bayes error")]
        edges = ", ".join(f"{edge:.2f}" for edge in told["edges"])
        rows.append((f"0.75 is the {reading}", edges, *rates))
    header = (
        "reading", "confident up to B1, from B2 on (and back)", "correct, %", "uncertain, %",
        "incorrect, %", "Bayes error, %",
    )  # fmt: skip
    words = "γ₀ = 0.99, classes alike. The paper prints no number beside the figure."
    listing = Listing(header, tuple(rows), words=words)
    return Finding(listings=(listing,), pictures=(_draw_two_gaussians(),))


def _draw_two_gaussians() -> Picture:
    told = two_gaussians(_SECOND_SD["variance"])
    figure = new_figure(7, 3.6)
    ax = figure.subplots()
    shown = (told["x"] > -4) & (told["x"] < 6)
    x, unsure = told["x"][shown], ~told["confident"][shown]
    for name, colour, label in (("one", AMBER, "N(0, 1)"), ("two", BLUE, "N(2, 0.75)")):
        ax.plot(x, told[name][shown], color=colour, label=label)
    ax.fill_between(
        x, 0, 1, where=unsure, color=GREY, alpha=0.25, label="uncertain", linewidth=0,
        transform=ax.get_xaxis_transform(),
    )  # fmt: skip
    for name, edge in zip(("B1", "B2"), told["edges"], strict=False):
        ax.axvline(edge, color=INK, linewidth=0.8, linestyle="dashed")
        ax.text(edge, 0.96, f" {name}", color=INK, transform=ax.get_xaxis_transform())
    ax.set(xlabel="x", ylabel="share × density", ylim=(0, None))
    tidy(ax)
    legend_above(ax)
    caption = "Figure 1: outcomes between B1 and B2 are uncertain, those outside confident."
    return picture_of(figure, "figure-1", caption)


def boundary_units(plan: Plan) -> Sequence[Unit]:
    """One draw."""
    return [Unit("five/boundary", boundary, (plan.seed, n_chains(plan)))]


def find_figure_2(found: Found, plan: Plan) -> Finding:
    """Rows and the two boundaries."""
    from matplotlib.lines import Line2D

    told = found["five/boundary"]
    X, y = np.array(told["X"]), np.array(told["y"])
    trees, best = (np.reshape(told[key], (N_GRID, N_GRID)) for key in ("trees", "Bayes rule"))
    figure = new_figure(6.4, 5.0)
    ax = figure.subplots()
    across, along = told["across"], told["along"]
    shades = ax.pcolormesh(
        across, along, trees, cmap="PuOr_r", vmin=0, vmax=1, alpha=0.5, rasterized=True
    )
    figure.colorbar(shades, ax=ax, label="P(class 1), averaged over the trees")
    ax.contour(across, along, trees, [0.5], colors=INK, linewidths=1.8)
    ax.contour(across, along, best, [0.5], colors=INK, linewidths=1.4, linestyles="dashed")
    for label, colour, marker in ((0, AMBER, "x"), (1, BLUE, ".")):
        ax.plot(*X[y == label].T, marker, color=colour, markersize=5, label=f"class {label + 1}")
    handles = [
        *ax.get_legend_handles_labels()[0],
        Line2D([], [], color=INK, linewidth=1.8, label="Bayesian trees"),
        Line2D([], [], color=INK, linewidth=1.4, linestyle="dashed", label="Bayes rule"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    tidy(ax)
    caption = "Figure 2: 250 rows of the five Gaussians, and the class boundaries."
    return Finding(pictures=(picture_of(figure, "figure-2", caption),))


def find_figure_3(found: Found, plan: Plan) -> Finding:
    """Traces of log likelihood and size, by either sampler."""
    pictures = []
    for unit, (short, name) in _SAMPLERS.items():
        told = found[f"{unit}/0"]["trace"]
        trace: Any = SimpleNamespace(
            log_likelihood=np.array(told["log_likelihood"]),
            n_leaves=np.array(told["n_splits"]) + 1,
            n_burn_in=told["n_burn_in"],
            thin=1,
        )
        figure = new_figure(7.2, 5.0)
        axes = figure.subplots(2, 2, sharey="row", width_ratios=(3, 1))
        TraceDisplay.from_trace(trace, axes=axes)
        axes[1, 0].set_xlabel("iteration / 10")
        caption = f"Figure 3, {name}: every tenth iteration of each chain."
        pictures.append(picture_of(figure, f"figure-3-{short}", caption))
    return Finding(pictures=tuple(pictures))


def find_figure_4(found: Found, plan: Plan) -> Finding:
    """Weight of each distinct tree, by size, by either sampler."""
    pictures = []
    for unit, (short, name) in _SAMPLERS.items():
        told = found[f"{unit}/0"]
        figure = new_figure(7.2, 4.2)
        upper, lower = figure.subplots(2, sharex=True, height_ratios=(2, 1))
        sizes, masses = np.array(told["distinct sizes"]), np.array(told["distinct masses"])
        order, places = np.lexsort((-masses, sizes)), np.arange(told["distinct"])
        upper.vlines(places, 0, masses[order], color=BLUE, linewidth=0.3)
        lower.plot(places, sizes[order], color=INK)
        upper.set_ylabel("posterior weight")
        lower.set(ylabel="splits", xlabel="distinct trees, by number of splits")
        for ax in (upper, lower):
            tidy(ax)
        caption = f"Figure 4, {name}: {told['distinct']:,} distinct trees of the first draw."
        pictures.append(picture_of(figure, f"figure-4-{short}", caption))
    return Finding(pictures=tuple(pictures))


def find_figure_5(found: Found, plan: Plan) -> Finding:
    """Accuracy of the ensemble by the number of trees, over the five draws."""
    figure = new_figure(7, 3.6)
    ax = figure.subplots()
    draws = found.repeats(RANDOMISED, N_REPEATS)
    for number, (told, colour) in enumerate(zip(draws, CLASS_COLOURS, strict=False), 1):
        curve = told["ensemble"]
        ax.plot(np.arange(1, len(curve) + 1), curve, color=colour, label=f"draw {number}")
    ax.set(xlabel="trees", ylabel="accuracy, %")
    tidy(ax)
    legend_above(ax)
    caption = "Figure 5: randomised trees on five draws of the five Gaussians."
    return Finding(pictures=(picture_of(figure, "figure-5", caption),))


def find_figure_6(found: Found, plan: Plan) -> Finding:
    """P_e, P_s and P_slv on the fifth draw."""
    told = found[f"{RANDOMISED}/{N_REPEATS - 1}"]
    figure = new_figure(7, 3.6)
    ax = figure.subplots()
    n_trees = np.arange(1, len(told["single"]) + 1)
    ax.plot(n_trees, told["single"], color=GREY, linewidth=0.7, label="$P_s$, a single tree")
    ax.plot(
        n_trees, np.maximum.accumulate(told["single"]), color=INK, linestyle="dashed",
        label="$P_{slv}$, the best tree so far",
    )  # fmt: skip
    ax.plot(n_trees, told["ensemble"], color=BLUE, linewidth=2, label="$P_e$, the ensemble")
    ax.set(xlabel="trees", ylabel="accuracy, %")
    tidy(ax)
    legend_above(ax)
    caption = (
        "Figure 6: the fifth draw. The best tree is chosen by the very rows on which it is scored "
        "here, which flatters it."
    )
    return Finding(pictures=(picture_of(figure, "figure-6", caption),))


def find_figure_7(found: Found, plan: Plan) -> Finding:
    """Sizes of all randomised trees."""
    sizes = np.concatenate([each["sizes"] for each in found.repeats(RANDOMISED, N_REPEATS)])
    figure = new_figure(7, 3.2)
    ax = figure.subplots()
    counts = np.bincount(sizes)
    shown = np.arange(sizes.min(), sizes.max() + 1)
    ax.bar(shown, counts[shown] / len(sizes), color=BLUE)
    ax.set(xlabel="splits", ylabel="share of the trees")
    tidy(ax)
    caption = f"Figure 7: sizes of {len(sizes):,} randomised trees, 200 on each of five draws."
    return Finding(pictures=(picture_of(figure, "figure-7", caption),))
