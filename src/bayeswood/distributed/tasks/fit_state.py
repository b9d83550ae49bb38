"""What a fit from files has come to know, in its folder: one writer and one reader of each file.

A process remembers what it has read as long as the file is the same, for every task needs it.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.column_roles import Roles
from bayeswood.distributed.files.encoding import Encoding, Totals
from bayeswood.distributed.files.file_plan import FilePlan, RowNumbers
from bayeswood.distributed.pieces.branch import BranchPlan
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.forest import Forest
from bayeswood.table import Schema, classes_from_plain, classes_to_plain

Known = TypeVar("Known")

_PLAN, _NUMBERS, _ENCODING = "plan", "rows", "encoding"
# Plan, numbers, encoding, trunk and branch plan of one fit, and of another beside it.
_N_REMEMBERED = 10
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


def keep_plan(folder: WorkFolder, plan: FilePlan) -> FilePlan:
    """Write the plan unless there is one; the plan that counts."""
    if not folder.has(f"{_PLAN}.json"):
        folder.write_json(_PLAN, plan.to_json())
    return load_plan(folder)


def load_plan(folder: WorkFolder) -> FilePlan:
    """The plan that all tasks know."""
    return _known(folder, f"{_PLAN}.json", _read_plan)


def _read_plan(folder: WorkFolder, name: str) -> FilePlan:
    return FilePlan.from_json(folder.read_json(_PLAN))


def has_numbers(folder: WorkFolder) -> bool:
    """Whether the rows are numbered."""
    return folder.has(f"{_NUMBERS}.json")


def save_numbers(folder: WorkFolder, numbers: RowNumbers) -> None:
    """Write what the rows are called."""
    folder.write_json(_NUMBERS, asdict(numbers))


def load_numbers(folder: WorkFolder) -> RowNumbers:
    """What `save_numbers` wrote."""
    return _known(folder, f"{_NUMBERS}.json", _read_numbers)


def _read_numbers(folder: WorkFolder, name: str) -> RowNumbers:
    return RowNumbers(**folder.read_json(_NUMBERS))


def has_encoding(folder: WorkFolder) -> bool:
    """Whether it is known how rows are encoded."""
    return folder.has(f"{_ENCODING}.json")


def save_encoding(folder: WorkFolder, encoding: Encoding, totals: Totals) -> None:
    """Write what rows are encoded by."""
    classes = encoding.classes
    plain = {
        **vars(encoding),
        "roles": encoding.roles.to_json(),
        "schema": encoding.schema.to_json(),
        "narrow": list(encoding.narrow),
        "classes": None if classes is None else classes_to_plain(classes),
    }
    folder.write_json(_ENCODING, {"encoding": plain, "totals": asdict(totals)})


def load_encoding(folder: WorkFolder) -> tuple[Encoding, Totals]:
    """What `save_encoding` wrote."""
    return _known(folder, f"{_ENCODING}.json", _read_encoding)


def _read_encoding(folder: WorkFolder, name: str) -> tuple[Encoding, Totals]:
    plain = folder.read_json(_ENCODING)
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
    """Make and write the trunk of a round unless there is one; the trunk that counts."""
    if not folder.has(f"{_trunk_name(round_)}.npz"):
        folder.write_arrays(_trunk_name(round_), make().to_arrays())
    return load_trunk(folder, round_)


def load_trunk(folder: WorkFolder, round_: int) -> Forest:
    """The trunk of a round."""
    return _known(folder, f"{_trunk_name(round_)}.npz", _read_trunk)


def _read_trunk(folder: WorkFolder, name: str) -> Forest:
    return forest_of(folder.read_arrays(name.removesuffix(".npz")))


def _trunk_name(round_: int) -> str:
    return f"trunk-{round_}"


def forest_of(arrays: Mapping[str, NDArray[Any]]) -> Forest:
    """A forest from its arrays, as a file of arrays gives them back."""
    plain: dict[str, Any] = {key: arrays[key] for key in _FOREST_ARRAYS}
    for key in ("n_features", "n_outputs"):
        plain[key] = int(arrays[key])
    plain["is_classifier"] = bool(arrays["is_classifier"])
    return Forest.from_arrays(plain)


def save_branch_plan(folder: WorkFolder, round_: int, plan: BranchPlan) -> None:
    """Write what all branches of a round have in common."""
    folder.write_json(f"branches-{round_}", asdict(plan))


def load_branch_plan(folder: WorkFolder, round_: int) -> BranchPlan:
    """What `save_branch_plan` wrote."""
    return BranchPlan(**folder.read_json(f"branches-{round_}"))


def load_routed(folder: WorkFolder, round_: int) -> list[dict[str, Any]]:
    """The spill files of a round, each with the rows of every branch in it."""
    return _known(folder, f"routed-{round_}.json", _read_routed)


def _read_routed(folder: WorkFolder, name: str) -> list[dict[str, Any]]:
    chunks: list[dict[str, Any]] = folder.read_json(name.removesuffix(".json"))["chunks"]
    return chunks


def count_routed(folder: WorkFolder, round_: int, n_branches: int) -> NDArray[np.int64]:
    """Rows of each branch of a round."""
    counts = np.zeros(n_branches, dtype=np.int64)
    for chunk in load_routed(folder, round_):
        counts += np.array(chunk["counts"], dtype=np.int64)
    return counts


def _known(folder: WorkFolder, name: str, read: Callable[[WorkFolder, str], Known]) -> Known:
    """What `read` makes of a file, or has made of it before."""
    # A folder of the same name may hold another fit later.
    found = folder.place(name).stat()
    stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
    known: Known = _read_once(str(folder.path), name, stamp, read)
    return known


@lru_cache(maxsize=_N_REMEMBERED)
def _read_once(
    path: str, name: str, stamp: tuple[int, ...], read: Callable[[WorkFolder, str], Any]
) -> Any:
    return read(WorkFolder(path), name)
