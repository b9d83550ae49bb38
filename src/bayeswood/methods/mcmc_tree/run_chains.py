"""Markov chains over trees: the plan of a run, the run, and what comes out of it.

The sampler itself, with the ratios of its moves, is `core/include/bayeswood/mcmc/metropolis.hpp`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.markov_chains import (
    Running,
    move_mapping,
    move_shares,
    usable_chains,
    warn_of_interrupt,
)
from bayeswood.methods.base.parameters import one_of, parameter_error
from bayeswood.methods.mcmc_tree.trace import FIELDS, MOVES, ChainTrace
from bayeswood.progress import progress_bar

F64 = NDArray[np.float64]

# Probabilities of the moves, by the name of who used them.
PRESETS: Mapping[str, Mapping[str, float]] = {
    "schetinin": {"birth": 0.1, "death": 0.1, "change_split": 0.1, "change_rule": 0.7},
    "chipman": {"birth": 0.25, "death": 0.25, "change_split": 0.25, "swap": 0.25},
    "local": {
        "birth": 0.15,
        "death": 0.15,
        "change_split": 0.1,
        "change_rule": 0.15,
        "swap": 0.1,
        "shift_rule": 0.35,
    },
}

NO_LIMIT = 2**32 - 1

# Of the plan by rows: rows times iterations of a chain, least and most iterations of half a chain,
# draws kept; and from how many rows on particles are the better choice.
_ROW_ITERATIONS = 40_000_000
_FEWEST_HALF, _MOST_HALF = 500, 20_000
_DRAWS = 500
MANY_ROWS = 10_000


MOVE_PROBABILITIES = one_of(*PRESETS) | move_mapping(MOVES)


def resolve_moves(move_probabilities: str | Mapping[str, float]) -> F64:
    """Probabilities of all moves, in the order of `MOVES`; they sum to 1.

    Examples
    --------
    >>> resolve_moves("chipman")
    array([0.25, 0.25, 0.25, 0.  , 0.25, 0.  ])
    >>> resolve_moves({"birth": 1, "death": 1})
    array([0.5, 0.5, 0. , 0. , 0. , 0. ])
    """
    given = move_probabilities
    chosen = PRESETS[given] if isinstance(given, str) else given
    return move_shares(chosen, MOVES)


@dataclass(frozen=True)
class ChainPlan:
    """A run of chains.

    Attributes
    ----------
    seed, n_chains, n_burn_in, n_draws, thin : int
    prior : str
        "chipman", "denison" or "denison-node".
    alpha_split, beta_split : float
        Of Chipman's prior.
    move_probabilities : ndarray, (6,)
        In the order of `MOVES`.
    min_samples_leaf, max_leaves : int
        Restrictions of the support.
    growth_leaves, growth_iterations : int
        At most so many leaves in the first so many iterations.
    """

    seed: int
    n_chains: int
    n_burn_in: int
    n_draws: int
    thin: int
    prior: str
    alpha_split: float
    beta_split: float
    move_probabilities: F64
    min_samples_leaf: int
    max_leaves: int
    growth_leaves: int
    growth_iterations: int


@dataclass(frozen=True, eq=False)
class SampledChains:
    """What a run of chains gave.

    Attributes
    ----------
    trees : _core.Forest
        Distinct trees, over all chains.
    draw_tree : ndarray of int32, (n_chains, n_draws)
        Number of the tree of each draw.
    trace : ChainTrace
    importances : ndarray, (n_trees, n_features)
    leaf_variance : ndarray, (n_leaves in all,)
        Of the predictive distributions; empty for classes.
    log_mass : ndarray, (n_trees,)
        Log posterior mass of all trees that divide the training rows alike by the same features.
    mass_key : ndarray of uint64, (n_trees,)
        The same for such trees.
    """

    trees: _core.Forest
    draw_tree: NDArray[np.int32]
    trace: ChainTrace
    importances: F64
    leaf_variance: F64
    log_mass: F64
    mass_key: NDArray[np.uint64]


def sample_chains(
    plan: ChainPlan,
    X: NDArray[Any],
    n_levels: NDArray[np.int32],
    model: _core.LeafModel,
    running: Running,
) -> SampledChains:
    """Run the planned chains.

    Parameters
    ----------
    plan : ChainPlan
    X : ndarray, (n_rows, n_features)
        The encoded table.
    n_levels : ndarray of int32, (n_features,)
    model : _core.LeafModel
        The leaves, with the responses.
    running : Running

    Raises
    ------
    KeyboardInterrupt
        Upon Ctrl-C, unless `running` says otherwise and there is at least one draw.
    """
    with progress_bar(running.title, "iterations", show=running.show) as report:

        def progress(chains: int, of: int, done: int, total: int, accepted: int) -> None:
            if report is not None:
                share = accepted / max(done, 1)
                report(done, total, f"{chains}/{of} chains, {share:.0%} accepted")

        found = _core.sample_tree_chains(
            X,
            n_levels,
            model,
            **vars(plan),
            n_jobs=running.n_jobs,
            progress=None if report is None else progress,
            keep_interrupted=running.keeps,
        )
    return _laid_out(plan, found, running.title)


def _laid_out(plan: ChainPlan, found: dict[str, Any], title: str) -> SampledChains:
    chains = found["chains"]
    n_draws = plan.n_draws
    if found["interrupted"]:
        drawn = [len(chain["draw"]) for chain in chains]
        used = usable_chains(drawn, plan.n_draws)
        chains, n_draws = [chains[c] for c in used], min(drawn[c] for c in used)
        warn_of_interrupt(title, n_draws, len(chains), plan.n_draws, plan.n_chains)
    n_iterations = plan.n_burn_in + n_draws * plan.thin
    parts = {name: np.stack([chain[name][:n_iterations] for chain in chains]) for name in FIELDS}
    trace = ChainTrace(**parts, n_burn_in=plan.n_burn_in, thin=plan.thin)
    draws = np.stack([chain["draw"][:n_draws] for chain in chains]).astype(np.int32)
    whole = SampledChains(
        found["forest"],
        draws,
        trace,
        found["importances"],
        found["leaf_variance"],
        found["log_mass"],
        found["mass_key"],
    )
    return _without_unused(whole) if found["interrupted"] else whole


def _without_unused(chains: SampledChains) -> SampledChains:
    """The same without the trees of draws that were dropped."""
    used, numbers = np.unique(chains.draw_tree, return_inverse=True)
    n_leaves = chains.trees.n_leaves
    tree_of_leaf = np.repeat(np.arange(len(n_leaves)), n_leaves)
    variance = chains.leaf_variance
    if len(variance):
        variance = variance[np.isin(tree_of_leaf, used)]
    return replace(
        chains,
        trees=chains.trees.select(used.astype(np.int64)),
        draw_tree=numbers.reshape(chains.draw_tree.shape).astype(np.int32),
        importances=chains.importances[used],
        leaf_variance=variance,
        log_mass=chains.log_mass[used],
        mass_key=chains.mass_key[used],
    )


def plan_iterations(
    n_burn_in: int | str, n_draws: int | str, thin: int | str, n_rows: int
) -> tuple[int, int, int]:
    """Burn-in, draws and iterations for each draw; "auto" is planned by the number of rows.

    A step costs in proportion to the rows of a node, so that a chain has 40,000 iterations for up
    to 1,000 rows, fewer in proportion for more, and no fewer than 1,000. Half of them are burn-in;
    of the others 500 at most are kept as draws.

    Examples
    --------
    >>> [plan_iterations("auto", "auto", "auto", n) for n in (150, 10_000, 1_000_000)]
    [(20000, 500, 40), (2000, 500, 4), (500, 500, 1)]
    >>> plan_iterations(100, 2000, "auto", 150)
    (100, 2000, 1)
    """
    half = min(max(_ROW_ITERATIONS // (2 * n_rows), _FEWEST_HALF), _MOST_HALF)
    draws = min(half, _DRAWS) if isinstance(n_draws, str) else int(n_draws)
    if not isinstance(thin, str):
        steps = int(thin)
    else:
        steps = half // draws if isinstance(n_draws, str) else 1
    return half if isinstance(n_burn_in, str) else int(n_burn_in), draws, steps


def check_growth(leaves: int | None, iterations: int | None, n_burn_in: int, owner: str) -> None:
    """Raise unless the restriction of growth ends within the burn-in."""
    if iterations is not None and leaves is None:
        raise BayeswoodError(
            f"The 'burn_in_growth_iterations' parameter of {owner} needs 'burn_in_growth_leaves': "
            "how many leaves a tree may have in these iterations."
        )
    if iterations is not None and iterations > n_burn_in:
        words = f"at most n_burn_in, {n_burn_in}"
        raise parameter_error("burn_in_growth_iterations", owner, words, iterations)
