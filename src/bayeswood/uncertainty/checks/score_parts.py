"""What a probability score is made of: reliability, resolution, uncertainty.

For a proper score with divergence d (squared distance for Brier, Kullback–Leibler for log loss)
and entropy e (1 − |q|², Shannon's), rows in groups k of like probabilities, p̄_k their mean
probabilities, ȳ_k their class frequencies, ȳ the frequencies of all rows:

    score =  Σ_k (n_k/n) d(ȳ_k, p̄_k)   reliability: how far the probabilities are from frequencies
           − Σ_k (n_k/n) d(ȳ_k, ȳ)     resolution: how far the groups differ from the average
           + e(ȳ)                       uncertainty: the score of always saying ȳ
           + within                     what grouping hides: rows of a group differ a little

The identity is exact. *Within* is 0 if the rows of a group share one vector of probabilities; a
negative one says that the probabilities tell rows of a group apart rightly.

References: A. H. Murphy, "A new vector partition of the probability score", Journal of Applied
Meteorology 12, 1973; J. Bröcker, "Reliability, sufficiency, and the decomposition of proper
scores", QJRMS 135, 2009; the remainder after D. B. Stephenson, C. A. S. Coelho and I. T. Jolliffe,
Weather and Forecasting 23, 2008.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from bayeswood.uncertainty.checks.probability_groups import likeness_groups, read_class_truth

F64 = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ScoreParts:
    """A score (less is better) and its parts.

    Attributes
    ----------
    score : float
        ``reliability - resolution + uncertainty + within``, to rounding.
    reliability : float
        Less is better; 0 if each group's probabilities are its frequencies.
    resolution : float
        More is better.
    uncertainty : float
        Of the data alone.
    within : float
        What grouping hides.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


def split_brier(
    y: ArrayLike,
    proba: ArrayLike,
    classes: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
) -> ScoreParts:
    """Brier score and its parts.

    Parameters
    ----------
    y : array-like, (n_rows,)
        True classes.
    proba : array-like, (n_rows, n_classes)
    classes : array-like, (n_classes,)
    n_bins : int, default 10
        Groups of like probabilities; for more than two classes, per predicted class.
    strategy : {"quantile", "uniform"}, default "quantile"

    Returns
    -------
    ScoreParts
        Of the mean squared error of the second class's probability where there are two classes,
        of the squared errors summed over the classes where there are more.

    Examples
    --------
    >>> parts = split_brier([0, 0, 1, 1], [[1, 0], [0.5, 0.5], [0.5, 0.5], [0, 1]], [0, 1])
    >>> parts.score, parts.reliability, parts.resolution, parts.uncertainty
    (0.125, 0.0, 0.125, 0.25)
    """
    truth = read_class_truth(y, proba, classes, "split_brier")
    group = likeness_groups(truth, n_bins, strategy, "split_brier")
    p_mean, y_mean, shares = _group_means(truth.proba, truth.is_true, group)
    overall = truth.is_true.mean(axis=0)
    off, gap = truth.proba - p_mean[group], truth.is_true - y_mean[group]
    half = 0.5 if truth.proba.shape[1] == 2 else 1.0
    return ScoreParts(
        score=half * float(((truth.proba - truth.is_true) ** 2).sum(axis=1).mean()),
        reliability=half * float(shares @ ((p_mean - y_mean) ** 2).sum(axis=1)),
        resolution=half * float(shares @ ((y_mean - overall) ** 2).sum(axis=1)),
        uncertainty=half * float((overall * (1 - overall)).sum()),
        within=half * float((off**2 - 2 * off * gap).sum(axis=1).mean()),
    )


def split_log_loss(
    y: ArrayLike,
    proba: ArrayLike,
    classes: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
) -> ScoreParts:
    """Log loss (in nats) and its parts.

    Parameters
    ----------
    y : array-like, (n_rows,)
        True classes.
    proba : array-like, (n_rows, n_classes)
        A probability of 0 counts as the float64 epsilon, as in scikit-learn.
    classes : array-like, (n_classes,)
    n_bins : int, default 10
        Groups of like probabilities; for more than two classes, per predicted class.
    strategy : {"quantile", "uniform"}, default "quantile"

    Returns
    -------
    ScoreParts

    Examples
    --------
    >>> parts = split_log_loss([0, 1, 1, 1], [[0.5, 0.5]] * 4, [0, 1])
    >>> round(parts.score, 4), round(parts.reliability, 4), parts.resolution
    (0.6931, 0.1308, 0.0)
    """
    truth = read_class_truth(y, proba, classes, "split_log_loss")
    group = likeness_groups(truth, n_bins, strategy, "split_log_loss")
    given = np.clip(truth.proba, _EPS, 1.0)
    p_mean, y_mean, shares = _group_means(given, truth.is_true, group)
    overall = truth.is_true.mean(axis=0)
    loss, loss_of_mean = _log_loss(given, truth.is_true), _log_loss(p_mean[group], truth.is_true)
    return ScoreParts(
        score=loss,
        reliability=float(shares @ _divergence(y_mean, p_mean)),
        resolution=float(shares @ _divergence(y_mean, np.broadcast_to(overall, y_mean.shape))),
        uncertainty=float(-xlogy(overall, overall).sum()),
        within=loss - loss_of_mean,
    )


def _group_means(p: F64, y: F64, group: NDArray[Any]) -> tuple[F64, F64, F64]:
    """Mean probabilities, class frequencies and share of the rows, per group number."""
    n_rows = np.bincount(group).astype(np.float64)
    scale = 1.0 / np.maximum(n_rows, 1.0)[:, None]
    sums = [np.column_stack([np.bincount(group, c) for c in table.T]) * scale for table in (p, y)]
    return sums[0], sums[1], n_rows / len(group)


def _divergence(q: F64, p: F64) -> F64:
    """Kullback–Leibler divergence of each row."""
    ratio = np.divide(q, p, out=np.ones_like(q), where=q > 0)
    divergence: F64 = xlogy(q, ratio).sum(axis=1)
    return divergence


def _log_loss(p: F64, is_true: F64) -> float:
    return float(-np.log(np.where(is_true > 0, p, 1.0)).sum(axis=1).mean())
