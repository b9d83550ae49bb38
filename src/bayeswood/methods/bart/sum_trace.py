"""What chains over sums of trees leave behind, sweep by sweep."""

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
MOVES = ("birth", "death", "change", "swap", "shift")


@dataclass(frozen=True, repr=False, eq=False)
class SumTrace:
    """The state of every chain after every sweep, those before the draws included.

    Attributes
    ----------
    noise_sd : ndarray, (n_chains, n_sweeps, n_sums)
        σ on the user's scale; 1 for classes.
    n_leaves : ndarray, (n_chains, n_sweeps)
        Leaves of a tree, in the mean over the trees of a chain.
    tried, accepted : ndarray of int64, (n_chains, 5)
        How often each of `MOVES` was tried and accepted in the sweeps of the draws.
    shares : ndarray, (n_chains, n_draws, n_features)
        Shares of the features by draw; (n_chains, n_draws, 0) where they have none.
    n_before, thin : int
        The draws are sweeps ``n_before + thin - 1``, ``n_before + 2 * thin - 1``, ...
    """

    noise_sd: F64
    n_leaves: F64
    tried: NDArray[np.int64]
    accepted: NDArray[np.int64]
    n_before: int
    thin: int
    shares: F64

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return int(self.n_leaves.shape[0])

    @property
    def n_draws(self) -> int:
        """Draws of each chain."""
        return int(self.n_leaves.shape[1] - self.n_before) // self.thin

    def __repr__(self) -> str:
        return f"<SumTrace of {self.n_chains} chains, {self.n_leaves.shape[1]} sweeps each>"

    def kept(self, values: NDArray[Any]) -> NDArray[Any]:
        """Those of (n_chains, n_sweeps, ...) values that belong to draws."""
        found: NDArray[Any] = values[:, self.n_before + self.thin - 1 :: self.thin]
        return found

    @property
    def n_burn_in(self) -> int:
        """Sweeps before the draws."""
        return self.n_before

    @property
    def names(self) -> tuple[str, ...]:
        """What there is of every sweep: σ, where it varies, and leaves."""
        return ("noise_sd", "n_leaves") if np.ptp(self.noise_sd) > 0 else ("n_leaves",)

    def series(self, name: str) -> F64:
        """One of `names` after every sweep, (n_chains, n_sweeps); σ in the mean of responses."""
        if name == "n_leaves":
            return self.n_leaves
        found: F64 = self.noise_sd.mean(axis=2)
        return found

    def quantities(self) -> dict[str, F64]:
        """What is known of every draw, (n_chains, n_draws) each: σ, where it varies, and leaves."""
        noise = self.kept(self.noise_sd)
        names = ["noise_sd"] if noise.shape[2] == 1 else [
            f"noise_sd of response {k}" for k in range(noise.shape[2])
        ]  # fmt: skip
        found = {n: noise[:, :, k] for k, n in enumerate(names) if np.ptp(noise[:, :, k]) > 0}
        return {**found, "n_leaves": self.kept(self.n_leaves)}

    def acceptance(self) -> dict[str, float]:
        """Share of the moves that were accepted, by their names; those never tried left out."""
        tried, accepted = self.tried.sum(axis=0), self.accepted.sum(axis=0)
        return {m: float(a / t) for m, t, a in zip(MOVES, tried, accepted, strict=True) if t}

    def followed_by(self, later: "SumTrace") -> "SumTrace":
        """With the sweeps of draws that came after."""
        return SumTrace(
            np.concatenate([self.noise_sd, later.noise_sd], axis=1),
            np.concatenate([self.n_leaves, later.n_leaves], axis=1),
            self.tried + later.tried,
            self.accepted + later.accepted,
            self.n_before,
            self.thin,
            np.concatenate([self.shares, later.shares], axis=1),
        )

    def attributes(self) -> Mapping[str, Any]:
        """``trace_``, and what it says of the draws: ``noise_sd_``, ``acceptance_``."""
        noise = self.kept(self.noise_sd)
        shares = {"feature_shares_": self.shares} if self.shares.shape[2] else {}
        return {
            **shares,
            "trace_": self,
            "noise_sd_": noise[..., 0] if noise.shape[-1] == 1 else noise,
            "acceptance_": self.acceptance(),
        }

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Put everything where a model file keeps it."""
        meta["trace"] = {"n_before": self.n_before, "thin": self.thin}
        for name in ("noise_sd", "n_leaves", "tried", "accepted", "shares"):
            arrays[f"trace_{name}"] = getattr(self, name)

    @classmethod
    def read(cls, saved: SavedModel) -> "SumTrace":
        """What `write` put there, checked against the forest."""
        plain = saved_state.read_value(saved.meta, "trace", dict)
        numbers = {n: saved_state.read_value(plain, n, int) for n in ("n_before", "thin")}
        noise = saved_state.read_array(saved.arrays, "trace_noise_sd", (-1, -1, -1))
        leaves = saved_state.read_array(saved.arrays, "trace_n_leaves", noise.shape[:2])
        tried = _counts(saved.arrays, "trace_tried", len(noise))
        accepted = _counts(saved.arrays, "trace_accepted", len(noise))
        shares = saved_state.read_array(saved.arrays, "trace_shares", (len(noise), -1, -1))
        trace = cls(noise, leaves, tried, accepted, **numbers, shares=shares)
        lawful = trace.n_before >= 0 and trace.thin >= 1 and bool((noise > 0).all())
        lawful = lawful and shares.shape[1:] in (
            (trace.n_draws, 0),
            (trace.n_draws, saved.forest.n_features),
        )
        if not lawful or trace.n_chains * trace.n_draws != saved.forest.n_members:
            raise BayeswoodError("The model file holds an unusable trace of its chains.")
        return trace


def _counts(arrays: dict[str, NDArray[Any]], name: str, n_chains: int) -> NDArray[np.int64]:
    """By chain and move; files from before the last move was there have none of it."""
    array = arrays.get(name)
    shapes = [(n_chains, len(MOVES) - missing) for missing in (0, 1)]
    if array is None or array.dtype.kind not in "iu" or array.shape not in shapes:
        raise BayeswoodError(f"The model file holds an unusable array '{name}'.")
    return np.pad(array.astype(np.int64), [(0, 0), (0, len(MOVES) - array.shape[1])])
