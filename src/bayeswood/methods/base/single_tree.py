"""The trees of a fitted forest one by one, as estimators that predict: `estimators_`."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest, Tree
from bayeswood.methods.base.decision_path import decision_path

F64 = NDArray[np.float64]


class SingleTree:
    """One tree of a fitted forest: it predicts what its leaves hold.

    Parameters
    ----------
    whole : estimator
        The forest's.
    index : int
        The tree's place in the forest.

    Attributes
    ----------
    tree : Tree
        Its nodes, as arrays and as text.
    n_features_in_, n_outputs_ : int
        As of the forest.
    """

    def __init__(self, whole: Any, index: int) -> None:
        self._whole = whole
        self._index = index

    @property
    def tree(self) -> Tree:
        """The nodes."""
        forest: Forest = self._whole.forest_
        return forest.trees[self._index]

    @property
    def forest_(self) -> Forest:
        """The tree as a forest of one."""
        whole: Forest = self._whole.forest_
        return whole.select([self._index])

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return int(self._whole.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Their names, where X had names."""
        names: NDArray[Any] = self._whole.feature_names_in_
        return names

    @property
    def n_outputs_(self) -> int:
        """Number of responses."""
        return int(self._whole.n_outputs_)

    @property
    def feature_importances_(self) -> F64:
        """Share of the tree's impurity decrease due to each feature."""
        shares: F64 = self._whole._member_importances()[self._index]
        return shares

    def get_depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        return self.tree.depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Index of each row's leaf among the tree's nodes, (n_rows,)."""
        return self.forest_.apply(self._whole._encode(X))[:, 0]

    def decision_path(self, X: Any) -> Any:
        """Nodes that each row goes through: a sparse indicator, (n_rows, n_nodes)."""
        return decision_path(self.forest_, self._whole._encode(X), 1)[0]

    def _leaf_values(self, X: Any) -> F64:
        return self.forest_.predict(self._whole._encode(X))

    def __repr__(self) -> str:
        return f"<tree {self._index} of {type(self._whole).__name__}: {self.tree!r}>"


class SingleTreeClassifier(SingleTree):
    """One tree of a fitted forest for classes."""

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels, sorted."""
        classes: NDArray[Any] = self._whole.classes_
        return classes

    def predict_proba(self, X: Any) -> F64:
        """Class probabilities of each row's leaf, (n_rows, n_classes)."""
        found: F64 = self._whole._split(self._leaf_values(X))
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of each row's leaf, of equals the first, (n_rows,)."""
        labels: NDArray[Any] = self._whole._decide(self._leaf_values(X))
        return labels


class SingleTreeRegressor(SingleTree):
    """One tree of a fitted forest for numbers."""

    def predict(self, X: Any) -> F64:
        """Mean response in each row's leaf, (n_rows,) or (n_rows, n_outputs)."""
        found: F64 = self._whole._shaped(self._leaf_values(X))
        return found


class SingleTrees(Sequence[SingleTree]):
    """The trees of a fitted forest as estimators, each made when it is asked for."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole
        has_classes = hasattr(whole, "classes_")
        self._kind = SingleTreeClassifier if has_classes else SingleTreeRegressor

    def __len__(self) -> int:
        return int(self._whole.forest_.n_trees)

    @overload
    def __getitem__(self, index: int) -> SingleTree: ...
    @overload
    def __getitem__(self, index: slice) -> list[SingleTree]: ...
    def __getitem__(self, index: int | slice) -> SingleTree | list[SingleTree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._kind(self._whole, range(len(self))[index])

    def __iter__(self) -> Iterator[SingleTree]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} trees that predict>"
