"""Which trees, which splits, and with what probability?

A forest of trees T_m with weights w_m that sum to 1 is a distribution over trees. Whatever depends
on a tree's structure alone is read from it:

    P(root splits on j) = Σ_m w_m 1[κ_m(root) = j],
    E[splits on j]      = Σ_m w_m #{inner nodes p of T_m : κ_m(p) = j},
    P(tree)             = Σ_m w_m 1[T_m has these features in these places],

the last over trees that differ in their cuts only. Table 1 of Schetinin and others (2004) lists the
trees of the largest P(tree) with the path of features from the root on; Figure 4 there shows all
of them by size.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.posterior.functional import Posterior
from bayeswood.posterior.kept_draws import tree_log_posterior
from bayeswood.posterior.split_table import F64, SplitTable
from bayeswood.posterior.splits import SplitChoice, forest_of, weighted_quantiles
from bayeswood.posterior.structure_text import structure_to_html, structure_to_text

_NAME = "structure"
_NODE_BYTES = 4  # of a node in a signature


@dataclass(frozen=True, repr=False)
class FeatureSplits:
    """How the trees use one feature.

    Attributes
    ----------
    feature : str
    root_probability : float
        That the root splits on it.
    use_probability : float
        That the tree splits on it anywhere.
    n_splits : float
        Mean number of splits on it in a tree.
    share : float
        Of all splits, by weight.
    thresholds : (n_cuts,) ndarray
        Its distinct cuts, ascending; empty for a category.
    threshold_weights : (n_cuts,) ndarray
        Share of the splits on it that cut there; they sum to 1.
    left_sets : tuple of (tuple of str, float)
        For a category the sets of levels that go left and the share of each, largest first.
    """

    feature: str
    root_probability: float
    use_probability: float
    n_splits: float
    share: float
    thresholds: F64
    threshold_weights: F64
    left_sets: tuple[tuple[tuple[str, ...], float], ...]

    def quantiles(self, alpha: ArrayLike) -> F64:
        """Weighted quantiles of the cuts; NaN for a category."""
        levels = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        if not self.thresholds.size:
            return np.full(levels.shape, np.nan)
        found = weighted_quantiles(self.thresholds, self.threshold_weights, tuple(levels))
        return np.array(found)

    def __repr__(self) -> str:
        return f"<FeatureSplits on {self.feature!r}: {self.n_splits:.3g} per tree>"


@dataclass(frozen=True, repr=False)
class DistinctTree:
    """Trees that ask for the same features in the same places, whatever the cuts.

    Attributes
    ----------
    mass : float
        Their posterior probability.
    path : tuple of str
        The features of the splits, breadth first from the root.
    node_features : tuple of int
        The features of all nodes, breadth first, -1 at leaves: what makes the tree distinct.
    n_members : int
        How many of the stored trees are such.
    tree_idx : int
        The one of the highest log posterior if that is known, else of the largest weight: a
        number for ``forest_.trees``.
    splits : tuple of SplitChoice
        For each split the median of the cuts and the range of 90 % of them, over these trees.
    """

    mass: float
    path: tuple[str, ...]
    node_features: tuple[int, ...]
    n_members: int
    tree_idx: int
    splits: tuple[SplitChoice, ...]

    @property
    def n_splits(self) -> int:
        """Number of splits: what Schetinin and others call nodes."""
        return len(self.path)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.path) + 1

    def nested(self) -> str:
        """The places of the features in brackets: what follows a yes, then what follows a no."""
        below: list[str] = []
        names = iter(reversed(self.path))
        # The children of the last split are the last two nodes, those of the one before precede.
        for feature in reversed(self.node_features):
            if feature < 0:
                below.append(".")
            else:
                right, left = below.pop(0), below.pop(0)
                below.append(f"{next(names)}({left}, {right})")
        return below[0]

    def __repr__(self) -> str:
        return f"<DistinctTree of mass {self.mass:.3g}, {self.n_splits} splits>"


@dataclass(frozen=True)
class SizeBest:
    """The best tree of one size.

    Attributes
    ----------
    n_leaves : int
    mass : float
        Posterior probability of that number of leaves.
    tree_idx : int
        Number of the tree in ``forest_.trees``.
    log_posterior : float or None
        Its log posterior; None where no log posterior is known and the tree is the heaviest.
    """

    n_leaves: int
    mass: float
    tree_idx: int
    log_posterior: float | None


@dataclass(frozen=True, repr=False)
class TreeStructure:
    """The structure of the trees of a posterior; printed, it is a page of text.

    Attributes
    ----------
    root : tuple of SplitChoice
        What the root splits on, largest probability first; feature None: it does not split.
    features : tuple of FeatureSplits
        One for each feature that is used, most splits first.
    top : tuple of DistinctTree
        The distinct trees of the largest mass.
    best_by_size : tuple of SizeBest
        For each number of leaves, ascending.
    n_leaves, depth : Posterior
        Their distributions over the members of positive weight.
    n_trees : int
        Stored trees of positive weight.
    distinct_mass : (n_distinct,) ndarray
        Posterior probability of each distinct tree, largest first.
    distinct_n_leaves : (n_distinct,) ndarray of int
        Its leaves.
    """

    root: tuple[SplitChoice, ...]
    features: tuple[FeatureSplits, ...]
    top: tuple[DistinctTree, ...]
    best_by_size: tuple[SizeBest, ...]
    n_leaves: Posterior
    depth: Posterior
    n_trees: int
    distinct_mass: F64
    distinct_n_leaves: NDArray[np.int64]

    @property
    def n_distinct(self) -> int:
        """How many of the trees differ in more than cuts."""
        return len(self.distinct_mass)

    @property
    def effective_n_distinct(self) -> float:
        """How many equally likely distinct trees would be as diverse: 1 / Σ P(tree)²."""
        return float(1 / np.sum(self.distinct_mass**2))

    def __getitem__(self, feature: str) -> FeatureSplits:
        for found in self.features:
            if found.feature == feature:
                return found
        raise KeyError(feature)

    def __str__(self) -> str:
        return structure_to_text(self)

    def _repr_html_(self) -> str:
        return structure_to_html(self)

    def __repr__(self) -> str:
        return f"<TreeStructure of {self.n_trees} trees, {self.n_distinct} distinct>"


def structure(
    model: Any, *, n_top: int = 20, log_posterior: ArrayLike | None = None
) -> TreeStructure:
    """Which trees a posterior holds: root, splits with their cuts, and the likeliest trees.

    Parameters
    ----------
    model : fitted bayeswood estimator, or Forest
    n_top : int, default 20
        Number of distinct trees to list.
    log_posterior : array-like, (n_trees,), default None
        Log posterior of each tree, up to a constant, for the best tree of each size. None takes
        that of the draws where the estimator keeps it (MCMC trees); else the heaviest tree is
        taken for the best.

    Returns
    -------
    TreeStructure

    Notes
    -----
    Trees are distinct if they differ in the features of some place; those that differ in their
    cuts or level sets only are one, and their masses add up. Members of weight 0 do not count.
    With cuts from a continuum the log posterior is that of a density: it depends on the units of
    the features, and trees of different sizes are not to be compared by it.

    Examples
    --------
    >>> from bayeswood.forest import Forest, Labels
    >>> from bayeswood.posterior import structure
    >>> yes, no = {"counts": [0, 5]}, {"counts": [5, 0]}
    >>> trees = [(0, 1.0, no, yes), (0, 3.0, no, yes), (0, 2.0, no, (1, 7.0, yes, no))]
    >>> labels = Labels(("age", "dose"))
    >>> found = structure(Forest.from_nested(trees, log_weights=[0.0, 0.0, 0.0], labels=labels))
    >>> print(found)
    3 trees, 2 distinct (as diverse as 1.8 equally likely ones)
    Leaves       mean 2.33, 90% in 2 to 3
    Depth        mean 1.33, 90% in 1 to 2
    <BLANKLINE>
    Root splits on
      1.000  age <= 2 (1 to 3)
    <BLANKLINE>
    Feature   splits per tree  in trees   cut  90% of cuts
      age                1.00     1.000     2  1 to 3
      dose               0.33     0.333     7  7 to 7
    <BLANKLINE>
    Trees of the largest mass
      1  0.6667   1 split   age
      2  0.3333   2 splits  age, dose
    >>> found.top[1].nested()
    'age(., dose(., .))'
    """
    forest = forest_of(model, _NAME).apart()
    if isinstance(n_top, bool) or not isinstance(n_top, int) or n_top < 0:
        raise BayeswoodError(
            f"The 'n_top' parameter of {_NAME} must be an int >= 0. Got {n_top!r} instead."
        )
    log_density = _log_density(model, forest, log_posterior)
    table = SplitTable.of(forest)
    groups = _Groups.of(table, None if log_density is None else log_density[table.members])
    n_leaves, depth = (
        Posterior(sizes[table.members].astype(np.float64), table.weights)
        for sizes in (forest.n_leaves, forest.depths)
    )
    return TreeStructure(
        root=_root(table),
        features=_features(table),
        top=tuple(groups.tree(table, rank) for rank in range(min(n_top, len(groups.mass)))),
        best_by_size=_best_by_size(table, forest.n_leaves, log_density),
        n_leaves=n_leaves,
        depth=depth,
        n_trees=len(table.members),
        distinct_mass=groups.mass,
        distinct_n_leaves=groups.n_leaves,
    )


def _log_density(model: Any, forest: Forest, given: ArrayLike | None) -> F64 | None:
    if given is None:
        return tree_log_posterior(model)
    density = np.asarray(given, dtype=np.float64)
    if density.shape != (forest.n_trees,):
        raise BayeswoodError(
            f"The 'log_posterior' parameter of {_NAME} must hold one number for each of the "
            f"{forest.n_trees} trees. Got shape {density.shape} instead."
        )
    return density


def _root(table: SplitTable) -> tuple[SplitChoice, ...]:
    roots = np.flatnonzero(table.is_root)
    weight = table.weight_of(roots)
    features = table.feature[roots]
    found = [
        table.choice(roots[features == j], float(weight[features == j].sum()))
        for j in np.unique(features)
    ]
    unsplit = float(1 - weight.sum())
    if len(roots) < len(table.members):
        found.append(SplitChoice(None, unsplit))
    return tuple(sorted(found, key=lambda choice: -round(choice.share, 12)))


def _features(table: SplitTable) -> tuple[FeatureSplits, ...]:
    by_feature = np.argsort(table.feature, kind="stable")
    used, starts = np.unique(table.feature[by_feature], return_index=True)
    total = float(table.weights[table.member].sum())
    is_root = table.is_root
    parts = np.split(by_feature, starts[1:])
    found = [
        _feature(table, int(feature), places, is_root[places], total)
        for feature, places in zip(used, parts if used.size else [], strict=True)
    ]
    return tuple(sorted(found, key=lambda f: -round(f.n_splits, 12)))


def _feature(
    table: SplitTable,
    feature: int,
    places: NDArray[np.intp],
    at_root: NDArray[np.bool_],
    total: float,
) -> FeatureSplits:
    weight = table.weight_of(places)
    n_splits = float(weight.sum())
    is_category = bool(np.isnan(table.threshold[places[0]]))
    cuts, which = np.unique(table.threshold[places], return_inverse=True)
    shares = np.bincount(which.ravel(), weight) / n_splits
    return FeatureSplits(
        feature=table.labels.feature_names[feature],
        root_probability=float(weight[at_root].sum()),
        use_probability=float(table.weights[np.unique(table.member[places])].sum()),
        n_splits=n_splits,
        share=n_splits / total,
        thresholds=cuts[:0] if is_category else cuts,
        threshold_weights=shares[:0] if is_category else shares,
        left_sets=_left_sets(table, feature, places, n_splits) if is_category else (),
    )


def _left_sets(
    table: SplitTable, feature: int, places: NDArray[np.intp], total: float
) -> tuple[tuple[tuple[str, ...], float], ...]:
    sets = table.level_sets(places)
    named = [
        (tuple(table.labels.level(feature, i) for i in levels), weight / total)
        for levels, weight in sets.items()
    ]
    return tuple(sorted(named, key=lambda pair: -round(pair[1], 12)))


@dataclass(frozen=True)
class _Groups:
    """Members of equal signature, and the groups in order of their mass."""

    members: list[NDArray[np.intp]]
    mass: F64
    n_leaves: NDArray[np.int64]
    best: NDArray[np.intp]  # the member that stands for each group

    @classmethod
    def of(cls, table: SplitTable, log_density: F64 | None) -> "_Groups":
        numbers: dict[bytes, int] = {}
        of_member = np.array([numbers.setdefault(s, len(numbers)) for s in table.signatures])
        mass: F64 = np.bincount(of_member, table.weights, len(numbers)).astype(np.float64)
        n_leaves = np.array([(len(s) // _NODE_BYTES + 1) // 2 for s in numbers])
        ranked = np.lexsort((n_leaves, -mass.round(12)))
        by_group = np.argsort(of_member, kind="stable")
        ends = np.cumsum(np.bincount(of_member, minlength=len(numbers)))
        members = np.split(by_group, ends[:-1])
        best = _first_best(of_member, table.weights if log_density is None else log_density)
        return cls([members[g] for g in ranked], mass[ranked], n_leaves[ranked], best[ranked])

    def tree(self, table: SplitTable, rank: int) -> DistinctTree:
        members = self.members[rank]
        features = np.frombuffer(table.signatures[members[0]], dtype=np.int32)
        first = np.searchsorted(table.member, members)
        path = features[features >= 0].tolist()
        return DistinctTree(
            mass=float(self.mass[rank]),
            path=tuple(table.labels.feature_names[j] for j in path),
            node_features=tuple(features.tolist()),
            n_members=len(members),
            tree_idx=int(table.members[self.best[rank]]),
            splits=tuple(table.choice(first + k, 1.0) for k in range(len(path))),
        )


def _first_best(group: NDArray[np.intp], score: F64) -> NDArray[np.intp]:
    """For each group number the first member of the largest score."""
    order = np.lexsort((np.arange(len(score)), -score, group))
    return order[np.unique(group[order], return_index=True)[1]]


def _best_by_size(
    table: SplitTable, n_leaves: NDArray[np.int64], log_density: F64 | None
) -> tuple[SizeBest, ...]:
    sizes, which = np.unique(n_leaves[table.members], return_inverse=True)
    score = table.weights if log_density is None else log_density[table.members]
    mass = np.bincount(which, table.weights, len(sizes))
    best = _first_best(which, score)
    return tuple(
        SizeBest(
            n_leaves=int(size),
            mass=float(mass[i]),
            tree_idx=int(table.members[best[i]]),
            log_posterior=None if log_density is None else float(score[best[i]]),
        )
        for i, size in enumerate(sizes)
    )
