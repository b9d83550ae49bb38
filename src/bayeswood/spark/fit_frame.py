"""A fit from a Spark data frame: see all rows, fit the trunk to a sample, route, fit, graft."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.backends.local_processes import WorkerError
from bayeswood.distributed.files.encoding import Encoding, Rows
from bayeswood.distributed.files.file_plan import FilePlan
from bayeswood.distributed.files_request import FilesFit, FilesRequest, Growth
from bayeswood.distributed.fit_files import (
    SAMPLE_COPIES,
    row_bytes,
    row_costs,
    sample_rows_for,
)
from bayeswood.distributed.pieces.branch import Branch, BranchPlan, bare_branch
from bayeswood.distributed.pieces.deepen_trunk import MOST_ROUNDS, deepen_by_sample, deepen_trunk
from bayeswood.distributed.pieces.graft import graft, graft_importances
from bayeswood.distributed.pieces.route import route
from bayeswood.distributed.pieces.row_sample import key_limit, keys_of, smallest_keys
from bayeswood.distributed.pieces.trunk import fit_trunk
from bayeswood.distributed.tasks.fit_branch import branch_of
from bayeswood.distributed.tasks.memory import PROCESS_BYTES, MemoryPlan, RowCosts
from bayeswood.distributed.tasks.scan import Totals, join_scans
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

_OWNER = "bayeswood.spark.fit"
# Rows of the sample that go with the result, to judge the trunk by; as in a fit from files.
_CHECK_ROWS = 20_000
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
    fitter.adopt(_Fit(df, request, row_id).run())
    return estimator


class _Fit:
    """The steps of one fit."""

    def __init__(self, df: Any, request: FilesRequest, row_id: str) -> None:
        self._request = request
        self._source = source = request.source
        self._row_id = row_id
        self._limit = limit = request.memory_limit
        self._splits = request.on_large_branch == "split"
        settings = df.sparkSession.conf
        self._worker = worker_memory(lambda name: settings.get(name, None), limit)
        self._plan = FilePlan(
            files=(),
            fragments=(),
            roles=source.roles,
            types=source.types,
            is_classifier=request.is_classifier,
            owner=request.owner,
            seed=request.seed,
            batch_rows=0,
            chunk_rows=0,
            keep_rows=request.keep_rows,
        )
        self._plain = self._plan.to_json()
        self._df = self._selected(df, source.roles.columns)

    def _selected(self, df: Any, columns: Sequence[str]) -> Any:
        return df.select(*[quoted(name) for name in (*columns, self._row_id)])

    def run(self) -> FilesFit:
        """All steps."""
        encoding, totals, blocks = self._scan()
        sample = self._sample(encoding, totals, blocks)
        growth = self._request.grow(encoding, totals, len(sample.X), self._plan.seed)
        trunk = fit_trunk(sample.X, sample.y, sample.weight, **growth.trunk, n_jobs=self._n_jobs)
        costs = row_costs(self._plan, encoding, growth.branches, sample)
        trunk, counts = self._sized(trunk, encoding, totals, growth, sample, costs)
        memory = self._memory(costs, counts, encoding, len(sample.X))
        seen = sample.thin(_CHECK_ROWS)
        del sample
        arrays = self._branches(encoding, trunk, growth.branches, memory.n_threads)
        _refuse_change(arrays, totals)
        return self._graft(arrays, trunk, encoding, totals, growth, memory, seen)

    @property
    def _n_jobs(self) -> int:
        return self._request.n_jobs

    # --- steps -----------------------------------------------------------------------------

    def _scan(self) -> tuple[Encoding, Totals, IdBlocks]:
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
            raise BayeswoodError(
                f"Column {self._plan.roles.weight!r} is zero in every row. {self._plan.owner} "
                "needs at least one row of positive weight."
            )
        encoding, totals = join_scans(self._plan, scans)
        return encoding, totals, IdBlocks.join(BlockCounts.from_json(p["ids"]) for p in plain)

    def _sample(self, encoding: Encoding, totals: Totals, blocks: IdBlocks) -> Rows:
        """The rows that the trunk is fitted to, in the order of their ids."""
        rows = totals.n_rows
        size = self._request.sample_size or sample_rows_for(
            rows, row_bytes(self._source), self._limit
        )
        df = self._df
        if size < rows:
            chosen = self._sampled_ids(blocks, size, rows)
            stage = partial(stages.take_rows, row_id=self._row_id, chosen=chosen)
            df = df.mapInArrow(stage, df.schema)
        with spark_step("it sent the trunk's rows to the driver"):
            table = df.toArrow().combine_chunks().sort_by(self._row_id)
        batch = table.to_batches(max_chunksize=max(1, table.num_rows))[0]
        refuse_repeated(stages.ids_of(batch, self._row_id), self._row_id)
        return encoding.encode(batch)

    def _sampled_ids(self, blocks: IdBlocks, size: int, n_rows: int) -> NDArray[np.int64]:
        """The ids of the sample's rows, ascending."""
        weight = self._plan.roles.weight
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
            seed=self._plan.seed,
            limit=key_limit(n_rows, size),
            row_id=self._row_id,
        )
        found = parted.repartitionById(n_parts, "part").mapInArrow(stage, stages.SAMPLED_IDS)
        with spark_step("it chose the trunk's rows"):
            table = found.toArrow()
        for message in table["error"].drop_null().to_pylist():
            raise BayeswoodError(message)
        keys = keys_of(self._plan.seed, table["number"].to_numpy().astype(np.uint64))
        ids: NDArray[np.int64] = table["id"].to_numpy()[smallest_keys(keys, size)]
        return np.sort(ids)

    def _sized(
        self,
        trunk: Forest,
        encoding: Encoding,
        totals: Totals,
        growth: Growth,
        sample: Rows,
        costs: RowCosts,
    ) -> tuple[Forest, NDArray[np.int64]]:
        """The trunk, made deeper where a branch is too large, and the rows of each branch."""
        most_rows, owner = costs.most_rows(self._worker.room), self._plan.owner
        if self._splits:
            trunk = deepen_by_sample(trunk, sample, totals.n_rows, most_rows, growth.trunk, owner)
        counts = self._counts(trunk, encoding, totals, sample)
        for _ in range(MOST_ROUNDS if self._splits else 0):
            if counts.max() <= most_rows:
                break
            trunk = deepen_trunk(trunk, sample, counts, most_rows, growth.trunk, owner)
            counts = self._counts(trunk, encoding, totals, sample)
        return trunk, counts

    def _counts(
        self, trunk: Forest, encoding: Encoding, totals: Totals, sample: Rows
    ) -> NDArray[np.int64]:
        """Rows of each branch; without Spark's help if all rows are in the sample."""
        n_branches = int(trunk.n_leaves[0])
        if len(sample.X) == totals.n_rows:
            return np.bincount(route(trunk, sample.X), minlength=n_branches)
        stage = partial(stages.count_rows, encoding=encoding, trunk=_plain_arrays(trunk))
        counts = np.zeros(n_branches, dtype=np.int64)
        with spark_step("it counted the rows of each branch"):
            found = self._df.mapInArrow(stage, stages.COUNTED).collect()
        for row in found:
            counts[row["branch"]] += row["n_rows"]
        return counts

    def _memory(
        self, costs: RowCosts, counts: NDArray[np.int64], encoding: Encoding, n_sample: int
    ) -> MemoryPlan:
        """What the branches will take; those that would not fit are refused."""
        packed = Packing.of(self._plan, encoding).row_bytes
        trunk = PROCESS_BYTES + SAMPLE_COPIES * n_sample * row_bytes(self._source)
        return plan_branches(
            costs, counts.tolist(), self._worker, self._limit, packed, trunk, _OWNER
        )

    def _branches(
        self, encoding: Encoding, trunk: Forest, growth: BranchPlan, n_threads: int
    ) -> dict[int, dict[str, NDArray[Any]]]:
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

    def _graft(
        self,
        arrays: dict[int, dict[str, NDArray[Any]]],
        trunk: Forest,
        encoding: Encoding,
        totals: Totals,
        growth: Growth,
        memory: MemoryPlan,
        sample: Rows,
    ) -> FilesFit:
        branches = list(_all_branches(arrays, trunk, growth.branches.n_trees))
        kept = self._plan.keep_rows
        numbers = _row_numbers(arrays, len(branches)) if kept else None
        forest = graft(trunk, [branch.forest for branch in branches], numbers, self._n_jobs)
        importances = graft_importances(trunk, branches, growth.branches.criterion)
        responses = _responses(arrays, numbers, totals) if numbers is not None else ()
        return FilesFit(
            forest,
            trunk,
            importances,
            encoding,
            totals,
            growth.branches,
            memory,
            sample,
            *responses,
        )


_ERRORS: dict[str, type[BayeswoodError]] = {"DataTypeError": DataTypeError}


def _plain_arrays(trunk: Forest) -> dict[str, NDArray[Any]]:
    return {name: np.asarray(value) for name, value in trunk.to_arrays().items()}


def _arrays(parts: Iterable[Any]) -> dict[str, NDArray[Any]]:
    fitted = b"".join(row["fitted"] for row in sorted(parts, key=itemgetter("part")))
    with np.load(BytesIO(fitted), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _all_branches(
    arrays: dict[int, dict[str, NDArray[Any]]], trunk: Forest, n_trees: int
) -> Iterator[Branch]:
    for branch in range(int(trunk.n_leaves[0])):
        found = arrays.get(branch)
        yield bare_branch(trunk, branch, n_trees) if found is None else branch_of(found)


def _refuse_change(arrays: dict[int, dict[str, NDArray[Any]]], totals: Totals) -> None:
    n_rows = sum(int(part["branch_rows"]) for part in arrays.values())
    if n_rows != totals.n_rows:
        raise WorkerError(
            f"The data frame had {totals.n_rows:,} rows when it was first read and {n_rows:,} when "
            "the branches were fitted. Write it to storage, or keep it in Spark's cache, so that "
            "it is the same each time."
        )


def _row_numbers(
    arrays: dict[int, dict[str, NDArray[Any]]], n_branches: int
) -> list[NDArray[np.int32]]:
    """The numbers of the rows of each branch: the places of their ids among all."""
    every = np.sort(np.concatenate([part["ids"] for part in arrays.values()]))
    none = np.empty(0, dtype=np.int64)
    ids = [arrays[branch]["ids"] if branch in arrays else none for branch in range(n_branches)]
    return [np.searchsorted(every, own).astype(np.int32) for own in ids]


def _responses(
    arrays: dict[int, dict[str, NDArray[Any]]],
    numbers: list[NDArray[np.int32]],
    totals: Totals,
) -> tuple[NDArray[Any], NDArray[np.float64] | None, NDArray[np.int32]]:
    """Response, weight and branch of every row, in the order of their ids."""
    first = next(iter(arrays.values()))
    y = np.empty((totals.n_rows, first["responses"].shape[1]))
    weight = np.empty(totals.n_rows) if "weights" in first else None
    branch = np.empty(totals.n_rows, dtype=np.int32)
    for number, part in arrays.items():
        rows = numbers[number]
        y[rows], branch[rows] = part["responses"], number
        if weight is not None:
            weight[rows] = part["weights"]
    return y, weight, branch
