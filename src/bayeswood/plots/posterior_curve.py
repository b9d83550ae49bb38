"""The posterior of a mean over one feature, as in Figure 1 of Taddy and others (2015)."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import legend_above, take_axes, tidy
from bayeswood.report.names import percent, shorten
from bayeswood.report.palette import AMBER, BLUE, GREY
from bayeswood.report.summarize import feature_names

F64 = NDArray[np.float64]


class PosteriorCurveDisplay:
    """The forest's mean over one feature, a band of its posterior, and some members.

    Parameters
    ----------
    grid : (n_grid,) ndarray
        Values of the feature.
    draws : (n_members, n_grid) ndarray
        Each member's prediction there.
    mean, lower, upper : (n_grid,) ndarray
        The forest's prediction and the band.
    coverage : float
        Of the band.
    x, y : (n_rows,) ndarray, optional
        Data to show behind the curves.
    name : str
        Of the feature.

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(
        self,
        grid: F64,
        draws: F64,
        mean: F64,
        lower: F64,
        upper: F64,
        *,
        coverage: float = 0.9,
        x: Any | None = None,
        y: Any | None = None,
        name: str = "x",
    ) -> None:
        self.grid, self.draws, self.mean = grid, draws, mean
        self.lower, self.upper, self.coverage = lower, upper, coverage
        self.x, self.y, self.name = x, y, name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        coverage: float = 0.9,
        n_grid: int = 400,
        ax: Any | None = None,
    ) -> Self:
        """Predict on a grid over the one feature of ``X`` and draw.

        Parameters
        ----------
        estimator : fitted bayeswood regressor
            Of one feature and one target.
        X : array-like, (n_rows, 1) or (n_rows,)
        y : array-like, (n_rows,)
        coverage : float, default 0.9
            Of the band, which is the interval of kind ``"mean"``.
        n_grid : int, default 400
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        PosteriorCurveDisplay
        """
        if estimator.n_features_in_ != 1:
            raise BayeswoodError(
                f"A posterior curve needs a model of 1 feature. Got {estimator.n_features_in_}."
            )
        x = np.asarray(X, dtype=np.float64).reshape(-1)
        grid = np.linspace(np.nanmin(x), np.nanmax(x), n_grid)
        rows = _like(X, grid)
        ends = estimator.predict_interval(rows, coverage=coverage, kind="mean")
        display = cls(
            grid,
            estimator.predict_draws(rows),
            estimator.predict(rows),
            ends[:, 0],
            ends[:, 1],
            coverage=coverage,
            x=x,
            y=np.asarray(y),
            name=feature_names(estimator)[0],
        )
        return display.plot(ax)

    @classmethod
    def from_predictions(
        cls, grid: Any, draws: Any, *, coverage: float = 0.9, ax: Any | None = None
    ) -> Self:
        """Draw the predictions of equally weighted members.

        Parameters
        ----------
        grid : array-like, (n_grid,)
        draws : array-like, (n_members, n_grid)
        coverage : float, default 0.9
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        PosteriorCurveDisplay
        """
        values = np.asarray(draws, dtype=np.float64)
        lower, upper = np.quantile(values, [0.5 - coverage / 2, 0.5 + coverage / 2], axis=0)
        mean = values.mean(axis=0)
        return cls(np.asarray(grid), values, mean, lower, upper, coverage=coverage).plot(ax)

    def plot(self, ax: Any | None = None, *, n_members: int = 3) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        n_members : int, default 3
            How many single members to show.

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax)
        self.figure_ = self.ax_.figure
        if self.x is not None and self.y is not None:
            self.ax_.scatter(self.x, self.y, s=18, color=GREY, alpha=0.6, linewidths=0, zorder=1)
        self.ax_.fill_between(
            self.grid, self.lower, self.upper, color=BLUE, alpha=0.2, linewidth=0,
            label=f"{percent(self.coverage)} of the posterior of the mean", zorder=2,
        )  # fmt: skip
        for idx, member in enumerate(self.draws[:n_members]):
            label = "single trees" if idx == 0 else None
            self.ax_.plot(self.grid, member, color=AMBER, linewidth=0.9, label=label, zorder=3)
        self.ax_.plot(self.grid, self.mean, color=BLUE, linewidth=2.2, label="forest", zorder=4)
        self.ax_.set_xlabel(shorten(self.name))
        tidy(self.ax_)
        legend_above(self.ax_)
        return self


def _like(X: Any, grid: F64) -> Any:
    """The grid as a table of the same kind as ``X``, so that column names match."""
    columns = getattr(X, "columns", None)
    column = grid[:, None]
    return column if columns is None else type(X)({columns[0]: grid})
