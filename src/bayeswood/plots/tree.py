"""A picture of one tree."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Labels, Tree
from bayeswood.plots.outline import (
    OutlineLine,
    draw_outline,
    legend_below,
    levels_text,
    number,
    outline_axes,
)
from bayeswood.report.names import shorten
from bayeswood.report.palette import BLUE, CLASS_COLOURS, GREY, class_colour

F64 = NDArray[np.float64]


class TreeDisplay:
    """One tree as an outline: questions, class shares or means, and numbers of training rows.

    A question's left branch is "yes". Filled marks are leaves. Where the tree is cut, a triangle
    stands, and how many leaves are below it.

    Parameters
    ----------
    tree : Tree
    labels : Labels
        Names of features, levels and classes.
    max_depth : int or None, default 3
        Depth at which the picture is cut.

    Attributes
    ----------
    lines : tuple of OutlineLine
        What is drawn, in preorder.
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, tree: Tree, labels: Labels, *, max_depth: int | None = 3) -> None:
        self.tree, self.labels, self.max_depth = tree, labels, max_depth
        values = tree.value[:, 0]
        self._range = float(values.min()), float(values.max())
        self.lines = tuple(self._walk())

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        member: int = 0,
        max_depth: int | None = 3,
        ax: Any | None = None,
    ) -> Self:
        """Draw a member of a fitted estimator.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        member : int, default 0
            Its number.
        max_depth : int or None, default 3
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        TreeDisplay
        """
        forest = getattr(estimator, "forest_", None)
        if forest is None:
            raise BayeswoodError(
                "The 'estimator' parameter of TreeDisplay must be a fitted bayeswood estimator. "
                f"Got {type(estimator).__name__} instead."
            )
        tree = forest.trees[member]
        return cls.from_tree(tree, labels=forest.labels, max_depth=max_depth, ax=ax)

    @classmethod
    def from_tree(
        cls,
        tree: Tree,
        *,
        labels: Labels | None = None,
        max_depth: int | None = 3,
        ax: Any | None = None,
    ) -> Self:
        """Draw a tree.

        Parameters
        ----------
        tree : Tree
        labels : Labels, optional
            None takes the tree's own.
        max_depth : int or None, default 3
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        TreeDisplay
        """
        return cls(tree, labels or tree.labels, max_depth=max_depth).plot(ax)

    def plot(self, ax: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        self
        """
        self.ax_ = outline_axes(ax, len(self.lines))
        self.figure_ = self.ax_.figure
        heads = ("classes", "rows") if self.tree.is_classifier else ("mean", "rows")
        draw_outline(self.ax_, self.lines, heads)
        if self.tree.is_classifier:
            class_legend(self.ax_, self.labels, self.tree.value.shape[1])
        return self

    def _walk(self) -> Iterator[OutlineLine]:
        pending = [(0, 0, "")]
        while pending:
            node, depth, answer = pending.pop()
            is_leaf = self.tree.feature[node] < 0
            is_cut = not is_leaf and self.max_depth is not None and depth >= self.max_depth
            yield self._line(node, depth, answer, is_leaf or is_cut, is_cut)
            if not is_leaf and not is_cut:
                pending.append((int(self.tree.right[node]), depth + 1, "no"))
                pending.append((int(self.tree.left[node]), depth + 1, "yes"))

    def _line(self, node: int, depth: int, answer: str, ends: bool, is_cut: bool) -> OutlineLine:
        value = self.tree.value[node]
        name, rest = self._said(value) if ends else self._question(node)
        below = f" … {self._n_leaves(node)} leaves" if is_cut else ""
        return OutlineLine(
            depth=depth,
            answer=answer,
            name=name,
            rest=f"{rest}{below} below" if is_cut else rest,
            short_rest=rest + below if ends else self._question(node, n_levels=1)[1],
            note=f"{int(self.tree.n_samples[node]):,}",
            bar=self._bar(value),
            colour=class_colour(int(value.argmax())) if self.tree.is_classifier else BLUE,
            mark=">" if is_cut else "o",
            is_leaf=ends,
            is_cut=is_cut,
        )

    def _question(self, node: int, n_levels: int = 3) -> tuple[str, str]:
        feature = int(self.tree.feature[node])
        name = self.labels.feature_names[feature]
        if not self.tree.is_category_split(node):
            return name, f" ≤ {number(float(self.tree.threshold[node]))}"
        levels = [self.labels.level(feature, int(i)) for i in self.tree.left_levels(node)]
        return name, levels_text(levels, n_levels)

    def _said(self, value: F64) -> tuple[str, str]:
        if self.tree.is_classifier:
            top = int(value.argmax())
            return self.labels.class_name(top), f" {value[top]:.2f}"
        shown = ", ".join(number(float(v)) for v in value[:3])
        return "", shown + (", …" if len(value) > 3 else "")

    def _bar(self, value: F64) -> tuple[tuple[float, str], ...]:
        if self.tree.is_classifier:
            return tuple((float(v), class_colour(k)) for k, v in enumerate(value) if v > 0)
        low, high = self._range
        share = (float(value[0]) - low) / (high - low) if high > low else 1.0
        return ((share, BLUE), (1 - share, "#E6E6E6"))

    def _n_leaves(self, node: int) -> int:
        n_leaves, pending = 0, [node]
        while pending:
            here = pending.pop()
            if self.tree.feature[here] < 0:
                n_leaves += 1
            else:
                pending += [int(self.tree.left[here]), int(self.tree.right[here])]
        return n_leaves


def class_legend(ax: Any, labels: Labels, n_classes: int) -> None:
    """The classes' colours, below the picture."""
    from matplotlib.patches import Patch

    n_shown = min(n_classes, len(CLASS_COLOURS))
    handles = [
        Patch(color=class_colour(k), label=shorten(labels.class_name(k), 18))
        for k in range(n_shown)
    ]
    if n_classes > n_shown:
        handles.append(Patch(color=GREY, label=f"{n_classes - n_shown} more classes"))
    legend_below(ax, handles)
