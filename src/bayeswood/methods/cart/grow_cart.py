"""Growing a forest of weighted CART trees: one call to the core, or one per chunk.

Every tree b draws weights θ^b for the rows and minimises, split by split, the θ-weighted
impurity of the children. The methods built on it differ in how θ is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest import Forest, RowWeights
from bayeswood.methods.base.class_weight import balanced_weights
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.cart.growth_rules import GrowthRules
from bayeswood.methods.cart.warm_start import WarmStart
from bayeswood.progress import Report, progress_bar

F64 = NDArray[np.float64]

# Weights that are handed to the core in one call, 8 bytes each.
_HANDED_WEIGHTS = 4_000_000

CORE_CRITERION = {
    "squared_error": "squared_error",
    "friedman_mse": "squared_error",
    "absolute_error": "absolute_error",
    "poisson": "poisson",
    "gini": "gini",
    "entropy": "entropy",
    "log_loss": "entropy",
}


@dataclass(frozen=True)
class CartPlan:
    """Everything the grower needs besides the data."""

    title: str
    criterion: str
    row_weights: RowWeights
    n_trees: int
    max_features: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    max_depth: int | None
    keep_rows: bool
    n_jobs: int
    show_progress: bool
    splitter: str = "best"
    n_candidates: int = 0
    randomized_fraction: float = 0.0
    rules: GrowthRules = field(default_factory=GrowthRules)
    balance_trees: bool = False
    warm_start: WarmStart | None = None

    @property
    def seed(self) -> int:
        """What all randomness comes from."""
        return self.row_weights.seed

    def in_parts(self, parts: NDArray[np.int32]) -> "CartPlan":
        """The plan for rows in parts that have random numbers of their own."""
        return replace(self, row_weights=replace(self.row_weights, parts=parts))

    def settings(self) -> dict[str, Any]:
        """The resolved defaults, as fitted attributes."""
        found = {"max_features_": self.max_features, "min_samples_leaf_": self.min_samples_leaf}
        return found if self.warm_start is None else {**found, **self.warm_start.settings()}


def grow_cart(
    plan: CartPlan,
    data: TrainingData,
    tasks: FitTasks,
    fitted: Callable[[GrownForest], dict[str, Any]],
) -> GrownForest:
    """Grow the planned trees: in one native call, or in one per chunk where callbacks want to see.

    Parameters
    ----------
    plan : CartPlan
        What to grow.
    data : TrainingData
        From what.
    tasks : FitTasks
        Told of every chunk of trees; may stop the growing after one.
    fitted : callable
        Gives the fitted attributes of the estimator for the trees so far.
    """
    grown = Chunks(plan)
    n_kept = grown.n_trees
    encoded = _core.EncodedMatrix(data.X, data.schema.n_levels, plan.n_jobs)
    with progress_bar(plan.title, "trees", show=plan.show_progress) as report:
        for first, size in tasks.chunks(plan.n_trees - n_kept):
            for part in _parts_of(plan, data, n_kept + first, size):
                grown.add(*_grow_chunk(plan, data, encoded, part, report))
            tasks.finished(lambda: fitted(grown.joined()))
    return grown.joined()


class Chunks:
    """The trees of a plan, as they are grown chunk by chunk."""

    def __init__(self, plan: CartPlan) -> None:
        self._plan = plan
        self._grown: list[tuple[Forest, F64]] = []
        if plan.warm_start is not None and plan.warm_start.forest is not None:
            self.add(plan.warm_start.forest, plan.warm_start.importances)

    @property
    def n_trees(self) -> int:
        """Trees so far."""
        return sum(forest.n_trees for forest, _ in self._grown)

    def add(self, forest: Forest, importances: F64) -> None:
        """Take the next trees."""
        self._grown.append((forest, importances))

    def joined(self) -> GrownForest:
        """All trees so far."""
        forests, importances = zip(*self._grown, strict=True)
        plan = self._plan
        return GrownForest(
            forests[0] if len(forests) == 1 else Forest.concatenate(list(forests)),
            np.concatenate(importances),
            plan.seed,
            plan.row_weights,
            plan.settings(),
        )


def _parts_of(plan: CartPlan, data: TrainingData, first: int, size: int) -> list[range]:
    """The trees of each native call: all, unless their weights are to be handed over."""
    if not plan.balance_trees:
        return [range(first, first + size)] if size else []
    step = max(plan.n_jobs, _HANDED_WEIGHTS // data.n_rows)
    last = first + size
    return [range(start, min(start + step, last)) for start in range(first, last, step)]


def _weight_arguments(plan: CartPlan, data: TrainingData, trees: range) -> dict[str, Any]:
    """How the core is told of the rows' weights: by their law, or by each tree's own."""
    if not plan.balance_trees:
        return plan.row_weights.arguments()
    weights = np.empty((len(trees), data.n_rows))
    given = 1.0 if data.sample_weight is None else data.sample_weight
    for place, tree in enumerate(trees):
        drawn = plan.row_weights.draw(tree, data.n_rows)
        factor = balanced_weights(data.target, drawn * given)
        weights[place] = drawn * factor
    return {"scheme": "given", "seed": plan.seed, "given_weights": weights}


def _grow_chunk(
    plan: CartPlan,
    data: TrainingData,
    encoded: _core.EncodedMatrix,
    trees: range,
    report: Report | None,
) -> tuple[Forest, F64]:
    core, importances = _core.grow_forest(
        encoded,
        data.target.y,
        data.sample_weight,
        criterion=CORE_CRITERION[plan.criterion],
        **_weight_arguments(plan, data, trees),
        n_trees=len(trees),
        n_classes=data.n_classes,
        max_features=plan.max_features,
        min_samples_leaf=plan.min_samples_leaf,
        min_weight_fraction_leaf=plan.min_weight_fraction_leaf,
        max_depth=min(plan.max_depth or 0, np.iinfo(np.int32).max),
        keep_rows=plan.keep_rows,
        first_tree=trees.start,
        n_jobs=plan.n_jobs,
        progress=report and (lambda done, _: report(trees.start + done, plan.n_trees)),
        splitter=plan.splitter,
        n_candidates=plan.n_candidates,
        randomized_fraction=plan.randomized_fraction,
        **plan.rules.arguments(),
    )
    return Forest(core), importances
