"""Which columns are looked at together.

A gap in one column is lost among the distances of twenty others, and a hole between two columns is
not seen in either. So a row is looked at in several views: each column by itself, the pairs of
columns that depend on each other most, all columns alike, all columns as the forest uses them, and
the three that it uses most, between which there may be a hole that no two of them show.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core

F64 = NDArray[np.float64]

# Values that are missing on one side, or levels that differ, are so far apart.
MISMATCH = 1.5
# Distances below it are as good as none: a hundredth of a standard deviation.
LEAST_DISTANCE = 0.01
_MOST_PAIRS = 20
# Columns that are looked at together for being used most.
_MOST_USED = 3
# Columns whose pairs are tried, and rows to try them on.
_PAIRED_COLUMNS = 30
_TRIAL_ROWS = 200


@dataclass(frozen=True, eq=False)
class Views:
    """Ways to look at a row: each column by itself, pairs, and all columns.

    Attributes
    ----------
    weights : ndarray, (n_weighted, n_features)
        Of the columns, in the views of more than one.
    n_pairs : int
        How many of these are of two columns; they come first.
    """

    weights: F64
    n_pairs: int

    def __len__(self) -> int:
        return int(sum(self.weights.shape))

    def nearest(
        self,
        columns: F64,
        is_category: NDArray[np.bool_],
        rows: NDArray[Any],
        k: int,
        *,
        leave_out: bool = False,
        n_jobs: int = 1,
    ) -> tuple[F64, NDArray[np.int32]]:
        """Squared distances to the nearest rows of a sample in every view.

        Columns by themselves come first, and have the rows' numbers beside them; see
        `bayeswood._core.nearest_rows`.
        """
        kinds = is_category.astype(np.uint8)
        return _core.nearest_rows(
            columns, kinds, MISMATCH, self.weights, rows, k, True, leave_out, n_jobs=n_jobs
        )

    def siblings(self, n_scores_of_column: int) -> F64:
        """How many scores each score's kind has, views of one column having several scores each.

        The further scores of columns come last.
        """
        n_features = self.weights.shape[1]
        of_columns = np.full(n_features, float(n_features * n_scores_of_column))
        of_pairs = np.full(self.n_pairs, float(self.n_pairs))
        of_all = np.ones(len(self.weights) - self.n_pairs)
        return np.concatenate(
            [of_columns, of_pairs, of_all, *[of_columns] * (n_scores_of_column - 1)]
        )


def choose_views(
    columns: F64, is_category: NDArray[np.bool_], use: F64, k: int, n_jobs: int
) -> Views:
    """The ways to look at rows like these.

    Parameters
    ----------
    columns : ndarray, (n_features, n_sample)
        The sample in its coordinates, rows in random order.
    is_category : ndarray of bool, (n_features,)
    use : ndarray, (n_features,)
        How much the forest uses each column, not negative.
    k : int
        The neighbour whose distance counts.
    n_jobs : int
        Threads; they do not change the result.
    """
    n_features = len(columns)
    pairs = np.empty((0, n_features))
    if n_features > 2:
        tried = np.sort(np.argsort(-use, kind="stable")[:_PAIRED_COLUMNS])
        pairs = _dependent_pairs(columns, is_category, tried, k, n_jobs)
    views = [pairs]
    if n_features > 1:
        views.append(np.ones((1, n_features)))
        if use.max() > 0:
            views.append((use / use.max())[None] ** 2)
        if np.count_nonzero(use) >= _MOST_USED < n_features:
            most = np.argsort(-use, kind="stable")[:_MOST_USED]
            views.append(np.isin(np.arange(n_features), most)[None].astype(np.float64))
    return Views(np.concatenate(views), len(pairs))


def _dependent_pairs(
    columns: F64,
    is_category: NDArray[np.bool_],
    tried: NDArray[np.intp],
    k: int,
    n_jobs: int,
) -> F64:
    """The pairs whose neighbours are nearest, beside those of the pair with one column shuffled."""
    sample = columns[tried, :_TRIAL_ROWS]
    # Rows are in random order, so that half a turn is a shuffle.
    shuffled = np.roll(sample, sample.shape[1] // 2, axis=1)
    both = np.ascontiguousarray(np.concatenate([sample, shuffled]))
    first, second = np.triu_indices(len(tried), 1)
    marks = np.eye(2 * len(tried))
    views = np.concatenate(
        [marks[first] + marks[second], marks[first] + marks[len(tried) + second]]
    )
    kinds = np.tile(is_category[tried], 2).astype(np.uint8)
    squared, _ = _core.nearest_rows(
        both, kinds, MISMATCH, views, both.T, k, leave_out=True, n_jobs=n_jobs
    )
    together, apart = log_distance(squared[..., -1]).mean(axis=1).reshape(2, -1)
    chosen = np.argsort(together - apart, kind="stable")[:_MOST_PAIRS]
    pairs = np.zeros((len(chosen), len(columns)))
    for pair, place in zip(pairs, chosen, strict=True):
        pair[tried[[first[place], second[place]]]] = 1.0
    return pairs


def log_distance(squared: F64) -> F64:
    """Logarithm of distances, those below `LEAST_DISTANCE` drawn together."""
    found: F64 = np.log(np.sqrt(squared) + LEAST_DISTANCE)
    return found
