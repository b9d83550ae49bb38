"""Blocks of a page as Markdown."""

from collections.abc import Iterable

from bayeswood.reproduce.finding import Picture
from bayeswood.reproduce.page import Block, Grid, Heading, Prose


def to_markdown(blocks: Iterable[Block], *, pictures: str | None = None) -> str:
    r"""A page as Markdown.

    Parameters
    ----------
    blocks : iterable of Block
    pictures : str or None
        Folder of the pictures, beside the page; None: they are named, not shown.

    Examples
    --------
    >>> print(to_markdown([Heading(1, "One"), Grid(("a", "b"), (("1", "x|y"),))]), end="")
    # One
    <BLANKLINE>
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    return "\n\n".join(_block(block, pictures) for block in blocks) + "\n"


def _block(block: Block, pictures: str | None) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Prose):
        return block.text.strip()
    if isinstance(block, Grid):
        lines = [_line(block.header), "|" + "---|" * len(block.header), *map(_line, block.rows)]
        return "\n".join(lines)
    return _picture(block, pictures)


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _picture(picture: Picture, folder: str | None) -> str:
    if folder is None:
        return f"`{picture.name}.png`: {picture.caption}"
    return f"![{picture.caption}]({folder}/{picture.name}.png)\n\n{picture.caption}"
