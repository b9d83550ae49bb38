"""What a CSV file may look like, for all who read or write one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

#: Spellings of a missing cell.
MISSING_CELLS = ("", "NA", "NaN", "nan")
#: Spellings of a truth value.
TRUE_CELLS, FALSE_CELLS = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_DELIMITERS = ",;\t|"
# Lines by which the delimiter is found.
_LOOKED_AT = 20
_LONGEST = 200


def find_delimiter(text: bytes, errors: str = "strict") -> str:
    r"""The mark that every line has as often as the header; a comma if there is none.

    Where several are, the one that lines have most often; of two that are as frequent, the
    semicolon, the tab or the bar, for commas stand in numbers and names too.

    Parameters
    ----------
    text : bytes
        The beginning of a file.
    errors : str, default="strict"
        What to do about a header that is not UTF-8, as in `bytes.decode`.

    Examples
    --------
    >>> find_delimiter(b"a;b\n1,2;3\n")
    ';'
    >>> find_delimiter(b"alone\n1\n")
    ','
    """
    lines = _unquoted(text).replace(b"\r", b"\n").split(b"\n", _LOOKED_AT + 1)[: _LOOKED_AT + 1]
    lines[0].decode("utf-8", errors=errors)
    whole = [line for line in lines[:_LOOKED_AT] if line.strip(b" ")] or [b""]
    counts = {mark: [line.count(mark.encode()) for line in whole] for mark in _DELIMITERS}
    shared = {mark: own[0] for mark, own in counts.items() if own[0] and min(own) == max(own)}
    if shared and len(whole) > 1:
        return max(reversed(_DELIMITERS), key=lambda mark: shared.get(mark, 0))
    return next((mark for mark in _DELIMITERS if counts[mark][0]), ",")


def _unquoted(text: bytes) -> bytes:
    """The text without what stands in quotes, a whole number of lines where there are several."""
    head = text[: 1 << 16]
    bare = re.sub(rb'"[^"]*("|\Z)', b"", head)
    if len(head) < len(text) and b"\n" in bare:
        bare = bare[: bare.rindex(b"\n")]
    return bare


def cell_options(types: Mapping[str, Any], columns: Sequence[str] = ()) -> Any:
    """What Arrow makes of the cells.

    Parameters
    ----------
    types : mapping of str to pyarrow.DataType
        Types of columns that are not to be inferred.
    columns : sequence of str, default=()
        The columns wanted; all if empty.

    Returns
    -------
    pyarrow.csv.ConvertOptions
    """
    from pyarrow import csv

    return csv.ConvertOptions(
        column_types=dict(types),
        include_columns=list(columns),
        null_values=list(MISSING_CELLS),
        strings_can_be_null=True,
        true_values=list(TRUE_CELLS),
        false_values=list(FALSE_CELLS),
    )


def one_line(text: BaseException | str) -> str:
    r"""The first 200 characters, without line breaks; rows of a wide file can be long.

    Examples
    --------
    >>> one_line("a row\n  that goes on")
    'a row that goes on'
    """
    words = " ".join(str(text).split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
