"""How the cells of a table were written, as a model remembers it.

A number may be written with a decimal comma, thousands in groups, a currency mark or a percent
sign, and a missing cell as a word. What `bayeswood.read_table` found is kept beside the schema, so
that a later table is read the same way. Plain data: JSON there and back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bayeswood.errors import BayeswoodError

#: Key of an Arrow table's metadata under which `Reading` travels from a file to a fit.
METADATA_KEY = b"bayeswood.reading"
_LONGEST = 1_000


@dataclass(frozen=True)
class Written:
    """How the cells of one column were written.

    Attributes
    ----------
    decimal : str
        The decimal mark.
    thousands : str
        The mark between groups of three digits; empty if there was none, and a blank for every
        kind of blank.
    percent : bool
        Whether numbers had a percent sign.
    currency : str
        The currency mark that numbers had; empty if none.
    date_format : str
        How dates were written, as of `datetime.strptime`; empty for ISO dates.
    missing : tuple of str
        Words that stood for a missing cell.
    """

    decimal: str = "."
    thousands: str = ""
    percent: bool = False
    currency: str = ""
    date_format: str = ""
    missing: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether numbers need no more than Python's own notation."""
        return self == Written(missing=self.missing)

    @property
    def moves_the_point(self) -> bool:
        """Whether a plain reading could take a number for another one."""
        return self.decimal != "." or self.thousands == "."


@dataclass(frozen=True)
class Reading:
    """What a model remembers of the file that it was fitted to.

    Attributes
    ----------
    target : str or None
        Name of the column to predict.
    na : tuple of str
        Words that the user declared to be missing cells.
    written : dict of str to Written
        Columns that were not written plainly.
    """

    target: str | None = None
    na: tuple[str, ...] = ()
    written: Mapping[str, Written] = field(default_factory=dict)

    def of(self, name: str) -> Written:
        """How a column was written."""
        return self.written.get(name, Written())

    def of_columns(self, names: Iterable[str]) -> Reading:
        """What is known of some columns, and of the target."""
        kept = {*names, self.target}
        own = {name: how for name, how in self.written.items() if name in kept}
        return Reading(self.target, self.na, own)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        written = {n: {**asdict(w), "missing": list(w.missing)} for n, w in self.written.items()}
        return {"target": self.target, "na": list(self.na), "written": written}

    @classmethod
    def from_json(cls, obj: object) -> Reading:
        """What `to_json` gave; nothing is trusted."""
        if not isinstance(obj, dict) or set(obj) != {"target", "na", "written"}:
            raise BayeswoodError("The reading must have the members target, na and written.")
        if not (obj["target"] is None or isinstance(obj["target"], str)):
            raise BayeswoodError("The reading's target must be a name.")
        if not isinstance(obj["written"], dict):
            raise BayeswoodError("The reading's member 'written' must be an object.")
        written = {str(name): _written(how) for name, how in obj["written"].items()}
        return cls(obj["target"], _words(obj["na"]), written)

    def metadata(self) -> dict[bytes, bytes]:
        """As metadata of an Arrow table."""
        return {METADATA_KEY: json.dumps(self.to_json()).encode()}

    @classmethod
    def from_metadata(cls, metadata: Mapping[bytes, bytes] | None) -> Reading:
        """What an Arrow table carries; nothing if it carries nothing of the kind."""
        text = (metadata or {}).get(METADATA_KEY)
        if text is None:
            return cls()
        try:
            return cls.from_json(json.loads(text))
        except ValueError:
            return cls()


def _words(obj: object) -> tuple[str, ...]:
    if not isinstance(obj, list) or not all(isinstance(word, str) for word in obj):
        raise BayeswoodError("The reading's missing words must be a list of strings.")
    return tuple(obj[:_LONGEST])


def _written(obj: object) -> Written:
    if not isinstance(obj, dict) or set(obj) != set(asdict(Written())):
        raise BayeswoodError("The reading of a column has unknown members.")
    texts = [obj[name] for name in ("decimal", "thousands", "currency", "date_format")]
    if not all(isinstance(text, str) and len(text) <= _LONGEST for text in texts):
        raise BayeswoodError("The marks of a column must be short strings.")
    if obj["decimal"] not in (".", ",") or obj["thousands"] not in ("", ",", ".", " ", "'"):
        raise BayeswoodError("A column has marks of numbers that are not known.")
    if type(obj["percent"]) is not bool:
        raise BayeswoodError("The reading of a column has a 'percent' of the wrong type.")
    return Written(**{**obj, "missing": _words(obj["missing"])})
