"""The ``categorical_features`` parameter: which columns are categories, beyond their types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError


def forced_categories(
    categorical_features: Any,
    names: tuple[str, ...] | None,
    n_features: int,
    estimator_name: str,
) -> NDArray[np.bool_]:
    """Find the columns that the user declares to be categories.

    Parameters
    ----------
    categorical_features : "from_dtype", None, mask, or list of names or positions
        The parameter as the user gave it.
    names : tuple of str or None
        The table's own names.
    n_features : int
        How many columns the table has.
    estimator_name : str
        Whose parameter it is, for the errors.

    Returns
    -------
    ndarray of bool of shape (n_features,)
        True where the user asks for a category.

    Examples
    --------
    >>> forced_categories(["b"], ("a", "b"), 2, "Forest")
    array([False,  True])
    """
    forced = np.zeros(n_features, dtype=np.bool_)
    if categorical_features is None or _is_from_dtype(categorical_features):
        return forced
    chosen = _as_vector(categorical_features, estimator_name)
    if chosen.dtype.kind == "b":
        return _mask(chosen, n_features, estimator_name)
    for item in chosen.tolist():
        forced[_position(item, names, n_features, estimator_name)] = True
    return forced


def _is_from_dtype(value: Any) -> bool:
    return isinstance(value, str) and value == "from_dtype"


def _as_vector(value: Any, estimator_name: str) -> NDArray[Any]:
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__"):
        raise _refusal(f"{value!r}", estimator_name)
    items = list(value)
    types = {type(item) for item in items}
    for kind, dtype in ((str, object), ((bool, np.bool_), np.bool_), ((int, np.integer), np.int64)):
        if all(issubclass(item_type, kind) for item_type in types):
            return np.array(items, dtype=dtype)
    listed = ", ".join(sorted(item_type.__name__ for item_type in types))
    raise _refusal(f"items of type {listed}", estimator_name)


def _mask(chosen: NDArray[Any], n_features: int, estimator_name: str) -> NDArray[np.bool_]:
    if len(chosen) != n_features:
        raise _refusal(f"a mask of length {len(chosen)} for {n_features} columns", estimator_name)
    return chosen


def _position(
    item: str | int, names: tuple[str, ...] | None, n_features: int, estimator_name: str
) -> int:
    if isinstance(item, int):
        if not 0 <= item < n_features:
            raise _refusal(f"position {item} for {n_features} columns", estimator_name)
        return item
    if names is None:
        raise _refusal(f"the name {item!r} for a table without column names", estimator_name)
    if item not in names:
        raise _refusal(f"{item!r}, which is no column of X", estimator_name)
    return names.index(item)


def _refusal(got: str, estimator_name: str) -> BayeswoodError:
    return BayeswoodError(
        f"The 'categorical_features' parameter of {estimator_name} must be 'from_dtype', None, a "
        f"boolean mask, or a list of column names or positions. Got {got} instead."
    )
