"""How good a calibration is, judged on rows that it was not fitted to.

Out-of-bag predictions are honest, but a calibration fitted to them and measured on them is not
quite: the order statistics of n residuals cover just what they were asked to. So the rows are dealt
into folds (whole groups, where there are groups), and each fold is judged by the calibration of
the others.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.uncertainty.calibration.class_calibration import ClassCalibration, Votes

F64 = NDArray[np.float64]

N_FOLDS = 5
# More rows than these are judged by an evenly spaced part: a share is then known to 0.4 %.
MAX_ROWS_JUDGED = 20_000
_MAX_ENTRIES_JUDGED = 2**16


@dataclass(frozen=True)
class JudgedClasses:
    """Out-of-bag class probabilities of rows, as what scores and pictures need.

    Attributes
    ----------
    true_proba : ndarray, (n_judged, 2)
        Probability of the true class: averaged (p̃), calibrated. So are the other pairs.
    top_proba : ndarray, (n_judged, 2)
        Of the most probable class.
    is_top : ndarray, (n_judged, 2)
        1 where that is the true class.
    sum_squares : ndarray, (n_judged, 2)
        Σ_c p_c².
    second_proba : ndarray, (n_judged, 2)
        Of the second class: the event where there are two.
    rates : ndarray, (n_classes, 2)
        Share of each class, and its mean calibrated probability as it is in a prediction, over
        all trees; weighted.
    """

    true_proba: F64
    top_proba: F64
    is_top: F64
    sum_squares: F64
    second_proba: F64
    rates: F64


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


def judge_classes(
    votes: Votes,
    label: NDArray[Any],
    weights: F64 | None,
    groups: NDArray[Any] | None,
    fitted: ClassCalibration,
    n_jobs: int = 1,
) -> tuple[JudgedClasses, NDArray[np.bool_]]:
    """Probabilities of out-of-bag rows, each calibrated by the other folds.

    Parameters
    ----------
    votes : Votes
        Out-of-bag averages; of many rows an evenly spaced part is judged.
    label : ndarray of int, (n_rows,)
        True classes.
    weights : ndarray, (n_rows,) or None
        Weights.
    groups : ndarray, (n_rows,) or None
        Rows of a group share a fold.
    fitted : ClassCalibration
        Fitted to all rows: where the fits begin, which spares them steps.

    Returns
    -------
    judged : JudgedClasses
        Of the judged rows, in order.
    used : ndarray of bool, (n_rows,)
        Which rows these are.
    """
    used = votes.seen.copy()
    used[used] = spread_sample(int(used.sum()), votes.n_classes)
    fold = np.full(len(used), -1, dtype=np.int32)
    fold[used] = folds_of(int(used.sum()), None if groups is None else groups[used])
    own = votes.weights(weights)
    scores, mean = votes.native().judge(
        label.astype(np.int32), own, fold, N_FOLDS,
        fitted.power, fitted.offset, fitted.slopes, n_jobs,
    )  # fmt: skip
    share = np.bincount(label[used], own[used], votes.n_classes) / own[used].sum()
    of_true, of_top, is_top, squares, of_second = scores[:, used]
    rates = np.column_stack([share, mean])
    return JudgedClasses(of_true, of_top, is_top, squares, of_second, rates), used
