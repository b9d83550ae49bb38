"""Flat trees plus one log-weight per tree: what every method ends in."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest.concatenate import join_trees
from bayeswood.forest.labels import Labels
from bayeswood.forest.nested import (
    NestedSettings,
    count_classes,
    count_features,
    nested_arrays,
)
from bayeswood.forest.tree import Tree
from bayeswood.forest.weights import check_log_weights, normalise

F64 = NDArray[np.float64]


class _Trees(Sequence[Tree]):
    """The trees of a forest, each made when it is asked for."""

    def __init__(self, core: _core.Forest, labels: Labels) -> None:
        self._core = core
        self._labels = labels

    def __len__(self) -> int:
        return self._core.n_trees

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        try:
            place = range(len(self))[index]
        except IndexError:
            raise IndexError(f"The forest has {len(self)} trees. Got index {index}.") from None
        return Tree(self._core, place, self._labels)

    def __iter__(self) -> Iterator[Tree]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} trees>"


class Forest:
    """A weighted set of trees.

    Prediction, intervals, files and plots take a forest and never ask which method made it.

    Parameters
    ----------
    core : _core.Forest
        The trees.
    log_weights : array-like, (n_trees,), default=None
        Log-weights, up to a constant; None weighs all trees alike.
    labels : Labels, default=None
        Names for `Tree.to_text`.

    Notes
    -----
    The matrices that `predict`, `draws` and `apply` take are in the encoding of the fitted
    table: numbers as they are, categories as level numbers, NaN where missing. Estimators take
    data frames and do the encoding.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BayesianForestClassifier(n_estimators=5, random_state=0).fit(X, y).forest_
    >>> forest
    <Forest of 5 trees over 4 features>
    >>> forest.apply(X).shape
    (150, 5)
    """

    def __init__(
        self,
        core: _core.Forest,
        log_weights: ArrayLike | None = None,
        labels: Labels | None = None,
    ) -> None:
        self._core = core
        given = np.zeros(core.n_trees) if log_weights is None else log_weights
        self.log_weights = check_log_weights(given, core.n_trees)
        self.weights = normalise(self.log_weights)
        self.weights.flags.writeable = False
        self.labels = labels or Labels.numbered(core.n_features)

    @property
    def core(self) -> _core.Forest:
        """The native trees."""
        return self._core

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self._core.n_trees

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._core.n_features

    @property
    def n_outputs(self) -> int:
        """Number of classes, or of responses."""
        return self._core.n_outputs

    @property
    def is_classifier(self) -> bool:
        """Whether leaves hold class probabilities."""
        return self._core.is_classifier

    @property
    def has_rows(self) -> bool:
        """Whether leaves remember their training rows."""
        return self._core.has_rows

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """Leaves of each tree."""
        return self._core.n_leaves

    @property
    def depths(self) -> NDArray[np.int32]:
        """Depth of each tree."""
        return self._core.depths()

    @property
    def nbytes(self) -> int:
        """Memory held by the trees, in bytes."""
        return self._core.nbytes

    @property
    def digest(self) -> str:
        """SHA-256 of all trees and weights, in hexadecimal: equal forests have equal digests."""
        found = sha256()
        for name, part in sorted(self.to_arrays().items()):
            array = np.asarray(part)
            found.update(f"{name} {array.dtype.str} {array.shape};".encode())
            found.update(np.ascontiguousarray(array).data)
        return found.hexdigest()

    @property
    def trees(self) -> Sequence[Tree]:
        """The trees, as a sequence."""
        return _Trees(self._core, self.labels)

    def __len__(self) -> int:
        return self.n_trees

    def apply(self, X: ArrayLike, n_jobs: int = 1) -> NDArray[np.int32]:
        """Node index of each row's leaf in each tree, (n_rows, n_trees)."""
        return self._core.apply(self._matrix(X), n_jobs)

    def predict(
        self,
        X: ArrayLike,
        n_jobs: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> F64:
        """Weighted mean over the trees, (n_rows, n_outputs)."""
        mean = self._core.predict_mean(self._matrix(X), self.weights, n_jobs, progress)
        if self.is_classifier:  # the weights' rounding must not push a probability past 1
            mean /= mean.sum(axis=1, keepdims=True)
        return mean

    def votes(self, X: ArrayLike, n_jobs: int = 1, weights: F64 | None = None) -> F64:
        """Summed weight of the trees that prefer each class, (n_rows, n_classes).

        By default the trees' own weights, whose sums are shares.
        """
        tree_weights = self.weights if weights is None else weights
        return self._core.predict_votes(self._matrix(X), tree_weights, n_jobs)

    def draws(self, X: ArrayLike, n_jobs: int = 1) -> F64:
        """What every tree says, (n_trees, n_rows, n_outputs)."""
        return self._core.predict_draws(self._matrix(X), n_jobs)

    def _matrix(self, X: ArrayLike) -> NDArray[Any]:
        """Rows as the core takes them: floats, one column per feature."""
        is_ready = isinstance(X, np.ndarray) and X.dtype in (np.float32, np.float64)
        matrix = np.asarray(X) if is_ready else np.asarray(X, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != self.n_features:
            raise BayeswoodError(
                f"A forest over {self.n_features} features needs rows of shape (n_rows, "
                f"{self.n_features}). Got {matrix.shape} instead."
            )
        return matrix

    def select(self, indices: ArrayLike) -> "Forest":
        """A forest of the chosen trees, with their weights and names.

        The trees lose their numbers, and with them the way from the seed to the weights that
        each gave the training rows: quantiles of the response need the whole forest.
        """
        chosen = np.arange(self.n_trees, dtype=np.int64)[np.asarray(indices)]
        chosen = np.atleast_1d(chosen)
        if not chosen.size:
            raise BayeswoodError("At least one tree must be selected.")
        return Forest(self._core.select(chosen), self.log_weights[chosen], self.labels)

    def labelled(self, labels: Labels) -> "Forest":
        """The same trees under other names."""
        return Forest(self._core, self.log_weights, labels)

    def to_arrays(self) -> dict[str, Any]:
        """Every tree as flat arrays (see `_core.Forest.to_arrays`), and ``log_weights``."""
        return {**self._core.to_arrays(), "log_weights": self.log_weights}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any], labels: Labels | None = None) -> "Forest":
        """Rebuild what `to_arrays` gave; ValueError if a law of trees is broken."""
        trees = {name: array for name, array in arrays.items() if name != "log_weights"}
        return cls(_core.Forest.from_arrays(trees), arrays.get("log_weights"), labels)

    @classmethod
    def from_nested(
        cls,
        trees: Sequence[Any],
        *,
        n_features: int | None = None,
        n_classes: int | None = None,
        n_levels: ArrayLike | None = None,
        dirichlet_alpha: float = 0.0,
        log_weights: ArrayLike | None = None,
        labels: Labels | None = None,
    ) -> "Forest":
        """A forest of trees written by hand.

        Parameters
        ----------
        trees : sequence of nodes
            The root of each tree. A split is ``(feature, rule, left, right)``, with the side of
            missing values as an optional fifth, or a dict of these names (the fifth is
            ``missing_left``). The rule is a number (``x <= rule`` goes left) or, for a category,
            a set of level numbers. A leaf is None (no training row), a number (mean response) or
            ``{"value": number}``, or ``{"counts": [...]}`` (training rows of each class); the
            dicts may say ``n_samples`` too.
        n_features : int, default=None
            None takes one more than the highest feature number.
        n_classes : int, default=None
            None takes the length of the leaves' counts; 0 makes a regression forest.
        n_levels : array-like of int, (n_features,), default=None
            Levels of each category feature, 0 for numbers; None if all are numbers.
        dirichlet_alpha : float, default=0.0
            α of the leaves' class probabilities (m_c + α) / (n + Cα); a leaf without rows has
            even ones.
        log_weights : array-like, (n_trees,), default=None
            As of the class.
        labels : Labels, default=None
            As of the class.

        Examples
        --------
        >>> stump = (0, 0.5, {"counts": [3, 1]}, (1, 2.0, {"counts": [0, 4]}, None))
        >>> forest = Forest.from_nested([stump])
        >>> print(forest.trees[0].to_text(["age", "income"], ["no", "yes"]))
        age <= 0.5  [8 rows]
        |-- yes: no 0.75, yes 0.25  [4 rows]
        |-- no:  income <= 2  [4 rows]
        |   |-- yes: yes 1.00  [4 rows]
        |   |-- no:  no 0.50, yes 0.50  [0 rows]
        >>> forest.predict([[0.2, 1.0], [0.9, 1.0]])
        array([[0.75, 0.25],
               [0.  , 1.  ]])
        """
        roots = list(trees)
        if not roots:
            raise BayeswoodError("The 'trees' parameter of Forest.from_nested must not be empty.")
        n_columns = count_features(roots) if n_features is None else n_features
        levels = np.zeros(n_columns) if n_levels is None else n_levels
        settings = NestedSettings(
            n_columns,
            count_classes(roots) if n_classes is None else n_classes,
            np.array(levels, dtype=np.int32),
            dirichlet_alpha,
        )
        return cls(_core.Forest.from_arrays(nested_arrays(roots, settings)), log_weights, labels)

    @classmethod
    def concatenate(cls, forests: Sequence["Forest"]) -> "Forest":
        """The trees of several forests over the same features, one after another."""
        joined = join_trees([forest.core for forest in forests])
        log_weights = np.concatenate([forest.log_weights for forest in forests])
        return cls(joined, log_weights, forests[0].labels)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.to_arrays(), self.labels)

    def __repr__(self) -> str:
        trees = "1 tree" if self.n_trees == 1 else f"{self.n_trees} trees"
        return f"<Forest of {trees} over {self.n_features} features>"


def _restore(arrays: dict[str, Any], labels: Labels) -> Forest:
    return Forest.from_arrays(arrays, labels)
