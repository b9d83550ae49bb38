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
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.cart.growth_rules import GrowthRules
from bayeswood.progress import Report, progress_bar

F64 = NDArray[np.float64]

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

    @property
    def seed(self) -> int:
        """What all randomness comes from."""
        return self.row_weights.seed

    def in_parts(self, parts: NDArray[np.int32]) -> "CartPlan":
        """The plan for rows in parts that have random numbers of their own."""
        return replace(self, row_weights=replace(self.row_weights, parts=parts))

    def settings(self) -> dict[str, Any]:
        """The resolved defaults, as fitted attributes."""
        return {"max_features_": self.max_features, "min_samples_leaf_": self.min_samples_leaf}


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
    encoded = _core.EncodedMatrix(data.X, data.schema.n_levels, plan.n_jobs)
    grown = Chunks(plan)
    with progress_bar(plan.title, "trees", show=plan.show_progress) as report:
        for first, size in tasks.chunks(plan.n_trees):
            grown.add(*_grow_chunk(plan, data, encoded, first, size, report))
            tasks.finished(lambda: fitted(grown.joined()))
    return grown.joined()


class Chunks:
    """The trees of a plan, as they are grown chunk by chunk."""

    def __init__(self, plan: CartPlan) -> None:
        self._plan = plan
        self._grown: list[tuple[Forest, F64]] = []

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


def _grow_chunk(
    plan: CartPlan,
    data: TrainingData,
    encoded: _core.EncodedMatrix,
    first: int,
    size: int,
    report: Report | None,
) -> tuple[Forest, F64]:
    core, importances = _core.grow_forest(
        encoded,
        data.target.y,
        data.sample_weight,
        criterion=CORE_CRITERION[plan.criterion],
        **plan.row_weights.arguments(),
        n_trees=size,
        n_classes=data.n_classes,
        max_features=plan.max_features,
        min_samples_leaf=plan.min_samples_leaf,
        min_weight_fraction_leaf=plan.min_weight_fraction_leaf,
        max_depth=min(plan.max_depth or 0, np.iinfo(np.int32).max),
        keep_rows=plan.keep_rows,
        first_tree=first,
        n_jobs=plan.n_jobs,
        progress=report and (lambda done, _: report(first + done, plan.n_trees)),
        splitter=plan.splitter,
        n_candidates=plan.n_candidates,
        randomized_fraction=plan.randomized_fraction,
        **plan.rules.arguments(),
    )
    return Forest(core), importances
