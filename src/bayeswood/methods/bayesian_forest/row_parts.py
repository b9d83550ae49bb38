"""What sub-sample forests for classes and for numbers share: disjoint random parts of the rows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

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
from bayeswood.methods.cart.grow_cart import CartPlan, Chunks
from bayeswood.progress import Report, progress_bar

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
        n_parts = plan.n_trees // int(self.n_estimators)
        part = random_parts(plan.seed, data.n_rows, n_parts)
        settings = {"n_subsamples_": n_parts}
        rows = branch_rows(part, n_parts)
        grown = Chunks(plan.in_parts(part))
        with progress_bar(plan.title, "trees", show=plan.show_progress) as report:
            for first, size in tasks.chunks(plan.n_trees):
                for piece in _pieces(first, size, plan.n_trees // n_parts):
                    grown.add(*_grow_piece(plan, data, rows[piece.part], piece, report))
                tasks.finished(lambda: self._fitted(data, grown.joined().extended(settings)))
        return grown.joined().extended(settings)


class _Piece(NamedTuple):
    """Trees that belong to one part of the rows."""

    part: int
    first: int
    size: int


def _pieces(first: int, size: int, per_part: int) -> Iterator[_Piece]:
    """Trees first .. first + size - 1, those of the first part first."""
    end = first + size
    for part in range(first // per_part, (end - 1) // per_part + 1):
        begin = max(first, part * per_part)
        yield _Piece(part, begin, min(end, (part + 1) * per_part) - begin)


def _grow_piece(
    plan: CartPlan,
    data: TrainingData,
    rows: NDArray[np.int32],
    piece: _Piece,
    report: Report | None,
) -> tuple[Forest, F64]:
    own = data.take(rows)
    branch = fit_branch(
        own.X,
        own.target.y,
        own.sample_weight,
        branch_plan(plan, own.n_classes, own.total_weight, piece.size),
        piece.part,
        n_levels=own.schema.n_levels,
        first_tree=piece.first,
        n_jobs=plan.n_jobs,
        progress=report and (lambda done, _: report(piece.first + done, plan.n_trees)),
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
