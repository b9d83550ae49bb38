"""Joining the flat arrays of several forests."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError

# What describes the table and the target, not the trees: equal in all the forests joined.
_SHARED = ("n_features", "n_outputs", "is_classifier", "n_levels")


def concatenate_arrays(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One set of arrays with the trees of all parts, in order.

    Raises
    ------
    BayeswoodError
        If there is no part, or the parts differ in features, levels or outputs, or only some of
        them remember the training rows of their leaves.
    """
    if not parts:
        raise BayeswoodError("At least one forest is needed to concatenate.")
    first = parts[0]
    for part in parts[1:]:
        _check_alike(first, part)
    joined: dict[str, Any] = {name: first[name] for name in _SHARED}
    for name in first:
        if name not in _SHARED:
            joined[name] = np.concatenate([part[name] for part in parts])
    return joined


def _check_alike(first: dict[str, Any], part: dict[str, Any]) -> None:
    for name in _SHARED:
        if not np.array_equal(first[name], part[name]):
            raise BayeswoodError(f"Forests to concatenate must have the same {name}.")
    if (first["leaf_rows"].size > 0) != (part["leaf_rows"].size > 0):
        raise BayeswoodError("Either all or none of the forests must keep their leaves' rows.")
