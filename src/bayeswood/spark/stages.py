"""What runs inside Spark's executors: functions from batches of Arrow to batches of Arrow.

Each takes all batches of a partition and plain arguments, and keeps nothing. Rows travel between
partitions packed by branch, as raw columns: Spark moves bytes and never looks at a value.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.encoding import Encoding, Rows, read_weight
from bayeswood.distributed.files.file_plan import FilePlan
from bayeswood.distributed.pieces.branch import BranchPlan, fit_branch
from bayeswood.distributed.pieces.route import route
from bayeswood.distributed.pieces.trunk import branch_depths
from bayeswood.distributed.tasks.fit_branch import branch_arrays
from bayeswood.distributed.tasks.fit_state import forest_of
from bayeswood.distributed.tasks.route_files import spill_types
from bayeswood.distributed.tasks.scan import SeenRows
from bayeswood.errors import BayeswoodError
from bayeswood.spark.row_ids import BlockCounts, IdBlocks

Batches = Iterator[Any]
I64 = NDArray[np.int64]
#: Packed rows: bytes, or a buffer of Arrow that is not copied.
Packet = Any

#: Columns of what the stages give.
FOUND = "kind string, found string"
PARTED_IDS = "part int, id bigint"
SAMPLED_IDS = "id bigint, number bigint, error string"
COUNTED = "branch int, n_rows bigint"
PACKED = "branch int, packed binary"
FITTED = "branch int, part int, fitted binary"

# Rows gathered before they are packed by branch: packets are then neither tiny nor large.
_PACKET_ROWS = 200_000
# Bytes of a fitted branch that travel together: a value of Spark or Arrow has 2 GB at most.
_PART_BYTES = 2**26


def scan_rows(batches: Batches, plan: dict[str, Any], row_id: str) -> Batches:
    """See all rows for the first time: `FOUND`, one row of plain data, or of an error."""
    seen, counts, n_seen = SeenRows(FilePlan.from_json(plan)), BlockCounts(), 0
    try:
        for batch in batches:
            if batch.num_rows:
                with naming_batch(batch, row_id):
                    counts.add(ids_of(_some(batch, seen.add(batch)), row_id))
                n_seen += batch.num_rows
    except BayeswoodError as error:
        yield _found(type(error).__name__, str(error))
        return
    if n_seen:
        yield _found("scan", json.dumps({"scan": seen.to_json(), "ids": counts.to_json()}))


def _found(kind: str, found: str) -> Any:
    import pyarrow as pa

    return pa.record_batch({"kind": [kind], "found": [found]})


@contextmanager
def naming_batch(batch: Any, row_id: str) -> Iterator[None]:
    """Say of an error among which rows it arose."""
    try:
        yield
    except BayeswoodError as error:
        first = batch.column(row_id)[0].as_py()
        place = (
            f"In {batch.num_rows} rows of the data frame that begin with {row_id} {first} (rows "
            "below count from there): "
        )
        raise type(error)(place + str(error)) from error


def ids_of(batch: Any, row_id: str) -> I64:
    """The ids of a batch."""
    column = batch.column(row_id)
    if column.null_count:
        raise BayeswoodError(f"Column {row_id!r} is missing in a row; every row needs its own id.")
    found: I64 = column.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def taking_part(batch: Any, plan: FilePlan) -> Any:
    """The rows of a batch whose weight is not 0."""
    weight = read_weight(batch, plan.roles, plan.owner)
    return batch if weight is None else _some(batch, weight > 0)


def _some(batch: Any, chosen: NDArray[np.bool_]) -> Any:
    import pyarrow as pa

    return batch if chosen.all() else batch.filter(pa.array(chosen))


def part_ids(
    batches: Batches, plan: dict[str, Any], row_id: str, blocks: IdBlocks, n_parts: int
) -> Batches:
    """The id of every row that takes part, and the partition of its block: `PARTED_IDS`."""
    import pyarrow as pa

    known = FilePlan.from_json(plan)
    for batch in batches:
        ids = ids_of(taking_part(batch, known), row_id)
        yield pa.record_batch({"part": blocks.parts(ids, n_parts), "id": ids})


def sample_ids(batches: Batches, blocks: IdBlocks, seed: int, limit: int, row_id: str) -> Batches:
    """Ids and numbers of the rows of the sample, among whole blocks: `SAMPLED_IDS`."""
    import pyarrow as pa

    ids = np.concatenate([np.empty(0, np.int64), *(ids_of(batch, "id") for batch in batches)])
    try:
        chosen, numbers = blocks.sampled(ids, seed, limit, row_id)
    except BayeswoodError as error:
        yield pa.record_batch({"id": [0], "number": [0], "error": [str(error)]})
        return
    yield pa.record_batch(
        {"id": chosen, "number": numbers, "error": pa.nulls(len(chosen), pa.string())}
    )


def take_rows(batches: Batches, row_id: str, chosen: I64) -> Batches:
    """The rows whose ids are among some that are sorted."""
    import pyarrow as pa

    for batch in batches:
        ids = ids_of(batch, row_id)
        place = np.minimum(np.searchsorted(chosen, ids), len(chosen) - 1)
        yield batch.filter(pa.array(chosen[place] == ids))


@dataclass(frozen=True)
class Packing:
    """How rows are packed: columns one after another, in the narrowest types that hold them.

    Attributes
    ----------
    kinds : tuple of str
        Types of features, responses and weight.
    n_features, n_outputs : int
        How many of them are features and responses.
    has_weight : bool
        Whether the last of them is the weight.
    """

    kinds: tuple[str, ...]
    n_features: int
    n_outputs: int
    has_weight: bool

    @classmethod
    def of(cls, plan: FilePlan, encoding: Encoding) -> "Packing":
        """The packing of the rows of a fit; ids are always there, row numbers are not."""
        kinds = tuple(spill_types(encoding, replace(plan, keep_rows=False)))
        n_outputs = len(plan.roles.targets)
        return cls(kinds, len(encoding.narrow), n_outputs, plan.roles.weight is not None)

    @property
    def row_bytes(self) -> int:
        """Bytes of a packed row."""
        return sum(np.dtype(kind).itemsize for kind in (*self.kinds, "<i8"))

    def pack(self, rows: Rows, ids: I64) -> bytes:
        """Some rows as bytes."""
        responses = [rows.y] if rows.y.ndim == 1 else list(rows.y.T)
        weight = [] if rows.weight is None else [rows.weight]
        columns = [*rows.X.T, *responses, *weight]
        packed = [column.astype(kind) for column, kind in zip(columns, self.kinds, strict=True)]
        return b"".join(column.tobytes() for column in (*packed, ids.astype("<i8")))

    def unpack(self, packets: list[Packet], matrix_type: Any, of_classes: bool) -> tuple[Rows, I64]:
        """All rows of some packets, in the order of their ids; one column at a time is a copy."""
        parts = [self._columns(packet) for packet in packets]
        ids = np.concatenate([part[-1] for part in parts])
        order = np.argsort(ids, kind="stable")

        def ordered(column: int) -> NDArray[Any]:
            return np.concatenate([part[column] for part in parts])[order]

        X = np.empty((len(order), self.n_features), dtype=matrix_type, order="F")
        for j in range(self.n_features):
            X[:, j] = ordered(j)
        if of_classes:
            y: NDArray[Any] = ordered(self.n_features).astype(np.int32)
        else:
            outputs = range(self.n_features, self.n_features + self.n_outputs)
            y = np.column_stack([ordered(j) for j in outputs]).astype(np.float64)
        weight = ordered(-2).astype(np.float64) if self.has_weight else None
        return Rows(X, y, weight), ids[order]

    def _columns(self, packet: Packet) -> list[NDArray[Any]]:
        kinds = [np.dtype(kind) for kind in (*self.kinds, "<i8")]
        n_rows, start, found = memoryview(packet).nbytes // self.row_bytes, 0, []
        for kind in kinds:
            found.append(np.frombuffer(packet, kind, n_rows, start))
            start += n_rows * kind.itemsize
        return found


def count_rows(batches: Batches, encoding: Encoding, trunk: Mapping[str, NDArray[Any]]) -> Batches:
    """How many rows of a partition the trunk sends to each branch: `COUNTED`."""
    import pyarrow as pa

    forest = forest_of(trunk)
    counts = np.zeros(int(forest.n_leaves[0]), dtype=np.int64)
    for batch in batches:
        if batch.num_rows:
            counts += np.bincount(route(forest, encoding.encode(batch).X), minlength=len(counts))
    found = np.flatnonzero(counts)
    yield pa.record_batch({"branch": pa.array(found, pa.int32()), "n_rows": counts[found]})


def route_rows(
    batches: Batches,
    plan: dict[str, Any],
    row_id: str,
    encoding: Encoding,
    trunk: Mapping[str, NDArray[Any]],
) -> Batches:
    """Encode all rows and pack them by the branch that the trunk sends them to: `PACKED`."""
    known = FilePlan.from_json(plan)
    packing, forest = Packing.of(known, encoding), forest_of(trunk)
    waiting: list[tuple[Rows, I64]] = []
    for batch in batches:
        if batch.num_rows:
            ids = ids_of(taking_part(batch, known), row_id)
            waiting.append((encoding.encode(batch), ids))
        if sum(len(ids) for _, ids in waiting) >= _PACKET_ROWS:
            yield from _packets(waiting, packing, forest)
            waiting = []
    yield from _packets(waiting, packing, forest)


def _packets(waiting: list[tuple[Rows, I64]], packing: Packing, trunk: Any) -> Batches:
    """Rows that wait, one packet per branch."""
    import pyarrow as pa

    if not waiting:
        return
    rows, ids = _joined([part for part, _ in waiting]), np.concatenate([own for _, own in waiting])
    branch = route(trunk, rows.X)
    found = np.unique(branch)
    packets = [packing.pack(rows.take(branch == number), ids[branch == number]) for number in found]
    yield pa.record_batch(
        {"branch": pa.array(found, pa.int32()), "packed": pa.array(packets, pa.binary())}
    )


def _joined(parts: list[Rows]) -> Rows:
    weights = [part.weight for part in parts if part.weight is not None]
    return Rows(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate(weights) if weights else None,
    )


def fit_rows(
    batches: Batches,
    plan: dict[str, Any],
    encoding: Encoding,
    trunk: Mapping[str, NDArray[Any]],
    growth: BranchPlan,
    n_threads: int,
) -> Batches:
    """Fit the branches whose packed rows are all in this partition: `FITTED`."""
    import pyarrow as pa

    packets = _gathered(batches)
    packing = Packing.of(FilePlan.from_json(plan), encoding)
    depths = branch_depths(forest_of(trunk))
    for branch in sorted(packets):
        rows, ids = packing.unpack(
            packets.pop(branch), encoding.matrix_type, encoding.classes is not None
        )
        pa.default_memory_pool().release_unused()
        fitted = _fitted(rows, ids, growth, branch, encoding, int(depths[branch]), n_threads)
        for part, start in enumerate(range(0, len(fitted), _PART_BYTES)):
            own = fitted[start : start + _PART_BYTES]
            yield pa.record_batch(
                {
                    "branch": pa.array([branch], pa.int32()),
                    "part": pa.array([part], pa.int32()),
                    "fitted": pa.array([own], pa.binary()),
                }
            )


def _gathered(batches: Batches) -> dict[int, list[Packet]]:
    """The packets of each branch; nothing is copied, and nothing else keeps them."""
    packets: dict[int, list[Packet]] = {}
    for batch in batches:
        for branch, packet in zip(*batch.columns, strict=True):
            packets.setdefault(branch.as_py(), []).append(packet.as_buffer())
    return packets


def _fitted(
    rows: Rows,
    ids: I64,
    growth: BranchPlan,
    branch: int,
    encoding: Encoding,
    depth: int,
    n_threads: int,
) -> bytes:
    """A fitted branch as bytes; with ids, responses and weights where leaves remember rows."""
    fitted = fit_branch(
        rows.X,
        rows.y,
        rows.weight,
        growth,
        branch,
        n_levels=encoding.schema.n_levels,
        depth=depth,
        n_jobs=min(n_threads, _task_threads()),
    )
    kept: dict[str, Any] = {}
    if growth.keep_rows:
        kept = {"ids": ids, "responses": rows.y}
        kept |= {} if rows.weight is None else {"weights": rows.weight}
    stream = BytesIO()
    plain: dict[str, Any] = {**branch_arrays(fitted), **kept}
    np.savez(stream, **plain)
    return stream.getvalue()


def _task_threads() -> int:
    """Processors that Spark gives to a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 1 if context is None else int(context.cpus())
