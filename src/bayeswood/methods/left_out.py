"""What trees say of the rows they left out: the sums over trees, taken in the core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.grown import Grown
from bayeswood.methods.training import TrainingData
from bayeswood.uncertainty import KindSums

F64 = NDArray[np.float64]

# Rows times classes held at a time: 128 MiB.
_BLOCK_ENTRIES = 2**24


def left_out_kinds(
    data: TrainingData,
    grown: Grown,
    strengths: F64,
    kind: NDArray[np.int32],
    chosen: NDArray[np.bool_],
    n_jobs: int,
) -> tuple[KindSums, NDArray[np.bool_]]:
    """Class probabilities of rows, summed over the trees of each kind that left them out.

    Parameters
    ----------
    strengths : ndarray, (n_strengths,)
        Of the shrinkage of leaves.
    kind : ndarray of int32, (n_trees,)
        Kind of each tree: 0, 1, ..., each of some tree.
    chosen : ndarray of bool, (n_rows,)
        Rows to look at.

    Returns
    -------
    kinds : KindSums
        Of the chosen rows that some tree left out, in order.
    seen : ndarray of bool, (n_rows,)
        Which rows these are.
    """
    n_trees = np.bincount(kind)
    step = max(1, _BLOCK_ENTRIES // (grown.forest.n_outputs * len(strengths) * len(n_trees)))
    sums, counts, seen = [], [], []
    for first in range(0, data.n_rows, step):
        rows = slice(first, first + step)
        found, count = _shrunk(data, grown, strengths, kind, rows, n_jobs)
        kept = (count > 0).any(axis=0) & chosen[rows]
        sums.append(found[:, :, kept])
        counts.append(count[:, kept])
        seen.append(kept)
    kinds = KindSums(np.concatenate(sums, axis=2), np.concatenate(counts, axis=1), n_trees)
    return kinds, np.concatenate(seen)


def _shrunk(
    data: TrainingData,
    grown: Grown,
    strengths: F64,
    kind: NDArray[np.int32],
    rows: slice,
    n_jobs: int,
) -> tuple[F64, NDArray[np.int32]]:
    return grown.forest.core.predict_oob_shrunk(
        data.X[rows],
        grown.scheme or "",
        grown.seed,
        strengths,
        kind,
        int(kind.max()) + 1,
        n_jobs=n_jobs,
        weight_threshold=grown.weight_threshold,
        row_groups=grown.row_groups,
        first_row=rows.start,
        n_training=data.n_rows,
    )


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
