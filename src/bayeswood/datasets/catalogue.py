"""What is known of every data set: shape, classes, origin, and the digests that prove a copy."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from bayeswood.errors import DataSetError

Task = Literal["classification", "regression"]

SPLIT, TARGET = "split", "target"
_FILE = Path(__file__).with_name("catalogue.json")
# Columns that are numbered are listed by the first and the last of them.
_NUMBERED = re.compile(r"(.*?)(\d+)\.\.\1(\d+)")


@dataclass(frozen=True)
class OpenMLSource:
    """How a table of OpenML's becomes ours.

    Attributes
    ----------
    id : int
    name : str
    version : int or None
        As far as it is known; the id alone decides.
    labels : mapping of str to str
        Classes that are spelt otherwise there.
    missing : str or None
        What a missing cell is called here, where it is a category of its own.
    rows : tuple of (int, int)
        First row and end of the blocks of rows that are taken, in our order; empty: all.
    columns : tuple of str
        Their names of the columns that are taken, in our order; empty: the last ones.
    per_household : bool
        Whether rooms and people are divided by households, as scikit-learn has them.
    """

    id: int
    name: str
    version: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    missing: str | None = None
    rows: tuple[tuple[int, int], ...] = ()
    columns: tuple[str, ...] = ()
    per_household: bool = False

    @property
    def label(self) -> str:
        """As in ``OpenML, id 61``."""
        return f"OpenML, id {self.id}"


@dataclass(frozen=True)
class Facts:
    """What is known of a data set.

    Attributes
    ----------
    name : str
    task : str
    rows : int
    listed : tuple of str
        The features' names; ``x1..x9`` stands for nine.
    classes : mapping of str to int
        Rows of each class; empty for regression.
    missing : int
        Cells without a value.
    categorical : tuple of str
        Features that are text, also where it looks like numbers.
    split : mapping of str to int
        Rows of the predefined parts, in the order of the rows; empty if there are none.
    origin : str
        Who made it, where it was published, its licence, and what was changed.
    sha256 : str
        Digest of the file.
    cells : str
        Digest of its cells, which a copy in another file has too.
    openml : OpenMLSource or None
    elsewhere : str
        What is known of copies that are not the same.
    """

    name: str
    task: Task
    rows: int
    listed: tuple[str, ...]
    classes: Mapping[str, int]
    missing: int
    categorical: tuple[str, ...]
    split: Mapping[str, int]
    origin: str
    sha256: str
    cells: str
    openml: OpenMLSource | None = None
    elsewhere: str = ""

    @property
    def file(self) -> str:
        """Name of the file, wherever it lies."""
        return f"{self.name}.csv.gz"

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(name for item in self.listed for name in _numbered(item))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns of the file: features, the split if there is one, the target."""
        return (*self.features, *((SPLIT,) if self.split else ()), TARGET)

    @property
    def text_columns(self) -> frozenset[str]:
        """The columns whose cells are text; the others are numbers."""
        named = {TARGET} if any(not _is_whole(label) for label in self.classes) else set()
        return frozenset({*self.categorical, SPLIT, *named})

    def summary(self) -> list[tuple[str, str]]:
        """Pairs of a word and what there is to say about it, for people."""
        pairs = [("origin", self.origin), ("task", self.task), ("rows", f"{self.rows:,}")]
        n_features = len(self.features)
        pairs.append(("features", f"{n_features}: {', '.join(self.listed)}"))
        if self.categorical:
            pairs.append(("categories", ", ".join(self.categorical)))
        if self.classes:
            pairs.append(("classes", f"{len(self.classes)}: {_counts(self.classes)}"))
        pairs.append(("missing", f"{self.missing:,} cells"))
        if self.split:
            pairs.append((SPLIT, _counts(self.split)))
        return pairs

    def description(self) -> str:
        """The summary, a line per word."""
        return "\n".join(f"{word}: {text}" for word, text in self.summary())


def _is_whole(label: str) -> bool:
    return label.removeprefix("-").isdigit()


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _numbered(item: str) -> Iterator[str]:
    """The names that an item of a list stands for: itself, or a range."""
    found = _NUMBERED.fullmatch(item)
    if found is None:
        yield item
        return
    stem, first, last = found.groups()
    for number in range(int(first), int(last) + 1):
        yield f"{stem}{number:0{len(first)}}"


@cache
def catalogue() -> Mapping[str, Facts]:
    """The facts of every data set, by name."""
    entries = json.loads(_FILE.read_text(encoding="utf-8"))
    return MappingProxyType({name: _facts(name, entry) for name, entry in entries.items()})


def _facts(name: str, entry: dict[str, Any]) -> Facts:
    source = entry.pop("openml", None)
    return Facts(
        name=name,
        task="classification" if "classes" in entry else "regression",
        listed=tuple(entry.pop("features")),
        classes=MappingProxyType(entry.pop("classes", {})),
        categorical=tuple(entry.pop("categorical", ())),
        split=MappingProxyType(entry.pop("split", {})),
        openml=None if source is None else _openml_source(source),
        **entry,
    )


def _openml_source(entry: dict[str, Any]) -> OpenMLSource:
    rows = tuple((first, end) for first, end in entry.pop("rows", ()))
    return OpenMLSource(rows=rows, columns=tuple(entry.pop("columns", ())), **entry)


def names() -> list[str]:
    """Names of the data sets that `load` knows.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> from bayeswood import datasets
    >>> datasets.names()[:3]
    ['adult', 'australian', 'breast_cancer_libsvm']
    """
    return sorted(catalogue())


def facts_of(name: str) -> Facts:
    """The facts of one data set.

    Parameters
    ----------
    name : str

    Raises
    ------
    DataSetError
        If the name is unknown; it lists the nearest ones.
    """
    known = catalogue()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(str(name), known, n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "datasets.names() lists them."
    raise DataSetError(f"No data set is called '{name}'. {hint}")
