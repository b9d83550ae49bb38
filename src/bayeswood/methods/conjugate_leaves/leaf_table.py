"""The leaves of all trees of a forest under one numbering, for what each of them knows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest

F64 = NDArray[np.float64]

# Leaf numbers held at a time.
_BLOCK_NUMBERS = 2**22


@dataclass(frozen=True, eq=False)
class LeafTable:
    """Leaves, tree after tree.

    Attributes
    ----------
    forest : Forest
    leaf_of_node : ndarray of int64, (n_nodes in all,)
        Number of the leaf that a node is.
    first_node : ndarray of int64, (n_trees,)
        Number of each tree's root among all nodes.
    n_samples : ndarray of int32, (n_leaves in all,)
        Training rows.
    value : ndarray, (n_leaves in all, n_outputs)
        Class probabilities, all classes given, or means.
    """

    forest: Forest
    leaf_of_node: NDArray[np.int64]
    first_node: NDArray[np.int64]
    n_samples: NDArray[np.int32]
    value: F64

    @classmethod
    def of(cls, forest: Forest) -> "LeafTable":
        """Read the leaves of a forest in which every leaf names every class."""
        arrays = forest.core.to_arrays()
        n_samples = arrays["leaf_n_samples"]
        return cls(
            forest,
            np.cumsum(arrays["feature"] < 0) - 1,
            np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"],
            n_samples,
            arrays["leaf_value"].reshape(len(n_samples), -1),
        )

    def at(self, rows: NDArray[Any], n_jobs: int) -> NDArray[np.int64]:
        """Leaf of each row in each tree, (n_trees, n_rows)."""
        nodes = self.forest.apply(rows, n_jobs).T + self.first_node[:, None]
        leaves: NDArray[np.int64] = self.leaf_of_node[nodes]
        return leaves

    def blocks(self, rows: NDArray[Any], n_jobs: int) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Some rows at a time, and what `at` says of them."""
        size = max(1, _BLOCK_NUMBERS // self.forest.n_trees)
        for start in range(0, len(rows), size):
            block = slice(start, start + size)
            yield block, self.at(rows[block], n_jobs)
