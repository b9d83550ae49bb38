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
from bayeswood.uncertainty.envelope import (
    UNCERTAIN,
    EnvelopeAssessment,
    Outcome,
    UncertaintyEnvelope,
    is_confident,
    sort_outcomes,
    summarize_rows,
)
from bayeswood.uncertainty.envelope_choice import (
    CostChoice,
    GammaChoice,
    NoConfidentThreshold,
    choose_gamma0,
    choose_gamma0_by_cost,
    clopper_pearson_upper,
)
from bayeswood.uncertainty.envelope_comparison import (
    COLUMNS,
    EnvelopeComparison,
    ModelFolds,
    mean_tree_size,
)
from bayeswood.uncertainty.envelope_curve import (
    EnvelopeCurve,
    FoldCurves,
    envelope_curve,
    fold_curves,
)
from bayeswood.uncertainty.envelope_votes import VoteShares, vote_shares
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
    "COLUMNS",
    "UNCERTAIN",
    "CalibrationReport",
    "CostChoice",
    "CoverageLine",
    "CoverageReport",
    "EnvelopeAssessment",
    "EnvelopeComparison",
    "EnvelopeCurve",
    "FoldCurves",
    "GammaChoice",
    "ModelFolds",
    "NoConfidentThreshold",
    "Outcome",
    "Reliability",
    "Responses",
    "ScoreParts",
    "Uncertainty",
    "UncertaintyEnvelope",
    "VoteShares",
    "calibration_report",
    "check_alpha",
    "check_coverage",
    "choose_gamma0",
    "choose_gamma0_by_cost",
    "class_event",
    "clopper_pearson_interval",
    "clopper_pearson_upper",
    "coverage_report",
    "envelope_curve",
    "fold_curves",
    "interval_levels",
    "is_confident",
    "mean_tree_size",
    "member_quantiles",
    "member_variance",
    "row_blocks",
    "sort_outcomes",
    "split_brier",
    "split_entropy",
    "split_log_loss",
    "split_variance",
    "summarize_calibration",
    "summarize_coverage",
    "summarize_reliability",
    "summarize_rows",
    "vote_shares",
    "wilson_interval",
]
