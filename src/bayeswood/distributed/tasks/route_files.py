"""Second reading of the rows: each goes to the spill of its branch."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.encoding import Encoding, Rows, naming_rows
from bayeswood.distributed.files.file_plan import FilePlan
from bayeswood.distributed.pieces.route import route
from bayeswood.distributed.tasks.fit_state import FitState, known_state
from bayeswood.distributed.tasks.scan import fragment_batches
from bayeswood.distributed.tasks.spill import write_spill
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.progress import Report


def route_name(round_: int, index: int) -> str:
    """Name of what the routing of one fragment leaves; a deeper trunk routes once more."""
    return f"route-{round_}/{index:06d}"


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
    state = known_state(folder, round_)
    spill = _Spill(folder, name, state, state.numbers.first_rows[index])
    fragment = state.plan.fragments[index]
    file = state.plan.files[fragment.file]
    for row, batch in fragment_batches(state.plan, fragment, report):
        with naming_rows(file.path, row, batch.num_rows):
            rows = state.encoding.encode(batch)
        spill.add(rows)
    spill.flush()
    folder.write_json(name, {"chunks": spill.chunks})
    return {"chunks": spill.chunks}


class _Spill:
    """Rows on their way to the spill files of one fragment."""

    def __init__(self, folder: WorkFolder, name: str, state: FitState, first_row: int) -> None:
        self._folder = folder
        self._name = name
        self._plan = state.plan
        self._encoding = state.encoding
        self._trunk = state.trunk
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
