"""Predicting each training row by the trees that did not see it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.training_data import TrainingData

F64 = NDArray[np.float64]


def out_of_bag(data: TrainingData, grown: GrownForest, *, hard: bool, n_jobs: int) -> F64:
    """Means over the trees that gave a row weight 0, (n_given, n_outputs).

    Rows that all trees saw have NaN, with a warning; a row of sample weight 0 was seen by none,
    so that all trees predict it.
    """
    if grown.row_weights is None:
        raise BayeswoodError("Out-of-bag rows need weights that can be drawn again.")
    core = grown.forest.core
    sums, counts = core.predict_oob(
        data.X, hard=hard, n_jobs=n_jobs, **grown.row_weights.arguments()
    )
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts[:, None], out=means, where=counts[:, None] > 0)
    if (counts == 0).any():
        warn_user(
            f"{np.count_nonzero(counts == 0)} of {len(counts)} rows took part in every tree and "
            "have no out-of-bag prediction. Grow more trees.",
        )
    if data.taking_part.all():
        return means
    ask = grown.forest.votes if hard else grown.forest.predict
    everywhere = ask(data.given_rows, n_jobs)
    everywhere[data.taking_part] = means
    return everywhere


def score_out_of_bag(
    metric: bool | Callable[..., float],
    default: Callable[..., float],
    truth: NDArray[Any],
    found: NDArray[Any],
    sample_weight: F64 | None,
) -> float:
    """Score of out-of-bag predictions; NaN if there are none.

    Parameters
    ----------
    metric : True or callable
        A callable takes the place of `default` and is given no weights.
    default : callable
        ``default(y_true, y_pred, sample_weight=...)``.
    truth, found : ndarray, (n_rows, ...)
        Responses and their out-of-bag predictions.
    sample_weight : ndarray, (n_rows,) or None
        Weights of these rows.
    """
    if not len(truth):
        return float("nan")
    if callable(metric):
        return float(metric(truth, found))
    return float(default(truth, found, sample_weight=sample_weight))
