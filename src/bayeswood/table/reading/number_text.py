"""Numbers as people write them: which marks a column of text uses, decided by all of its cells.

Currency marks, percent signs, brackets for negative numbers and words for missing cells are set
aside; what is left must be a number under one convention, a decimal mark and a mark between groups
of three digits, in every cell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bayeswood.table.arrow_functions import contains, every, kept, matches
from bayeswood.table.written import Written

#: Words that stand for a missing cell in a column of numbers or dates, in small letters.
MISSING_WORDS = (
    "n/a", "#n/a", "na", "n.a.", "n. a.", "nan", "null", "#null!", "none", "nil", "unknown", "unk",
    "missing", "not available", "not applicable", "?", "-", "--", "---", "–", "—", ".", "..", "...",
    "*", "x", "k.a.", "k. a.", "s.o.", "#div/0!", "#value!", "#ref!", "#num!", "<na>", "(null)",
)  # fmt: skip

_SIGNS = "R\\$|US\\$|A\\$|C\\$|kr\\.?|zł|Kč|Fr\\.|[$€£¥₹₽₩₺₫₪฿₴₦₱₡₲₵₸₭¢]"
_CODES = (
    "USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|AUD|CAD|NZD|BRL|ZAR|RUB|TRY|MXN|SGD|HKD"
)
_CURRENCY = f"(?:{_SIGNS}|{_CODES})"
# Blanks that separate thousands: the common one, no-break, figure, thin and narrow no-break.
_BLANKS = "[ \\x{00a0}\\x{2007}\\x{2009}\\x{202f}]"
_GROUP_MARKS = {"": "", ",": ",", ".": "\\.", " ": _BLANKS, "'": "['\\x{2019}]"}
# The plain notation first: it wins wherever it fits.
CONVENTIONS = (
    (".", ""), (".", ","), (",", ""), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"),
)  # fmt: skip


@dataclass(frozen=True)
class NumberText:
    """What a column of text is as numbers.

    Attributes
    ----------
    values : pyarrow.Array
        A number for each distinct text, int64 or double; null for a missing word.
    written : Written
        The marks that were used.
    other : Written or None
        Other marks under which every cell is a number too, of another value.
    n_percent, n_negative : int
        Distinct texts with a percent sign, and in brackets.
    n_numbers : int
        Distinct texts that are numbers.
    """

    values: Any
    written: Written
    other: Written | None
    n_percent: int
    n_negative: int
    n_numbers: int


def read_numbers(
    distinct: Any, *, decimal: str | None = None, thousands: str | None = None
) -> NumberText | None:
    """Read distinct texts as numbers; None if they are not numbers all.

    Parameters
    ----------
    distinct : pyarrow.Array of string
        Without nulls.
    decimal, thousands : str, optional
        Marks that the user, or a model, insists on.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = read_numbers(pa.array(["$1.234,50", "(3,5)", "n/a"]))
    >>> found.values.to_pylist(), found.written.decimal, found.written.thousands
    ([1234.5, -3.5, None], ',', '.')
    """
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(distinct)
    is_missing = missing_words(trimmed)
    cores, marks = _cores(trimmed.filter(pc.invert(is_missing)))
    if cores is None or not pc.all(pc.match_substring_regex(cores, "\\d")).as_py():
        return None  # a text without a digit is no number under any convention
    fitting = [
        (point, group)
        for point, group in CONVENTIONS
        if decimal in (None, point)
        and point != thousands
        and (thousands is None or group in ("", thousands))
        and _fits(cores, point, group)
    ]
    if not fitting:
        return None
    point, group = fitting[0]
    words = tuple(sorted(set(trimmed.filter(is_missing).to_pylist())))
    written = replace(marks.written, decimal=point, thousands=group, missing=words)
    other = _other_value(fitting, written) if decimal is None or thousands is None else None
    values = spread(_values(cores, written), is_missing)
    return NumberText(values, written, other, marks.n_percent, marks.n_negative, len(cores))


def read_numbers_as(distinct: Any, written: Written) -> NumberText | None:
    """Read distinct texts by given marks; None if some text is no number under them."""
    return read_numbers(distinct, decimal=written.decimal, thousands=written.thousands)


def missing_words(trimmed: Any) -> Any:
    """Which texts stand for a missing cell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pa.array([*MISSING_WORDS, ""], type=trimmed.type)
    return pc.is_in(pc.utf8_lower(trimmed), value_set=known)


def looks_like_numbers(trimmed: Any) -> Any:
    """Which texts look like a number, by themselves and whatever its marks."""
    import pyarrow.compute as pc

    pattern = (
        f"^[-+(\\x{{2212}}]?\\s*{_CURRENCY}?\\s*[-+]?\\d[\\d.,'\\x{{2019}}\\s]*"
        f"([eE][-+]?\\d+)?\\s*[%\\x{{2030}}]?\\s*{_CURRENCY}?\\)?-?$"
    )
    return pc.match_substring_regex(trimmed, pattern)


def is_three_decimals(texts: Any) -> bool:
    """Whether every number with a point could as well be one of thousands, as 1.234 is."""
    pointed = kept(texts, contains(texts, "."))
    return len(pointed) > 0 and _fits(pointed, ",", ".")


@dataclass(frozen=True)
class _Marks:
    written: Written
    n_percent: int
    n_negative: int


def _cores(texts: Any) -> tuple[Any, _Marks]:
    """The texts without brackets, currency and percent; None if they cannot be numbers."""
    import pyarrow.compute as pc

    none = None, _Marks(Written(), 0, 0)
    if not len(texts):
        return none
    bracketed = pc.match_substring_regex(texts, "^\\(.*\\)$")
    texts = pc.replace_substring_regex(texts, "^\\((.*)\\)$", "-\\1")
    found = pc.extract_regex(texts, f"(?P<mark>{_CURRENCY})")
    currencies = pc.unique(pc.struct_field(found, "mark").drop_null()).to_pylist()
    if len(currencies) > 1:
        return none
    sign = "([-+]?)"
    texts = pc.replace_substring_regex(texts, "^\\x{2212}", "-")
    texts = pc.replace_substring_regex(texts, f"^{sign}\\s*{_CURRENCY}\\s*{sign}", "\\1\\2")
    texts = pc.replace_substring_regex(texts, f"\\s*{_CURRENCY}$", "")
    percent = pc.match_substring_regex(texts, "%$")
    texts = pc.replace_substring_regex(texts, "\\s*%$", "")
    texts = pc.replace_substring_regex(texts, "^(\\d.*)-$", "-\\1")
    n_percent, n_negative = (int(pc.sum(flags).as_py() or 0) for flags in (percent, bracketed))
    written = Written(percent=n_percent > 0, currency=currencies[0] if currencies else "")
    return texts, _Marks(written, n_percent, n_negative)


def _fits(cores: Any, point: str, group: str) -> bool:
    """Whether every text is a number under a convention."""
    mark = "\\." if point == "." else ","
    # "0,123" is no thousand: a group of three follows a digit other than 0.
    groups = f"[1-9]\\d{{0,2}}(?:{_GROUP_MARKS[group]}\\d{{3}})+|" if group else ""
    pattern = f"^[-+]?(?:(?:{groups}\\d+)(?:{mark}\\d*)?|{mark}\\d+)(?:[eE][-+]?\\d+)?$"
    return every(matches(cores, pattern))


def _other_value(fitting: list[tuple[str, str]], taken: Written) -> Written | None:
    """Marks that fit as well but move the point: 1,234 is 1234 or 1.234."""
    own = (taken.decimal, taken.thousands)
    twins = {
        (".", ","): (",", ""),
        (",", ""): (".", ","),
        (".", ""): (",", "."),
        (",", "."): (".", ""),
    }
    twin = twins.get(own)
    if twin is None or twin not in fitting:
        return None
    if own == (".", "") and not _has_point(fitting):
        return None
    return replace(taken, decimal=twin[0], thousands=twin[1])


def _has_point(fitting: list[tuple[str, str]]) -> bool:
    # Whole numbers without any mark fit everywhere; a point in them excludes the decimal comma.
    return (",", "") not in fitting


def _values(cores: Any, written: Written) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if written.thousands:
        cores = pc.replace_substring_regex(cores, _GROUP_MARKS[written.thousands], "")
    if written.decimal == ",":
        cores = pc.replace_substring(cores, ",", ".")
    cores = pc.replace_substring_regex(cores, "^\\+", "")
    try:
        return cores.cast(pa.int64())
    except pa.ArrowInvalid:
        return cores.cast(pa.float64())


def spread(values: Any, is_missing: Any) -> Any:
    """Values at the places that are not missing."""
    import numpy as np
    import pyarrow as pa

    place = np.cumsum(~np.asarray(is_missing)) - 1
    return values.take(pa.array(place, mask=np.asarray(is_missing)))
