"""The scale on which cuts are drawn: the probability integral transform, frozen as edges.

A prior tree draws its cuts on [0, 1] before it sees data. What a cut means on a column is said by
the column's empirical distribution: a value stands at its rank among the reference rows over their
number plus 1, tied values at their mean rank, and any other value where the nearest reference value
stands. The transform is a step function, so that it is kept as the edges between neighbouring
values and one number per step; a cut on [0, 1] becomes a threshold on the column's own scale.

Reference: N. Quadrianto and Z. Ghahramani, "A very simple safe-Bayesian random forest", 2015, §5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

#: Steps of a column's transform; neighbouring values of a longer column share a step.
MAX_STEPS = 16_384
#: Cuts on [0, 1] are rounded to this grid where columns are taken as they are.
_GRID = 65_534


@dataclass(frozen=True, eq=False)
class CutScale:
    """How cuts on [0, 1] map to the columns of a table.

    Attributes
    ----------
    n_levels : ndarray of int32, (n_features,)
        Levels of a category, 0 for numbers. Categories have no edges.
    n_edges : ndarray of int64, (n_features,)
        Edges of each column.
    edges : ndarray, (sum of n_edges,)
        Ascending within a column; a step ends with its upper edge.
    transform : ndarray
        One value more than edges for each numeric column: where its steps stand.
    """

    n_levels: NDArray[np.int32]
    n_edges: NDArray[np.int64]
    edges: F64
    transform: F64

    def same_as(self, other: CutScale) -> bool:
        """Whether both send every cut to the same threshold."""
        mine, theirs = vars(self), vars(other)
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def column(self, feature_idx: int) -> tuple[F64, F64]:
        """Edges and transform of one column."""
        numeric = self.n_levels[:feature_idx] == 0
        first = int(self.n_edges[:feature_idx].sum())
        step = first + int(np.count_nonzero(numeric))
        n_edges = int(self.n_edges[feature_idx])
        return self.edges[first : first + n_edges], self.transform[step : step + n_edges + 1]

    def apply(self, matrix: NDArray[Any]) -> F64:
        """The transform of numbers; categories stay level numbers, NaN stays.

        Parameters
        ----------
        matrix : ndarray, (n_rows, n_features)
            An encoded table.

        Returns
        -------
        ndarray, (n_rows, n_features)
        """
        out = np.array(matrix, dtype=np.float64)
        for feature_idx in np.flatnonzero(self.n_levels == 0):
            edges, steps = self.column(int(feature_idx))
            known = ~np.isnan(out[:, feature_idx])
            values = out[known, feature_idx]
            out[known, feature_idx] = steps[np.searchsorted(edges, values, side="left")]
        return out


def fit_pit(
    matrix: NDArray[Any],
    n_levels: NDArray[np.int32],
    copies: NDArray[np.int32] | None = None,
    max_steps: int = MAX_STEPS,
) -> CutScale:
    """Freeze the transform of an encoded table.

    Parameters
    ----------
    matrix : ndarray, (n_rows, n_features)
        Reference rows; NaN is missing and takes no part.
    n_levels : ndarray of int32, (n_features,)
        Levels of categories, 0 for numbers.
    copies : ndarray of int32, (n_rows,), default=None
        How often each row counts; None counts each once.
    max_steps : int
        Most steps of a column.

    Returns
    -------
    CutScale

    Examples
    --------
    >>> import numpy as np
    >>> scale = fit_pit(np.array([[3.0], [1.0], [3.0], [8.0]]), np.zeros(1, np.int32))
    >>> scale.edges, scale.transform
    (array([2. , 5.5]), array([0.2, 0.5, 0.8]))
    """
    fitted = [
        _fit_column(matrix[:, feature_idx], copies, max_steps)
        for feature_idx in np.flatnonzero(n_levels == 0)
    ]
    return _assemble(n_levels, fitted)


def unit_scale(n_levels: NDArray[np.int32]) -> CutScale:
    """The scale of columns that lie in [0, 1] already: cuts at multiples of 1/65,534.

    Parameters
    ----------
    n_levels : ndarray of int32, (n_features,)
        Levels of categories, 0 for numbers.
    """
    steps = np.arange(_GRID) / _GRID
    column = (steps[1:], steps)
    return _assemble(n_levels, [column] * int(np.count_nonzero(n_levels == 0)))


def jittered(
    matrix: NDArray[Any], n_levels: NDArray[np.int32], rng: np.random.Generator
) -> NDArray[Any]:
    """Break the ties of numeric columns at random: tied values spread around their place.

    Parameters
    ----------
    matrix : ndarray, (n_rows, n_features)
        An encoded table; not changed.
    n_levels : ndarray of int32, (n_features,)
        Levels of categories, 0 for numbers.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, (n_rows, n_features)
        Each value moved by less than a quarter of the way to the nearest other value.
    """
    out = np.array(matrix, dtype=np.float64)
    for feature_idx in np.flatnonzero(n_levels == 0):
        column = out[:, feature_idx]
        distinct = np.unique(column[~np.isnan(column)])
        if len(distinct) > 1:
            reach = 0.25 * np.diff(distinct).min()
            column += rng.uniform(-reach, reach, len(column))
    return out


def _assemble(n_levels: NDArray[np.int32], columns: list[tuple[F64, F64]]) -> CutScale:
    n_edges = np.zeros(len(n_levels), dtype=np.int64)
    n_edges[n_levels == 0] = [len(edges) for edges, _ in columns]
    edges = np.concatenate([np.empty(0), *(edges for edges, _ in columns)])
    transform = np.concatenate([np.empty(0), *(steps for _, steps in columns)])
    return CutScale(np.asarray(n_levels, dtype=np.int32), n_edges, edges, transform)


def _fit_column(
    column: NDArray[Any], copies: NDArray[np.int32] | None, max_steps: int
) -> tuple[F64, F64]:
    known = ~np.isnan(column)
    values, counts = _distinct(column[known], None if copies is None else copies[known])
    if not len(values):
        return np.empty(0), np.full(1, 0.5)
    cumulative = np.cumsum(counts)
    first, last = _steps(cumulative, max_steps)
    before = cumulative[first] - counts[first]
    # The mean of the ranks before + 1 .. cumulative[last].
    mid_rank = (before + 1 + cumulative[last]) / 2
    return _between(values[last[:-1]], values[first[1:]]), mid_rank / (cumulative[-1] + 1)


def _distinct(
    values: NDArray[Any], copies: NDArray[np.int32] | None
) -> tuple[F64, NDArray[np.int64]]:
    if copies is None:
        distinct, counts = np.unique(values, return_counts=True)
        return distinct.astype(np.float64), counts.astype(np.int64)
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights=copies, minlength=len(distinct)).astype(np.int64)
    return distinct[counts > 0].astype(np.float64), counts[counts > 0]


def _steps(
    cumulative: NDArray[np.int64], max_steps: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last distinct value of each step; steps of about equal numbers of rows."""
    n_values = len(cumulative)
    if n_values <= max_steps:
        every = np.arange(n_values)
        return every, every
    step = (cumulative - 1) * max_steps // cumulative[-1]
    first = np.flatnonzero(np.diff(step, prepend=-1))
    return first, np.append(first[1:] - 1, n_values - 1)


def _between(below: F64, above: F64) -> F64:
    """Half-way between neighbouring values, never rounded up to the upper one."""
    middle = below / 2 + above / 2
    inside = (middle >= below) & (middle < above)
    return np.where(inside, middle, below)
