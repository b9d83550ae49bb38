"""What to say of the columns of a table."""

from __future__ import annotations

import re
from typing import Any

from bayeswood.table.arrow_functions import matches, some
from bayeswood.table.moments import PLURAL, fit_moments
from bayeswood.table.reading.column_text import ColumnText, distinct_texts
from bayeswood.table.reading.note import Note
from bayeswood.table.reading.number_text import looks_like_numbers, missing_words
from bayeswood.table.written import Written

_MANY_LEVELS = 20
_FEWEST_ROWS = 20
_GROUPS = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}
_DECIMALS = {",": "a decimal comma", ".": "a decimal point"}
# Words that rarely name a level.
_LIKELY_MISSING = ("n/a", "#n/a", "n.a.", "null", "none", "unknown", "missing", "?", "-", "--")
_ID_NAME = re.compile(r"(^|[_\s.-])(id|nr|no|idx|index|key|rowid|uuid)$|Id$|ID$")


def reading_notes(column: ColumnText) -> list[Note]:
    """How the cells were taken that are not written plainly."""
    if column.date is not None:
        return _date_notes(column)
    if column.number is not None:
        return _number_notes(column)
    return _word_notes(column) if _is_text(column.values) else _plain_notes(column)


def _is_text(values: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(values.type))


def marks_in_words(written: Written) -> list[str]:
    """The marks of numbers, in words.

    Examples
    --------
    >>> marks_in_words(Written(decimal=",", thousands=".", currency="€"))
    ['a decimal comma', 'thousands set apart by points', "the mark '€' left off"]
    """
    found = [] if written.decimal == "." else [_DECIMALS[written.decimal]]
    if written.thousands:
        found.append(f"thousands set apart by {_GROUPS[written.thousands]}")
    if written.currency:
        found.append(f"the mark '{written.currency}' left off")
    if written.percent:
        found.append("percent signs left off (12% is 12)")
    return found


def _missing(written: Written) -> str:
    words = ", ".join(f"'{word}'" for word in written.missing[:5])
    return f"; {words} taken as missing" if words else ""


def _number_notes(column: ColumnText) -> list[Note]:
    number = column.number
    assert number is not None
    marks = marks_in_words(number.written)
    if number.n_negative:
        marks.append("brackets for negative numbers")
    text = "numbers" + (" with " + ", ".join(marks) if marks else "") + _missing(number.written)
    notes = [Note("number", text + ".", column.name)]
    if 0 < number.n_percent < number.n_numbers:
        text = "some numbers have a percent sign and some have none: 12% is taken for 12."
        notes.append(Note("number", text, column.name, loud=True))
    return notes


def _date_notes(column: ColumnText) -> list[Note]:
    date = column.date
    assert date is not None
    text = f"{date.words}, {_parts(column.values)}{_missing(date.written)}."
    notes = [Note("date", text, column.name)]
    if date.is_ambiguous:
        text = f"taken for {date.words}; day and month may be the other way round. --day-first or "
        text += "--month-first settles it."
        notes.append(Note("date", text, column.name, loud=True))
    return notes


def _parts(values: Any) -> str:
    """Into what dates, times or durations are taken apart."""
    from bayeswood.table.frame import arrow_series, series_moments

    cells = series_moments(arrow_series(values), "The column")
    return f"taken apart into {', '.join(fit_moments(cells, '')[0].names)}"


def _plain_notes(column: ColumnText) -> list[Note]:
    import pyarrow as pa

    if not pa.types.is_integer(column.values.type):
        return []
    if not some(matches(column.text, "^\\s*0\\d")):
        return []
    text = f"numbers lose their leading zeros; --categorical {column.name} keeps the spelling."
    return [Note("zeros", text, column.name)]


def _word_notes(column: ColumnText) -> list[Note]:
    import pyarrow as pa
    import pyarrow.compute as pc

    _, distinct = distinct_texts(column.text)
    trimmed = pc.utf8_trim_whitespace(distinct)
    flags = looks_like_numbers(trimmed)
    n_numbers, n_levels = int(pc.sum(flags).as_py() or 0), len(distinct)
    if n_levels > _MANY_LEVELS and 2 * n_numbers >= n_levels:
        strange = pc.invert(pc.or_(flags, missing_words(trimmed)))
        return [_mistaken_category(column, trimmed.filter(strange).to_pylist(), n_levels)]
    likely = pc.is_in(pc.utf8_lower(trimmed), value_set=pa.array(_LIKELY_MISSING))
    words = trimmed.filter(likely).to_pylist()
    if not words:
        return []
    listed = ", ".join(f"'{word}'" for word in words[:3])
    text = f'{listed} stays a level of its own; --na "{words[0]}" takes it as missing.'
    return [Note("category", text, column.name)]


def _mistaken_category(column: ColumnText, others: list[str], n_levels: int) -> Note:
    """Loud: most levels look like numbers."""
    listed = ", ".join(f"'{word}'" for word in others[:3])
    why = (
        f"some are not, such as {listed}"
        if others
        else "they follow no single notation, or no plain one"
    )
    return Note(
        "category",
        f"a category of {n_levels:,} levels, though most look like numbers: {why}. Words for "
        "missing cells: --na; marks of numbers: --decimal and --thousands; a first line that is a "
        "row: --no-header.",
        column.name,
        loud=True,
    )


def column_notes(name: str, values: Any, *, is_typed: bool) -> list[Note]:
    """Whether a column counts the rows, never changes, has no values, or holds dates.

    `is_typed`: whether the file itself says what its columns hold.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    n_rows = len(values)
    if values.null_count == n_rows:
        return [Note("empty", "has no values.", name)]
    if pa.types.is_dictionary(values.type) or pa.types.is_nested(values.type):
        return []
    if is_typed and pa.types.is_temporal(values.type):
        return [Note("date", f"{_kind(values.type)}, {_parts(values)}.", name)]
    if n_rows >= _FEWEST_ROWS and pa.types.is_integer(values.type) and not values.null_count:
        if _counts_rows(name, values, n_rows):
            text = f"whole numbers, each once: if they number the rows, use --drop {name}."
            return [Note("id", text, name)]
    elif n_rows < 2:
        return []
    head = values.slice(0, 1_000)
    if len(pc.unique(head)) == 1 and len(pc.unique(values)) == 1:
        return [Note("constant", "has the same value in every row, and teaches nothing.", name)]
    return []


def _kind(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_duration(kind):
        return PLURAL["duration"]
    return PLURAL["time" if pa.types.is_time(kind) else "date"]


def _counts_rows(name: str, values: Any, n_rows: int) -> bool:
    import pyarrow.compute as pc

    ends = pc.min_max(values).as_py()
    is_range = ends["max"] - ends["min"] == n_rows - 1
    if not is_range and _ID_NAME.search(name) is None:
        return False
    return int(pc.count_distinct(values).as_py()) == n_rows


def _lost_percent(column: ColumnText) -> Note:
    text = "plain numbers, in training with percent signs (12% is 12): is .12 meant, or 12?"
    return Note("differs", text, column.name, loud=True)


def differs_note(column: ColumnText, trained: Written) -> Note | None:
    """Loud if a later column is written in another way than the training column."""
    now = column.written
    if column.number is None and column.date is None:
        return _lost_percent(column) if trained.percent else None
    if column.date is not None:
        if trained.date_format == now.date_format:
            return None
        was = trained.date_format or "ISO dates"
        text = f"dates are written as {now.date_format or 'ISO dates'}, in training as {was}."
        return Note("differs", text, column.name, loud=True)
    was, here = (
        ", ".join(marks_in_words(written)) or "plain numbers" for written in (trained, now)
    )
    same = (now.decimal, now.percent) == (trained.decimal, trained.percent) and now.currency in (
        "",
        trained.currency,
    )
    if same and now.thousands in ("", trained.thousands):
        return None
    text = (
        f"written with {here}, in training with {was}; each is read by its own marks. --decimal "
        "and --thousands settle it."
    )
    return Note("differs", text, column.name, loud=not same)
