"""What trees say of the rows they left out: the sums over trees, taken in the core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.grown import Grown
from bayeswood.methods.training import TrainingData
from bayeswood.uncertainty import Votes

F64 = NDArray[np.float64]

# Rows times classes held at a time: 128 MiB.
_BLOCK_ENTRIES = 2**24


def left_out_votes(
    data: TrainingData, grown: Grown, n_jobs: int
) -> tuple[Votes, NDArray[np.int32]]:
    """Averaged class probabilities of the rows that some tree left out, and how many trees did.

    Returns
    -------
    votes : Votes
        Of the rows with a positive count, in order.
    counts : ndarray of int32, (n_rows,)
        Trees that left each row out.
    """
    step = max(1, _BLOCK_ENTRIES // grown.forest.n_outputs)
    parts, counts = [], []
    for first in range(0, data.n_rows, step):
        sums, count = _out_of_bag(data, grown, slice(first, first + step), n_jobs)
        seen = count > 0
        parts.append(Votes.from_means(sums[seen] / count[seen, None], count[seen]))
        counts.append(count)
    return Votes.concatenate(parts), np.concatenate(counts)


def left_out_moments(
    data: TrainingData, grown: Grown, leaf_variance: F64 | None, n_jobs: int
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
        grown.scheme or "",
        grown.seed,
        leaf_variance,
        n_jobs=n_jobs,
        weight_threshold=grown.weight_threshold,
        row_groups=grown.row_groups,
    )


def unbiased_factor(n_trees: Any) -> Any:
    """N / (n − 1), by which a variance over n trees falls short of that over many; 1 for one."""
    return n_trees / np.maximum(np.asarray(n_trees) - 1.0, 1.0)


def _out_of_bag(
    data: TrainingData, grown: Grown, rows: slice, n_jobs: int
) -> tuple[F64, NDArray[np.int32]]:
    return grown.forest.core.predict_oob(
        data.X[rows],
        grown.scheme or "",
        grown.seed,
        n_jobs=n_jobs,
        weight_threshold=grown.weight_threshold,
        row_groups=grown.row_groups,
        first_row=rows.start,
        n_training=data.n_rows,
    )
