"""Trees drawn as outlines: a node a line, children indented below their parent.

Node-and-arrow pictures run out of width at the third level; names of real features are long. A
line per node gives each name the whole width, at any size of the page, and nothing can overlap.
On the right stands a bar for each node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayeswood.plots.axes import axes_inches, cells_in, font_for_rows, take_axes, text_size
from bayeswood.report.names import shorten
from bayeswood.report.palette import BLUE, GREY, INK

_TEXT_SHARE = 0.68
_BAR_LEFT, _BAR_RIGHT = 0.70, 0.87
_ROW_INCHES = 0.235
_LARGEST_FONT = 9.5
_FEWEST_NAME_CELLS = 16
_PALE_INK = "#666666"


@dataclass(frozen=True)
class OutlineLine:
    """A node as a line.

    Attributes
    ----------
    depth : int
    answer : str
        "yes" or "no" to the question above; empty at the root.
    name : str
        Of the feature, or at a leaf of the class; shortened to fit.
    rest : str
        What follows the name and is not shortened.
    short_rest : str
        The same where there is little room; empty if there is no shorter way.
    note : str
        At the right end.
    bar : tuple of (float, str)
        Shares and colours, from left to right.
    colour : str
        Of the node's mark.
    mark : str
        Of matplotlib's markers.
    is_leaf : bool
        Whether nothing follows below; the mark is then filled.
    is_cut : bool
        Whether the tree goes on below, not shown.
    is_aside : bool
        Whether the line says more about the node above: without a mark of its own.
    labels : tuple of str
        To write into the parts of the bar.
    """

    depth: int
    answer: str
    name: str
    rest: str
    note: str
    bar: tuple[tuple[float, str], ...]
    colour: str
    mark: str = "o"
    is_leaf: bool = False
    is_cut: bool = False
    is_aside: bool = False
    short_rest: str = ""
    labels: tuple[str, ...] = ()


def outline_axes(ax: Any | None, n_lines: int) -> Any:
    """The given axes, or new ones of a height that fits the lines."""
    return take_axes(ax, figsize=(6.8, 0.75 + _ROW_INCHES * n_lines))


def draw_outline(ax: Any, lines: Sequence[OutlineLine], heads: tuple[str, str]) -> None:
    """Draw lines in preorder, with heads above the bars and the notes."""
    width, height = axes_inches(ax)
    size = font_for_rows(len(lines) + 2, 0.9 * height, min(_LARGEST_FONT, 2.05 * width))
    # Widths in shares of the axes, from characters of this size.
    cell = 0.56 * size / 72 / width
    indent = 2.2 * cell
    ax.set(xlim=(0, 1), ylim=(len(lines) - 0.3, -1.3))
    ax.axis("off")
    _draw_branches(ax, lines, indent)
    for row, line in enumerate(lines):
        _draw_line(ax, row, line, indent, cell, size, width)
    middle = (_BAR_LEFT + _BAR_RIGHT) / 2
    ax.text(middle, -0.85, heads[0], ha="center", va="center", fontsize=0.85 * size, color=GREY)
    ax.text(1, -0.85, heads[1], ha="right", va="center", fontsize=0.85 * size, color=GREY)
    for text in ax.texts:  # they fit; the layout would make room for them twice
        text.set_in_layout(False)


def _left(line: OutlineLine, indent: float) -> float:
    return 0.012 + line.depth * indent


def _draw_branches(ax: Any, lines: Sequence[OutlineLine], indent: float) -> None:
    """Elbows from each parent to its children."""
    parents: list[int] = []
    for row, line in enumerate(lines):
        if line.is_aside:
            continue
        del parents[line.depth :]
        if parents:
            x = _left(lines[parents[-1]], indent)
            ax.plot([x, x, _left(line, indent)], [parents[-1], row, row], color=GREY,
                    linewidth=0.8, zorder=1, solid_joinstyle="miter")  # fmt: skip
        parents.append(row)


def _draw_line(
    ax: Any, row: int, line: OutlineLine, indent: float, cell: float, size: float, width: float
) -> None:
    x = _left(line, indent)
    if not line.is_aside:
        _draw_mark(ax, x, row, line, size)
    x += 1.3 * cell
    if line.answer:
        ax.text(x, row, line.answer, va="center", fontsize=0.85 * size, color=GREY)
        x += 3.6 * cell
    style = {"style": "italic"} if line.is_cut else {}
    text = _fitted(line, cells_in((_TEXT_SHARE - x) * width, size))
    colour = _PALE_INK if line.is_aside else INK
    ax.text(x, row, text, va="center", fontsize=size, color=colour, **style)
    _draw_bar(ax, row, line, size)
    ax.text(1, row, line.note, va="center", ha="right", fontsize=0.9 * size, color=colour)


def _draw_mark(ax: Any, x: float, row: int, line: OutlineLine, size: float) -> None:
    ax.scatter(
        [x], [row], s=(0.62 * size) ** 2, marker=line.mark, zorder=3, linewidths=1.0,
        facecolors=line.colour if line.is_leaf else "white", edgecolors=line.colour,
    )  # fmt: skip


def _fitted(line: OutlineLine, cells: int) -> str:
    """The line's text, its name shortened; with the short end where the name would vanish."""
    rest = line.rest
    if line.short_rest and cells - len(rest) < min(len(line.name), _FEWEST_NAME_CELLS):
        rest = line.short_rest
    return shorten(line.name, max(cells - len(rest), 5)) + rest if line.name else rest


def _draw_bar(ax: Any, row: int, line: OutlineLine, size: float) -> None:
    left, scale = _BAR_LEFT, _BAR_RIGHT - _BAR_LEFT
    for idx, (share, colour) in enumerate(line.bar):
        ax.barh(row, share * scale, left=left, height=0.56, color=colour, edgecolor="white",
                linewidth=0.4, zorder=2)  # fmt: skip
        if idx < len(line.labels) and line.labels[idx]:
            ax.text(left + share * scale / 2, row, line.labels[idx], ha="center", va="center",
                    fontsize=0.72 * size, color="white" if colour == BLUE else INK,
                    zorder=4)  # fmt: skip
        left += share * scale


def legend_below(ax: Any, handles: Sequence[Any]) -> None:
    """A legend below the outline, in as many columns as fit."""
    size = 0.9 * text_size(ax)
    longest = max(len(handle.get_label()) for handle in handles)
    columns = max(1, cells_in(0.95 * axes_inches(ax)[0], size) // (longest + 5))
    ax.legend(
        handles=list(handles), loc="upper left", bbox_to_anchor=(0, 0), frameon=False,
        ncols=min(columns, len(handles)), fontsize=size, handlelength=1, handleheight=1,
        columnspacing=1.2, borderaxespad=0.1, labelcolor=INK,
    )  # fmt: skip


def number(value: float) -> str:
    """A number in little room.

    Examples
    --------
    >>> number(12345.678), number(0.5), number(34.455)
    ('12,346', '0.5', '34.455')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.5g}"


def levels_text(levels: Sequence[str], n_shown: int = 3) -> str:
    """Some of the levels that go left, and how many more.

    Examples
    --------
    >>> levels_text(["red", "green", "blue", "black"], 2)
    ' in red, green + 2'
    """
    shown = ", ".join(shorten(level, 10) for level in levels[:n_shown])
    n_more = len(levels) - n_shown
    return f" in {shown}" + (f" + {n_more}" if n_more > 0 else "")
