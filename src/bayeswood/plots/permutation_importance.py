"""What is lost when a feature is shuffled, with credible intervals."""

from typing import Any, Self

import numpy as np

from bayeswood.plots.axes import few_ticks, legend_above, name_rows, rows_that_fit, take_axes, tidy
from bayeswood.posterior import PermutationImportances, permutation_importance
from bayeswood.report.names import percent
from bayeswood.report.palette import AMBER, BLUE, GREY

# Of the height; the legend and the axis take the rest.
_SHARE = 0.7
_LOSSES = {
    "accuracy": "accuracy lost",
    "brier": "Brier score added",
    "log_loss": "log loss added",
    "r2": "R² lost",
    "mse": "squared error added",
    "mae": "absolute error added",
}


class PermutationImportanceDisplay:
    """The most important features: for a single tree with its interval, and for the forest.

    Parameters
    ----------
    importances : PermutationImportances

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, importances: PermutationImportances) -> None:
        self.importances = importances

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_features: int = 12,
        ax: Any | None = None,
        **options: Any,
    ) -> Self:
        """Shuffle and draw.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        X : table
        y : array-like
        n_features : int, default 12
            How many to show.
        ax : matplotlib.axes.Axes, optional
        **options
            Of `bayeswood.posterior.permutation_importance`: ``score``, ``n_repeats``,
            ``coverage``, ``rng``.

        Returns
        -------
        PermutationImportanceDisplay
        """
        importances = permutation_importance(estimator, X, y, **options)
        return cls.from_importances(importances, n_features=n_features, ax=ax)

    @classmethod
    def from_importances(
        cls, importances: PermutationImportances, *, n_features: int = 12, ax: Any | None = None
    ) -> Self:
        """Draw importances computed before.

        Parameters
        ----------
        importances : PermutationImportances
        n_features : int, default 12
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        PermutationImportanceDisplay
        """
        return cls(importances).plot(ax, n_features=n_features)

    def plot(self, ax: Any | None = None, *, n_features: int = 12) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        n_features : int, default 12

        Returns
        -------
        self
        """
        shown = self.importances
        n_shown = min(n_features, len(shown.names))
        self.ax_ = take_axes(ax, figsize=(6.4, max(2.6, 1.2 + 0.24 * n_shown)))
        self.figure_ = self.ax_.figure
        n_shown = rows_that_fit(self.ax_, n_shown, share=_SHARE)
        place = np.arange(n_shown)
        thin = min(1.0, 12 / n_shown) ** 0.5
        self.ax_.axvline(0, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        self.ax_.hlines(
            place, shown.lower[:n_shown], shown.upper[:n_shown], color=BLUE, alpha=0.45,
            linewidth=2.4 * thin, zorder=2, label=f"{percent(shown.coverage)} of the trees",
        )  # fmt: skip
        self.ax_.scatter(
            shown.mean[:n_shown], place, color=BLUE, s=22 * thin**2, zorder=3,
            label="a tree, on average",
        )  # fmt: skip
        self.ax_.scatter(
            shown.of_forest[:n_shown], place, color=AMBER, marker="D", s=20 * thin**2, zorder=4,
            edgecolors="white", linewidths=0.5, label="the forest",
        )  # fmt: skip
        tidy(self.ax_, grid="x")
        name_rows(self.ax_, shown.names[:n_shown], share=_SHARE)
        few_ticks(self.ax_)
        n_hidden = len(shown.names) - n_shown
        more = f" (and {n_hidden} more)" if n_hidden else ""
        what = _LOSSES.get(shown.score, f"{shown.score} lost")
        self.ax_.set_xlabel(f"{what} by shuffling{more}", loc="right")
        legend_above(self.ax_, side="right")
        return self
