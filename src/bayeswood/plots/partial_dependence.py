"""Partial dependence on one or several features, with credible bands."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import (
    axes_inches,
    cells_in,
    few_ticks,
    label_cells,
    pyplot,
    take_axes,
    text_size,
    tidy,
)
from bayeswood.posterior import PartialDependence, partial_dependence
from bayeswood.report.names import percent, shorten, shorten_all
from bayeswood.report.palette import BLUE, GREY, INK

_N_COLUMNS = 3
_MAX_LEVELS = 16
_DECILES = np.arange(1, 10) / 10


class PartialDependenceDisplay:
    """The mean prediction over each feature, with its credible band.

    A numeric feature is a curve over marks at the deciles of the background rows; a category is a
    dot with an interval per level.

    Parameters
    ----------
    dependences : sequence of PartialDependence

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes, or array of them where there are several features
    figure_
        Set by `plot`.
    """

    def __init__(self, dependences: Sequence[PartialDependence]) -> None:
        if not dependences:
            raise BayeswoodError("PartialDependenceDisplay needs at least one feature.")
        self.dependences = tuple(dependences)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: int | str | Sequence[int | str],
        *,
        ax: Any | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        X : table
            Background rows.
        features : int, str, or a list of them
        ax : matplotlib.axes.Axes or a sequence of them, optional
        **options
            Of `bayeswood.posterior.partial_dependence`: ``target``, ``n_grid``, ``coverage``,
            ``max_rows``, ``rng``.

        Returns
        -------
        PartialDependenceDisplay
        """
        wanted = [features] if isinstance(features, int | str | np.integer) else list(features)
        return cls.from_dependences(
            [partial_dependence(estimator, X, feature, **options) for feature in wanted], ax=ax
        )

    @classmethod
    def from_dependences(
        cls, dependences: Sequence[PartialDependence], *, ax: Any | None = None
    ) -> Self:
        """Draw partial dependences computed before.

        Parameters
        ----------
        dependences : sequence of PartialDependence
        ax : matplotlib.axes.Axes or a sequence of them, optional

        Returns
        -------
        PartialDependenceDisplay
        """
        return cls(dependences).plot(ax)

    def plot(self, ax: Any | None = None) -> Self:
        """Draw; all features on one scale.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or a sequence of them, optional

        Returns
        -------
        self
        """
        axes = self._axes(ax)
        for place, dependence in zip(axes, self.dependences, strict=True):
            tidy(place)
            draw = _draw_levels if dependence.is_category else _draw_curve
            draw(place, dependence)
        self._share_scale(axes)
        self.ax_ = axes[0] if len(axes) == 1 else np.array(axes, dtype=object)
        self.figure_ = axes[0].figure
        return self

    def _axes(self, ax: Any | None) -> list[Any]:
        n_panels = len(self.dependences)
        if ax is not None:
            given = list(np.ravel(np.asarray(ax, dtype=object)))
            if len(given) != n_panels:
                raise BayeswoodError(f"{n_panels} features need as many axes. Got {len(given)}.")
            return given
        first = take_axes(None, figsize=(6.0, 4.2)) if n_panels == 1 else None
        return [first] if first is not None else _panels(n_panels)

    def _share_scale(self, axes: list[Any]) -> None:
        low = min(float(d.lower.min()) for d in self.dependences)
        high = max(float(d.upper.max()) for d in self.dependences)
        margin = 0.06 * (high - low) or 0.5
        first = self.dependences[0]
        room = max(label_cells(axes[0], "y") - 16, 6)
        what = "mean prediction"
        if first.target:
            what = f"probability of {shorten(first.target, min(room, 18))}"
        for idx, place in enumerate(axes):
            place.set_ylim(low - margin, high + margin)
            if idx % _N_COLUMNS == 0:
                place.set_ylabel(what)
        axes[0].set_title(
            f"band: {percent(first.coverage)} of the posterior", loc="left", color=INK,
            fontsize=0.9 * text_size(axes[0]),
        )  # fmt: skip


def _panels(n_panels: int) -> list[Any]:
    n_columns = min(n_panels, _N_COLUMNS)
    n_rows = -(-n_panels // n_columns)
    figure, axes = pyplot().subplots(
        n_rows, n_columns, squeeze=False, layout="constrained",
        figsize=(2.9 * n_columns, 2.7 * n_rows),
    )  # fmt: skip
    places = list(axes.ravel())
    for unused in places[n_panels:]:
        figure.delaxes(unused)
    return places[:n_panels]


def _draw_curve(ax: Any, shown: PartialDependence) -> None:
    ax.fill_between(shown.grid, shown.lower, shown.upper, color=BLUE, alpha=0.2, linewidth=0)
    marker = "o" if len(shown.grid) <= 12 else None
    ax.plot(shown.grid, shown.mean, color=BLUE, linewidth=2, marker=marker, markersize=4)
    if shown.values.size:
        deciles = np.quantile(shown.values, _DECILES)
        seen = deciles[(deciles >= shown.grid.min()) & (deciles <= shown.grid.max())]
        ax.plot(
            seen, np.zeros(len(seen)), "|", color=GREY, markersize=9, markeredgewidth=1.2,
            transform=ax.get_xaxis_transform(), clip_on=False,
        )  # fmt: skip
    few_ticks(ax)
    _name(ax, shown.feature)


def _draw_levels(ax: Any, shown: PartialDependence) -> None:
    counts = _level_counts(shown)
    order = np.sort(np.argsort(-counts, kind="stable")[:_MAX_LEVELS])
    place = np.arange(len(order))
    ax.vlines(place, shown.lower[order], shown.upper[order], color=BLUE, alpha=0.3, linewidth=6)
    ax.scatter(place, shown.mean[order], color=BLUE, s=26, zorder=3)
    _name_levels(ax, [str(shown.grid[k]) for k in order])
    ax.set_xlim(-0.6, len(order) - 0.4)
    n_hidden = len(shown.grid) - len(order)
    _name(ax, shown.feature, f" (and {n_hidden} rarer levels)" if n_hidden else "")


def _level_counts(shown: PartialDependence) -> Any:
    """How often each level of the grid occurs; all alike where the grid was chosen."""
    counts = np.bincount(shown.values.astype(np.intp), minlength=len(shown.grid))
    return counts if len(counts) == len(shown.grid) else np.ones(len(shown.grid))


def _name_levels(ax: Any, names: list[str]) -> None:
    """Levels side by side where they fit, else upright."""
    width, _ = axes_inches(ax)
    size = text_size(ax)
    room = cells_in(0.8 * width / max(len(names), 1), size) - 1
    fits = max(map(len, names)) <= room
    ax.set_xticks(
        np.arange(len(names)), names if fits else shorten_all(names, 16),
        rotation=0 if fits else 90, fontsize=min(size, 8.5) if len(names) > 8 else size,
    )  # fmt: skip


def _name(ax: Any, name: str, more: str = "") -> None:
    cells = label_cells(ax) - len(more)
    ax.set_xlabel(shorten(name, max(8, min(cells, 40))) + more)
