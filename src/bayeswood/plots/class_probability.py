"""Each case of a classifier: its probability with the interval around it, coloured by outcome."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import label_cells, legend_above, spread_rows, take_axes, tidy
from bayeswood.report import ClassPredictions, Outcome, classify_outcomes, predict_rows
from bayeswood.report.names import shorten
from bayeswood.report.palette import GREY, INK, OUTCOME_COLOURS, OUTCOME_NAMES

_MAX_GROUPS = 12


class ClassProbabilityDisplay:
    """Cases side by side, each a dot with its interval.

    With two classes the height is the probability of the second one and the cases are sorted by
    it. With more it is the probability of the true class, and the cases are grouped by that class.
    A cross marks a wrong prediction, the colour says what the members' agreement makes of it.

    Parameters
    ----------
    predictions : ClassPredictions
    y : array-like, (n_rows,)
        True classes.

    Attributes
    ----------
    outcome : (n_rows,) ndarray
        Numbers of `bayeswood.report.Outcome`.
    height, lower, upper : (n_rows,) ndarray
        What is drawn of each case, in the order of the rows.
    order : (n_rows,) ndarray
        Rows from left to right.
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, predictions: ClassPredictions, y: Any) -> None:
        if predictions.lower is None or predictions.upper is None:
            raise BayeswoodError("The picture needs intervals: predict with class_intervals=True.")
        self.predictions = predictions
        self.y = np.asarray(y)
        self.outcome = classify_outcomes(predictions, self.y)
        self.is_binary = len(predictions.classes) == 2
        shown = np.ones(len(self.y), dtype=np.intp) if self.is_binary else self._true_class()
        self.height, self.lower, self.upper = (
            np.where(shown >= 0, values[np.arange(len(self.y)), shown], 0.0)
            for values in (predictions.proba, predictions.lower, predictions.upper)
        )
        self.order = np.lexsort((self.upper, self.height, shown))

    def _true_class(self) -> NDArray[np.intp]:
        """Number of the true class; -1 for one that the model never saw."""
        is_class = self.y[:, None] == self.predictions.classes[None, :]
        return np.where(is_class.any(axis=1), is_class.argmax(axis=1), -1)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any | None = None, **options: Any
    ) -> Self:
        """Predict and draw.

        Parameters
        ----------
        estimator : fitted bayeswood classifier
        X : table
        y : array-like
        ax : matplotlib.axes.Axes, optional
        **options
            ``coverage`` and ``gamma0`` of `bayeswood.report.predict_rows`.

        Returns
        -------
        ClassProbabilityDisplay
        """
        return cls.from_predictions(y, predict_rows(estimator, X, **options), ax=ax)

    @classmethod
    def from_predictions(cls, y: Any, predictions: Any, *, ax: Any | None = None) -> Self:
        """Draw predictions made before.

        Parameters
        ----------
        y : array-like
        predictions : ClassPredictions
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ClassProbabilityDisplay
        """
        return cls(predictions, y).plot(ax)

    def plot(self, ax: Any | None = None, *, legend: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        legend : bool, default True

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax)
        self.figure_ = self.ax_.figure
        rows = self.order[spread_rows(len(self.order))]
        place = np.arange(len(rows))
        for outcome in Outcome:
            self._draw_outcome(outcome, rows, place)
        self._label(rows)
        tidy(self.ax_)
        if legend:
            self._legend()
        return self

    def _draw_outcome(
        self, outcome: Outcome, rows: NDArray[np.intp], place: NDArray[np.intp]
    ) -> None:
        colour = OUTCOME_COLOURS[outcome]
        is_wrong = self.predictions.predicted[rows] != self.y[rows]
        has_outcome = self.outcome[rows] == outcome
        chosen = rows[has_outcome]
        # Lines thin out as cases crowd, so that neighbours stay apart.
        width = float(np.clip(260 / max(len(rows), 1), 0.8, 4.0))
        self.ax_.vlines(
            place[has_outcome], self.lower[chosen], self.upper[chosen],
            color=colour, alpha=0.38, linewidth=width, zorder=2,
        )  # fmt: skip
        size = float(np.clip(4200 / max(len(rows), 1), 9, 45))
        for wrong, marker in ((False, "o"), (True, "X")):
            these = has_outcome & (is_wrong == wrong)
            self.ax_.scatter(
                place[these], self.height[rows[these]], s=size * (3.2 if wrong else 1),
                marker=marker, color=colour, zorder=5 if wrong else 3,
                edgecolors="white" if wrong else "none", linewidths=0.7 if wrong else 0,
            )  # fmt: skip

    def _label(self, rows: NDArray[np.intp]) -> None:
        ax, classes = self.ax_, self.predictions.classes
        ax.set_ylim(-0.04, 1.04)
        ax.set_xlim(-0.02 * len(rows) - 0.5, 1.02 * len(rows) - 0.5)
        ax.set_xticks([])
        some = "" if len(rows) == len(self.y) else f"{len(rows)} of "
        cases = f"{some}{len(self.y):,} cases"
        if self.is_binary:
            ax.axhline(0.5, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
            room = max(label_cells(ax, "y") - 15, 8)
            ax.set_ylabel(f"probability of {shorten(str(classes[1]), min(room, 30))}")
            ax.set_xlabel(f"{cases}, sorted by their probability")
            return
        ax.set_ylabel("probability of the true class")
        grouped = len(np.unique(self.y)) <= _MAX_GROUPS
        ax.set_xlabel(f"{cases}, by true class")
        if grouped:
            self._label_groups(rows)

    def _label_groups(self, rows: NDArray[np.intp]) -> None:
        group = self._true_class()[rows]
        starts = np.flatnonzero(np.diff(group, prepend=-2))
        ends = np.append(starts[1:], len(group))
        n_cells = max(4, label_cells(self.ax_) // len(starts) - 2)
        names = [
            shorten(str(self.predictions.classes[g]), n_cells) if g >= 0 else "unseen"
            for g in group[starts]
        ]
        self.ax_.set_xticks((starts + ends - 1) / 2, names)
        self.ax_.tick_params(axis="x", length=0)
        for start in starts[1:]:
            self.ax_.axvline(start - 0.5, color=GREY, linewidth=0.6, alpha=0.6, zorder=1)

    def _legend(self) -> None:
        from matplotlib.lines import Line2D

        handles = [
            Line2D([], [], marker="o", linestyle="", color=colour, label=OUTCOME_NAMES[outcome])
            for outcome, colour in OUTCOME_COLOURS.items()
        ]
        handles.append(
            Line2D([], [], marker="X", linestyle="", color=INK, label="predicted wrongly")
        )
        legend_above(self.ax_, handles)
