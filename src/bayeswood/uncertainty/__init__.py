"""How sure a forest is, where the uncertainty comes from, and whether it can be believed."""

from bayeswood.uncertainty.calibration import (
    CalibrationReport,
    calibration_report,
    summarize_calibration,
)
from bayeswood.uncertainty.class_calibration import (
    ClassCalibration,
    Votes,
    fit_class_calibration,
)
from bayeswood.uncertainty.coverage import (
    CoverageLine,
    CoverageReport,
    coverage_report,
    summarize_coverage,
)
from bayeswood.uncertainty.cross_calibration import (
    JudgedClasses,
    judge_classes,
    judge_intervals,
    spread_sample,
)
from bayeswood.uncertainty.decomposition import (
    Uncertainty,
    member_variance,
    split_calibrated_entropy,
    split_entropy,
    split_variance,
)
from bayeswood.uncertainty.frequency import clopper_pearson_interval, wilson_interval
from bayeswood.uncertainty.interval_calibration import (
    LeftOut,
    ResidualQuantiles,
    ResidualScale,
    fit_interval_calibration,
)
from bayeswood.uncertainty.intervals import (
    check_alpha,
    check_coverage,
    interval_levels,
    member_quantiles,
    row_blocks,
)
from bayeswood.uncertainty.reliability import Reliability, class_event, summarize_reliability
from bayeswood.uncertainty.responses import Responses
from bayeswood.uncertainty.score_parts import ScoreParts, split_brier, split_log_loss

__all__ = [
    "CalibrationReport",
    "ClassCalibration",
    "CoverageLine",
    "CoverageReport",
    "JudgedClasses",
    "LeftOut",
    "Reliability",
    "ResidualQuantiles",
    "ResidualScale",
    "Responses",
    "ScoreParts",
    "Uncertainty",
    "Votes",
    "calibration_report",
    "check_alpha",
    "check_coverage",
    "class_event",
    "clopper_pearson_interval",
    "coverage_report",
    "fit_class_calibration",
    "fit_interval_calibration",
    "interval_levels",
    "judge_classes",
    "judge_intervals",
    "member_quantiles",
    "member_variance",
    "row_blocks",
    "split_brier",
    "split_calibrated_entropy",
    "split_entropy",
    "split_log_loss",
    "split_variance",
    "spread_sample",
    "summarize_calibration",
    "summarize_coverage",
    "summarize_reliability",
    "wilson_interval",
]
