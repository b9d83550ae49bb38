"""Which splits do the members choose at the top of the tree?

Starting from the root, at each place the members' split features are counted by weight. The
commonest feature is followed: at the places below stand only the members that chose it, for what a
tree asks next means something else after another question. So a place's `weight` is the posterior
probability of the whole way of features down to it, and the shares of its choices are conditional
on that way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest, Tree
from bayeswood.posterior.splits import SplitChoice, category_choice, forest_of, number_choice

F64 = NDArray[np.float64]

_NAME = "trunk_posterior"


@dataclass(frozen=True)
class TrunkPlace:
    """A place at the top of the tree.

    Attributes
    ----------
    path : str
        The way from the root: "" is the root, "LR" the right child of its left child.
    weight : float
        Share of all members, by weight, that have this way of split features.
    n_members : int
        How many those are.
    n_samples : float
        Their mean number of training rows here.
    value : (n_outputs,) ndarray
        Their mean prediction here: class probabilities or responses.
    choices : tuple of SplitChoice
        Largest share first.
    """

    path: str
    weight: float
    n_members: int
    n_samples: float
    value: F64
    choices: tuple[SplitChoice, ...]

    @property
    def depth(self) -> int:
        """Number of splits above."""
        return len(self.path)


@dataclass(frozen=True, repr=False)
class TrunkPosterior:
    """The top of the members' trees.

    Attributes
    ----------
    places : tuple of TrunkPlace
        In preorder.
    n_members : int
    class_names : tuple of str
        Empty for a regressor.
    max_depth : int
    """

    places: tuple[TrunkPlace, ...]
    n_members: int
    class_names: tuple[str, ...]
    max_depth: int

    def __repr__(self) -> str:
        return f"<TrunkPosterior of {len(self.places)} places from {self.n_members} trees>"


def trunk_posterior(model: Any, *, max_depth: int = 2, min_weight: float = 0.05) -> TrunkPosterior:
    """How often each feature is chosen at each place at the top of the trees.

    Parameters
    ----------
    model : fitted bayeswood estimator, or Forest
    max_depth : int, default 2
        Depth of the lowest places.
    min_weight : float, default 0.05
        Places that fewer of the members reach, by weight, are left out.

    Returns
    -------
    TrunkPosterior

    Examples
    --------
    >>> from bayeswood import BayesianForestRegressor
    >>> from bayeswood.posterior import trunk_posterior
    >>> X = [[float(i), 0.0] for i in range(40)]
    >>> forest = BayesianForestRegressor(20, random_state=0).fit(X, [i > 15 for i in range(40)])
    >>> root = trunk_posterior(forest, max_depth=1).places[0]
    >>> root.choices[0].feature, root.choices[0].share
    ('x0', 1.0)
    """
    forest = forest_of(model, _NAME).apart()
    if isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 0:
        raise BayeswoodError(
            f"The 'max_depth' parameter of {_NAME} must be an int >= 0. Got {max_depth!r} instead."
        )
    counted = np.flatnonzero(forest.weights > 0)
    tops = [_Top.of(forest.trees[int(i)], float(forest.weights[i]), max_depth) for i in counted]
    places = tuple(_walk(forest, tops, "", max_depth, min_weight))
    return TrunkPosterior(places, forest.n_trees, forest.labels.class_names, max_depth)


@dataclass(frozen=True)
class _Node:
    """What is kept of a node; of a whole forest the trees' own arrays would fill the memory."""

    feature: int
    threshold: float
    left_levels: tuple[int, ...] | None
    n_samples: int
    value: F64


@dataclass(frozen=True)
class _Top:
    """The top of one tree: its nodes by the way to them."""

    weight: float
    nodes: dict[str, _Node]

    @classmethod
    def of(cls, tree: Tree, weight: float, max_depth: int) -> "_Top":
        nodes, pending = {}, [("", 0)]
        while pending:
            path, node = pending.pop()
            nodes[path] = _node(tree, node)
            if tree.feature[node] >= 0 and len(path) < max_depth:
                pending += [(path + "L", int(tree.left[node])), (path + "R", int(tree.right[node]))]
        return cls(weight, nodes)


def _node(tree: Tree, node: int) -> _Node:
    levels = tree.left_levels(node).tolist() if tree.is_category_split(node) else None
    return _Node(
        feature=int(tree.feature[node]),
        threshold=float(tree.threshold[node]),
        left_levels=None if levels is None else tuple(levels),
        n_samples=int(tree.n_samples[node]),
        value=np.array(tree.value[node]),
    )


def _walk(
    forest: Forest, tops: list[_Top], path: str, max_depth: int, min_weight: float
) -> Iterator[TrunkPlace]:
    """Places in preorder, following the commonest feature."""
    place, commonest = _place(forest, tops, path)
    yield place
    if commonest < 0 or len(path) >= max_depth:
        return
    followers = [top for top in tops if top.nodes[path].feature == commonest]
    if sum(top.weight for top in followers) < min_weight:
        return
    for side in "LR":
        yield from _walk(forest, followers, path + side, max_depth, min_weight)


def _place(forest: Forest, tops: list[_Top], path: str) -> tuple[TrunkPlace, int]:
    nodes = [top.nodes[path] for top in tops]
    weights = np.array([top.weight for top in tops])
    features = np.array([node.feature for node in nodes])
    total = float(weights.sum())
    shares = {int(j): float(weights[features == j].sum()) / total for j in np.unique(features)}
    ranked = sorted(shares, key=lambda j: (-round(shares[j], 12), j < 0, j))
    choices = []
    for feature in ranked:
        chosen = features == feature
        asking = [node for node in nodes if node.feature == feature]
        choices.append(_choice(forest, asking, weights[chosen], shares[feature]))
    place = TrunkPlace(
        path=path,
        weight=min(total, 1.0),
        n_members=len(tops),
        n_samples=float(weights @ [node.n_samples for node in nodes]) / total,
        value=weights @ np.array([node.value for node in nodes]) / total,
        choices=tuple(choices),
    )
    return place, ranked[0]


def _choice(forest: Forest, nodes: list[_Node], weights: F64, share: float) -> SplitChoice:
    feature = nodes[0].feature
    if feature < 0:
        return SplitChoice(None, share)
    if nodes[0].left_levels is not None:
        return category_choice(forest.labels, feature, share, _level_sets(nodes, weights))
    cuts = np.array([node.threshold for node in nodes])
    return number_choice(forest.labels.feature_names[feature], share, cuts, weights)


def _level_sets(nodes: list[_Node], weights: F64) -> dict[tuple[int, ...], float]:
    sets: dict[tuple[int, ...], float] = {}
    for node, weight in zip(nodes, weights, strict=True):
        levels = node.left_levels or ()
        sets[levels] = sets.get(levels, 0.0) + float(weight)
    return sets
