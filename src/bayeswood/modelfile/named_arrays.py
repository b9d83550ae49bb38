"""Arrays with names, beside the forest: numbers as sections, text in the header."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayeswood.modelfile.container import Section
from bayeswood.modelfile.header import check_keys, whole_number
from bayeswood.modelfile.layout import (
    MAX_ARRAY_DIMENSIONS,
    MAX_NAME_LENGTH,
    STRING_FLOOR,
    STRING_RATIO,
    Array,
    FormatError,
    Kind,
)
from bayeswood.modelfile.numbers import narrowest, widen

_NUMERIC = frozenset(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)) | {
    "bool",
    "float32",
    "float64",
}
# "str" is a fixed-width array of text, "object" an object array of Python strings.
_TEXT = frozenset({"str", "object"})
_KEYS = frozenset({"name", "dtype", "shape"})


@dataclass(frozen=True)
class Description:
    """One checked item of the header's ``arrays``."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    text: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        """Text is in the header itself, without a section."""
        return self.dtype in _TEXT

    @property
    def count(self) -> int:
        """Number of items."""
        return math.prod(self.shape)


def describe_arrays(arrays: Mapping[str, Array]) -> list[dict[str, Any]]:
    """Return the header's ``arrays`` for the arrays to be written."""
    described = [_describe(name, array) for name, array in arrays.items()]
    _check_text_size([item["text"] for item in described if item["dtype"] == "str"])
    return described


def array_sections(arrays: Mapping[str, Array]) -> list[Section]:
    """Return one section per array of numbers, in order."""
    numbers = [array for array in arrays.values() if array.dtype.kind not in "UO"]
    return [Section(Kind.NAMED_ARRAY, narrowest(array)) for array in numbers]


def parse_descriptions(value: object) -> list[Description]:
    """Check the header's ``arrays``."""
    if not isinstance(value, list):
        raise FormatError("its list of arrays is not a JSON list")
    descriptions = [_parse_description(item) for item in value]
    names = [description.name for description in descriptions]
    if len(set(names)) != len(names):
        raise FormatError("two of its arrays have the same name")
    _check_text_size([item.text for item in descriptions if item.dtype == "str"])
    return descriptions


def build_arrays(descriptions: Sequence[Description], stored: Iterator[Array]) -> dict[str, Array]:
    """Make the arrays from their descriptions and, for numeric ones, the stored numbers."""
    return {
        item.name: _build_text(item) if item.is_text else _build_numeric(item, next(stored))
        for item in descriptions
    }


def _describe(name: str, array: Array) -> dict[str, Any]:
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise FormatError(
            f"the array name {name!r:.60} is not a str of 1 to {MAX_NAME_LENGTH} characters"
        )
    if not isinstance(array, np.ndarray):
        raise FormatError(
            f"the array {name!r} is of type {type(array).__name__}, not a NumPy array"
        )
    if array.ndim > MAX_ARRAY_DIMENSIONS:
        raise FormatError(f"the array {name!r} has more than {MAX_ARRAY_DIMENSIONS} dimensions")
    dtype = _type_name(array)
    if dtype not in _NUMERIC | _TEXT:
        raise FormatError(f"the array {name!r} has the type {array.dtype}, which cannot be stored")
    described = {"name": str(name), "dtype": dtype, "shape": list(array.shape)}
    return {**described, "text": _text(name, array)} if dtype in _TEXT else described


def _type_name(array: Array) -> str:
    return "str" if array.dtype.kind == "U" else array.dtype.name


def _text(name: str, array: Array) -> list[str]:
    items = np.ravel(array).tolist()
    if not all(isinstance(item, str) for item in items):
        raise FormatError(f"the object array {name!r} has items that are not text")
    return items


def _check_text_size(texts: Sequence[Sequence[str]]) -> None:
    """Fixed-width text takes count times the longest: keep that in proportion to the text."""
    n_characters = sum(len(item) for items in texts for item in items)
    n_bytes = sum(4 * len(items) * max(map(len, items), default=0) for items in texts)
    if n_bytes > STRING_RATIO * n_characters + STRING_FLOOR:
        raise FormatError(
            f"the text arrays would take {n_bytes} bytes for {n_characters} characters: "
            "some items are too long beside the others"
        )


def _parse_description(value: object) -> Description:
    is_text = isinstance(value, dict) and "text" in value
    check_keys(value, _KEYS | {"text"} if is_text else _KEYS, "the description of an array")
    assert isinstance(value, dict)
    name, dtype = value["name"], value["dtype"]
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise FormatError("one of its arrays has no proper name")
    if not isinstance(dtype, str) or dtype not in (_TEXT if is_text else _NUMERIC):
        raise FormatError(f"its array {name!r} has an unknown type")
    shape = _parse_shape(value["shape"], name)
    return Description(name, dtype, shape, _parse_text(value["text"], name) if is_text else ())


def _parse_shape(value: object, name: str) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > MAX_ARRAY_DIMENSIONS:
        raise FormatError(f"its array {name!r} has no proper shape")
    return tuple(whole_number(n, 0, 2**48, f"a dimension of its array {name!r}") for n in value)


def _parse_text(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FormatError(f"its text array {name!r} has items that are not text")
    return tuple(value)


def _build_text(item: Description) -> Array:
    _check_length(item, len(item.text))
    if item.dtype == "object":
        array = np.empty(len(item.text), dtype=object)
        array[:] = item.text
        return _reshape(array, item)
    return _reshape(np.array(item.text, dtype=np.str_), item)


def _build_numeric(item: Description, stored: Array) -> Array:
    _check_length(item, len(stored))
    return _reshape(widen(stored, np.dtype(item.dtype), f"its array {item.name!r}"), item)


def _check_length(item: Description, n_items: int) -> None:
    if n_items != item.count:
        raise FormatError(f"its array {item.name!r} has {n_items} items and the shape {item.shape}")


def _reshape(array: Array, item: Description) -> Array:
    try:
        return array.reshape(item.shape)
    except ValueError:
        raise FormatError(f"its array {item.name!r} cannot have the shape {item.shape}") from None
