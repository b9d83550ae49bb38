"""What the training responses in the leaves say about the spread of y itself.

The distribution of y at x under a forest is the mixture, over members m, of the responses of the
training rows that share x's leaf, weighted by the member's own draw θ times `sample_weight`:

    F(y | x) = sum_m w_m  sum_{i in leaf_m(x)} θ_i^m 1[y_i <= y] / |θ^leaf|.

The draws are not stored: they come again from the seed. Stored are y, 8 bytes per row and
output, and in the forest 4 bytes per row and tree.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest import Forest, RowWeights

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


class Responses:
    """The training responses, and how each tree weighted them.

    Parameters
    ----------
    y : ndarray, (n_rows, n_outputs)
        Training responses.
    sample_weight : ndarray, (n_rows,) or None
        Weights given by the user.
    row_weights : RowWeights
        How each tree weighted the rows besides.
    """

    def __init__(self, y: F64, sample_weight: F64 | None, row_weights: RowWeights) -> None:
        self.y = y
        self.sample_weight = sample_weight
        self.row_weights = row_weights
        self._in_leaves: _core.LeafResponses | None = None
        self._variances: Forest | None = None
        self._within: F64 | None = None

    def quantiles(self, forest: Forest, X: NDArray[Any], levels: F64, n_jobs: int = 1) -> F64:
        """Quantiles of y, (n_rows, n_outputs, n_levels)."""
        return self._ordered(forest, n_jobs).quantiles(X, forest.weights, levels, n_jobs)

    def quantiles_and_mean(
        self, forest: Forest, X: NDArray[Any], levels: F64, n_jobs: int = 1
    ) -> tuple[F64, F64]:
        """The same, and the forest's mean, (n_rows, n_outputs), at no further walk."""
        return self._ordered(forest, n_jobs).quantiles_and_mean(X, forest.weights, levels, n_jobs)

    def out_of_bag(
        self,
        forest: Forest,
        X: NDArray[Any],
        chosen: NDArray[np.bool_],
        levels: F64,
        n_jobs: int = 1,
    ) -> F64:
        """Quantiles of y at chosen training rows, (n_chosen, n_outputs, n_levels).

        Each by the trees that left the row out, of which there must be one.
        """
        rows = np.flatnonzero(chosen).astype(np.int32)
        return self._ordered(forest, n_jobs).oob_quantiles(
            X[chosen], rows, levels, n_jobs=n_jobs, **self.row_weights.arguments()
        )

    def leaf_variances(self, forest: Forest, n_jobs: int = 1) -> F64 | None:
        """Variance of y in every leaf, (n_leaves, n_outputs); None if it is 0 in all of them."""
        if self._within is None:
            found = self._ordered(forest, n_jobs).leaf_variances(n_jobs)
            self._within = found if found.any() else found[:0]
        return self._within if len(self._within) else None

    def _ordered(self, forest: Forest, n_jobs: int) -> _core.LeafResponses:
        if self._in_leaves is None:
            self._in_leaves = _core.LeafResponses(
                forest.core,
                self.y,
                self.sample_weight,
                n_jobs=n_jobs,
                **self.row_weights.arguments(),
            )
        return self._in_leaves

    def variance(self, forest: Forest, X: NDArray[Any], n_jobs: int = 1) -> F64:
        """Variance of y within a leaf, averaged over the members, (n_rows, n_outputs)."""
        if self._variances is None:
            self._variances = self._leaf_variances(forest)
        return self._variances.predict(X, n_jobs)

    def leaf_shares(self, forest: Forest) -> tuple[I64, I64, F64]:
        """What training rows count in each leaf of all trees.

        Returns
        -------
        leaf, row : ndarray of int64, (n_entries,)
            Leaves are counted over all trees, in node order; ascending.
        share : ndarray, (n_entries,)
            Of the row in the distribution where a row falls in the leaf, positive: the trees'
            weights times the rows' shares in the leaf.
        """
        arrays = forest.to_arrays()
        n_samples = np.asarray(arrays["leaf_n_samples"], dtype=np.int64)
        leaf = np.repeat(np.arange(len(n_samples)), n_samples)
        row = np.asarray(arrays["leaf_rows"], dtype=np.int64)
        tree = np.repeat(np.arange(forest.n_trees), forest.n_leaves)[leaf]
        starts = np.searchsorted(tree, np.arange(forest.n_trees + 1))
        of_trees = [
            self.tree_weights(tree_idx)[row[start:stop]]
            for tree_idx, (start, stop) in enumerate(pairwise(starts))
        ]
        share = np.concatenate(of_trees)
        total = np.bincount(leaf, share, len(n_samples))
        share *= forest.weights[tree] / np.where(total > 0, total, 1.0)[leaf]
        counts = share > 0
        return leaf[counts], row[counts], share[counts]

    def tree_weights(self, tree_idx: int) -> F64:
        """Weights of the training rows in one tree."""
        weights = self.row_weights.draw(tree_idx, len(self.y))
        return weights if self.sample_weight is None else weights * self.sample_weight

    def _leaf_variances(self, forest: Forest) -> Forest:
        """The same trees with the variance of y in each leaf as its value."""
        arrays = forest.to_arrays()
        n_leaves = forest.n_leaves
        first_leaf = np.concatenate([[0], np.cumsum(n_leaves)])
        first_row = np.concatenate([[0], np.cumsum(arrays["leaf_n_samples"], dtype=np.int64)])
        values = np.empty((int(n_leaves.sum()), self.y.shape[1]))
        for tree_idx in range(forest.n_trees):
            leaves = slice(first_leaf[tree_idx], first_leaf[tree_idx + 1])
            rows = arrays["leaf_rows"][first_row[leaves.start] : first_row[leaves.stop]]
            leaf_of_row = np.repeat(np.arange(n_leaves[tree_idx]), arrays["leaf_n_samples"][leaves])
            weights = self.tree_weights(tree_idx)[rows]
            values[leaves] = grouped_variance(
                self.y[rows], weights, leaf_of_row, int(n_leaves[tree_idx])
            )
        arrays["leaf_value"] = values.reshape(arrays["leaf_value"].shape)
        arrays["leaf_rows"] = arrays["leaf_rows"][:0]
        return Forest.from_arrays(arrays)

    def __getstate__(self) -> dict[str, Any]:
        # What is derived is made again when needed.
        return {**self.__dict__, "_in_leaves": None, "_variances": None, "_within": None}


def grouped_variance(y: F64, weights: F64, group: NDArray[np.int64], n_groups: int) -> F64:
    """Weighted variance of each column of y in each group; 0 in an empty group."""
    sum_w = np.bincount(group, weights, n_groups)
    scale = np.divide(1.0, sum_w, out=np.zeros(n_groups), where=sum_w > 0)
    columns = []
    for column in y.T:
        mean = np.bincount(group, weights * column, n_groups) * scale
        squares = weights * (column - mean[group]) ** 2
        columns.append(np.bincount(group, squares, n_groups) * scale)
    return np.stack(columns, axis=-1)
