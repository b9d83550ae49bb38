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


@dataclass(frozen=True, eq=False)
class SpreadPart:
    """Groups of trees whose values, times their factors, add up.

    Attributes
    ----------
    forest : Forest
        The trees.
    factor : ndarray, (n_trees,)
        Of each tree.
    trees_per_group : int
        So many follow one another in a group; the last has those that are left.
    group : ndarray of int, (n_bags,)
        The group that each bag takes.
    share : float
        Of the part in the whole.
    steps : tuple of dict
        What is made of each group's sum.
    """

    forest: Forest
    factor: F64
    trees_per_group: int
    group: NDArray[np.int64]
    share: float = 1.0
    steps: Steps = ()


@dataclass(frozen=True, eq=False)
class AdditiveSpread:
    """p ± reach sd within [0, 1], by what bags g of trees say.

    With m_g = Σ_parts share · steps(Σ_t factor_t tree_t), p = steps(Σ_g w_g m_g), q_g = steps(m_g)
    and q̄ their mean,

        sd² = factor² Σ_g w_g (q_g − q̄)² + (p (1 − p))² offset_variance.

    Attributes
    ----------
    parts : tuple of SpreadPart
    weights : ndarray, (n_bags,)
        Of the bags; they sum to 1.
    reach : float
        Quantile of the level that was asked for.
    steps : tuple of dict
        What is made of a bag's mean.
    factor : float
    offset_variance : ndarray, (n_outputs,), or None
        None: 0.
    """

    parts: tuple[SpreadPart, ...]
    weights: F64
    reach: float
    steps: Steps = ()
    factor: float = 1.0
    offset_variance: F64 | None = None
