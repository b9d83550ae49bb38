"""What a fit from files has come to know, in its folder: one writer and one reader of each file."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.column_roles import Roles
from bayeswood.distributed.files.encoding import Encoding, Totals
from bayeswood.distributed.files.file_plan import FilePlan, RowNumbers
from bayeswood.distributed.pieces.branch import BranchPlan
from bayeswood.distributed.pieces.trunk import branch_depths
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.forest import Forest
from bayeswood.table import Schema, classes_from_plain, classes_to_plain

Stamp = tuple[int, ...]

# What a forest is made of, as `Forest.to_arrays` names it.
_FOREST_ARRAYS = (
    "n_features",
    "n_outputs",
    "is_classifier",
    "n_levels",
    "n_nodes",
    "feature",
    "threshold",
    "missing_left",
    "category_words",
    "leaf_n_samples",
    "leaf_weight",
    "leaf_n_entries",
    "leaf_class",
    "leaf_value",
    "leaf_rows",
    "log_weights",
)


@dataclass(frozen=True)
class FitState:
    """What all know who route rows or fit branches.

    Attributes
    ----------
    plan : FilePlan
        What is read, and how.
    numbers : RowNumbers
        What the rows are called.
    encoding : Encoding
        How they become numbers.
    trunk : Forest
        What sorts them into branches.
    """

    plan: FilePlan
    numbers: RowNumbers
    encoding: Encoding
    trunk: Forest

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """Splits above each branch, (n_branches,)."""
        return branch_depths(self.trunk)


@dataclass(frozen=True)
class BranchState(FitState):
    """What all know who fit branches.

    Attributes
    ----------
    chunks : list of dict
        The spill files, each with its rows of every branch.
    growth : BranchPlan
        What all branches have in common.
    """

    chunks: list[dict[str, Any]]
    growth: BranchPlan


def known_plan(folder: WorkFolder) -> FilePlan:
    """The plan that all tasks know; a process reads it once."""
    return _read_plan(folder, _stamp(folder, "plan.json"))


@lru_cache(maxsize=2)
def _read_plan(folder: WorkFolder, stamp: Stamp) -> FilePlan:
    return load_plan(folder)


def known_numbers(folder: WorkFolder) -> RowNumbers:
    """What the rows are called; a process reads it once."""
    return _read_numbers(folder, _stamp(folder, "rows.json"))


@lru_cache(maxsize=2)
def _read_numbers(folder: WorkFolder, stamp: Stamp) -> RowNumbers:
    return load_numbers(folder)


def known_state(folder: WorkFolder, round_: int) -> FitState:
    """What the folder says, with the trunk of a round; a process reads it once."""
    return _read_state(folder, round_, _stamp(folder, "plan.json", f"{_trunk(round_)}.npz"))


@lru_cache(maxsize=2)
def _read_state(folder: WorkFolder, round_: int, stamp: Stamp) -> FitState:
    encoding, _ = load_encoding(folder)
    return FitState(known_plan(folder), known_numbers(folder), encoding, load_trunk(folder, round_))


def known_branches(folder: WorkFolder, round_: int) -> BranchState:
    """The same and what came of the routing of a round; a process reads it once."""
    stamp = _stamp(
        folder,
        "plan.json",
        f"{_trunk(round_)}.npz",
        f"{_routed(round_)}.json",
        f"{_branches(round_)}.json",
    )
    return _read_branches(folder, round_, stamp)


@lru_cache(maxsize=2)
def _read_branches(folder: WorkFolder, round_: int, stamp: Stamp) -> BranchState:
    state = known_state(folder, round_)
    chunks, growth = load_routed(folder, round_), load_branch_plan(folder, round_)
    return BranchState(state.plan, state.numbers, state.encoding, state.trunk, chunks, growth)


def forget_states() -> None:
    """Let go of what was read once, when a fit has ended."""
    for read in (_read_plan, _read_numbers, _read_state, _read_branches):
        read.cache_clear()


def _stamp(folder: WorkFolder, *names: str) -> Stamp:
    """Which files these are: a folder of the same name may hold another fit later."""
    found = [(folder.path / name).stat() for name in names]
    return tuple(n for file in found for n in (file.st_ino, file.st_mtime_ns))


def keep_plan(folder: WorkFolder, plan: FilePlan) -> FilePlan:
    """Write the plan unless there is one; the plan that counts."""
    if folder.has("plan.json"):
        return load_plan(folder)
    folder.write_json("plan", plan.to_json())
    return plan


def load_plan(folder: WorkFolder) -> FilePlan:
    """The plan that all tasks know."""
    return FilePlan.from_json(folder.read_json("plan"))


def keep_numbers(folder: WorkFolder, make: Callable[[], RowNumbers]) -> RowNumbers:
    """Number the rows, unless that was done before."""
    if folder.has("rows.json"):
        return load_numbers(folder)
    numbers = make()
    folder.write_json("rows", asdict(numbers))
    return numbers


def load_numbers(folder: WorkFolder) -> RowNumbers:
    """What the rows are called."""
    return RowNumbers(**folder.read_json("rows"))


def keep_encoding(
    folder: WorkFolder, make: Callable[[], tuple[Encoding, Totals]]
) -> tuple[Encoding, Totals]:
    """Find out what rows are encoded by, unless that was done before."""
    if folder.has("encoding.json"):
        return load_encoding(folder)
    encoding, totals = make()
    folder.write_json("encoding", {"encoding": _plain(encoding), "totals": asdict(totals)})
    return encoding, totals


def _plain(encoding: Encoding) -> dict[str, Any]:
    classes = encoding.classes
    return {
        **{field.name: getattr(encoding, field.name) for field in fields(encoding)},
        "roles": encoding.roles.to_json(),
        "schema": encoding.schema.to_json(),
        "narrow": list(encoding.narrow),
        "classes": None if classes is None else classes_to_plain(classes),
    }


def load_encoding(folder: WorkFolder) -> tuple[Encoding, Totals]:
    """What rows are encoded by, and their totals."""
    plain = folder.read_json("encoding")
    encoding = plain["encoding"]
    classes = encoding["classes"]
    read = {
        "roles": Roles.from_json(encoding["roles"]),
        "schema": Schema.from_json(encoding["schema"]),
        "narrow": tuple(encoding["narrow"]),
        "classes": None if classes is None else classes_from_plain(classes, f"'{folder.path}'"),
    }
    return Encoding(**{**encoding, **read}), Totals(**plain["totals"])


def keep_trunk(folder: WorkFolder, round_: int, make: Callable[[], Forest]) -> Forest:
    """Make the trunk of a round, unless that was done before; the trunk that counts."""
    if folder.has(f"{_trunk(round_)}.npz"):
        return load_trunk(folder, round_)
    trunk = make()
    folder.write_arrays(_trunk(round_), trunk.to_arrays())
    return trunk


def load_trunk(folder: WorkFolder, round_: int) -> Forest:
    """The trunk of a round."""
    return forest_of(folder.read_arrays(_trunk(round_)))


def _trunk(round_: int) -> str:
    return f"trunk-{round_}"


def forest_of(arrays: Mapping[str, NDArray[Any]]) -> Forest:
    """A forest from its arrays, as a file of arrays gives them back."""
    plain: dict[str, Any] = {key: arrays[key] for key in _FOREST_ARRAYS}
    for key in ("n_features", "n_outputs"):
        plain[key] = int(arrays[key])
    plain["is_classifier"] = bool(arrays["is_classifier"])
    return Forest.from_arrays(plain)


def keep_routed(
    folder: WorkFolder, round_: int, make: Callable[[], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Route the rows of a round, unless that was done before; the spill files."""
    if folder.has(f"{_routed(round_)}.json"):
        return load_routed(folder, round_)
    chunks = make()
    folder.write_json(_routed(round_), {"chunks": chunks})
    return chunks


def load_routed(folder: WorkFolder, round_: int) -> list[dict[str, Any]]:
    """The spill files of a round, each with its rows of every branch."""
    chunks: list[dict[str, Any]] = folder.read_json(_routed(round_))["chunks"]
    return chunks


def _routed(round_: int) -> str:
    return f"routed-{round_}"


def save_branch_plan(folder: WorkFolder, round_: int, plan: BranchPlan) -> None:
    """Write what all branches of a round have in common."""
    folder.write_json(_branches(round_), asdict(plan))


def load_branch_plan(folder: WorkFolder, round_: int) -> BranchPlan:
    """What `save_branch_plan` wrote."""
    return BranchPlan(**folder.read_json(_branches(round_)))


def _branches(round_: int) -> str:
    return f"branches-{round_}"
