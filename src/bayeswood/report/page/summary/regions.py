"""Do probabilities and intervals keep their word everywhere? By group of rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.page.summary.rows import ReportRows
from bayeswood.uncertainty import (
    NO_DATA_BELOW,
    Reliability,
    class_event,
    clopper_pearson_interval,
    summarize_reliability,
)

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

CONFIDENCE = 0.95
_N_FEATURES = 4
_MOST_LEVELS = 4
_N_BINS = 10
_N_BOOT = 100


@dataclass(frozen=True)
class Region:
    """Some of the rows: what was promised of them, and what was kept.

    Attributes
    ----------
    kind : str
        The feature, or what else the rows are told apart by.
    name : str
        Which of them.
    n_rows : int
    promised : float
        Mean probability of the predicted class, or the level of the intervals.
    kept : float
        Share of the rows that are right, or held.
    lower, upper : float
        Clopper and Pearson's interval of that share.
    """

    kind: str
    name: str
    n_rows: int
    promised: float
    kept: float
    lower: float
    upper: float

    @property
    def is_off(self) -> bool:
        """Whether the promise lies outside of the interval."""
        return not self.lower <= self.promised <= self.upper


@dataclass(frozen=True, eq=False)
class RegionSummary:
    """Promises and what became of them.

    Attributes
    ----------
    reliability : Reliability or None
        Of a classifier's probabilities.
    regions : tuple of Region
        All rows first.
    confidence : float
        Of the intervals.
    """

    reliability: Reliability | None
    regions: tuple[Region, ...]
    confidence: float


def summarize_regions(rows: ReportRows) -> RegionSummary | None:
    """Promise and truth by region; None where nothing is promised."""
    if not rows.is_classifier and not rows.has_intervals:
        return None
    promised = np.full(len(rows), rows.coverage)
    reliability = None
    if rows.is_classifier:
        found = rows.classes
        promised = found.proba[
            np.arange(len(rows)), np.searchsorted(found.classes, found.predicted)
        ]
        event, probability, name = class_event(rows.y, found.proba, found.classes)
        reliability = summarize_reliability(
            event,
            probability,
            n_bins=_N_BINS,
            n_boot=_N_BOOT,
            confidence=CONFIDENCE,
            name=name,
            rng=rows.seed,
        )
    groups = [("all rows", "", np.ones(len(rows), dtype=np.bool_)), *_groups(rows, promised)]
    regions = tuple(
        _region(kind, name, promised[mask], rows.is_good[mask])
        for kind, name, mask in groups
        if mask.any()
    )
    return RegionSummary(reliability, regions, CONFIDENCE)


def _region(kind: str, name: str, promised: F64, good: Mask) -> Region:
    n_good, n_rows = int(good.sum()), len(good)
    low, high = clopper_pearson_interval(n_good, n_rows, CONFIDENCE)
    return Region(
        kind, name, n_rows, float(promised.mean()), n_good / n_rows, float(low), float(high)
    )


def _groups(rows: ReportRows, promised: F64) -> Iterator[tuple[str, str, Mask]]:
    if not rows.is_classifier:
        width = rows.numbers.upper - rows.numbers.lower
        yield from _thirds("width of the interval", width)
    else:
        yield from _thirds("probability of the predicted class", promised)
    if rows.support is not None:
        is_alone = rows.support < NO_DATA_BELOW
        yield "data near", "no", is_alone
        yield "data near", "yes", ~is_alone
    order = np.argsort(-rows.importances, kind="stable")[:_N_FEATURES]
    for j in order[rows.importances[order] > 0]:
        yield from _feature_groups(rows, int(j))


def _feature_groups(rows: ReportRows, j: int) -> Iterator[tuple[str, str, Mask]]:
    column, values = rows.schema.columns[j], rows.encoded[:, j]
    is_category = column.kind == "category"
    missing = np.isnan(values) | (values < 0) if is_category else np.isnan(values)
    if is_category:
        yield from _levels(column, values)
    else:
        yield from _thirds(column.name, values)
    yield column.name, "missing", missing


def _levels(column: Any, values: F64) -> Iterator[tuple[str, str, Mask]]:
    known = values >= 0  # NaN is not
    codes, counts = np.unique(values[known].astype(np.intp), return_counts=True)
    commonest = codes[np.argsort(-counts, kind="stable")[:_MOST_LEVELS]]
    for code in commonest:
        yield column.name, str(column.levels[code]), values == code
    yield column.name, "other levels", known & ~np.isin(values, commonest)


def _thirds(kind: str, values: F64) -> Iterator[tuple[str, str, Mask]]:
    present = values[~np.isnan(values)]
    if not present.size:
        return
    low, high = np.quantile(present, (1 / 3, 2 / 3))
    yield kind, f"up to {low:.4g}", values <= low
    yield kind, f"{low:.4g} to {high:.4g}", (values > low) & (values <= high)
    yield kind, f"above {high:.4g}", values > high
