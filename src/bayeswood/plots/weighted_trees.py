"""The trees that count most and least, with leaves coloured by the classes of their rows."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.forest.class_prior import class_alphas, total_alpha
from bayeswood.plots.axes import take_grid
from bayeswood.plots.tree_layout import TreeLayout, draw_branches, lay_out
from bayeswood.report.names import shorten
from bayeswood.report.palette import GREY, INK

F64 = NDArray[np.float64]

# Okabe and Ito's colours in an order in which the first few differ in lightness as well.
CLASS_COLOURS = (
    "#0072B2", "#E69F00", "#CC79A7", "#009E73", "#56B4E9", "#D55E00", "#F0E442",
)  # fmt: skip
OTHER_COLOUR, EMPTY_COLOUR = "#BBBBBB", "#000000"
_POINTS_PER_CHARACTER, _MIN_NAME, _MAX_NAME = 4.4, 10, 20
_MIN_POINTS_PER_LEVEL, _MAX_NAMED_LEAVES = 20, 8
_LARGEST_MARK, _SMALLEST_MARK = 11.0, 1.2


class WeightedTreesDisplay:
    """The trees of the highest weight in the upper row, those of the lowest in the lower.

    A leaf's colour mixes the colours of the classes by the shares of its training rows: the purer
    the leaf, the purer the colour. A leaf without rows is black; it adds nothing to the evidence
    of its tree (its factor of equation 3 is 1), so an empty branch is pruned by itself and drawn
    as one leaf unless all are asked for.

    Parameters
    ----------
    forest : Forest
        Of a classifier.
    n_trees : int, default 4
        Trees in each row.
    max_depth : int, optional
        Depth below which trees are not drawn.
    collapses_empty : bool, default True
        Whether a subtree without rows is drawn as one black leaf.
    dirichlet_alpha : float or array-like, (n_classes,), default 0.0
        α_c that the leaves' probabilities (m_c + α_c) / (n + Σ α) contain, to be taken out again.

    Attributes
    ----------
    highest, lowest : ndarray of int
        Numbers of the trees drawn; from the highest weight down, and from the lowest up.
    axes_ : ndarray of matplotlib.axes.Axes, (2, n_trees)
    figure_
        Set by `plot`.

    Notes
    -----
    After Figure 3 of Quadrianto and Ghahramani (2015), which mixes red, green and blue. The colours
    here are told apart with any colour vision.
    """

    def __init__(
        self,
        forest: Forest,
        *,
        n_trees: int = 4,
        max_depth: int | None = None,
        collapses_empty: bool = True,
        dirichlet_alpha: ArrayLike = 0.0,
    ) -> None:
        if not forest.is_classifier:
            raise BayeswoodError("The 'forest' parameter of WeightedTreesDisplay must classify.")
        if not 1 <= n_trees <= forest.n_trees:
            raise BayeswoodError(
                "The 'n_trees' parameter of WeightedTreesDisplay must be an int in "
                f"[1, {forest.n_trees}]. Got {n_trees} instead."
            )
        by_weight = np.argsort(forest.log_weights, kind="stable")
        self.forest, self.max_depth = forest, max_depth
        self.collapses_empty = collapses_empty
        self.dirichlet_alpha = class_alphas(
            dirichlet_alpha, forest.n_outputs, "WeightedTreesDisplay", zero=True
        )
        self.highest, self.lowest = by_weight[::-1][:n_trees], by_weight[:n_trees]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        n_trees: int = 4,
        max_depth: int | None = None,
        collapses_empty: bool = True,
        axes: Any | None = None,
    ) -> Self:
        """Draw trees of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            With ``forest_`` and ``predictive_``: the α that leaves are known to contain
            (``leaf_prior``) is taken out of the shares.
        n_trees : int, default 4
        max_depth : int, optional
        collapses_empty : bool, default True
        axes : matplotlib.axes.Axes, (2, n_trees), optional

        Returns
        -------
        WeightedTreesDisplay
        """
        prior = estimator.predictive_.leaf_prior
        display = cls(
            estimator.forest_, n_trees=n_trees, max_depth=max_depth,
            collapses_empty=collapses_empty, dirichlet_alpha=0.0 if prior is None else prior,
        )  # fmt: skip
        return display.plot(axes)

    def plot(self, axes: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, (2, n_trees), optional

        Returns
        -------
        self
        """
        shape = (2, len(self.highest))
        size = (2.7 * shape[1] + 0.2, 5.6)
        self.axes_ = take_grid(axes, shape, "weighted trees", figsize=size)
        self.figure_ = self.axes_[0, 0].figure
        for row, (kind, numbers) in enumerate((("highest", self.highest), ("lowest", self.lowest))):
            for column, number in enumerate(numbers):
                title = f"{_ordinal(column)}{kind}\nweight {self._weight(number)}"
                self._draw_tree(self.axes_[row, column], int(number), title)
        self._draw_legend()
        return self

    def _weight(self, number: int) -> str:
        """A weight from 1 down to e^-1000; what floating point cannot hold as a power of ten."""
        exponent = (self.forest.log_weights[number] - _log_sum(self.forest.log_weights)) / np.log(
            10
        )
        if exponent > -3:
            return f"{10**exponent:.3f}"
        return f"$10^{{{exponent:.1f}}}$"

    def shares(self, number: int) -> tuple[F64, NDArray[np.bool_]]:
        """Class shares of the rows in each node of a tree, and whether it has rows.

        Parameters
        ----------
        number : int
            Of the tree in the forest.
        """
        tree = self.forest.trees[number]
        n_rows = tree.n_samples[:, None].astype(np.float64)
        alphas = self.dirichlet_alpha
        counts = np.maximum(tree.value * (n_rows + total_alpha(alphas)) - alphas, 0.0)
        total = counts.sum(axis=1, keepdims=True)
        shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        return shares, tree.n_samples > 0

    def _draw_tree(self, ax: Any, number: int, title: str) -> None:
        tree = self.forest.trees[number]
        layout = lay_out(tree, self.max_depth, collapses_empty=self.collapses_empty)
        draw_branches(ax, layout)
        shares, has_rows = self.shares(number)
        ends = layout.is_leaf
        colours = mix_colours(shares[layout.node], class_colours(self.forest.n_outputs))
        colours[~has_rows[layout.node]] = mix_colours(np.ones((1, 1)), (EMPTY_COLOUR,))[0]
        side = _mark_side(ax, int(ends.sum()), int(layout.depth.max()))
        ax.scatter(
            layout.x[~ends], -layout.depth[~ends], s=(0.55 * side) ** 2, color="white",
            edgecolors=GREY, linewidths=0.7, zorder=2,
        )  # fmt: skip
        ax.scatter(
            layout.x[ends], -layout.depth[ends], s=side**2, c=colours[ends], marker="s",
            edgecolors=INK, linewidths=0.4 if side > 4 else 0.0, zorder=3, clip_on=False,
        )  # fmt: skip
        _bare(ax, layout)
        self._name_splits(ax, layout, number)
        ax.set_title(title, fontsize=9, color=INK)
        drawn = "" if ends.sum() == tree.n_leaves else f", {ends.sum()} drawn"
        leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves} leaves"
        ax.set_xlabel(leaves + drawn, fontsize=8, color=INK)

    def _name_splits(self, ax: Any, layout: TreeLayout, number: int) -> None:
        tree, names = self.forest.trees[number], self.forest.labels.feature_names
        inner = ~layout.is_leaf
        for x, depth, node, room in zip(
            layout.x[inner], layout.depth[inner], layout.node[inner], _room_for_names(ax, layout),
            strict=True,
        ):  # fmt: skip
            n_cells = min(int(room / _POINTS_PER_CHARACTER), _MAX_NAME)
            if n_cells < _MIN_NAME:
                continue
            ax.annotate(
                shorten(names[tree.feature[node]], n_cells), (x, -depth), xytext=(0, 6),
                textcoords="offset points", ha="center", fontsize=7, color=INK, zorder=4,
                bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 0.5},
            )  # fmt: skip

    def _draw_legend(self) -> None:
        from matplotlib.lines import Line2D

        n_classes = self.forest.n_outputs
        colours = class_colours(n_classes)[: len(CLASS_COLOURS)]
        names = [shorten(self.forest.labels.class_name(i), 18) for i in range(len(colours))]
        entries = list(zip(names, colours, strict=True))
        if n_classes > len(CLASS_COLOURS):
            entries.append((f"{n_classes - len(CLASS_COLOURS)} more", OTHER_COLOUR))
        marks = [
            Line2D([], [], marker="s", linestyle="", markersize=8, label=name, color=colour)
            for name, colour in [*entries, ("no rows", EMPTY_COLOUR)]
        ]
        self.figure_.legend(
            handles=marks, loc="outside lower center", ncols=min(len(marks), 5), frameon=False
        )


def weighted_trees(
    estimator: Any,
    *,
    n_trees: int = 4,
    max_depth: int | None = None,
    collapses_empty: bool = True,
    axes: Any | None = None,
) -> Any:
    """Draw the trees of a fitted classifier that have the highest and the lowest weight.

    Parameters
    ----------
    estimator : fitted classifier
    n_trees : int, default 4
        Trees in each of the two rows.
    max_depth : int, optional
        Depth below which trees are not drawn.
    collapses_empty : bool, default True
        Whether a subtree without rows is drawn as one black leaf.
    axes : matplotlib.axes.Axes, (2, n_trees), optional

    Returns
    -------
    ndarray of matplotlib.axes.Axes, (2, n_trees)
    """
    display = WeightedTreesDisplay.from_estimator(
        estimator, n_trees=n_trees, max_depth=max_depth, collapses_empty=collapses_empty, axes=axes
    )
    return display.axes_


def class_colours(n_classes: int) -> tuple[str, ...]:
    """A colour for each class; all beyond the seventh are grey.

    Examples
    --------
    >>> class_colours(2)
    ('#0072B2', '#E69F00')
    """
    n_others = max(n_classes - len(CLASS_COLOURS), 0)
    return CLASS_COLOURS[:n_classes] + (OTHER_COLOUR,) * n_others


def mix_colours(shares: F64, colours: tuple[str, ...]) -> F64:
    """Red, green and blue of colours mixed in given shares, as light mixes.

    Examples
    --------
    >>> mix_colours(np.array([[0.0, 1.0], [0.5, 0.5]]), ("#000000", "#ffffff")).round(2)
    array([[1.  , 1.  , 1.  ],
           [0.74, 0.74, 0.74]])
    """
    parts = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours]) / 255
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    mixed = np.clip(shares @ light, 0.0, 1.0)
    screen: F64 = np.where(mixed <= 0.0031308, 12.92 * mixed, 1.055 * mixed ** (1 / 2.4) - 0.055)
    return screen


def _mark_side(ax: Any, n_leaves: int, depth: int) -> float:
    """Side of a leaf's square in points: as large as its neighbours leave room for."""
    width, height = _size_in_points(ax)
    room = min(0.9 * width / max(n_leaves, 1), 0.7 * height / max(depth, 1))
    return float(np.clip(room, _SMALLEST_MARK, _LARGEST_MARK))


def _size_in_points(ax: Any) -> tuple[float, float]:
    box, figure = ax.get_position(), ax.figure.get_size_inches()
    return 72 * box.width * figure[0], 72 * box.height * figure[1]


def _room_for_names(ax: Any, layout: TreeLayout) -> F64:
    """Points between the neighbours of each split at its depth, or the edges of the axes."""
    x, depth = layout.x[~layout.is_leaf], layout.depth[~layout.is_leaf]
    width, height = _size_in_points(ax)
    left, right = ax.get_xlim()
    is_crowded = layout.is_leaf.sum() > _MAX_NAMED_LEAVES
    if is_crowded or height / (depth.max(initial=0) + 1) < _MIN_POINTS_PER_LEVEL:
        return np.zeros(x.size)
    room = 2 * np.minimum(x - left, right - x)
    for level in np.unique(depth):
        there = np.flatnonzero(depth == level)
        gaps = np.diff(x[there], prepend=-np.inf, append=np.inf)
        room[there] = np.minimum(room[there], np.minimum(gaps[:-1], gaps[1:]))
    points: F64 = room * width / (right - left)
    return points


def _bare(ax: Any, layout: TreeLayout) -> None:
    """No frame and no ticks; room around the outermost nodes."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    n_leaves, depth = int(layout.is_leaf.sum()), int(layout.depth.max())
    ax.set_xlim(-0.06 * n_leaves - 0.4, 1.06 * n_leaves - 0.6)
    ax.set_ylim(-1.08 * depth - 0.25, 0.12 * depth + 0.35)


def _ordinal(column: int) -> str:
    return ("", "2nd ", "3rd ")[column] if column < 3 else f"{column + 1}th "


def _log_sum(log_weights: F64) -> float:
    return float(np.logaddexp.reduce(log_weights))
