"""How stable is the top of the tree? Section 3.2 of the Bayesian-forest paper for any data.

Model: weights θ_i ~ Exp(1) of the rows; each draw gives the weighted CART tree T(θ). What is
reported is the posterior of its sequence of split features, read in preorder. Reference: M. Taddy,
C.-S. Chen, J. Yu and M. Wyle, "Bayesian and empirical Bayesian forests", 2015, Figure 4.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.table import Schema, fit_class_target, fit_numeric_target, fit_table

F64 = NDArray[np.float64]
Signature = tuple[str, ...]

_MAX_SHOWN_SEQUENCES = 5
_NAME = "trunk_stability"


@dataclass(frozen=True)
class TrunkNode:
    """A node of the sample tree, and how the draws agree with it.

    Attributes
    ----------
    path : str
        The way from the root: "" is the root, "LR" the right child of its left child.
    feature : str or None
        The split feature; None at a leaf.
    threshold : float or None
        ``x <= threshold`` goes left; None at a leaf and where the split is on levels.
    left_levels : tuple or None
        The levels that go left, where the split is on levels.
    n_samples : int
    value : ndarray of shape (n_outputs,)
        Mean response, or class probabilities.
    share : float
        Share of the draws that have the same split features here and at every node above.
    thresholds : ndarray
        The thresholds of those draws.
    """

    path: str
    feature: str | None
    threshold: float | None
    left_levels: tuple[Any, ...] | None
    n_samples: int
    value: F64
    share: float
    thresholds: F64

    @property
    def is_leaf(self) -> bool:
        """Whether the node is not split."""
        return self.feature is None

    @property
    def depth(self) -> int:
        """Number of splits above the node."""
        return len(self.path)


@dataclass(frozen=True)
class SplitSequence:
    """A sequence of split features in preorder, and the share of the draws that have it."""

    features: Signature
    share: float
    share_se: float

    def __str__(self) -> str:
        return " > ".join(self.features) or "(no split)"


@dataclass(frozen=True, repr=False)
class TrunkStability:
    """The posterior of a trunk.

    Attributes
    ----------
    sample_tree : tuple of TrunkNode
        The tree of the unweighted rows, in preorder.
    sample_signature : tuple of str
        Its split features, in preorder.
    share, share_se : float
        Share of the draws with that same sequence, and its standard error.
    sequences : tuple of SplitSequence
        Every sequence drawn, most common first.
    prefix_shares : ndarray of shape (n_splits,)
        Entry k: share of the draws whose first k + 1 split features are the sample's.
    min_samples_leaf, n_draws : int
    class_names : tuple
        The classes; empty for regression.
    """

    sample_tree: tuple[TrunkNode, ...]
    sample_signature: Signature
    share: float
    share_se: float
    sequences: tuple[SplitSequence, ...]
    prefix_shares: F64
    min_samples_leaf: int
    n_draws: int
    class_names: tuple[Any, ...]

    def __repr__(self) -> str:
        head = (
            f"TrunkStability: {self.n_draws:,} draws, leaves of at least "
            f"{self.min_samples_leaf:,} rows"
        )
        tree = [_node_line(node, self.class_names) for node in self.sample_tree]
        shown = [self._sequence_line(s) for s in self.sequences[:_MAX_SHOWN_SEQUENCES]]
        n_hidden = len(self.sequences) - len(shown)
        rest = [f"  and {n_hidden} more"] if n_hidden else []
        return "\n".join(
            [head, "The sample tree", *tree, "Sequences of split features", *shown, *rest]
        )

    def _sequence_line(self, sequence: SplitSequence) -> str:
        mark = "  <- the sample tree" if sequence.features == self.sample_signature else ""
        return f"  {sequence.share:.3f} ± {sequence.share_se:.3f}  {sequence}{mark}"


def trunk_stability(
    X: Any,
    y: Any,
    min_samples_leaf: int,
    n_draws: int = 1000,
    *,
    max_depth: int | None = None,
    criterion: str | None = None,
    categorical_features: Any = "from_dtype",
    rng: Any = None,
    n_jobs: int = 1,
) -> TrunkStability:
    """Posterior of the top of the tree under the Bayesian bootstrap.

    Parameters
    ----------
    X : array or data frame of shape (n_rows, n_features)
    y : array of shape (n_rows,)
    min_samples_leaf : int
        Rows in a leaf at least; this is what makes a trunk of a tree.
    n_draws : int, default=1000
        Number of posterior draws.
    max_depth : int or None, default=None
    criterion : {"squared_error", "gini", "entropy"} or None, default=None
        None means "squared_error" for a numeric y and "gini" otherwise. Give "gini" for classes
        that are coded as numbers.
    categorical_features : "from_dtype", None, mask or list
    rng : None, int or numpy Generator
    n_jobs : int, default=1

    Returns
    -------
    TrunkStability
        Printing it shows the tree and the most common sequences.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(100.0)[:, None]
    >>> trunk = trunk_stability(X, X[:, 0] > 40, min_samples_leaf=20, n_draws=50, rng=0)
    >>> trunk.sample_signature, trunk.share
    (('x0',), 1.0)
    >>> trunk.sample_tree[0].threshold
    40.5
    """
    rows, schema = fit_table(X, categorical_features=categorical_features, estimator_name=_NAME)
    target = _Target.of(y, criterion, len(rows))
    _check_counts(min_samples_leaf, n_draws, max_depth)
    encoded = _core.EncodedMatrix(rows, schema.n_levels, n_jobs)
    settings: dict[str, Any] = {
        "criterion": target.criterion,
        "n_classes": len(target.classes),
        "max_features": schema.n_features,
        "min_samples_leaf": min_samples_leaf,
        "max_depth": max_depth or 0,
        "n_jobs": n_jobs,
    }
    sample, _ = _core.grow_forest(
        encoded, target.y, None, scheme="unit", seed=0, n_trees=1, random_ties=False, **settings
    )
    seed = int(np.random.default_rng(rng).integers(2**63))
    draws, _ = _core.grow_forest(
        encoded, target.y, None, scheme="exponential", seed=seed, n_trees=n_draws, **settings
    )
    return compare_draws(
        sample, draws, schema, min_samples_leaf=min_samples_leaf, classes=target.classes
    )


def compare_draws(
    sample: _core.Forest,
    draws: _core.Forest,
    schema: Schema,
    *,
    min_samples_leaf: int,
    classes: tuple[Any, ...] = (),
    same_places: bool = False,
) -> TrunkStability:
    """Hold a trunk beside trees of posterior draws.

    Parameters
    ----------
    sample : _core.Forest
        The trunk, one tree.
    draws : _core.Forest
        A tree per draw.
    schema : Schema
        Names of the features.
    min_samples_leaf : int
        Rows in a leaf at least.
    classes : tuple, default=()
        The classes; empty for regression.
    same_places : bool, default=False
        Whether to look at the draws only where the trunk splits: for a trunk that was limited by
        more than the size of its leaves.
    """
    tree, n_draws = sample.tree(0), draws.n_trees
    own = _splits(tree)
    drawn = [_splits(draws.tree(index)) for index in range(n_draws)]
    if same_places:
        places = {split.path for split in own}
        drawn = [[split for split in splits if split.path in places] for splits in drawn]
    sequences = _sequences(drawn, schema)
    signature = tuple(schema.names[s.feature] for s in own)
    share = next((s.share for s in sequences if s.features == signature), 0.0)
    return TrunkStability(
        sample_tree=tuple(_nodes(tree, schema, _agreement(own, drawn), n_draws)),
        sample_signature=signature,
        share=share,
        share_se=_standard_error(share, n_draws),
        sequences=sequences,
        prefix_shares=_prefix_shares(own, drawn),
        min_samples_leaf=min_samples_leaf,
        n_draws=n_draws,
        class_names=classes,
    )


@dataclass(frozen=True)
class _Target:
    y: NDArray[Any]
    classes: tuple[Any, ...]
    criterion: str

    @staticmethod
    def of(y: Any, criterion: str | None, n_rows: int) -> "_Target":
        if criterion not in (None, "squared_error", "gini", "entropy"):
            raise BayeswoodError(
                f"The 'criterion' parameter of {_NAME} must be 'squared_error', 'gini', 'entropy' "
                f"or None. Got {criterion!r} instead."
            )
        if criterion is None:
            is_numeric = np.asarray(y).dtype.kind in "iuf"
            criterion = "squared_error" if is_numeric else "gini"
        classes: tuple[Any, ...] = ()
        if criterion == "squared_error":
            values: NDArray[Any] = fit_numeric_target(y, estimator_name=_NAME)[0]
        else:
            values, labels = fit_class_target(y, estimator_name=_NAME)
            classes = tuple(labels)
        if len(values) != n_rows:
            raise BayeswoodError(f"X has {n_rows} rows and y has {len(values)}.")
        return _Target(values, classes, criterion)


@dataclass(frozen=True)
class _Split:
    """A split of a drawn tree: the way to it, its feature and its threshold."""

    path: str
    feature: int
    threshold: float


def _preorder(tree: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Node numbers with the way to each, parents first, left before right."""
    pending = [(0, "")]
    while pending:
        node, path = pending.pop()
        yield node, path
        if tree["feature"][node] >= 0:
            pending.append((tree["right"][node], path + "R"))
            pending.append((tree["left"][node], path + "L"))


def _splits(tree: dict[str, Any]) -> list[_Split]:
    feature, threshold = tree["feature"], tree["threshold"]
    return [
        _Split(path, int(feature[node]), float(threshold[node]))
        for node, path in _preorder(tree)
        if feature[node] >= 0
    ]


def _sequences(drawn: list[list[_Split]], schema: Schema) -> tuple[SplitSequence, ...]:
    counts = Counter(tuple(s.feature for s in splits) for splits in drawn)
    return tuple(
        SplitSequence(
            tuple(schema.names[j] for j in features),
            count / len(drawn),
            _standard_error(count / len(drawn), len(drawn)),
        )
        for features, count in counts.most_common()
    )


def _prefix_shares(own: list[_Split], drawn: list[list[_Split]]) -> F64:
    features = [s.feature for s in own]
    sequences = [[s.feature for s in splits] for splits in drawn]
    return np.array(
        [
            np.mean([sequence[:k] == features[:k] for sequence in sequences])
            for k in range(1, len(own) + 1)
        ]
    )


def _agreement(own: list[_Split], drawn: list[list[_Split]]) -> dict[str, list[float]]:
    """Thresholds of the draws that agree with the sample at a node and at all above it."""
    thresholds: dict[str, list[float]] = {split.path: [] for split in own}
    for splits in drawn:
        at = {s.path: s for s in splits}
        agreed: set[str] = set()
        for split in own:
            other = at.get(split.path)
            above = split.path[:-1] in agreed or split.path == ""
            if above and other is not None and other.feature == split.feature:
                agreed.add(split.path)
                thresholds[split.path].append(other.threshold)
    return thresholds


def _nodes(
    tree: dict[str, Any], schema: Schema, agreement: dict[str, list[float]], n_draws: int
) -> Iterator[TrunkNode]:
    for node, path in _preorder(tree):
        feature = int(tree["feature"][node])
        is_leaf, on_levels = feature < 0, feature >= 0 and schema.n_levels[feature] > 0
        agreeing = np.array(agreement.get(path, ()), dtype=np.float64)
        yield TrunkNode(
            path=path,
            feature=None if is_leaf else schema.names[feature],
            threshold=None if is_leaf or on_levels else float(tree["threshold"][node]),
            left_levels=_left_levels(tree, node, schema) if on_levels else None,
            n_samples=int(tree["n_samples"][node]),
            value=np.array(tree["value"][node]),
            share=len(agreeing) / n_draws,
            thresholds=agreeing[~np.isnan(agreeing)],
        )


def _left_levels(tree: dict[str, Any], node: int, schema: Schema) -> tuple[Any, ...]:
    levels = schema.columns[int(tree["feature"][node])].levels
    first = int(tree["category_offset"][node])
    words = tree["category_words"][first : first + (len(levels) + 63) // 64]
    return tuple(level for k, level in enumerate(levels) if int(words[k // 64]) >> (k % 64) & 1)


def _node_line(node: TrunkNode, class_names: tuple[Any, ...]) -> str:
    indent = "  " + "|  " * node.depth
    if node.feature is None:
        return f"{indent}{node.n_samples:,} rows, {_value_text(node.value, class_names)}"
    if node.threshold is None:
        rule = f"{node.feature} in {{{', '.join(map(str, node.left_levels or ()))}}}"
        return f"{indent}{rule}   ({node.share:.0%} of draws)"
    spread = ""
    if len(node.thresholds):
        low, high = np.quantile(node.thresholds, [0.05, 0.95])
        spread = f", 90 % of them cut in {low:.5g} .. {high:.5g}"
    return f"{indent}{node.feature} <= {node.threshold:.6g}   ({node.share:.0%} of draws{spread})"


def _value_text(value: F64, class_names: tuple[Any, ...]) -> str:
    if class_names:
        top = int(np.argmax(value))
        return f"{class_names[top]} with probability {value[top]:.2f}"
    return "mean " + ", ".join(f"{v:.6g}" for v in value)


def _standard_error(share: float, n_draws: int) -> float:
    return float(np.sqrt(share * (1 - share) / n_draws))


def _check_counts(min_samples_leaf: int, n_draws: int, max_depth: int | None) -> None:
    given = {"min_samples_leaf": min_samples_leaf, "n_draws": n_draws, "max_depth": max_depth}
    for name, value in given.items():
        is_int = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if value is not None and not (is_int and value >= 1):
            raise BayeswoodError(
                f"The '{name}' parameter of {_NAME} must be an int >= 1. Got {value!r} instead."
            )
