"""How good a calibration is, judged on rows that it was not fitted to.

Out-of-bag predictions are honest, but a calibration fitted to them and measured on them is not
quite: the order statistics of n residuals cover just what they were asked to. So the rows are dealt
into folds (whole groups, where there are groups), and each fold is judged by the calibration of
the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.uncertainty.calibration.class_calibration import (
    ClassCalibration,
    Votes,
    fit_class_calibration,
)

F64 = NDArray[np.float64]

N_FOLDS = 5
# More rows than these are judged by an evenly spaced part: a share is then known to 0.4 %.
MAX_ROWS_JUDGED = 20_000
_MAX_ENTRIES_JUDGED = 2**26
_BLOCK_ENTRIES = 2**21


@dataclass(frozen=True)
class JudgedClasses:
    """Out-of-bag class probabilities of rows, as what scores and pictures need.

    Attributes
    ----------
    true_proba : ndarray, (n_rows, 2)
        Probability of the true class: averaged (p̃), calibrated. So are the other pairs.
    top_proba : ndarray, (n_rows, 2)
        Of the most probable class.
    is_top : ndarray, (n_rows, 2)
        1 where that is the true class.
    sum_squares : ndarray, (n_rows, 2)
        Σ_c p_c².
    second_proba : ndarray, (n_rows, 2)
        Of the second class: the event where there are two.
    """

    true_proba: F64
    top_proba: F64
    is_top: F64
    sum_squares: F64
    second_proba: F64


def folds_of(n_rows: int, groups: NDArray[Any] | None) -> NDArray[np.intp]:
    """Fold of each row: dealt in turn, groups as a whole.

    Examples
    --------
    >>> folds_of(7, None)
    array([0, 1, 2, 3, 4, 0, 1])
    >>> folds_of(4, np.array([6, 6, 0, 1]))
    array([1, 1, 0, 1])
    """
    return (np.arange(n_rows) if groups is None else groups.astype(np.intp)) % N_FOLDS


def spread_sample(
    n_rows: int, n_classes: int = 1, most_rows: int | None = None
) -> NDArray[np.bool_]:
    """Which rows to judge: all, or an evenly spaced part of many (beyond `MAX_ROWS_JUDGED`)."""
    most = MAX_ROWS_JUDGED if most_rows is None else most_rows
    wanted = max(1, min(most, _MAX_ENTRIES_JUDGED // n_classes))
    if n_rows <= wanted:
        return np.ones(n_rows, dtype=np.bool_)
    chosen = np.zeros(n_rows, dtype=np.bool_)
    chosen[((np.arange(wanted) + 0.5) * n_rows / wanted).astype(np.intp)] = True
    return chosen


def _held_out(folds: NDArray[np.intp]) -> Iterator[NDArray[np.bool_]]:
    """The rows of each fold; a single fold is judged by itself, for there is no other."""
    present = np.unique(folds)
    return (folds == fold for fold in present)


def judge_classes(
    votes: Votes, label: NDArray[np.intp], weights: F64 | None, groups: NDArray[Any] | None
) -> JudgedClasses:
    """Probabilities of out-of-bag rows, each calibrated by the other folds.

    Parameters
    ----------
    votes : Votes
        Out-of-bag averages.
    label : ndarray of int, (n_rows,)
        True classes.
    weights : ndarray, (n_rows,) or None
        Positive weights.
    groups : ndarray, (n_rows,) or None
        Rows of a group share a fold.
    """
    pairs = np.empty((5, votes.n_rows, 2))
    plain = ClassCalibration.identity(votes.n_classes, float(votes.n_trees.mean()))
    for held_out in _held_out(folds_of(votes.n_rows, groups)):
        used = ~held_out if not held_out.all() else held_out
        own = None if weights is None else weights[used]
        fitted = fit_class_calibration(votes.take(used), label[used], own)
        part, truth = votes.take(held_out), label[held_out]
        pairs[:, held_out, 0] = _describe(part, truth, plain)
        pairs[:, held_out, 1] = _describe(part, truth, fitted)
    return JudgedClasses(*pairs)


def _describe(votes: Votes, label: NDArray[np.intp], calibration: ClassCalibration) -> F64:
    """The five numbers of `JudgedClasses` for each row, a block of rows at a time."""
    parts = []
    first = 0
    for block in votes.blocks(_BLOCK_ENTRIES):
        proba = calibration.apply_votes(block)
        truth = label[first : first + block.n_rows]
        first += block.n_rows
        top = proba.argmax(axis=1)
        rows = np.arange(block.n_rows)
        parts.append(
            [
                proba[rows, truth],
                proba[rows, top],
                (top == truth).astype(np.float64),
                np.sum(proba**2, axis=1),
                proba[:, min(1, votes.n_classes - 1)],
            ]
        )
    return np.concatenate(parts, axis=1)
