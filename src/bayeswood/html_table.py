"""Small tables of HTML, for notebooks: what `_repr_html_` of reports is made of.

Colours are the page's own, so that tables can be read on light and on dark; every value is escaped.
"""

from collections.abc import Iterable, Sequence
from html import escape

_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,.35);"
_CELL = f"{_LINE}padding:.2em .7em;background:none;"
_NUMBER = f"{_CELL}text-align:right;font-variant-numeric:tabular-nums;"
_TEXT = f"{_CELL}text-align:left;"


def block(title: str, *parts: str) -> str:
    """A title over parts that are HTML already.

    Examples
    --------
    >>> block("a < b")
    '<div style="line-height:1.4"><b>a &lt; b</b></div>'
    """
    return f'<div style="line-height:1.4"><b>{escape(title)}</b>{"".join(parts)}</div>'


def words(text: str) -> str:
    """A paragraph.

    Examples
    --------
    >>> words("2 > 1")
    '<p style="margin:.3em 0">2 &gt; 1</p>'
    """
    return f'<p style="margin:.3em 0">{escape(text)}</p>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table: its first column is text, the others numbers.

    Parameters
    ----------
    head : sequence of str
        Titles of the columns.
    rows : iterable of sequences
        Cells, which are shown as `str` gives them.
    """
    titles = "".join(_cell("th", text, k > 0) for k, text in enumerate(head))
    lines = (
        "<tr>" + "".join(_cell("td", cell, k > 0) for k, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return _whole(f"<thead><tr>{titles}</tr></thead>", lines)


def entries(pairs: Iterable[tuple[str, str]]) -> str:
    """A table of names, and what is to be said about each."""
    lines = (f"<tr>{_cell('th', name)}{_cell('td', text)}</tr>" for name, text in pairs)
    return _whole("", lines)


def _whole(head: str, lines: Iterable[str]) -> str:
    style = "border-collapse:collapse;margin:.4em 0;color:inherit;background:none;"
    return f'<table style="{style}">{head}<tbody>{"".join(lines)}</tbody></table>'


def _cell(tag: str, content: object, is_number: bool = False) -> str:
    style = _NUMBER if is_number else _TEXT
    return f'<{tag} style="{style}">{escape(str(content))}</{tag}>'
