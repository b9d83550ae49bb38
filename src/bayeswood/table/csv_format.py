"""What a CSV file may look like, for all who read or write one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: Spellings of a missing cell.
MISSING_CELLS = ("", "NA", "NaN", "nan")
_DELIMITERS = ",;\t|"
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_LONGEST = 200


def find_delimiter(text: bytes, errors: str = "strict") -> str:
    r"""The comma, unless the header has none but has another usual delimiter.

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
    header = text.split(b"\n", 1)[0].decode("utf-8", errors=errors)
    return next((mark for mark in _DELIMITERS if mark in header), ",")


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
        true_values=list(_TRUE),
        false_values=list(_FALSE),
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
