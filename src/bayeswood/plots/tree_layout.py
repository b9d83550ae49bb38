"""Where the nodes of a tree stand in a picture of it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Tree
from bayeswood.report.palette import GREY

F64 = NDArray[np.float64]


class TreeLayout(NamedTuple):
    """Places of the nodes: leaves evenly spaced from left to right, parents above their children.

    Attributes
    ----------
    x, depth : ndarray, (n_drawn,)
        Place from the left, in leaves, and depth of each drawn node.
    node : ndarray of int, (n_drawn,)
        Its number in the tree.
    parent : ndarray of int, (n_drawn,)
        Place of the parent among the drawn nodes; -1 for the root.
    is_leaf : ndarray of bool, (n_drawn,)
        Whether it ends the picture: a leaf, or a node below which nothing is drawn.
    """

    x: F64
    depth: NDArray[np.int64]
    node: NDArray[np.int64]
    parent: NDArray[np.int64]
    is_leaf: NDArray[np.bool_]


def lay_out(
    tree: Tree, max_depth: int | None = None, *, collapses_empty: bool = False
) -> TreeLayout:
    """Place the nodes of a tree, down to a depth; a subtree without rows may be one leaf.

    Examples
    --------
    >>> from bayeswood import Forest
    >>> tree = Forest.from_nested([(0, 0.5, 1.0, (0, 0.7, 2.0, 3.0))]).trees[0]
    >>> layout = lay_out(tree)
    >>> layout.x.tolist(), layout.depth.tolist()
    ([0.75, 0.0, 1.5, 1.0, 2.0], [0, 1, 1, 2, 2])
    """
    ends = tree.feature < 0
    if collapses_empty:
        ends |= tree.n_samples == 0
    walk = _walk(tree, ends, max_depth)
    node, parent, depth, is_leaf = (np.array(column) for column in zip(*walk, strict=True))
    x = _centre_parents(np.where(is_leaf, np.cumsum(is_leaf) - 1.0, 0.0), parent)
    order = np.argsort(node)
    rank = np.argsort(order)
    above = parent[order]
    return TreeLayout(
        x[order], depth[order], node[order], np.where(above < 0, -1, rank[above]), is_leaf[order]
    )


def draw_branches(ax: Any, layout: TreeLayout) -> None:
    """A line from each drawn node to its parent, thin where there are many."""
    has_parent = layout.parent >= 0
    above = layout.parent[has_parent]
    ax.plot(
        np.stack([layout.x[above], layout.x[has_parent]]),
        -np.stack([layout.depth[above], layout.depth[has_parent]]),
        color=GREY, linewidth=0.9 if layout.is_leaf.sum() <= 60 else 0.4, zorder=1,
    )  # fmt: skip


def _walk(
    tree: Tree, is_end: NDArray[np.bool_], max_depth: int | None
) -> list[tuple[int, int, int, bool]]:
    """Number, place of the parent, depth and end of each node; depth first, left before right."""
    waiting, seen = [(0, -1, 0)], list[tuple[int, int, int, bool]]()
    while waiting:
        number, above, depth = waiting.pop()
        ends = bool(is_end[number]) or depth == max_depth
        if not ends:
            waiting.append((int(tree.right[number]), len(seen), depth + 1))
            waiting.append((int(tree.left[number]), len(seen), depth + 1))
        seen.append((number, above, depth, ends))
    return seen


def _centre_parents(x: F64, parent: NDArray[np.int64]) -> F64:
    """Each parent at the mean of its two children, which come after it."""
    for place in range(len(x) - 1, 0, -1):
        x[parent[place]] += x[place] / 2
    return x
