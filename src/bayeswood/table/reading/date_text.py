"""Dates and times as people write them, decided by all cells of a column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bayeswood.table.reading.number_text import missing_words, spread
from bayeswood.table.written import Written

_CLOCK = "[T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?"
_ISO_DATE = "^\\d{4}-\\d{2}-\\d{2}$"
_ISO = f"^\\d{{4}}-\\d{{2}}-\\d{{2}}({_CLOCK})?$"
_ISO_ZONE = f"^\\d{{4}}-\\d{{2}}-\\d{{2}}{_CLOCK}(Z|[+-]\\d{{2}}(:?\\d{{2}})?)$"
_TIME = "^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,6})?)?$"
# (shape, format by strptime, in words); the first two read the same shape.
_MONTH_FIRST = ("/", "%m/%d/%Y", "month/day/year")
_DAY_FIRST = ("/", "%d/%m/%Y", "day/month/year")
FORMATS = (
    _MONTH_FIRST,
    _DAY_FIRST,
    (".", "%d.%m.%Y", "day.month.year"),
    ("/", "%Y/%m/%d", "year/month/day"),
    (".", "%Y.%m.%d", "year.month.day"),
)
_CLOCK_FORMATS = ("", " %H:%M", " %H:%M:%S")


@dataclass(frozen=True)
class DateText:
    """What a column of text is as dates or times.

    Attributes
    ----------
    values : pyarrow.Array
        A date, timestamp or time of day for each distinct text; null for a missing word.
    written : Written
        With the format, where it is not ISO's.
    words : str
        How dates are written, in words.
    is_ambiguous : bool
        Whether day and month could be the other way round.
    """

    values: Any
    written: Written
    words: str
    is_ambiguous: bool = False


def read_dates(
    distinct: Any, remembered: str = "", day_first: bool | None = None
) -> DateText | None:
    """Read distinct texts as dates or times; None if they are not dates all.

    Parameters
    ----------
    distinct : pyarrow.Array of string
        Without nulls.
    remembered : str, default=""
        The format of the training column, which settles what is ambiguous.
    day_first : bool, optional
        Whether the day comes before the month in 01/02/2024, which settles it too.

    Examples
    --------
    >>> import pyarrow as pa
    >>> read_dates(pa.array(["31.12.2024", "?"])).values.to_pylist()
    [datetime.datetime(2024, 12, 31, 0, 0), None]
    """
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(distinct)
    is_missing = missing_words(trimmed)
    texts = trimmed.filter(pc.invert(is_missing))
    if not len(texts) or not _all(texts, "^\\d{1,4}[-/.:]\\d"):
        return None
    found = _iso(texts) or _clock(texts) or _by_format(texts, remembered, day_first)
    if found is None:
        return None
    words = tuple(sorted(set(trimmed.filter(is_missing).to_pylist())))
    written = replace(found.written, missing=words)
    return replace(found, values=spread(found.values, is_missing), written=written)


def _all(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _iso(texts: Any) -> DateText | None:
    import pyarrow as pa

    if _all(texts, _ISO_DATE):
        kind: Any = pa.date32()
    elif _all(texts, _ISO):
        kind = pa.timestamp("us")
    elif _all(texts, _ISO_ZONE):
        kind = pa.timestamp("us", tz="UTC")
    else:
        return None
    import pyarrow.compute as pc

    # More than six digits of a second are no more than a microsecond can hold.
    texts = pc.replace_substring_regex(texts, "(\\.\\d{6})\\d+", "\\1")
    try:
        return DateText(texts.cast(kind), Written(), "ISO dates")
    except pa.ArrowInvalid:
        return None


def _clock(texts: Any) -> DateText | None:
    import pyarrow as pa

    if not _all(texts, _TIME):
        return None
    from datetime import time

    values = pa.array([time.fromisoformat(text) for text in texts.to_pylist()], pa.time64("us"))
    return DateText(values, Written(), "times of day")


def _by_format(texts: Any, remembered: str, day_first: bool | None) -> DateText | None:
    """The first format that reads every text; both orders of day and month are tried."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = []
    first = texts[0].as_py()
    for mark, date_format, words in FORMATS:
        if mark not in first or words == _excluded(day_first):
            continue
        for clock in _CLOCK_FORMATS:
            if clock.count(":") != first.count(":"):
                continue
            try:
                values = pc.strptime(texts, format=date_format + clock, unit="us")
            except pa.ArrowInvalid:
                continue
            if _spelt_in_full(texts, date_format):
                found.append((date_format + clock, words, values))
    if not found:
        return None
    taken = next((item for item in found if item[0] == remembered), found[0])
    is_ambiguous = len(found) > 1 and taken[0] != remembered
    return DateText(taken[2], Written(date_format=taken[0]), taken[1], is_ambiguous)


def _excluded(day_first: bool | None) -> str:
    """The order that the user rules out, in words."""
    if day_first is None:
        return ""
    return (_MONTH_FIRST if day_first else _DAY_FIRST)[2]


def _spelt_in_full(texts: Any, date_format: str) -> bool:
    """Whether years have four digits: strptime would take fewer."""
    mark = "\\" + date_format[2]
    year_last = date_format.endswith("%Y")
    shape = f"^\\d{{1,2}}{mark}\\d{{1,2}}{mark}\\d{{4}}" if year_last else "^\\d{4}[/.]"
    return _all(texts, shape + ("( |$)" if year_last else ""))
