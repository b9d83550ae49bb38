"""The nodes that rows go through on their way to the leaves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest

I64 = NDArray[np.int64]


def decision_path(forest: Forest, rows: NDArray[Any], n_jobs: int) -> tuple[Any, I64]:
    """Which nodes each row goes through, as scikit-learn's forests say it.

    Parameters
    ----------
    forest : Forest
        The trees.
    rows : ndarray, (n_rows, n_features)
        In the forest's encoding.
    n_jobs : int
        Threads.

    Returns
    -------
    indicator : scipy.sparse.csr_matrix, (n_rows, n_nodes of all trees)
        1 where a row goes through a node.
    n_nodes_ptr : ndarray of int64, (n_trees + 1,)
        The nodes of tree t are the columns from ``n_nodes_ptr[t]`` to before the next.
    """
    from scipy.sparse import csr_matrix  # costs megabytes, and is seldom asked for

    leaves = forest.apply(rows, n_jobs)
    parents, depths = zip(*map(_above, forest.trees), strict=True)
    starts = np.concatenate([[0], np.cumsum([len(parent) for parent in parents])]).astype(np.int64)
    node = leaves + starts[:-1]
    depth, parent = np.concatenate(depths)[node], _offset(parents, starts)
    ends = np.cumsum(depth + 1).reshape(depth.shape)  # one past each path's last place
    columns = np.empty(int(ends[-1, -1]) if ends.size else 0, dtype=np.int64)
    step = np.zeros_like(depth)
    while True:
        on_way = step <= depth
        if not on_way.any():
            break
        columns[(ends - 1 - step)[on_way]] = node[on_way]
        node = parent[node]
        step += 1
    pointers = np.concatenate([[0], ends[:, -1]])
    ones = np.ones(len(columns), dtype=np.int64)
    return csr_matrix((ones, columns, pointers), shape=(len(rows), int(starts[-1]))), starts


def _above(tree: Any) -> tuple[I64, I64]:
    """The parent of each node (of the root, itself) and its depth."""
    inner = np.flatnonzero(tree.left >= 0)
    parent = np.zeros(tree.n_nodes, dtype=np.int64)
    parent[tree.left[inner]] = parent[tree.right[inner]] = inner
    depth, level = np.zeros(tree.n_nodes, dtype=np.int64), np.zeros(1, dtype=np.int64)
    while (above := level[tree.left[level] >= 0]).size:
        level = np.concatenate([tree.left[above], tree.right[above]])
        depth[level] = depth[parent[level]] + 1
    return parent, depth


def _offset(parents: tuple[I64, ...], starts: I64) -> I64:
    pairs = zip(parents, starts, strict=False)
    return np.concatenate([parent + start for parent, start in pairs])
