"""What one feature adds, by its value."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import ShapValues
from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import few_ticks, spread_rows, take_axes, tidy
from bayeswood.plots.shap_rows import chosen_output
from bayeswood.report.palette import BLUE, GREY

F64 = NDArray[np.float64]

_MOST_DOTS = 2000


class ShapFeatureDisplay:
    """Shapley values of a feature against its values; lines are credible bands.

    Also known as a dependence plot. Levels of a category stand side by side; missing values are
    left out.

    Parameters
    ----------
    values : ShapValues
        Of one output; with draws, bands are drawn.
    feature : str or int
        Name or number.
    coverage : float, default 0.9
        Of the bands.

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, values: ShapValues, feature: str | int, *, coverage: float = 0.9) -> None:
        if values.output_names:
            raise BayeswoodError(
                "The 'values' parameter of ShapFeatureDisplay must be of one output."
            )
        self.feature = _number_of(values, feature)
        self.name, self.coverage = values.feature_names[self.feature], coverage
        mean = values.mean() if values.has_draws else values
        self.output = mean.output
        self.cells = mean.data[:, self.feature]
        self.added = mean.values[:, self.feature]
        ends = values.interval(coverage)[:, self.feature] if values.has_draws else None
        self.lower: F64 | None = None if ends is None else ends[:, 0]
        self.upper: F64 | None = None if ends is None else ends[:, 1]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        feature: str | int,
        *,
        output: Any = None,
        draws: bool = True,
        ax: Any | None = None,
    ) -> Self:
        """Explain rows and draw what one feature adds.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        X : table
        feature : str or int
        output : class or number of a response, default None
            Which is drawn, where there are several; None: the last.
        draws : bool, default True
            Whether to draw bands.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ShapFeatureDisplay
        """
        found = chosen_output(estimator.shap_values(X, draws=draws), output)
        return cls(found, feature).plot(ax)

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
        known = np.array([c is not None and c == c for c in self.cells])
        drawn = np.flatnonzero(known)[spread_rows(int(known.sum()), _MOST_DOTS)]
        is_number = all(isinstance(c, (int, float)) for c in self.cells[drawn])
        at = np.array(self.cells[drawn], dtype=float) if is_number else self._levels(drawn)
        if self.lower is not None and self.upper is not None:
            self.ax_.vlines(at, self.lower[drawn], self.upper[drawn], color=BLUE, alpha=0.25,
                            linewidth=1.2, zorder=2)  # fmt: skip
        self.ax_.scatter(at, self.added[drawn], color=BLUE, s=10, linewidths=0, zorder=3)
        self.ax_.axhline(0, color=GREY, linewidth=0.8, zorder=1)
        tidy(self.ax_)
        if is_number:
            few_ticks(self.ax_)
        self.ax_.set_xlabel(self.name, loc="right")
        self.ax_.set_ylabel(f"adds to the {self.output}")
        return self

    def _levels(self, drawn: Any) -> Any:
        """Places of levels, side by side, with a little room for their dots."""
        levels = sorted({str(c) for c in self.cells[drawn]})
        place = {level: i for i, level in enumerate(levels)}
        self.ax_.set_xticks(range(len(levels)), levels)
        at = np.array([place[str(c)] for c in self.cells[drawn]], dtype=float)
        return at + 0.25 * np.linspace(-1, 1, len(at))


def _number_of(values: ShapValues, feature: str | int) -> int:
    names = list(values.feature_names)
    if feature in names:
        return names.index(str(feature))
    if isinstance(feature, (int, np.integer)) and -len(names) <= feature < len(names):
        return int(feature)
    raise BayeswoodError(
        f"The 'feature' parameter of ShapFeatureDisplay must be a name or number of a feature. "
        f"Got {feature!r} instead."
    )
