"""What all plots share: where to draw, and the look of axes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.report.names import shorten_all
from bayeswood.report.palette import GREY, INK

MAX_ROWS_DRAWN = 300

# Axes narrower than so many inches get smaller letters.
_FULL_WIDTH = 4.2
_SMALLEST_FONT = 5.5


def pyplot() -> Any:
    """``matplotlib.pyplot``, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise BayeswoodError("Plots need matplotlib: pip install 'bayeswood[plots]'") from None
    return plt


def take_axes(ax: Any | None, figsize: tuple[float, float] | None = None) -> Any:
    """The given axes, or new ones on a figure of pyplot, of the given size in inches."""
    plt = pyplot()
    return plt.subplots(layout="constrained", figsize=figsize)[1] if ax is None else ax


def take_two(axes: Any | None, owner: str, roles: str, **layout: Any) -> NDArray[Any]:
    """The two given axes, or new ones on a figure of pyplot.

    Parameters
    ----------
    axes : two matplotlib.axes.Axes, or None
    owner : str
        What is drawn, for the error, such as ``"a structure"``.
    roles : str
        What the two are for, for the error.
    **layout
        Of `matplotlib.pyplot.subplots`.
    """
    found = pyplot().subplots(layout="constrained", **layout)[1] if axes is None else axes
    two = np.asarray(found, dtype=object).ravel()
    if two.size != 2:
        raise BayeswoodError(
            f"The 'axes' parameter of {owner} must be two axes: {roles}. Got {two.size} instead."
        )
    return two


def take_grid(axes: Any | None, shape: tuple[int, int], owner: str, **layout: Any) -> NDArray[Any]:
    """The given axes as an array of this shape, or new ones; see `take_two`."""
    if axes is None:
        axes = pyplot().subplots(*shape, squeeze=False, layout="constrained", **layout)[1]
    grid = np.asarray(axes, dtype=object)
    if grid.shape != shape:
        raise BayeswoodError(
            f"The 'axes' parameter of {owner} must be a {shape[0]} x {shape[1]} array of axes. "
            f"Got {grid.shape} instead."
        )
    return grid


def axes_inches(ax: Any) -> tuple[float, float]:
    """Width and height of the room that axes are given, before labels take their share."""
    page = ax.figure.bbox
    width, height = page.width / ax.figure.dpi, page.height / ax.figure.dpi
    spec = ax.get_subplotspec()
    if spec is None:
        place = ax.get_position()
        return float(place.width * width), float(place.height * height)
    grid = spec.get_gridspec()
    return len(spec.colspan) / grid.ncols * width, len(spec.rowspan) / grid.nrows * height


def text_scale(ax: Any) -> float:
    """What to multiply font sizes by, so that small axes get small letters (8 points in print)."""
    return float(np.clip(axes_inches(ax)[0] / _FULL_WIDTH, 0.62, 1.0))


def text_size(ax: Any, name: str = "xtick.labelsize") -> float:
    """A font size of the current style, in points, scaled to the axes."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties

    style: Any = mpl.rcParams
    return text_scale(ax) * float(FontProperties(size=style[name]).get_size_in_points())


def cells_in(width: float, font_size: float) -> int:
    """Characters, on average wide, that fit in so many inches; 6 at least."""
    return max(6, int(72 * width / (0.58 * font_size)))


def label_cells(ax: Any, axis: str = "x") -> int:
    """Characters that fit along an axis, in the size of its label."""
    width, height = axes_inches(ax)
    return cells_in(0.74 * (width if axis == "x" else height), text_size(ax, "axes.labelsize"))


def few_ticks(ax: Any) -> None:
    """Ticks along the horizontal axis that stay apart where names take half of the width."""
    width = axes_inches(ax)[0]
    ax.locator_params(axis="x", nbins=5 if width >= _FULL_WIDTH else 3 if width >= 1.6 else 2)


def rows_that_fit(ax: Any, n_rows: int, *, share: float = 0.84) -> int:
    """How many of so many named rows have room in a share of the height; one at least."""
    return max(1, min(n_rows, int(72 * share * axes_inches(ax)[1] / (1.2 * _SMALLEST_FONT))))


def font_for_rows(n_rows: int, height: float, largest: float) -> float:
    """Font size, in points, at which so many lines fit in so many inches.

    Examples
    --------
    >>> font_for_rows(10, 4.0, 10.0), font_for_rows(50, 4.0, 10.0)
    (10.0, 5.5)
    """
    return float(np.clip(72 * height / max(n_rows, 1) / 1.2, _SMALLEST_FONT, largest))


def name_rows(ax: Any, names: Sequence[str], *, share: float = 0.84) -> None:
    """Names of rows 0, 1, ... from top to bottom, as long and as large as the axes allow."""
    width, height = axes_inches(ax)
    size = font_for_rows(len(names), share * height, text_size(ax))
    cells = min(34, cells_in(0.45 * width, size))
    ax.set_yticks(np.arange(len(names)), shorten_all(names, cells), fontsize=size)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


class NamedRows:
    """Axes with a named row for each of the first things, as many as there is room for.

    Parameters
    ----------
    ax : matplotlib.axes.Axes or None
        Where to draw; None for new axes.
    names : sequence of str
        Of all things.
    n_rows : int
        How many to show at most.
    height : tuple of float
        Least height of new axes in inches, and the part of it that does not grow with the rows.
    share : float, default 0.84
        Of the height, for the rows.

    Attributes
    ----------
    ax : matplotlib.axes.Axes
    n_shown, n_hidden : int
        Rows with and without room.
    place : ndarray of int, (n_shown,)
        Of each row on the axis.
    thin : float
        What to multiply line widths by where rows are many.
    """

    def __init__(
        self,
        ax: Any | None,
        names: Sequence[str],
        n_rows: int,
        *,
        height: tuple[float, float],
        share: float = 0.84,
    ) -> None:
        n_wanted = min(n_rows, len(names))
        least, rest = height
        self.ax = take_axes(ax, figsize=(6.4, max(least, rest + 0.24 * n_wanted)))
        self.n_shown = rows_that_fit(self.ax, n_wanted, share=share)
        self.n_hidden = len(names) - self.n_shown
        self.place = np.arange(self.n_shown)
        self.thin = min(1.0, 12 / self.n_shown) ** 0.5
        self._names = names[: self.n_shown]
        self._share = share

    def finish(self, names: Sequence[str] | None = None) -> None:
        """Name the rows, when all is drawn; by other names if these are given."""
        tidy(self.ax, grid="x")
        name_rows(self.ax, self._names if names is None else names, share=self._share)
        few_ticks(self.ax)


def legend_above(
    ax: Any, handles: Sequence[Any] | None = None, *, side: str = "left", **options: Any
) -> None:
    """A legend above the axes, in as many columns as fit: it never hides data."""
    shown = ax.get_legend_handles_labels()[0] if handles is None else list(handles)
    size = 0.9 * text_size(ax)
    longest = max((len(handle.get_label()) for handle in shown), default=1)
    # A mark and its distances take some five letters.
    columns = max(1, cells_in(0.92 * axes_inches(ax)[0], size) // (longest + 5))
    ax.legend(
        handles=shown, loc=f"lower {side}", bbox_to_anchor=(float(side == "right"), 1.0),
        ncols=min(columns, len(shown)),
        frameon=False, fontsize=size, title_fontsize=size, alignment="left", labelcolor=INK,
        **{"borderaxespad": 0.2, "columnspacing": 1.2, "handletextpad": 0.5, "handlelength": 1.3,
           **options},
    )  # fmt: skip


def tidy(ax: Any, *, grid: str = "y") -> None:
    """Only the left and bottom spines, thin; a pale grid behind the data.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    grid : str
        ``"x"``, ``"y"`` or ``"both"``.
    """
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(color=GREY, labelcolor=INK)
    ax.grid(axis=grid, color=GREY, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.xaxis.label.set_fontsize(text_size(ax, "axes.labelsize"))
    ax.yaxis.label.set_fontsize(text_size(ax, "axes.labelsize"))
    ax.tick_params(labelsize=text_size(ax))


def spread_rows(n_rows: int, n_drawn: int = MAX_ROWS_DRAWN) -> NDArray[np.intp]:
    """Evenly spaced row numbers where there are too many to tell apart.

    They are the middles of equal parts, so that of sorted rows the few extremes stay outside.

    Examples
    --------
    >>> spread_rows(3), spread_rows(100, 4)
    (array([0, 1, 2]), array([12, 37, 62, 87]))
    """
    if n_rows <= n_drawn:
        return np.arange(n_rows)
    return ((np.arange(n_drawn) + 0.5) * n_rows / n_drawn).astype(np.intp)
