"""How sure a forest is, where the uncertainty comes from, and whether it can be believed."""

from typing import TYPE_CHECKING

from bayeswood.on_demand import names_on_demand

if TYPE_CHECKING:
    from bayeswood.uncertainty.calibration.class_calibration import (
        ClassCalibration,
        Votes,
        fit_class_calibration,
    )
    from bayeswood.uncertainty.calibration.cross_calibration import (
        JudgedClasses,
        folds_of,
        judge_classes,
        spread_sample,
    )
    from bayeswood.uncertainty.calibration.member_weighting import (
        STRENGTHS,
        KindSums,
        choose_share,
        choose_strength,
        effective_number,
        equal_shares,
        posterior_mean,
    )
    from bayeswood.uncertainty.calibration.residual_quantiles import ResidualQuantiles
    from bayeswood.uncertainty.calibration.residual_shape import N_PARTS, SpreadResiduals
    from bayeswood.uncertainty.calibration.response_calibration import (
        LEVELS,
        OutOfBagResponse,
        ResponseCalibration,
        interpolated,
        least_size,
        quantile_loss,
    )
    from bayeswood.uncertainty.checks.calibration import (
        CalibrationReport,
        calibration_report,
        summarize_calibration,
    )
    from bayeswood.uncertainty.checks.coverage import (
        CoverageLine,
        CoverageReport,
        coverage_report,
        summarize_coverage,
    )
    from bayeswood.uncertainty.checks.frequency import (
        clopper_pearson_interval,
        clopper_pearson_upper,
        wilson_interval,
    )
    from bayeswood.uncertainty.checks.reliability import (
        Reliability,
        class_event,
        summarize_reliability,
    )
    from bayeswood.uncertainty.checks.score_parts import ScoreParts, split_brier, split_log_loss
    from bayeswood.uncertainty.conformal import (
        conformal_quantile,
        largest_coverage,
        most_losses,
        n_units,
        thin_bags,
        unit_weights,
    )
    from bayeswood.uncertainty.decomposition import (
        Uncertainty,
        member_variance,
        split_entropy,
        split_variance,
    )
    from bayeswood.uncertainty.envelope.choice import (
        CostChoice,
        GammaChoice,
        NoConfidentThreshold,
        choose_gamma0,
        choose_gamma0_by_cost,
    )
    from bayeswood.uncertainty.envelope.comparison import (
        COLUMNS,
        EnvelopeComparison,
        ModelFolds,
        mean_tree_size,
    )
    from bayeswood.uncertainty.envelope.curve import (
        EnvelopeCurve,
        FoldCurves,
        envelope_curve,
        fold_curves,
    )
    from bayeswood.uncertainty.envelope.envelope import (
        UNCERTAIN,
        EnvelopeAssessment,
        Outcome,
        UncertaintyEnvelope,
        is_confident,
        sort_outcomes,
        summarize_rows,
    )
    from bayeswood.uncertainty.envelope.votes import VoteShares, vote_shares
    from bayeswood.uncertainty.intervals import (
        check_alpha,
        check_coverage,
        interval_levels,
        member_quantiles,
        row_blocks,
    )
    from bayeswood.uncertainty.leaf_responses import Responses
    from bayeswood.uncertainty.support.row_support import NO_DATA_BELOW, RowSupport

_HOMES = {
    "calibration.class_calibration": ("ClassCalibration", "Votes", "fit_class_calibration"),
    "calibration.cross_calibration": (
        "JudgedClasses",
        "folds_of",
        "judge_classes",
        "spread_sample",
    ),
    "calibration.member_weighting": (
        "STRENGTHS",
        "KindSums",
        "choose_share",
        "choose_strength",
        "effective_number",
        "equal_shares",
        "posterior_mean",
    ),
    "calibration.residual_quantiles": ("ResidualQuantiles",),
    "calibration.residual_shape": ("N_PARTS", "SpreadResiduals"),
    "calibration.response_calibration": (
        "LEVELS",
        "OutOfBagResponse",
        "ResponseCalibration",
        "interpolated",
        "least_size",
        "quantile_loss",
    ),
    "checks.calibration": ("CalibrationReport", "calibration_report", "summarize_calibration"),
    "checks.coverage": ("CoverageLine", "CoverageReport", "coverage_report", "summarize_coverage"),
    "checks.frequency": ("clopper_pearson_interval", "clopper_pearson_upper", "wilson_interval"),
    "checks.reliability": ("Reliability", "class_event", "summarize_reliability"),
    "checks.score_parts": ("ScoreParts", "split_brier", "split_log_loss"),
    "conformal": (
        "conformal_quantile",
        "largest_coverage",
        "most_losses",
        "n_units",
        "thin_bags",
        "unit_weights",
    ),
    "decomposition": ("Uncertainty", "member_variance", "split_entropy", "split_variance"),
    "envelope.choice": (
        "CostChoice",
        "GammaChoice",
        "NoConfidentThreshold",
        "choose_gamma0",
        "choose_gamma0_by_cost",
    ),
    "envelope.comparison": ("COLUMNS", "EnvelopeComparison", "ModelFolds", "mean_tree_size"),
    "envelope.curve": ("EnvelopeCurve", "FoldCurves", "envelope_curve", "fold_curves"),
    "envelope.envelope": (
        "UNCERTAIN",
        "EnvelopeAssessment",
        "Outcome",
        "UncertaintyEnvelope",
        "is_confident",
        "sort_outcomes",
        "summarize_rows",
    ),
    "envelope.votes": ("VoteShares", "vote_shares"),
    "intervals": (
        "check_alpha",
        "check_coverage",
        "interval_levels",
        "member_quantiles",
        "row_blocks",
    ),
    "leaf_responses": ("Responses",),
    "support.row_support": ("NO_DATA_BELOW", "RowSupport"),
}

__all__ = [
    "COLUMNS",
    "LEVELS",
    "NO_DATA_BELOW",
    "N_PARTS",
    "STRENGTHS",
    "UNCERTAIN",
    "CalibrationReport",
    "ClassCalibration",
    "CostChoice",
    "CoverageLine",
    "CoverageReport",
    "EnvelopeAssessment",
    "EnvelopeComparison",
    "EnvelopeCurve",
    "FoldCurves",
    "GammaChoice",
    "JudgedClasses",
    "KindSums",
    "ModelFolds",
    "NoConfidentThreshold",
    "OutOfBagResponse",
    "Outcome",
    "Reliability",
    "ResidualQuantiles",
    "ResponseCalibration",
    "Responses",
    "RowSupport",
    "ScoreParts",
    "SpreadResiduals",
    "Uncertainty",
    "UncertaintyEnvelope",
    "VoteShares",
    "Votes",
    "calibration_report",
    "check_alpha",
    "check_coverage",
    "choose_gamma0",
    "choose_gamma0_by_cost",
    "choose_share",
    "choose_strength",
    "class_event",
    "clopper_pearson_interval",
    "clopper_pearson_upper",
    "conformal_quantile",
    "coverage_report",
    "effective_number",
    "envelope_curve",
    "equal_shares",
    "fit_class_calibration",
    "fold_curves",
    "folds_of",
    "interpolated",
    "interval_levels",
    "is_confident",
    "judge_classes",
    "largest_coverage",
    "least_size",
    "mean_tree_size",
    "member_quantiles",
    "member_variance",
    "most_losses",
    "n_units",
    "posterior_mean",
    "quantile_loss",
    "row_blocks",
    "sort_outcomes",
    "split_brier",
    "split_entropy",
    "split_log_loss",
    "split_variance",
    "spread_sample",
    "summarize_calibration",
    "summarize_coverage",
    "summarize_reliability",
    "summarize_rows",
    "thin_bags",
    "unit_weights",
    "vote_shares",
    "wilson_interval",
]

if not TYPE_CHECKING:  # for a type checker every name would exist
    __getattr__ = names_on_demand(__name__, _HOMES)
