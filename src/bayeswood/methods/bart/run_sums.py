"""A run of chains over sums of trees: what is planned, and what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest import Forest
from bayeswood.methods.bart.default_prior import SumPrior
from bayeswood.methods.bart.sum_trace import MOVES, SumTrace
from bayeswood.methods.base.markov_chains import (
    Running,
    move_mapping,
    move_shares,
    usable_chains,
    warn_of_interrupt,
)
from bayeswood.methods.base.parameters import NONE
from bayeswood.progress import progress_bar

F64 = NDArray[np.float64]

# Chipman, George and McCulloch (2010), section 3.1.
CHIPMAN_MOVES = {"birth": 0.25, "death": 0.25, "change": 0.4, "swap": 0.1}


MOVE_PROBABILITIES = move_mapping(MOVES) | NONE


def resolve_moves(given: Mapping[str, float] | None) -> F64:
    """Probabilities of all moves, in the order of `MOVES`; they sum to 1.

    Examples
    --------
    >>> resolve_moves(None)
    array([0.25, 0.25, 0.4 , 0.1 , 0.  ])
    """
    return move_shares(CHIPMAN_MOVES if given is None else given, MOVES)


def plan_sweeps(
    n_burn_in: int | str, thin: int | str, sampler: str, n_rows: int
) -> tuple[int, int]:
    """Sweeps of burn-in and for each draw; "auto" is planned by the number of rows.

    A Metropolis sweep moves every tree by one step at most and costs in proportion to the rows.

    Examples
    --------
    >>> [plan_sweeps("auto", "auto", "mh", n) for n in (200, 2_000, 100_000)]
    [(1000, 10), (500, 5), (100, 1)]
    >>> plan_sweeps("auto", "auto", "particle-gibbs", 200)
    (100, 1)
    """
    planned = min(max(10_000 // n_rows, 1), 10) if sampler == "mh" else 1
    steps = planned if isinstance(thin, str) else int(thin)
    return 100 * steps if isinstance(n_burn_in, str) else int(n_burn_in), steps


@dataclass(frozen=True)
class SumPlan:
    """A run of chains.

    Attributes
    ----------
    seed, n_chains, n_trees : int
    n_regrown, n_burn_in, n_draws, thin : int
        Sweeps from the root, sweeps of Metropolis steps that are dropped, draws of each chain, and
        sweeps for each draw.
    sampler : str
        Of all sweeps after the first ones: "mh", "grow-from-root" or "particle-gibbs".
    alpha_split, beta_split : float
        Of the prior over trees.
    noise_freedom : float
        ν of the noise; 0 if it is fixed.
    move_probabilities : ndarray, (5,)
        In the order of `MOVES`.
    n_variance_trees : int
        Trees whose product is the variance of the noise; 0: it is the same everywhere.
    has_shares : bool
        Whether features have shares with a prior.
    n_particles : int
        Of the particle sampler.
    min_samples_leaf, max_cuts : int
        Fewest rows of a leaf; most cuts of a number.
    """

    seed: int
    n_chains: int
    n_trees: int
    n_regrown: int
    n_burn_in: int
    n_draws: int
    thin: int
    sampler: str
    alpha_split: float
    beta_split: float
    noise_freedom: float
    move_probabilities: F64
    n_variance_trees: int
    has_shares: bool
    n_particles: int
    min_samples_leaf: int
    max_cuts: int


@dataclass(frozen=True)
class SumResponses:
    """What the chains are fitted to.

    Attributes
    ----------
    kind : str
        "number", "two-classes" or "classes".
    y : ndarray
        (n_rows, n_outputs) responses, or (n_rows,) class numbers.
    weight : ndarray, (n_rows,) or None
        σ² of a row is divided by it; of numbers.
    prior : SumPrior
    """

    kind: str
    y: NDArray[Any]
    weight: F64 | None
    prior: SumPrior


def make_sampler(
    plan: SumPlan,
    X: NDArray[Any],
    n_levels: NDArray[np.int32],
    responses: SumResponses,
    n_jobs: int,
) -> _core.SumSampler:
    """Chains at their start: trees of one leaf, all values 0."""
    flat = np.ascontiguousarray(np.asarray(responses.y, dtype=np.float64).T).ravel()
    prior = responses.prior
    return _core.sum_sampler(
        X,
        n_levels,
        flat,
        response=responses.kind,
        weight=responses.weight,
        offset=prior.offset,
        unit=prior.unit,
        leaf_sd=prior.leaf_sd,
        noise_sd=prior.noise_sd,
        noise_start=prior.noise_start,
        noise_freedom=plan.noise_freedom,
        seed=plan.seed,
        n_chains=plan.n_chains,
        n_trees=plan.n_trees,
        alpha_split=plan.alpha_split,
        beta_split=plan.beta_split,
        move_probabilities=plan.move_probabilities,
        n_variance_trees=plan.n_variance_trees,
        has_shares=plan.has_shares,
        n_particles=plan.n_particles,
        min_samples_leaf=plan.min_samples_leaf,
        max_codes=plan.max_cuts + 1,
        n_jobs=n_jobs,
    )


@dataclass(frozen=True, eq=False)
class SampledSums:
    """What a run of chains gave: the draws of chain 0, then of chain 1, ..., and their trace.

    Attributes
    ----------
    forest : Forest
        Sums.
    trace : SumTrace
    variance : Forest or None
        Sums that are the logarithm of the noise's variance, where trees make it.
    """

    forest: Forest
    trace: SumTrace
    variance: Forest | None

    def followed_by(self, later: "SampledSums") -> "SampledSums":
        """Of each chain these draws, then the later ones."""
        n_chains = self.trace.n_chains
        variance = None
        if self.variance is not None and later.variance is not None:
            variance = join_draws(self.variance, later.variance, n_chains)
        forest = join_draws(self.forest, later.forest, n_chains)
        return SampledSums(forest, self.trace.followed_by(later.trace), variance)


def run_chains(
    sampler: _core.SumSampler, plan: SumPlan, running: Running, *, n_sums: int
) -> SampledSums:
    """Let all chains run, from where they are.

    Raises
    ------
    KeyboardInterrupt
        Upon Ctrl-C, unless `running` says otherwise and some chain has a draw.
    """
    with progress_bar(running.title, "sweeps", show=running.show) as report:
        found = sampler.run(
            n_regrown=plan.n_regrown,
            n_burn_in=plan.n_burn_in,
            n_draws=plan.n_draws,
            thin=plan.thin,
            sampler=plan.sampler,
            n_jobs=running.n_jobs,
            progress=report,
            keep_interrupted=running.keeps,
        )
    return _laid_out(plan, found, running.title, n_sums)


def _laid_out(plan: SumPlan, found: dict[str, Any], title: str, n_sums: int) -> SampledSums:
    chains, n_draws = found["chains"], plan.n_draws
    tried, accepted = found["tried"], found["accepted"]
    if found["interrupted"]:
        used = usable_chains([chain["n_draws"] for chain in chains], n_draws)
        chains, tried, accepted = [chains[c] for c in used], tried[used], accepted[used]
        n_draws = min(chain["n_draws"] for chain in chains)
        warn_of_interrupt(title, n_draws, len(chains), plan.n_draws, plan.n_chains)
    n_before = plan.n_regrown + plan.n_burn_in
    n_sweeps = n_before + n_draws * plan.thin
    trace = SumTrace(
        np.stack([c["noise_sd"].reshape(-1, n_sums)[:n_sweeps] for c in chains]),
        np.stack([c["n_leaves"][:n_sweeps] for c in chains]),
        tried,
        accepted,
        n_before,
        plan.thin,
        np.stack([c["shares"].reshape(c["n_draws"], -1)[:n_draws] for c in chains]),
    )
    forest = _joined([c["forest"] for c in chains], n_draws, plan.n_trees * n_sums)
    variance = None
    if plan.n_variance_trees:
        size = plan.n_variance_trees * n_sums
        variance = _joined([c["variance_forest"] for c in chains], n_draws, size)
    return SampledSums(forest, trace, variance)


def _joined(cores: list[_core.Forest], n_draws: int, per_draw: int) -> Forest:
    """The first draws of all chains."""
    first = np.arange(n_draws * per_draw, dtype=np.int64)
    cores = [c if c.n_trees == len(first) else c.select(first) for c in cores]
    core = cores[0] if len(cores) == 1 else _core.Forest.join(cores)
    return Forest(core, trees_per_member=per_draw)


def by_chain(forest: Forest, n_chains: int) -> list[Forest]:
    """The draws of each chain."""
    n_draws = forest.n_members // n_chains
    return [forest.unweighted(slice(c * n_draws, (c + 1) * n_draws)) for c in range(n_chains)]


def join_draws(first: Forest, second: Forest, n_chains: int) -> Forest:
    """Of each chain the draws of the one, then of the other."""
    pairs = zip(by_chain(first, n_chains), by_chain(second, n_chains), strict=True)
    core = _core.Forest.join([part.core for pair in pairs for part in pair])
    return Forest(core, labels=first.labels, trees_per_member=first.trees_per_member)
