"""Each case of a regressor: the truth against the prediction with its interval."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.plots.axes import legend_above, spread_rows, take_axes, tidy
from bayeswood.plots.number_display import NumberDisplay
from bayeswood.report import NumberPredictions
from bayeswood.report.names import percent
from bayeswood.report.palette import AMBER, BLUE, CRIMSON, GREY

SIDE_COLOURS = {-1: CRIMSON, 0: BLUE, 1: AMBER}
_MAX_ROWS_DRAWN = 160
_SIDE_NAMES = {-1: "below", 0: "inside", 1: "above"}


class IntervalDisplay(NumberDisplay):
    """The truth over the prediction; the bar of each case is its interval.

    Parameters
    ----------
    predictions : NumberPredictions
    y : array-like, (n_rows,)
        True values.

    Attributes
    ----------
    side : (n_rows,) ndarray of int
        Where the truth lies: -1 below its interval, 0 inside, 1 above.
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, predictions: NumberPredictions, y: Any) -> None:
        self.predictions = predictions
        self.y = np.asarray(y, dtype=np.float64)
        above = (self.y > predictions.upper).astype(np.intp)
        self.side = above - (self.y < predictions.lower)

    def plot(self, ax: Any | None = None, *, legend: bool = True, target: str = "") -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        legend : bool, default True
        target : str
            Name of the target, for the axes.

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax)
        self.figure_ = self.ax_.figure
        by_prediction = np.argsort(self.predictions.predicted, kind="stable")
        rows = by_prediction[spread_rows(len(by_prediction), _MAX_ROWS_DRAWN)]
        for side in SIDE_COLOURS:
            self._draw(rows[self.side[rows] == side], side)
        ends = [self.predictions.predicted[rows].min(), self.predictions.predicted[rows].max()]
        self.ax_.plot(ends, ends, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)), zorder=4)
        some = f" ({len(rows)} of {len(self.y):,} cases)" if len(rows) < len(self.y) else ""
        self.ax_.set_xlabel(f"predicted {target or 'value'}{some}")
        self.ax_.set_ylabel(f"true {target or 'value'}")
        tidy(self.ax_)
        if legend:
            legend_above(self.ax_)
        return self

    def _draw(self, rows: NDArray[np.intp], side: int) -> None:
        given, colour, inside = self.predictions, SIDE_COLOURS[side], side == 0
        self.ax_.vlines(
            given.predicted[rows], given.lower[rows], given.upper[rows],
            color=colour, alpha=0.2 if inside else 0.5, linewidth=1.6, zorder=2,
        )  # fmt: skip
        self.ax_.scatter(
            given.predicted[rows], self.y[rows], s=16 if inside else 46, color=colour,
            marker="o" if inside else "X", zorder=3 if inside else 5,
            edgecolors="white", linewidths=0.5,
            label=f"truth {_SIDE_NAMES[side]} its {percent(given.coverage)} interval",
        )  # fmt: skip
