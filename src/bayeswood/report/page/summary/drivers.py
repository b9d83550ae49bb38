"""What drives the predictions: importances, Shapley values and partial dependence, with bands."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.posterior import partial_dependence, permutation_importance
from bayeswood.progress import Report
from bayeswood.report.page.summary.explained import ExplainedRows
from bayeswood.report.page.summary.rows import ReportRows

F64 = NDArray[np.float64]

MOST_FEATURES = 12
MOST_SWARMS = 4
_N_CURVES = 6
_PERMUTED_ROWS = 400
_N_REPEATS = 3
_CURVE_ROWS, _CURVE_POINTS = 200, 30
_MOST_LEVELS = 8
_N_BANDS = 25
_PURPOSE = 3


@dataclass(frozen=True)
class FeatureImportance:
    """What one feature is worth.

    Attributes
    ----------
    name : str
    lost, lower, upper : float
        Score that is lost when its values are shuffled: mean over the members and band; NaN where
        that was not measured.
    moved : float
        Mean size of its Shapley values, summed over outputs.
    gained, gained_spread : float
        Share of what splits gain at fit, and its standard deviation over the members.
    """

    name: str
    lost: float
    lower: float
    upper: float
    moved: float
    gained: float
    gained_spread: float


@dataclass(frozen=True, eq=False)
class SwarmLine:
    """The Shapley values of one feature.

    Attributes
    ----------
    name : str
    values : ndarray, (n_rows,)
    level : ndarray, (n_rows,)
        Rank of the feature's value, from 0 to 1; NaN for categories and missing cells.
    banded : ndarray of int
        Rows whose bands are drawn.
    lower, upper : ndarray
        Their bands.
    band_width : float
        Mean width of the bands of all rows.
    """

    name: str
    values: F64
    level: F64
    banded: NDArray[np.intp]
    lower: F64
    upper: F64
    band_width: float


@dataclass(frozen=True, eq=False)
class Swarm:
    """Shapley values of many rows.

    Attributes
    ----------
    output : str
        What is explained.
    lines : tuple of SwarmLine
        Largest first.
    n_hidden : int
        Features that are not shown.
    """

    output: str
    lines: tuple[SwarmLine, ...]
    n_hidden: int


@dataclass(frozen=True, eq=False)
class Curve:
    """Mean prediction over one feature.

    Attributes
    ----------
    feature : str
    labels : tuple of str
        Levels of a category; empty for numbers.
    grid, mean, lower, upper : ndarray
    """

    feature: str
    labels: tuple[str, ...]
    grid: F64
    mean: F64
    lower: F64
    upper: F64


@dataclass(frozen=True, eq=False)
class DriverSummary:
    """What drives the predictions.

    Attributes
    ----------
    importances : tuple of FeatureImportance
        Largest first.
    n_hidden : int
        Features that are not shown.
    score : str
        By which shuffling was judged; empty if it was not measured.
    coverage : float
        Of the bands.
    n_permuted : int
        Rows that were shuffled.
    swarms : tuple of Swarm
    n_swarm_rows : int
    curves : tuple of Curve
    curve_of : str
        What the curves show.
    """

    importances: tuple[FeatureImportance, ...]
    n_hidden: int
    score: str
    coverage: float
    n_permuted: int
    swarms: tuple[Swarm, ...]
    n_swarm_rows: int
    curves: tuple[Curve, ...]
    curve_of: str


def summarize_drivers(
    rows: ReportRows, explained: ExplainedRows, progress: Report | None = None
) -> DriverSummary:
    """Measure what each feature does."""
    moved = np.abs(explained.values[explained.is_random]).mean(axis=0).sum(axis=1)
    n_curves = min(_N_CURVES, len(moved))
    lost, score, n_permuted = _permuted(rows)
    if progress is not None:
        progress(1, 1 + n_curves)
    order = np.argsort(-moved, kind="stable")
    curves = []
    outputs = _outputs(rows)
    for done, j in enumerate(order[:n_curves]):
        curves.append(_curve(rows, int(j), outputs[0]))
        if progress is not None:
            progress(2 + done, 1 + n_curves)
    found = [_importance(rows, int(j), lost, moved) for j in order]
    found.sort(key=lambda one: -one.lost if lost else 0.0)
    return DriverSummary(
        importances=tuple(found[:MOST_FEATURES]),
        n_hidden=max(0, len(order) - MOST_FEATURES),
        score=score,
        coverage=rows.coverage,
        n_permuted=n_permuted,
        swarms=tuple(_swarm(rows, explained, k) for k in outputs),
        n_swarm_rows=int(explained.is_random.sum()),
        curves=tuple(curve for curve in curves if curve is not None),
        curve_of=_output_name(rows, outputs[0]),
    )


def _outputs(rows: ReportRows) -> list[int]:
    """Outputs to show: the response, the second of two classes, or the commonest of many."""
    if not rows.is_classifier:
        return [0]
    classes = rows.classes.classes
    if len(classes) == 2:
        return [1]
    counts = [int(np.count_nonzero(rows.y == label)) for label in classes]
    order = np.argsort(-np.array(counts), kind="stable")
    return [int(k) for k in order[:MOST_SWARMS]]


def _output_name(rows: ReportRows, output: int) -> str:
    if not rows.is_classifier:
        return rows.target
    return f"probability of {rows.classes.classes[output]}"


def _permuted(rows: ReportRows) -> tuple[dict[str, tuple[float, float, float]], str, int]:
    """By feature: score that is lost when it is shuffled."""
    chosen = rows.sample(_PERMUTED_ROWS, _PURPOSE)
    if rows.is_classifier:
        chosen = chosen[np.isin(rows.y[chosen], rows.classes.classes)]
    if len(chosen) < 2:
        return {}, "", 0
    score = "brier" if rows.is_classifier else "mse"
    found = permutation_importance(
        rows.model,
        rows.take(chosen),
        rows.y[chosen],
        score=score,
        n_repeats=_N_REPEATS,
        coverage=rows.coverage,
        rng=[rows.seed, _PURPOSE],
    )
    ends = zip(found.mean.tolist(), found.lower.tolist(), found.upper.tolist(), strict=True)
    return dict(zip(found.names, ends, strict=True)), score, len(chosen)


def _importance(
    rows: ReportRows, j: int, lost: dict[str, tuple[float, float, float]], moved: F64
) -> FeatureImportance:
    name = rows.schema.names[j]
    return FeatureImportance(
        name,
        *lost.get(name, (np.nan, np.nan, np.nan)),
        moved=float(moved[j]),
        gained=float(rows.importances[j]),
        gained_spread=float(np.asarray(rows.model.feature_importances_std_)[j]),
    )


def _swarm(rows: ReportRows, explained: ExplainedRows, output: int) -> Swarm:
    shown = np.flatnonzero(explained.is_random)
    values = explained.values[shown, :, output]
    order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[:MOST_FEATURES]
    banded = np.unique(np.linspace(0, len(shown) - 1, _N_BANDS).astype(np.intp))
    lines = []
    for j in order:
        lower = explained.lower[shown, j, output]
        upper = explained.upper[shown, j, output]
        lines.append(
            SwarmLine(
                rows.schema.names[j],
                values[:, j],
                _ranks(rows, explained.rows[shown], int(j)),
                banded,
                lower[banded],
                upper[banded],
                float((upper - lower).mean()),
            )
        )
    return Swarm(_output_name(rows, output), tuple(lines), values.shape[1] - len(lines))


def _ranks(rows: ReportRows, shown: NDArray[np.intp], j: int) -> F64:
    """Where each value lies among all rows, from 0 to 1."""
    values = rows.encoded[:, j]
    if rows.schema.columns[j].kind == "category":
        return np.full(len(shown), np.nan)
    present = np.sort(values[~np.isnan(values)])
    here = values[shown]
    middle = np.searchsorted(present, here, "left") + np.searchsorted(present, here, "right")
    share: F64 = middle / max(2 * len(present), 1)
    return np.where(np.isnan(here), np.nan, share)


def _curve(rows: ReportRows, j: int, output: int) -> Curve | None:
    column, values = rows.schema.columns[j], rows.encoded[:, j]
    target: Any = rows.classes.classes[output] if rows.is_classifier else None
    asked: dict[str, Any] = {"target": target, "coverage": rows.coverage}
    if column.kind == "category":
        codes, counts = np.unique(values[values >= 0].astype(np.intp), return_counts=True)
        if not len(codes):
            return None
        commonest = codes[np.argsort(-counts, kind="stable")[:_MOST_LEVELS]]
        asked["grid"] = [column.levels[code] for code in commonest]
    elif np.isnan(values).all():
        return None
    found = partial_dependence(
        rows.model,
        rows.table,
        int(j),
        n_grid=_CURVE_POINTS,
        max_rows=_CURVE_ROWS,
        rng=[rows.seed, _PURPOSE],
        **asked,
    )
    labels = tuple(str(level) for level in found.grid) if found.is_category else ()
    grid = np.arange(len(labels)) if labels else found.grid
    return Curve(
        found.feature, labels, np.asarray(grid, np.float64), found.mean, found.lower, found.upper
    )
