"""One prediction, from where nothing is known to what is said, feature by feature."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import ShapValues
from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import NamedRows, text_size
from bayeswood.plots.shap_rows import chosen_output
from bayeswood.report.names import shorten
from bayeswood.report.palette import AMBER, BLUE, GREY, INK

F64 = NDArray[np.float64]


class ShapRowDisplay:
    """Steps from the base value to the prediction; lines are credible bands of each step.

    Also known as a waterfall. Features that are not shown make one step together.

    Parameters
    ----------
    values : ShapValues
        Of one output; with draws, bands are drawn.
    row : int, default 0
        Which of its rows.
    coverage : float, default 0.9
        Of the bands.

    Attributes
    ----------
    names : list of str
        Of the steps, the largest first.
    steps : ndarray
    lower, upper : ndarray or None
        Ends of the bands; None without draws.
    base, prediction : float
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, values: ShapValues, row: int = 0, *, coverage: float = 0.9) -> None:
        if values.output_names:
            raise BayeswoodError("The 'values' parameter of ShapRowDisplay must be of one output.")
        mean = values.mean() if values.has_draws else values
        if not -len(mean) <= row < len(mean):
            raise BayeswoodError(
                f"The 'row' parameter of ShapRowDisplay must be a row of the {len(mean)}. "
                f"Got {row} instead."
            )
        self.output, self.coverage = mean.output, coverage
        steps = mean.values[row]
        order = np.argsort(-np.abs(steps), kind="stable")
        self.steps: F64 = steps[order]
        self.names = [_named(mean, row, j) for j in order]
        self.base = float(mean.base_values[row])
        self.prediction = self.base + float(steps.sum())
        ends = values.interval(coverage)[row][order] if values.has_draws else None
        self.lower: F64 | None = None if ends is None else ends[:, 0]
        self.upper: F64 | None = None if ends is None else ends[:, 1]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        x: Any,
        *,
        output: Any = None,
        coverage: float = 0.9,
        n_features: int = 10,
        ax: Any | None = None,
    ) -> Self:
        """Explain one row, bands and all, and draw it.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        x : table of one row
        output : class or number of a response, default None
            Which is drawn, where there are several; None: of classes the predicted one.
        coverage : float, default 0.9
            Of the bands.
        n_features : int, default 10
            How many to show.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ShapRowDisplay
        """
        found = estimator.shap_values(x, draws=True)
        if output is None and hasattr(estimator, "classes_"):
            output = str(estimator.predict(x)[0])
        shown = chosen_output(found, output)
        return cls(shown, coverage=coverage).plot(ax, n_features=n_features)

    def plot(self, ax: Any | None = None, *, n_features: int = 10) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        n_features : int, default 10

        Returns
        -------
        self
        """
        rows = NamedRows(ax, self._shown_names(n_features), n_features + 1, height=(2.6, 0.9))
        self.ax_, self.figure_ = rows.ax, rows.ax.figure
        names = self._shown_names(rows.n_shown - (len(self.names) > rows.n_shown))
        n_own = min(len(self.steps), rows.n_shown, len(names))
        steps = self._shown_steps(names)
        # From the bottom up the smallest step comes first, so that the largest ends at the top.
        ends = self.base + np.cumsum(steps[::-1])[::-1]
        starts = ends - steps
        colours = [AMBER if step > 0 else BLUE for step in steps]
        self.ax_.barh(np.arange(len(steps)), steps, left=starts, height=0.62, color=colours,
                      alpha=0.75, zorder=3)  # fmt: skip
        self._draw_bands(starts, n_own, rows.thin)
        self.ax_.axvline(self.base, color=GREY, linewidth=0.8, linestyle=":", zorder=2)
        self.ax_.axvline(self.prediction, color=INK, linewidth=0.8, zorder=2)
        rows.finish(names)
        self.ax_.set_xlabel(
            f"{self.output}: from {self.base:.4g}, nothing known, to {self.prediction:.4g}",
            loc="right",
        )
        if self.lower is not None:
            self.ax_.set_title(
                f"lines: {self.coverage:.0%} bands of each step",
                loc="right", fontsize=0.9 * text_size(self.ax_), color=INK,
            )  # fmt: skip
        return self

    def _shown_names(self, n_features: int) -> list[str]:
        hidden = len(self.names) - n_features
        if hidden <= 0:
            return self.names
        return [*self.names[:n_features], f"{hidden} more features"]

    def _shown_steps(self, names: list[str]) -> F64:
        """A step for each name, the last one of all that have none."""
        if len(names) == len(self.names):
            return self.steps
        n_own = len(names) - 1
        return np.append(self.steps[:n_own], self.steps[n_own:].sum())

    def _draw_bands(self, starts: F64, n_own: int, thin: float) -> None:
        if self.lower is None or self.upper is None:
            return
        n_own = min(n_own, len(starts) - (len(starts) < len(self.steps)))
        places = np.arange(n_own)
        self.ax_.hlines(places, starts[:n_own] + self.lower[:n_own],
                        starts[:n_own] + self.upper[:n_own], color=INK, linewidth=1.4 * thin,
                        zorder=4)  # fmt: skip


def _named(values: ShapValues, row: int, feature: int) -> str:
    cell = values.data[row, feature]
    text = f"{cell:.4g}" if isinstance(cell, (int, float)) else str(cell)
    return f"{shorten(values.feature_names[feature], 30)} = {shorten(text, 16)}"
