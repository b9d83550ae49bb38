"""HTML that is safe by construction: what is not marked as HTML is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape

_EMPTY = frozenset({"input", "meta"})
# Of drawings: there, an element that is not closed would hold those that follow.
_CLOSED = frozenset({"path", "rect"})


_MARKS = re.compile(r"([_./-])(?=[^\W\d])")


class Html(str):
    """Text that is HTML already; everything else is escaped when it becomes part of a page."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """An element. Children that are no `Html` are escaped; attributes always are.

    Attributes that are None or False are left out; of their names a last underscore is dropped, and
    the others become hyphens.

    Examples
    --------
    >>> tag("td", "a < b", class_="number")
    '<td class="number">a &lt; b</td>'
    >>> tag("tr", tag("td", 1))
    '<tr><td>1</td></tr>'
    """
    opened = f"<{name}{''.join(_attribute(*pair) for pair in attributes.items())}"
    if name in _EMPTY:
        return Html(f"{opened}>")
    return Html(f"{opened}/>" if name in _CLOSED else f"{opened}>{join(children)}</{name}>")


def join(children: Iterable[object]) -> Html:
    """Children one after another."""
    return Html("".join(_child(child) for child in children))


def _child(child: object) -> str:
    if child is None:
        return ""
    return str(child) if isinstance(child, Html) else escape(str(child))


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    shown = name.removesuffix("_").replace("_", "-")
    return f" {shown}" if value is True else f' {shown}="{escape(str(value))}"'


def table(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    texts: int = 1,
    caption: str | None = None,
    class_: str | None = None,
) -> Html:
    """A table in a box of its own that scrolls; the first columns are text, the others numbers.

    Parameters
    ----------
    head : sequence
        Titles of the columns.
    rows : iterable of sequences
        Cells.
    texts : int, default 1
        So many columns are text; the first names the row.
    caption : str, optional
        For those who hear the page.
    class_ : str, optional
        Of the table.
    """
    titles = join(
        tag("th", cell, scope="col", class_=None if j < texts else "number")
        for j, cell in enumerate(head)
    )
    body = join(tag("tr", join(_cells(row, texts))) for row in rows)
    said = tag("caption", caption, class_="unseen") if caption else None
    inside = tag("table", said, tag("thead", tag("tr", titles)), tag("tbody", body), class_=class_)
    return tag("div", inside, class_="scroll", tabindex="0")


def _cells(row: Sequence[object], texts: int) -> Iterable[Html]:
    for j, cell in enumerate(row):
        if j == 0 and texts:
            yield tag("th", breakable(cell), scope="row")
        else:
            yield tag("td", cell, class_=None if j < texts else "number")


def breakable(name: object) -> Html:
    """A name that may go on in the next line after a mark such as an underscore.

    Examples
    --------
    >>> breakable("cell_size")
    'cell_<wbr>size'
    """
    if isinstance(name, Html):
        return name
    return Html(_MARKS.sub(r"\1<wbr>", escape(str(name))))


def pairs(entries: Iterable[tuple[object, object]]) -> Html:
    """Names, and what is to be said about each."""
    return tag("dl", join(join((tag("dt", name), tag("dd", said))) for name, said in entries))


def numbers(inside: Html, title: str = "Numbers") -> Html:
    """The numbers of a chart, folded away."""
    return tag("details", tag("summary", title), inside, class_="numbers")


def words(*texts: object, class_: str | None = None) -> Html:
    """A paragraph."""
    return tag("p", *texts, class_=class_)


def section(key: str, title: str, lead: object, *parts: object) -> Html:
    """A section of the page, with what it is about below its title."""
    head = tag("h2", title, id=f"{key}-title")
    return tag(
        "section", head, words(lead, class_="lead"), *parts, id=key, aria_labelledby=f"{key}-title"
    )


def number(value: float | None, digits: int = 4) -> str:
    """A number in little room; a dash where there is none.

    Examples
    --------
    >>> number(1234567.0), number(0.123456), number(float("nan")), number(12345.678)
    ('1.235e+06', '0.1235', '–', '12,346')
    """
    if value is None or value != value:
        return "–"
    if 1e4 <= abs(value) < 1e6:
        return f"{value:,.0f}"
    if 0 < abs(value) < 1e-4:
        digits = 2
    return f"{value:.{digits}g}".replace("-", "−")


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent; a dash where there is none.

    Examples
    --------
    >>> percent(0.1234), percent(None)
    ('12.3%', '–')
    """
    return "–" if share is None or share != share else f"{100 * share:.{digits}f}%"


def count(value: float) -> str:
    """A whole number."""
    return f"{int(value):,}"


def plural(n: int, word: str) -> str:
    """So many of something.

    Examples
    --------
    >>> plural(1, "row"), plural(1200, "row"), plural(3, "class")
    ('1 row', '1,200 rows', '3 classes')
    """
    ending = "" if n == 1 else "es" if word.endswith("s") else "s"
    return f"{n:,} {word}{ending}"
