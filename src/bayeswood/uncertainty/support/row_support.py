"""How well rows are surrounded by training rows, as a share of training rows.

In each view v (`views`) a row has a score s_v, its log distance to the k-th nearest row of a
sample. A column by itself has a second score, from which the mean of the neighbours' own log
distances is taken: it tells a gap from a thin tail. Scores of different views are compared by how
rare they are among the M rows of the sample, each left out in turn:

    surprise_v(x) = −log (1 + #{i: s_vi >= s_v(x)}) / (M + 1),
    S(x)          = max_v (surprise_v(x) − 0.7 log m_v),   m_v scores being of v's kind,
    support(x)    = (1 + #{i: S_i >= S(x)}) / (M + 1).

Where a score is beyond all others, its surprise goes on growing with it, and where S is, support
goes on falling by exp(−S). Support is thus nearly a conformal p-value (Vovk and others 2005): a
new row of the training distribution falls below a with a probability of about a.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.uncertainty.support.coordinates import Coordinates
from bayeswood.uncertainty.support.views import Views, choose_views, log_distance

F64 = NDArray[np.float64]

# Rows of less support are said to have no data near; of rows like the training rows 5 % are.
NO_DATA_BELOW = 0.05
# The neighbour whose distance counts, and the rows of the sample per step of it.
_MOST_NEIGHBOURS = 3
_ROWS_PER_NEIGHBOUR = 20
# From so many rows on, distances of neighbours say more about a tail than their noise hides.
_LOCAL_ROWS = 50
# Scores of one kind are alike: m of them count as so many independent ones, to this power.
_KIND_POWER = 0.7
# Distances that are in memory at a time.
_BLOCK_DISTANCES = 2**20


@dataclass(frozen=True, eq=False)
class RowSupport:
    """The rows of a sample, ready to be asked how well they surround others.

    Attributes
    ----------
    coordinates : Coordinates
        The columns' scales.
    columns : ndarray, (n_features, n_sample)
        The sample on these scales.
    views : Views
        The ways in which rows are looked at.
    k : int
        The neighbour whose distance counts.
    log_own : ndarray, (n_features, n_sample), or None
        Log distances of the sample's rows in each column by itself; None where they do not count.
    scores : ndarray, (n_scores, n_sample)
        Those of the sample's rows, left out in turn, ascending.
    surprises : ndarray, (n_sample,)
        The same of their largest surprises.
    """

    coordinates: Coordinates
    columns: F64
    views: Views
    k: int
    log_own: F64 | None
    scores: F64
    surprises: F64

    @classmethod
    def fit(
        cls, sample: NDArray[Any], is_category: NDArray[np.bool_], use: F64, n_jobs: int = 1
    ) -> "RowSupport":
        """Look at every row of a sample from every other.

        Parameters
        ----------
        sample : ndarray, (n_sample, n_features)
            Encoded training rows, two or more, in random order; NaN is missing.
        is_category : ndarray of bool, (n_features,)
            Columns of level numbers.
        use : ndarray, (n_features,)
            How much the forest uses each column.
        n_jobs : int
            Threads; they do not change the result.
        """
        coordinates = Coordinates.fit(sample, is_category)
        columns = np.ascontiguousarray(coordinates(sample).T)
        n_rows = len(sample)
        k = int(np.clip(n_rows // _ROWS_PER_NEIGHBOUR, 1, _MOST_NEIGHBOURS))
        views = choose_views(columns, is_category, use, k, n_jobs)
        squared, neighbour = views.nearest(
            columns, is_category, columns.T, k, leave_out=True, n_jobs=n_jobs
        )
        log_own = log_distance(squared[: len(columns), :, -1]) if n_rows >= _LOCAL_ROWS else None
        scores = _scores(squared, neighbour, log_own)
        ranked = np.sort(scores, axis=1)
        surprises = _surprise_left_out(scores, ranked) - _handicap(views, log_own)[:, None]
        return cls(coordinates, columns, views, k, log_own, ranked, np.sort(surprises.max(axis=0)))

    def __call__(self, rows: NDArray[Any], n_jobs: int = 1) -> F64:
        """Support of encoded rows, (n_rows,), in [0, 1].

        Parameters
        ----------
        rows : ndarray, (n_rows, n_features)
            Encoded as the sample was.
        n_jobs : int
            Threads; they do not change the result.
        """
        step = max(1, _BLOCK_DISTANCES // (len(self.views) * self.k))
        blocks = [
            self._of_block(rows[start : start + step], n_jobs)
            for start in range(0, len(rows), step)
        ]
        return np.concatenate([np.empty(0), *blocks])

    def _of_block(self, rows: NDArray[Any], n_jobs: int) -> F64:
        scales = self.coordinates
        squared, neighbour = self.views.nearest(
            self.columns, scales.is_category, scales(rows), self.k, n_jobs=n_jobs
        )
        found = _scores(squared, neighbour, self.log_own)
        surprise = np.full(len(rows), -np.inf)
        handicaps = _handicap(self.views, self.log_own)
        for score, known, handicap in zip(found, self.scores, handicaps, strict=True):
            np.maximum(surprise, _surprise(score, known) - handicap, out=surprise)
        return np.exp(-_surprise(surprise, self.surprises))


def _handicap(views: Views, log_own: F64 | None) -> F64:
    """What is taken off each score's surprise for the number of scores of its kind."""
    found: F64 = _KIND_POWER * np.log(views.siblings(1 if log_own is None else 2))
    return found


def _scores(squared: F64, neighbour: NDArray[np.int32], log_own: F64 | None) -> F64:
    """Log distances in every view, and those of single columns less the neighbours' own."""
    far = log_distance(squared[..., -1])
    if log_own is None:
        return far
    of_neighbours = np.stack(
        [own[near].mean(axis=1) for own, near in zip(log_own, neighbour, strict=True)]
    )
    return np.concatenate([far, far[: len(log_own)] - of_neighbours])


def _surprise(score: F64, known: F64) -> F64:
    """How rare scores are beside known ones, ascending."""
    n_known = len(known)
    n_above = n_known - np.searchsorted(known, score, side="left")
    beyond = np.maximum(score - known[-1], 0.0)
    return np.asarray(np.log((n_known + 1) / (n_above + 1)) + beyond)


def _surprise_left_out(scores: F64, ranked: F64) -> F64:
    """How rare each of the known scores is beside the others of its view."""
    n_known = scores.shape[1]
    n_above = np.stack(
        [
            n_known - 1 - np.searchsorted(known, score, side="left")
            for score, known in zip(scores, ranked, strict=True)
        ]
    )
    beyond = np.maximum(scores - ranked[:, -2:-1], 0.0)
    return np.asarray(np.log(n_known / (n_above + 1)) + beyond)
