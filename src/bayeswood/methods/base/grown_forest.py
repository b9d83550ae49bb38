"""What a method's growing hands to the estimator."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest


@dataclass(frozen=True)
class Grown:
    """What a method's growing ends in.

    Attributes
    ----------
    forest : Forest
        The members and their weights.
    importances : ndarray, (n_trees, n_features)
        Impurity decrease per tree and feature, unnormalised.
    seed : int
        The seed all its randomness came from.
    scheme : str or None
        How the rows were weighted in each tree, see `_core.grow_forest`; None if that cannot be
        told from the seed.
    settings : dict
        Defaults resolved for these data, by the name of the fitted attribute.
    weight_threshold : float
        Exponential weights below it were 0.
    row_groups : ndarray of int32, (n_rows,) or None
        Groups of rows that were given weight 0 together.
    row_parts : ndarray of int32, (n_rows,) or None
        Parts of the rows that had random numbers of their own, see `_core.draw_weights`.
    """

    forest: Forest
    importances: NDArray[np.float64]
    seed: int
    scheme: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    weight_threshold: float = 0.0
    row_groups: NDArray[np.int32] | None = None
    row_parts: NDArray[np.int32] | None = None
