"""What trees say of the rows they left out: the moments over trees, taken in the core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.grown_forest import GrownForest

F64 = NDArray[np.float64]


def _arguments(grown: GrownForest) -> dict[str, Any]:
    return {} if grown.row_weights is None else grown.row_weights.arguments()
