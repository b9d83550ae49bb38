"""Small tables of HTML, for notebooks: what `_repr_html_` of reports is made of.

Colours are the page's own, so that tables can be read on light and on dark; every value is escaped.
"""

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = (
    ".bayeswood{line-height:1.4}.bayeswood p{margin:.3em 0}"
    ".bayeswood table{border-collapse:collapse;margin:.4em 0;color:inherit;background:none}"
    ".bayeswood th,.bayeswood td{border:0;border-bottom:1px solid rgba(128,128,128,.35);"
    "padding:.2em .7em;text-align:right;background:none;font-variant-numeric:tabular-nums}"
    ".bayeswood tr{background:none!important}"
    ".bayeswood tr>:first-child,.bayeswood .words td{text-align:left}"
)


def block(title: str, *parts: str) -> str:
    """A title over parts that are HTML already.

    Examples
    --------
    >>> block("a < b").endswith("</style><b>a &lt; b</b></div>")
    True
    """
    body = f"<b>{escape(title)}</b>{''.join(parts)}"
    return f'<div class="bayeswood"><style>{_STYLE}</style>{body}</div>'


def words(text: str) -> str:
    """A paragraph.

    Examples
    --------
    >>> words("2 > 1")
    '<p>2 &gt; 1</p>'
    """
    return f"<p>{escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table: its first column is text, the others numbers.

    Parameters
    ----------
    head : sequence of str
        Titles of the columns.
    rows : iterable of sequences
        Cells, which are shown as `str` gives them.
    """
    lines = "".join(_line("td", row) for row in rows)
    return f"<table><thead>{_line('th', head)}</thead><tbody>{lines}</tbody></table>"


def entries(pairs: Iterable[tuple[str, str]]) -> str:
    """A table of names, and what is to be said about each."""
    lines = "".join(_line("td", pair) for pair in pairs)
    return f'<table class="words"><tbody>{lines}</tbody></table>'


def _line(tag: str, cells: Iterable[object]) -> str:
    inside = "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)
    return f"<tr>{inside}</tr>"
