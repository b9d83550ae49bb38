"""A fit from files, step by step: plan, scan, trunk, route, fit, graft.

Between the steps everything is on disk. The sorted list of files and the place of a row in its file
give each row a number, and all choices depend on the numbers, the values and the seed: not on how
many workers there are, nor on how the rows come in row groups and batches.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.backends.local_processes import LocalProcesses
from bayeswood.distributed.files.encoding import Encoding, Rows
from bayeswood.distributed.files.file_plan import FilePlan, Source, cut_fragments, number_rows
from bayeswood.distributed.files_request import FilesFit, FilesRequest, Growth
from bayeswood.distributed.pieces.branch import BranchPlan, fit_branch
from bayeswood.distributed.pieces.deepen_trunk import MOST_ROUNDS, deepen_by_sample, deepen_trunk
from bayeswood.distributed.pieces.graft import graft, graft_importances
from bayeswood.distributed.pieces.trunk import fit_trunk
from bayeswood.distributed.tasks.fit_branch import (
    load_branches,
    read_branch_rows,
    save_branch_plan,
)
from bayeswood.distributed.tasks.manifest import begin, claim_folder, describe_fit
from bayeswood.distributed.tasks.memory import (
    FOREST_COPIES,
    PROCESS_BYTES,
    MemoryPlan,
    RowCosts,
    in_words,
    leaf_bytes,
    plan_memory,
    refuse_large,
)
from bayeswood.distributed.tasks.route_files import (
    load_encoding,
    load_forest,
    save_encoding,
    save_forest,
    spill_row_bytes,
    trunk_name,
)
from bayeswood.distributed.tasks.scan import Totals, join_scans, read_sample
from bayeswood.distributed.tasks.tasks import Executor, InlineExecutor, Task, TaskKind
from bayeswood.distributed.tasks.work_folder import SpillError, WorkFolder
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.progress import progress_bar

F64 = NDArray[np.float64]

# Of the memory, the trunk's sample may take a quarter, a chunk of routed rows a fortieth.
_SAMPLE_SHARE, _CHUNK_SHARE = 4, 40
# While the trunk is fitted, a row of the sample is in memory so many times over.
SAMPLE_COPIES = 3
_CHUNK_BYTES = (4 * 10**6, 64 * 10**6)
# A trunk's splits hardly change from so many rows on.
_SAMPLE_ROWS = 1_000_000
# Rows of the tree that tells how large the forest will be.
_PROBE_ROWS = 50_000
# Rows of the sample that go with the result, to judge the trunk by.
_CHECK_ROWS = 20_000
# So much of the forest is put together at a time: its branches are in memory beside it.
_GRAFT_BYTES = 250 * 10**6


def fit_files(request: FilesRequest) -> FilesFit:
    """Fit an empirical Bayesian forest to rows that need not fit in memory."""
    description = describe_fit(request.source, request.parameters)
    folder = claim_folder(request.spill_dir, description, request.resume)
    try:
        with folder.locked():
            seed = begin(folder, description, request.seed, request.resume)
            with _executor(request) as executor:
                fitted = _Fit(request, folder, executor, seed).run()
    except BaseException:
        if request.spill_dir is None:
            folder.remove()
        raise
    if not request.keep_spill:
        folder.remove()
    return fitted


@contextmanager
def _executor(request: FilesRequest) -> Iterator[Executor]:
    if request.executor is not None:
        yield request.executor
        return
    own: Executor = InlineExecutor()
    if request.n_jobs > 1:
        own = LocalProcesses(request.n_jobs, stall_timeout=request.stall_timeout)
    try:
        yield own
    finally:
        own.close()


class _Fit:
    """The steps of one fit."""

    def __init__(
        self, request: FilesRequest, folder: WorkFolder, executor: Executor, seed: int
    ) -> None:
        self._request = request
        self._folder = folder
        self._executor = executor
        self._plan = self._planned(seed)

    def _planned(self, seed: int) -> FilePlan:
        """The plan that all tasks know."""
        request, source = self._request, self._request.source
        least, most = _CHUNK_BYTES
        chunk = int(np.clip(request.memory_limit // _CHUNK_SHARE, least, most))
        plan = FilePlan(
            files=source.files,
            fragments=tuple(cut_fragments(source.files)),
            roles=source.roles,
            types=source.types,
            is_classifier=request.is_classifier,
            owner=request.owner,
            seed=seed,
            batch_rows=request.batch_rows,
            chunk_rows=max(1, chunk // row_bytes(source)),
            keep_rows=request.keep_rows,
        )
        if not self._folder.has("plan.json"):
            self._folder.write_json("plan", plan.to_json())
        return FilePlan.from_json(self._folder.read_json("plan"))

    def run(self) -> FilesFit:
        """All steps; those that are done are not done again."""
        self._number_rows()
        encoding, totals = self._scan()
        sample = read_sample(self._folder, self._plan, encoding)
        growth = self._request.grow(encoding, totals, len(sample.X), self._plan.seed)
        costs = row_costs(self._plan, encoding, growth.branches, sample)
        trunk = self._first_trunk(sample, growth, totals, costs)
        self._check_disk(encoding, totals)
        for round_ in range(MOST_ROUNDS):
            counts = self._route(round_, int(trunk.n_leaves[0]))
            if counts.max() <= self._most_rows(costs) or not self._splits:
                break
            trunk = self._deeper(round_, trunk, sample, counts, growth, costs)
        seen = sample.thin(_CHECK_ROWS)
        del sample
        memory = self._memory(costs, counts, encoding)
        save_branch_plan(self._folder, round_, growth.branches)
        self._fit_branches(round_, counts, costs, memory)
        return self._graft(round_, trunk, encoding, totals, growth, memory, seen)

    # --- steps -----------------------------------------------------------------------------

    def _number_rows(self) -> None:
        """Number the rows that take part, and size the sample."""
        if self._folder.has("rows.json"):
            return
        counts = [fragment.n_rows for fragment in self._plan.fragments]
        if self._plan.roles.weight is not None:
            found = self._run("count", counts, "Counting", self._routing_bytes())
            counts = [count["n_rows"] for count in found]
        n_rows = sum(counts)
        if not n_rows:
            raise BayeswoodError(
                f"Column {self._plan.roles.weight!r} is zero in every row. {self._plan.owner} "
                "needs at least one row of positive weight."
            )
        request = self._request
        size = request.sample_size or sample_rows_for(
            n_rows, row_bytes(request.source), request.memory_limit
        )
        self._folder.write_json("rows", asdict(number_rows(counts, size)))

    def _scan(self) -> tuple[Encoding, Totals]:
        if not self._folder.has("encoding.json"):
            rows = [fragment.n_rows for fragment in self._plan.fragments]
            scans = self._run("scan", rows, "Reading", self._routing_bytes())
            save_encoding(self._folder, *join_scans(self._plan, scans))
        return load_encoding(self._folder)

    def _first_trunk(self, sample: Rows, growth: Growth, totals: Totals, costs: RowCosts) -> Forest:
        """The trunk; deepened before any routing if the sample says that a branch is too large."""
        if not self._folder.has(f"{trunk_name(0)}.npz"):
            trunk = fit_trunk(
                sample.X, sample.y, sample.weight, **growth.trunk, n_jobs=self._request.n_jobs
            )
            if self._splits:
                most_rows, owner = self._most_rows(costs), self._request.owner
                trunk = deepen_by_sample(
                    trunk, sample, totals.n_rows, most_rows, growth.trunk, owner
                )
            save_forest(self._folder, trunk_name(0), trunk)
        return load_forest(self._folder, trunk_name(0))[0]

    def _deeper(
        self,
        round_: int,
        trunk: Forest,
        sample: Rows,
        counts: NDArray[np.int64],
        growth: Growth,
        costs: RowCosts,
    ) -> Forest:
        """The trunk of the next round; the spill of this one is deleted."""
        name = trunk_name(round_ + 1)
        if not self._folder.has(f"{name}.npz"):
            most_rows, owner = self._most_rows(costs), self._request.owner
            deeper = deepen_trunk(trunk, sample, counts, most_rows, growth.trunk, owner)
            save_forest(self._folder, name, deeper)
        WorkFolder(self._folder.place(f"route-{round_}")).remove()
        return load_forest(self._folder, name)[0]

    def _route(self, round_: int, n_branches: int) -> NDArray[np.int64]:
        """Rows of each branch, after all fragments are routed."""
        name = f"routed-{round_}"
        if not self._folder.has(f"{name}.json"):
            rows = [fragment.n_rows for fragment in self._plan.fragments]
            routed = self._run("route", rows, "Routing", self._routing_bytes(), round_)
            chunks = [chunk for part in routed for chunk in part["chunks"]]
            self._folder.write_json(name, {"chunks": chunks})
        chunks = self._folder.read_json(name)["chunks"]
        counts = np.zeros(n_branches, dtype=np.int64)
        for chunk in chunks:
            counts += np.array(chunk["counts"], dtype=np.int64)
        return counts

    def _fit_branches(
        self, round_: int, counts: NDArray[np.int64], costs: RowCosts, memory: MemoryPlan
    ) -> None:
        largest_first = np.argsort(-counts, kind="stable")
        n_threads = memory.n_threads
        place = str(self._folder.path)
        tasks = [
            Task(place, "fit", b, round_, n_threads, costs.branch(int(counts[b]), n_threads))
            for b in map(int, largest_first)
        ]
        seen_rows = seen_bytes = 0
        with self._bar("Fitting", int(counts.sum())) as advance:
            for done, result in self._executor.run(tasks, self._room):
                advance(int(counts[tasks[done].index]))
                seen_rows += result["n_rows"]
                seen_bytes += result["nbytes"]
                self._check_forest(seen_rows, seen_bytes, memory)

    def _graft(
        self,
        round_: int,
        trunk: Forest,
        encoding: Encoding,
        totals: Totals,
        growth: Growth,
        memory: MemoryPlan,
        sample: Rows,
    ) -> FilesFit:
        n_trees = growth.branches.n_trees
        step = max(1, n_trees * _GRAFT_BYTES // max(1, memory.forest_bytes))
        portions = [range(n_trees)[first : first + step] for first in range(0, n_trees, step)]
        grafted = [self._portion(round_, trunk, trees, growth) for trees in portions]
        responses = self._responses(round_, trunk, encoding, totals)
        return FilesFit(
            Forest.concatenate([forest for forest, _ in grafted]),
            trunk,
            np.concatenate([importances for _, importances in grafted]),
            encoding,
            totals,
            growth.branches,
            memory,
            sample,
            *responses,
        )

    def _portion(
        self, round_: int, trunk: Forest, trees: Sequence[int], growth: Growth
    ) -> tuple[Forest, F64]:
        """Some trees of the forest, and their importances."""
        n_branches = int(trunk.n_leaves[0])
        branches, numbers = load_branches(self._folder, round_, range(n_branches), trees)
        forest = graft(
            trunk,
            [branch.forest for branch in branches],
            numbers if self._request.keep_rows else None,
            self._request.n_jobs,
        )
        return forest, graft_importances(trunk, branches, growth.branches.criterion)

    def _responses(
        self, round_: int, trunk: Forest, encoding: Encoding, totals: Totals
    ) -> tuple[NDArray[Any], F64 | None, NDArray[np.int32]] | tuple[()]:
        """Response, weight and branch of every row, in their order, if they are kept."""
        if not self._request.keep_rows:
            return ()
        y = np.empty((totals.n_rows, len(self._plan.roles.targets)))
        weight = np.empty(totals.n_rows) if self._plan.roles.weight else None
        branch = np.empty(totals.n_rows, dtype=np.int32)
        for number in range(int(trunk.n_leaves[0])):
            _, own, own_weight, rows = read_branch_rows(
                self._folder, number, round_, self._plan, encoding
            )
            y[rows], branch[rows] = own, number
            if weight is not None:
                weight[rows] = own_weight
        return y, weight, branch

    # --- tasks -----------------------------------------------------------------------------

    def _run(
        self, kind: TaskKind, rows: Sequence[int], title: str, n_bytes: int, round_: int = 0
    ) -> list[dict[str, Any]]:
        """The results of one task per fragment, in their order."""
        folder = str(self._folder.path)
        tasks = [Task(folder, kind, i, round_, n_bytes=n_bytes) for i in range(len(rows))]
        results: list[dict[str, Any]] = [{}] * len(tasks)
        with self._bar(title, sum(rows)) as advance:
            for place, result in self._executor.run(tasks, self._room):
                results[place] = result
                advance(rows[place])
        return results

    @contextmanager
    def _bar(self, title: str, total: int) -> Iterator[Callable[[int], None]]:
        """Show rows done."""
        done = 0
        with progress_bar(title, "rows", show=self._request.show_progress) as report:

            def advance(n_rows: int) -> None:
                nonlocal done
                done += n_rows
                if report is not None:
                    report(done, total)

            yield advance

    # --- memory and disk -------------------------------------------------------------------

    @property
    def _splits(self) -> bool:
        return self._request.on_large_branch == "split"

    @property
    def _room(self) -> int:
        """Memory for the workers."""
        return self._request.memory_limit - PROCESS_BYTES

    def _most_rows(self, costs: RowCosts) -> int:
        return costs.most_rows(self._room)

    def _routing_bytes(self) -> int:
        """Memory of a worker that reads: a chunk of rows, some four times over."""
        chunk = self._plan.chunk_rows + self._plan.batch_rows
        return PROCESS_BYTES + 4 * chunk * row_bytes(self._request.source)

    def _trunk_bytes(self) -> int:
        """Memory to read the sample and to fit the trunk, while the workers are idle."""
        size = int(self._folder.read_json("rows")["sample_size"])
        own = PROCESS_BYTES + SAMPLE_COPIES * size * row_bytes(self._request.source)
        return own + PROCESS_BYTES * self._executor.n_workers

    def _memory(self, costs: RowCosts, counts: NDArray[np.int64], encoding: Encoding) -> MemoryPlan:
        request = self._request
        n_jobs = max(request.n_jobs, self._executor.n_workers)
        sizes = [int(count) for count in counts]
        row = spill_row_bytes(encoding, self._plan)
        memory = plan_memory(costs, sizes, request.memory_limit, n_jobs, row, self._trunk_bytes())
        refuse_large(memory, costs, request.owner)
        if not self._folder.has("memory.json"):
            self._folder.write_json("memory", memory.to_json())
        return memory

    def _check_disk(self, encoding: Encoding, totals: Totals) -> None:
        """Refuse a spill for which there is no room."""
        needed = totals.n_rows * spill_row_bytes(encoding, self._plan)
        there = sum(file.stat().st_size for file in self._folder.path.glob("route-*/*.spill"))
        free = self._folder.free_bytes()
        if needed - there > free:
            raise SpillError(
                f"The spill of {totals.n_rows:,} rows needs {in_words(needed)}, but the disk of "
                f"'{self._folder.path}' has {in_words(free)} left. Make room, or name another "
                "'spill_dir'."
            )

    def _check_forest(self, n_rows: int, n_bytes: int, memory: MemoryPlan) -> None:
        """Stop early if the forest turns out larger than what can be put together."""
        expected = n_bytes / max(1, n_rows) * memory.n_rows
        needed = PROCESS_BYTES + FOREST_COPIES * expected
        if needed > memory.limit:
            raise BayeswoodError(
                f"The branches of the first {n_rows:,} rows take {in_words(n_bytes)}; the forest "
                f"of all {memory.n_rows:,} would take {in_words(expected)}, and saving it "
                f"{in_words(needed)}, beyond the 'memory_limit' of {self._request.owner}, "
                f"{in_words(memory.limit)}. Raise min_samples_leaf, lower n_estimators or "
                "max_depth, or raise the limit."
            )


def row_bytes(source: Source) -> int:
    """Bytes of a row in memory, with every column as wide as it can be."""
    return 8 * len(source.roles.columns) + 16


def sample_rows_for(n_rows: int, n_bytes: int, memory_limit: int) -> int:
    """Rows of the trunk's sample: all if there is room for them, else at most a million."""
    room = memory_limit // _SAMPLE_SHARE // (SAMPLE_COPIES * n_bytes)
    return n_rows if n_rows <= room else max(1, min(room, _SAMPLE_ROWS))


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
    one = BranchPlan(**{**vars(plan), "n_trees": 1, "keep_rows": False})
    probe = fit_branch(
        rows.X, rows.y, rows.weight, one, 0, n_levels=encoding.schema.n_levels
    ).forest
    return float(len(rows.X) / probe.n_leaves[0])
