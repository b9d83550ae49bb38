"""Draws of sums of trees on the rows of each bag.

Model. y = Σ_t g_t(x) + ε, ε ~ N(0, σ²), with the prior of Chipman, George and McCulloch (2010):
a node of depth δ is cut with probability .95 (1 + δ)^−2, leaves are N(0, r² / (16 n_trees)) for
responses of range r around the middle of that range, and σ² ~ ν λ / χ²_ν with ν = 3 and λ such that
σ is below a first guess with probability .9. Of each bag a chain of its own begins with sweeps in
which trees are grown from the root (He and Hahn 2023) and goes on by Metropolis steps; what a bag
says is the mean of its last draws. Chains are short: these are no draws of the posterior, and how
much they count is for the rows to say that bags left out.

References: H. Chipman, E. George, R. McCulloch. BART: Bayesian additive regression trees. Annals of
Applied Statistics 4, 2010. J. He, P. R. Hahn. Stochastic tree ensembles for regularized nonlinear
regression. Journal of the American Statistical Association 118, 2023.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest import RowWeights
from bayeswood.methods.base.training_data import TrainingData

F64 = NDArray[np.float64]

_N_TREES = 50
# Sweeps from the root, and Metropolis sweeps that are dropped.
_N_REGROWN, _N_BURN_IN = 5, 10
_ALPHA, _BETA, _K, _FREEDOM, _QUANTILE = 0.95, 2.0, 2.0, 3.0, 0.9
# Birth, death, change, swap.
_MOVES = np.array([0.25, 0.25, 0.4, 0.1])
# Sets the random numbers of chains apart from those of other trees.
_SEED = 0x5EED_0F_5075
_LARGEST_SEED = 2**63


def draw_sums(
    law: RowWeights,
    n_bags: int,
    data: TrainingData,
    y: F64,
    weights: F64 | None,
    noise_sd: F64,
    n_draws: int,
    n_jobs: int,
    report: Callable[[float], None] | None = None,
) -> _core.Forest:
    """Trees, bag after bag, whose values add up to the mean of a bag's draws.

    Parameters
    ----------
    law : RowWeights
        Which rows each bag leaves out.
    n_bags : int
        G.
    data : TrainingData
        The rows; their response is not looked at.
    y : ndarray, (n_rows, n_outputs)
        What to learn.
    weights : ndarray, (n_rows,) or None
        Of the rows; those of weight 0 take no part.
    noise_sd : ndarray, (n_outputs,)
        First guess of σ; positive.
    n_draws : int
        Of each bag.
    n_jobs : int
        Threads.
    report : callable, default=None
        Told which share of the work is done.
    """
    found = []
    for bag, left_out in enumerate(law.left_out(n_bags, len(y))):
        inside = ~left_out if weights is None else ~left_out & (weights > 0)
        own = None if weights is None else weights[inside] / weights[inside].mean()
        sampler = _chain(data, y, inside, own, noise_sd, (law.seed ^ _SEED) + bag, n_jobs)
        ran = sampler.run(
            n_regrown=_N_REGROWN, n_burn_in=_N_BURN_IN, n_draws=n_draws, n_jobs=n_jobs
        )
        found.append(ran["chains"][0]["forest"].sharing(False))
        if report is not None:
            report((bag + 1) / n_bags)
    trees = _core.Forest.join(found)
    return trees.scaled(np.full(trees.n_trees, 1.0 / n_draws))


def _chain(
    data: TrainingData,
    y: F64,
    inside: NDArray[np.bool_],
    weights: F64 | None,
    noise_sd: F64,
    seed: int,
    n_jobs: int,
) -> _core.SumSampler:
    """A chain on the rows of a bag, at its start."""
    from scipy.stats import chi2

    own = y[inside]
    low, high, spread = own.min(axis=0), own.max(axis=0), own.std(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return _core.sum_sampler(
        data.X[inside],
        data.schema.n_levels,
        np.ascontiguousarray(own.T).ravel(),
        response="number",
        weight=weights,
        offset=(low + high) / 2,
        unit=np.where(spread > 0, spread, 1.0),
        leaf_sd=width / (2 * _K * np.sqrt(_N_TREES)),
        noise_sd=noise_sd * np.sqrt(chi2.ppf(1 - _QUANTILE, _FREEDOM) / _FREEDOM),
        noise_start=noise_sd,
        noise_freedom=_FREEDOM,
        seed=seed % _LARGEST_SEED,
        n_chains=1,
        n_trees=_N_TREES,
        alpha_split=_ALPHA,
        beta_split=_BETA,
        move_probabilities=_MOVES,
        n_jobs=n_jobs,
    )
