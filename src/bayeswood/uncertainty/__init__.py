"""How sure a forest is: quantiles, intervals, and where the uncertainty comes from."""

from bayeswood.uncertainty.decomposition import (
    Uncertainty,
    member_variance,
    split_entropy,
    split_variance,
)
from bayeswood.uncertainty.intervals import (
    check_alpha,
    check_coverage,
    interval_levels,
    member_quantiles,
    row_blocks,
)
from bayeswood.uncertainty.responses import Responses

__all__ = [
    "Responses",
    "Uncertainty",
    "check_alpha",
    "check_coverage",
    "interval_levels",
    "member_quantiles",
    "member_variance",
    "row_blocks",
    "split_entropy",
    "split_variance",
]
