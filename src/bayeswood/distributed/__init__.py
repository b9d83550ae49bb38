"""A forest in pieces: a trunk that sorts rows, branches fitted apart, and their grafting.

The empirical Bayesian forest of M. Taddy, C.-S. Chen, J. Yu and M. Wyle, "Bayesian and empirical
Bayesian forests", 2015, section 4. The functions here know tables that are encoded already and no
estimators; whoever fits a branch, and when, the result is the same to the bit.
"""

from bayeswood.distributed.branch import Branch, BranchPlan, bare_branch, fit_branch
from bayeswood.distributed.graft import graft, graft_importances
from bayeswood.distributed.route import branch_rows, route
from bayeswood.distributed.row_sample import sample_rows
from bayeswood.distributed.trunk import (
    branch_depths,
    default_leaf_size,
    fit_trunk,
    scale_leaf_size,
)

__all__ = [
    "Branch",
    "BranchPlan",
    "bare_branch",
    "branch_depths",
    "branch_rows",
    "default_leaf_size",
    "fit_branch",
    "fit_trunk",
    "graft",
    "graft_importances",
    "route",
    "sample_rows",
    "scale_leaf_size",
]
