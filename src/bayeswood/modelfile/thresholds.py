"""Thresholds as indices into one sorted table per feature.

A forest repeats its thresholds: the table of distinct ones per feature is small and an index into
it takes one or two bytes. Where a table would not pay (every threshold is new) the values are
stored as they come. The layout byte of a feature says which: its low half is the bytes per index
(0: values stored directly), its high half the bytes per value (4 or 8); 0 if the feature is in no
numeric split.
"""

from collections.abc import Mapping
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
KINDS = (
    Kind.THRESHOLD_LAYOUT,
    Kind.THRESHOLD_COUNT,
    Kind.THRESHOLD_FLOAT32,
    Kind.THRESHOLD_FLOAT64,
    *_INDEX_KINDS.values(),
)


@dataclass(frozen=True)
class _Groups:
    """Thresholds sorted by feature, then by value; equal ones share a number."""

    order: Array  # positions in node order
    distinct: Array  # number of the distinct (feature, threshold), in sorted order
    first: Array  # sorted position of the first of each distinct pair


def encode_thresholds(feature: Array, threshold: Array, n_features: int) -> dict[Kind, Array]:
    """Encode the thresholds of all numeric splits.

    Parameters
    ----------
    feature : int ndarray of shape (n_splits,)
        The feature of each numeric split, in node order.
    threshold : float64 ndarray of shape (n_splits,)
    n_features : int
    """
    groups = _group(feature, threshold)
    used = np.bincount(feature, minlength=n_features)
    n_distinct = np.bincount(feature[groups.order[groups.first]], minlength=n_features)
    value_width = _value_widths(feature, threshold, used)
    index_width = _index_widths(used, n_distinct, value_width)
    direct = index_width == 0
    count = np.where(direct, used, n_distinct)
    values = _stored_values(groups, feature, threshold, direct)
    narrow = np.repeat(value_width == 4, count)
    return {
        Kind.THRESHOLD_LAYOUT: (16 * value_width + index_width).astype(np.uint8),
        Kind.THRESHOLD_COUNT: narrowest(count),
        Kind.THRESHOLD_FLOAT32: values[narrow].astype("<f4"),
        Kind.THRESHOLD_FLOAT64: values[~narrow].astype("<f8"),
        **_indices_by_width(_table_index(groups, n_distinct, feature), index_width[feature]),
    }


def decode_thresholds(feature: Array, sections: Mapping[Kind, Array]) -> Array:
    """Return the float64 threshold of each numeric split; the inverse of `encode_thresholds`."""
    layout = sections[Kind.THRESHOLD_LAYOUT].astype(np.int64)
    count = sections[Kind.THRESHOLD_COUNT].astype(np.int64)
    value_width, index_width = layout // 16, layout % 16
    used = np.bincount(feature, minlength=len(layout))
    _check_layout(layout, count, used)
    values = _joined_values(np.repeat(value_width == 4, _bounded(count, sections)), sections)
    _check_ascending(values, count, index_width > 0)
    index = _joined_indices(index_width[feature], sections)
    direct = index_width[feature] == 0
    index[direct] = _rank_within_feature(feature)[direct]
    if np.any(index >= count[feature]):
        raise FormatError("a threshold index points past the end of its table")
    start = np.cumsum(count) - count
    return np.asarray(values[start[feature] + index])


def _group(feature: Array, threshold: Array) -> _Groups:
    key = _ordered_bits(threshold)
    order = np.lexsort((key, feature))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(feature[order]) != 0) | (key[order][1:] != key[order][:-1])
    return _Groups(order, np.cumsum(new) - 1, np.flatnonzero(new))


def _ordered_bits(values: Array) -> Array:
    """Return unsigned integers that sort as the floats do and keep -0.0 apart from 0.0."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    sign = np.uint64(1 << 63)
    return np.where(bits & sign, ~bits, bits | sign)


def _value_widths(feature: Array, threshold: Array, used: Array) -> Array:
    """Give 4 bytes where float32 holds every threshold of the feature exactly, else 8."""
    with np.errstate(over="ignore"):
        inexact = threshold.astype(np.float32).astype(np.float64) != threshold
    n_inexact = np.bincount(feature[inexact], minlength=len(used))
    return np.where(used == 0, 0, np.where(n_inexact == 0, 4, 8))


def _index_widths(used: Array, n_distinct: Array, value_width: Array) -> Array:
    """Give the bytes per index, or 0 where a table would take more than the bare values."""
    width = np.select([n_distinct <= 1 << 8, n_distinct <= 1 << 16], [1, 2], 4)
    pays = n_distinct * value_width + used * width < used * value_width
    return np.where(pays, width, 0)


def _stored_values(groups: _Groups, feature: Array, threshold: Array, direct: Array) -> Array:
    """Return the values to store, feature by feature: tables sorted, bare ones in node order."""
    in_table = groups.order[groups.first]
    by_feature = np.argsort(feature, kind="stable")
    bare = by_feature[direct[feature[by_feature]]]
    tables = in_table[~direct[feature[in_table]]]
    chosen = np.concatenate([tables, bare])
    return np.asarray(threshold[chosen[np.argsort(feature[chosen], kind="stable")]])


def _table_index(groups: _Groups, n_distinct: Array, feature: Array) -> Array:
    start = np.cumsum(n_distinct) - n_distinct
    index = np.empty(len(feature), dtype=np.int64)
    index[groups.order] = groups.distinct
    return np.asarray(index - start[feature])


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


def _check_ascending(values: Array, count: Array, tabled: Array) -> None:
    owner = np.repeat(np.arange(len(count)), count)
    key = _ordered_bits(values)
    inside = (owner[1:] == owner[:-1]) & tabled[owner[1:]]
    if np.any(key[1:][inside] <= key[:-1][inside]):
        raise FormatError("a table of thresholds does not ascend")


def _joined_indices(width: Array, sections: Mapping[Kind, Array]) -> Array:
    index = np.zeros(len(width), dtype=np.int64)
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


def _rank_within_feature(feature: Array) -> Array:
    """Number the splits of each feature in node order: 0, 1, 2, ..."""
    order = np.argsort(feature, kind="stable")
    used = np.bincount(feature)
    rank = np.empty(len(feature), dtype=np.int64)
    rank[order] = np.arange(len(feature)) - np.repeat(np.cumsum(used) - used, used)
    return rank
