"""A prediction as sums over trees, and what is made of these."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest

F64 = NDArray[np.float64]
Link = Callable[[F64], F64]
#: A link in elementary steps, by which it can be written elsewhere: see `bayeswood.export.steps`.
Steps = tuple[dict[str, Any], ...]


@dataclass(frozen=True, eq=False)
class AdditivePart:
    """Members whose trees add up.

    Attributes
    ----------
    forest : Forest
        The members and their weights.
    share : float
        Of the part in the whole.
    link : callable or None
        Makes of what a member says, (..., n_outputs), what is averaged; None: that itself.
    steps : tuple of dict
        The link again, step by step; empty if that cannot be said.
    """

    forest: Forest
    share: float = 1.0
    link: Link | None = None
    steps: Steps = ()


@dataclass(frozen=True, eq=False)
class Additive:
    """answer = link(Σ_parts share · Σ_m w_m part_link(Σ_t tree_t)).

    Attributes
    ----------
    parts : tuple of AdditivePart
    link : callable or None
        Makes of the average, (..., n_outputs), the answer; None: that itself.
    raw : str
        What the average is called.
    steps : tuple of dict
        As of a part.
    """

    parts: tuple[AdditivePart, ...]
    link: Link | None = None
    raw: str = "mean of the trees"
    steps: Steps = ()

    @property
    def is_linear(self) -> bool:
        """Whether the answer is the trees' own sum, so that its Shapley values are exact."""
        return self.link is None and self.raw_is_linear

    @property
    def raw_is_linear(self) -> bool:
        """Whether the average is."""
        return all(part.link is None for part in self.parts)
