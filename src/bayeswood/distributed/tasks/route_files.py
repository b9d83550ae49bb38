"""Second reading of the rows: each goes to the spill of its branch."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.column_roles import Roles
from bayeswood.distributed.files.encoding import Encoding, Rows, naming_rows
from bayeswood.distributed.files.file_plan import FilePlan, RowNumbers
from bayeswood.distributed.pieces.route import route
from bayeswood.distributed.tasks.scan import Totals, fragment_batches
from bayeswood.distributed.tasks.spill import write_spill
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.forest import Forest
from bayeswood.progress import Report
from bayeswood.table import Schema, classes_from_plain, classes_to_plain

# What an error calls the file of the encoding.
_ENCODING = "The spill folder's encoding"


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
    folder.write_json("encoding", {"encoding": plain, "totals": asdict(totals)})


def load_encoding(folder: WorkFolder) -> tuple[Encoding, Totals]:
    """What `save_encoding` wrote."""
    plain = folder.read_json("encoding")
    encoding = plain["encoding"]
    classes = encoding["classes"]
    read = {
        "roles": Roles.from_json(encoding["roles"]),
        "schema": Schema.from_json(encoding["schema"]),
        "narrow": tuple(encoding["narrow"]),
        "classes": None if classes is None else classes_from_plain(classes, _ENCODING),
    }
    return Encoding(**{**encoding, **read}), Totals(**plain["totals"])


def save_forest(folder: WorkFolder, name: str, forest: Forest, **more: Any) -> None:
    """Write a forest, and other arrays beside it."""
    folder.write_arrays(name, {**forest.to_arrays(), **more})


def load_forest(folder: WorkFolder, name: str) -> tuple[Forest, dict[str, NDArray[Any]]]:
    """What `save_forest` wrote: the forest, and all arrays."""
    arrays = folder.read_arrays(name)
    return forest_of(arrays), arrays


def forest_of(arrays: Mapping[str, NDArray[Any]]) -> Forest:
    """A forest from its arrays, as a file of arrays gives them back."""
    plain: dict[str, Any] = {key: arrays[key] for key in _FOREST_ARRAYS}
    for key in ("n_features", "n_outputs"):
        plain[key] = int(arrays[key])
    plain["is_classifier"] = bool(arrays["is_classifier"])
    return Forest.from_arrays(plain)


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


def route_name(round_: int, index: int) -> str:
    """Name of what the routing of one fragment leaves; a deeper trunk routes once more."""
    return f"route-{round_}/{index:06d}"


def trunk_name(round_: int) -> str:
    """Name of the trunk of a round."""
    return f"trunk-{round_}"


def _known(folder: WorkFolder, round_: int) -> tuple[FilePlan, Encoding, RowNumbers, Forest]:
    """What all routing tasks of a round know."""
    # A folder of the same name may hold another fit later.
    written = [folder.place(name).stat() for name in ("plan.json", f"{trunk_name(round_)}.npz")]
    stamp = tuple((found.st_ino, found.st_mtime_ns) for found in written)
    return _read_once(str(folder.path), round_, stamp)


@lru_cache(maxsize=2)
def _read_once(
    path: str, round_: int, stamp: tuple[tuple[int, int], ...]
) -> tuple[FilePlan, Encoding, RowNumbers, Forest]:
    folder = WorkFolder(path)
    plan = FilePlan.from_json(folder.read_json("plan"))
    numbers = RowNumbers(**folder.read_json("rows"))
    return plan, load_encoding(folder)[0], numbers, load_forest(folder, trunk_name(round_))[0]


def route_fragment(
    folder: WorkFolder, index: int, round_: int = 0, report: Report | None = None
) -> dict[str, Any]:
    """Read one fragment, route its rows and append them to the spill; a task.

    Parameters
    ----------
    folder : WorkFolder
        Holds plan, encoding and trunk; gets the spill files ``route-ROUND/INDEX-CHUNK.spill`` and,
        when all are there, ``route-ROUND/INDEX.json``.
    index : int
        Number of the fragment.
    round_ : int, default=0
        Number of the trunk.
    report : callable, default=None
        Called with rows done and rows in all.

    Returns
    -------
    dict
        ``chunks``: for each spill file its name and the rows of each branch.
    """
    name = route_name(round_, index)
    if folder.has(f"{name}.json"):
        found: dict[str, Any] = folder.read_json(name)
        return found
    plan, encoding, numbers, trunk = _known(folder, round_)
    spill = _Spill(folder, name, plan, encoding, trunk, numbers.first_rows[index])
    fragment = plan.fragments[index]
    file = plan.files[fragment.file]
    for row, batch in fragment_batches(plan, fragment, report):
        with naming_rows(file.path, row, batch.num_rows):
            spill.add(encoding.encode(batch))
    spill.flush()
    folder.write_json(name, {"chunks": spill.chunks})
    return {"chunks": spill.chunks}


class _Spill:
    """Rows on their way to the spill files of one fragment."""

    def __init__(
        self,
        folder: WorkFolder,
        name: str,
        plan: FilePlan,
        encoding: Encoding,
        trunk: Forest,
        first_row: int,
    ) -> None:
        self._folder = folder
        self._name = name
        self._plan = plan
        self._encoding = encoding
        self._trunk = trunk
        self._first_row = first_row
        self._waiting: list[Rows] = []
        self.chunks: list[dict[str, Any]] = []

    def add(self, rows: Rows) -> None:
        """Take rows; a chunk that is full is written."""
        self._waiting.append(rows)
        if sum(len(waiting.X) for waiting in self._waiting) >= self._plan.chunk_rows:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait."""
        waiting = [rows for rows in self._waiting if len(rows.X)]
        self._waiting = []
        if not waiting:
            return
        branch = np.concatenate([route(self._trunk, rows.X) for rows in waiting])
        columns = self._columns(waiting, len(branch))
        name = f"{self._name}-{len(self.chunks):04d}.spill"
        counts: list[int] = []

        def writer(path: Path) -> None:
            counts[:] = write_spill(path, columns, branch, int(self._trunk.n_leaves[0]))

        self._folder.write(name, writer, sync=False)
        self.chunks.append({"name": name, "counts": counts})
        self._first_row += len(branch)

    def _columns(self, waiting: list[Rows], n_rows: int) -> list[NDArray[Any]]:
        """All rows as columns, in the narrowest types that hold them."""
        kinds = spill_types(self._encoding, self._plan)
        parts: list[list[NDArray[Any]]] = [
            [rows.X[:, j] for rows in waiting] for j in range(waiting[0].X.shape[1])
        ]
        if self._encoding.classes is not None:
            parts.append([rows.y for rows in waiting])
        else:
            parts.extend([rows.y[:, j] for rows in waiting] for j in range(waiting[0].y.shape[1]))
        if waiting[0].weight is not None:
            parts.append([rows.weight for rows in waiting if rows.weight is not None])
        if self._plan.keep_rows:
            parts.append([np.arange(self._first_row, self._first_row + n_rows)])
        return [
            np.concatenate(part).astype(kind, copy=False)
            for part, kind in zip(parts, kinds, strict=True)
        ]


def spill_types(encoding: Encoding, plan: FilePlan) -> list[str]:
    """Types of the columns of a spill file: features, responses, weight, row number."""
    kinds = ["<f4" if narrow else "<f8" for narrow in encoding.narrow]
    if encoding.classes is not None:
        kinds.append("<i4")
    else:
        kinds.extend("<f4" if encoding.narrow_target else "<f8" for _ in plan.roles.targets)
    return [*kinds, *(["<f8"] if plan.roles.weight else []), *(["<i4"] if plan.keep_rows else [])]


def spill_row_bytes(encoding: Encoding, plan: FilePlan) -> int:
    """Bytes of one row in a spill file."""
    return sum(np.dtype(kind).itemsize for kind in spill_types(encoding, plan))
