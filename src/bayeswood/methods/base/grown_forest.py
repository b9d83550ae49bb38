"""What a method's growing hands to the estimator."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest, RowWeights


@dataclass(frozen=True)
class GrownForest:
    """What a method's growing ends in.

    Attributes
    ----------
    forest : Forest
        The members and their weights.
    importances : ndarray, (n_trees, n_features)
        Impurity decrease per tree and feature, unnormalised.
    seed : int
        The seed all its randomness came from.
    row_weights : RowWeights or None
        How the rows were weighted in each tree; None if that cannot be told from the seed.
    settings : dict
        Defaults resolved for these data, by the name of the fitted attribute.
    """

    forest: Forest
    importances: NDArray[np.float64]
    seed: int
    row_weights: RowWeights | None = None
    settings: dict[str, Any] = field(default_factory=dict)
