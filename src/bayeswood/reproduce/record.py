"""What is kept of a run: plain data from which every page can be written again."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.finding import Cell, Claim, Finding, Listing, Picture

RESULTS = "results.json"


@dataclass(frozen=True)
class PartRecord:
    """What one part of a paper came to.

    Attributes
    ----------
    key : str
        Of the part.
    finding : Finding
    missing : str
        Why it could not be run on this machine; empty if it was.
    """

    key: str
    finding: Finding = field(default_factory=Finding)
    missing: str = ""


@dataclass(frozen=True)
class Record:
    """A run of a paper.

    Attributes
    ----------
    paper, version, date : str
        Name of the paper, version of the library, day of the run.
    seed : int
    quick : bool
    cpu_seconds : float
        Of all units, also of those taken up from an earlier run.
    parts : tuple of PartRecord
    missing : tuple of str
        Data sets that are not on this machine.
    sample : Finding
        Of the paper's `sample` part, in its quick form.
    """

    paper: str
    version: str
    date: str
    seed: int
    quick: bool
    cpu_seconds: float
    parts: tuple[PartRecord, ...]
    missing: tuple[str, ...] = ()
    sample: Finding = field(default_factory=Finding)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Of all parts."""
        return tuple(cell for part in self.parts for cell in part.finding.cells)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Of all parts."""
        return tuple(claim for part in self.parts for claim in part.finding.claims)

    def to_plain(self) -> dict[str, Any]:
        """What JSON knows; the bytes of pictures stay out."""
        plain = asdict(self)
        for finding in (*(part["finding"] for part in plain["parts"]), plain["sample"]):
            for picture in finding["pictures"]:
                del picture["png"]
        return plain


def record_from_plain(plain: Mapping[str, Any]) -> Record:
    """A record from what `Record.to_plain` gave.

    Parameters
    ----------
    plain : mapping
    """
    try:
        parts = tuple(
            PartRecord(part["key"], _finding(part["finding"]), part["missing"])
            for part in plain["parts"]
        )
        sample = _finding(plain["sample"])
        rest = {**plain, "parts": parts, "sample": sample, "missing": tuple(plain["missing"])}
        return Record(**rest)
    except (KeyError, TypeError) as error:
        raise BayeswoodError(f"These are not the kept results of a paper: {error}.") from error


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


def _finding(plain: Mapping[str, Any]) -> Finding:
    return Finding(
        tuple(Cell(**cell) for cell in plain["cells"]),
        tuple(Claim(**claim) for claim in plain["claims"]),
        tuple(
            Listing(tuple(each["header"]), tuple(map(tuple, each["rows"])), each["title"],
                    each["words"])
            for each in plain["listings"]
        ),
        tuple(Picture(**picture) for picture in plain["pictures"]),
        plain["words"],
    )  # fmt: skip


def count_verdicts(cells: Iterable[Cell]) -> Counter[str]:
    """How many cells agree, differ, and were not run.

    Parameters
    ----------
    cells : iterable of Cell
    """
    return Counter(cell.verdict for cell in cells)
