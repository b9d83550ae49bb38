"""The posterior of whatever can be computed from a member: its mean, its spread, its intervals."""

from bayeswood.posterior.contrast import contrast
from bayeswood.posterior.convergence import bulk_ess, split_rhat, tail_ess
from bayeswood.posterior.decision_map import DecisionMap, decision_map
from bayeswood.posterior.diagnostics import (
    ChainDiagnostics,
    QuantityDiagnostics,
    diagnose,
    to_arviz,
)
from bayeswood.posterior.functional import Posterior, posterior_functional
from bayeswood.posterior.islands import (
    IslandDiagnostics,
    IslandsDisagree,
    log_evidence_se,
    warn_if_islands_disagree,
)
from bayeswood.posterior.members import Members
from bayeswood.posterior.monte_carlo import MonteCarloWarning
from bayeswood.posterior.partial_dependence import PartialDependence, partial_dependence
from bayeswood.posterior.permutation import PermutationImportances, permutation_importance
from bayeswood.posterior.root_cuts import root_cut_shares
from bayeswood.posterior.splits import SplitChoice
from bayeswood.posterior.structure import (
    DistinctTree,
    FeatureSplits,
    SizeBest,
    TreeStructure,
    structure,
)
from bayeswood.posterior.trunk import TrunkPlace, TrunkPosterior, trunk_posterior

__all__ = [
    "ChainDiagnostics",
    "DecisionMap",
    "DistinctTree",
    "FeatureSplits",
    "IslandDiagnostics",
    "IslandsDisagree",
    "Members",
    "MonteCarloWarning",
    "PartialDependence",
    "PermutationImportances",
    "Posterior",
    "QuantityDiagnostics",
    "SizeBest",
    "SplitChoice",
    "TreeStructure",
    "TrunkPlace",
    "TrunkPosterior",
    "bulk_ess",
    "contrast",
    "decision_map",
    "diagnose",
    "log_evidence_se",
    "partial_dependence",
    "permutation_importance",
    "posterior_functional",
    "root_cut_shares",
    "split_rhat",
    "structure",
    "tail_ess",
    "to_arviz",
    "trunk_posterior",
    "warn_if_islands_disagree",
]
