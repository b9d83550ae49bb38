"""What a part of a paper came to: compared cells, checked claims, listings and pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

from bayeswood.reproduce.verdict import NOT_RUN, Reading, judge

HOLDS, HOLDS_NOT, NOT_CHECKED = "holds", "does not hold", "not checked"


@dataclass(frozen=True)
class Cell:
    """One printed number, and what came out here.

    Attributes
    ----------
    row, column : str
        Its place in the table.
    printed, printed_spread : float
        As printed; the spread is None where none is.
    verdict : {"agrees", "differs", "not run"}
    why : str
        Why it was not run.
    ours, ours_sd : float or None
        Mean and standard deviation of our repeats.
    n_repeats : int
        Ours.
    p : float or None
        Of the test.
    basis : str
        What the verdict rests on, see `Verdict`.
    digits : int
        After the decimal point, for display.
    """

    row: str
    column: str
    printed: float
    printed_spread: float | None
    verdict: str
    why: str = ""
    ours: float | None = None
    ours_sd: float | None = None
    n_repeats: int = 0
    p: float | None = None
    basis: str = ""
    digits: int = 2


def compared(
    place: tuple[str, str],
    printed: tuple[float, float | None],
    ours: Sequence[float],
    reading: Reading,
    *,
    digits: int = 2,
) -> Cell:
    """A cell that was run.

    Parameters
    ----------
    place : (str, str)
        Row and column.
    printed : (float, float or None)
        As printed, and its spread.
    ours : sequence of float
        One number per repeat.
    reading : Reading
    digits : int, default 2
        After the decimal point, for display.
    """
    found = judge(*printed, ours, reading)
    return Cell(
        *place, *printed, found.word, "", found.mean, found.sd, found.n_repeats, found.p,
        found.basis, digits,
    )  # fmt: skip


def not_run(
    place: tuple[str, str], printed: tuple[float, float | None], why: str, *, digits: int = 2
) -> Cell:
    """A cell that was not run, and why."""
    return Cell(*place, *printed, NOT_RUN, why, digits=digits)


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, held against numbers.

    Attributes
    ----------
    text : str
        What the paper says, and where.
    checked : str
        What was computed to see whether it holds.
    holds : bool or None
        None: it was not checked, and `numbers` says why.
    numbers : str
    """

    text: str
    checked: str
    holds: bool | None
    numbers: str

    @property
    def verdict(self) -> str:
        """What `holds` says, in words."""
        return {True: HOLDS, False: HOLDS_NOT, None: NOT_CHECKED}[self.holds]


@dataclass(frozen=True)
class Listing:
    """A table of ours without a printed counterpart.

    Attributes
    ----------
    header : tuple of str
    rows : tuple of tuple of str
    title : str
    words : str
        What is to be said below it.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    words: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure.

    Attributes
    ----------
    name : str
        Of its file, without the ending.
    caption : str
    png : bytes
        Empty in what is kept of a run.
    """

    name: str
    caption: str
    png: bytes = b""


@dataclass(frozen=True)
class Finding:
    """What a part came to; any mixture of these."""

    cells: tuple[Cell, ...] = ()
    claims: tuple[Claim, ...] = ()
    listings: tuple[Listing, ...] = ()
    pictures: tuple[Picture, ...] = ()
    words: str = ""
