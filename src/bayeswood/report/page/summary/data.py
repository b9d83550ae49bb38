"""The data as the model saw them: kinds of columns, missing cells, levels, and what to note."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.page.summary.rows import ReportRows
from bayeswood.table import identifiers

F64 = NDArray[np.float64]

MOST_COLUMNS = 100
MOST_LEVELS = 8
_N_BARS = 16


@dataclass(frozen=True)
class Bars:
    """Numbers of rows: in equally wide parts of a range, or by level.

    Attributes
    ----------
    counts : tuple of int
    labels : tuple of str
        Of levels; empty for a range.
    low, high : float
        Ends of the range.
    n_others : int
        Rows of levels that are not listed.
    """

    counts: tuple[int, ...]
    labels: tuple[str, ...] = ()
    low: float = float("nan")
    high: float = float("nan")
    n_others: int = 0


@dataclass(frozen=True)
class ColumnSummary:
    """A column that trees split on.

    Attributes
    ----------
    name : str
    kind : str
        "number", "category", or the part of a date.
    n_missing : int
    n_distinct : int
        Values that occur in these rows; of a category, its levels in training.
    low, median, high : float
        Of numbers; NaN for categories.
    bars : Bars
    importance : float
        Share of what the splits gain.
    notes : tuple of str
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    low: float
    median: float
    high: float
    bars: Bars
    importance: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class DataSummary:
    """What the rows of a report look like.

    Attributes
    ----------
    n_rows, n_given : int
        Rows of the report, and those that they were drawn from.
    target : str
    response : Bars
        Of the true classes or numbers.
    columns : tuple of ColumnSummary
        In the order of the table; of a wide one those that trees use most.
    n_columns : int
        All of them.
    is_weighted : bool
    notes : tuple of str
        About the table as a whole.
    """

    n_rows: int
    n_given: int
    target: str
    response: Bars
    columns: tuple[ColumnSummary, ...]
    n_columns: int
    is_weighted: bool
    notes: tuple[str, ...]


def summarize_data(rows: ReportRows, notes: tuple[str, ...] = ()) -> DataSummary:
    """Describe the rows; `notes` come from whoever read them."""
    named = identifiers(rows.encoded, rows.schema)
    n_columns = len(rows.schema.columns)
    used = np.sort(np.argsort(-rows.importances, kind="stable")[:MOST_COLUMNS])
    return DataSummary(
        n_rows=len(rows),
        n_given=rows.n_given,
        target=rows.target,
        response=_level_bars(rows.y) if rows.is_classifier else number_bars(rows.y),
        columns=tuple(_column(rows, int(j), named) for j in used),
        n_columns=n_columns,
        is_weighted=rows.is_weighted,
        notes=(*notes, *_table_notes(rows)),
    )


def _table_notes(rows: ReportRows) -> Iterator[str]:
    for moments in rows.schema.moments:
        yield f"{moments.name} was taken apart into {', '.join(moments.names)}."
    if rows.is_classifier:
        unknown = rows.y[~np.isin(rows.y, rows.classes.classes)]
        if len(unknown):
            names = ", ".join(map(str, np.unique(unknown)[:5]))
            yield (
                f"{len(unknown):,} rows have a class that the model never saw ({names}): it can "
                "only get them wrong."
            )


def _column(rows: ReportRows, j: int, named: dict[str, Any]) -> ColumnSummary:
    described = rows.schema.columns[j]
    values = rows.encoded[:, j]
    is_category = described.kind == "category"
    present = values[~np.isnan(values)]
    if is_category:
        codes = present[present >= 0].astype(np.intp)
        labels = np.array([str(level) for level in described.levels], dtype=object)
        bars = _level_bars(labels[codes])
    else:
        bars = number_bars(present)
    spread = np.quantile(present, (0, 0.5, 1)) if present.size and not is_category else [np.nan] * 3
    return ColumnSummary(
        name=described.name,
        kind=_kind(rows, described.name, is_category),
        n_missing=len(values) - len(present),
        n_distinct=len(described.levels) if is_category else len(np.unique(present)),
        low=float(spread[0]),
        median=float(spread[1]),
        high=float(spread[2]),
        bars=bars,
        importance=float(rows.importances[j]),
        notes=tuple(_column_notes(rows, j, present, described.name in named)),
    )


def _kind(rows: ReportRows, name: str, is_category: bool) -> str:
    for moments in rows.schema.moments:
        if name in moments.names:
            return f"part of a {moments.kind}"
    return "category" if is_category else "number"


def _column_notes(rows: ReportRows, j: int, present: F64, names_rows: bool) -> Iterator[str]:
    n_unseen = int(np.count_nonzero(present < 0)) if _is_category(rows, j) else 0
    if n_unseen:
        yield f"levels that the model never saw, taken as missing: {n_unseen:,}"
    if not present.size:
        yield "missing throughout"
    elif len(np.unique(present)) == 1:
        yield "one value throughout"
    if names_rows:
        yield "nearly names the row: nothing can be learnt from it"
    if rows.importances[j] == 0:
        yield "no tree splits on it"


def _is_category(rows: ReportRows, j: int) -> bool:
    return rows.schema.columns[j].kind == "category"


def number_bars(values: F64) -> Bars:
    """Rows in equally wide parts; what is far out, beyond the 0.5 % quantiles, in the last ones."""
    if not values.size:
        return Bars(())
    low, high = (float(v) for v in np.quantile(values, (0.005, 0.995)))
    if low == high:
        low, high = float(values.min()), float(values.max())
    if low == high:
        return Bars((len(values),), low=low, high=high)
    counts, _ = np.histogram(np.clip(values, low, high), _N_BARS, (low, high))
    return Bars(tuple(int(n) for n in counts), low=low, high=high)


def _level_bars(labels: NDArray[Any]) -> Bars:
    found, counts = np.unique(labels, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
    shown = tuple(int(counts[k]) for k in order)
    return Bars(shown, tuple(str(found[k]) for k in order), n_others=len(labels) - sum(shown))
