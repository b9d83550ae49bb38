"""What a paper is here: parts that are found from units of work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.finding import Cell, Finding

ANY = "*"
NOT_EXPLAINED = "not explained"


@dataclass(frozen=True)
class Plan:
    """How a paper is run.

    Attributes
    ----------
    seed : int
    quick : bool
        Whether to shorten what the paper's `quick` says.
    """

    seed: int = 0
    quick: bool = False


@dataclass(frozen=True)
class Unit:
    """A piece of work that is kept when it is done.

    Attributes
    ----------
    name : str
        Of the piece and of the file that keeps it, such as ``"forests/heart/3"``.
    measure : callable
        A function of a module; takes `arguments` and gives plain data (what JSON knows). What it
        gives depends on these, on its module and on the library alone.
    arguments : tuple
        Plain data; the seed is among them.
    data : tuple of str
        Names of the data sets it needs.
    """

    name: str
    measure: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    data: tuple[str, ...] = ()


class MissingDataError(BayeswoodError):
    """A data set is not on this machine."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the data set '{name}' is not here")
        self.name = name


class Found(Mapping[str, Any]):
    """What the units gave, by their names; a unit without its data raises `MissingDataError`.

    Parameters
    ----------
    values : mapping of str to plain data
    missing : mapping of str to str
        For a unit that was not done, the data set that is not here.
    """

    def __init__(self, values: Mapping[str, Any], missing: Mapping[str, str] | None = None) -> None:
        self._values, self._missing = dict(values), dict(missing or {})

    def __getitem__(self, name: str) -> Any:
        if name in self._missing:
            raise MissingDataError(self._missing[name])
        return self._values[name]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def repeats(self, name: str, n_repeats: int) -> list[Any]:
        """Values of ``name/0``, ``name/1``, ..."""
        return [self[f"{name}/{repeat}"] for repeat in range(n_repeats)]


def _no_units(plan: Plan) -> Sequence[Unit]:
    return ()


@dataclass(frozen=True)
class Part:
    """A table, figure, appendix, list of claims, or something of ours beside them.

    Attributes
    ----------
    key : str
        What ``--only`` takes, such as ``"table-1"``.
    title : str
    find : callable or None
        From what the units gave, and the plan, to a `Finding`. None: the part is not run.
    units : callable
        The units of work of a plan; parts may share units.
    words : str
        What is to be said above the numbers; why it is not run, if it is not.
    """

    key: str
    title: str
    find: Callable[[Found, Plan], Finding] | None = None
    units: Callable[[Plan], Sequence[Unit]] = _no_units
    words: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper and all it prints.

    Attributes
    ----------
    name : str
        As on the command line.
    title, citation : str
    parts : tuple of Part
        Every table, figure, appendix and claim, run or not.
    quick : str
        What ``--quick`` shortens, as a sentence.
    about, notes : str
        Markdown for before and after the parts.
    reasons : mapping of (part, row, column) to str
        Why a cell differs; ``"*"`` stands for every row or column. The most particular one counts.
    sample : str
        Key of a part whose quick form takes seconds and only this library: tests run it to see
        that the kept page is what the code gives.
    """

    name: str
    title: str
    citation: str
    parts: tuple[Part, ...]
    quick: str
    sample: str
    about: str = ""
    notes: str = ""
    reasons: Mapping[tuple[str, str, str], str] = field(default_factory=dict)

    def choose(self, keys: Sequence[str]) -> tuple[Part, ...]:
        """The parts of these keys, in the paper's order; all if there is none."""
        known = [part.key for part in self.parts]
        for key in keys:
            if key not in known:
                raise BayeswoodError(
                    f"{self.name} has no part '{key}'. There are: {', '.join(known)}."
                )
        return tuple(part for part in self.parts if not keys or part.key in keys)

    def reason(self, part: str, cell: Cell) -> str:
        """Why a cell differs, or that nobody knows."""
        for row, column in (
            (cell.row, cell.column), (cell.row, ANY), (ANY, cell.column), (ANY, ANY),
        ):  # fmt: skip
            if (part, row, column) in self.reasons:
                return self.reasons[part, row, column]
        return NOT_EXPLAINED
