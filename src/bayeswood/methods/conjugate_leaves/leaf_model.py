"""The core's models of the leaves, made of training data; samplers of trees take either."""

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.methods.base.training_data import TrainingData


def make_class_leaves(
    data: TrainingData, copies: NDArray[np.int32] | None, alpha: float, power: float
) -> _core.LeafModel:
    """Leaves of classes with a Dirichlet prior.

    Parameters
    ----------
    data : TrainingData
    copies : ndarray of int32, (n_rows,) or None
        How often each row counts.
    alpha : float
        Total concentration of the prior.
    power : float
        Of the likelihood.
    """
    return _core.class_leaves(
        data.target.y, copies, n_classes=data.n_classes, alpha=float(alpha), power=float(power)
    )
