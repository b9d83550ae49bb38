"""Fitted estimators as plain data, and back: what a model file holds.

Reading trusts nothing: a file may come from anyone.
"""

from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import SCHEMES, RowWeights
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.uncertainty import Responses

_SCALARS = (str, bool, int, float, type(None))
_CLASS_KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str, "O": object}


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON-able values.

    A generator given as `random_state` becomes None (the fit is kept by its own seed), and a
    callable becomes True.
    """
    return {name: _plain(name, value) for name, value in parameters.items()}


def _plain(name: str, value: Any) -> Any:
    if name == "random_state" and not isinstance(value, Integral):
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, np.ndarray):
        return [_plain(name, item) for item in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [_plain(name, item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(name, item) for key, item in value.items()}
    return True if callable(value) else str(value)


def classes_to_plain(classes: NDArray[Any]) -> dict[str, Any]:
    """Class labels with the type they had."""
    return {"dtype": classes.dtype.str, "labels": classes.tolist()}


def classes_from_plain(plain: Any) -> NDArray[Any]:
    """Class labels from `classes_to_plain`, of the same type."""
    labels = take(plain, "labels", list)
    dtype = take(plain, "dtype", str)
    kind = dtype.lstrip("<>=|")[:1]
    expected = _CLASS_KINDS.get(kind)
    if expected is None or not labels:
        raise BayeswoodError(f"The model file holds class labels of an unknown type, {dtype!r}.")
    allowed = (str, bool, int, float) if expected is object else (expected,)
    if not all(type(label) in allowed for label in labels):
        raise BayeswoodError(f"The model file holds class labels that are not of type {dtype!r}.")
    try:
        # The width of strings follows from the labels: a file cannot ask for more memory.
        wanted = np.dtype({"U": "U", "O": "O"}.get(kind, dtype))
        classes: NDArray[Any] = np.array(labels, dtype=wanted)
    except (TypeError, ValueError, OverflowError) as error:
        raise BayeswoodError(f"The model file holds unreadable class labels: {error}") from error
    if len(set(labels)) != len(labels):
        raise BayeswoodError("The model file holds a class label twice.")
    return classes


def take(plain: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    """One value of a mapping, of a given type."""
    if not isinstance(plain, dict) or name not in plain:
        raise BayeswoodError(f"The model file lacks '{name}'.")
    value = plain[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise BayeswoodError(f"The model file holds a '{name}' of the wrong type.")
    return value


def take_array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """One float array of a given shape (-1: any length), free of NaN and infinities."""
    if name not in arrays:
        raise BayeswoodError(f"The model file lacks the array '{name}'.")
    array = np.asarray(arrays[name])
    fits = array.ndim == len(shape) and all(
        wanted in (-1, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind != "f" or not np.isfinite(array).all():
        raise BayeswoodError(f"The model file holds an unusable array '{name}'.")
    return np.ascontiguousarray(array, dtype=np.float64)


def take_numbers(meta: Any, names: tuple[str, ...]) -> dict[str, int | float]:
    """The numbers of `names` that are there."""
    numbers = take(meta, "numbers", dict)
    for name, value in numbers.items():
        if name not in names or type(value) not in (int, float):
            raise BayeswoodError(f"The model file holds an unusable number {name!r}.")
    return dict(numbers)


def take_arrays(
    arrays: Mapping[str, NDArray[Any]], names: tuple[str, ...]
) -> dict[str, NDArray[np.float64]]:
    """The arrays of `names` that are there; they may hold NaN."""
    found = {name: np.asarray(arrays[name]) for name in names if name in arrays}
    for name, array in found.items():
        if array.dtype.kind != "f":
            raise BayeswoodError(f"The model file holds an unusable array '{name}'.")
    return found


def take_responses(
    meta: Any, arrays: Mapping[str, NDArray[Any]], grown: GrownForest
) -> Responses | None:
    """The training responses, if the file holds them, checked against the forest."""
    if "y" not in arrays:
        return None
    forest = grown.forest
    y = take_array(arrays, "y", (-1, forest.n_outputs))
    weights = None
    if "sample_weight" in arrays:
        weights = take_array(arrays, "sample_weight", (len(y),))
    scheme = take(meta, "scheme", str)
    rows = forest.to_arrays()["leaf_rows"]
    outside = rows.size > 0 and (int(rows.min()) < 0 or int(rows.max()) >= len(y))
    if not forest.has_rows or outside or scheme not in SCHEMES:
        raise BayeswoodError("The model file's training responses do not match its trees.")
    if weights is not None and not (weights > 0).all():
        raise BayeswoodError("The model file holds a training weight that is not positive.")
    threshold, groups = _take_left_out(meta, arrays, scheme, len(y))
    parts = _take_parts(arrays, scheme, groups, len(y))
    return Responses(y, weights, RowWeights(scheme, grown.seed, threshold, groups, parts))


def _take_left_out(
    meta: Any, arrays: Mapping[str, NDArray[Any]], scheme: str, n_rows: int
) -> tuple[float, NDArray[np.int32] | None]:
    """How rows were left out of trees: the threshold of their weights, and their groups."""
    threshold = take(meta, "weight_threshold", float) if "weight_threshold" in meta else 0.0
    groups = arrays.get("row_groups")
    usable = threshold == 0.0 or (threshold > 0 and isfinite(threshold) and scheme == SCHEMES[0])
    if groups is None and usable:
        return threshold, None
    if not (usable and threshold > 0) or groups is None or not _are_groups(groups, n_rows):
        raise BayeswoodError("The model file says wrongly how rows were left out of its trees.")
    return threshold, np.ascontiguousarray(groups, dtype=np.int32)


def _take_parts(
    arrays: Mapping[str, NDArray[Any]],
    scheme: str,
    groups: NDArray[np.int32] | None,
    n_rows: int,
) -> NDArray[np.int32] | None:
    """The parts of the rows that had random numbers of their own."""
    parts = arrays.get("row_parts")
    if parts is None:
        return None
    if scheme != SCHEMES[0] or groups is not None or not _are_groups(parts, n_rows):
        raise BayeswoodError("The model file says wrongly in which parts its rows are.")
    return np.ascontiguousarray(parts, dtype=np.int32)


def _are_groups(groups: NDArray[Any], n_rows: int) -> bool:
    """Whether there is one number from 0 to n_rows - 1 for each row."""
    if groups.shape != (n_rows,) or groups.dtype.kind not in "iu":
        return False
    return bool(((groups >= 0) & (groups < n_rows)).all())
