"""Judging prediction intervals on out-of-bag rows, and keeping the judgement in a model file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base import saved_state
from bayeswood.methods.base.parts import SavedModel
from bayeswood.methods.calibrated_forest.bagged_response import BaggedResponse
from bayeswood.methods.calibrated_forest.judgement import (
    Judgement,
    restored_about,
    restored_report,
)
from bayeswood.report.calibration import (
    REPORT_COVERAGES,
    IntervalCalibrationSummary,
    summarize_coverage,
)
from bayeswood.uncertainty import (
    OutOfBagResponse,
    ResponseCalibration,
    folds_of,
    interpolated,
    interval_levels,
)

F64 = NDArray[np.float64]


def judge_responses(
    known: list[OutOfBagResponse],
    groups: NDArray[np.int32] | None,
    fitted: Mapping[str, Any],
    by_spread: bool,
    share: float | None,
) -> IntervalCalibrationSummary:
    """Judge out-of-bag intervals, each by a calibration that was fitted to other rows.

    Parameters
    ----------
    known : list of OutOfBagResponse
        For each response.
    groups : ndarray, (n_rows,) or None
        Rows of a group share a fold.
    fitted : mapping
        What else the summary says.
    by_spread, share
        As of `ResponseCalibration.fit`.
    """
    judged = [_judge(part, groups, by_spread, share) for part in known]
    covered, width, rows = zip(*judged, strict=True)
    return IntervalCalibrationSummary(
        **fitted, covered=np.stack(covered), width=np.stack(width), rows=np.stack(rows, axis=1)
    )


def _judge(
    known: OutOfBagResponse,
    groups: NDArray[np.int32] | None,
    by_spread: bool,
    share: float | None,
) -> tuple[F64, F64, F64]:
    levels = np.concatenate([interval_levels(coverage) for coverage in REPORT_COVERAGES])
    ends = np.empty((len(known.y), len(levels)))
    folds = folds_of(len(known.y), groups)
    for fold in np.unique(folds):
        held_out = folds == fold
        used = ~held_out if not held_out.all() else held_out
        found = ResponseCalibration.fit(known.take(used), by_spread, share)
        part = known.take(held_out)
        in_leaves = None if part.in_leaves is None else _leaves_of(part)
        ends[held_out] = found.quantiles(part.mean, part.size, levels, in_leaves)
    lower, upper = ends[:, ::2], ends[:, 1::2]
    weights = np.ones(len(known.y)) if known.weights is None else known.weights
    covered, width = summarize_coverage(known.y, lower, upper, known.size, weights)
    drawn = REPORT_COVERAGES.index(0.9)
    rows = np.column_stack([known.y, known.mean, lower[:, drawn], upper[:, drawn]])
    return covered, width, rows


def _leaves_of(part: OutOfBagResponse) -> Any:
    return lambda levels: interpolated(part.in_leaves, levels)


class IntervalJudgement(Judgement):
    """How good the calibration of intervals is."""

    @classmethod
    def read(cls, saved: SavedModel) -> "IntervalJudgement | None":
        """Checked; None where nothing was calibrated."""
        about = restored_about(saved.arrays)
        if about is None:
            return None
        together = saved_state.put_together(saved.meta, saved.arrays)
        found = BaggedResponse.from_arrays(together, saved.forest)
        n_outputs, n_coverages = len(found.outputs), len(REPORT_COVERAGES)
        shapes = {
            "covered": (n_outputs, n_coverages, 4),
            "width": (n_outputs, n_coverages),
            "rows": (-1, n_outputs, 4),
        }
        report = restored_report(saved.arrays, shapes)
        share = np.array([one.share for one in found.outputs])
        return cls(IntervalCalibrationSummary(**about, residual_share=share, **report))
