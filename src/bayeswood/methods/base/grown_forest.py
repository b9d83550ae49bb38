"""What a method's growing hands to the estimator."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest, RowWeights
from bayeswood.methods.base.parts import Part


@dataclass(frozen=True)
class GrownForest:
    """What a method's growing ends in.

    Attributes
    ----------
    forest : Forest
        The members and their weights.
    importances : ndarray, (n_members, n_features)
        Impurity decrease per member and feature, unnormalised.
    seed : int
        The seed all its randomness came from.
    row_weights : RowWeights or None
        How the rows were weighted in each tree; None if that cannot be told from the seed.
    settings : dict
        Further fitted attributes, such as defaults resolved for these data.
    parts : tuple of Part
        What else the estimator consists of.
    """

    forest: Forest
    importances: NDArray[np.float64]
    seed: int
    row_weights: RowWeights | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()

    def extended(self, settings: dict[str, Any], *parts: Part) -> "GrownForest":
        """The same with further fitted attributes and parts."""
        return replace(self, settings={**self.settings, **settings}, parts=(*self.parts, *parts))
