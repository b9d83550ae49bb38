"""The third task: fit one branch from its spill."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.pieces.branch import Branch, bare_branch, fit_branch
from bayeswood.distributed.tasks.fit_state import (
    BranchState,
    forest_of,
    known_branches,
)
from bayeswood.distributed.tasks.spill import read_branch
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.progress import Report


def branch_name(round_: int, branch: int) -> str:
    """Name of a fitted branch."""
    return f"fit-{round_}/{branch:06d}"


def read_branch_rows(
    folder: WorkFolder, state: BranchState, branch: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64] | None, NDArray[np.int32] | None]:
    """The rows of a branch, in the order of their ids: X, y, weight and row numbers."""
    plan, encoding, chunks = state.plan, state.encoding, state.chunks
    n_rows = sum(chunk["counts"][branch] for chunk in chunks)
    n_features = len(encoding.narrow)
    X = np.empty((n_rows, n_features), dtype=encoding.matrix_type, order="F")
    if encoding.classes is not None:
        y: NDArray[Any] = np.empty(n_rows, dtype=np.int32)
    else:
        y = np.empty((n_rows, len(plan.roles.targets)))
    weight = np.empty(n_rows) if plan.roles.weight else None
    rows = np.empty(n_rows, dtype=np.int32) if plan.keep_rows else None
    responses = [y] if y.ndim == 1 else list(y.T)
    others = [column for column in (weight, rows) if column is not None]
    paths = [folder.path / chunk["name"] for chunk in chunks if chunk["counts"][branch]]
    read_branch(paths, branch, [*X.T, *responses, *others])
    return X, y, weight, rows


def fit_branch_files(
    folder: WorkFolder,
    branch: int,
    round_: int = 0,
    n_threads: int = 1,
    report: Report | None = None,
) -> dict[str, Any]:
    """Fit the forest of one branch; a task.

    Parameters
    ----------
    folder : WorkFolder
        Holds plan, encoding, trunk, branch plan and the spill; gets ``fit-ROUND/BRANCH.npz``.
    branch : int
        Number of the branch.
    round_ : int, default=0
        Number of the trunk.
    n_threads : int, default=1
        Threads; their number does not change the result.
    report : callable, default=None
        Called with trees done and trees in all.

    Returns
    -------
    dict
        ``n_rows`` of the branch, and ``nbytes`` of its forest.
    """
    name = branch_name(round_, branch)
    if folder.has(f"{name}.npz"):
        arrays = folder.read_arrays(name, ("branch_rows", "branch_bytes"))
    else:
        state = known_branches(folder, round_)
        fitted, rows = _fit(folder, state, branch, n_threads, report)
        numbers = np.empty(0, dtype=np.int32) if rows is None else rows
        arrays = {**branch_arrays(fitted), "row_numbers": numbers}
        folder.write_arrays(name, arrays)
    return {"n_rows": int(arrays["branch_rows"]), "nbytes": int(arrays["branch_bytes"])}


def _fit(
    folder: WorkFolder, state: BranchState, branch: int, n_threads: int, report: Report | None
) -> tuple[Branch, NDArray[np.int32] | None]:
    X, y, weight, rows = read_branch_rows(folder, state, branch)
    if not len(X):
        return bare_branch(state.trunk, branch, state.growth.n_trees), rows
    fitted = fit_branch(
        X,
        y,
        weight,
        state.growth,
        branch,
        n_levels=state.encoding.schema.n_levels,
        depth=int(state.depths[branch]),
        n_jobs=n_threads,
        progress=report,
    )
    return fitted, rows


def branch_arrays(branch: Branch) -> dict[str, Any]:
    """A fitted branch as arrays."""
    return {
        **branch.forest.to_arrays(),
        "importances": branch.importances,
        "branch_rows": branch.n_rows,
        "branch_bytes": branch.forest.nbytes,
        "branch_weight": branch.weight,
        "branch_mean": branch.mean,
        "branch_impurity": branch.impurity,
    }


def branch_of(arrays: Mapping[str, NDArray[Any]]) -> Branch:
    """What `branch_arrays` gave, after it was written and read."""
    return Branch(
        forest_of(arrays),
        arrays["importances"],
        int(arrays["branch_rows"]),
        float(arrays["branch_weight"]),
        arrays["branch_mean"],
        float(arrays["branch_impurity"]),
    )


def load_branches(
    folder: WorkFolder, round_: int, branches: Sequence[int], trees: range
) -> tuple[list[Branch], list[NDArray[np.int32]]]:
    """Some trees of fitted branches, and the row numbers of each."""
    loaded, numbers = [], []
    for number in branches:
        arrays = folder.read_arrays(branch_name(round_, number))
        loaded.append(_some_trees(branch_of(arrays), trees))
        numbers.append(arrays["row_numbers"])
    return loaded, numbers


def _some_trees(branch: Branch, trees: range) -> Branch:
    if len(trees) == branch.forest.n_trees:
        return branch
    chosen = branch.forest.select(trees), branch.importances[list(trees)]
    return replace(branch, forest=chosen[0], importances=chosen[1])
