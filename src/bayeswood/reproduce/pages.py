"""Write the pages of a run, the kept results, and the table over all papers."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.html import to_html
from bayeswood.reproduce.markdown import to_markdown
from bayeswood.reproduce.page import Block, Grid, Heading, Prose, page_of
from bayeswood.reproduce.paper import Paper
from bayeswood.reproduce.record import Record, count_verdicts, record_from_plain
from bayeswood.reproduce.verdict import AGREES, DIFFERS, NOT_RUN, RULE
from bayeswood.reproduce.work import write_whole

README, RESULTS = "README.md", "results.json"
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
    blocks = page_of(paper, record)
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


def write_results(record: Record, papers: Path) -> Path:
    """Keep the results of a run in the project's sources, for `write_readmes`.

    Parameters
    ----------
    record : Record
        A whole run with its sample.
    papers : Path
        Folder with a folder per paper.
    """
    folder = papers / record.paper
    folder.mkdir(exist_ok=True)
    place = folder / RESULTS
    text = json.dumps(record.to_plain(), indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(place, text + "\n")
    return place


def read_results(folder: Path) -> Record:
    """The kept results in a paper's folder.

    Parameters
    ----------
    folder : Path
    """
    try:
        plain = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BayeswoodError(f"Cannot read '{folder.name}/{RESULTS}': {error}.") from error
    return record_from_plain(plain)


def readme_of(paper: Paper, record: Record) -> str:
    """The text of ``papers/NAME/README.md``.

    Parameters
    ----------
    paper : Paper
    record : Record
    """
    return to_markdown(page_of(paper, record))


def summary_of(records: Mapping[str, tuple[Paper, Record]], others: Iterable[str]) -> str:
    """The text of ``papers/README.md``.

    Parameters
    ----------
    records : mapping of str to (Paper, Record)
        By name.
    others : iterable of str
        Papers that are not in this form yet.
    """
    rows = [_summary_row(paper, record) for paper, record in records.values()]
    rows += [(f"[{name}]({name}/{README})", *[""] * 4, "not in this form yet") for name in others]
    header = ("paper", "cells", "agree", "differ, and why", "cannot be run", "claims")
    blocks: list[Block] = [
        Heading(1, "The papers, run again"),
        Prose(
            "`bayeswood reproduce PAPER` runs a paper's experiments again at the paper's own sizes "
            "and holds every printed number beside what comes out; `bayeswood reproduce` lists the "
            "papers, `--quick` makes a run of a minute or two. Each folder here has the page of a "
            "whole run and, for tables like this one, its numbers (`results.json`). Both are "
            "written by `bayeswood reproduce PAPER --write-readme`, this page by "
            "`bayeswood reproduce --summary`; [CONTRIBUTING](../CONTRIBUTING.md#add-a-paper) says "
            "how a paper is added."
        ),
        Grid(header, tuple(sorted(rows))),
        Heading(2, "The rule"),
        Prose(RULE),
    ]
    return to_markdown(blocks)


def _summary_row(paper: Paper, record: Record) -> tuple[str, ...]:
    counts = count_verdicts(record.cells)
    differing, absent = Counter[str](), Counter[str]()
    for part in record.parts:
        for cell in part.finding.cells:
            if cell.verdict == DIFFERS:
                differing[paper.reason(part.key, cell)] += 1
            elif cell.verdict == NOT_RUN:
                absent[cell.why] += 1
    whole = [part.title.partition(":")[0] for part in paper.parts if part.find is None]
    holds = sum(claim.holds is True for claim in record.claims)
    return (
        f"[{paper.name}]({paper.name}/{README})",
        str(len(record.cells)),
        str(counts[AGREES]),
        f"{counts[DIFFERS]}" + _listed(differing),
        f"{counts[NOT_RUN]}" + _listed(absent) + "".join(f"; {text}" for text in whole),
        f"{holds} of {len(record.claims)} hold",
    )


def _listed(counts: Counter[str]) -> str:
    return "".join(f"; {n}: {text.rstrip('.')}" for text, n in counts.most_common())
