"""Trees written by hand: nested splits and leaves turned into the flat arrays of a forest.

A node is one of

- a split: ``(feature, rule, left, right)`` or ``(feature, rule, left, right, missing_left)``, or a
  dict with these keys. The rule is a number (``x <= rule`` goes left) or a set of level numbers;
- a leaf: None (no training row), a number or a ``{"value": ...}`` (mean response), or a
  ``{"counts": [...]}`` (training rows of each class); a dict may have ``"n_samples"`` too.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]
_SPLIT_KEYS = ("feature", "rule", "left", "right")
_WORD_BITS = 64
# What nodes mostly are comes first: an abstract type is slow to ask for.
_SEQUENCES = (tuple, list, Sequence)
_NUMBERS = (float, Real)
_INTEGERS = (int, np.integer)


class _Split(NamedTuple):
    feature: int
    rule: float | frozenset[int]
    left: Any
    right: Any
    missing_left: bool


class _Leaf(NamedTuple):
    """Training rows of the leaf, and its mean response or its rows of each class."""

    n_samples: int
    value: F64


@dataclass(frozen=True)
class NestedSettings:
    """What holds for all trees of a forest written by hand.

    Parameters
    ----------
    n_features : int
    n_classes : int
        0 for a regression forest.
    n_levels : ndarray of int32, (n_features,)
        Levels of each category feature, 0 for numbers.
    dirichlet_alpha : ndarray, (n_classes,)
        Added to each class's count.
    """

    n_features: int
    n_classes: int
    n_levels: NDArray[np.int32]
    dirichlet_alpha: F64

    @cached_property
    def levels(self) -> list[int]:
        """`n_levels`, quicker to ask."""
        return [int(n) for n in self.n_levels]

    @cached_property
    def nothing(self) -> F64:
        """What a leaf without rows holds."""
        return np.zeros(self.n_classes or 1)


@dataclass
class _Flat:
    """Arrays under construction, as `_core.Forest.from_arrays` takes them."""

    n_nodes: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_left: list[int] = field(default_factory=list)
    category_words: list[int] = field(default_factory=list)
    leaves: list[_Leaf] = field(default_factory=list)


def nested_arrays(trees: Sequence[Any], settings: NestedSettings) -> dict[str, Any]:
    """The arrays of `_core.Forest.from_arrays` for trees written by hand.

    Parameters
    ----------
    trees : sequence of nodes
        The roots.
    settings : NestedSettings

    Raises
    ------
    BayeswoodError
        If a node is neither a split nor a leaf; the message says where it stands.
    """
    flat = _Flat()
    for number, root in enumerate(trees):
        flat.n_nodes.append(_add_tree(flat, root, settings, f"tree {number}"))
    return {
        "n_features": settings.n_features,
        "n_outputs": settings.n_classes or 1,
        "is_classifier": settings.n_classes > 0,
        "n_levels": settings.n_levels,
        "n_nodes": np.array(flat.n_nodes, dtype=np.int64),
        "feature": np.array(flat.feature, dtype=np.int32),
        "threshold": np.array(flat.threshold, dtype=np.float64),
        "missing_left": np.array(flat.missing_left, dtype=np.uint8),
        "category_words": np.array(flat.category_words, dtype=np.uint64),
        "leaf_rows": np.empty(0, dtype=np.int32),
        **_leaf_arrays(flat.leaves, settings),
    }


def count_classes(trees: Sequence[Any]) -> int:
    """The number of classes that the leaves' counts speak of; 0 if no leaf has counts."""
    waiting = deque(trees)
    while waiting:
        node = waiting.popleft()
        if _is_split(node):
            waiting.extendleft(_children(node)[::-1])
        elif isinstance(node, Mapping) and "counts" in node:
            return len(node["counts"])
    return 0


def count_features(trees: Sequence[Any]) -> int:
    """One more than the highest feature number of a split; at least 1."""
    waiting, n_features = list(trees), 1
    while waiting:
        node = waiting.pop()
        if _is_split(node):
            waiting += _children(node)
            feature = node["feature"] if isinstance(node, Mapping) else node[0]
            if isinstance(feature, _INTEGERS):
                n_features = max(n_features, int(feature) + 1)
    return n_features


def _is_split(node: Any) -> bool:
    if node is None or isinstance(node, str):
        return False
    if isinstance(node, _SEQUENCES):
        return len(node) in (4, 5)
    return isinstance(node, Mapping) and all(key in node for key in _SPLIT_KEYS)


def _children(node: Any) -> tuple[Any, Any]:
    return (node["left"], node["right"]) if isinstance(node, Mapping) else (node[2], node[3])


_Place = tuple[str, Any]  # where a node stands: its side, and the place of the node above or None


def _words(place: _Place) -> str:
    """For errors: put into words only when there is one."""
    side, above = place
    words = [side]
    while above is not None:
        side, above = above
        words.append(side)
    return " of ".join(f"the {word}" for word in words[:-1]) + f" of {words[-1]}"


def _add_tree(flat: _Flat, root: Any, settings: NestedSettings, where: str) -> int:
    """Append one tree breadth first: both children of the k-th split follow those of earlier."""
    waiting: deque[tuple[Any, _Place]] = deque([(root, ("root", (where, None)))])
    n_nodes = 0
    while waiting:
        node, place = waiting.popleft()
        n_nodes += 1
        if _is_split(node):
            split = _read_split(node, settings, place)
            _add_split(flat, split, settings)
            waiting.append((split.left, ("left", place)))
            waiting.append((split.right, ("right", place)))
        else:
            flat.leaves.append(_read_leaf(node, settings, place))
            _add_node(flat, -1, np.nan, 0)
    return n_nodes


def _add_node(flat: _Flat, feature: int, threshold: float, missing_left: int) -> None:
    flat.feature.append(feature)
    flat.threshold.append(threshold)
    flat.missing_left.append(missing_left)


def _add_split(flat: _Flat, split: _Split, settings: NestedSettings) -> None:
    if isinstance(split.rule, frozenset):
        n_words = -(-settings.levels[split.feature] // _WORD_BITS)
        mask = sum(1 << level for level in split.rule)
        word = (1 << _WORD_BITS) - 1
        flat.category_words += [(mask >> (_WORD_BITS * i)) & word for i in range(n_words)]
        _add_node(flat, split.feature, np.nan, split.missing_left)
    else:
        _add_node(flat, split.feature, split.rule, split.missing_left)


def _read_split(node: Any, settings: NestedSettings, place: _Place) -> _Split:
    if isinstance(node, _SEQUENCES):
        parts = [*node, False][:5]
    else:
        parts = [node[key] for key in _SPLIT_KEYS] + [node.get("missing_left", False)]
    feature, rule, left, right, missing_left = parts
    if not isinstance(feature, _INTEGERS) or not 0 <= feature < settings.n_features:
        raise BayeswoodError(
            f"The feature at {_words(place)} must be an int in [0, {settings.n_features - 1}]. "
            f"Got {feature!r} instead."
        )
    checked = _read_rule(rule, settings.levels[feature], place)
    return _Split(int(feature), checked, left, right, bool(missing_left))


def _read_rule(rule: Any, n_levels: int, place: _Place) -> float | frozenset[int]:
    if n_levels:
        levels = frozenset(rule) if isinstance(rule, set | frozenset) else None
        if levels is None or not levels <= set(range(n_levels)):
            raise BayeswoodError(
                f"The rule at {_words(place)} must be a set of level numbers in "
                f"[0, {n_levels - 1}]. Got {rule!r} instead."
            )
        return levels
    if not isinstance(rule, _NUMBERS) or isnan(rule):
        raise BayeswoodError(
            f"The rule at {_words(place)} must be a number (or a set of level numbers, for a "
            f"feature that has 'n_levels'). Got {rule!r} instead."
        )
    return float(rule)


def _read_leaf(node: Any, settings: NestedSettings, place: _Place) -> _Leaf:
    if node is None:
        return _Leaf(0, settings.nothing)
    n_outputs = settings.n_classes or 1
    content: Any = {"value": node} if isinstance(node, Real) else node
    key = "counts" if settings.n_classes else "value"
    if not isinstance(content, Mapping) or key not in content:
        raise _leaf_error(place, key, node)
    value = np.atleast_1d(np.asarray(content[key], dtype=np.float64))
    if value.shape != (n_outputs,) or not np.isfinite(value).all():
        raise _leaf_error(place, key, node)
    if settings.n_classes and (value < 0).any():
        raise _leaf_error(place, key, node)
    default = round(float(value.sum())) if settings.n_classes else 1
    n_samples: Any = content.get("n_samples", default)
    return _Leaf(int(n_samples), value)


def _leaf_error(place: _Place, key: str, node: Any) -> BayeswoodError:
    wanted = (
        "a {'counts': [...]} with one number >= 0 per class"
        if key == "counts"
        else "a finite number or a {'value': number}"
    )
    return BayeswoodError(
        f"The node at {_words(place)} must be a split (feature, rule, left, right), None, or "
        f"{wanted}. Got {node!r} instead."
    )


def _leaf_arrays(leaves: list[_Leaf], settings: NestedSettings) -> dict[str, Any]:
    n_samples = np.array([leaf.n_samples for leaf in leaves], dtype=np.int32)
    arrays: dict[str, Any] = {
        "leaf_n_samples": n_samples,
        "leaf_weight": n_samples.astype(np.float32),
        "leaf_n_entries": np.empty(0, dtype=np.int32),
        "leaf_class": np.empty(0, dtype=np.int32),
    }
    if not settings.n_classes:
        return arrays | {"leaf_value": np.array([leaf.value[0] for leaf in leaves])}
    shares = _class_shares(np.array([leaf.value for leaf in leaves]), settings.dirichlet_alpha)
    held = shares > 0
    return arrays | {
        "leaf_n_entries": held.sum(axis=1).astype(np.int32),
        "leaf_class": np.nonzero(held)[1].astype(np.int32),
        "leaf_value": shares[held],
    }


def _class_shares(counts: F64, alpha: F64) -> F64:
    """(m_c + α_c) / (n + Σ α), equation (7) of the safe-Bayesian forest; even if all are 0."""
    raised = counts + alpha
    total = raised.sum(axis=1, keepdims=True)
    empty = np.full_like(raised, 1 / raised.shape[1])
    shares: F64 = np.divide(raised, total, out=empty, where=total > 0)
    return shares
