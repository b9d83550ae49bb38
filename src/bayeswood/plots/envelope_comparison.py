"""Envelopes of several models side by side: the paper's Tables 3 and 4 as a picture."""

from typing import Any, Self

import numpy as np

from bayeswood.plots.axes import take_axes, tidy
from bayeswood.report import Outcome
from bayeswood.report.names import shorten
from bayeswood.report.palette import INK, OUTCOME_COLOURS, OUTCOME_NAMES
from bayeswood.uncertainty import EnvelopeComparison

_COLUMNS = {
    Outcome.CONFIDENT_CORRECT: "confident_correct",
    Outcome.UNCERTAIN: "uncertain",
    Outcome.CONFIDENT_INCORRECT: "confident_incorrect",
}
# Shapes as well as colours tell the outcomes apart.
_MARKERS = {
    Outcome.CONFIDENT_CORRECT: "o",
    Outcome.UNCERTAIN: "s",
    Outcome.CONFIDENT_INCORRECT: "X",
}
_OFFSETS = {
    Outcome.CONFIDENT_CORRECT: -0.2,
    Outcome.UNCERTAIN: 0.0,
    Outcome.CONFIDENT_INCORRECT: 0.2,
}


class EnvelopeComparisonDisplay:
    """Three rates and the accuracy of each model, with bars of twice σ over the folds.

    Parameters
    ----------
    comparison : EnvelopeComparison
        From `bayeswood.compare_envelopes`.

    Attributes
    ----------
    comparison : EnvelopeComparison
        What is shown.
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, comparison: EnvelopeComparison) -> None:
        self.comparison = comparison

    @classmethod
    def from_comparison(cls, comparison: EnvelopeComparison, *, ax: Any | None = None) -> Self:
        """Draw a comparison.

        Parameters
        ----------
        comparison : EnvelopeComparison
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        EnvelopeComparisonDisplay
        """
        return cls(comparison).plot(ax)

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
        places = np.arange(len(self.comparison.models))
        for outcome in Outcome:
            self._draw_rate(outcome, places)
        self.ax_.plot(
            100 * self.comparison.mean("accuracy"), places - 0.34, linestyle="", marker="v",
            color=INK, markersize=5, label="accuracy",
        )  # fmt: skip
        self._label_models(places)
        self.ax_.set_xlim(-3, 103)
        self.ax_.set_xlabel(f"% of the test rows, γ₀ = {self.comparison.gamma0:g}; bars: ± 2σ")
        self.ax_.legend(
            loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, frameon=False, fontsize="small"
        )
        tidy(self.ax_, grid="x")
        return self

    def _draw_rate(self, outcome: Outcome, places: Any) -> None:
        column = _COLUMNS[outcome]
        mean = 100 * self.comparison.mean(column)
        spread = 100 * self.comparison.two_sigma(column)
        # A bar ends where a share must.
        ends = np.stack([np.minimum(spread, mean), np.minimum(spread, 100 - mean)])
        self.ax_.errorbar(
            mean, places + _OFFSETS[outcome], xerr=ends, linestyle="", marker=_MARKERS[outcome],
            color=OUTCOME_COLOURS[outcome], markersize=6, linewidth=1.8,
            label=OUTCOME_NAMES[outcome],
        )  # fmt: skip

    def _label_models(self, places: Any) -> None:
        sizes = self.comparison.mean("tree_size")
        labels = [
            shorten(name, 30) + ("" if np.isnan(size) else f"\n{size:.0f} splits a tree")
            for name, size in zip(self.comparison.names, sizes, strict=True)
        ]
        self.ax_.set_yticks(places, labels)
        self.ax_.set_ylim(len(places) - 0.45, -0.55)
