"""The paper's figures, drawn again from what the settings gave."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayeswood.plots.axes import tidy
from bayeswood.report.palette import AMBER, BLUE, CRIMSON, GREY, INK
from bayeswood.reproduce.finding import Picture
from bayeswood.reproduce.lakshminarayanan_2013.printed import NAMES
from bayeswood.reproduce.lakshminarayanan_2013.runs import Curve, Setting, mean, sets_here, values
from bayeswood.reproduce.paper import Found
from bayeswood.reproduce.pictures import new_figure, picture_of

_DASHED = (0, (4, 2))
# The paper draws the optimal proposal blue, the prior one red, and chains black.
_STYLES: dict[str, tuple[str, str]] = {
    "optimal": (BLUE, "o"),
    "prior": (CRIMSON, "s"),
    "MCMC": (INK, "D"),
    "CART gini": (AMBER, ""),
    "CART entropy": (GREY, ""),
}
_LABELS = {
    "seconds": "CPU time of a fit, s",
    "size": "particles M",
    "n_islands": "islands I",
    "log p": "test log p(y | x)",
    "accuracy": "test accuracy, %",
    "log evidence": "log evidence",
}
# One line of a picture: its method, and whether it is layer-wise.
_Kind = tuple[str, bool]

Panel = tuple[str, str, str]


def draw_curves(
    found: Found, settings: Curve, panels: Sequence[Panel], name: str, caption: str
) -> Picture:
    """Rows of two panels: data set, what is across, what is up; a line for each method."""
    there = sets_here(found, dict.fromkeys(data for data, _, _ in panels), settings[0])
    panels = [panel for panel in panels if panel[0] in there]
    n_rows = -(-len(panels) // 2)
    figure = new_figure(7.8, 2.9 * n_rows + 0.5)
    axes = figure.subplots(n_rows, 2, squeeze=False)
    for ax, panel in zip(axes.ravel(), panels, strict=False):
        _draw_panel(ax, found, settings, panel)
    for ax in axes.ravel()[len(panels) :]:
        ax.axis("off")
    _legend(figure, axes[0, 0])
    return picture_of(figure, name, caption)


def draw_islands(found: Found, data: str, curve: Curve, name: str, caption: str) -> Picture:
    """Figure 4: scores over I, with M/I above."""
    figure = new_figure(7.8, 3.4)
    for ax, up in zip(figure.subplots(1, 2), ("log p", "accuracy"), strict=True):
        _draw_panel(ax, found, curve, (data, "n_islands", up))
        counts = [each.n_islands for each in curve]
        ax.set_xticks(counts, [str(count) for count in counts])
        ax.minorticks_off()
        above = ax.secondary_xaxis("top")
        above.set_xticks(counts, [f"{curve[0].size / count:g}" for count in counts])
        above.minorticks_off()
        above.tick_params(labelsize="small")
        above.set_xlabel("particles of an island M/I")
        above.spines["top"].set_visible(False)
    return picture_of(figure, name, caption)


def _draw_panel(ax: Any, found: Found, settings: Curve, panel: Panel) -> None:
    data, across, up = panel
    kinds: dict[_Kind, list[Setting]] = {}
    for each in settings:
        kinds.setdefault((each.method, ("expansion", "layer") in each.others), []).append(each)
    for (method, is_layered), curve in kinds.items():
        colour, marker = _STYLES[method]
        dashes: Any = _DASHED if is_layered or method == "CART entropy" else "-"
        label = f"{method}, layer-wise" if is_layered else method
        got = [values(found, data, each, up) for each in curve]
        if method.startswith("CART"):
            ax.axhline(got[0].mean(), color=colour, linestyle=dashes, label=label, zorder=1)
            continue
        x = [_across(found, data, each, across) for each in curve]
        ax.errorbar(
            x, [each.mean() for each in got], yerr=[each.std(ddof=1) for each in got],
            color=colour, marker=marker, linestyle=dashes, markersize=4, linewidth=1.3, capsize=2,
            label=label,
        )  # fmt: skip
    ax.set_xscale("log")
    _number_the_axis(ax)
    ax.set(xlabel=_LABELS[across], ylabel=_LABELS[up])
    ax.set_title(NAMES[data], loc="left", fontsize="medium")
    tidy(ax, grid="both")


def _across(found: Found, data: str, setting: Setting, across: str) -> float:
    if across == "seconds":
        return mean(found, data, setting, "seconds")
    return float(getattr(setting, across))


def _number_the_axis(ax: Any) -> None:
    """Plain numbers between powers of ten too: an axis of a decade has one power or none."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = ax.get_xlim()
    steps = (1.0,) if high / low > 300 else (1.0, 2.0, 5.0) if high / low < 30 else (1.0, 3.0)
    ax.xaxis.set_major_locator(LogLocator(subs=steps))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _legend(figure: Any, ax: Any) -> None:
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(5, len(labels)), frameon=False
    )


def draw_figure_1() -> Picture:
    """The tree of Figure 1 and its partition of the unit square; the rows are ours."""
    rows, is_star = figure_1_rows()
    figure = new_figure(7.8, 3.4)
    tree, square = figure.subplots(1, 2)
    _draw_tree(tree)
    for lies_here, colour, marker in ((is_star, CRIMSON, "*"), (~is_star, BLUE, "o")):
        square.plot(*rows[lies_here].T, marker, color=colour, markersize=8)
    square.plot([0.5, 0.5], [0, 1], color=INK)
    square.plot([0.5, 1], [0.35, 0.35], color=INK)
    for text, place in (("B(0)", (0.04, 0.93)), ("B(11)", (0.54, 0.93)), ("B(10)", (0.54, 0.05))):
        square.text(*place, text, color=INK)
    low, high = rows[rows[:, 0] <= 0.5].min(axis=0), rows[rows[:, 0] <= 0.5].max(axis=0)
    square.plot([low[0], high[0]], [0.02, 0.02], color=GREY, linewidth=3)
    square.plot([0.02, 0.02], [low[1], high[1]], color=GREY, linewidth=3)
    square.set(xlim=(0, 1), ylim=(0, 1), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    tidy(square)
    caption = (
        "Figure 1: the tree of the nodes ε, 0, 1, 10 and 11, with the cuts (1, 0.5) and (2, 0.35). "
        "Grey: the extent of the rows in B(0). The paper prints the cuts, not the rows; these are "
        "ours, alike in the first feature within B(10)."
    )
    return picture_of(figure, "figure-1", caption)


def figure_1_rows() -> tuple[Any, Any]:
    """Rows with D⁰ = {1, 2} and D¹⁰ = {2}, and which are stars."""
    rows = np.array([
        [0.1, 0.3], [0.2, 0.8], [0.4, 0.55], [0.75, 0.1], [0.75, 0.25], [0.6, 0.5], [0.9, 0.85],
    ])  # fmt: skip
    return rows, np.array([True, True, True, False, False, True, False])


def _draw_tree(ax: Any) -> None:
    places = {"ε": (1, 2), "0": (0.4, 1), "1": (1.6, 1), "10": (1.2, 0), "11": (2.0, 0)}
    words = {"ε": "ε: $x_1$ ≤ 0.5", "1": "1: $x_2$ ≤ 0.35"}
    for above, below in (("ε", "0"), ("ε", "1"), ("1", "10"), ("1", "11")):
        ax.plot(*zip(places[above], places[below], strict=True), color=GREY, zorder=1)
    box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": INK}
    for node, (x, y) in places.items():
        ax.text(x, y, words.get(node, node), ha="center", va="center", bbox=box)
    ax.set(xlim=(0, 2.4), ylim=(-0.5, 2.5))
    ax.axis("off")
