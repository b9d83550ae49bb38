"""Do narrow and wide intervals hold the truth equally often?"""

from typing import Any, Self

import numpy as np

from bayeswood.plots.axes import take_axes, tidy
from bayeswood.plots.number_display import NumberDisplay
from bayeswood.report import NumberPredictions
from bayeswood.report.names import percent
from bayeswood.report.palette import BLUE, GREY
from bayeswood.uncertainty import wilson_interval


class IntervalCoverageDisplay(NumberDisplay):
    """Groups of cases with like interval width: the share whose truth lies inside.

    Parameters
    ----------
    predictions : NumberPredictions
    y : array-like, (n_rows,)
    n_bins : int, default 8
        Groups of equally many cases.

    Attributes
    ----------
    mean_width, covered, lower, upper : ndarray
        Of each group; ``lower`` and ``upper`` are Wilson's 90 % interval.
    coverage : float
        What was promised.
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, predictions: NumberPredictions, y: Any, *, n_bins: int = 8) -> None:
        truth = np.asarray(y, dtype=np.float64)
        width = predictions.upper - predictions.lower
        is_covered = (predictions.lower <= truth) & (truth <= predictions.upper)
        n_groups = max(1, min(n_bins, len(truth)))
        groups = np.array_split(np.argsort(width, kind="stable"), n_groups)
        n_cases = np.array([float(len(rows)) for rows in groups])
        hits = np.array([float(is_covered[rows].sum()) for rows in groups])
        self.coverage = predictions.coverage
        self.mean_width = np.array([float(width[rows].mean()) for rows in groups])
        self.covered = hits / n_cases
        self.lower, self.upper = wilson_interval(hits, n_cases)

    def plot(self, ax: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax)
        self.figure_ = self.ax_.figure
        self.ax_.axhline(self.coverage, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        self.ax_.vlines(
            self.mean_width, self.lower, self.upper, color=BLUE, alpha=0.45, linewidth=1.8
        )
        self.ax_.scatter(self.mean_width, self.covered, s=44, color=BLUE, zorder=3,
                         edgecolors="white", linewidths=0.8)  # fmt: skip
        self.ax_.set_ylim(max(0.0, min(0.75, self.lower.min() - 0.05)), 1.03)
        self.ax_.yaxis.set_major_formatter("{x:.0%}")
        self.ax_.set_xlabel(f"width of the {percent(self.coverage)} interval")
        self.ax_.set_ylabel("truth inside")
        tidy(self.ax_, grid="both")
        return self
