"""A map of a classifier's decisions over two features, pale where the members disagree."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.plots.axes import label_cells, legend_above, spread_rows, take_axes, text_scale, tidy
from bayeswood.posterior import DecisionMap, decision_map
from bayeswood.report import DEFAULT_GAMMA0
from bayeswood.report.names import percent, shorten
from bayeswood.report.palette import CLASS_COLOURS, GREY, INK, class_colour, class_marker

F64 = NDArray[np.float64]

_PALEST = 0.08
_STRONGEST = 0.62


class DecisionMapDisplay:
    """Colour is the class most members vote for, strength is their consistency.

    A line encloses where the members are confident, γ >= γ₀.

    Parameters
    ----------
    decisions : DecisionMap
    gamma0 : float, default 0.9
    points : (n_rows, 2) ndarray, optional
        Cases to show.
    truth : (n_rows,) ndarray, optional
        Their classes.

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(
        self,
        decisions: DecisionMap,
        *,
        gamma0: float = DEFAULT_GAMMA0,
        points: Any | None = None,
        truth: Any | None = None,
    ) -> None:
        self.decisions, self.gamma0 = decisions, gamma0
        self.points = None if points is None else np.asarray(points, dtype=np.float64)
        self.truth = None if truth is None else np.asarray(truth)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any | None = None,
        *,
        features: Sequence[int | str] = (0, 1),
        gamma0: float = DEFAULT_GAMMA0,
        n_grid: int = 160,
        ax: Any | None = None,
    ) -> Self:
        """Ask the members on a grid and draw.

        Parameters
        ----------
        estimator : fitted bayeswood classifier
        X : table
            Rows that span the map; other features are held at their medians or commonest levels.
        y : array-like, optional
            Their classes; the rows are then drawn too.
        features : two of int or str, default (0, 1)
        gamma0 : float, default 0.9
        n_grid : int, default 160
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        DecisionMapDisplay
        """
        from bayeswood.posterior import Members

        decisions = decision_map(estimator, X, features, n_grid=n_grid)
        points = None
        if y is not None:
            members = Members(estimator, "DecisionMapDisplay")
            columns = [members.column(feature, "DecisionMapDisplay") for feature in features]
            points = members.encode(X)[:, columns]
        return cls(decisions, gamma0=gamma0, points=points, truth=y).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        x: Any,
        y: Any,
        majority: Any,
        consistency: Any,
        *,
        classes: Any,
        names: tuple[str, str] = ("x", "y"),
        gamma0: float = DEFAULT_GAMMA0,
        ax: Any | None = None,
    ) -> Self:
        """Draw decisions made before.

        Parameters
        ----------
        x, y : array-like, (n_x,) and (n_y,)
            Evenly spaced values of the two features.
        majority : array-like of int, (n_y, n_x)
            Numbers of the classes.
        consistency : array-like, (n_y, n_x)
        classes : array-like, (n_classes,)
        names : two str
        gamma0 : float, default 0.9
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        DecisionMapDisplay
        """
        decisions = DecisionMap(
            np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64),
            np.asarray(majority), np.asarray(consistency, dtype=np.float64),
            np.asarray(classes), names, {},
        )  # fmt: skip
        return cls(decisions, gamma0=gamma0).plot(ax)

    def plot(self, ax: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax, figsize=(6.0, 5.2))
        self.figure_ = self.ax_.figure
        shown = self.decisions
        extent = (shown.x[0], shown.x[-1], shown.y[0], shown.y[-1])
        self.ax_.imshow(
            self._colours(), origin="lower", extent=extent, aspect="auto",
            interpolation="nearest", zorder=0,
        )  # fmt: skip
        confident = (shown.consistency >= self.gamma0).astype(np.float64)
        if 0 < confident.mean() < 1:
            self.ax_.contour(
                shown.x, shown.y, confident, levels=[0.5], colors=[INK], linewidths=0.7
            )
        if self.points is not None and self.truth is not None:
            self._draw_points(self.points, self.truth)
        tidy(self.ax_)
        self.ax_.set_xlabel(shorten(shown.names[0], min(40, label_cells(self.ax_))))
        self.ax_.set_ylabel(shorten(shown.names[1], min(40, label_cells(self.ax_, "y"))))
        self.ax_.locator_params(nbins=6)
        self.ax_.grid(visible=False)
        self._legend()
        return self

    def _colours(self) -> F64:
        """Class colours mixed with white, the more so the less consistent the members are."""
        from matplotlib.colors import to_rgb

        shown, n_classes = self.decisions, len(self.decisions.classes)
        palette = np.array([to_rgb(class_colour(k)) for k in range(n_classes)])
        chance = 1 / max(n_classes, 2)
        strength = np.clip((shown.consistency - chance) / (1 - chance), 0, 1)
        strength = (_PALEST + (_STRONGEST - _PALEST) * strength)[..., None]
        mixed: F64 = 1 - strength * (1 - palette[shown.majority])
        return mixed

    def _draw_points(self, points: F64, truth: NDArray[Any]) -> None:
        rows = spread_rows(len(points))
        for idx, label in enumerate(self.decisions.classes):
            chosen = rows[truth[rows] == label]
            self.ax_.scatter(
                points[chosen, 0], points[chosen, 1], s=22 * text_scale(self.ax_) ** 2,
                color=class_colour(idx), marker=class_marker(idx), edgecolors="white",
                linewidths=0.6, zorder=3,
            )  # fmt: skip

    def _legend(self) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        n_shown = min(len(self.decisions.classes), len(CLASS_COLOURS))
        names = [shorten(str(label), 18) for label in self.decisions.classes[:n_shown]]
        handles: list[Any] = [
            Line2D([], [], color=class_colour(k), marker=class_marker(k), linestyle="", label=name)
            for k, name in enumerate(names)
        ]
        if n_shown < len(self.decisions.classes):
            n_more = len(self.decisions.classes) - n_shown
            handles.append(Patch(color=GREY, label=f"{n_more} more classes"))
        agreed = f"at least {percent(self.gamma0)} agree inside"
        handles.append(Line2D([], [], color=INK, linewidth=0.9, label=agreed))
        legend_above(self.ax_, handles)
