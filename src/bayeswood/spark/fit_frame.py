"""A fit from a Spark data frame: see all rows, fit the trunk to a sample, route, fit, graft."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.backends.local_processes import WorkerError
from bayeswood.distributed.files.encoding import Encoding, Rows
from bayeswood.distributed.files_request import FilesRequest
from bayeswood.distributed.fit_in_pieces import (
    BranchRows,
    ScannedTable,
    SizedTrunk,
    fit_in_pieces,
    refuse_no_rows,
    sample_size,
    trunk_bytes,
)
from bayeswood.distributed.pieces.branch import Branch, BranchPlan, bare_branch
from bayeswood.distributed.pieces.route import route
from bayeswood.distributed.pieces.row_sample import key_limit, keys_of, smallest_keys
from bayeswood.distributed.tasks.fit_branch import branch_of
from bayeswood.distributed.tasks.memory import MemoryPlan, RowCosts
from bayeswood.distributed.tasks.scan import join_scans
from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.forest import Forest
from bayeswood.methods.bayesian_forest.files_fitter import FilesFitter
from bayeswood.methods.bayesian_forest.fit_files import FileForest
from bayeswood.spark import stages
from bayeswood.spark.branch_memory import plan_branches, worker_memory
from bayeswood.spark.failures import spark_step
from bayeswood.spark.frame import frame_source, need_frame, quoted
from bayeswood.spark.row_ids import BlockCounts, IdBlocks, refuse_repeated
from bayeswood.spark.stages import Packing

Arrays = dict[str, NDArray[Any]]
I64 = NDArray[np.int64]

_OWNER = "bayeswood.spark.fit"
# Partitions in which ids are sorted, at most.
_ID_PARTS = 200


def fit(
    df: Any,
    estimator: FileForest,
    *,
    target: str | Sequence[str],
    row_id: str,
    features: Sequence[str] | None = None,
    sample_weight: str | None = None,
    memory_limit: int | str = "4GB",
    on_large_branch: str = "raise",
) -> FileForest:
    """Fit an empirical Bayesian forest to the rows of a Spark data frame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows. It is read up to five times: keep it in Spark's cache if it is costly to compute.
    estimator : EmpiricalBayesianForestClassifier or EmpiricalBayesianForestRegressor
        What to fit.
    target : str or sequence of str
        Column to predict; for regressors also several.
    row_id : str
        Column of whole numbers, a different one in each row: they put the rows in order, so that
        the forest does not depend on how the data frame is partitioned.
    features : sequence of str, default=None
        Columns to predict from; None for all others.
    sample_weight : str, default=None
        Column of non-negative weights.
    memory_limit : int or str, default="4GB"
        Bytes that the driver may take, and each worker of Python in the executors; less counts
        for these where ``spark.executor.pyspark.memory`` says so. The trunk is fitted to all rows
        if a quarter of it holds them, as in `fit_parquet`.
    on_large_branch : {"raise", "split"}, default="raise"
        What to do about a branch that would not fit in a worker's memory: say so before any is
        fitted, or give the trunk more leaves there.

    Returns
    -------
    estimator
        The same object, fitted: an ordinary estimator without a tie to Spark.

    Notes
    -----
    The forest is that of ``fit_parquet`` on files whose rows, in their order, have ascending ids,
    to the bit, for any partitioning and number of executors. Executors route rows by the native
    trunk, send them to the partition of their branch (``repartitionById``) and fit the branches
    there (Taddy et al., 2015, section 5), after the rows of each were counted. Each fitted
    branch must fit in ``spark.driver.maxResultSize``. `memory_plan_` speaks of one worker.

    Examples
    --------
    >>> import bayeswood.spark
    >>> from bayeswood import EmpiricalBayesianForestRegressor
    >>> forest = EmpiricalBayesianForestRegressor(20, keep_responses=False, random_state=0)
    >>> df = spark.read.parquet("trips")  # doctest: +SKIP
    >>> forest = bayeswood.spark.fit(
    ...     df, forest, target="duration", row_id="trip"
    ... )  # doctest: +SKIP
    >>> bayeswood.spark.transform(df, forest).write.parquet("predicted")  # doctest: +SKIP
    """
    need_frame(df, _OWNER)
    if not isinstance(estimator, FileForest):
        raise DataTypeError(
            f"The 'estimator' parameter of {_OWNER} must be an EmpiricalBayesianForestClassifier "
            f"or an EmpiricalBayesianForestRegressor. Got {estimator!r} instead."
        )
    fitter = FilesFitter(estimator, _OWNER)
    limit = fitter.check(memory_limit, on_large_branch=on_large_branch)
    source = frame_source(
        df, target, row_id, features, sample_weight, estimator.categorical_features, _OWNER
    )
    fitter.check_targets(source.roles.targets)
    request = fitter.request(source, limit, estimator.n_jobs, on_large_branch=on_large_branch)
    fitter.adopt(fit_in_pieces(FrameSite(request, df, row_id), fitter.growth))
    return estimator


class FrameSite:
    """Rows in a Spark data frame, and stages that run in executors.

    Parameters
    ----------
    request : FilesRequest
        What is asked for; its memory is that of the driver, and of each worker of Python.
    df : pyspark.sql.DataFrame
        The rows.
    row_id : str
        Column of ids.
    """

    def __init__(self, request: FilesRequest, df: Any, row_id: str) -> None:
        self._request = request
        self._row_id = row_id
        settings = df.sparkSession.conf
        self._worker = worker_memory(lambda name: settings.get(name, None), request.memory_limit)
        self.n_jobs = request.n_jobs
        self.room = self._worker.room
        self.splits = request.splits
        self.plan = request.plan(request.seed)
        self._plain = self.plan.to_json()
        self._df = self._selected(df, self.plan.roles.columns)
        self._blocks = IdBlocks.join([])

    def _selected(self, df: Any, columns: Sequence[str]) -> Any:
        return df.select(*[quoted(name) for name in (*columns, self._row_id)])

    def scan(self) -> ScannedTable:
        """Levels, classes and totals of all rows, and where the numbers of their ids begin."""
        stage = partial(stages.scan_rows, plan=self._plain, row_id=self._row_id)
        with spark_step("it saw all rows for the first time"):
            found = self._df.mapInArrow(stage, stages.FOUND).collect()
        for row in found:
            if row["kind"] != "scan":
                raise _ERRORS.get(row["kind"], BayeswoodError)(row["found"])
        if not found:
            raise BayeswoodError(f"The data frame given to {_OWNER} has no rows.")
        plain = [json.loads(row["found"]) for row in found]
        scans = [part["scan"] for part in plain]
        if not sum(scan["n_rows"] for scan in scans):
            refuse_no_rows(self.plan)
        self._blocks = IdBlocks.join(BlockCounts.from_json(p["ids"]) for p in plain)
        return ScannedTable(*join_scans(self.plan, scans))

    def sample(self, table: ScannedTable) -> Rows:
        """The rows that the trunk is fitted to, in the order of their ids."""
        rows = table.totals.n_rows
        size = sample_size(self._request, rows)
        df = self._df
        if size < rows:
            chosen = self._sampled_ids(size, rows)
            stage = partial(stages.take_rows, row_id=self._row_id, chosen=chosen)
            df = df.mapInArrow(stage, df.schema)
        with spark_step("it sent the trunk's rows to the driver"):
            found = df.toArrow().combine_chunks().sort_by(self._row_id)
        batch = found.to_batches(max_chunksize=max(1, found.num_rows))[0]
        refuse_repeated(stages.ids_of(batch, self._row_id), self._row_id)
        return table.encoding.encode(batch)

    def _sampled_ids(self, size: int, n_rows: int) -> I64:
        """The ids of the sample's rows, ascending."""
        weight, blocks = self.plan.roles.weight, self._blocks
        n_parts = min(len(blocks.blocks), _ID_PARTS)
        parted = self._selected(self._df, [weight] if weight else []).mapInArrow(
            partial(
                stages.part_ids,
                plan=self._plain,
                row_id=self._row_id,
                blocks=blocks,
                n_parts=n_parts,
            ),
            stages.PARTED_IDS,
        )
        stage = partial(
            stages.sample_ids,
            blocks=blocks,
            seed=self.plan.seed,
            limit=key_limit(n_rows, size),
            row_id=self._row_id,
        )
        found = parted.repartitionById(n_parts, "part").mapInArrow(stage, stages.SAMPLED_IDS)
        with spark_step("it chose the trunk's rows"):
            table = found.toArrow()
        for message in table["error"].drop_null().to_pylist():
            raise BayeswoodError(message)
        keys = keys_of(self.plan.seed, table["number"].to_numpy().astype(np.uint64))
        ids: I64 = table["id"].to_numpy()[smallest_keys(keys, size)]
        return np.sort(ids)

    def keep_trunk(self, round_: int, make: Callable[[], Forest]) -> Forest:
        """Nothing is kept between runs."""
        return make()

    def count(self, round_: int, trunk: Forest, table: ScannedTable, sample: Rows) -> I64:
        """Rows of each branch; without Spark's help if all rows are in the sample."""
        n_branches = int(trunk.n_leaves[0])
        if len(sample.X) == table.totals.n_rows:
            return np.bincount(route(trunk, sample.X), minlength=n_branches)
        stage = partial(stages.count_rows, encoding=table.encoding, trunk=_plain_arrays(trunk))
        counts = np.zeros(n_branches, dtype=np.int64)
        with spark_step("it counted the rows of each branch"):
            found = self._df.mapInArrow(stage, stages.COUNTED).collect()
        for row in found:
            counts[row["branch"]] += row["n_rows"]
        return counts

    def plan_memory(
        self, costs: RowCosts, counts: I64, table: ScannedTable, n_sample: int
    ) -> MemoryPlan:
        """What the branches will take; those that would not fit are refused."""
        packed = Packing.of(self.plan, table.encoding).row_bytes
        limit, trunk = self._request.memory_limit, trunk_bytes(self._request, n_sample)
        return plan_branches(costs, counts.tolist(), self._worker, limit, packed, trunk, _OWNER)

    def fit_branches(
        self,
        sized: SizedTrunk,
        table: ScannedTable,
        costs: RowCosts,
        growth: BranchPlan,
        memory: MemoryPlan,
    ) -> "FrameBranches":
        """Route all rows and fit the branches, where the rows are."""
        arrays = self._fitted(sized.trunk, table.encoding, growth, memory.n_threads)
        _refuse_change(arrays, table.totals.n_rows)
        return FrameBranches(arrays, sized.trunk, growth)

    def _fitted(
        self, trunk: Forest, encoding: Encoding, growth: BranchPlan, n_threads: int
    ) -> dict[int, Arrays]:
        """The fitted branches, as arrays; those without rows are not among them."""
        known = _plain_arrays(trunk)
        routed = self._df.mapInArrow(
            partial(
                stages.route_rows,
                plan=self._plain,
                row_id=self._row_id,
                encoding=encoding,
                trunk=known,
            ),
            stages.PACKED,
        )
        stage = partial(
            stages.fit_rows,
            plan=self._plain,
            encoding=encoding,
            trunk=known,
            growth=growth,
            n_threads=n_threads,
        )
        n_branches = int(trunk.n_leaves[0])
        fitted = routed.repartitionById(n_branches, "branch").mapInArrow(stage, stages.FITTED)
        # Rows that come out of a shuffle come in another order, and so in other packets, when an
        # executor has died and they are routed again. Spark then begins all that follows anew,
        # which it can as long as no result of it has left: so it must not be the last stage.
        joined = fitted.repartitionById(n_branches, "branch")
        # A branch is a partition, and partitions come one after another: no job's result is large.
        with spark_step("it routed the rows and fitted the branches"):
            found = groupby(joined.toLocalIterator(prefetchPartitions=True), itemgetter("branch"))
            return {branch: _arrays(parts) for branch, parts in found}


class FrameBranches:
    """Fitted branches, as arrays in this process.

    Parameters
    ----------
    arrays : dict of int to dict of ndarray
        Those with rows, by number.
    trunk : Forest
        What they belong to.
    growth : BranchPlan
        How they were grown.
    """

    def __init__(self, arrays: dict[int, Arrays], trunk: Forest, growth: BranchPlan) -> None:
        self._arrays = arrays
        self._trunk = trunk
        self.step = growth.n_trees
        self._numbers = row_numbers(arrays) if growth.keep_rows else None

    def load(self, trees: range) -> tuple[list[Branch], list[NDArray[np.int32]] | None]:
        """All trees of all branches."""
        everyone = range(int(self._trunk.n_leaves[0]))
        numbers = self._numbers
        if numbers is None:
            return [self._branch(number) for number in everyone], None
        none = np.empty(0, dtype=np.int32)
        kept = [numbers.get(number, none) for number in everyone]
        return [self._branch(number) for number in everyone], kept

    def _branch(self, number: int) -> Branch:
        found = self._arrays.get(number)
        return bare_branch(self._trunk, number, self.step) if found is None else branch_of(found)

    def rows(self) -> Iterator[BranchRows]:
        """The rows of every branch that has some."""
        for number, rows in (self._numbers or {}).items():
            part = self._arrays[number]
            yield BranchRows(number, part["responses"], part.get("weights"), rows)


_ERRORS: dict[str, type[BayeswoodError]] = {"DataTypeError": DataTypeError}


def _plain_arrays(trunk: Forest) -> dict[str, NDArray[Any]]:
    return {name: np.asarray(value) for name, value in trunk.to_arrays().items()}


def _arrays(parts: Iterable[Any]) -> dict[str, NDArray[Any]]:
    fitted = b"".join(row["fitted"] for row in sorted(parts, key=itemgetter("part")))
    with np.load(BytesIO(fitted), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _refuse_change(arrays: dict[int, Arrays], n_before: int) -> None:
    n_rows = sum(int(part["branch_rows"]) for part in arrays.values())
    if n_rows != n_before:
        raise WorkerError(
            f"The data frame had {n_before:,} rows when it was first read and {n_rows:,} when "
            "the branches were fitted. Write it to storage, or keep it in Spark's cache, so that "
            "it is the same each time."
        )


def row_numbers(arrays: dict[int, Arrays]) -> dict[int, NDArray[np.int32]]:
    """The numbers of the rows of each branch: the places of their ids among all."""
    every = np.sort(np.concatenate([part["ids"] for part in arrays.values()]))
    return {
        branch: np.searchsorted(every, part["ids"]).astype(np.int32)
        for branch, part in arrays.items()
    }
