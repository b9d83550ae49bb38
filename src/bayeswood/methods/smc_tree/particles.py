"""Particles over trees: what a filter is told, and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.parts import SavedModel
from bayeswood.methods.base.saved_state import read_arrays

F64 = NDArray[np.float64]

NO_LIMIT = 2**32 - 1

# What the core calls them: the optimal proposal is the tempered one at τ = 1.
_PROPOSALS = {"prior": "prior", "empirical": "empirical", "optimal": "tempered"}
_NODE_ORDERS = {"oldest": "oldest", "least-likely": "least-likely"}
# Births, deaths, changes of split and of rule, swaps: all alike; no small steps of rules.
_MOVES = np.array([0.2, 0.2, 0.2, 0.2, 0.2, 0.0])


def resolve_ess_threshold(ess_threshold: float | str, proposal: str, tempering: float) -> float:
    """The share of an island's particles below which they are drawn anew.

    "auto" is 0.1 (1 − τ)² for the tempered proposal, so that it is 0.1 for the prior ones, τ = 0,
    and 0 for the optimal one, τ = 1: the better decisions are proposed, the less of what weights
    say is chance, and the more is lost with the particles that are not drawn.

    Examples
    --------
    >>> resolve_ess_threshold("auto", "optimal", 0.5), resolve_ess_threshold("auto", "prior", 0.5)
    (0.0, 0.1)
    >>> resolve_ess_threshold("auto", "tempered", 0.5), resolve_ess_threshold(0.3, "prior", 0.5)
    (0.025, 0.3)
    """
    if not isinstance(ess_threshold, str):
        return float(ess_threshold)
    tau = {"prior": 0.0, "empirical": 0.0, "optimal": 1.0}.get(proposal, tempering)
    return 0.1 * (1.0 - tau) ** 2


@dataclass(frozen=True)
class ParticlePlan:
    """How particles are to be drawn.

    Attributes
    ----------
    seed : int
    n_particles, n_islands : int
        M in all, and the independent filters they are shared out to.
    proposal : {"prior", "empirical", "optimal", "tempered"}
    tempering : float
        τ of the tempered proposal.
    expansion : {"node", "layer"}
    node_order : {"oldest", "least-likely"}
        Which open node comes first where one is expanded at a time.
    resampling : str
    ess_threshold : float
        Share of an island's particles.
    alpha_split, beta_split : float
    max_stages, min_samples_leaf, max_leaves : int
    n_moves, n_moved : int
        Metropolis steps at the end, and how many particles make them.
    n_jobs : int
    """

    seed: int
    n_particles: int
    n_islands: int
    proposal: str
    tempering: float
    expansion: str
    node_order: str
    resampling: str
    ess_threshold: float
    alpha_split: float
    beta_split: float
    max_stages: int
    min_samples_leaf: int
    max_leaves: int
    n_moves: int
    n_moved: int
    n_jobs: int

    def sample(
        self,
        X: NDArray[Any],
        n_levels: NDArray[np.int32],
        model: _core.LeafModel,
        progress: Any = None,
    ) -> "SampledParticles":
        """Run the filters."""
        found = _core.sample_particles(
            X,
            n_levels,
            model,
            seed=self.seed,
            n_particles=self.n_particles,
            n_islands=self.n_islands,
            alpha_split=self.alpha_split,
            beta_split=self.beta_split,
            proposal=_PROPOSALS.get(self.proposal, self.proposal),
            tau=self.tempering if self.proposal == "tempered" else 1.0,
            expansion="layer" if self.expansion == "layer" else _NODE_ORDERS[self.node_order],
            resampling=self.resampling,
            ess_threshold=self.ess_threshold,
            max_stages=self.max_stages,
            min_samples_leaf=self.min_samples_leaf,
            max_leaves=self.max_leaves,
            n_moves=self.n_moves,
            n_moved=self.n_moved,
            move_probabilities=_MOVES,
            n_jobs=self.n_jobs,
            progress=progress,
        )
        return SampledParticles(**found)


@dataclass(frozen=True, eq=False)
class SampledParticles:
    """The particles of all islands when the filters ended.

    Attributes
    ----------
    forest : _core.Forest
        Their distinct trees.
    importances : ndarray, (n_trees, n_features)
        Sum over a tree's splits of their log Bayes factors, where positive.
    leaf_variance : ndarray, (n_leaves in all,)
        Of the predictive distributions; empty for classes.
    particle_island, particle_tree, particle_weight : ndarray, (n_particles,)
        Where each particle is from, which tree it is, its weight within the island; of those that
        were moved, if any were.
    island_log_evidence : ndarray, (n_islands,)
        -inf for an island whose particles all had weight 0.
    island_ess : list of ndarray
        Effective sample size after every stage.
    island_n_open : ndarray of int32, (n_islands,)
        Particles whose trees were not finished.
    island_size : ndarray of int32, (n_islands,)
        Particles of the filter.
    """

    forest: _core.Forest
    importances: F64
    leaf_variance: F64
    particle_island: NDArray[np.int32]
    particle_tree: NDArray[np.int64]
    particle_weight: F64
    island_log_evidence: F64
    island_ess: list[F64]
    island_n_open: NDArray[np.int32]
    island_size: NDArray[np.int32]

    @property
    def log_evidence(self) -> float:
        """Log of the islands' mean evidence, each island counting by its particles."""
        sizes, logs = self.island_size, self.island_log_evidence
        largest = float(logs.max())
        return largest + float(np.log(sizes @ np.exp(logs - largest) / sizes.sum()))

    @property
    def ess_trace(self) -> F64:
        """(n_islands, most stages); NaN after an island's last stage."""
        n_stages = max(map(len, self.island_ess))
        trace = np.full((len(self.island_ess), n_stages), np.nan)
        for row, ess in zip(trace, self.island_ess, strict=True):
            row[: len(ess)] = ess
        return trace

    def island_weights(self, kind: str, owner: str) -> F64:
        """Weights of the islands in predictions; they sum to 1."""
        alive = np.isfinite(self.island_log_evidence)
        if not alive.any():
            raise BayeswoodError(
                f"No particle of {owner} has a tree that min_samples_leaf allows. Give more "
                "particles, or a smaller min_samples_leaf."
            )
        weights = alive.astype(np.float64)
        if kind == "evidence":
            logs = self.island_log_evidence
            weights = self.island_size * np.exp(logs - logs.max())
        normalised: F64 = weights / weights.sum()
        return normalised

    def to_forest(self, island_weights: F64) -> Forest:
        """The hand-over forest; particles that are the same tree add up."""
        weights = np.zeros(self.forest.n_trees)
        own = self.particle_weight * island_weights[self.particle_island]
        np.add.at(weights, self.particle_tree, own)
        with np.errstate(divide="ignore"):
            return Forest(self.forest, np.log(weights))


@dataclass(frozen=True, eq=False)
class Islands:
    """What each island of particles found, as a part of the estimator.

    Attributes
    ----------
    log_evidence, weights : ndarray, (n_islands,)
        Log of the estimated evidence, and weight in predictions.
    ess_trace : ndarray, (n_islands, most stages)
        Effective sample sizes.
    """

    log_evidence: F64
    weights: F64
    ess_trace: F64

    def attributes(self) -> Mapping[str, Any]:
        """``island_log_evidence_``, ``island_weights_`` and ``ess_trace_``."""
        return {
            "island_log_evidence_": self.log_evidence,
            "island_weights_": self.weights,
            "ess_trace_": self.ess_trace,
        }

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """By the names of the attributes."""
        arrays |= self.attributes()

    @classmethod
    def read(cls, saved: SavedModel) -> "Islands":
        """One number per island."""
        names = ("island_log_evidence_", "island_weights_", "ess_trace_")
        found = read_arrays(saved.arrays, names)
        if len(found) < len(names) or found["ess_trace_"].ndim != 2:
            raise BayeswoodError("The model file lacks what its islands of particles found.")
        n_islands = found["ess_trace_"].shape[:1]
        if any(found[name].shape != n_islands for name in names[:2]):
            raise BayeswoodError("The model file lacks what its islands of particles found.")
        return cls(*(found[name] for name in names))
