"""Write the pages of a run."""

from pathlib import Path

from bayeswood.reproduce.html import to_html
from bayeswood.reproduce.markdown import to_markdown
from bayeswood.reproduce.page import page_of
from bayeswood.reproduce.paper import Paper
from bayeswood.reproduce.record import Record
from bayeswood.reproduce.whole import kept_whole
from bayeswood.reproduce.work import write_whole

_PICTURES = "figures"


def write_pages(paper: Paper, record: Record, folder: Path) -> list[Path]:
    """Write a run as Markdown with pictures beside it, and as one HTML page.

    Parameters
    ----------
    paper : Paper
    record : Record
    folder : Path
        Made if need be.

    Returns
    -------
    list of Path
        The two pages.
    """
    blocks = page_of(paper, record, kept_whole(paper.name))
    pictures = [picture for part in record.parts for picture in part.finding.pictures]
    (folder / _PICTURES if pictures else folder).mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        write_whole(folder / _PICTURES / f"{picture.name}.png", picture.png)
    pages = {
        folder / f"{paper.name}.md": to_markdown(blocks, pictures=_PICTURES),
        folder / f"{paper.name}.html": to_html(blocks, paper.title),
    }
    for place, text in pages.items():
        write_whole(place, text)
    return list(pages)
