"""Thresholds as indices into one sorted table per feature.

A forest repeats its thresholds: the table of distinct ones per feature is small and an index into
it takes one or two bytes. Where a table would not pay (every threshold is new) the values are
stored as they come. The layout byte of a feature says which: its low half is the bytes per index
(0: values stored directly), its high half the bytes per value (4 or 8); 0 if the feature is in no
numeric split.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bayeswood.modelfile.layout import Array, FormatError, Kind
from bayeswood.modelfile.numbers import narrowest

_INDEX_KINDS = {
    1: Kind.THRESHOLD_INDEX8,
    2: Kind.THRESHOLD_INDEX16,
    4: Kind.THRESHOLD_INDEX32,
}
_LAYOUTS = np.array([16 * value + index for value in (4, 8) for index in (0, 1, 2, 4)] + [0])
_SIGN = np.uint64(1 << 63)
KINDS = (
    Kind.THRESHOLD_LAYOUT,
    Kind.THRESHOLD_COUNT,
    Kind.THRESHOLD_FLOAT32,
    Kind.THRESHOLD_FLOAT64,
    *_INDEX_KINDS.values(),
)


@dataclass(frozen=True)
class _Column:
    """The thresholds of one feature, as they are stored."""

    value_width: int
    values: Array  # the table in ascending order, or all thresholds in node order
    index: Array | None  # of each threshold in the table; None if there is no table

    @property
    def index_width(self) -> int:
        return 0 if self.index is None else self.index.itemsize


def encode_thresholds(feature: Array, threshold: Array, n_features: int) -> dict[Kind, Array]:
    """Encode the thresholds of all numeric splits.

    Parameters
    ----------
    feature : int ndarray of shape (n_splits,)
        The feature of each numeric split, in node order.
    threshold : float64 ndarray of shape (n_splits,)
    n_features : int
    """
    value_width, index_width, count = np.zeros((3, n_features), dtype=np.int64)
    index = np.zeros(len(feature), dtype=np.uint32)
    values: dict[int, list[Array]] = {4: [], 8: []}
    for number, own in _by_feature(feature, n_features):
        column = _encode_column(threshold[own])
        value_width[number], index_width[number] = column.value_width, column.index_width
        count[number] = len(column.values)
        values[column.value_width].append(column.values.astype(f"<f{column.value_width}"))
        if column.index is not None:
            index[own] = column.index
    return {
        Kind.THRESHOLD_LAYOUT: (16 * value_width + index_width).astype(np.uint8),
        Kind.THRESHOLD_COUNT: narrowest(count),
        Kind.THRESHOLD_FLOAT32: np.concatenate([np.empty(0, dtype="<f4"), *values[4]]),
        Kind.THRESHOLD_FLOAT64: np.concatenate([np.empty(0, dtype="<f8"), *values[8]]),
        **_indices_by_width(index, index_width.astype(np.uint8)[feature]),
    }


def decode_thresholds(feature: Array, sections: Mapping[Kind, Array]) -> Array:
    """Return the float64 threshold of each numeric split; the inverse of `encode_thresholds`."""
    layout = sections[Kind.THRESHOLD_LAYOUT].astype(np.int64)
    count = sections[Kind.THRESHOLD_COUNT].astype(np.int64)
    value_width, index_width = layout // 16, layout % 16
    _check_layout(layout, count, np.bincount(feature, minlength=len(layout)))
    values = _joined_values(np.repeat(value_width == 4, _bounded(count, sections)), sections)
    index = _joined_indices(index_width.astype(np.uint8)[feature], sections)
    end = np.cumsum(count)
    threshold = np.empty(len(feature))
    for number, own in _by_feature(feature, len(layout)):
        stored = values[end[number] - count[number] : end[number]]
        direct = index_width[number] == 0
        threshold[own] = stored if direct else _look_up(stored, index[own])
    return threshold


def _by_feature(feature: Array, n_features: int) -> Iterator[tuple[int, Array]]:
    """Yield each feature that is used, and the places of its splits in node order.

    One feature at a time, so that what is made of a forest's thresholds on the way stays small.
    """
    order = np.argsort(feature, kind="stable")
    used = np.bincount(feature, minlength=n_features)
    end = np.cumsum(used)
    for number in np.flatnonzero(used).tolist():
        yield number, order[end[number] - used[number] : end[number]]


def _encode_column(threshold: Array) -> _Column:
    distinct, inverse = np.unique(_ordered_bits(threshold), return_inverse=True)
    with np.errstate(over="ignore"):
        exact = np.array_equal(threshold.astype(np.float32).astype(np.float64), threshold)
    value_width = 4 if exact else 8
    width = _index_width(len(distinct))
    if len(distinct) * value_width + len(threshold) * width >= len(threshold) * value_width:
        return _Column(value_width, threshold, None)
    return _Column(value_width, _from_ordered_bits(distinct), inverse.astype(f"<u{width}"))


def _index_width(n_distinct: int) -> int:
    """Give the bytes that an index into a table of so many values takes."""
    return 1 if n_distinct <= 1 << 8 else 2 if n_distinct <= 1 << 16 else 4


def _ordered_bits(values: Array) -> Array:
    """Return unsigned integers that sort as the floats do and keep -0.0 apart from 0.0."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _from_ordered_bits(bits: Array) -> Array:
    """Undo `_ordered_bits`."""
    return np.where(bits & _SIGN, bits & ~_SIGN, ~bits).view(np.float64)


def _indices_by_width(index: Array, width: Array) -> dict[Kind, Array]:
    return {
        kind: index[width == n_bytes].astype(f"<u{n_bytes}")
        for n_bytes, kind in _INDEX_KINDS.items()
    }


def _check_layout(layout: Array, count: Array, used: Array) -> None:
    if not np.isin(layout, _LAYOUTS).all():
        raise FormatError("its threshold layout has an unknown code")
    if np.any((layout == 0) != (used == 0)):
        raise FormatError("its threshold layout does not match the features of the splits")
    direct = layout % 16 == 0
    if np.any(count[direct] != used[direct]) or np.any(count[~direct] < 1):
        raise FormatError("its threshold counts do not match the splits")


def _bounded(count: Array, sections: Mapping[Kind, Array]) -> Array:
    """Check the counts against the values there are, before anything is made of that size."""
    there = len(sections[Kind.THRESHOLD_FLOAT32]) + len(sections[Kind.THRESHOLD_FLOAT64])
    if int(count.sum()) != there:
        raise FormatError("its threshold counts do not add up")
    return count


def _joined_values(narrow: Array, sections: Mapping[Kind, Array]) -> Array:
    n_narrow = int(np.count_nonzero(narrow))
    _check_count(sections, Kind.THRESHOLD_FLOAT32, n_narrow)
    values = np.empty(len(narrow), dtype=np.float64)
    values[narrow] = sections[Kind.THRESHOLD_FLOAT32]
    values[~narrow] = sections[Kind.THRESHOLD_FLOAT64]
    return values


def _look_up(table: Array, index: Array) -> Array:
    key = _ordered_bits(table)
    if np.any(key[1:] <= key[:-1]):
        raise FormatError("a table of thresholds does not ascend")
    if np.any(index >= len(table)):
        raise FormatError("a threshold index points past the end of its table")
    return np.asarray(table[index])


def _joined_indices(width: Array, sections: Mapping[Kind, Array]) -> Array:
    index = np.zeros(len(width), dtype=np.uint32)
    for n_bytes, kind in _INDEX_KINDS.items():
        mine = width == n_bytes
        _check_count(sections, kind, int(np.count_nonzero(mine)))
        index[mine] = sections[kind]
    return index


def _check_count(sections: Mapping[Kind, Array], kind: Kind, expected: int) -> None:
    if len(sections[kind]) != expected:
        raise FormatError(
            f"its {kind.label} has {len(sections[kind])} items where {expected} belong"
        )
