"""The ``categorical_features`` parameter: which columns are categories, beyond their types."""

from __future__ import annotations

from collections.abc import Sequence
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
    items = _items(categorical_features, estimator_name)
    if items and isinstance(items[0], bool):
        return _mask(items, n_features, estimator_name)
    for item in items:
        forced[_position(item, names, n_features, estimator_name)] = True
    return forced


def _is_from_dtype(value: Any) -> bool:
    return isinstance(value, str) and value == "from_dtype"


def _items(value: Any, estimator_name: str) -> list[str] | list[bool] | list[int]:
    """List the items as all strings, all booleans or all integers."""
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__"):
        raise _refusal(f"{value!r}", estimator_name)
    items = list(value)
    if all(isinstance(item, str) for item in items):
        return items
    if all(isinstance(item, (bool, np.bool_)) for item in items):
        return [bool(item) for item in items]
    if all(isinstance(item, (int, np.integer)) and type(item) is not bool for item in items):
        return [int(item) for item in items]
    listed = ", ".join(sorted({type(item).__name__ for item in items}))
    raise _refusal(f"items of type {listed}", estimator_name)


def _mask(items: Sequence[Any], n_features: int, estimator_name: str) -> NDArray[np.bool_]:
    if len(items) != n_features:
        raise _refusal(f"a mask of length {len(items)} for {n_features} columns", estimator_name)
    return np.array(items, dtype=np.bool_)


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
