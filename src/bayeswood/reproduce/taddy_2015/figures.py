"""The paper's figures, drawn again."""

from typing import Any

import numpy as np

from bayeswood.plots.axes import legend_above, tidy
from bayeswood.report.palette import AMBER, BLUE, GREY, INK
from bayeswood.reproduce.finding import Finding, Picture
from bayeswood.reproduce.paper import Found, Plan
from bayeswood.reproduce.pictures import new_figure, picture_of
from bayeswood.reproduce.taddy_2015.runs import Errors

_PALE = "#D9D9D9"


def find_figure_1(found: Found, plan: Plan) -> Finding:
    """The motorcycle data with three fits."""
    data = found["motorcycle"]
    figure = new_figure(11, 3.8)
    axes = figure.subplots(1, 3, sharey=True)
    for ax, (name, fit) in zip(axes, data["fits"].items(), strict=True):
        sizes = 20 * np.asarray(data["weights"]) if name == "one draw" else 20.0
        ax.scatter(data["x"], data["y"], s=sizes, color=BLUE, alpha=0.55, linewidth=0)
        ax.plot(data["grid"], fit, color=AMBER, linewidth=2)
        ax.set(title=name, xlabel="milliseconds after the impact")
        tidy(ax)
    axes[0].set_ylabel("acceleration, g")
    caption = (
        "Figure 1: motorcycle data. CART on the rows, CART on rows of Exp(1) weights (areas of the "
        "points are in proportion to them), and the mean of 100 such trees. Leaves of 5 rows, as "
        "in the authors' script; the text says nothing."
    )
    return Finding(pictures=(picture_of(figure, "figure-1", caption),))


def draw_boxes(errors: Errors, label: str, name: str, caption: str) -> Picture:
    """A box of errors for each model, over repeats or folds.

    Parameters
    ----------
    errors : mapping of str to ndarray
    label : str
        Of the axis.
    name, caption : str
        Of the picture.
    """
    figure = new_figure(7, 3.6)
    ax = figure.subplots()
    ax.boxplot(
        list(errors.values()), patch_artist=True, widths=0.5,
        boxprops={"facecolor": _PALE, "edgecolor": INK}, medianprops={"color": BLUE},
        flierprops={"marker": ".", "markeredgecolor": AMBER},
    )  # fmt: skip
    ax.set_xticks(range(1, len(errors) + 1), list(errors))
    ax.set_ylabel(label)
    tidy(ax)
    return picture_of(figure, name, caption)


def draw_response(shape: dict[str, Any]) -> Picture:
    """Figure 3, left: the histogram of the response."""
    figure = new_figure(4.6, 3.6)
    ax = figure.subplots()
    ax.stairs(shape["density"], shape["edges"], fill=True, facecolor=_PALE, edgecolor=INK)
    ax.set(xlabel="median home value in $100,000", ylabel="density")
    tidy(ax)
    caption = "Figure 3, left: the response of the California housing data."
    return picture_of(figure, "figure-3-left", caption)


def draw_trunk(nodes: list[dict[str, Any]]) -> Picture:
    """Figure 4, left: the sample tree.

    Parameters
    ----------
    nodes : list of dict
        In preorder, with the path from the root.
    """
    figure = new_figure(8.5, 4.4)
    ax = figure.subplots()
    places = tree_places([node["path"] for node in nodes])
    for node in nodes:
        x, y = places[node["path"]]
        if node["path"]:
            above = places[node["path"][:-1]]
            ax.plot([above[0], x], [above[1], y], color=GREY, linewidth=1.2, zorder=1)
        box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": INK}
        if node["feature"] is None:
            box["facecolor"] = _PALE
        ax.text(x, y, _node_text(node), ha="center", va="center", fontsize=8.5, bbox=box, zorder=2)
    depths = [y for _, y in places.values()]
    ax.set(xlim=(-0.6, max(x for x, _ in places.values()) + 0.6), ylim=(min(depths) - 0.5, 0.5))
    ax.axis("off")
    caption = (
        "Figure 4, left: CART on the unweighted rows, leaves of at least 3,500. Yes goes left; "
        "means in $1,000; % of draws with the same split features down to a node."
    )
    return picture_of(figure, "figure-4-left", caption)


def tree_places(paths: list[str]) -> dict[str, tuple[float, float]]:
    """Where the nodes of a tree are drawn: leaves side by side, parents between their children.

    Parameters
    ----------
    paths : list of str
        Ways from the root in preorder, as "", "L", "LL".

    Examples
    --------
    >>> tree_places(["", "L", "R"])
    {'L': (0.0, -1.0), 'R': (1.0, -1.0), '': (0.5, 0.0)}
    """
    inner = {path[:-1] for path in paths if path}
    leaves = [path for path in paths if path not in inner]
    places = {path: (float(k), float(-len(path))) for k, path in enumerate(leaves)}
    for path in sorted(inner, key=len, reverse=True):
        x = (places[path + "L"][0] + places[path + "R"][0]) / 2
        places[path] = (x, float(-len(path)))
    return places


def _node_text(node: dict[str, Any]) -> str:
    rows = f"{node['rows']:,} blocks\nmean {node['mean']:.0f}"
    if node["feature"] is None:
        return rows
    return f"{node['feature']} ≤ {node['threshold']:g}\n{rows}\n{node['share']:.0%} of draws"


def draw_cuts(trunk: dict[str, Any]) -> Picture:
    """Figure 4, right: where draws cut income, over the income of all rows."""
    figure = new_figure(7, 3.6)
    ax = figure.subplots()
    ax.hist(trunk["income"], bins=40, density=True, color=_PALE, label="all census blocks")
    for cuts, node, colour, name in zip(
        trunk["cuts"], trunk["nodes"], (AMBER, BLUE), ("first split", "second split"), strict=False
    ):
        ax.hist(cuts, bins=12, density=True, color=colour, label=name)
        ax.axvline(node["threshold"], color=INK, linewidth=1)
    ax.set(xlabel="median income in $10,000", ylabel="density", yscale="log")
    tidy(ax)
    legend_above(ax)
    caption = (
        f"Figure 4, right: where {len(trunk['cuts'][0]):,} draws cut median income; lines are the "
        "sample tree's cuts."
    )
    return picture_of(figure, "figure-4-right", caption)
