"""First reading of the rows: levels, classes, totals, and the rows of the sample."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from socket import gethostname
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.batches import read_batches, same_file
from bayeswood.distributed.files.encoding import (
    Encoding,
    LevelsSeen,
    Rows,
    Totals,
    join_classes,
    naming_rows,
    narrow_columns,
    read_numbers,
    read_weight,
)
from bayeswood.distributed.files.file_plan import FilePlan, Fragment, RowNumbers
from bayeswood.distributed.pieces.row_sample import keys_of, row_keys, smallest_keys
from bayeswood.distributed.tasks.fit_state import known_numbers, known_plan
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.errors import BayeswoodError
from bayeswood.progress import Report
from bayeswood.table import (
    check_response_size,
    classes_from_plain,
    classes_to_plain,
    fit_class_target,
    weight_exponent,
)
from bayeswood.table.exact_sum import UNIT, exact_sum


def scan_name(index: int) -> str:
    """Name of what a scan of one fragment leaves."""
    return f"scan/{index:06d}"


def fragment_batches(
    plan: FilePlan,
    fragment: Fragment,
    report: Report | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[tuple[int, Any]]:
    """The batches of a fragment, each with the place of its first row in the file."""
    file = plan.files[fragment.file]
    if not os.path.exists(file.path):
        raise BayeswoodError(
            f"'{file.path}' is not there, as seen from the machine '{gethostname()}'. All workers "
            f"of {plan.owner} must see the files under the same paths."
        )
    if not same_file(file):
        raise BayeswoodError(
            f"'{file.path}' has changed since {plan.owner} looked at it first. Fit again without "
            "resume=True."
        )
    groups = range(fragment.start, fragment.stop)
    row = fragment.first_row
    for batch in read_batches(file, columns or plan.roles.columns, groups, plan.batch_rows):
        if batch.num_rows:
            yield row, batch
        row += batch.num_rows
        if report is not None:
            report(row - fragment.first_row, fragment.n_rows)
    if row - fragment.first_row != fragment.n_rows:
        raise BayeswoodError(
            f"'{file.path}' holds {row - fragment.first_row} rows where it says that it has "
            f"{fragment.n_rows}."
        )


def count_fragment(folder: WorkFolder, index: int, report: Report | None = None) -> dict[str, Any]:
    """Count the rows of a fragment whose weight is not 0; a task.

    Parameters
    ----------
    folder : WorkFolder
        Holds the plan; gets ``count/INDEX.json``.
    index : int
        Number of the fragment.
    report : callable, default=None
        Called with rows done and rows in all.

    Returns
    -------
    dict
        ``n_rows``.
    """
    name = f"count/{index:06d}"
    if not folder.has(f"{name}.json"):
        plan = known_plan(folder)
        fragment = plan.fragments[index]
        path, n_rows = plan.files[fragment.file].path, 0
        for row, batch in fragment_batches(plan, fragment, report, [str(plan.roles.weight)]):
            with naming_rows(path, row, batch.num_rows):
                weight = read_weight(batch, plan.roles, plan.owner)
            n_rows += batch.num_rows if weight is None else int((weight > 0).sum())
        folder.write_json(name, {"n_rows": n_rows})
    found: dict[str, Any] = folder.read_json(name)
    return found


def scan_fragment(folder: WorkFolder, index: int, report: Report | None = None) -> dict[str, Any]:
    """Read one fragment for the first time; a task.

    Parameters
    ----------
    folder : WorkFolder
        Holds the plan; gets ``scan/INDEX.json`` and, with the sampled rows,
        ``scan/INDEX.arrow``.
    index : int
        Number of the fragment.
    report : callable, default=None
        Called with rows done and rows in all.

    Returns
    -------
    dict
        What ``scan/INDEX.json`` holds.
    """
    name = scan_name(index)
    if folder.has(f"{name}.json"):
        found: dict[str, Any] = folder.read_json(name)
        return found
    plan, numbers = known_plan(folder), known_numbers(folder)
    seen = SeenRows(plan)
    folder.write(
        f"{name}.arrow",
        lambda path: _scan_into(path, plan, numbers, index, seen, report),
        sync=False,
    )
    plain = seen.to_json()
    folder.write_json(name, plain)
    return plain


def _scan_into(
    path: Path,
    plan: FilePlan,
    numbers: RowNumbers,
    index: int,
    seen: "SeenRows",
    report: Report | None,
) -> None:
    """See all rows of a fragment and write those of the sample."""
    import pyarrow as pa

    writer = None
    fragment, first = plan.fragments[index], numbers.first_rows[index]
    file = plan.files[fragment.file]
    with pa.OSFile(str(path), "wb") as sink:
        for row, batch in fragment_batches(plan, fragment, report):
            with naming_rows(file.path, row, batch.num_rows):
                taking_part = np.flatnonzero(seen.add(batch))
            keys = row_keys(plan.seed, first, len(taking_part))
            chosen = np.flatnonzero(keys <= np.uint64(numbers.sample_limit))
            sample = _sampled(batch, taking_part[chosen], first + chosen)
            first += len(taking_part)
            if writer is None:
                writer = pa.ipc.new_file(sink, sample.schema)
            writer.write_batch(sample)
        if writer is not None:
            writer.close()


def _sampled(batch: Any, chosen: NDArray[Any], rows: NDArray[Any]) -> Any:
    """Some rows of a batch, and their numbers in a last column."""
    import pyarrow as pa

    taken = batch.take(pa.array(chosen))
    columns = [_decoded(column) for column in taken.columns]
    names = [f"c{place}" for place in range(len(columns))]
    return pa.record_batch([*columns, pa.array(rows, pa.int64())], names=[*names, "row"])


def _decoded(column: Any) -> Any:
    # Batches may pack the same words under different numbers.
    import pyarrow as pa

    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


class SeenRows:
    """What the rows so far have shown."""

    def __init__(self, plan: FilePlan) -> None:
        self._plan = plan
        self._levels = LevelsSeen(plan.roles, plan.types, plan.owner)
        self._classes: NDArray[Any] | None = None
        self._n_rows = 0
        self._sum_w = 0
        self._largest_w = 0.0
        self._largest_y = np.zeros(0 if plan.is_classifier else len(plan.roles.targets))

    def add(self, batch: Any) -> NDArray[np.bool_]:
        """See a batch, and tell which of its rows take part: those whose weight is not 0."""
        plan = self._plan
        _refuse_infinite(batch, plan)
        self._levels.add(batch)
        self._add_target(batch)
        weight = read_weight(batch, plan.roles, plan.owner)
        if weight is None:
            self._n_rows += batch.num_rows
            self._sum_w += batch.num_rows * UNIT
            return np.ones(batch.num_rows, dtype=np.bool_)
        self._n_rows += int((weight > 0).sum())
        self._sum_w += exact_sum(weight)
        self._largest_w = max(self._largest_w, float(weight.max()))
        return weight > 0

    def _add_target(self, batch: Any) -> None:
        import pyarrow as pa

        plan = self._plan
        if not plan.is_classifier:
            y = read_numbers(batch, plan.roles, plan.owner)
            self._largest_y = np.maximum(self._largest_y, np.abs(y).max(axis=0))
            return
        column = pa.chunked_array([batch.column(plan.roles.targets[0])])
        found = fit_class_target(column, plan.owner)[1]
        self._classes = found if self._classes is None else join_classes([self._classes, found])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        classes = self._classes
        return {
            "n_rows": self._n_rows,
            "sum_w": self._sum_w,
            "largest_w": self._largest_w,
            "largest_y": self._largest_y.tolist(),
            "levels": self._levels.found(),
            "classes": None if classes is None else classes_to_plain(classes),
        }


def _refuse_infinite(batch: Any, plan: FilePlan) -> None:
    """Refuse an infinite feature here, where file and row can be named."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in plan.roles.features:
        column = batch.column(name)
        if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            row = pc.is_inf(column).index(True).as_py()
            raise BayeswoodError(
                f"Input X contains infinity: column {name!r}, row {row}. {plan.owner} takes NaN "
                "for a missing value, but no infinite ones."
            )


def join_scans(plan: FilePlan, scans: Sequence[dict[str, Any]]) -> tuple[Encoding, Totals]:
    """The one encoding of all rows, and their totals."""
    levels = LevelsSeen(plan.roles, plan.types, plan.owner)
    for scan in scans:
        levels.merge({name: (kind, found) for name, (kind, found) in scan["levels"].items()})
    schema = levels.schema()
    classes = None
    if plan.is_classifier:
        found = [classes_from_plain(scan["classes"], "A scan of rows") for scan in scans]
        classes = join_classes(found)
    else:
        largest = np.max([scan["largest_y"] for scan in scans], axis=0)
        check_response_size(largest, "the target", plan.owner)
    exponent = weight_exponent(max(scan["largest_w"] for scan in scans))
    encoding = Encoding(
        plan.roles,
        schema,
        narrow_columns(plan.types, schema),
        classes,
        all(plan.types[name] == "float" for name in plan.roles.targets),
        exponent,
        plan.owner,
    )
    total = sum(scan["sum_w"] for scan in scans)
    weight = total / (UNIT << exponent) if exponent >= 0 else (total << -exponent) / UNIT
    return encoding, Totals(sum(scan["n_rows"] for scan in scans), weight)


def read_sample(folder: WorkFolder, plan: FilePlan, size: int, encoding: Encoding) -> Rows:
    """The rows of a sample of this size, in the order of their numbers."""
    import pyarrow as pa

    tables = []
    for index in range(len(plan.fragments)):
        with pa.OSFile(str(folder.path / f"{scan_name(index)}.arrow"), "rb") as source:
            tables.append(pa.ipc.open_file(source).read_all())
    table = pa.concat_tables(tables)
    rows = table.column("row").to_numpy()
    keys = keys_of(plan.seed, rows.astype(np.uint64))
    if len(rows) > size:
        table = table.take(pa.array(smallest_keys(keys, size)))
    named = table.select(range(table.num_columns - 1)).rename_columns(list(plan.roles.columns))
    batch = named.combine_chunks().to_batches(max_chunksize=max(1, named.num_rows))
    return encoding.encode(batch[0])
