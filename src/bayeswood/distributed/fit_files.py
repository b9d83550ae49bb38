"""A fit from files: plan, scan, trunk, route, fit and graft, as tasks over a folder.

Between the steps everything is on disk. The sorted list of files and the place of a row in its file
give each row a number, and all choices depend on the numbers, the values and the seed: not on how
many workers there are, nor on how the rows come in row groups and batches.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.backends.local_processes import LocalProcesses
from bayeswood.distributed.files.encoding import Encoding, Rows, Totals
from bayeswood.distributed.files.file_plan import RowNumbers, cut_fragments, number_rows
from bayeswood.distributed.files_request import FilesFit, FilesRequest
from bayeswood.distributed.fit_in_pieces import (
    BranchRows,
    ScannedTable,
    SizedTrunk,
    fit_in_pieces,
    refuse_no_rows,
    sample_size,
    trunk_bytes,
)
from bayeswood.distributed.pieces.branch import Branch, BranchPlan
from bayeswood.distributed.tasks.fit_branch import load_branches, read_branch_rows
from bayeswood.distributed.tasks.fit_state import (
    forget_states,
    keep_encoding,
    keep_numbers,
    keep_plan,
    keep_routed,
    keep_trunk,
    known_branches,
    save_branch_plan,
)
from bayeswood.distributed.tasks.manifest import begin, claim_folder, describe_fit
from bayeswood.distributed.tasks.memory import (
    FOREST_COPIES,
    PROCESS_BYTES,
    MemoryPlan,
    RowCosts,
    in_words,
    plan_memory,
    refuse_large,
)
from bayeswood.distributed.tasks.route_files import spill_row_bytes
from bayeswood.distributed.tasks.scan import join_scans, read_sample
from bayeswood.distributed.tasks.tasks import Executor, InlineExecutor, Task, TaskKind
from bayeswood.distributed.tasks.work_folder import SpillError, WorkFolder
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.progress import rows_bar

I64 = NDArray[np.int64]

# Of the memory, a chunk of routed rows may take a fortieth.
_CHUNK_SHARE = 40
_CHUNK_BYTES = (4 * 10**6, 64 * 10**6)
# So much of the forest is put together at a time: its branches are in memory beside it.
_GRAFT_BYTES = 250 * 10**6


def fit_files(request: FilesRequest) -> FilesFit:
    """Fit an empirical Bayesian forest to rows that need not fit in memory."""
    description = describe_fit(request.source, request.parameters)
    folder = claim_folder(request.spill_dir, description, request.resume)
    try:
        with folder.locked():
            seed = begin(folder, description, request.seed, request.resume)
            with _executor(request, folder) as executor:
                site = FolderSite(request, folder, executor, seed)
                fitted = fit_in_pieces(site, request.grow)
    except BaseException:
        if request.spill_dir is None:
            folder.remove()
        raise
    finally:
        forget_states()
    if not request.keep_spill:
        folder.remove()
    return fitted


@contextmanager
def _executor(request: FilesRequest, folder: WorkFolder) -> Iterator[Executor]:
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
        folder.sweep()  # a worker that was ended may have been writing


class FolderSite:
    """Rows in files, and tasks over a folder; steps that are done are not done again.

    Parameters
    ----------
    request : FilesRequest
        What is asked for.
    folder : WorkFolder
        Where everything is between the steps.
    executor : Executor
        Who runs the tasks.
    seed : int
        Of the fit.
    """

    def __init__(
        self, request: FilesRequest, folder: WorkFolder, executor: Executor, seed: int
    ) -> None:
        self._request = request
        self._folder = folder
        self._executor = executor
        self.n_jobs = request.n_jobs
        self.splits = request.splits
        self._row_bytes = request.row_bytes
        chunk = int(np.clip(request.memory_limit // _CHUNK_SHARE, *_CHUNK_BYTES))
        fragments, chunk_rows = cut_fragments(request.source.files), chunk // self._row_bytes
        self.plan = keep_plan(folder, request.plan(seed, fragments, max(1, chunk_rows)))
        self._sample_size = self._spilled_bytes = 0  # known after the scan

    @property
    def room(self) -> int:
        """Memory for the workers."""
        return self._request.memory_limit - PROCESS_BYTES

    # --- steps -----------------------------------------------------------------------------

    def scan(self) -> ScannedTable:
        """Number the rows that take part, and see all of them."""
        self._sample_size = keep_numbers(self._folder, self._numbered).sample_size
        table = ScannedTable(*keep_encoding(self._folder, self._scanned))
        self._spilled_bytes = spill_row_bytes(table.encoding, self.plan)
        return table

    def _numbered(self) -> RowNumbers:
        counts = self._fragment_rows()
        if self.plan.roles.weight is not None:
            counts = [found["n_rows"] for found in self._read("count", "Counting")]
        if not sum(counts):
            refuse_no_rows(self.plan)
        return number_rows(counts, sample_size(self._request, sum(counts)))

    def _scanned(self) -> tuple[Encoding, Totals]:
        return join_scans(self.plan, self._read("scan", "Reading"))

    def sample(self, table: ScannedTable) -> Rows:
        """The rows that the scans have put aside."""
        return read_sample(self._folder, self.plan, self._sample_size, table.encoding)

    def keep_trunk(self, round_: int, make: Callable[[], Forest]) -> Forest:
        """Write the trunk of a round; the spill of the round before is deleted."""
        trunk = keep_trunk(self._folder, round_, make)
        if round_:
            WorkFolder(self._folder.path / f"route-{round_ - 1}").remove()
        return trunk

    def count(self, round_: int, trunk: Forest, table: ScannedTable, sample: Rows) -> I64:
        """Rows of each branch, after all fragments are routed."""
        if round_ == 0:
            self._check_disk(table.totals.n_rows)
        chunks = keep_routed(self._folder, round_, lambda: self._routed(round_))
        counts: I64 = np.sum([chunk["counts"] for chunk in chunks], axis=0, dtype=np.int64)
        return counts

    def _routed(self, round_: int) -> list[dict[str, Any]]:
        routed = self._read("route", "Routing", round_)
        return [chunk for part in routed for chunk in part["chunks"]]

    def plan_memory(
        self, costs: RowCosts, counts: I64, table: ScannedTable, n_sample: int
    ) -> MemoryPlan:
        """Share out the memory of this machine, or of each worker of a cluster."""
        request = self._request
        n_jobs = max(request.n_jobs, self._executor.n_workers)
        memory = plan_memory(
            costs,
            counts.tolist(),
            request.memory_limit,
            n_jobs,
            self._spilled_bytes,
            self._trunk_bytes(),
        )
        refuse_large(memory, costs, request.owner)
        if not self._folder.has("memory.json"):
            self._folder.write_json("memory", memory.to_json())
        return memory

    def fit_branches(
        self,
        sized: SizedTrunk,
        table: ScannedTable,
        costs: RowCosts,
        growth: BranchPlan,
        memory: MemoryPlan,
    ) -> "FolderBranches":
        """Fit the branches, the largest first."""
        save_branch_plan(self._folder, sized.round_, growth)
        counts, n_threads, place = sized.counts, memory.n_threads, str(self._folder.path)
        tasks = [
            Task(place, "fit", b, sized.round_, n_threads, costs.branch(int(counts[b]), n_threads))
            for b in map(int, np.argsort(-counts, kind="stable"))
        ]
        seen_rows = seen_bytes = 0
        shown = self._request.show_progress
        with rows_bar("Fitting", int(counts.sum()), show=shown) as advance:
            for done, result in self._executor.run(tasks, self.room):
                advance(int(counts[tasks[done].index]))
                seen_rows += result["n_rows"]
                seen_bytes += result["nbytes"]
                self._check_forest(seen_rows, seen_bytes, memory)
        step = max(1, growth.n_trees * _GRAFT_BYTES // max(1, memory.forest_bytes))
        return FolderBranches(self._folder, sized, growth.keep_rows, step)

    # --- tasks -----------------------------------------------------------------------------

    def _fragment_rows(self) -> list[int]:
        return [fragment.n_rows for fragment in self.plan.fragments]

    def _read(self, kind: TaskKind, title: str, round_: int = 0) -> list[dict[str, Any]]:
        """The results of one task per fragment, in their order."""
        folder, rows, n_bytes = str(self._folder.path), self._fragment_rows(), self._reading_bytes()
        tasks = [Task(folder, kind, i, round_, n_bytes=n_bytes) for i in range(len(rows))]
        results: list[dict[str, Any]] = [{}] * len(tasks)
        with rows_bar(title, sum(rows), show=self._request.show_progress) as advance:
            for place, result in self._executor.run(tasks, self.room):
                results[place] = result
                advance(rows[place])
        return results

    # --- memory and disk -------------------------------------------------------------------

    def _reading_bytes(self) -> int:
        """Memory of a worker that reads: a chunk of rows, some four times over."""
        chunk = self.plan.chunk_rows + self.plan.batch_rows
        return PROCESS_BYTES + 4 * chunk * self._row_bytes

    def _trunk_bytes(self) -> int:
        """Memory to read the sample and to fit the trunk, while the workers are idle."""
        workers = PROCESS_BYTES * self._executor.n_workers
        return trunk_bytes(self._request, self._sample_size) + workers

    def _check_disk(self, n_rows: int) -> None:
        """Refuse a spill for which there is no room."""
        needed = n_rows * self._spilled_bytes
        there = sum(file.stat().st_size for file in self._folder.path.glob("route-*/*.spill"))
        free = self._folder.free_bytes()
        if needed - there > free:
            raise SpillError(
                f"The spill of {n_rows:,} rows needs {in_words(needed)}, but the disk of "
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


class FolderBranches:
    """Fitted branches in a folder.

    Parameters
    ----------
    folder : WorkFolder
        Where they are.
    sized : SizedTrunk
        What they belong to.
    keep_rows : bool
        Whether their leaves remember rows.
    step : int
        Trees to load at a time.
    """

    def __init__(self, folder: WorkFolder, sized: SizedTrunk, keep_rows: bool, step: int) -> None:
        self._folder = folder
        self._round = sized.round_
        self._branches = range(sized.n_branches)
        self._keep_rows = keep_rows
        self.step = step

    def load(self, trees: range) -> tuple[list[Branch], list[NDArray[np.int32]] | None]:
        """Some trees of all branches."""
        branches, numbers = load_branches(self._folder, self._round, self._branches, trees)
        return branches, numbers if self._keep_rows else None

    def rows(self) -> Iterator[BranchRows]:
        """The rows of every branch."""
        state = known_branches(self._folder, self._round)
        for branch in self._branches:
            _, y, weight, numbers = read_branch_rows(self._folder, state, branch)
            assert numbers is not None
            yield BranchRows(branch, y, weight, numbers)
