"""How deep a trunk? The paper's open question (section 4.2), answered for a given memory.

The trunk should be only as deep as it must: branches as large as the memory to fit one of them
allows. CART with leaves of at least s rows leaves none of 2s rows or more unsplit, as long as
there is a split at all, so that the search for the largest s is short.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.distributed import branch_rows, fit_trunk, route, scale_leaf_size
from bayeswood.distributed.tasks.memory import RowCosts, in_words, leaf_bytes, parse_bytes
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.forest_estimator import check_own_parameters
from bayeswood.methods.base.parameters import parameter_error
from bayeswood.methods.base.training_data import TrainingData, read_training_data
from bayeswood.methods.bayesian_forest.empirical import (
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
)
from bayeswood.methods.bayesian_forest.trunk_and_branches import TrunkForest
from bayeswood.methods.bayesian_forest.trunk_check import doubtful_splits, draw_trunks, random_rows
from bayeswood.methods.cart.grow_cart import CORE_CRITERION, CartPlan
from bayeswood.theory.trunk import TrunkStability

_NAME = "suggest_trunk"
_N_DRAWS = 50
# Most rows that trunks are tried on, and drawn from.
_TRUNK_ROWS = 50_000
_DRAW_ROWS = 20_000
# Each leaf size tried is so much smaller than the one before.
_STEP = 0.9


@dataclass(frozen=True, repr=False)
class TrunkSuggestion:
    """A trunk that divides the work as the memory demands, and what it costs.

    Attributes
    ----------
    parameters : dict
        For an empirical Bayesian forest, say ``forest.set_params(**suggestion.parameters)``.
    n_rows : int
        Rows of the table.
    memory_limit : int
        Bytes that the fit of a branch may take.
    branch_sizes : ndarray of int64, (n_branches,)
        Rows of each branch, largest first; estimated where X is a sample.
    branch_bytes, whole_bytes : int
        What the fit of the most demanding branch takes, and that of a forest without a trunk.
    stability : TrunkStability or None
        The trunk beside posterior draws of it; None where it has one leaf.
    n_rows_drawn : int
        Rows that the draws are of; with fewer than `n_rows` they vary more than the posterior.
    """

    parameters: dict[str, int]
    n_rows: int
    memory_limit: int
    branch_sizes: NDArray[np.int64]
    branch_bytes: int
    whole_bytes: int
    stability: TrunkStability | None
    n_rows_drawn: int

    @property
    def n_branches(self) -> int:
        """Number of branches."""
        return len(self.branch_sizes)

    def __repr__(self) -> str:
        (given,) = (f"{name}={value}" for name, value in self.parameters.items())
        limit, whole = in_words(self.memory_limit), in_words(self.whole_bytes)
        lines = [f"TrunkSuggestion: {given}"]
        if self.stability is None:
            lines.append(f"  {self.n_rows:,} rows take about {whole} of {limit} to fit: no trunk")
            return "\n".join(lines)
        least, most = int(self.branch_sizes[-1]), int(self.branch_sizes[0])
        lines += [
            f"  {self.n_rows:,} rows take about {whole} to fit as one forest, more than {limit}",
            f"  {self.n_branches} branches of {least:,} to {most:,} rows, each fitted in at most "
            f"{in_words(self.branch_bytes)}",
            f"  {self.stability.share:.0%} of {self.stability.n_draws} posterior draws"
            f"{self._sample()} split the trunk on the same features",
        ]
        return "\n".join(lines + _doubts(self.stability))

    def _sample(self) -> str:
        is_sample = self.n_rows_drawn < self.n_rows
        return f" from {self.n_rows_drawn:,} of the rows" if is_sample else ""


def _doubts(stability: TrunkStability) -> list[str]:
    found = doubtful_splits(stability, 0.5)
    if not found:
        return ["  every split is that of most draws which agree above it"]
    return [
        f"  doubtful: {node.feature} at depth {node.depth}, {share:.0%} of the draws that agree "
        "above it"
        for node, share in found
    ]


def suggest_trunk(
    X: Any,
    y: Any,
    memory_limit: int | float | str = "4GB",
    *,
    estimator: TrunkForest | None = None,
    n_rows: int | None = None,
    n_jobs: int = 1,
) -> TrunkSuggestion:
    """The shallowest trunk whose branches can be fitted in a given memory.

    Parameters
    ----------
    X : array-like or data frame, (n_rows, n_features)
        The table, or a random sample of it.
    y : array-like, (n_rows,)
        Response.
    memory_limit : int, float or str, default="4GB"
        Bytes that the fit of one branch may take, such as ``"500MB"`` or ``"2GiB"``.
    estimator : EmpiricalBayesianForestClassifier or EmpiricalBayesianForestRegressor, default=None
        The forest to be fitted, whose trees and leaves the memory depends on. None: the regressor
        if y holds numbers, else the classifier. Give the classifier for classes coded as numbers.
    n_rows : int, default=None
        Rows of the whole table; None: those of X.
    n_jobs : int, default=1
        Threads that the fit of a branch will use.

    Returns
    -------
    TrunkSuggestion
        Printing it says what it found.

    Notes
    -----
    Section 4.2 of Taddy et al. (2015): branches so large that the memory to fit a forest at each
    is slightly less than there is. The memory is that of a process with the rows of a branch,
    their rank codes, the workspace of each thread, and the trees, whose size one tree on X tells.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import suggest_trunk
    >>> X, y = make_friedman1(n_samples=2000, random_state=0)
    >>> suggestion = suggest_trunk(X, y, "1GB", n_rows=2_000_000)
    >>> suggestion.n_branches > 2
    True
    >>> suggest_trunk(X, y, "4GB").parameters
    {'trunk_max_leaves': 1}
    """
    limit = parse_bytes(memory_limit, "memory_limit", _NAME)
    forest = _default_forest(y) if estimator is None else estimator
    plan, data = _planned(forest, X, y)
    total = _table_size(n_rows, data.n_rows)
    costs = _row_costs(plan, data)
    whole = costs.branch(total, n_jobs)
    if whole <= limit:
        sizes = np.array([total])
        return TrunkSuggestion({"trunk_max_leaves": 1}, total, limit, sizes, whole, whole, None, 0)
    leaf_size, trunk, branches = _search(plan, data, total, costs, limit, n_jobs)
    return TrunkSuggestion(
        {"trunk_min_samples_leaf": leaf_size},
        total,
        limit,
        np.sort(branches.sizes)[::-1],
        branches.most_bytes(costs, n_jobs),
        whole,
        draw_trunks(
            trunk,
            plan,
            data,
            random_rows(data.n_rows, _DRAW_ROWS, plan.seed),
            leaf_size=scale_leaf_size(leaf_size, data.n_rows, total),
            n_draws=_N_DRAWS,
        ),
        min(data.n_rows, _DRAW_ROWS),
    )


def _default_forest(y: Any) -> TrunkForest:
    if np.asarray(y).dtype.kind in "iuf":
        return EmpiricalBayesianForestRegressor(random_state=0)
    return EmpiricalBayesianForestClassifier(random_state=0)


def _planned(forest: TrunkForest, X: Any, y: Any) -> tuple[CartPlan, TrainingData]:
    check_own_parameters(forest)
    target = forest._read_target(y)
    data = read_training_data(
        X,
        target,
        forest._weighed(target, None),
        categorical_features=forest.categorical_features,
        owner=_NAME,
    )
    return forest._plan(data), data


def _table_size(n_rows: int | None, n_given: int) -> int:
    if n_rows is None:
        return n_given
    if isinstance(n_rows, bool) or not isinstance(n_rows, (int, np.integer)) or n_rows < n_given:
        raise parameter_error("n_rows", _NAME, f"an int >= {n_given}, the rows of X", n_rows)
    return int(n_rows)


def _row_costs(plan: CartPlan, data: TrainingData) -> RowCosts:
    """What rows cost, by one tree of the forest."""
    core, _ = _core.grow_forest(
        _core.EncodedMatrix(data.X, data.schema.n_levels, plan.n_jobs),
        data.target.y,
        None,
        criterion=CORE_CRITERION[plan.criterion],
        scheme="exponential",
        seed=plan.seed,
        n_trees=1,
        n_classes=data.n_classes,
        max_features=plan.max_features,
        min_samples_leaf=plan.min_samples_leaf,
        max_depth=plan.max_depth or 0,
    )
    n_outputs = 1 if data.n_classes else data.target.y.shape[1]
    return RowCosts(
        table=data.X.itemsize * data.schema.n_features + 8 * n_outputs + 8,
        n_features=data.schema.n_features,
        leaf_bytes=leaf_bytes(data.n_classes) + 8 * (n_outputs - 1),
        rows_per_leaf=data.n_rows / int(core.n_leaves[0]),
        n_trees=plan.n_trees,
        kept=4 if plan.keep_rows else 0,
    )


@dataclass(frozen=True)
class _Branches:
    """Rows of each branch, and whether they all have the same response, as X tells.

    Attributes
    ----------
    sizes : ndarray of int64
        Rows, as expected.
    most : ndarray of int64
        Rows, at most, but for one branch of a sample in forty.
    is_pure : ndarray of bool
        Whether there is nothing to split.
    """

    sizes: NDArray[np.int64]
    most: NDArray[np.int64]
    is_pure: NDArray[np.bool_]

    @staticmethod
    def of(trunk: Forest, X: NDArray[Any], y: NDArray[Any], total: int) -> "_Branches":
        rows = branch_rows(route(trunk, X), int(trunk.n_leaves[0]))
        found = np.array([len(own) for own in rows])
        sizes = found * total // len(X)
        # Two standard deviations of a binomial number, of a whole table none.
        spread = 2 / np.sqrt(found) if total > len(X) else np.zeros(len(found))
        is_pure = np.array([bool((y[own] == y[own[0]]).all()) for own in rows])
        return _Branches(sizes, (sizes * (1 + spread)).astype(np.int64), is_pure)

    def most_bytes(self, costs: RowCosts, n_jobs: int) -> int:
        """What the fit of the most demanding branch takes; the trees of a pure one are leaves."""
        leaves = replace(costs, rows_per_leaf=float("inf"))
        return max(
            (leaves if pure else costs).branch(int(size), n_jobs)
            for size, pure in zip(self.most, self.is_pure, strict=True)
        )


def _search(
    plan: CartPlan, data: TrainingData, total: int, costs: RowCosts, limit: int, n_jobs: int
) -> tuple[int, Forest, "_Branches"]:
    """The largest leaf size whose branches all fit, its trunk, and its branches.

    The trunk of all rows is not quite that of a sample: a split that only just leaves enough rows
    on both sides in the sample may not be allowed in all. So the next larger size must do too.
    """
    rows = random_rows(data.n_rows, _TRUNK_ROWS, plan.seed)
    X, y = data.X[rows], data.target.y[rows]
    leaf_size = min(total // 2, costs.most_rows(limit))  # no branch is smaller than a leaf
    is_safe = len(rows) == total
    while leaf_size * len(rows) >= total:
        trunk = fit_trunk(
            X,
            y,
            n_levels=data.schema.n_levels,
            criterion=CORE_CRITERION[plan.criterion],
            n_classes=data.n_classes,
            min_samples_leaf=scale_leaf_size(leaf_size, len(rows), total),
            max_leaves=None,
            max_depth=plan.max_depth,
            n_jobs=plan.n_jobs,
        )
        branches = _Branches.of(trunk, X, y, total)
        fits = branches.most_bytes(costs, n_jobs) <= limit
        if fits and is_safe:
            return leaf_size, trunk, branches
        is_safe = fits or len(rows) == total
        leaf_size = int(_STEP * leaf_size)
    raise BayeswoodError(
        f"The 'memory_limit' parameter of {_NAME} must allow a branch to be fitted. Got "
        f"{in_words(limit)}, in which no trunk that {len(rows):,} rows of X can tell of would "
        "do. Raise it, give more rows, or grow fewer or smaller trees."
    )
