"""Fitted estimators as plain data, and back: what a model file holds.

Reading trusts nothing: a file may come from anyone.
"""

from collections.abc import Mapping
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.class_weight import plain_class_weight, read_class_weight

#: What no factor without a unit exceeds: products of two and a response are numbers still.
LARGEST_FACTOR = 1e50

_SCALARS = (str, bool, int, float, type(None))
#: Parameters that came later: a file holds them where they are not at their default, so that
#: the same model still makes the same file.
LATER_PARAMETERS = frozenset(
    {
        "max_leaf_nodes",
        "min_samples_split",
        "min_impurity_decrease",
        "ccp_alpha",
        "monotonic_cst",
        "interaction_cst",
        "bootstrap",
        "max_samples",
        "class_weight",
        "warm_start",
    }
)


def own_parameters(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator as a model file holds them."""
    defaults, later = signature(type(estimator)).parameters, estimator._later_parameters
    return plain_parameters(
        {
            name: value
            for name, value in estimator.get_params(deep=False).items()
            if name not in later or not _is_same(value, defaults[name].default)
        }
    )


def _is_same(value: Any, default: Any) -> bool:
    is_plain = type(value) is type(default) and isinstance(value, (int, float, str))
    return value is default or bool(is_plain and value == default)


def read_parameters(plain: Mapping[str, Any]) -> dict[str, Any]:
    """What `own_parameters` gave, for the estimator's constructor."""
    found = dict(plain)
    if "class_weight" in found:
        found["class_weight"] = read_class_weight(found["class_weight"])
    return found


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON-able values.

    A generator given as `random_state` becomes None (the fit is kept by its own seed), and a
    callable becomes True.
    """
    return {name: _plain(name, value) for name, value in parameters.items()}


def _plain(name: str, value: Any) -> Any:
    if name == "class_weight":
        return plain_class_weight(value)
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
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(name, item) for item in value), key=str)
    if isinstance(value, Mapping):
        return {str(key): _plain(name, item) for key, item in value.items()}
    return True if callable(value) else str(value)


def read_value(plain: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    """One value of a mapping, of a given type."""
    if not isinstance(plain, dict) or name not in plain:
        raise BayeswoodError(f"The model file lacks '{name}'.")
    value = plain[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise BayeswoodError(f"The model file holds a '{name}' of the wrong type.")
    return value


def read_array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...], most: float = np.inf
) -> NDArray[np.float64]:
    """One float array of a given shape (-1: any length), free of NaN and infinities.

    `most`: what no number may exceed in size.
    """
    if name not in arrays:
        raise BayeswoodError(f"The model file lacks the array '{name}'.")
    array = np.asarray(arrays[name])
    fits = array.ndim == len(shape) and all(
        wanted in (-1, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    usable = fits and array.dtype.kind == "f" and bool(np.isfinite(array).all())
    if not usable or np.abs(array).max(initial=0.0) > most:
        raise BayeswoodError(f"The model file holds an unusable array '{name}'.")
    return np.ascontiguousarray(array, dtype=np.float64)


def read_numbers(meta: Any, names: tuple[str, ...]) -> dict[str, int | float]:
    """The numbers of `names` that are there."""
    numbers = read_value(meta, "numbers", dict)
    for name, value in numbers.items():
        if name not in names or type(value) not in (int, float):
            raise BayeswoodError(f"The model file holds an unusable number {name!r}.")
    return dict(numbers)


def read_arrays(
    arrays: Mapping[str, NDArray[Any]], names: tuple[str, ...]
) -> dict[str, NDArray[np.float64]]:
    """The arrays of `names` that are there; they may hold NaN."""
    found = {name: np.asarray(arrays[name]) for name in names if name in arrays}
    for name, array in found.items():
        if array.dtype.kind != "f":
            raise BayeswoodError(f"The model file holds an unusable array '{name}'.")
    return found


def read_scalar(arrays: Mapping[str, NDArray[Any]], name: str, kind: type) -> Any:
    """One value without dimension, of a given type."""
    if name not in arrays:
        raise BayeswoodError(f"The model file lacks '{name}'.")
    value = np.asarray(arrays[name])
    if value.ndim != 0 or type(value.item()) is not kind:
        raise BayeswoodError(f"The model file holds a '{name}' of the wrong type.")
    return value.item()


def put_apart(
    named: Mapping[str, NDArray[Any]], meta: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    """Put arrays where a model file has them: those without dimension among the plain data."""
    for name, array in named.items():
        if array.ndim:
            arrays[name] = array
        elif name.endswith("_"):
            meta["numbers"][name] = array.item()
        else:
            meta[name] = array.item()


def put_together(
    meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """All arrays of a model file; plain values are arrays without dimension.

    Parameters of the estimator are among them, behind ``parameters.``.
    """
    given = {f"parameters.{name}": v for name, v in meta.get("parameters", {}).items()}
    plain = {**given, **meta, **read_value(meta, "numbers", dict)}
    scalars = {n: _scalar(v) for n, v in plain.items() if isinstance(v, (str, bool, int, float))}
    return {**scalars, **arrays}


def _scalar(value: str | bool | int | float) -> NDArray[Any]:
    # An int may be a seed, which needs all of 64 bits; one beyond is no number of ours.
    return np.array(value, dtype=object if type(value) is int else None)
