"""Dates, times and durations, taken apart into numbers that a tree can split on.

A column ``when`` becomes ``when.year``, ``when.month``, ``when.day``, ``when.weekday`` (0 is
Monday), ``when.hour``, ``when.minute``, ``when.second`` and ``when.elapsed_days`` (since the first
date of training), as far as they vary in training; a time of day becomes its hour, minute and
second; a duration its seconds. With a time zone, the clock is that of the training column's zone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, DataTypeError

MomentKind = Literal["date", "time", "duration"]

PARTS: dict[str, tuple[str, ...]] = {
    "date": (
        "year",
        "month",
        "day",
        "weekday",
        "hour",
        "minute",
        "second",
        "elapsed_days",
    ),
    "time": ("hour", "minute", "second"),
    "duration": ("seconds",),
}
PLURAL = {"date": "dates", "time": "times of day", "duration": "durations"}
# What is kept of a column in which nothing varies.
_LEAST = {"date": "elapsed_days", "time": "hour", "duration": "seconds"}

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?"
)


@dataclass(frozen=True)
class MomentCells:
    """A column of dates, times of day or durations.

    Attributes
    ----------
    kind : {"date", "time", "duration"}
        What the values are; a date may have a time of day.
    micros : ndarray of int64, (n_rows,)
        Microseconds since 1970, since midnight, or of the duration; 0 where missing. Dates with a
        time zone are in UTC.
    missing : ndarray of bool, (n_rows,)
    zone : str or None
        Time zone of the clock; None where the column has none.
    """

    kind: MomentKind
    micros: NDArray[np.int64]
    missing: NDArray[np.bool_]
    zone: str | None = None


@dataclass(frozen=True)
class Moments:
    """How a training column of dates, times or durations was taken apart.

    Attributes
    ----------
    name : str
        The user's name of the column.
    kind : {"date", "time", "duration"}
    parts : tuple of str
        The parts, in the order of the encoded columns.
    origin : int
        Microseconds since 1970 from which ``elapsed_days`` counts.
    zone : str or None
        Time zone of the clock.
    """

    name: str
    kind: MomentKind
    parts: tuple[str, ...]
    origin: int = 0
    zone: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded columns."""
        return tuple(f"{self.name}.{part}" for part in self.parts)

    def encode(self, cells: MomentCells) -> NDArray[np.float64]:
        """The parts of every row, (n_rows, n_parts); NaN where missing."""
        return _take_apart(_wall_clock(cells, self.zone), cells.missing, self.parts, self.origin)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "parts": list(self.parts),
            "origin": self.origin,
            "zone": self.zone,
        }

    @classmethod
    def from_json(cls, obj: object, what: str) -> Moments:
        """What `to_json` gave; nothing is trusted."""
        types: dict[str, Any] = {
            "name": str,
            "kind": str,
            "parts": list,
            "origin": int,
            "zone": (str, type(None)),
        }
        if not isinstance(obj, dict) or set(obj) != set(types):
            raise BayeswoodError(f"{what} must have the members {', '.join(types)} and no other.")
        for key, kind in types.items():
            if not isinstance(obj[key], kind) or isinstance(obj[key], bool):
                raise BayeswoodError(f"{what}: member {key!r} is of the wrong type.")
        known = PARTS.get(obj["kind"], ())
        parts = tuple(obj["parts"])
        if not parts or [p for p in known if p in parts] != list(parts):
            raise BayeswoodError(f"{what} has no parts, or parts that its kind does not have.")
        if not -(2**63) <= obj["origin"] < 2**63:
            raise BayeswoodError(f"{what}: member 'origin' must fit in 64 bits.")
        return cls(obj["name"], obj["kind"], parts, obj["origin"], checked_zone(obj["zone"], what))


def fit_moments(cells: MomentCells, name: str) -> tuple[Moments, NDArray[np.float64]]:
    """Choose the parts that vary, and take the training column apart.

    Parameters
    ----------
    cells : MomentCells
        The training column; at least one row has a value.
    name : str
        Its name.

    Returns
    -------
    moments : Moments
    block : ndarray, (n_rows, n_parts)
    """
    clock = _wall_clock(cells, cells.zone)
    origin = int(clock[~cells.missing].min()) if cells.kind == "date" else 0
    parts = PARTS[cells.kind]
    block = _take_apart(clock, cells.missing, parts, origin)
    present = block[~cells.missing]
    varies = (present != present[0]).any(axis=0)
    if not varies.any():
        varies[parts.index(_LEAST[cells.kind])] = True
    kept = tuple(part for part, kept in zip(parts, varies, strict=True) if kept)
    return Moments(name, cells.kind, kept, origin, cells.zone), block[:, varies]


def _take_apart(
    clock: NDArray[np.int64], missing: NDArray[np.bool_], parts: Sequence[str], origin: int
) -> NDArray[np.float64]:
    block = np.empty((len(clock), len(parts)), order="F")
    for j, part in enumerate(parts):
        block[:, j] = _part(clock, part, origin)
    block[missing] = np.nan
    return block


def _part(clock: NDArray[np.int64], part: str, origin: int) -> NDArray[Any]:
    """One part of every reading of the clock."""
    if part == "elapsed_days":
        return np.asarray((clock - origin) / _DAY)
    if part == "seconds":
        return np.asarray(clock / _SECOND)
    days, within = np.divmod(clock, _DAY)
    if part in ("hour", "minute"):
        of_hour = within // (60 * _SECOND)
        return of_hour // 60 if part == "hour" else of_hour % 60
    if part == "second":
        return (within % (60 * _SECOND)) / _SECOND
    if part == "weekday":
        return (days + 3) % 7  # 1970 began on a Thursday
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    if part == "year":
        return months.astype("datetime64[Y]").astype(np.int64) + 1970
    if part == "month":
        return months.astype(np.int64) % 12 + 1
    return np.asarray((dates - months.astype("datetime64[D]")).astype(np.int64) + 1)


def _wall_clock(cells: MomentCells, zone: str | None) -> NDArray[np.int64]:
    """What a clock in the zone shows, as microseconds since 1970."""
    if zone is None or zone == "UTC":
        return cells.micros
    from zoneinfo import ZoneInfo

    info = ZoneInfo(zone)
    # The offset changes at whole quarters of an hour at most: few distinct ones to ask for.
    quarters, place = np.unique(cells.micros // (900 * _SECOND), return_inverse=True)
    offsets = np.array([_offset(info, int(quarter) * 900) for quarter in quarters])
    shown: NDArray[np.int64] = cells.micros + offsets[place] * _SECOND
    return shown


def _offset(info: Any, seconds: int) -> int:
    """Seconds that a zone is ahead of UTC at a moment."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    found = moment.astimezone(info).utcoffset()
    return 0 if found is None else round(found.total_seconds())


def checked_zone(zone: str | None, what: str) -> str | None:
    """A time zone that this machine knows; fixed offsets are kept as UTC."""
    if zone is None or zone.upper() in ("UTC", "Z"):
        return None if zone is None else "UTC"
    if re.fullmatch(r"(UTC|GMT)?[+-]\d{2}:?\d{2}", zone):
        return "UTC"
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as error:
        raise BayeswoodError(f"{what} has the unknown time zone {zone!r}.") from error
    return zone


def numpy_moments(column: NDArray[Any], zone: str | None = None) -> MomentCells:
    """Read a datetime64 or timedelta64 array; those of a zone are in UTC."""
    missing = np.isnat(column)
    kind: MomentKind = "date" if column.dtype.kind == "M" else "duration"
    unit = "datetime64[us]" if kind == "date" else "timedelta64[us]"
    micros = column.astype(unit).astype(np.int64)
    return MomentCells(kind, np.where(missing, 0, micros), missing, zone)


def moment_kind(kind: type) -> MomentKind | None:
    """The kind of moment that a Python type is; None if it is none."""
    if issubclass(kind, (date, np.datetime64)):
        return "date"
    if issubclass(kind, time):
        return "time"
    return "duration" if issubclass(kind, (timedelta, np.timedelta64)) else None


def object_moments(values: Sequence[Any], what: str) -> MomentCells:
    """Read Python's dates, times and timedeltas, NumPy's and pandas'; others are missing.

    Parameters
    ----------
    values : sequence
        Of one kind of moment, and None or NaT where missing.
    what : str
        How to call the column in an error.
    """
    present = [v for v in values if moment_kind(type(v)) is not None and v == v]
    kind = moment_kind(type(present[0])) if present else "date"
    aware = [isinstance(v, datetime) and v.tzinfo is not None for v in present]
    if any(aware) and not all(aware):
        raise DataTypeError(f"{what} holds dates with a time zone and dates without one.")
    micros = np.zeros(len(values), dtype=np.int64)
    missing = np.ones(len(values), dtype=np.bool_)
    for i, value in enumerate(values):
        if moment_kind(type(value)) == kind and value == value:
            micros[i], missing[i] = _micros(value), False
    assert kind is not None
    return MomentCells(kind, micros, missing, "UTC" if any(aware) else None)


def _micros(value: Any) -> int:
    if isinstance(value, (np.datetime64, np.timedelta64)):
        unit = "datetime64[us]" if isinstance(value, np.datetime64) else "timedelta64[us]"
        return int(value.astype(unit).astype(np.int64))
    if isinstance(value, timedelta):
        return int(value // timedelta(microseconds=1))
    if isinstance(value, time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * _SECOND + value.microsecond
    if not isinstance(value, datetime):
        return int(value.toordinal() - date(1970, 1, 1).toordinal()) * _DAY
    since = datetime(1970, 1, 1, tzinfo=UTC if value.tzinfo else None)
    return int((value - since) // timedelta(microseconds=1))


def text_moments(
    words: Sequence[str], codes: NDArray[Any], what: str, *, strict: bool
) -> MomentCells | None:
    """Read text of ISO dates, such as ``2024-05-01`` or ``2024-05-01T08:30:00Z``.

    Parameters
    ----------
    words : sequence of str
        The distinct texts.
    codes : ndarray of int, (n_rows,)
        Positions in `words`; -1 where missing.
    what : str
        How to call the column in an error.
    strict : bool
        Whether a text that is no date is an error; otherwise the answer is then None.

    Examples
    --------
    >>> import numpy as np
    >>> text_moments(["2024-05-01"], np.array([0, -1]), "Column 'd'", strict=False).missing
    array([False,  True])
    """
    found: list[datetime] = []
    for word in words:
        moment = iso_moment(word)
        if moment is None:
            if strict:
                raise DataTypeError(
                    f"{what} held dates in training, but now holds {word!r}, which is no date like "
                    "2024-05-01 or 2024-05-01T08:30."
                )
            return None
        found.append(moment)
    if not found:
        return None
    cells = object_moments(found, what)
    missing = codes < 0
    micros = np.where(missing, 0, cells.micros[codes])
    return MomentCells("date", micros, missing, cells.zone)


def iso_moment(word: str) -> datetime | None:
    """The moment that an ISO text names; None if it is none."""
    if _ISO.fullmatch(word) is None:
        return None
    try:
        return datetime.fromisoformat(word)
    except ValueError:
        return None
