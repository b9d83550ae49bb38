"""What `out_of_bag_report` gives: the numbers, their text, their picture."""

from typing import Any, Generic, TypeVar

import numpy as np

from bayeswood import html_table
from bayeswood.report.calibration import (
    CalibrationSummary,
    ClassCalibrationSummary,
    IntervalCalibrationSummary,
)
from bayeswood.report.predictions import NumberPredictions
from bayeswood.report.summarize import to_plain
from bayeswood.uncertainty import summarize_reliability

Summary = TypeVar("Summary", bound=CalibrationSummary)


class OutOfBagReport(Generic[Summary]):
    """How well a forest is calibrated, by the rows its trees left out.

    ``print`` shows the text, `plot` the picture.

    Parameters
    ----------
    estimator : str
        Name of the estimator.
    summary : ClassCalibrationSummary or IntervalCalibrationSummary
        The numbers.

    Attributes
    ----------
    estimator, summary
        As given.
    """

    def __init__(self, estimator: str, summary: Summary) -> None:
        self.estimator = estimator
        self.summary = summary

    def __repr__(self) -> str:
        return f"{self.estimator}\n{self.summary}"

    def _repr_html_(self) -> str:
        return html_table.block(self.estimator, self.summary._repr_html_())

    def to_dict(self) -> dict[str, Any]:
        """The numbers as lists and floats, ready for JSON."""
        plain: dict[str, Any] = to_plain(self.summary)
        return plain

    def plot(self, ax: Any | None = None) -> Any:
        """Draw reliability (classes), or coverage by width of the 90 % interval.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure. Of several responses the first is drawn.

        Returns
        -------
        ReliabilityDisplay or IntervalCoverageDisplay
            With ``ax_`` and ``figure_``.
        """
        if isinstance(self.summary, ClassCalibrationSummary):
            return _plot_reliability(self.summary, ax)
        return _plot_coverage(self.summary, ax)


def _plot_reliability(summary: ClassCalibrationSummary, ax: Any | None) -> Any:
    from bayeswood.plots import ReliabilityDisplay

    happened, proba = summary.happened[:, 1], summary.proba[:, 1]
    shown = summarize_reliability(happened, proba, name=summary.event)
    return ReliabilityDisplay(shown).plot(ax)


def _plot_coverage(summary: IntervalCalibrationSummary, ax: Any | None) -> Any:
    from bayeswood.plots import IntervalCoverageDisplay

    y, predicted, lower, upper = np.moveaxis(summary.rows[:, 0], -1, 0)
    return IntervalCoverageDisplay(NumberPredictions(predicted, lower, upper, 0.9), y).plot(ax)
