"""What sub-sample forests for classes and for numbers share: disjoint random parts of the rows."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed import branch_rows, fit_branch
from bayeswood.forest import Forest
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import resolve_min_samples_leaf
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.bayesian_forest.trunk_and_branches import branch_plan
from bayeswood.methods.bayesian_forest.trunk_check import random_order
from bayeswood.methods.cart.cart_forest import CartForest
from bayeswood.methods.cart.grow_cart import CartPlan, grow_in_chunks
from bayeswood.progress import Report

F64 = NDArray[np.float64]

MAX_PARTS = 100_000


class PartedForest(CartForest):
    """A forest of forests, one per part of the rows. Not to be used by itself."""

    _scheme: ClassVar[str] = "exponential"
    _saved_numbers: ClassVar[tuple[str, ...]] = (*CartForest._saved_numbers, "n_subsamples_")

    def _plan(self, data: TrainingData) -> CartPlan:
        n_parts = min(int(self.n_subsamples), data.n_rows)
        share = resolve_min_samples_leaf(self.min_samples_leaf, data.n_rows // n_parts)
        plan = super()._plan(data)
        return replace(plan, n_trees=n_parts * plan.n_trees, min_samples_leaf=share)

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        plan = self._plan(data)
        parts = Parts(plan, data, plan.n_trees // int(self.n_estimators))
        settings = {**plan.settings(), "n_subsamples_": parts.n_parts}

        def described(grown: GrownForest) -> GrownForest:
            return replace(grown, settings=settings)

        def fitted(grown: GrownForest) -> dict[str, Any]:
            return self._fitted(data, described(grown))

        return described(grow_in_chunks(plan.in_parts(parts.part), parts.grow, tasks, fitted))


class Parts:
    """The parts of one fit and their forests.

    Parameters
    ----------
    plan : CartPlan
        What to grow: the trees of all parts, those of the first part first.
    data : TrainingData
        From what.
    n_parts : int
        Number of parts.
    """

    def __init__(self, plan: CartPlan, data: TrainingData, n_parts: int) -> None:
        self._plan = plan
        self._data = data
        self.n_parts = n_parts
        self.part = random_parts(plan.seed, data.n_rows, n_parts)
        self._rows = branch_rows(self.part, n_parts)

    def grow(self, first: int, size: int, report: Report | None) -> tuple[Forest, F64]:
        """Trees first .. first + size - 1 and their importances."""
        per_part, end = self._plan.n_trees // self.n_parts, first + size
        grown = []
        for number in range(first // per_part, (end - 1) // per_part + 1):
            begin = max(first, number * per_part)
            grown.append(
                self._fit(number, begin, min(end, (number + 1) * per_part) - begin, report)
            )
        forests, importances = zip(*grown, strict=True)
        return Forest.concatenate(list(forests)), np.concatenate(importances)

    def _fit(self, number: int, first: int, size: int, report: Report | None) -> tuple[Forest, F64]:
        rows = self._rows[number]
        own = self._data.take(rows)
        plan = branch_plan(self._plan, own, size)
        branch = fit_branch(
            own.X,
            own.target.y,
            own.sample_weight,
            plan,
            number,
            n_levels=own.schema.n_levels,
            first_tree=first,
            n_jobs=self._plan.n_jobs,
            progress=report and (lambda done, _: report(first + done, self._plan.n_trees)),
        )
        forest = _renumbered(branch.forest, rows) if plan.keep_rows else branch.forest
        return forest, branch.importances


def random_parts(seed: int, n_rows: int, n_parts: int) -> NDArray[np.int32]:
    """Part of each row: a random division into parts whose sizes differ by at most one."""
    part = np.empty(n_rows, dtype=np.int32)
    part[random_order(seed, n_rows)] = np.arange(n_rows) * n_parts // n_rows
    return part


def _renumbered(forest: Forest, rows: NDArray[np.int32]) -> Forest:
    """The same trees with the training rows' own numbers in their leaves."""
    arrays = forest.core.to_arrays()
    return Forest.from_arrays({**arrays, "leaf_rows": rows[arrays["leaf_rows"]]})
