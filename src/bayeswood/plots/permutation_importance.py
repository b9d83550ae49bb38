"""What is lost when a feature is shuffled, with credible intervals."""

from typing import Any, Self

from bayeswood.plots.axes import NamedRows, legend_above
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
        rows = NamedRows(ax, shown.names, n_features, height=(2.6, 1.2), share=_SHARE)
        self.ax_, self.figure_ = rows.ax, rows.ax.figure
        n_shown, place, thin = rows.n_shown, rows.place, rows.thin
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
        rows.finish()
        more = f" (and {rows.n_hidden} more)" if rows.n_hidden else ""
        what = _LOSSES.get(shown.score, f"{shown.score} lost")
        self.ax_.set_xlabel(f"{what} by shuffling{more}", loc="right")
        legend_above(self.ax_, side="right")
        return self
