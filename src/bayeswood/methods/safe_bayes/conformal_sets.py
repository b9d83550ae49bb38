"""Prediction sets from leave-one-out predictions.

The score of a row is the probability that the forest without the row gives to its class: small
where the row is strange. A class c is in the set of a new row x if the score of (x, c) is not among
the smallest: with scores s_1 .. s_n of the rows seen,

    p(c) = (1 + #{i : s_i <= s(x, c)}) / (n + 1) > 1 − coverage.

Full conformal prediction takes s_i from the forest that has seen (x, c) as well; then all n + 1
scores come from one rule that treats its rows alike, so that for exchangeable rows the set holds
the true class with at least the stated probability, whatever the distribution. The quick way leaves
out what the one new row would change in the scores of the others.
"""

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.safe_bayes.class_posterior import ClassPosterior

F64 = NDArray[np.float64]


def own_probability(probability: F64, y: NDArray[np.int32]) -> F64:
    """Each row's probability of its own class."""
    own: F64 = probability[np.arange(len(y)), y]
    return own


def conformal_p_values(scores: F64, seen: F64, times: F64) -> F64:
    """p-values of scores among those of the rows seen.

    Parameters
    ----------
    scores : ndarray
        Of new rows, any shape.
    seen : ndarray, (n_rows,)
        Of rows seen.
    times : ndarray, (n_rows,)
        How often each was seen.

    Examples
    --------
    >>> import numpy as np
    >>> conformal_p_values(np.array([0.1, 0.5, 0.9]), np.array([0.4, 0.5, 0.8]), np.ones(3))
    array([0.25, 0.75, 1.  ])
    """
    order = np.argsort(seen, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(times[order])])
    n_below = below[np.searchsorted(seen[order], scores, side="right")]
    p_values: F64 = (1.0 + n_below) / (1.0 + below[-1])
    return p_values


def quick_p_values(members: ClassPosterior, X: NDArray[np.float64], n_jobs: int) -> F64:
    """p-value of each class for each row, the rows' own influence left aside."""
    kept = members.reservoir
    seen = own_probability(members.predict_left_out(kept.X, kept.y), kept.y)
    return conformal_p_values(
        members.predictive.probabilities(members.forest, X, n_jobs),
        seen,
        kept.copies.astype(np.float64),
    )


def full_p_values(members: ClassPosterior, X: NDArray[np.float64]) -> F64:
    """p-value of each class for each row by full conformal prediction."""
    found = np.empty((len(X), members.n_classes))
    for row, x in enumerate(X):
        for label in range(members.n_classes):
            found[row, label] = _full_p_value(members, x[None], np.array([label], dtype=np.int32))
    return found


def _full_p_value(
    members: ClassPosterior, x: NDArray[np.float64], label: NDArray[np.int32]
) -> float:
    """Add the row with the class, and see how strange it is among all rows."""
    with_new = members.add(x, label)
    kept = with_new.reservoir
    scores = own_probability(with_new.predict_left_out(kept.X, kept.y), kept.y)
    new = own_probability(with_new.predict_left_out(x, label), label)[0]
    # The new row counts itself. Rounding must not part equal scores.
    return float(kept.copies @ (scores <= new * (1 + 1e-12)) / kept.copies.sum())
