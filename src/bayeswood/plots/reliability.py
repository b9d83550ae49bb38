"""Reliability of class probabilities: predicted probability against observed frequency."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bayeswood.plots.axes import label_cells, take_axes, text_size, tidy
from bayeswood.report.names import percent, shorten
from bayeswood.report.palette import BLUE, GREY, INK
from bayeswood.uncertainty import Reliability, class_event, summarize_reliability


class ReliabilityDisplay:
    """Groups of cases with like probability: how often did the event happen?

    Lines are Wilson's intervals of each frequency, pale bands those of bootstrap samples of the
    rows. Larger dots stand for more cases.

    Parameters
    ----------
    reliability : Reliability

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, reliability: Reliability) -> None:
        self.reliability = reliability

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any | None = None, **options: Any
    ) -> Self:
        """Predict probabilities and draw.

        Parameters
        ----------
        estimator : fitted classifier
        X : table
        y : array-like
        ax : matplotlib.axes.Axes, optional
        **options
            Of `bayeswood.uncertainty.summarize_reliability`: ``n_bins``, ``strategy``, ``n_boot``,
            ``confidence``, ``rng``.

        Returns
        -------
        ReliabilityDisplay
        """
        proba = estimator.predict_proba(X)
        return cls.from_predictions(y, proba, classes=estimator.classes_, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        proba: ArrayLike,
        *,
        classes: ArrayLike,
        ax: Any | None = None,
        **options: Any,
    ) -> Self:
        """Draw class probabilities: of the second class of two, else of the most probable one.

        Parameters
        ----------
        y : array-like
            True classes.
        proba : array-like, (n_rows, n_classes)
        classes : array-like, (n_classes,)
        ax : matplotlib.axes.Axes, optional
        **options
            As in `from_estimator`.

        Returns
        -------
        ReliabilityDisplay
        """
        event, given, name = class_event(y, proba, classes)
        return cls(summarize_reliability(event, given, name=name, **options)).plot(ax)

    def plot(self, ax: Any | None = None, *, note: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        note : bool, default True
            Whether to write the calibration error above the picture.

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax, figsize=(5.0, 4.6))
        self.figure_ = self.ax_.figure
        shown = self.reliability
        self.ax_.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        self.ax_.vlines(
            shown.mean_probability, shown.boot_lower, shown.boot_upper,
            color=BLUE, alpha=0.2, linewidth=7, zorder=1,
        )  # fmt: skip
        self.ax_.vlines(
            shown.mean_probability, shown.lower, shown.upper, color=BLUE, alpha=0.6, linewidth=1.3
        )
        size = 16 + 150 * np.sqrt(shown.n_cases / shown.n_cases.sum())
        self.ax_.scatter(
            shown.mean_probability, shown.frequency, s=size, color=BLUE, zorder=3,
            edgecolors="white", linewidths=0.8, clip_on=False,
        )  # fmt: skip
        self.ax_.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
        self.ax_.set_xlabel(self._what(label_cells(self.ax_)))
        self.ax_.set_ylabel("observed frequency")
        tidy(self.ax_, grid="both")
        if note:
            self._note()
        return self

    def _what(self, cells: int) -> str:
        name = self.reliability.name
        if not name:
            return "predicted probability"
        head = "predicted probability of" if 25 + len(name) <= cells else "probability of"
        return f"{head} {shorten(name, max(cells - len(head) - 1, 8))}"

    def _note(self) -> None:
        """The calibration error, above the axes: a corner inside may hold data."""
        shown = self.reliability
        text = f"calibration error {shown.error:.3f}"
        if not np.isnan(shown.error_lower):
            text += (
                f", by chance {shown.error_by_chance:.3f}\n{percent(shown.confidence)} of "
                f"bootstrap samples {shown.error_lower:.3f}–{shown.error_upper:.3f}"
            )
        size = 0.85 * text_size(self.ax_)
        self.ax_.set_title(text, loc="left", fontsize=size, color=INK, fontweight="normal")
