"""What trees say of the rows they left out: the moments over trees, taken in the core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.training_data import TrainingData

F64 = NDArray[np.float64]


def _arguments(grown: GrownForest) -> dict[str, Any]:
    return {} if grown.row_weights is None else grown.row_weights.arguments()


def left_out_moments(
    data: TrainingData, grown: GrownForest, leaf_variance: F64 | None, n_jobs: int
) -> tuple[F64, F64, NDArray[np.int32]]:
    """Mean and variance of the mixture of leaf responses over the trees that left a row out.

    Returns
    -------
    mean, variance : ndarray, (n_rows, n_outputs)
        NaN where no tree did.
    counts : ndarray of int32, (n_rows,)
        How many trees did.
    """
    return grown.forest.core.predict_oob_moments(
        data.X,
        leaf_variance=leaf_variance,
        n_jobs=n_jobs,
        **_arguments(grown),
    )
