"""One tree of a forest, as read-only arrays over its nodes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest.labels import Labels
from bayeswood.forest.text import tree_to_text

LEAF = -1
_WORD_BITS = 64


class Tree:
    """A view on one tree.

    Nodes are numbered breadth first from the root, 0. A row goes left where ``x <= threshold``
    (numeric feature) or where its level is in `left_levels` (category feature); a missing value
    and a level unseen in training go where `missing_left` says.

    Parameters
    ----------
    core : _core.Forest
        The forest the tree belongs to.
    index : int
        Its place there.
    labels : Labels
        Names used by `to_text`.

    Attributes
    ----------
    feature : ndarray of int32, (n_nodes,)
        Feature the node splits on; -1 at leaves.
    threshold : ndarray of float64, (n_nodes,)
        Cut on the user's scale; NaN at leaves and at category splits.
    left, right : ndarray of int32, (n_nodes,)
        Children; -1 at leaves.
    missing_left : ndarray of bool-like, (n_nodes,)
        Where missing values go.
    n_samples : ndarray of int32, (n_nodes,)
        Training rows of positive weight in the node.
    weight : ndarray of float32, (n_nodes,)
        Their summed weight.
    value : ndarray of float64, (n_nodes, n_outputs)
        Mean response or class probabilities.

    Examples
    --------
    >>> from bayeswood import BayesianForestRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 5.0, 5.0]
    >>> forest = BayesianForestRegressor(1, min_samples_leaf=1, random_state=0).fit(X, y)
    >>> print(forest.forest_.trees[0].to_text(["age"]))
    age <= 2.5  [4 rows]
    |-- yes: 0  [2 rows]
    |-- no:  5  [2 rows]
    """

    def __init__(self, core: _core.Forest, index: int, labels: Labels) -> None:
        arrays = core.tree(index)
        self._arrays = arrays
        self._n_levels = core.n_levels
        self._labels = labels
        self.is_classifier = core.is_classifier
        self.feature: NDArray[np.int32] = arrays["feature"]
        self.threshold: NDArray[np.float64] = arrays["threshold"]
        self.left: NDArray[np.int32] = arrays["left"]
        self.right: NDArray[np.int32] = arrays["right"]
        self.missing_left: NDArray[np.uint8] = arrays["missing_left"]
        self.n_samples: NDArray[np.int32] = arrays["n_samples"]
        self.weight: NDArray[np.float32] = arrays["weight"]
        self.value: NDArray[np.float64] = arrays["value"]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return int(self.feature.size)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature == LEAF))

    @property
    def depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        level, depth = np.zeros(1, dtype=np.int64), 0
        while (inner := level[self.feature[level] != LEAF]).size:
            level = np.concatenate([self.left[inner], self.right[inner]])
            depth += 1
        return depth

    @property
    def labels(self) -> Labels:
        """Names of features, levels and classes."""
        return self._labels

    def is_category_split(self, node: int) -> bool:
        """Whether the node splits on a category feature."""
        feature_idx = self.feature[node]
        return bool(feature_idx != LEAF and self._n_levels[feature_idx] > 0)

    def left_levels(self, node: int) -> NDArray[np.int64]:
        """Numbers of the levels that go left at a category split, ascending.

        Raises
        ------
        ValueError
            If the node is a leaf or splits on a numeric feature.
        """
        if not self.is_category_split(node):
            raise ValueError(f"Node {node} does not split on a category feature.")
        n_levels = int(self._n_levels[self.feature[node]])
        start = int(self._arrays["category_offset"][node])
        n_words = (n_levels + _WORD_BITS - 1) // _WORD_BITS
        words = self._arrays["category_words"][start : start + n_words]
        level_idx = np.arange(n_levels)
        shifts = (level_idx % _WORD_BITS).astype(np.uint64)
        goes_left = (words[level_idx // _WORD_BITS] >> shifts) & np.uint64(1)
        return np.flatnonzero(goes_left)

    def to_text(
        self,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Any] | None = None,
        levels: Sequence[Sequence[Any]] | None = None,
        *,
        max_depth: int | None = None,
        show_missing: bool = False,
    ) -> str:
        """The tree in words, one node a line.

        Parameters
        ----------
        feature_names, class_names, levels : sequence, default=None
            Names; None takes those of the fitted data.
        max_depth : int, default=None
            Depth below which the text is cut short.
        show_missing : bool, default=False
            Whether to say where missing values go.

        Returns
        -------
        str
            Lines without a newline at the end.
        """
        labels = self._labels.replaced(feature_names, class_names, levels)
        return tree_to_text(self, labels, max_depth=max_depth, show_missing=show_missing)

    def __repr__(self) -> str:
        return f"<Tree of {self.n_leaves} leaves, depth {self.depth}>"
