"""Arrow's functions that plain columns need, without `pyarrow.compute`.

That module makes a Python function with a page of words for each of Arrow's three hundred, which
takes longer than to read, predict and write some hundred rows. What it calls is in a module of its
own, under the same names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def _compute() -> Any:
    try:
        from pyarrow import _compute as module
    except ImportError:  # should Arrow move it: slower, and the same
        import pyarrow.compute as module
    return module


def cast(values: Any, kind: Any, *, safe: bool = True) -> Any:
    """Values as another type.

    Parameters
    ----------
    values : pyarrow.Array or pyarrow.ChunkedArray
    kind : pyarrow.DataType
    safe : bool, default=True
        Whether to refuse what the type does not hold exactly.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cast(pa.array(["1.5", None]), pa.float64()).to_pylist()
    [1.5, None]
    """
    if values.type == kind:
        return values
    options = _compute().CastOptions
    wanted = options.safe(kind) if safe else options.unsafe(kind)
    return _compute().call_function("cast", [values], wanted)


def trimmed(texts: Any) -> Any:
    """Texts without blanks at their ends."""
    return _compute().call_function("utf8_trim_whitespace", [texts])


def contains(texts: Any, mark: str) -> Any:
    """Which texts have a mark in them."""
    return _match("match_substring", texts, mark)


def matches(texts: Any, pattern: str) -> Any:
    """Which texts a regular expression is found in."""
    return _match("match_substring_regex", texts, pattern)


def _match(function: str, texts: Any, pattern: str) -> Any:
    return _compute().call_function(function, [texts], _compute().MatchSubstringOptions(pattern))


def some(flags: Any) -> bool:
    """Whether some flag is set; nulls count for nothing."""
    return bool(_compute().call_function("any", [flags]).as_py())


def every(flags: Any) -> bool:
    """Whether there are flags and all are set; nulls count for nothing."""
    return bool(_compute().call_function("all", [flags]).as_py())


def kept(values: Any, flags: Any) -> Any:
    """The values whose flag is set."""
    return _compute().call_function("filter", [values, flags])


def without_nulls(values: Any) -> Any:
    """The values that are there."""
    return _compute().call_function("drop_null", [values]) if values.null_count else values


def dictionary(values: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """Codes of a column, -1 where it is missing, and the distinct values that they stand for.

    Parameters
    ----------
    values : pyarrow.ChunkedArray

    Examples
    --------
    >>> import pyarrow as pa
    >>> dictionary(pa.chunked_array([["b", None], ["a", "b"]]))
    (array([ 0, -1,  1,  0]), ['b', 'a'])
    """
    import pyarrow as pa

    if hasattr(values.type, "value_type"):
        values = values.unify_dictionaries()
    else:
        values = _compute().call_function("dictionary_encode", [values])
    encoded = values.combine_chunks()
    codes = [cast(encoded.indices, pa.int64()), pa.scalar(-1, pa.int64())]
    filled = _compute().call_function("coalesce", codes)
    return filled.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist()


def from_numpy(values: NDArray[Any]) -> Any:
    """What `pyarrow.array` makes of an array, NaN as it is.

    That one asks whether an array is masked, or a column of pandas, and imports both to do so.

    Parameters
    ----------
    values : ndarray of shape (n,)

    Examples
    --------
    >>> from_numpy(np.array([True, False])).to_pylist()
    [True, False]
    """
    import pyarrow as pa

    if values.dtype == np.bool_:
        kind, memory = pa.bool_(), np.packbits(values, bitorder="little")
    elif values.dtype in (np.float64, np.int64):
        kind, memory = pa.from_numpy_dtype(values.dtype), np.ascontiguousarray(values)
    else:
        return pa.array(values)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(memory)])
