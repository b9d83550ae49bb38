"""The steps of a fit in pieces, whoever does them: scan, sample, trunk, count, fit, graft.

A `Site` is where the rows are: a folder of files with tasks over it, or a Spark data frame. It
reads, routes and fits; what is decided in between is decided here, so that all sites end in the
same forest, to the bit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.encoding import Encoding, Rows, Totals
from bayeswood.distributed.files.file_plan import FilePlan
from bayeswood.distributed.files_request import FilesFit, FilesRequest, Grow
from bayeswood.distributed.pieces.branch import Branch, BranchPlan, fit_branch
from bayeswood.distributed.pieces.deepen_trunk import MOST_ROUNDS, deepen_by_sample, deepen_trunk
from bayeswood.distributed.pieces.graft import graft, graft_importances
from bayeswood.distributed.pieces.trunk import fit_trunk
from bayeswood.distributed.tasks.memory import PROCESS_BYTES, MemoryPlan, RowCosts, leaf_bytes
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# Of the memory, the trunk's sample may take a quarter.
_SAMPLE_SHARE = 4
# While the trunk is fitted, a row of the sample is in memory so many times over.
_SAMPLE_COPIES = 3
# A trunk's splits hardly change from so many rows on.
_SAMPLE_ROWS = 1_000_000
# Rows of the tree that tells how large the forest will be.
_PROBE_ROWS = 50_000
# Rows of the sample that go with the result, to judge the trunk by.
_CHECK_ROWS = 20_000


@dataclass(frozen=True)
class ScannedTable:
    """What the first reading of all rows has shown.

    Attributes
    ----------
    encoding : Encoding
        How rows become numbers.
    totals : Totals
        Of all rows.
    """

    encoding: Encoding
    totals: Totals


@dataclass(frozen=True)
class SizedTrunk:
    """A trunk and how large its branches are.

    Attributes
    ----------
    round_ : int
        How often it was made deeper after its rows were counted.
    trunk : Forest
        Of one tree.
    counts : ndarray of int64, (n_branches,)
        Rows of each branch.
    """

    round_: int
    trunk: Forest
    counts: I64

    @property
    def n_branches(self) -> int:
        """Leaves of the trunk."""
        return len(self.counts)


@dataclass(frozen=True)
class BranchRows:
    """Rows of one branch, where leaves remember them.

    Attributes
    ----------
    branch : int
        Number of the branch.
    y : ndarray, (n_rows, n_outputs)
        Responses.
    weight : ndarray, (n_rows,) or None
        Sample weights.
    numbers : ndarray of int32, (n_rows,)
        What the rows are called.
    """

    branch: int
    y: NDArray[Any]
    weight: F64 | None
    numbers: NDArray[np.int32]


class FittedBranches(Protocol):
    """The branches of a fit, wherever they are.

    Attributes
    ----------
    step : int
        Trees that may be in memory, beside the forest, at a time.
    """

    step: int

    def load(self, trees: range) -> tuple[list[Branch], list[NDArray[np.int32]] | None]:
        """Some trees of all branches, and the numbers of their rows if they are kept."""

    def rows(self) -> Iterable[BranchRows]:
        """The rows of every branch that has some, if they are kept."""


class Site(Protocol):
    """Where the rows of a fit are, and who works on them.

    Attributes
    ----------
    plan : FilePlan
        What all who work know.
    n_jobs : int
        Processors of this process.
    splits : bool
        Whether the trunk is made deeper where a branch has no room.
    """

    plan: FilePlan
    n_jobs: int
    splits: bool

    @property
    def room(self) -> int:
        """Bytes in which the fit of a branch must find room."""

    def scan(self) -> ScannedTable:
        """See all rows for the first time."""

    def sample(self, table: ScannedTable) -> Rows:
        """The rows that the trunk is fitted to, in their order."""

    def keep_trunk(self, round_: int, make: Callable[[], Forest]) -> Forest:
        """Make the trunk of a round, unless that was done before."""

    def count(self, round_: int, trunk: Forest, table: ScannedTable, sample: Rows) -> I64:
        """Rows of each branch of a trunk."""

    def plan_memory(
        self, costs: RowCosts, counts: I64, table: ScannedTable, n_sample: int
    ) -> MemoryPlan:
        """What the fit will take; raises if a branch or the forest would not fit."""

    def fit_branches(
        self,
        sized: SizedTrunk,
        table: ScannedTable,
        costs: RowCosts,
        growth: BranchPlan,
        memory: MemoryPlan,
    ) -> FittedBranches:
        """Fit all branches."""


def fit_in_pieces(site: Site, grow: Grow) -> FilesFit:
    """Fit an empirical Bayesian forest to the rows of a site.

    Parameters
    ----------
    site : Site
        Where the rows are.
    grow : callable
        Decides how to grow, once the table is known.
    """
    table = site.scan()
    sample = site.sample(table)
    growth = grow(table.encoding, table.totals, len(sample.X), site.plan.seed)
    costs = row_costs(site.plan, table.encoding, growth.branches, sample)
    sized = _sized_trunk(site, table, sample, growth.trunk, costs)
    memory = site.plan_memory(costs, sized.counts, table, len(sample.X))
    seen = sample.thin(_CHECK_ROWS)
    del sample
    fitted = site.fit_branches(sized, table, costs, growth.branches, memory)
    forest, importances = _grafted(sized.trunk, fitted, growth.branches, site.n_jobs)
    kept = _responses(fitted.rows(), site.plan, table.totals.n_rows) if site.plan.keep_rows else ()
    return FilesFit(
        forest,
        sized.trunk,
        importances,
        table.encoding,
        table.totals,
        growth.branches,
        memory,
        seen,
        *kept,
    )


def _sized_trunk(
    site: Site,
    table: ScannedTable,
    sample: Rows,
    settings: dict[str, Any],
    costs: RowCosts,
) -> SizedTrunk:
    """The trunk, made deeper where a branch is too large and the site splits."""
    most_rows, owner = costs.most_rows(site.room), site.plan.owner

    def first() -> Forest:
        trunk = fit_trunk(sample.X, sample.y, sample.weight, **settings, n_jobs=site.n_jobs)
        if not site.splits:
            return trunk
        return deepen_by_sample(trunk, sample, table.totals.n_rows, most_rows, settings, owner)

    round_, trunk = 0, site.keep_trunk(0, first)
    counts = site.count(round_, trunk, table, sample)
    while site.splits and counts.max() > most_rows and round_ < MOST_ROUNDS:
        deeper = partial(deepen_trunk, trunk, sample, counts, most_rows, settings, owner)
        round_ += 1
        trunk = site.keep_trunk(round_, deeper)
        counts = site.count(round_, trunk, table, sample)
    return SizedTrunk(round_, trunk, counts)


def _grafted(
    trunk: Forest, fitted: FittedBranches, growth: BranchPlan, n_jobs: int
) -> tuple[Forest, F64]:
    """The forest and its importances."""
    trees = range(growth.n_trees)
    portions = [trees[first : first + fitted.step] for first in trees[:: fitted.step]]
    grafted = [_graft_some(trunk, fitted, some, growth, n_jobs) for some in portions]
    forests, importances = zip(*grafted, strict=True)
    forest = forests[0] if len(forests) == 1 else Forest.concatenate(forests)
    return forest, np.concatenate(importances)


def _graft_some(
    trunk: Forest, fitted: FittedBranches, trees: range, growth: BranchPlan, n_jobs: int
) -> tuple[Forest, F64]:
    """Some trees of the forest; their branches are let go of afterwards."""
    branches, numbers = fitted.load(trees)
    forest = graft(trunk, [branch.forest for branch in branches], numbers, n_jobs)
    return forest, graft_importances(trunk, branches, growth.criterion)


def _responses(
    parts: Iterable[BranchRows], plan: FilePlan, n_rows: int
) -> tuple[F64, F64 | None, NDArray[np.int32]]:
    """Response, weight and branch of every row, in the order of their numbers."""
    y = np.empty((n_rows, len(plan.roles.targets)))
    weight = np.empty(n_rows) if plan.roles.weight else None
    branch = np.empty(n_rows, dtype=np.int32)
    for part in parts:
        y[part.numbers], branch[part.numbers] = part.y, part.branch
        if weight is not None:
            weight[part.numbers] = part.weight
    return y, weight, branch


def refuse_no_rows(plan: FilePlan) -> None:
    """Say that no row takes part."""
    raise BayeswoodError(
        f"Column {plan.roles.weight!r} is zero in every row. {plan.owner} needs at least one row "
        "of positive weight."
    )


def sample_rows_for(n_rows: int, n_bytes: int, memory_limit: int) -> int:
    """Rows of the trunk's sample: all if there is room for them, else at most a million."""
    room = memory_limit // _SAMPLE_SHARE // (_SAMPLE_COPIES * n_bytes)
    return n_rows if n_rows <= room else max(1, min(room, _SAMPLE_ROWS))


def sample_size(request: FilesRequest, n_rows: int) -> int:
    """Rows of the trunk's sample: as many as are asked for, or as there is room for."""
    return request.sample_size or sample_rows_for(n_rows, request.row_bytes, request.memory_limit)


def trunk_bytes(request: FilesRequest, n_sample: int) -> int:
    """Memory of a process that reads a sample of so many rows and fits the trunk to it."""
    return PROCESS_BYTES + _SAMPLE_COPIES * n_sample * request.row_bytes


def row_costs(plan: FilePlan, encoding: Encoding, growth: BranchPlan, sample: Rows) -> RowCosts:
    """What the rows of a table cost to fit."""
    n_features = len(encoding.narrow)
    matrix = n_features * np.dtype(encoding.matrix_type).itemsize
    others = 8 * len(plan.roles.targets) + (8 if plan.roles.weight else 0)
    return RowCosts(
        table=matrix + others + (4 if plan.keep_rows else 0),
        n_features=n_features,
        leaf_bytes=leaf_bytes(encoding.n_classes),
        rows_per_leaf=rows_per_leaf(sample, growth, encoding),
        n_trees=growth.n_trees,
        kept=4 if plan.keep_rows else 0,
    )


def rows_per_leaf(sample: Rows, plan: BranchPlan, encoding: Encoding) -> float:
    """Rows that share a leaf, in one tree of the forest on some rows of the sample."""
    rows = sample.thin(_PROBE_ROWS)
    one = replace(plan, n_trees=1, keep_rows=False)
    probe = fit_branch(
        rows.X, rows.y, rows.weight, one, 0, n_levels=encoding.schema.n_levels
    ).forest
    return float(len(rows.X) / probe.n_leaves[0])
