"""What Markov chains over trees leave behind, iteration by iteration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base import saved_state
from bayeswood.methods.base.parts import SavedModel

F64 = NDArray[np.float64]

# The core numbers the moves in this order.
MOVES = ("birth", "death", "change_split", "change_rule", "swap", "shift_rule")

_KINDS = {
    "log_likelihood": np.float64,
    "log_posterior": np.float64,
    "n_leaves": np.int32,
    "depth": np.int32,
    "move": np.uint8,
    "accepted": np.uint8,
}
FIELDS = tuple(_KINDS)


@dataclass(frozen=True, repr=False, eq=False)
class ChainTrace:
    """The state of every chain after every iteration, burn-in included.

    Attributes
    ----------
    log_likelihood : ndarray, (n_chains, n_iterations)
        Log marginal likelihood of the tree, log p(Y | T), not raised to `power`.
    log_posterior : ndarray, (n_chains, n_iterations)
        log p(T) + power · log p(Y | T). Under Chipman's prior thresholds have densities on the
        scale of their columns, so that only differences mean something.
    n_leaves, depth : ndarray of int32, (n_chains, n_iterations)
        Size of the tree.
    move, accepted : ndarray of uint8, (n_chains, n_iterations)
        Which of `MOVES` was tried, and whether it was accepted (0 or 1).
    n_burn_in, thin : int
        The draws are iterations ``n_burn_in + thin - 1``, ``n_burn_in + 2 * thin - 1``, ...
    """

    log_likelihood: F64
    log_posterior: F64
    n_leaves: NDArray[np.int32]
    depth: NDArray[np.int32]
    move: NDArray[np.uint8]
    accepted: NDArray[np.uint8]
    n_burn_in: int
    thin: int

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return int(self.move.shape[0])

    @property
    def n_iterations(self) -> int:
        """Iterations of each chain."""
        return int(self.move.shape[1])

    @property
    def n_draws(self) -> int:
        """Draws kept of each chain."""
        return (self.n_iterations - self.n_burn_in) // self.thin

    def __repr__(self) -> str:
        return f"<ChainTrace of {self.n_chains} chains, {self.n_iterations} iterations each>"

    def proposals(self) -> dict[str, int]:
        """How often each move was tried after the burn-in, by its name."""
        tried = np.bincount(self._kept(self.move), minlength=len(MOVES))
        return {name: int(n) for name, n in zip(MOVES, tried, strict=True) if n}

    def acceptance(self) -> dict[str, float]:
        """Share of the proposals after the burn-in that were accepted, by move."""
        moves, accepted = self._kept(self.move), self._kept(self.accepted)
        taken = np.bincount(moves, weights=accepted, minlength=len(MOVES))
        return {
            name: float(taken[MOVES.index(name)] / tried)
            for name, tried in self.proposals().items()
        }

    def _kept(self, values: NDArray[Any]) -> NDArray[Any]:
        return values[:, self.n_burn_in :].ravel()

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Put everything where a model file keeps it."""
        meta["trace"] = {"n_burn_in": self.n_burn_in, "thin": self.thin}
        for name in _KINDS:
            arrays[f"trace_{name}"] = getattr(self, name)

    @classmethod
    def read(cls, meta: Any, arrays: dict[str, NDArray[Any]]) -> "ChainTrace":
        """What `write` put there; BayeswoodError if anything is amiss."""
        found = {name: _typed(arrays, name, kind) for name, kind in _KINDS.items()}
        plain = saved_state.read_value(meta, "trace", dict)
        numbers = {name: saved_state.read_value(plain, name, int) for name in ("n_burn_in", "thin")}
        trace = cls(**found, **numbers)
        shapes = {array.shape for array in found.values()}
        lawful = len(shapes) == 1 and trace.n_burn_in >= 0 and trace.thin >= 1
        if not lawful or trace.n_draws < 1 or trace.move.max() >= len(MOVES):
            raise BayeswoodError("The model file holds an unusable trace of its chains.")
        return trace


@dataclass(frozen=True, eq=False)
class ChainDraws:
    """What chains of trees ended in, as a part of the estimator.

    Attributes
    ----------
    trace : ChainTrace
        What the chains passed through.
    draw_tree : ndarray of int32, (n_chains, n_draws)
        The tree of each draw.
    weights : ndarray, (n_chains,)
        Weight of each chain.
    """

    trace: ChainTrace
    draw_tree: NDArray[np.int32]
    weights: NDArray[np.float64]

    def attributes(self) -> Mapping[str, Any]:
        """``trace_`` and what it says, ``draw_tree_``, ``chain_weights_``."""
        return {
            "trace_": self.trace,
            "draw_tree_": self.draw_tree,
            "chain_weights_": self.weights,
            "acceptance_": self.trace.acceptance(),
            "proposals_": self.trace.proposals(),
        }

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Put everything where a model file keeps it."""
        self.trace.write(meta, arrays)
        arrays |= {"draw_tree": self.draw_tree, "chain_weights_": self.weights}

    @classmethod
    def read(cls, saved: SavedModel) -> "ChainDraws":
        """Checked against the trees."""
        trace = ChainTrace.read(saved.meta, saved.arrays)
        draws, weights = saved.arrays.get("draw_tree"), saved.arrays.get("chain_weights_")
        if draws is None or weights is None:
            raise BayeswoodError("The model file lacks the draws of its chains.")
        lawful = (
            draws.dtype.kind in "iu"
            and draws.shape == (trace.n_chains, trace.n_draws)
            and int(draws.min()) >= 0
            and int(draws.max()) < saved.forest.n_trees
            and weights.shape == (trace.n_chains,)
            and weights.dtype.kind == "f"
            and bool((weights >= 0).all())
        )
        if not lawful:
            raise BayeswoodError("The model file's draws do not match its trees.")
        return cls(trace, draws.astype(np.int32), weights)


def _typed(arrays: dict[str, NDArray[Any]], name: str, kind: Any) -> Any:
    """One array of the trace, of its type."""
    array = arrays.get(f"trace_{name}")
    wanted = "f" if kind is np.float64 else "iu"
    if array is None or array.dtype.kind not in wanted or array.ndim != 2 or not array.size:
        raise BayeswoodError(f"The model file holds an unusable trace of its chains' {name}.")
    return array.astype(kind)
