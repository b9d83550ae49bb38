"""The closed forms of the papers, each beside the measurement it can be checked against.

Random-forest lecture: `majority_vote_error`, `ensemble_variance`, `estimate_tree_correlation`.
Bayesian forests, section 3: `split_match_bound`, `trunk_stability`.
Safe-Bayesian forest: `prior_leaf_count_pmf`.
Uncertainty Envelope, section 5.1: `five_gaussians_envelope`, `five_gaussians_posterior`,
`sample_five_gaussians`.
"""

from bayeswood.theory.ensemble import ensemble_variance, majority_vote_error
from bayeswood.theory.five_gaussians import (
    OptimalEnvelope,
    five_gaussians_envelope,
    five_gaussians_posterior,
    sample_five_gaussians,
)
from bayeswood.theory.split_match import SplitMatch, split_match_bound
from bayeswood.theory.tree_correlation import TreeCorrelation, estimate_tree_correlation
from bayeswood.theory.tree_prior import prior_leaf_count_pmf
from bayeswood.theory.trunk import SplitSequence, TrunkNode, TrunkStability, trunk_stability

__all__ = [
    "OptimalEnvelope",
    "SplitMatch",
    "SplitSequence",
    "TreeCorrelation",
    "TrunkNode",
    "TrunkStability",
    "ensemble_variance",
    "estimate_tree_correlation",
    "five_gaussians_envelope",
    "five_gaussians_posterior",
    "majority_vote_error",
    "prior_leaf_count_pmf",
    "sample_five_gaussians",
    "split_match_bound",
    "trunk_stability",
]
