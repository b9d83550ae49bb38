"""Shapley values of many rows: one dot a row and feature."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import ShapValues
from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import NamedRows, spread_rows, text_size
from bayeswood.report.palette import AMBER, BLUE, GREY, INK

F64 = NDArray[np.float64]

_BINS = 60
_MOST_DOTS = 2000


class ShapRowsDisplay:
    """Features by the size of what they do; dots from low (blue) to high (amber) values.

    Also known as a beeswarm. Levels of categories, and missing values, are grey.

    Parameters
    ----------
    values : ShapValues
        Of one output. Of draws, the mean.

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, values: ShapValues) -> None:
        self.values = one_output(values, "ShapRowsDisplay")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        output: Any = None,
        n_features: int = 12,
        ax: Any | None = None,
    ) -> Self:
        """Explain rows and draw the values.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        X : table
        output : class or number of a response, default None
            Which is drawn, where there are several; None: the last.
        n_features : int, default 12
            How many to show.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ShapRowsDisplay
        """
        found = estimator.shap_values(X)
        return cls(chosen_output(found, output)).plot(ax, n_features=n_features)

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
        found = self.values
        order = np.argsort(-np.abs(found.values).mean(axis=0), kind="stable")
        names = [found.feature_names[j] for j in order]
        rows = NamedRows(ax, names, n_features, height=(2.6, 0.9))
        self.ax_, self.figure_ = rows.ax, rows.ax.figure
        drawn = spread_rows(len(found.values), _MOST_DOTS)
        for place, j in zip(rows.place, order, strict=False):
            shown = found.values[drawn, j]
            self.ax_.scatter(
                shown,
                place + 0.36 * swarm(shown),
                c=_colours(found.data[drawn, j]),
                s=7 * rows.thin**2,
                linewidths=0,
                alpha=0.8,
                zorder=3,
            )
        self.ax_.axvline(0, color=GREY, linewidth=0.8, zorder=2)
        rows.finish()
        self.ax_.set_xlabel(f"what the feature adds to the {found.output}", loc="right")
        self._say_colours(rows.n_hidden)
        return self

    def _say_colours(self, n_hidden: int) -> None:
        more = f"; {n_hidden} more features" if n_hidden else ""
        size = 0.9 * text_size(self.ax_)
        self.ax_.set_title(
            f"blue: low values, amber: high values{more}", loc="right", fontsize=size, color=INK
        )


def one_output(values: ShapValues, owner: str) -> ShapValues:
    """Values without draws, of one output."""
    found = values.mean() if values.has_draws else values
    if found.output_names:
        names = ", ".join(found.output_names)
        raise BayeswoodError(
            f"The 'values' parameter of {owner} must be of one output: take "
            f"values.of_output(...) of {names}."
        )
    return found


def chosen_output(values: ShapValues, output: Any) -> ShapValues:
    """The output that is asked for, where there are several; the last if none is named."""
    if not values.output_names:
        return values
    return values.of_output(values.output_names[-1] if output is None else output)


def swarm(shown: F64) -> F64:
    """Heights in [-1, 1] that part dots of about the same value, more where there are more."""
    if len(shown) < 2 or not np.ptp(shown) > 0:
        return np.linspace(-1, 1, len(shown)) if len(shown) > 1 else np.zeros(len(shown))
    bins = np.minimum((_BINS * (shown - shown.min()) / np.ptp(shown)).astype(int), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    heights: F64 = np.zeros(len(shown))
    for b in np.flatnonzero(counts > 1):
        own = np.flatnonzero(bins == b)
        width = counts[b] / counts.max()
        heights[own] = width * np.linspace(-1, 1, len(own))
    return heights


def _colours(cells: NDArray[Any]) -> list[Any]:
    """From blue to amber by rank; grey for what has no order."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    ramp = LinearSegmentedColormap.from_list("low to high", [BLUE, "#C9C9C9", AMBER])
    numbers = np.array([c if isinstance(c, (int, float)) else np.nan for c in cells], dtype=float)
    known = np.isfinite(numbers)
    found = [to_rgba(GREY)] * len(cells)
    if known.sum() < 2:
        return found
    ordered = np.sort(numbers[known])
    ranks = (
        np.searchsorted(ordered, numbers, "left") + np.searchsorted(ordered, numbers, "right")
    ) / (2 * len(ordered))
    return [ramp(rank) if ok else grey for rank, ok, grey in zip(ranks, known, found, strict=True)]
