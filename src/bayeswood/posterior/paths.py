"""The way of a row through each member, and where two ways part.

A way is a sequence of steps: the feature asked for and the side taken. Cuts differ a little between
any two members and are not compared; sides are. A member that *dissents* about a row is put beside
the agreeing member whose way has the longest beginning in common with its own; the first step in
which they differ is where they part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Tree

OTHER_SIDE = "other side"
OTHER_QUESTION = "other question"
STOPS = "stops"
GOES_ON = "goes on"
SAME_WAY = "same way"


@dataclass(frozen=True)
class Step:
    """A question on the way of a row.

    Attributes
    ----------
    feature : int
        Its number.
    threshold : float
        The cut; NaN for a category.
    goes_left : bool
    """

    feature: int
    threshold: float
    goes_left: bool

    @property
    def key(self) -> tuple[int, bool]:
        """What is compared."""
        return self.feature, self.goes_left


@dataclass(frozen=True)
class Parting:
    """Where the way of a dissenting member leaves that of the nearest agreeing one.

    Attributes
    ----------
    kind : str
        ``"other side"``: both ask for the same feature, and their cuts lie on different sides of
        the row's value (or their level sets differ). ``"other question"``: they ask for different
        features. ``"stops"``: the dissenting way ends in a leaf, the other asks on; ``"goes on"``:
        the reverse. ``"same way"``: all steps agree, the leaves differ.
    depth : int
        Number of steps in common.
    feature : int or None
        That the dissenting member asks for; where it stops, that the other asks for.
    other_feature : int or None
        That the agreeing member asks for.
    threshold, other_threshold : float
        Their cuts; NaN where there is none.
    """

    kind: str
    depth: int
    feature: int | None
    other_feature: int | None
    threshold: float
    other_threshold: float


def path_steps(tree: Tree, row: NDArray[Any]) -> tuple[Step, ...]:
    """The way of an encoded row from the root to its leaf.

    Examples
    --------
    >>> from bayeswood import BayesianForestRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 5.0, 5.0]
    >>> forest = BayesianForestRegressor(1, min_samples_leaf=1, random_state=0).fit(X, y)
    >>> path_steps(forest.forest_.trees[0], np.array([1.5]))
    (Step(feature=0, threshold=2.5, goes_left=True),)
    """
    steps, node = [], 0
    while (feature := int(tree.feature[node])) >= 0:
        goes_left = _goes_left(tree, node, float(row[feature]))
        steps.append(Step(feature, float(tree.threshold[node]), goes_left))
        node = int(tree.left[node] if goes_left else tree.right[node])
    return tuple(steps)


def _goes_left(tree: Tree, node: int, value: float) -> bool:
    if np.isnan(value):
        return bool(tree.missing_left[node])
    if tree.is_category_split(node):
        return int(value) in tree.left_levels(node)
    return value <= float(tree.threshold[node])


def part_ways(
    ways: Sequence[tuple[Step, ...]], agrees: NDArray[np.bool_], weights: NDArray[np.float64]
) -> Mapping[int, Parting]:
    """Where each dissenting member's way parts from the nearest agreeing one.

    Parameters
    ----------
    ways : sequence of tuple of Step
        Of each member.
    agrees : (n_members,) ndarray of bool
    weights : (n_members,) ndarray
        Of several nearest members the heaviest is taken, of equally heavy ones the first.

    Returns
    -------
    dict
        From the number of a dissenting member; empty if no member agrees.
    """
    nearest: dict[tuple[tuple[int, bool], ...], int] = {}
    for idx in sorted(map(int, np.flatnonzero(agrees)), key=lambda i: -weights[i]):
        keys = tuple(step.key for step in ways[idx])
        for depth in range(len(keys) + 1):
            nearest.setdefault(keys[:depth], idx)
    if not nearest:
        return {}
    dissenting = map(int, np.flatnonzero(~agrees))
    return {idx: _part(ways[idx], ways, nearest) for idx in dissenting}


def _part(
    way: tuple[Step, ...],
    ways: Sequence[tuple[Step, ...]],
    nearest: dict[tuple[tuple[int, bool], ...], int],
) -> Parting:
    keys = tuple(step.key for step in way)
    depth = max(d for d in range(len(keys) + 1) if keys[:d] in nearest)
    other = ways[nearest[keys[:depth]]]
    mine = way[depth] if depth < len(way) else None
    theirs = other[depth] if depth < len(other) else None
    shown = mine or theirs
    return Parting(
        kind=_kind(mine, theirs),
        depth=depth,
        feature=None if shown is None else shown.feature,
        other_feature=None if theirs is None else theirs.feature,
        threshold=np.nan if mine is None else mine.threshold,
        other_threshold=np.nan if theirs is None else theirs.threshold,
    )


def _kind(mine: Step | None, theirs: Step | None) -> str:
    if mine is None:
        return SAME_WAY if theirs is None else STOPS
    if theirs is None:
        return GOES_ON
    return OTHER_SIDE if mine.feature == theirs.feature else OTHER_QUESTION
