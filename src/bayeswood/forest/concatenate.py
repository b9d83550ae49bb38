"""Joining forests over the same table."""

from collections.abc import Sequence

import numpy as np

from bayeswood import _core
from bayeswood.errors import BayeswoodError

# What describes the table and the target, not the trees: equal in all the forests joined.
_SHARED = ("n_features", "n_outputs", "is_classifier", "n_levels")


def join_trees(parts: Sequence[_core.Forest]) -> _core.Forest:
    """The trees of all parts, in order; shared with them, not copied.

    Raises
    ------
    BayeswoodError
        If there is no part, or the parts differ in features, levels or outputs, or only some of
        them remember the training rows of their leaves.
    """
    if not parts:
        raise BayeswoodError("At least one forest is needed to concatenate.")
    for part in parts[1:]:
        _check_alike(parts[0], part)
    return _core.Forest.join(list(parts))


def _check_alike(first: _core.Forest, part: _core.Forest) -> None:
    for name in _SHARED:
        if not np.array_equal(getattr(first, name), getattr(part, name)):
            raise BayeswoodError(f"Forests to concatenate must have the same {name}.")
    if first.has_rows != part.has_rows:
        raise BayeswoodError("Either all or none of the forests must keep their leaves' rows.")
