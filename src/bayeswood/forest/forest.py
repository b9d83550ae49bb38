"""Flat trees, which of them add up to a member, and one log-weight per member."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest.class_prior import class_alphas
from bayeswood.forest.concatenate import join_trees
from bayeswood.forest.labels import Labels
from bayeswood.forest.nested import (
    NestedSettings,
    count_classes,
    count_features,
    nested_arrays,
)
from bayeswood.forest.tree import Tree

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
    """A weighted set of members, each a tree or a sum of trees.

    Prediction, intervals, files and plots take a forest and never ask which method made it.

    Parameters
    ----------
    core : _core.Forest
        The trees.
    log_weights : array-like, (n_members,), default=None
        Log-weights, up to a constant; None weighs all members alike.
    labels : Labels, default=None
        Names for `to_text`.
    trees_per_member : int, default=1
        So many trees, one after another, add up to one member. Class probabilities do not add
        up: a forest whose leaves hold them has members of one tree.

    Attributes
    ----------
    core : _core.Forest
        The native trees.
    n_trees, n_members, trees_per_member : int
        Trees, members, and trees in each.
    n_features, n_outputs : int
        Features; classes, or responses.
    is_classifier : bool
        Whether leaves hold class probabilities.
    log_weights, weights : ndarray, (n_members,)
        As given, and scaled to a sum of 1.

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

    Two members, each the sum of two stumps:

    >>> first = [(0, 0.5, 1.0, 2.0), (0, 0.8, 10.0, 20.0)]
    >>> second = [(0, 0.5, 3.0, 4.0), (0, 0.8, 30.0, 40.0)]
    >>> sums = Forest.from_nested([*first, *second], trees_per_member=2)
    >>> sums.draws([[0.6]]).ravel(), sums.predict([[0.6]])
    (array([12., 34.]), array([[23.]]))
    """

    def __init__(
        self,
        core: _core.Forest,
        log_weights: ArrayLike | None = None,
        labels: Labels | None = None,
        trees_per_member: int = 1,
    ) -> None:
        # Trees of sums are small and many alike: their shapes are kept once.
        self.core = core.sharing(trees_per_member > 1)
        self.n_trees = core.n_trees
        self.n_features = core.n_features
        self.n_outputs = core.n_outputs
        self.is_classifier = core.is_classifier
        self.trees_per_member = _check_members(core, trees_per_member)
        self.n_members = core.n_trees // trees_per_member
        given = np.zeros(self.n_members) if log_weights is None else log_weights
        self.log_weights, self.weights = _checked_weights(given, self.n_members)
        self._labels = labels

    @cached_property
    def labels(self) -> Labels:
        """Names of features, levels and classes; numbers where none were given."""
        return self._labels or Labels.numbered(self.n_features)

    @property
    def tree_weights(self) -> F64:
        """Weight of each tree in a mean over the members: that of its member."""
        if self.trees_per_member == 1:
            return self.weights
        return np.repeat(self.weights, self.trees_per_member)

    @property
    def has_rows(self) -> bool:
        """Whether leaves remember their training rows."""
        return self.core.has_rows

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """Leaves of each tree."""
        return self.core.n_leaves

    @property
    def depths(self) -> NDArray[np.int32]:
        """Depth of each tree."""
        return self.core.depths()

    @property
    def nbytes(self) -> int:
        """Memory held by the trees, in bytes."""
        return self.core.nbytes

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
        return _Trees(self.core, self.labels)

    def __len__(self) -> int:
        return self.n_trees

    def apply(self, X: ArrayLike, n_jobs: int = 1) -> NDArray[np.int32]:
        """Node index of each row's leaf in each tree, (n_rows, n_trees)."""
        return self.core.apply(self._matrix(X), n_jobs)

    def predict(
        self,
        X: ArrayLike,
        n_jobs: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> F64:
        """Weighted mean over the members, (n_rows, n_outputs)."""
        mean = self.core.predict_mean(self._matrix(X), self.tree_weights, n_jobs, progress)
        if self.is_classifier:  # the weights' rounding must not push a probability past 1
            mean /= mean.sum(axis=1, keepdims=True)
        return mean

    def votes(self, X: ArrayLike, n_jobs: int = 1, weights: F64 | None = None) -> F64:
        """Summed weight of the members that prefer each class, (n_rows, n_classes).

        By default the members' own weights, whose sums are shares. A sum of trees prefers the
        output that is largest; of equals the first.
        """
        given = self.weights if weights is None else weights
        rows, size = self._matrix(X), self.trees_per_member
        if size > 1:
            return self.core.predict_sum_votes(rows, given, size, n_jobs)
        return self.core.predict_votes(rows, given, n_jobs)

    def draws(self, X: ArrayLike, n_jobs: int = 1) -> F64:
        """What every member says, (n_members, n_rows, n_outputs)."""
        return self.core.predict_draws(self._matrix(X), n_jobs, self.trees_per_member)

    def quantiles(self, X: ArrayLike, levels: F64, n_jobs: int = 1) -> F64:
        """Weighted quantiles over the members, (n_rows, n_outputs, n_levels).

        That at level a is the smallest value whose cumulative weight is at least a.
        """
        return self.core.predict_member_quantiles(
            self._matrix(X), self.weights, levels, n_jobs, self.trees_per_member
        )

    def spread(self, X: ArrayLike, n_jobs: int = 1) -> tuple[F64, F64]:
        """Weighted mean and standard deviation over the members, both (n_rows, n_outputs)."""
        mean, variance = self.core.predict_member_moments(
            self._matrix(X), self.weights, n_jobs, self.trees_per_member
        )
        return mean, np.sqrt(variance)

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
        """A forest of the chosen members, with their weights and names.

        The trees lose their numbers, and with them the way from the seed to the weights that
        each gave the training rows: quantiles of the response need the whole forest.
        """
        chosen = np.atleast_1d(np.arange(self.n_members, dtype=np.int64)[np.asarray(indices)])
        if not chosen.size:
            raise BayeswoodError("At least one tree must be selected.")
        return self._of_members(chosen, self.log_weights[chosen])

    def unweighted(self, members: slice) -> "Forest":
        """Some members, all of the same weight, whatever they weigh here."""
        return self._of_members(np.arange(self.n_members, dtype=np.int64)[members], None)

    def _of_members(self, members: NDArray[np.int64], log_weights: F64 | None) -> "Forest":
        size = self.trees_per_member
        trees = (members[:, None] * size + np.arange(size)).ravel()
        return Forest(self.core.select(trees), log_weights, self._labels, size)

    def apart(self) -> "Forest":
        """Every tree as a member of its own, with an equal share of its member's weight."""
        if self.trees_per_member == 1:
            return self
        log_weights = np.repeat(self.log_weights, self.trees_per_member)
        return Forest(self.core, log_weights, self.labels)

    def labelled(self, labels: Labels) -> "Forest":
        """The same trees under other names."""
        return Forest(self.core, self.log_weights, labels, self.trees_per_member)

    def with_trees(self, arrays: dict[str, Any]) -> "Forest":
        """The same members with these trees in place of their own, in the core's arrays."""
        core = _core.Forest.from_arrays(arrays)
        return Forest(core, self.log_weights, self.labels, self.trees_per_member)

    def to_text(self, member: int = 0, *, max_depth: int | None = None) -> str:
        """A member in words: its tree, or its trees one after another, which add up.

        Parameters
        ----------
        member : int, default=0
            Its number.
        max_depth : int, default=None
            Depth below which the text of a tree is cut short.

        Returns
        -------
        str
            See `Tree.to_text`.

        Examples
        --------
        >>> pair = [(0, 0.5, 1.0, 2.0), (0, 0.8, 10.0, 20.0)]
        >>> print(Forest.from_nested(pair, trees_per_member=2).to_text())
        the sum of 2 trees
        tree 1
        x0 <= 0.5  [2 rows]
        |-- yes: 1  [1 row]
        |-- no:  2  [1 row]
        tree 2
        x0 <= 0.8  [2 rows]
        |-- yes: 10  [1 row]
        |-- no:  20  [1 row]
        """
        size = self.trees_per_member
        first = range(0, self.n_trees, size)[member]
        texts = [tree.to_text(max_depth=max_depth) for tree in self.trees[first : first + size]]
        if size == 1:
            return texts[0]
        named = [f"tree {number}\n{text}" for number, text in enumerate(texts, 1)]
        return "\n".join([f"the sum of {size} trees", *named])

    def to_arrays(self) -> dict[str, Any]:
        """Every tree as flat arrays (see `_core.Forest.to_arrays`), and ``log_weights``.

        With ``trees_per_member`` where that is not 1.
        """
        size = self.trees_per_member
        summed = {} if size == 1 else {"trees_per_member": size}
        return {**self.core.to_arrays(), "log_weights": self.log_weights, **summed}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any], labels: Labels | None = None) -> "Forest":
        """Rebuild what `to_arrays` gave; ValueError if a law of trees is broken."""
        own = ("log_weights", "trees_per_member")
        trees = {name: array for name, array in arrays.items() if name not in own}
        size = arrays.get("trees_per_member", 1)
        return cls(_core.Forest.from_arrays(trees), arrays.get("log_weights"), labels, size)

    @classmethod
    def from_nested(
        cls,
        trees: Sequence[Any],
        *,
        n_features: int | None = None,
        n_classes: int | None = None,
        n_levels: ArrayLike | None = None,
        dirichlet_alpha: ArrayLike = 0.0,
        log_weights: ArrayLike | None = None,
        labels: Labels | None = None,
        trees_per_member: int = 1,
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
        dirichlet_alpha : float or array-like, (n_classes,), default=0.0
            α_c of the leaves' class probabilities (m_c + α_c) / (n + Σ α); with 0, a leaf without
            rows has even ones.
        log_weights : array-like, (n_members,), default=None
            As of the class.
        labels : Labels, default=None
            As of the class.
        trees_per_member : int, default=1
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
        classes = count_classes(roots) if n_classes is None else n_classes
        alphas = class_alphas(dirichlet_alpha, classes, "Forest.from_nested", zero=True)
        settings = NestedSettings(n_columns, classes, np.array(levels, dtype=np.int32), alphas)
        core = _core.Forest.from_arrays(nested_arrays(roots, settings))
        return cls(core, log_weights, labels, trees_per_member)

    @classmethod
    def concatenate(cls, forests: Sequence["Forest"]) -> "Forest":
        """The members of several forests over the same features, one after another."""
        joined = join_trees([forest.core for forest in forests])
        if len({forest.trees_per_member for forest in forests}) > 1:
            raise BayeswoodError("Forests to concatenate must have the same trees_per_member.")
        log_weights = np.concatenate([forest.log_weights for forest in forests])
        return cls(joined, log_weights, forests[0].labels, forests[0].trees_per_member)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.to_arrays(), self.labels)

    def __repr__(self) -> str:
        trees = "1 tree" if self.n_trees == 1 else f"{self.n_trees} trees"
        if self.trees_per_member > 1:
            trees = f"{self.n_members} sums of {self.trees_per_member} trees"
        return f"<Forest of {trees} over {self.n_features} features>"


def _restore(arrays: dict[str, Any], labels: Labels) -> Forest:
    return Forest.from_arrays(arrays, labels)


def _check_members(core: _core.Forest, trees_per_member: int) -> int:
    """How many trees add up to a member, if the trees can be shared out so."""
    if trees_per_member < 1 or core.n_trees % trees_per_member:
        raise BayeswoodError(
            f"The 'trees_per_member' parameter of Forest must divide the {core.n_trees} trees. "
            f"Got {trees_per_member} instead."
        )
    if trees_per_member > 1 and core.is_classifier:
        raise BayeswoodError(
            "Class probabilities do not add up: the members of a forest whose leaves hold them "
            f"must have one tree. Got trees_per_member={trees_per_member}."
        )
    return trees_per_member


def _checked_weights(log_weights: ArrayLike, n_members: int) -> tuple[F64, F64]:
    """The log-weights, one per member, and weights of sum 1; ``-inf`` leaves a member out.

    Both are copies that cannot be written to.

    Raises
    ------
    BayeswoodError
        If their number is not `n_members`, one is NaN or ``+inf``, or all are ``-inf``.
    """
    checked = np.array(log_weights, dtype=np.float64)
    if checked.shape != (n_members,):
        raise BayeswoodError(
            f"A forest of {n_members} members needs {n_members} log-weights. "
            f"Got an array of shape {checked.shape} instead."
        )
    if np.isnan(checked).any() or np.isposinf(checked).any():
        raise BayeswoodError("The log-weights of a forest must not be NaN or +inf.")
    if n_members and np.isneginf(checked).all():
        raise BayeswoodError("At least one tree of a forest must have a positive weight.")
    weights = normalise(checked)
    checked.flags.writeable = weights.flags.writeable = False
    return checked, weights


def normalise(log_weights: F64) -> F64:
    """Weights proportional to ``exp(log_weights)`` that sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> normalise(np.log([1.0, 3.0]))
    array([0.25, 0.75])
    """
    if log_weights.size == 0:
        return log_weights.copy()
    scaled = np.exp(log_weights - log_weights.max())
    weights: F64 = scaled / scaled.sum()
    return weights
