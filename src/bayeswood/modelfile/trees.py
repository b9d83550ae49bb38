"""A forest's arrays as sections, and back: structure as bits, numbers in their narrowest type."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from bayeswood.modelfile import thresholds
from bayeswood.modelfile.header import check_keys, whole_number
from bayeswood.modelfile.laws import (
    INT32_MAX,
    Arrays,
    numeric_splits,
    split_levels,
    tree_sizes,
)
from bayeswood.modelfile.layout import Array, FormatError, Kind
from bayeswood.modelfile.numbers import narrowest, widen

Sections = Mapping[Kind, Array]

_HEADER = "its forest header"

_INT32 = np.dtype(np.int32)
_CLASSIFIER_KINDS = (Kind.LEAF_PURE, Kind.LEAF_N_ENTRIES, Kind.LEAF_CLASS)
_FOREST_KINDS = (
    Kind.STRUCTURE,
    Kind.FEATURE,
    Kind.N_LEVELS,
    *thresholds.KINDS,
    Kind.MISSING_LEFT,
    Kind.CATEGORY_SETS,
    Kind.LEAF_N_SAMPLES,
    Kind.LEAF_WEIGHT,
    Kind.LEAF_VALUE,
    Kind.LOG_WEIGHTS,
)


@dataclass(frozen=True)
class ForestSize:
    """The numbers of the header that say how large a forest is."""

    n_trees: int
    n_nodes: int
    n_features: int
    n_outputs: int
    is_classifier: bool
    has_rows: bool
    trees_per_member: int = 1

    @property
    def version(self) -> int:
        """The lowest format version that can hold such a forest: sums of trees came with 2."""
        return 1 if self.trees_per_member == 1 else 2

    @property
    def n_members(self) -> int:
        """Trees, or sums of trees."""
        return self.n_trees // self.trees_per_member

    @property
    def n_splits(self) -> int:
        """Internal nodes: a binary tree has one fewer than leaves."""
        return (self.n_nodes - self.n_trees) // 2

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees together."""
        return self.n_splits + self.n_trees

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The sections of such a forest, in the order of the file."""
        classes = _CLASSIFIER_KINDS if self.is_classifier else ()
        rows = (Kind.LEAF_ROWS,) if self.has_rows else ()
        return (*_FOREST_KINDS, *classes, *rows)

    @property
    def counts(self) -> dict[Kind, int]:
        """How many items the sections have whose length follows from the header alone."""
        counts = {
            Kind.STRUCTURE: _n_bytes(self.n_nodes),
            Kind.FEATURE: self.n_splits,
            Kind.N_LEVELS: self.n_features,
            Kind.THRESHOLD_LAYOUT: self.n_features,
            Kind.THRESHOLD_COUNT: self.n_features,
            Kind.MISSING_LEFT: _n_bytes(self.n_splits),
            Kind.LEAF_N_SAMPLES: self.n_leaves,
            Kind.LEAF_WEIGHT: self.n_leaves,
            Kind.LOG_WEIGHTS: self.n_members,
        }
        if self.is_classifier:
            return {**counts, Kind.LEAF_PURE: _n_bytes(self.n_leaves)}
        return {**counts, Kind.LEAF_VALUE: self.n_leaves * self.n_outputs}

    def to_json(self) -> dict[str, Any]:
        """Return the header's ``forest`` object."""
        stated = asdict(self)
        if self.trees_per_member == 1:
            del stated["trees_per_member"]
        return stated

    @classmethod
    def of(cls, arrays: Arrays, trees_per_member: int = 1) -> "ForestSize":
        """Measure a forest."""
        return cls(
            n_trees=len(arrays["n_nodes"]),
            n_nodes=len(arrays["feature"]),
            n_features=arrays["n_features"],
            n_outputs=arrays["n_outputs"],
            is_classifier=arrays["is_classifier"],
            has_rows=len(arrays["leaf_rows"]) > 0,
            trees_per_member=trees_per_member,
        )

    @classmethod
    def from_json(cls, value: object, version: int) -> "ForestSize":
        """Check the header's ``forest`` object in a file of a version."""
        known = frozenset(field.name for field in fields(cls))
        check_keys(value, known - ({"trees_per_member"} if version == 1 else set()), _HEADER)
        assert isinstance(value, dict)
        for name in ("n_trees", "n_nodes", "n_features", "n_outputs"):
            high = 2**48 if name == "n_nodes" else INT32_MAX
            whole_number(value[name], 1, high, f"its {name!r}")
        for name in ("is_classifier", "has_rows"):
            if type(value[name]) is not bool:
                raise FormatError(f"its {name!r} must be true or false")
        _check_members(value)
        size = cls(**value)
        if size.n_nodes != 2 * size.n_splits + size.n_trees or size.n_nodes < size.n_trees:
            raise FormatError(
                f"{size.n_trees} binary trees cannot have {size.n_nodes} nodes together"
            )
        return size


def _check_members(value: dict[str, Any]) -> None:
    """A sum of trees has at least two, all members as many, and no class probabilities."""
    if "trees_per_member" not in value:
        return
    size = whole_number(value["trees_per_member"], 2, value["n_trees"], "its 'trees_per_member'")
    if value["n_trees"] % size or value["is_classifier"]:
        raise FormatError("its trees cannot add up to members as its header says")


def encode_forest(arrays: Arrays, log_weights: Array) -> dict[Kind, Array]:
    """Turn lawful arrays (see `laws`) into the sections of a file."""
    internal = arrays["feature"] != -1
    numeric = numeric_splits(arrays)
    sections = {
        Kind.STRUCTURE: _to_bits(internal),
        Kind.FEATURE: narrowest(arrays["feature"][internal]),
        Kind.N_LEVELS: narrowest(arrays["n_levels"]),
        **thresholds.encode_thresholds(
            arrays["feature"][numeric], arrays["threshold"][numeric], arrays["n_features"]
        ),
        Kind.MISSING_LEFT: _to_bits(arrays["missing_left"][internal]),
        Kind.CATEGORY_SETS: _trim_words(arrays["category_words"], split_levels(arrays)),
        Kind.LEAF_N_SAMPLES: narrowest(arrays["leaf_n_samples"]),
        Kind.LEAF_WEIGHT: narrowest(arrays["leaf_weight"]),
        Kind.LEAF_VALUE: narrowest(arrays["leaf_value"]),
        Kind.LOG_WEIGHTS: narrowest(log_weights),
        Kind.LEAF_ROWS: narrowest(arrays["leaf_rows"]),
    }
    return {**sections, **_encode_classes(arrays)} if arrays["is_classifier"] else sections


def decode_forest(size: ForestSize, sections: Sections) -> tuple[dict[str, Any], Array]:
    """Turn sections back into the forest's arrays and its log weights.

    Checks what the decoding itself relies on; `laws.check_forest` is for the result.
    """
    internal = _from_bits(sections[Kind.STRUCTURE], size.n_nodes, "structure")
    if int(np.count_nonzero(internal)) != size.n_splits:
        raise FormatError("its structure does not have the stated number of splits")
    n_nodes = tree_sizes(internal)
    if len(n_nodes) != size.n_trees:
        raise FormatError(f"its structure has {len(n_nodes)} trees where {size.n_trees} are stated")
    arrays: dict[str, Any] = {
        "n_features": size.n_features,
        "n_outputs": size.n_outputs,
        "is_classifier": size.is_classifier,
        "n_levels": _int32(sections, Kind.N_LEVELS),
        "n_nodes": n_nodes,
        **_decode_splits(size, sections, internal),
        "leaf_n_samples": _int32(sections, Kind.LEAF_N_SAMPLES),
        "leaf_weight": _widen(sections, Kind.LEAF_WEIGHT, np.float32),
        **(_decode_classes if size.is_classifier else _decode_means)(size, sections),
        "leaf_rows": _decode_rows(size, sections),
    }
    return arrays, _widen(sections, Kind.LOG_WEIGHTS, np.float64)


def _decode_splits(size: ForestSize, sections: Sections, internal: Array) -> dict[str, Array]:
    split_feature = _int32(sections, Kind.FEATURE)
    if np.any(split_feature >= size.n_features):
        raise FormatError("a split uses a feature that does not exist")
    levels = _int32(sections, Kind.N_LEVELS)[split_feature].astype(np.int64)
    split_threshold = np.full(size.n_splits, np.nan)
    numeric = levels == 0
    split_threshold[numeric] = thresholds.decode_thresholds(split_feature[numeric], sections)
    missing_left = _from_bits(sections[Kind.MISSING_LEFT], size.n_splits, "missing_left")
    return {
        "feature": _spread(split_feature, internal, -1),
        "threshold": _spread(split_threshold, internal, np.nan),
        "missing_left": _spread(missing_left.astype(np.uint8), internal, 0),
        "category_words": _fill_words(sections[Kind.CATEGORY_SETS], levels[~numeric]),
    }


def _encode_classes(arrays: Arrays) -> dict[Kind, Array]:
    """Leave out what a pure leaf need not say: one entry, of probability 1."""
    n_entries = arrays["leaf_n_entries"]
    first = np.cumsum(n_entries, dtype=np.int64) - n_entries
    pure = (n_entries == 1) & (arrays["leaf_value"][first] == 1.0)
    mixed_entry = np.repeat(~pure, n_entries)
    return {
        Kind.LEAF_PURE: _to_bits(pure),
        Kind.LEAF_N_ENTRIES: narrowest(n_entries[~pure]),
        Kind.LEAF_CLASS: narrowest(arrays["leaf_class"]),
        Kind.LEAF_VALUE: narrowest(arrays["leaf_value"][mixed_entry]),
    }


def _decode_classes(size: ForestSize, sections: Sections) -> dict[str, Array]:
    pure = _from_bits(sections[Kind.LEAF_PURE], size.n_leaves, "leaf_pure")
    mixed_counts = _int32(sections, Kind.LEAF_N_ENTRIES)
    _check_count(sections, Kind.LEAF_N_ENTRIES, size.n_leaves - int(np.count_nonzero(pure)))
    n_mixed = int(mixed_counts.sum(dtype=np.int64))
    _check_count(sections, Kind.LEAF_VALUE, n_mixed)
    _check_count(sections, Kind.LEAF_CLASS, n_mixed + int(np.count_nonzero(pure)))
    n_entries = _spread(mixed_counts, ~pure, 1)
    mixed_entry = np.repeat(~pure, n_entries)
    return {
        "leaf_n_entries": n_entries,
        "leaf_class": _int32(sections, Kind.LEAF_CLASS),
        "leaf_value": _spread(_widen(sections, Kind.LEAF_VALUE, np.float64), mixed_entry, 1.0),
    }


def _decode_means(size: ForestSize, sections: Sections) -> dict[str, Array]:
    return {
        "leaf_n_entries": np.empty(0, dtype=np.int32),
        "leaf_class": np.empty(0, dtype=np.int32),
        "leaf_value": _widen(sections, Kind.LEAF_VALUE, np.float64),
    }


def _decode_rows(size: ForestSize, sections: Sections) -> Array:
    if not size.has_rows:
        return np.empty(0, dtype=np.int32)
    rows = _int32(sections, Kind.LEAF_ROWS)
    if len(rows) == 0:
        raise FormatError("its 'leaf_rows' section is empty")
    return rows


def _n_bytes(n_bits: int) -> int:
    return (n_bits + 7) // 8


def _to_bits(flags: Array) -> Array:
    return np.packbits(flags.astype(bool), bitorder="little")


def _from_bits(data: Array, n_bits: int, what: str) -> Array:
    flags = np.unpackbits(data, bitorder="little").view(bool)
    if flags[n_bits:].any():
        raise FormatError(f"its '{what}' section has bits set past its end")
    return flags[:n_bits]


def _spread(values: Array, where: Array, elsewhere: float) -> Array:
    """Put the values, in order, where the mask is set, and a constant elsewhere."""
    spread = np.full(len(where), elsewhere, dtype=values.dtype)
    spread[where] = values
    return spread


def _trim_words(words: Array, levels: Array) -> Array:
    """Keep the bytes of each category set that its levels need."""
    return words.astype("<u8", copy=False).view(np.uint8)[_kept_bytes(levels)]


def _fill_words(data: Array, levels: Array) -> Array:
    """Undo `_trim_words`."""
    expected = int(((levels + 7) // 8).sum())
    if len(data) != expected:
        raise FormatError(
            f"its 'category_sets' section has {len(data)} bytes where {expected} belong"
        )
    kept = _kept_bytes(levels)
    padded = np.zeros(len(kept), dtype=np.uint8)
    padded[kept] = data
    return padded.view("<u8").astype(np.uint64)


def _kept_bytes(levels: Array) -> Array:
    """Return a mask over the bytes of the words: all but the spare end of each last word."""
    n_words = (levels + 63) // 64
    kept = np.ones((int(n_words.sum()), 8), dtype=bool)
    in_last = (levels + 7) // 8 - 8 * (n_words - 1)
    kept[np.cumsum(n_words) - 1] = np.arange(8) < in_last[:, None]
    return kept.reshape(-1)


def _check_count(sections: Sections, kind: Kind, expected: int) -> None:
    if len(sections[kind]) != expected:
        raise FormatError(
            f"its {kind.label} has {len(sections[kind])} items where {expected} belong"
        )


def _int32(sections: Sections, kind: Kind) -> Array:
    return widen(sections[kind], _INT32, f"its {kind.label}")


def _widen(sections: Sections, kind: Kind, dtype: type) -> Array:
    return widen(sections[kind], np.dtype(dtype), f"its {kind.label}")
