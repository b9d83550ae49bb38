"""Feature importances with their spread over the members."""

from typing import Any, Self

import numpy as np

from bayeswood.plots.axes import few_ticks, name_rows, rows_that_fit, take_axes, text_size, tidy
from bayeswood.report import Importances, summarize_importances
from bayeswood.report.palette import BLUE, GREY, INK


class ImportanceDisplay:
    """The most important features as dots on bars, each with a line of ± one standard deviation.

    Parameters
    ----------
    importances : Importances

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, importances: Importances) -> None:
        self.importances = importances

    @classmethod
    def from_estimator(cls, estimator: Any, *, n_features: int = 12, ax: Any | None = None) -> Self:
        """Take a fitted estimator's importances and draw them.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        n_features : int, default 12
            How many to show.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ImportanceDisplay
        """
        return cls(summarize_importances(estimator)).plot(ax, n_features=n_features)

    @classmethod
    def from_importances(
        cls, importances: Importances, *, n_features: int = 12, ax: Any | None = None
    ) -> Self:
        """Draw importances summarised before.

        Parameters
        ----------
        importances : Importances
        n_features : int, default 12
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ImportanceDisplay
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
        n_shown = min(n_features, len(self.importances.names))
        self.ax_ = take_axes(ax, figsize=(6.4, max(2.4, 0.9 + 0.24 * n_shown)))
        self.figure_ = self.ax_.figure
        n_shown = rows_that_fit(self.ax_, n_shown)
        mean, spread = self.importances.mean[:n_shown], self.importances.spread[:n_shown]
        place = np.arange(n_shown)
        thin = min(1.0, 12 / n_shown) ** 0.5
        self.ax_.barh(place, mean, height=0.62, color=BLUE, alpha=0.25, zorder=2)
        low = np.maximum(mean - spread, 0)
        self.ax_.hlines(place, low, mean + spread, color=BLUE, linewidth=1.6 * thin, zorder=3)
        self.ax_.scatter(mean, place, color=BLUE, s=26 * thin**2, zorder=4)
        tidy(self.ax_, grid="x")
        name_rows(self.ax_, self.importances.names[:n_shown])
        self.ax_.set_xlim(left=0)
        few_ticks(self.ax_)
        self.ax_.set_xlabel("importance ± spread over the trees", loc="right")
        self._say_how_many(n_shown)
        return self

    def _say_how_many(self, n_shown: int) -> None:
        n_hidden = len(self.importances.names) - n_shown
        if n_hidden > 0:
            self.ax_.text(
                0.98, 0.04, f"and {n_hidden} more", transform=self.ax_.transAxes,
                ha="right", color=INK if n_hidden > 99 else GREY,
                fontsize=0.85 * text_size(self.ax_),
            )  # fmt: skip
