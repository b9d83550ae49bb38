"""A forest in pieces: a trunk that sorts rows, branches fitted apart, and their grafting.

The empirical Bayesian forest of M. Taddy, C.-S. Chen, J. Yu and M. Wyle, "Bayesian and empirical
Bayesian forests", 2015, section 4. The functions here know tables that are encoded already and no
estimators; whoever fits a branch, and when, the result is the same to the bit.

From files (section 5) the same pieces are tasks over a folder that all workers see: `Task` names
one, `run_task` runs it, an `Executor` runs many.
"""

from typing import TYPE_CHECKING

from bayeswood.on_demand import names_on_demand

if TYPE_CHECKING:
    from bayeswood.distributed.backends.local_processes import LocalProcesses, WorkerError
    from bayeswood.distributed.pieces.branch import Branch, BranchPlan, bare_branch, fit_branch
    from bayeswood.distributed.pieces.graft import graft, graft_importances
    from bayeswood.distributed.pieces.route import branch_rows, route
    from bayeswood.distributed.pieces.row_sample import sample_rows
    from bayeswood.distributed.pieces.trunk import (
        branch_depths,
        default_leaf_size,
        fit_trunk,
        scale_leaf_size,
    )
    from bayeswood.distributed.tasks.fit_branch import fit_branch_files
    from bayeswood.distributed.tasks.route_files import route_fragment
    from bayeswood.distributed.tasks.scan import count_fragment, scan_fragment
    from bayeswood.distributed.tasks.tasks import Executor, InlineExecutor, Task, run_task
    from bayeswood.distributed.tasks.work_folder import SpillError, WorkFolder

_HOMES = {
    "backends.local_processes": ("LocalProcesses", "WorkerError"),
    "pieces.branch": ("Branch", "BranchPlan", "bare_branch", "fit_branch"),
    "pieces.graft": ("graft", "graft_importances"),
    "pieces.route": ("branch_rows", "route"),
    "pieces.row_sample": ("sample_rows",),
    "pieces.trunk": ("branch_depths", "default_leaf_size", "fit_trunk", "scale_leaf_size"),
    "tasks.fit_branch": ("fit_branch_files",),
    "tasks.route_files": ("route_fragment",),
    "tasks.scan": ("count_fragment", "scan_fragment"),
    "tasks.tasks": ("Executor", "InlineExecutor", "Task", "run_task"),
    "tasks.work_folder": ("SpillError", "WorkFolder"),
}

__all__ = [
    "Branch",
    "BranchPlan",
    "Executor",
    "InlineExecutor",
    "LocalProcesses",
    "SpillError",
    "Task",
    "WorkFolder",
    "WorkerError",
    "bare_branch",
    "branch_depths",
    "branch_rows",
    "count_fragment",
    "default_leaf_size",
    "fit_branch",
    "fit_branch_files",
    "fit_trunk",
    "graft",
    "graft_importances",
    "route",
    "route_fragment",
    "run_task",
    "sample_rows",
    "scale_leaf_size",
    "scan_fragment",
]

if not TYPE_CHECKING:  # for a type checker every name would exist
    __getattr__ = names_on_demand(__name__, _HOMES)
