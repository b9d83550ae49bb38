"""Judging a calibration on out-of-bag rows, and keeping the judgement in a model file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base import saved_state
from bayeswood.report.calibration import (
    REPORT_COVERAGES,
    CalibrationSummary,
    ClassCalibrationSummary,
    IntervalCalibrationSummary,
    summarize_class_calibration,
    summarize_coverage,
)
from bayeswood.uncertainty import (
    LeftOut,
    Votes,
    interval_levels,
    judge_classes,
    judge_intervals,
    spread_sample,
)

F64 = NDArray[np.float64]

_PREFIX = "report_"
_ABOUT = ("n_trees", "n_training", "n_left_out", "trees_per_row")
_CLASS_ARRAYS = ("scores", "happened", "proba")
_INTERVAL_ARRAYS = ("covered", "width", "rows")
_LARGEST_COUNT = 2.0**53


def describe_left_out(
    counts: NDArray[np.int32], used: NDArray[np.bool_], n_trees: int
) -> dict[str, Any]:
    """How many rows and trees a calibration rests on."""
    return {
        "n_trees": n_trees,
        "n_training": len(counts),
        "n_left_out": int(used.sum()),
        "trees_per_row": float(counts[used].mean()),
    }


def judge_class_calibration(
    votes: Votes,
    label: NDArray[np.intp],
    weights: F64 | None,
    groups: NDArray[np.int32] | None,
    fitted: Mapping[str, Any],
) -> ClassCalibrationSummary:
    """Judge out-of-bag probabilities: all rows, or an evenly spaced part of many.

    `fitted` holds what else the summary says: the calibration, the event, `describe_left_out`.
    """
    chosen = spread_sample(votes.n_rows, votes.n_classes)
    own = None if weights is None else weights[chosen]
    kept_groups = None if groups is None else groups[chosen]
    judged = judge_classes(votes.take(chosen), label[chosen], own, kept_groups)
    if votes.n_classes == 2:
        proba = judged.second_proba
        happened = np.repeat((label[chosen] == 1).astype(np.float64)[:, None], 2, axis=1)
    else:
        proba, happened = judged.top_proba, judged.is_top
    scores = summarize_class_calibration(
        judged.true_proba,
        judged.sum_squares,
        judged.is_top,
        happened,
        proba,
        np.ones(len(proba)) if own is None else own,
    )
    return ClassCalibrationSummary(**fitted, scores=scores, happened=happened, proba=proba)


def event_name(classes: NDArray[Any]) -> str:
    """What the probabilities of a reliability curve are of."""
    return str(classes[1]) if len(classes) == 2 else "the predicted class"


def judge_interval_calibration(
    left_out: list[LeftOut],
    y: F64,
    groups: NDArray[np.int32] | None,
    fitted: Mapping[str, Any],
    by_spread: bool,
) -> IntervalCalibrationSummary:
    """Judge out-of-bag intervals: all rows, or an evenly spaced part of many.

    Parameters
    ----------
    left_out : list of LeftOut
        For each response.
    y : ndarray, (n_rows, n_outputs)
        Responses.
    groups : ndarray, (n_rows,) or None
        Rows of a group share a fold.
    fitted : mapping
        What else the summary says: the calibration and `describe_left_out`.
    by_spread : bool
        Whether quantiles of scaled residuals change with the spread.
    """
    chosen = spread_sample(len(y))
    kept_groups = None if groups is None else groups[chosen]
    judged = [
        _judge_output(part.take(chosen), y[chosen, k], kept_groups, by_spread)
        for k, part in enumerate(left_out)
    ]
    covered, width, rows = zip(*judged, strict=True)
    return IntervalCalibrationSummary(
        **fitted, covered=np.stack(covered), width=np.stack(width), rows=np.stack(rows, axis=1)
    )


def _judge_output(
    left_out: LeftOut, y: F64, groups: NDArray[np.int32] | None, by_spread: bool
) -> tuple[F64, F64, F64]:
    levels = np.concatenate([interval_levels(coverage) for coverage in REPORT_COVERAGES])
    mean = y - left_out.residuals
    ends = mean[:, None] + judge_intervals(left_out, levels, groups, by_spread)
    lower, upper = ends[:, ::2], ends[:, 1::2]
    weights = np.ones(len(y)) if left_out.weights is None else left_out.weights
    covered, width = summarize_coverage(y, lower, upper, left_out.mixture_variance, weights)
    drawn = REPORT_COVERAGES.index(0.9)
    return covered, width, np.column_stack([y, mean, lower[:, drawn], upper[:, drawn]])


def summary_arrays(summary: CalibrationSummary) -> dict[str, NDArray[Any]]:
    """What a model file keeps of a summary, besides the calibration itself."""
    names = _CLASS_ARRAYS if isinstance(summary, ClassCalibrationSummary) else _INTERVAL_ARRAYS
    arrays = {_PREFIX + name: getattr(summary, name) for name in names}
    about = np.array([float(getattr(summary, name)) for name in _ABOUT])
    return {_PREFIX + "about": about, **arrays}


def restored_about(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any] | None:
    """`describe_left_out` from a model file; None if it holds no summary."""
    if _PREFIX + "about" not in arrays:
        return None
    about = saved_state.take_array(arrays, _PREFIX + "about", (len(_ABOUT),))
    if (about < 0).any() or (about > _LARGEST_COUNT).any():
        raise BayeswoodError("The model file holds an unusable array 'report_about'.")
    return {
        **{name: int(value) for name, value in zip(_ABOUT, about, strict=True)},
        "trees_per_row": float(about[-1]),
    }


def restored_report(
    arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Any]:
    """The arrays of a summary, each of its shape (-1: any length)."""
    found = {name: saved_state.take_array(arrays, _PREFIX + name, shapes[name]) for name in shapes}
    lengths = {len(found[name]) for name in found if shapes[name][0] == -1}
    if len(lengths) > 1 or 0 in lengths:
        raise BayeswoodError("The model file's calibration report has rows of differing number.")
    return found
