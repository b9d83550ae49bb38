"""What trees say of the rows they left out: the sums over trees, taken in the core."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.uncertainty import KindSums, Votes

F64 = NDArray[np.float64]

# Rows times classes held at a time: 128 MiB.
_BLOCK_ENTRIES = 2**24


def left_out_kinds(
    data: TrainingData,
    grown: GrownForest,
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
        Rows to look at; the others cost nothing but their draws.

    Returns
    -------
    kinds : KindSums
        Of the chosen rows that some tree left out, in order.
    seen : ndarray of bool, (n_rows,)
        Which rows these are.
    """
    rows = np.flatnonzero(chosen).astype(np.int32)
    parts = list(_blocks(data, grown, strengths, kind, rows, n_jobs))
    left_out = [part.counts.sum(axis=0) > 0 for part in parts]
    kept = [part.take(some) for part, some in zip(parts, left_out, strict=True)]
    sums = np.concatenate([part.sums for part in kept], axis=2)
    counts = np.concatenate([part.counts for part in kept], axis=1)
    seen = np.zeros(data.n_rows, dtype=np.bool_)
    seen[rows[np.concatenate(left_out)]] = True
    return KindSums(sums, counts, np.bincount(kind)), seen


def left_out_votes(
    data: TrainingData,
    grown: GrownForest,
    strength: float,
    kind: NDArray[np.int32],
    shares: F64,
    n_jobs: int,
) -> tuple[Votes, NDArray[np.int32]]:
    """Averaged class probabilities of the rows that some tree left out, and how many trees did.

    Parameters
    ----------
    strength : float
        Of the shrinkage of leaves.
    kind : ndarray of int32, (n_trees,)
        Kind of each tree.
    shares : ndarray, (n_kinds,)
        Summed weight of the trees of each kind.

    Returns
    -------
    votes : Votes
        Of the rows with a positive count, in order.
    counts : ndarray of int32, (n_rows,)
        Trees that left each row out.
    """
    parts, counts = [], []
    for kinds in _blocks(data, grown, np.array([strength]), kind, None, n_jobs):
        count = kinds.counts.sum(axis=0, dtype=np.int32)
        parts.append(kinds.take(count > 0).votes(0, shares))
        counts.append(count)
    return Votes.concatenate(parts), np.concatenate(counts)


def _blocks(
    data: TrainingData,
    grown: GrownForest,
    strengths: F64,
    kind: NDArray[np.int32],
    rows: NDArray[np.int32] | None,
    n_jobs: int,
) -> Iterator[KindSums]:
    """These rows (None: all) in order, as many at a time as memory is meant for."""
    n_trees = np.bincount(kind)
    step = max(1, _BLOCK_ENTRIES // (grown.forest.n_outputs * len(strengths) * len(n_trees)))
    n_rows = data.n_rows if rows is None else len(rows)
    for first in range(0, n_rows, step):
        block = slice(first, first + step)
        chosen = None if rows is None else rows[block]
        sums, counts = grown.forest.core.predict_oob_shrunk(
            data.X[block] if chosen is None else data.X[chosen],
            strengths=strengths,
            kind=kind,
            n_kinds=len(n_trees),
            n_jobs=n_jobs,
            first_row=first if chosen is None else 0,
            n_training=data.n_rows,
            rows=chosen,
            **_arguments(grown),
        )
        yield KindSums(sums, counts, n_trees)


def _arguments(grown: GrownForest) -> dict[str, Any]:
    return {} if grown.row_weights is None else grown.row_weights.arguments()
