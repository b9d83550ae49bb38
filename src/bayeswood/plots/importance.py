"""Feature importances with their spread over the members."""

from typing import Any, Self

import numpy as np

from bayeswood.plots.axes import NamedRows, text_size
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
        rows = NamedRows(ax, self.importances.names, n_features, height=(2.4, 0.9))
        self.ax_, self.figure_ = rows.ax, rows.ax.figure
        mean = self.importances.mean[: rows.n_shown]
        spread = self.importances.spread[: rows.n_shown]
        self.ax_.barh(rows.place, mean, height=0.62, color=BLUE, alpha=0.25, zorder=2)
        self.ax_.hlines(
            rows.place, np.maximum(mean - spread, 0), mean + spread, color=BLUE,
            linewidth=1.6 * rows.thin, zorder=3,
        )  # fmt: skip
        self.ax_.scatter(mean, rows.place, color=BLUE, s=26 * rows.thin**2, zorder=4)
        rows.finish()
        self.ax_.set_xlim(left=0)
        self.ax_.set_xlabel("importance ± spread over the trees", loc="right")
        self._say_how_many(rows.n_hidden)
        return self

    def _say_how_many(self, n_hidden: int) -> None:
        if n_hidden > 0:
            self.ax_.text(
                0.98, 0.04, f"and {n_hidden} more", transform=self.ax_.transAxes,
                ha="right", color=INK if n_hidden > 99 else GREY,
                fontsize=0.85 * text_size(self.ax_),
            )  # fmt: skip
