"""The README files of the project's sources, written from kept results."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from bayeswood.reproduce.markdown import to_markdown
from bayeswood.reproduce.page import Block, Grid, Heading, Prose, claim_counts, page_of
from bayeswood.reproduce.paper import Paper
from bayeswood.reproduce.papers import find_paper, paper_names
from bayeswood.reproduce.record import RESULTS, Record, count_verdicts, read_results
from bayeswood.reproduce.verdict import AGREES, DIFFERS, NOT_RUN, RULE
from bayeswood.reproduce.work import write_whole

README = "README.md"


def write_readmes(papers: Path) -> list[Path]:
    """Write the README of each paper with kept results, and the one over all.

    Parameters
    ----------
    papers : Path
        Folder with a folder per paper.
    """
    texts = readme_texts(papers)
    for place, text in texts.items():
        write_whole(place, text)
    return list(texts)


def readme_texts(papers: Path) -> dict[Path, str]:
    """What these files must be, by their places.

    Parameters
    ----------
    papers : Path
    """
    names = [name for name in paper_names() if (papers / name / RESULTS).is_file()]
    records = {name: (find_paper(name), read_results(papers / name)) for name in names}
    texts = {
        papers / name / README: readme_of(paper, record)
        for name, (paper, record) in records.items()
    }
    texts[papers / README] = summary_of(records)
    return texts


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


def readme_of(paper: Paper, record: Record) -> str:
    """The text of ``papers/NAME/README.md``.

    Parameters
    ----------
    paper : Paper
    record : Record
    """
    return to_markdown(page_of(paper, record))


def summary_of(records: Mapping[str, tuple[Paper, Record]]) -> str:
    """The text of ``papers/README.md``.

    Parameters
    ----------
    records : mapping of str to (Paper, Record)
        By name.
    """
    rows = [_summary_row(paper, record) for paper, record in records.values()]
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
    return (
        f"[{paper.name}]({paper.name}/{README})",
        str(len(record.cells)),
        str(counts[AGREES]),
        _counted(counts[DIFFERS], [f"{text} ({n})" for text, n in differing.most_common()]),
        _counted(counts[NOT_RUN], [*(f"{text} ({n})" for text, n in absent.most_common()), *whole]),
        claim_counts(record.claims),
    )


def _counted(n_cells: int, texts: list[str]) -> str:
    return f"{n_cells}: {'; '.join(texts)}" if texts else str(n_cells)
