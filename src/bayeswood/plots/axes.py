"""What all plots share: where to draw, and the look of axes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.report.palette import GREY, INK

MAX_ROWS_DRAWN = 300


def take_axes(ax: Any | None) -> Any:
    """The given axes, or new ones on a figure of pyplot."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise BayeswoodError("Plots need matplotlib: pip install 'bayeswood[plots]'") from None
    return plt.subplots(layout="constrained")[1] if ax is None else ax


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
