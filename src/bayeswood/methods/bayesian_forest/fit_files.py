"""Forests with a trunk that are fitted to, and predict, files of any size."""

from collections.abc import Sequence
from functools import partial
from os import PathLike
from typing import Any, Self

from bayeswood.distributed.backends.executors import as_dask, as_executor
from bayeswood.distributed.files.file_plan import open_source
from bayeswood.distributed.files.input_files import Paths
from bayeswood.distributed.fit_files import fit_files
from bayeswood.distributed.predict_files import predict_files
from bayeswood.distributed.tasks.memory import MemoryPlan
from bayeswood.methods.bayesian_forest.files_fitter import FilesFitter, predicted_columns
from bayeswood.methods.bayesian_forest.predict_on_cluster import predict_parts
from bayeswood.methods.bayesian_forest.trunk_and_branches import TrunkForest


class FileForest(TrunkForest):
    """A forest with a trunk that takes files. Not to be used by itself."""

    memory_plan_: MemoryPlan

    def fit_parquet(
        self,
        paths: Paths,
        target: str | Sequence[str],
        features: Sequence[str] | None = None,
        sample_weight: str | None = None,
        spill_dir: str | PathLike[str] | None = None,
        memory_limit: int | str = "4GB",
        n_jobs: int = -1,
        resume: bool = False,
        *,
        on_large_branch: str = "raise",
        keep_spill: bool = False,
        stall_timeout: float = 600.0,
        batch_rows: int = 65_536,
        executor: Any = None,
    ) -> Self:
        """Fit the forest to files, which may hold more rows than memory does.

        Parameters
        ----------
        paths : str, path-like, or sequence of these
            Parquet, CSV (also gzipped) and Arrow IPC files, folders of them and patterns such as
            ``"data/*.parquet"``. They are read in the sorted order of their paths.
        target : str or sequence of str
            Column to predict; for regressors also several.
        features : sequence of str, default=None
            Columns to predict from; None for all others.
        sample_weight : str, default=None
            Column of non-negative weights.
        spill_dir : path-like, default=None
            Folder for the routed rows, about 4 bytes per value; it must be named for a fit that
            is to be resumed. None: a temporary folder.
        memory_limit : int or str, default="4GB"
            Bytes that all processes together may take; on a Dask cluster, each worker process
            and this one.
        n_jobs : int, default=-1
            Processes (or, for branches that fill the memory, threads); -1 for all processors.
        resume : bool, default=False
            Whether to go on from what an earlier run with the same files and parameters left in
            `spill_dir`. The model is the same, to the bit, as that of a run without a break.
        on_large_branch : {"raise", "split"}, default="raise"
            What to do about a branch that would not fit in memory: say so before it is fitted,
            or give the trunk more leaves there.
        keep_spill : bool, default=False
            Whether to leave the routed rows on disk.
        stall_timeout : float, default=600
            Seconds without a sign of progress after which the fit is given up.
        batch_rows : int, default=65536
            Rows read at a time.
        executor : distributed.Client or Executor, default=None
            Who runs the tasks: the workers of a Dask cluster, which must see the files and
            `spill_dir` under the same paths as this process. None: processes of this machine.

        Returns
        -------
        self
            The fitted estimator; `memory_plan_` says what memory was planned.

        Notes
        -----
        The rows are read twice: once for categories, classes, totals and a sample, once to sort
        them into the branches of the trunk. Each branch is then fitted by itself (Taddy et al.,
        2015, section 5). The trunk is fitted to all rows if they fit in a quarter of the memory
        and `trunk_sample_size` is None, and then the forest equals that of `fit` on the same
        rows; otherwise to `trunk_sample_size` rows, or to a million. The model does not depend on
        `n_jobs`, `batch_rows`, or how the files are cut into row groups.
        """
        owner = f"{type(self).__name__}.fit_parquet"
        fitter = FilesFitter(self, owner)
        given: dict[str, Any] = {
            "on_large_branch": on_large_branch,
            "stall_timeout": stall_timeout,
            "batch_rows": batch_rows,
        }
        limit = fitter.check(memory_limit, **given)
        source = open_source(
            paths, target, features, sample_weight, self.categorical_features, owner
        )
        fitter.check_targets(source.roles.targets)
        request = fitter.request(
            source,
            limit,
            n_jobs,
            **given,
            spill_dir=spill_dir,
            resume=resume,
            keep_spill=keep_spill,
            executor=as_executor(executor, stall_timeout, owner),
        )
        fitter.adopt(fit_files(request))
        return self

    def predict_parquet(
        self,
        paths: Paths,
        out: str | PathLike[str],
        *,
        keep: Sequence[str] = (),
        batch_rows: int = 65_536,
        executor: Any = None,
    ) -> None:
        """Predict the rows of files, in their order, into one file, or on a cluster into several.

        Parameters
        ----------
        paths : str, path-like, or sequence of these
            As in `fit_parquet`; the files need the columns of the fit, and may have others.
        out : path-like
            Where to write: ``.parquet``, ``.csv``, ``.csv.gz`` or ``.arrow``. It appears whole,
            when all is done. With an `executor` a folder, filled with Parquet files whose names
            are in the order of the rows.
        keep : sequence of str, default=()
            Columns of the files to copy before the predictions.
        batch_rows : int, default=65536
            Rows predicted at a time; memory grows with them, not with the files.
        executor : distributed.Client, default=None
            A Dask cluster whose workers predict, each some row groups by itself. They and this
            process must see the files and `out` under the same paths. None: this process.

        Notes
        -----
        Columns of the result: ``predicted``, and for classifiers ``p_CLASS`` for the probability
        of each class; for several responses ``predicted_0``, ``predicted_1``, ...
        """
        self._check_fitted()
        owner = f"{type(self).__name__}.predict_parquet"
        if executor is not None:
            cluster = as_dask(executor, owner)
            predict_parts(
                self, paths, out, cluster, keep=tuple(keep), batch_rows=batch_rows, owner=owner
            )
            return
        predict_files(
            paths,
            out,
            partial(predicted_columns, self),
            schema=self.schema_,
            keep=tuple(keep),
            batch_rows=batch_rows,
            owner=owner,
            show_progress=bool(self.verbose),
        )
