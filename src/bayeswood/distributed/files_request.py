"""What a fit in pieces is asked for, and what it ends in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.encoding import Encoding, Rows, Totals
from bayeswood.distributed.files.file_plan import FilePlan, Fragment, Source
from bayeswood.distributed.pieces.branch import BranchPlan
from bayeswood.distributed.tasks.memory import MemoryPlan
from bayeswood.distributed.tasks.tasks import Executor
from bayeswood.forest import Forest

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """How to grow, once the table is known.

    Attributes
    ----------
    trunk : dict
        Keyword arguments of `fit_trunk`.
    branches : BranchPlan
        What all branches have in common.
    """

    trunk: dict[str, Any]
    branches: BranchPlan


#: Decides on the growth for an encoding, the totals of all rows, the sample's size, and a seed.
Grow = Callable[[Encoding, Totals, int, int], Growth]


@dataclass(frozen=True)
class FilesRequest:
    """What is asked for.

    Attributes
    ----------
    source : Source
        The files, or the columns of a data frame.
    is_classifier : bool
        Whether the target is a class.
    parameters : dict
        All that the model depends on besides the files and the seed, as plain data.
    seed : int
        Of the fit; that of the manifest counts where a fit is resumed.
    grow : callable
        Decides how to grow.
    owner : str
        Who asks, for the errors.
    memory_limit : int
        Bytes for all processes together.
    n_jobs : int
        Processors to use.
    sample_size : int or None
        Rows that the trunk is fitted to; None for all, or as many as there is room for.
    keep_rows : bool
        Whether leaves remember their rows.
    spill_dir : path-like or None
        Where to work.
    resume : bool
        Whether to go on from what an earlier run left.
    keep_spill : bool
        Whether to leave the files of the work behind.
    on_large_branch : {"raise", "split"}
        What to do about a branch that would not fit.
    batch_rows : int
        Rows read at a time.
    stall_timeout : float
        Seconds without progress after which to give up.
    executor : Executor or None
        Who runs the tasks; None for processes of this machine.
    show_progress : bool
        Whether to draw bars on a terminal.
    """

    source: Source
    is_classifier: bool
    parameters: dict[str, Any]
    seed: int
    grow: Grow
    owner: str
    memory_limit: int
    n_jobs: int
    sample_size: int | None = None
    keep_rows: bool = False
    spill_dir: Any = None
    resume: bool = False
    keep_spill: bool = False
    on_large_branch: str = "raise"
    batch_rows: int = 65_536
    stall_timeout: float = 600.0
    executor: Executor | None = None
    show_progress: bool = False

    @property
    def splits(self) -> bool:
        """Whether the trunk is made deeper where a branch would not fit."""
        return self.on_large_branch == "split"

    @cached_property
    def row_bytes(self) -> int:
        """Bytes of a row in memory, with every column as wide as it can be."""
        return 8 * len(self.source.roles.columns) + 16

    def plan(self, seed: int, fragments: Sequence[Fragment] = (), chunk_rows: int = 0) -> FilePlan:
        """What all who work on the fit know."""
        return FilePlan(
            files=self.source.files,
            fragments=tuple(fragments),
            roles=self.source.roles,
            types=self.source.types,
            is_classifier=self.is_classifier,
            owner=self.owner,
            seed=seed,
            batch_rows=self.batch_rows,
            chunk_rows=chunk_rows,
            keep_rows=self.keep_rows,
        )


@dataclass(frozen=True)
class FilesFit:
    """What a fit from files ends in.

    Attributes
    ----------
    forest, trunk : Forest
        The grafted forest, and what its members share.
    importances : ndarray, (n_trees, n_features)
        Impurity decrease.
    encoding : Encoding
        How rows become numbers.
    totals : Totals
        Of all rows.
    branches : BranchPlan
        How the branches were grown.
    memory : MemoryPlan or None
        What was planned; None where others look after the memory.
    sample : Rows
        Some rows of the trunk's sample.
    y, weight, branch : ndarray or None
        Response, weight and branch of every row that takes part, where leaves remember rows.
    """

    forest: Forest
    trunk: Forest
    importances: F64
    encoding: Encoding
    totals: Totals
    branches: BranchPlan
    memory: MemoryPlan | None
    sample: Rows
    y: NDArray[Any] | None = None
    weight: F64 | None = None
    branch: NDArray[np.int32] | None = None
