"""The JSON header: strict in what it takes, canonical in what it gives."""

import json
import math
from typing import Any

import numpy as np

from bayeswood.modelfile.layout import (
    MAX_HEADER_SIZE,
    MAX_INT_DIGITS,
    MAX_META_DEPTH,
    FormatError,
)

_SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_FLOAT_KEY = "$float"


def dump_header(header: dict[str, Any]) -> bytes:
    """Return canonical JSON: keys sorted, no spaces, UTF-8.

    Examples
    --------
    >>> dump_header({"b": 1, "a": [True, None]})
    b'{"a":[true,null],"b":1}'
    """
    text = json.dumps(
        header, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError("a text in it has a lone surrogate and is not valid Unicode") from None
    if len(data) > MAX_HEADER_SIZE:
        raise FormatError(
            f"its header would need {len(data)} bytes; the limit is {MAX_HEADER_SIZE}"
        )
    return data


def parse_header(data: bytes, keys: frozenset[str]) -> dict[str, Any]:
    """Parse the JSON object of a header that must have just the given keys."""
    if len(data) > MAX_HEADER_SIZE:
        raise FormatError(f"its header has {len(data)} bytes; the limit is {MAX_HEADER_SIZE}")
    try:
        header = json.loads(data.decode("utf-8"), parse_int=_bounded_int)
        canonical = dump_header(header) == data
    except FormatError:
        raise
    except (ValueError, RecursionError):
        raise FormatError("its header is not valid JSON") from None
    if not canonical:
        raise FormatError("its header is not in canonical form")
    check_keys(header, keys, "its header")
    return dict(header)


def check_keys(value: object, keys: frozenset[str], what: str) -> None:
    """Refuse anything but a dict with just these keys."""
    if not isinstance(value, dict):
        raise FormatError(f"{what} is not a JSON object")
    if unknown := sorted(value.keys() - keys):
        raise FormatError(f"{what} has the unknown key {_short(unknown[0])}")
    if missing := sorted(keys - value.keys()):
        raise FormatError(f"{what} lacks the key {missing[0]!r}")


def whole_number(value: object, low: int, high: int, what: str) -> int:
    """Return a JSON integer after checking its type and range."""
    if type(value) is not int or not low <= value <= high:
        raise FormatError(f"{what} must be an int from {low} to {high}, got {_short(value)}")
    return value


def to_json(value: object, where: str, depth: int = 0) -> Any:
    """Turn a value of `meta` into plain JSON.

    NaN and the infinities become ``{"$float": "nan"}`` and so on; a key that starts with ``$``
    gets a second one. Tuples become lists, NumPy scalars Python numbers.
    """
    if depth > MAX_META_DEPTH:
        raise FormatError(f"{where} is nested deeper than {MAX_META_DEPTH} levels")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return _writable_int(int(value), where)
    if isinstance(value, float):
        return _float_to_json(float(value))
    if isinstance(value, list | tuple):
        return [to_json(item, f"{where}[{k}]", depth + 1) for k, item in enumerate(value)]
    if isinstance(value, dict):
        return _dict_to_json(value, where, depth)
    raise FormatError(f"{where} is of type {type(value).__name__}, which JSON cannot hold")


def from_json(value: Any, depth: int = 0) -> Any:
    """Undo `to_json`."""
    if depth > MAX_META_DEPTH:
        raise FormatError(f"its metadata are nested deeper than {MAX_META_DEPTH} levels")
    if isinstance(value, list):
        return [from_json(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if _FLOAT_KEY in value:
        return _special_float(value)
    return {_plain_key(key): from_json(item, depth + 1) for key, item in value.items()}


def _writable_int(value: int, where: str) -> int:
    if value.bit_length() > 3 * MAX_INT_DIGITS:
        raise FormatError(
            f"{where} is an int of {value.bit_length()} bits, too long for the header"
        )
    return value


def _float_to_json(value: float) -> Any:
    if math.isfinite(value):
        return value
    return {_FLOAT_KEY: "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}


def _dict_to_json(value: dict[Any, Any], where: str, depth: int) -> dict[str, Any]:
    plain = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise FormatError(f"{where} has the key {key!r}, which is not a str")
        name = f"${key}" if key.startswith("$") else str(key)
        plain[name] = to_json(item, f"{where}[{key!r}]", depth + 1)
    return plain


def _special_float(value: dict[str, Any]) -> float:
    name = value[_FLOAT_KEY]
    if len(value) != 1 or not isinstance(name, str) or name not in _SPECIAL_FLOATS:
        raise FormatError("its metadata have a malformed special float")
    return _SPECIAL_FLOATS[name]


def _plain_key(key: str) -> str:
    if not key.startswith("$"):
        return key
    if not key.startswith("$$"):
        raise FormatError(f"its metadata have the unknown escape {_short(key)}")
    return key[1:]


def _bounded_int(text: str) -> int:
    if len(text) > MAX_INT_DIGITS:
        raise FormatError(f"its header has an int of {len(text)} digits")
    return int(text)


def _short(value: object) -> str:
    text = repr(value) if not isinstance(value, list | dict) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."
