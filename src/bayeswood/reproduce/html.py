"""Blocks of a page as one HTML file that needs no other."""

import base64
import html
import re
from collections.abc import Iterable

from bayeswood.reproduce.finding import Picture
from bayeswood.reproduce.page import Block, Grid, Heading, Prose

_STYLE = """
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222;
       font: 16px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 14px; display: block;
        overflow-x: auto; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left;
         vertical-align: top; }
th { border-bottom: 2px solid #8c8c8c; }
@media (max-width: 40rem) {
  td:first-child { min-width: 7rem; }
  td:last-child { min-width: 15rem; }
}
td + td strong { color: #a50026; }
code, pre { background: #f4f4f4; font-size: 90%; overflow-wrap: anywhere; }
pre { padding: .6rem; overflow-x: auto; }
img { max-width: 100%; }
figcaption { color: #555; font-size: 14px; }
"""
_FENCE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)


def to_html(blocks: Iterable[Block], title: str) -> str:
    """A page as HTML, its pictures inside.

    Parameters
    ----------
    blocks : iterable of Block
    title : str
    """
    body = "\n".join(_block(block) for block in blocks)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return _heading(block.level, block.text)
    if isinstance(block, Prose):
        return _prose(block.text)
    if isinstance(block, Grid):
        return _grid(block.header, block.rows)
    return _picture(block)


def _heading(level: int, text: str) -> str:
    """With the anchor that Markdown's readers give it."""
    anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    return f'<h{level} id="{anchor}">{inline(text)}</h{level}>'


def _grid(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{inline(cell)}</th>" for cell in header)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode()
    caption = inline(picture.caption)
    alt = html.escape(picture.caption)
    return (
        f'<figure><img alt="{alt}" src="data:image/png;base64,{data}">'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _prose(text: str) -> str:
    """Paragraphs, headings, lists, tables and fenced code: what the papers' texts are made of."""
    parts = _FENCE.split(text.strip())
    found = []
    for at, part in enumerate(parts):
        if at % 2:
            found.append(f"<pre>{html.escape(part)}</pre>")
        else:
            chunks = re.split(r"\n\s*\n", part)
            found += [_chunk(chunk.strip()) for chunk in chunks if chunk.strip()]
    return "\n".join(found)


def _chunk(chunk: str) -> str:
    lines = chunk.split("\n")
    if heading := re.match(r"(#+) (.*)", lines[0]):
        level = len(heading[1])
        rest = "\n".join(lines[1:]).strip()
        return _heading(level, heading[2]) + (_prose(rest) if rest else "")
    if lines[0].startswith("|"):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        return _grid(rows[0], rows[2:])
    if item := re.match(r"(-|\d+\.) ", lines[0]):
        items = re.split(r"\n(?=(?:-|\d+\.) )", chunk)
        body = "".join(f"<li>{inline(each.partition(' ')[2])}</li>" for each in items)
        kind = "ul" if item[1] == "-" else "ol"
        return f"<{kind}>{body}</{kind}>"
    return f"<p>{inline(chunk)}</p>"


def inline(text: str) -> str:
    """Code, bold, italics and links within a line.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> inline("**a** < `b`, [c](d.md)")
    '<strong>a</strong> &lt; <code>b</code>, <a href="d.md">c</a>'
    """
    found = html.escape(text, quote=False).replace(" ± ", "&nbsp;±&nbsp;")
    found = re.sub(r"`([^`]+)`", r"<code>\1</code>", found)
    found = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", found)
    found = re.sub(r"(?<![*\w])\*([^*]+)\*(?![*\w])", r"<em>\1</em>", found)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', found)
