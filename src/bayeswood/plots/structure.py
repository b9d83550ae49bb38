"""Which features the trees of a posterior split on, and where they cut."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import axes_inches, cells_in, name_rows, take_two, text_size, tidy
from bayeswood.posterior import FeatureSplits, TreeStructure, structure
from bayeswood.report.names import shorten
from bayeswood.report.palette import AMBER, BLUE, CRIMSON, INK

F64 = NDArray[np.float64]

_N_CELLS = 60
_STRIP = 0.8


class StructureDisplay:
    """A row for each feature: how often the trees use it, and the distribution of its cuts.

    On the left the probability that the root splits on the feature (blue) and that the tree does
    anywhere (amber outline). On the right the cuts, over all splits on the feature: the darker,
    the more; each row from its lowest cut to its highest, which are written at its ends, with a
    red mark at the median. For a category the commonest set of levels that goes left is named.

    Parameters
    ----------
    structure : TreeStructure
    n_features : int, default 12
        Features to show: those with most splits.

    Attributes
    ----------
    features : tuple of FeatureSplits
        What is shown, from top to bottom.
    axes_ : ndarray of matplotlib.axes.Axes, (2,)
    figure_
        Set by `plot`.
    """

    def __init__(self, structure: TreeStructure, *, n_features: int = 12) -> None:
        if not structure.features:
            raise BayeswoodError(
                "The 'structure' parameter of StructureDisplay must hold a split. Got trees "
                "without any instead."
            )
        self.structure = structure
        self.features = structure.features[:n_features]

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_features: int = 12, axes: Any | None = None
    ) -> Self:
        """Sum up the trees of a fitted estimator and draw.

        Parameters
        ----------
        estimator : fitted bayeswood estimator, or Forest
        n_features : int, default 12
        axes : two matplotlib.axes.Axes, optional

        Returns
        -------
        StructureDisplay
        """
        return cls(structure(estimator, n_top=0), n_features=n_features).plot(axes)

    @classmethod
    def from_structure(
        cls, structure: TreeStructure, *, n_features: int = 12, axes: Any | None = None
    ) -> Self:
        """Draw what was summed up before.

        Parameters
        ----------
        structure : TreeStructure
        n_features : int, default 12
        axes : two matplotlib.axes.Axes, optional

        Returns
        -------
        StructureDisplay
        """
        return cls(structure, n_features=n_features).plot(axes)

    def plot(self, axes: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        axes : two matplotlib.axes.Axes, optional
            For the probabilities and for the cuts.

        Returns
        -------
        self
        """
        self.axes_ = take_two(
            axes, "a structure", "probabilities and cuts",
            ncols=2, figsize=(7.2, 0.9 + 0.34 * max(len(self.features), 3)),
        )  # fmt: skip
        self.figure_ = self.axes_[0].figure
        self._draw_use(self.axes_[0])
        self._draw_cuts(self.axes_[1])
        return self

    def _draw_use(self, ax: Any) -> None:
        rows = np.arange(len(self.features))
        used = [f.use_probability for f in self.features]
        at_root = [f.root_probability for f in self.features]
        ax.barh(rows, used, height=_STRIP, facecolor="none", edgecolor=AMBER, linewidth=1.2,
                label="anywhere")  # fmt: skip
        ax.barh(rows, at_root, height=0.5 * _STRIP, color=BLUE, label="at the root")
        ax.set_xlim(0, 1)
        tidy(ax, grid="x")
        name_rows(ax, [f.feature for f in self.features])
        ax.set_xlabel("probability of a split")
        handles, labels = ax.get_legend_handles_labels()
        ax.legend(
            handles[::-1], labels[::-1], loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2,
            frameon=False, fontsize=0.9 * text_size(ax), handlelength=1.2, borderaxespad=0.2,
        )  # fmt: skip

    def _draw_cuts(self, ax: Any) -> None:
        for row, feature in enumerate(self.features):
            if feature.thresholds.size:
                self._draw_strip(ax, row, feature)
            else:
                size = 0.9 * text_size(ax)
                text = _sets_text(feature, cells_in(0.8 * axes_inches(ax)[0], size))
                ax.text(-0.2, row, text, va="center", fontsize=size, color=INK)
        ax.set_ylim(len(self.features) - 0.4, -0.6)
        ax.set_xlim(-0.22, 1.22)
        tidy(ax)
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        ax.set(xticks=[], yticks=[])
        ax.set_xlabel("cuts, from the lowest to the highest")

    def _draw_strip(self, ax: Any, row: int, feature: FeatureSplits) -> None:
        density = cut_density(feature)
        # The root keeps rare cuts visible beside a frequent one.
        ax.imshow(
            np.sqrt(density / density.max())[None], cmap="Blues", vmin=-0.08, vmax=1, aspect="auto",
            extent=(0, 1, row + 0.5 * _STRIP, row - 0.5 * _STRIP), interpolation="nearest",
        )  # fmt: skip
        low, high = feature.thresholds[[0, -1]]
        middle = float(feature.quantiles(0.5)[0])
        at = (middle - low) / (high - low) if high > low else 0.5
        ax.plot([at, at], [row - 0.5 * _STRIP, row + 0.5 * _STRIP], color=CRIMSON, linewidth=1.6)
        size = 0.85 * text_size(ax)
        for x, value, side in ((-0.015, low, "right"), (1.015, high, "left")):
            ax.text(x, row, f"{value:.3g}", ha=side, va="center", fontsize=size, color=INK)


def cut_density(feature: FeatureSplits, n_cells: int = _N_CELLS) -> F64:
    """Share of the cuts in each of so many equal parts between the lowest and the highest.

    Examples
    --------
    >>> from bayeswood.forest import Forest
    >>> from bayeswood.posterior import structure
    >>> trees = [(0, cut, {"value": 0.0}, {"value": 1.0}) for cut in (1.0, 1.1, 5.0)]
    >>> cut_density(structure(Forest.from_nested(trees))["x0"], 2).round(2)
    array([0.67, 0.33])
    """
    low, high = feature.thresholds[[0, -1]]
    if low == high:
        return np.ones(1)
    shares = np.histogram(
        feature.thresholds, n_cells, (low, high), weights=feature.threshold_weights
    )[0]
    return shares.astype(np.float64)


def _sets_text(feature: FeatureSplits, n_cells: int) -> str:
    levels, share = feature.left_sets[0]
    ending = f" in {share:.0%}"
    return shorten(f"{{{', '.join(levels)}}}", n_cells - len(ending)) + ending
