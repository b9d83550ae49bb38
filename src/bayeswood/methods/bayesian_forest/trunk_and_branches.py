"""What empirical Bayesian forests for classes and for numbers share: a trunk and its branches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed import (
    BranchPlan,
    branch_depths,
    branch_rows,
    fit_branch,
    fit_trunk,
    graft,
    graft_importances,
    route,
    sample_rows,
)
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.forest_estimator import labels_of
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import (
    BOOLEAN,
    NONE,
    Constraint,
    integer,
    real,
)
from bayeswood.methods.base.parts import SavedModel, read_trees
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.bayesian_forest.trunk_check import check_trunk
from bayeswood.methods.bayesian_forest.trunk_plan import TrunkPlan, plan_trunk
from bayeswood.methods.cart.cart_forest import CartForest
from bayeswood.methods.cart.grow_cart import CORE_CRITERION, CartPlan, Chunks
from bayeswood.progress import Report, progress_bar
from bayeswood.table import Schema

F64 = NDArray[np.float64]

TRUNK: Mapping[str, Constraint] = {
    "trunk_min_samples_leaf": integer(1) | real(0, 1, "neither") | NONE,
    "trunk_max_leaves": integer(1) | NONE,
    "trunk_sample_size": integer(1) | NONE,
    "check_trunk": BOOLEAN,
}


class TrunkForest(CartForest):
    """A forest whose members share a trunk. Not to be used by itself."""

    _scheme: ClassVar[str] = "exponential"
    trunk_: Forest

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        plan = self._plan(data)
        how = plan_trunk(self, plan, data.shape)
        trunk = self._fit_trunk(how, data)
        part = Trunk.of(trunk, data.schema, self._target_part(data.target).names())
        found = check_trunk(trunk, how, data) if self.check_trunk else {}
        branches = Branches(plan, data, trunk)
        grown = Chunks(plan.in_parts(branches.branch))
        with progress_bar(plan.title, "trees", show=plan.show_progress) as report:
            for first, size in tasks.chunks(plan.n_trees):
                grown.add(*branches.grow(first, size, report))
                tasks.finished(lambda: self._fitted(data, grown.joined().extended(found, part)))
        return grown.joined().extended(found, part)

    def _fit_trunk(self, how: TrunkPlan, data: TrainingData) -> Forest:
        size = data.n_rows if self.trunk_sample_size is None else int(self.trunk_sample_size)
        sample = data.take(sample_rows(data.n_rows, size, how.forest.seed))
        return fit_trunk(
            sample.X,
            sample.target.y,
            sample.sample_weight,
            **how.settings(sample.n_rows),
            n_jobs=how.forest.n_jobs,
        )


@dataclass(frozen=True, eq=False)
class Trunk:
    """The trunk, as a part of the estimator."""

    trunk: Forest

    @classmethod
    def of(cls, trunk: Forest, schema: Schema, class_names: tuple[str, ...]) -> "Trunk":
        """With the names of columns and classes."""
        return cls(trunk.labelled(labels_of(schema, class_names)))

    def attributes(self) -> Mapping[str, Any]:
        """``trunk_``."""
        return {"trunk_": self.trunk}

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Its arrays, each behind ``trunk_``."""
        trunk = self.trunk.core.to_arrays()
        arrays |= {f"trunk_{n}": a for n, a in trunk.items() if isinstance(a, np.ndarray)}

    @classmethod
    def read(cls, saved: SavedModel) -> "Trunk":
        """One lawful tree over the forest's columns."""
        trunk = read_trees(saved.arrays, "trunk", saved.forest)
        if trunk.n_trees != 1 or not np.array_equal(trunk.core.n_levels, saved.schema.n_levels):
            raise BayeswoodError("The model file's trunk does not match its trees.")
        return cls(trunk.labelled(saved.forest.labels))


class Branches:
    """The branches of one fit.

    Parameters
    ----------
    plan : CartPlan
        What to grow.
    data : TrainingData
        From what.
    trunk : Forest
        What sorts the rows into branches.
    """

    def __init__(self, plan: CartPlan, data: TrainingData, trunk: Forest) -> None:
        self._plan = plan
        self._data = data
        self._trunk = trunk
        self._criterion = CORE_CRITERION[plan.criterion]
        self._depths = branch_depths(trunk)
        self.branch = route(trunk, data.X, plan.n_jobs)
        self._rows = branch_rows(self.branch, int(trunk.n_leaves[0]))

    def grow(self, first: int, size: int, report: Report | None) -> tuple[Forest, F64]:
        """Trees first .. first + size - 1 and their importances."""
        plan = branch_plan(self._plan, self._data.n_classes, self._data.total_weight, size)
        branches = []
        for number, rows in enumerate(self._rows):
            own = self._data.take(rows)
            branch = fit_branch(
                own.X,
                own.target.y,
                own.sample_weight,
                plan,
                number,
                n_levels=own.schema.n_levels,
                depth=int(self._depths[number]),
                first_tree=first,
                n_jobs=self._plan.n_jobs,
                progress=report and self._share_of(report, number, first),
            )
            branches.append(branch)
        forest = graft(
            self._trunk,
            [branch.forest for branch in branches],
            self._rows if plan.keep_rows else None,
            self._plan.n_jobs,
        )
        return forest, graft_importances(self._trunk, branches, self._criterion)

    def _share_of(self, report: Report, number: int, first: int) -> Report:
        """Progress of one branch, as trees of the forest."""
        n_before = sum(map(len, self._rows[:number]))
        n_own, n_all = len(self._rows[number]), self._data.n_rows

        def tell(done: int, total: int, note: str = "") -> None:
            share = (n_before + n_own * done / total) / n_all
            report(first + int(share * total), self._plan.n_trees)

        return tell


def branch_plan(plan: CartPlan, n_classes: int, total_weight: float, n_trees: int) -> BranchPlan:
    """What the branches of a planned forest have in common.

    Parameters
    ----------
    plan : CartPlan
        Of the forest.
    n_classes : int
        Number of classes; 0 in regression.
    total_weight : float
        Of all rows.
    n_trees : int
        Trees to grow in each branch.
    """
    return BranchPlan(
        criterion=CORE_CRITERION[plan.criterion],
        seed=plan.seed,
        n_trees=n_trees,
        n_classes=n_classes,
        max_features=plan.max_features,
        min_samples_leaf=plan.min_samples_leaf,
        total_weight=total_weight,
        min_weight_fraction_leaf=plan.min_weight_fraction_leaf,
        max_depth=plan.max_depth,
        keep_rows=plan.keep_rows,
        weight_threshold=plan.row_weights.threshold,
    )
