"""A quick run beside the whole run whose results the package brings along."""

from dataclasses import dataclass, field
from pathlib import Path

from bayeswood.reproduce.finding import Cell, Claim
from bayeswood.reproduce.record import Record, read_results

_KEPT = Path(__file__).parent / "kept"  # CMakeLists.txt installs papers/*/results.json there

Place = tuple[str, ...]


def kept_whole(name: str) -> Record | None:
    """The kept whole run of a paper; None where the package does not lie as it is installed.

    Parameters
    ----------
    name : str
        Of the paper.
    """
    return read_results(_KEPT / name) if (_KEPT / name).is_dir() else None


def place_of(part: str, found: Cell | Claim) -> Place:
    """Where a cell or a claim of a part stands.

    Parameters
    ----------
    part : str
        Its key.
    found : Cell or Claim
    """
    if isinstance(found, Cell):
        return part, found.row, found.column
    return part, found.text, found.checked


def verdicts_of(record: Record) -> dict[Place, str]:
    """The verdict of each cell and claim of a run.

    Parameters
    ----------
    record : Record
    """
    found: dict[Place, str] = {}
    for part in record.parts:
        found |= {place_of(part.key, cell): cell.verdict for cell in part.finding.cells}
        found |= {place_of(part.key, claim): claim.verdict for claim in part.finding.claims}
    return found


@dataclass(frozen=True)
class Marks:
    """What a page says beside the verdicts of a run.

    Attributes
    ----------
    quick : bool
    changed : dict of Place to str
        What the whole run found, where a quick one has found something else.
    n_shared : int
        Verdicts that both runs have.
    """

    quick: bool = False
    changed: dict[Place, str] = field(default_factory=dict)
    n_shared: int = 0

    def beside(self, place: Place, *, was_run: bool) -> str:
        """What is said beside a verdict; empty in a whole run.

        Parameters
        ----------
        place : Place
        was_run : bool
            Whether the verdict is one of numbers.
        """
        other = f" (*whole run: {self.changed[place]}*)" if place in self.changed else ""
        return (", quick" if self.quick and was_run else "") + other

    @property
    def words(self) -> str:
        """How many verdicts are other than in the whole run; empty if there is none to ask."""
        if not self.n_shared:
            return ""
        if not self.changed:
            return "The verdicts are those of the whole run."
        n = len(self.changed)
        return (
            f"{n} of {self.n_shared} verdicts {'is' if n == 1 else 'are'} other than in the whole "
            "run; the page has what that found beside each."
        )


def marks_of(record: Record, whole: Record | None) -> Marks:
    """The marks of a run.

    Parameters
    ----------
    record : Record
    whole : Record or None
        The whole run to hold a quick one against.
    """
    if not record.quick or whole is None:
        return Marks(record.quick)
    ours, theirs = verdicts_of(record), verdicts_of(whole)
    shared = ours.keys() & theirs.keys()
    changed = {place: theirs[place] for place in ours if place in shared and
               ours[place] != theirs[place]}  # fmt: skip
    return Marks(True, changed, len(shared))
