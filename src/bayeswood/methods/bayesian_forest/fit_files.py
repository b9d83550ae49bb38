"""Forests with a trunk that are fitted to, and predict, files of any size."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from numpy.typing import NDArray

from bayeswood.distributed.backends.executors import as_dask, as_executor
from bayeswood.distributed.files.encoding import Encoding
from bayeswood.distributed.files.file_plan import open_source
from bayeswood.distributed.files.input_files import Paths
from bayeswood.distributed.files_request import FilesFit, FilesRequest, Growth
from bayeswood.distributed.fit_files import fit_files
from bayeswood.distributed.pieces.trunk import scale_leaf_size
from bayeswood.distributed.predict_files import predict_files
from bayeswood.distributed.tasks.memory import SMALLEST_LIMIT, MemoryPlan, in_words, parse_bytes
from bayeswood.distributed.tasks.scan import Totals
from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import (
    check_parameters,
    draw_seed,
    integer,
    one_of,
    parameter_error,
    real,
)
from bayeswood.methods.base.saved_state import plain_parameters
from bayeswood.methods.base.training_data import Target, TrainingData
from bayeswood.methods.bayesian_forest.predict_on_cluster import predict_parts
from bayeswood.methods.bayesian_forest.trunk_and_branches import TrunkForest, branch_plan
from bayeswood.methods.bayesian_forest.trunk_check import MIN_ROWS, check_trunk
from bayeswood.methods.cart.grow_cart import CartPlan

# Parameters that change who does what, and no result.
_NO_MATTER = ("n_jobs", "verbose", "check_trunk")


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
        owner = f"{self._name}.fit_parquet"
        self._check_files_parameters(
            owner,
            on_large_branch=on_large_branch,
            stall_timeout=stall_timeout,
            batch_rows=batch_rows,
        )
        source = open_source(
            paths, target, features, sample_weight, self.categorical_features, owner
        )
        if self._is_classifier and len(source.roles.targets) > 1:
            raise BayeswoodError(f"{owner} predicts one target. Got {list(target)} instead.")
        limit = checked_limit(memory_limit, owner)
        request = FilesRequest(
            source=source,
            is_classifier=self._is_classifier,
            parameters=self._what_matters(limit, on_large_branch),
            seed=draw_seed(self.random_state),
            grow=self._growth,
            owner=self._name,
            memory_limit=limit,
            n_jobs=int(effective_n_jobs(n_jobs)),
            sample_size=self.trunk_sample_size,
            keep_rows=bool(getattr(self, "keep_responses", False)),
            spill_dir=spill_dir,
            resume=resume,
            keep_spill=keep_spill,
            on_large_branch=on_large_branch,
            batch_rows=batch_rows,
            stall_timeout=stall_timeout,
            executor=as_executor(executor, stall_timeout, owner),
            show_progress=bool(self.verbose),
        )
        return self._take(fit_files(request))

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
        owner = f"{self._name}.predict_parquet"
        if executor is not None:
            cluster = as_dask(executor, owner)
            predict_parts(
                self, paths, out, cluster, keep=tuple(keep), batch_rows=batch_rows, owner=owner
            )
            return
        predict_files(
            paths,
            out,
            self._predicted_columns,
            schema=self.schema_,
            keep=tuple(keep),
            batch_rows=batch_rows,
            owner=owner,
            show_progress=bool(self.verbose),
        )

    def _what_matters(self, limit: int, on_large_branch: str) -> dict[str, Any]:
        """All that the model depends on besides the files and the seed, as plain data."""
        parameters = plain_parameters(self.get_params(deep=False))
        kept = {name: value for name, value in parameters.items() if name not in _NO_MATTER}
        own = {"memory_limit": limit, "on_large_branch": on_large_branch}
        return {"estimator": self._name, **kept, **own}

    @property
    def _is_classifier(self) -> bool:
        return hasattr(self, "predict_proba")

    def _predicted_columns(self, X: Any) -> dict[str, NDArray[Any]]:
        """Predictions of some rows, by column."""
        if self._is_classifier:
            shares = self.predict_proba(X)
            labels = self.classes_[np.argmax(shares, axis=1)]
            named = {f"p_{label}": shares[:, c] for c, label in enumerate(self.classes_)}
            return {"predicted": labels, **named}
        found = self.predict(X)
        if found.ndim == 1:
            return {"predicted": found}
        return {f"predicted_{j}": column for j, column in enumerate(found.T)}

    def _check_files_parameters(self, call: str, **given: Any) -> None:
        check_parameters(self.get_params(deep=False), self._constraints, self._name)
        allowed = {
            "on_large_branch": one_of("raise", "split"),
            "stall_timeout": real(0, closed="neither", integers=True),
            "batch_rows": integer(1),
        }
        check_parameters(given, allowed, call)
        if self.oob_score:
            raise BayeswoodError(
                f"The 'oob_score' parameter of {self._name} must be False for "
                f"{call.split('.')[-1]}, which does not hold the training rows in memory. "
                f"Got {self.oob_score!r} instead."
            )

    def _growth(self, encoding: Encoding, totals: Totals, n_sample: int) -> Growth:
        """How to grow the forest of a table that is known."""
        data = _table(encoding, totals.n_rows)
        plan = self._plan_without_seed(data)
        branches = branch_plan(plan, data, plan.n_trees)
        return Growth(
            self._trunk_settings(plan, data, n_sample),
            replace(branches, total_weight=totals.weight),
        )

    def _plan_without_seed(self, data: TrainingData) -> CartPlan:
        """The parameters, resolved; the seed has been drawn, and is not to be drawn again."""
        parameters = {**self.get_params(deep=False), "random_state": 0}
        return type(self)(**parameters)._plan(data)

    def _take(self, fitted: FilesFit) -> Self:
        """Become what was fitted elsewhere."""
        self._forget()
        self._set_attributes(self._from_files(fitted))
        return self

    def _from_files(self, fitted: FilesFit) -> dict[str, Any]:
        """The fitted attributes."""
        data = _table(fitted.encoding, fitted.totals.n_rows)
        if fitted.y is not None:
            target = replace(data.target, y=fitted.y)
            data = replace(data, target=target, sample_weight=fitted.weight)
        plan = self._plan_without_seed(data)
        law = replace(plan.row_weights, seed=fitted.branches.seed, parts=fitted.branch)
        plan = replace(plan, row_weights=law)
        found = self._checked_on_sample(fitted, plan)
        if fitted.memory is not None:
            found["memory_plan_"] = fitted.memory
        grown = GrownForest(
            fitted.forest,
            fitted.importances,
            plan.seed,
            plan.row_weights,
            {**plan.settings(), **found},
            (self._trunk_part(fitted.trunk, data),),
        )
        return self._fitted(data, grown)

    def _checked_on_sample(self, fitted: FilesFit, plan: CartPlan) -> dict[str, Any]:
        """The stability of the trunk, judged by some rows of its sample."""
        sample, n_rows = fitted.sample, fitted.totals.n_rows
        if not self.check_trunk or fitted.trunk.n_leaves[0] == 1 or len(sample.X) < MIN_ROWS:
            return {}
        data = _table(fitted.encoding, len(sample.X))
        data = replace(
            data,
            X=sample.X,
            target=replace(data.target, y=sample.y),
            sample_weight=sample.weight,
        )
        leaf_size = scale_leaf_size(self._trunk_leaf_size(plan, n_rows), len(sample.X), n_rows)
        stability = check_trunk(
            fitted.trunk,
            plan,
            data,
            leaf_size=leaf_size,
            same_places=self._trunk_leaves() is not None,
        )
        return {"trunk_stability_": stability}


def checked_limit(memory_limit: Any, owner: str) -> int:
    """The memory limit in bytes."""
    limit = parse_bytes(memory_limit, "memory_limit", owner)
    if limit < SMALLEST_LIMIT:
        words = f"at least {in_words(SMALLEST_LIMIT)}"
        raise parameter_error("memory_limit", owner, words, memory_limit)
    return limit


def _table(encoding: Encoding, n_rows: int) -> TrainingData:
    """Training data of which only the shape is in memory."""
    X = np.broadcast_to(np.float32(0), (n_rows, encoding.schema.n_features))
    target = Target(np.empty(0), encoding.classes, encoding.roles.single_target)
    return TrainingData(X, encoding.schema, target, None, X, np.ones(0, dtype=np.bool_))
