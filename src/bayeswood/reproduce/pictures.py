"""Figures for the pages, without touching pyplot's state."""

from io import BytesIO
from typing import Any

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.finding import Picture


def check_plots() -> None:
    """Say how to get matplotlib if it is not there."""
    new_figure(1, 1)


def new_figure(width: float, height: float) -> Any:
    """An empty ``matplotlib.figure.Figure`` of a size in inches.

    Parameters
    ----------
    width, height : float
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise BayeswoodError("Figures need matplotlib: pip install 'bayeswood[plots]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def picture_of(figure: Any, name: str, caption: str) -> Picture:
    """A figure as a picture of a page.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    name : str
        Of its file, without the ending.
    caption : str
    """
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return Picture(name, caption, buffer.getvalue())
