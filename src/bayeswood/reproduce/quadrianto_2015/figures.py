"""Figures 1 to 5."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Tree
from bayeswood.plots import weighted_trees
from bayeswood.plots.axes import tidy
from bayeswood.plots.tree_layout import draw_branches, lay_out
from bayeswood.report.palette import AMBER, BLUE, INK
from bayeswood.reproduce.data import load_classes
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.pictures import new_figure, picture_of
from bayeswood.reproduce.quadrianto_2015.measure import (
    DATA_SETS,
    SPLIT_PROBABILITIES,
    make_fold,
    operating_curve,
    published,
    sensitivity,
)
from bayeswood.reproduce.quadrianto_2015.tables import seed_of, sizes

F64 = NDArray[np.float64]

# The paper does not name the four of its Figure 5, nor its numbers of trees.
REPRESENTATIVE = ("australian", "heart", "ionosphere", "german.numer")
_SHOWN_PROBABILITIES, _N_SHOWN, _MOST_LEAVES = (0.3, 0.4, 0.5), 6, 120


def n_curves(plan: Plan) -> int:
    """Splits of Figure 4."""
    return 3 if plan.quick else 20


def n_sensitivity(plan: Plan) -> int:
    """Splits of Figure 5."""
    return 2 if plan.quick else 20


def numbers_of_trees(plan: Plan) -> list[int]:
    """Lines of Figure 5."""
    return [50, 100, 250] if plan.quick else [100, 250, 500, 1000, 2000]


def curve_units(plan: Plan) -> Sequence[Unit]:
    """A curve per data set and split."""
    return [
        Unit(f"curve/{data}/{repeat}", operating_curve,
             (data, seed_of(plan, repeat), sizes(plan)["trees"]), (DATA_SETS[data].file,))
        for data in DATA_SETS
        for repeat in range(n_curves(plan))
    ]  # fmt: skip


def sensitivity_units(plan: Plan) -> Sequence[Unit]:
    """All λ and numbers of trees of a data set and split."""
    return [
        Unit(f"sensitivity/{data}/{repeat}", sensitivity,
             (data, seed_of(plan, repeat), numbers_of_trees(plan)), (DATA_SETS[data].file,))
        for data in REPRESENTATIVE
        for repeat in range(n_sensitivity(plan))
    ]  # fmt: skip


def curves(found: Found, plan: Plan, data: str, key: str) -> F64:
    """(n_splits, n_powers) of one data set."""
    return np.array([each[key] for each in found.repeats(f"curve/{data}", n_curves(plan))])


def accuracies(found: Found, plan: Plan, data: str) -> F64:
    """(n_splits, n_probabilities, n_sizes) of Figure 5."""
    return np.array(found.repeats(f"sensitivity/{data}", n_sensitivity(plan)))


def prior_trees(plan: Plan, split_probability: float, n_trees: int) -> Sequence[Tree]:
    """Shapes of the prior; no data have a say in them."""
    X, y = load_classes("iris")
    forest = published(seed_of(plan, 0), n_trees, split_probability=split_probability)
    trees: Sequence[Tree] = forest.fit(X, y).forest_.trees
    return trees


def code_of(tree: Tree) -> str:
    """Depth first from the root: 1 for a split, 0 for a leaf (Figure 1)."""
    code, waiting = "", [0]
    while waiting:
        node = waiting.pop()
        is_split = tree.feature[node] >= 0
        code += str(int(is_split))
        if is_split:
            waiting += [int(tree.right[node]), int(tree.left[node])]
    return code


def find_figure_1(found: Found, plan: Plan) -> Finding:
    """Trees and their codes."""
    trees = [tree for tree in prior_trees(plan, 0.475, 200) if 3 <= tree.n_leaves <= 6]
    figure = new_figure(9, 2.6)
    for ax, tree in zip(figure.subplots(1, 4), trees, strict=False):
        _draw_shape(ax, tree)
        ax.set_title(" ".join(code_of(tree)), fontsize=9, color=INK)
    caption = "Codes of the first four trees of 3 to 6 leaves that the prior gives at λ = .475."
    return Finding(pictures=(picture_of(figure, "figure-1", caption),))


def find_figure_2(found: Found, plan: Plan) -> Finding:
    """Samples of the prior at three λ."""
    figure = new_figure(10, 5.4)
    grid = figure.subplots(len(_SHOWN_PROBABILITIES), _N_SHOWN)
    n_left_out = 0
    for axes, split_probability in zip(grid, _SHOWN_PROBABILITIES, strict=True):
        trees = enumerate(prior_trees(plan, split_probability, 100))
        shown = [(at, tree) for at, tree in trees if tree.n_leaves <= _MOST_LEAVES][:_N_SHOWN]
        n_left_out += shown[-1][0] + 1 - len(shown)
        for ax, (_, tree) in zip(axes, shown, strict=True):
            _draw_shape(ax, tree)
            ax.set_xlabel(f"{tree.n_leaves} leaves", fontsize=8, color=INK)
        axes[0].set_ylabel(f"λ = {split_probability}", fontsize=9, color=INK)
    caption = (
        f"The first {_N_SHOWN} trees of the prior at λ = .3, .4 and .5; left out: {n_left_out} of "
        f"more than {_MOST_LEAVES} leaves."
    )
    return Finding(pictures=(picture_of(figure, "figure-2", caption),))


def _draw_shape(ax: Any, tree: Tree) -> None:
    """Circles for splits, squares for leaves."""
    layout = lay_out(tree)
    draw_branches(ax, layout)
    size = float(np.clip(220 / tree.n_leaves, 2, 40))
    for ends, marker, colour in ((~layout.is_leaf, "o", "white"), (layout.is_leaf, "s", BLUE)):
        ax.scatter(
            layout.x[ends], -layout.depth[ends], s=size, marker=marker, color=colour,
            edgecolors=INK, linewidths=0.5, zorder=2,
        )  # fmt: skip
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.margins(0.12)


def find_figure_3(found: Found, plan: Plan) -> Finding:
    """The trees of iris that count most and least."""
    fold = make_fold("iris", seed_of(plan, 0))
    names = ["setosa", "versicolor", "virginica"]
    forest = published(seed_of(plan, 0), sizes(plan)["trees"])
    forest.fit(fold.X_train, np.array(names)[fold.y_train])
    figure = new_figure(11, 5.6)
    weighted_trees(forest, axes=figure.subplots(2, 4))
    caption = (
        "Trees of the highest (above) and lowest weight (below) on iris; a leaf's colour mixes "
        "those of its rows' classes. Subtrees without rows are drawn as one black leaf."
    )
    return Finding(pictures=(picture_of(figure, "figure-3", caption),))


def find_figure_4(found: Found, plan: Plan) -> Finding:
    """Accuracy over β on the training rows, mean ± standard error, and on rows left out."""
    figure = new_figure(10, 8.5)
    axes = figure.subplots(3, 3, sharex=True)
    styles = (("train", BLUE, "-", "training rows"), ("left out", AMBER, "--", "rows left out"))
    for ax, data in zip(axes.flat, DATA_SETS, strict=True):
        power = np.array(found[f"curve/{data}/0"]["power"])
        for key, colour, dashes, name in styles:
            heights = curves(found, plan, data, key)
            mean, error = heights.mean(axis=0), heights.std(axis=0, ddof=1) / np.sqrt(len(heights))
            ax.fill_between(power, mean - error, mean + error, color=colour, alpha=0.25, lw=0)
            ax.semilogx(power, mean, color=colour, ls=dashes, label=name)
        n_rows = round(1 / power[0])
        ax.axvline(5 / n_rows, color=INK, lw=0.9, ls=":")
        ax.set_title(f"{data} (N = {n_rows})", fontsize=10)
        tidy(ax, grid="both")
    lines, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=2, frameon=False)
    figure.supxlabel("β = m/N; dotted: m = 5; right end: Bayesian model averaging")
    figure.supylabel("accuracy (%)")
    caption = (
        f"Operating curves, mean ± standard error of {n_curves(plan)} splits. The paper draws "
        "training rows; the same rows left out are ours."
    )
    return Finding(pictures=(picture_of(figure, "figure-4", caption),))


def find_figure_5(found: Found, plan: Plan) -> Finding:
    """Test accuracy over λ, a line per number of trees, with standard errors."""
    import matplotlib as mpl

    many = numbers_of_trees(plan)
    figure = new_figure(9, 7)
    axes = figure.subplots(2, 2, sharex=True)
    shades = mpl.colormaps["viridis"](np.linspace(0.9, 0.0, len(many)))
    shifts = np.linspace(-0.006, 0.006, len(many))  # or the error bars hide each other
    for ax, data in zip(axes.flat, REPRESENTATIVE, strict=True):
        each = accuracies(found, plan, data)
        mean, error = each.mean(axis=0), each.std(axis=0, ddof=1) / np.sqrt(len(each))
        for at, (n_trees, marker) in enumerate(zip(many, "osD^v", strict=False)):
            ax.errorbar(
                np.array(SPLIT_PROBABILITIES) + shifts[at], mean[:, at], error[:, at],
                color=shades[at], marker=marker, markersize=4, lw=1.2, elinewidth=0.8,
                label=f"{n_trees:,} trees",
            )  # fmt: skip
        ax.set_title(data, fontsize=10)
        ax.set_xticks([0.3, 0.35, 0.4, 0.45, 0.5])
        tidy(ax, grid="both")
    lines, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=len(names), frameon=False)
    figure.supxlabel("splitting probability λ")
    figure.supylabel("accuracy on the test rows (%)")
    caption = (
        f"Mean ± standard error of {n_sensitivity(plan)} splits; lines are set apart sideways. The "
        "paper does not name its four data sets: these are ours."
    )
    return Finding(pictures=(picture_of(figure, "figure-5", caption),))
