"""Rows put together by the probabilities that they were given.

Whether a probability is right cannot be seen on one row. Groups of rows with like probabilities
can be looked at: *uniform* groups are equally wide, *quantile* groups hold equally many rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]

_STRATEGIES = ("uniform", "quantile")
_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ClassTruth:
    """Class probabilities beside what happened.

    Attributes
    ----------
    proba : (n_rows, n_classes) ndarray
        One column more than was given, of zeros, if the truth has a class that the model does not
        know.
    is_true : (n_rows, n_classes) ndarray of float
        1 at the true class, else 0.
    """

    proba: F64
    is_true: F64


def read_class_truth(y: ArrayLike, proba: ArrayLike, classes: ArrayLike, caller: str) -> ClassTruth:
    """Check class probabilities and put the truth beside them.

    Raises
    ------
    BayeswoodError
        If shapes do not match or the probabilities of a row do not sum to 1.

    Examples
    --------
    >>> read_class_truth(["b", "z"], [[0.5, 0.5], [1, 0]], ["a", "b"], "f").is_true
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    labels, names = np.asarray(y), np.asarray(classes)
    given = np.asarray(proba, dtype=np.float64)
    if given.shape != (len(labels), len(names)) or not len(labels):
        raise BayeswoodError(
            f"The 'proba' parameter of {caller} must be of shape ({len(labels)}, {len(names)}): "
            f"a row per case (at least one), a column per class. Got {given.shape} instead."
        )
    off = np.flatnonzero(
        ~(np.abs(given.sum(axis=1) - 1) < _SUM_TOLERANCE) | (given < 0).any(axis=1)
    )
    if off.size:
        raise BayeswoodError(
            f"The 'proba' parameter of {caller} must hold probabilities that sum to 1 in each row. "
            f"Got {given[off[0]].tolist()} in row {off[0]} instead."
        )
    is_true = (labels[:, None] == names[None, :]).astype(np.float64)
    if (unknown := is_true.sum(axis=1) == 0).any():
        is_true = np.column_stack([is_true, unknown])
        given = np.column_stack([given, np.zeros(len(given))])
    return ClassTruth(given, is_true)


def group_by_probability(probability: F64, n_bins: int, strategy: str, caller: str) -> NDArray[Any]:
    """Number of each row's group; equal probabilities share one.

    Parameters
    ----------
    probability : (n_rows,) ndarray
    n_bins : int
        Groups at most.
    strategy : {"uniform", "quantile"}
    caller : str
        For the errors.

    Returns
    -------
    (n_rows,) ndarray of int

    Examples
    --------
    >>> given = np.array([0.0, 0.1, 0.1, 0.12, 0.9, 1.0])
    >>> group_by_probability(given, 2, "uniform", "f")
    array([0, 0, 0, 0, 1, 1])
    >>> group_by_probability(given, 2, "quantile", "f")
    array([0, 0, 0, 1, 1, 1])
    """
    if strategy not in _STRATEGIES:
        raise BayeswoodError(
            f"The 'strategy' parameter of {caller} must be 'uniform' or 'quantile'. "
            f"Got {strategy!r} instead."
        )
    if isinstance(n_bins, bool) or not isinstance(n_bins, int | np.integer) or n_bins < 1:
        raise BayeswoodError(
            f"The 'n_bins' parameter of {caller} must be an int >= 1. Got {n_bins!r} instead."
        )
    if strategy == "uniform":
        return np.minimum((probability * n_bins).astype(np.intp), n_bins - 1)
    edges = np.quantile(probability, np.arange(1, n_bins) / n_bins, method="inverted_cdf")
    return np.searchsorted(np.unique(edges), probability, side="left")


def likeness_groups(truth: ClassTruth, n_bins: int, strategy: str, caller: str) -> NDArray[Any]:
    """Groups of rows with like class probabilities.

    Two classes are grouped by the probability of the second one; more by the most probable class
    and its probability.
    """
    if truth.proba.shape[1] == 2:
        return group_by_probability(truth.proba[:, 1], n_bins, strategy, caller)
    top = truth.proba.argmax(axis=1)
    group = group_by_probability(truth.proba.max(axis=1), n_bins, strategy, caller)
    return np.unique(top * (group.max() + 1) + group, return_inverse=True)[1].reshape(-1)
