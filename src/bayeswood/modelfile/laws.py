"""The laws of a forest's arrays, one small check each.

The arrays are those of ``Forest.to_arrays``. The writer checks them so that no file is written
that could not be read; the reader so that nothing unlawful reaches the native core.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayeswood.modelfile.layout import Array, DType, FormatError

Arrays = Mapping[str, Any]

_SCALARS: dict[str, type] = {"n_features": int, "n_outputs": int, "is_classifier": bool}
_DTYPES: dict[str, DType] = {
    "n_levels": np.dtype(np.int32),
    "n_nodes": np.dtype(np.int64),
    "feature": np.dtype(np.int32),
    "threshold": np.dtype(np.float64),
    "missing_left": np.dtype(np.uint8),
    "category_words": np.dtype(np.uint64),
    "leaf_n_samples": np.dtype(np.int32),
    "leaf_weight": np.dtype(np.float32),
    "leaf_n_entries": np.dtype(np.int32),
    "leaf_class": np.dtype(np.int32),
    "leaf_value": np.dtype(np.float64),
    "leaf_rows": np.dtype(np.int32),
}
KEYS = frozenset(_SCALARS) | frozenset(_DTYPES)
INT32_MAX = 2**31 - 1
# Of a mean: no response may be larger, or its square might be none.
LARGEST_MEAN = 1e125
MAX_LEVELS = 65_535
_FLOAT32_MAX = float(np.finfo(np.float32).max)
_SUM_TOLERANCE = 1e-6
_BLOCK = 1 << 20


def check_forest(arrays: Arrays) -> None:
    """Raise `FormatError` if the arrays break any law of a forest."""
    check_types(arrays)
    check_lengths(arrays)
    check_structure(arrays)
    check_features(arrays)
    check_thresholds(arrays)
    check_missing_left(arrays)
    check_category_words(arrays)
    check_leaf_sizes(arrays)
    check_leaf_rows(arrays)
    if arrays["is_classifier"]:
        check_leaf_classes(arrays)
        check_leaf_probabilities(arrays)
    else:
        check_leaf_means(arrays)


def check_log_weights(log_weights: Array, n_members: int) -> None:
    """One per member; minus infinity is a member without weight, but not all of them."""
    if log_weights.dtype != np.float64 or log_weights.shape != (n_members,):
        raise FormatError(f"the log weights must be {n_members} float64 numbers, one per member")
    if np.isnan(log_weights).any() or np.max(log_weights) in (np.inf, -np.inf):
        raise FormatError(
            "the log weights must be numbers below infinity, at least one of them finite"
        )


def check_types(arrays: Arrays) -> None:
    """All the keys, and each of the type it should have."""
    if set(arrays) != KEYS:
        odd = sorted(KEYS.symmetric_difference(arrays))
        raise FormatError(f"the forest's arrays lack or do not know {odd[0]!r}")
    for name, kind in _SCALARS.items():
        if type(arrays[name]) is not kind:
            raise FormatError(f"the forest's {name!r} must be of type {kind.__name__}")
    for name, dtype in _DTYPES.items():
        array = arrays[name]
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            raise FormatError(f"the forest's {name!r} must be a 1-D array of {dtype}")


def check_lengths(arrays: Arrays) -> None:
    """Arrays per node and per leaf have as many items as there are nodes and leaves."""
    if not 1 <= arrays["n_features"] <= INT32_MAX or not 1 <= arrays["n_outputs"] <= INT32_MAX:
        raise FormatError("the forest must have at least one feature and one output")
    n_levels = arrays["n_levels"]
    if len(n_levels) != arrays["n_features"] or np.any((n_levels < 0) | (n_levels > MAX_LEVELS)):
        raise FormatError(f"each feature must have one number of levels, 0 to {MAX_LEVELS}")
    for name in ("threshold", "missing_left"):
        if len(arrays[name]) != len(arrays["feature"]):
            raise FormatError(f"the forest's {name!r} must have one item per node")
    n_leaves = np.count_nonzero(arrays["feature"] == -1)
    for name in ("leaf_n_samples", "leaf_weight"):
        if len(arrays[name]) != n_leaves:
            raise FormatError(f"the forest's {name!r} must have one item per leaf")


def check_structure(arrays: Arrays) -> None:
    """The nodes form whole binary trees in breadth-first order, of the sizes stated."""
    if len(arrays["n_nodes"]) == 0:
        raise FormatError("the forest has no trees")
    sizes = tree_sizes(arrays["feature"] != -1)
    if not np.array_equal(sizes, arrays["n_nodes"]):
        raise FormatError("the sizes of the trees do not match their nodes")


def tree_sizes(internal: Array) -> Array:
    """Return the number of nodes of each tree; refuse nodes that are not whole trees.

    Notes
    -----
    Reading breadth-first, each internal node opens two places and each node fills one. The
    running sum of +1 (internal) and -1 (leaf) falls to a new minimum just when a tree is full.
    It is taken block by block: a forest may have a hundred million nodes.
    """
    ends, walk = [], 0
    lowest = 0
    for start in range(0, len(internal), _BLOCK):
        steps = np.where(internal[start : start + _BLOCK], 1, -1)
        below = np.minimum.accumulate(np.minimum(walk + np.cumsum(steps), lowest))
        ends.append(start + np.flatnonzero(np.diff(below, prepend=lowest) < 0))
        walk, lowest = walk + int(steps.sum()), int(below[-1])
    joined = np.concatenate(ends) if ends else np.empty(0, dtype=np.int64)
    if len(joined) == 0 or joined[-1] != len(internal) - 1:
        raise FormatError("its nodes do not form whole trees")
    return np.diff(joined, prepend=-1).astype(np.int64)


def check_features(arrays: Arrays) -> None:
    """Each node is a leaf or splits a feature there is."""
    feature = arrays["feature"]
    if np.any(feature < -1) or np.any(feature >= arrays["n_features"]):
        raise FormatError("a split uses a feature that does not exist")


def check_thresholds(arrays: Arrays) -> None:
    """Numeric splits have a threshold above minus infinity, all other nodes NaN."""
    numeric = numeric_splits(arrays)
    threshold = arrays["threshold"]
    if np.any(np.isnan(threshold) == numeric) or np.any(threshold == -np.inf):
        raise FormatError("a threshold is not a number, or is there where none belongs")


def check_missing_left(arrays: Arrays) -> None:
    """Splits say 0 or 1, leaves 0."""
    missing_left = arrays["missing_left"]
    if np.any(missing_left > 1) or np.any(missing_left[arrays["feature"] == -1]):
        raise FormatError("a missing-value direction is neither left nor right, or is on a leaf")


def check_category_words(arrays: Arrays) -> None:
    """Each categorical split has the words its levels need and no bit beyond them."""
    levels = split_levels(arrays)
    n_words = (levels + 63) // 64
    words = arrays["category_words"]
    if int(n_words.sum()) != len(words):
        raise FormatError("the category sets do not have one bit per level")
    last = words[np.cumsum(n_words) - 1] if len(levels) else words[:0]
    if np.any(last >> ((levels - 1) % 64).astype(np.uint64) > 1):
        raise FormatError("a category set has a level that does not exist")


def check_leaf_sizes(arrays: Arrays) -> None:
    """Leaves have at least 0 samples and a weight of at least 0; a tree's sums are finite."""
    weight = arrays["leaf_weight"]
    if np.any(arrays["leaf_n_samples"] < 0):
        raise FormatError("a leaf has fewer than 0 samples")
    if not np.isfinite(weight).all() or np.any(weight < 0):
        raise FormatError("the weight of a leaf is not a finite number >= 0")
    first_leaf = _starts((arrays["n_nodes"] + 1) // 2)
    n_samples = np.add.reduceat(arrays["leaf_n_samples"], first_leaf, dtype=np.int64)
    if np.any(n_samples > INT32_MAX):
        raise FormatError(f"a tree has more than {INT32_MAX} samples")
    if np.any(np.add.reduceat(weight, first_leaf, dtype=np.float64) > _FLOAT32_MAX):
        raise FormatError("the weight of a tree is out of range")


def check_leaf_rows(arrays: Arrays) -> None:
    """Either no rows are kept or each leaf's samples are."""
    rows = arrays["leaf_rows"]
    n_samples = int(arrays["leaf_n_samples"].sum(dtype=np.int64))
    if len(rows) not in (0, n_samples):
        raise FormatError(f"{len(rows)} training rows are kept for {n_samples} samples")
    if np.any(rows < 0):
        raise FormatError("a kept training row has a negative number")


def check_leaf_classes(arrays: Arrays) -> None:
    """Each leaf lists at least one class, ascending, all of them below n_outputs."""
    n_entries, classes = arrays["leaf_n_entries"], arrays["leaf_class"]
    n_leaves = len(arrays["leaf_n_samples"])
    if len(n_entries) != n_leaves or np.any(n_entries < 1):
        raise FormatError("a leaf of the classifier has no class")
    if int(n_entries.sum(dtype=np.int64)) != len(classes):
        raise FormatError("the classes of the leaves do not add up")
    if np.any(classes < 0) or np.any(classes >= arrays["n_outputs"]):
        raise FormatError("a leaf has a class that does not exist")
    inside = np.ones(len(classes), dtype=bool)
    inside[_starts(n_entries)] = False
    if np.any(np.diff(classes) <= 0, where=inside[1:]):
        raise FormatError("the classes of a leaf do not ascend")


def check_leaf_probabilities(arrays: Arrays) -> None:
    """Each leaf's probabilities are above 0 and sum to 1."""
    value = arrays["leaf_value"]
    if len(value) != len(arrays["leaf_class"]):
        raise FormatError("the leaves do not have one probability per class entry")
    if not np.all((value > 0) & (value <= 1)):
        raise FormatError("a class probability is not above 0 and at most 1")
    total = np.add.reduceat(value, _starts(arrays["leaf_n_entries"]))
    if np.any(np.abs(total - 1) > _SUM_TOLERANCE):
        raise FormatError("the class probabilities of a leaf do not sum to 1")


def check_leaf_means(arrays: Arrays) -> None:
    """Each leaf has one finite mean per output, and no class entries."""
    value = arrays["leaf_value"]
    if len(value) != len(arrays["leaf_n_samples"]) * arrays["n_outputs"]:
        raise FormatError("the leaves do not have one mean per output")
    if not np.isfinite(value).all():
        raise FormatError("the mean of a leaf is not a finite number")
    if not means_can_be_squared(value):
        raise FormatError(f"the mean of a leaf is larger than {LARGEST_MEAN:g} in size")
    if len(arrays["leaf_n_entries"]) or len(arrays["leaf_class"]):
        raise FormatError("a regressor has class entries")


def means_can_be_squared(value: Array) -> bool:
    """Whether no number is too large; numbers that are none count as too large."""
    least, most = value.min(initial=0.0), value.max(initial=0.0)
    return bool(least >= -LARGEST_MEAN and most <= LARGEST_MEAN)


def numeric_splits(arrays: Arrays) -> Array:
    """Return a mask over nodes: internal, on a feature without levels."""
    feature = arrays["feature"]
    return np.asarray((feature != -1) & (arrays["n_levels"][feature] == 0))


def split_levels(arrays: Arrays) -> Array:
    """Return the number of levels of each categorical split, in node order."""
    levels = arrays["n_levels"][arrays["feature"][arrays["feature"] != -1]].astype(np.int64)
    return np.asarray(levels[levels > 0])


def _starts(counts: Array) -> Array:
    wide = counts.astype(np.int64)
    return np.cumsum(wide) - wide
