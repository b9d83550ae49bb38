"""What runs of Markov chains over trees have in common, whatever they draw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import warn_user
from bayeswood.methods.base.parameters import Constraint

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Running:
    """How a run is watched: its title, whether a bar shows, threads, and what Ctrl-C does."""

    title: str
    show: bool
    n_jobs: int
    on_interrupt: str

    @property
    def keeps(self) -> bool:
        """Whether Ctrl-C keeps what was drawn."""
        return self.on_interrupt != "raise"


def move_mapping(moves: Sequence[str]) -> Constraint:
    """A mapping from moves to how often each is tried; births and deaths there must be."""

    def allows(value: Any) -> bool:
        if not isinstance(value, Mapping) or not set(value) <= set(moves):
            return False
        numbers = list(value.values())
        is_number = all(isinstance(p, (int, float)) and not isinstance(p, bool) for p in numbers)
        if not is_number or not np.isfinite(numbers).all() or min(numbers, default=0) < 0:
            return False
        return bool(value.get("birth", 0) > 0 and value.get("death", 0) > 0)

    return Constraint(
        f"a mapping from {', '.join(map(repr, moves))} to numbers >= 0, those of births and "
        "deaths > 0",
        allows,
    )


def move_shares(chosen: Mapping[str, float], moves: Sequence[str]) -> F64:
    """Probabilities of all moves in their order; they sum to 1.

    Examples
    --------
    >>> move_shares({"birth": 1, "death": 1}, ("birth", "death", "swap"))
    array([0.5, 0.5, 0. ])
    """
    weights = np.array([float(chosen.get(name, 0.0)) for name in moves])
    shares: F64 = weights / weights.sum()
    return shares


def usable_chains(drawn: Sequence[int], n_draws: int) -> list[int]:
    """Of chains that were interrupted, those to keep, given how many draws each has.

    Those that ran to their end; if none did, those with draws.

    Raises
    ------
    KeyboardInterrupt
        If there are none.

    Examples
    --------
    >>> usable_chains([9, 4, 0], 9), usable_chains([7, 4, 0], 9)
    ([0], [0, 1])
    """
    whole = [c for c, n in enumerate(drawn) if n == n_draws]
    begun = whole or [c for c, n in enumerate(drawn) if n]
    if not begun:
        raise KeyboardInterrupt
    return begun


def warn_of_interrupt(
    title: str, n_draws: int, n_chains: int, asked: int, asked_chains: int
) -> None:
    """Say what an interrupted run holds."""
    warn_user(
        f"{title} was interrupted: it holds {n_draws} draws of each of {n_chains} chains, "
        f"where {asked} of each of {asked_chains} were asked for.",
    )
