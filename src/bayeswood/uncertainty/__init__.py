"""How sure a forest is, where the uncertainty comes from, and whether it can be believed."""

from bayeswood.uncertainty.calibration import (
    CalibrationReport,
    calibration_report,
    summarize_calibration,
)
from bayeswood.uncertainty.coverage import (
    CoverageLine,
    CoverageReport,
    coverage_report,
    summarize_coverage,
)
from bayeswood.uncertainty.decomposition import (
    Uncertainty,
    member_variance,
    split_entropy,
    split_variance,
)
from bayeswood.uncertainty.frequency import clopper_pearson_interval, wilson_interval
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
    "CoverageLine",
    "CoverageReport",
    "Reliability",
    "Responses",
    "ScoreParts",
    "Uncertainty",
    "calibration_report",
    "check_alpha",
    "check_coverage",
    "class_event",
    "clopper_pearson_interval",
    "coverage_report",
    "interval_levels",
    "member_quantiles",
    "member_variance",
    "row_blocks",
    "split_brier",
    "split_entropy",
    "split_log_loss",
    "split_variance",
    "summarize_calibration",
    "summarize_coverage",
    "summarize_reliability",
    "wilson_interval",
]
