"""The page about a run, as blocks that become Markdown or HTML."""

from collections.abc import Iterator
from dataclasses import dataclass

from bayeswood.reproduce.finding import HOLDS_NOT, NOT_CHECKED, Cell, Claim, Finding, Picture
from bayeswood.reproduce.paper import Paper, Part
from bayeswood.reproduce.record import PartRecord, Record, count_verdicts
from bayeswood.reproduce.verdict import AGREES, BOTH_SPREADS, DIFFERS, NOT_RUN, RULE, short_p
from bayeswood.reproduce.whole import Marks, marks_of, place_of


@dataclass(frozen=True)
class Heading:
    """A heading of a level from 1 on."""

    level: int
    text: str


@dataclass(frozen=True)
class Prose:
    """Paragraphs, lists and headings in Markdown."""

    text: str


@dataclass(frozen=True)
class Grid:
    """A table."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Prose | Grid | Picture


def command_of(record: Record) -> str:
    """The command that gives a record.

    Parameters
    ----------
    record : Record
    """
    options = (f" --seed {record.seed}" if record.seed else "") + " --quick" * record.quick
    return f"bayeswood reproduce {record.paper}{options}"


def page_of(paper: Paper, record: Record, whole: Record | None = None) -> list[Block]:
    """All that is to be said about a run of a paper.

    Parameters
    ----------
    paper : Paper
    record : Record
    whole : Record, optional
        A whole run; where a quick one comes to another verdict, the page says so.
    """
    return list(_page(paper, record, marks_of(record, whole)))


def _page(paper: Paper, record: Record, marks: Marks) -> Iterator[Block]:
    yield Heading(1, paper.title)
    yield Prose(paper.citation)
    yield Prose(_run_words(paper, record, marks))
    if paper.about:
        yield Prose(paper.about)
    yield Heading(2, "What comes out")
    yield _contents(paper, record)
    yield Prose(RULE)
    differing = list(_differing(paper, record, marks))
    if differing:
        yield Heading(3, "What differs, and why")
        yield Grid(("part", "row", "column", "printed", "ours", "p", "why"), tuple(differing))
    known = {part.key: part for part in paper.parts}
    for found in record.parts:
        yield from _part(known[found.key], found, marks)
    if paper.notes:
        yield Prose(paper.notes)


def _run_words(paper: Paper, record: Record, marks: Marks) -> str:
    minutes = record.cpu_seconds / 60
    took = f"{minutes:.0f} minutes" if minutes >= 2 else f"{record.cpu_seconds:.0f} seconds"
    text = (
        f"Written by `{command_of(record)}` with seed {record.seed}, bayeswood {record.version}, "
        f"on {record.date}; {took} of CPU time."
    )
    if record.quick:
        words = marks.words or "Its verdicts are those of the shortened run."
        text += f" **A quick run**: {paper.quick} {words}"
    if record.missing:
        text += f" Data sets that were not there: {', '.join(record.missing)}."
    return text


def _contents(paper: Paper, record: Record) -> Grid:
    found = {part.key: part for part in record.parts}
    rows = []
    for part in paper.parts:
        here = found.get(part.key)
        state = _state(part, here)
        cells = here.finding.cells if here else ()
        counts = count_verdicts(cells)
        numbers = [str(counts[word]) if cells else "" for word in (AGREES, DIFFERS, NOT_RUN)]
        rows.append((part.title, str(len(cells)) if cells else "", *numbers, state))
    total = count_verdicts(record.cells)
    numbers = [str(total[word]) for word in (AGREES, DIFFERS, NOT_RUN)]
    rows.append(("**all**", str(len(record.cells)), *numbers, claim_counts(record.claims)))
    return Grid(("part", "printed cells", "agree", "differ", "not run", ""), tuple(rows))


def _state(part: Part, found: PartRecord | None) -> str:
    if part.find is None:
        return "not run"
    if found is None:
        return "not asked for"
    if found.missing:
        return f"not run: {found.missing}"
    pictures = "drawn" if found.finding.pictures else ""
    return claim_counts(found.finding.claims) or pictures


def claim_counts(claims: tuple[Claim, ...]) -> str:
    """How many claims hold, do not, and were not checked; empty without claims.

    Parameters
    ----------
    claims : tuple of Claim
    """
    counts = {word: sum(_claim_word(claim) == word for claim in claims) for word in _CLAIM_WORDS}
    return ", ".join(f"{n} {word}" for word, n in counts.items() if n)


_CLAIM_WORDS = ("hold", "do not hold", "not checked")


def _claim_word(claim: Claim) -> str:
    return {True: _CLAIM_WORDS[0], False: _CLAIM_WORDS[1], None: _CLAIM_WORDS[2]}[claim.holds]


def _differing(paper: Paper, record: Record, marks: Marks) -> Iterator[tuple[str, ...]]:
    titles = {part.key: part.title.partition(":")[0] for part in paper.parts}
    for part in record.parts:
        for cell in part.finding.cells:
            if cell.verdict == DIFFERS:
                other = marks.changed.get(place_of(part.key, cell))
                why = f"In the whole run: {other}." if other else paper.reason(part.key, cell)
                yield (
                    titles[part.key], cell.row, cell.column, printed_text(cell), ours_text(cell),
                    p_text(cell), why,
                )  # fmt: skip


def _part(part: Part, found: PartRecord, marks: Marks) -> Iterator[Block]:
    yield Heading(2, part.title)
    if part.words:
        yield Prose(f"Not run, because {part.words}" if part.find is None else part.words)
    if found.missing:
        yield Prose(f"Not run: {found.missing}.")
    yield from _finding(part.key, found.finding, marks)


def _finding(key: str, finding: Finding, marks: Marks) -> Iterator[Block]:
    if finding.cells:
        header = ("row", "column", "printed", "ours", "p", "verdict")
        yield Grid(header, tuple(_cell_row(key, cell, marks) for cell in finding.cells))
    if finding.claims:
        rows = [
            (claim.text, claim.checked, _claim_text(key, claim, marks), claim.numbers)
            for claim in finding.claims
        ]
        yield Grid(("claim", "what was checked", "", "numbers"), tuple(rows))
    for listing in finding.listings:
        if listing.title:
            yield Heading(3, listing.title)
        yield Grid(listing.header, listing.rows)
        if listing.words:
            yield Prose(listing.words)
    yield from finding.pictures
    if finding.words:
        yield Prose(finding.words)


def _claim_text(key: str, claim: Claim, marks: Marks) -> str:
    word = f"**{HOLDS_NOT}**" if claim.verdict == HOLDS_NOT else claim.verdict
    return word + marks.beside(place_of(key, claim), was_run=claim.verdict != NOT_CHECKED)


def _cell_row(key: str, cell: Cell, marks: Marks) -> tuple[str, ...]:
    verdict = _verdict_text(cell)
    verdict += marks.beside(place_of(key, cell), was_run=cell.verdict != NOT_RUN)
    return (cell.row, cell.column, printed_text(cell), ours_text(cell), p_text(cell), verdict)


def _verdict_text(cell: Cell) -> str:
    if cell.verdict == NOT_RUN:
        return f"not run: {cell.why}"
    word = f"**{cell.verdict}**" if cell.verdict == DIFFERS else cell.verdict
    return word if cell.basis == BOTH_SPREADS else f"{word}, {cell.basis}"


def printed_text(cell: Cell) -> str:
    """The printed number with its spread.

    Parameters
    ----------
    cell : Cell
    """
    return _number_text(cell.printed, cell.printed_spread, cell.digits)


def ours_text(cell: Cell) -> str:
    """Our mean with the standard deviation of a repeat.

    Parameters
    ----------
    cell : Cell
    """
    return "" if cell.ours is None else _number_text(cell.ours, cell.ours_sd, cell.digits)


def _number_text(value: float, spread: float | None, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text if spread is None else f"{text} ± {spread:.{digits}f}"


def p_text(cell: Cell) -> str:
    """P of the test; empty where there is none.

    Parameters
    ----------
    cell : Cell
    """
    return "" if cell.p is None else short_p(cell.p)
