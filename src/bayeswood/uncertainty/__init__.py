"""How sure a forest is: quantiles, intervals, and where the uncertainty comes from."""

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
from bayeswood.uncertainty.intervals import (
    check_alpha,
    check_coverage,
    interval_levels,
    member_quantiles,
    row_blocks,
)
from bayeswood.uncertainty.responses import Responses

__all__ = [
    "COLUMNS",
    "UNCERTAIN",
    "CostChoice",
    "EnvelopeAssessment",
    "EnvelopeComparison",
    "EnvelopeCurve",
    "FoldCurves",
    "GammaChoice",
    "ModelFolds",
    "NoConfidentThreshold",
    "Outcome",
    "Responses",
    "Uncertainty",
    "UncertaintyEnvelope",
    "VoteShares",
    "check_alpha",
    "check_coverage",
    "choose_gamma0",
    "choose_gamma0_by_cost",
    "clopper_pearson_upper",
    "envelope_curve",
    "fold_curves",
    "interval_levels",
    "is_confident",
    "mean_tree_size",
    "member_quantiles",
    "member_variance",
    "row_blocks",
    "sort_outcomes",
    "split_entropy",
    "split_variance",
    "vote_shares",
]
