"""Permutation importance with credible intervals.

The importance of feature j for one fitted function f and a score s (more is better) is what is
lost when the feature's values are shuffled between rows:

    I_j(f) = s(y, f(X)) − mean over shuffles π of s(y, f(X with column j shuffled by π)).

It is a functional of f: its values over the members are its posterior. All members see the same
shuffles. Reference: L. Breiman, "Random forests", Machine Learning 45, 2001, section 10; as a
property of the model, A. Fisher, C. Rudin and F. Dominici, JMLR 20 (177), 2019.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.posterior.functional import Posterior
from bayeswood.posterior.members import Members, Rows
from bayeswood.uncertainty import check_coverage

F64 = NDArray[np.float64]
Score = Callable[[NDArray[Any], F64], float]

_NAME = "permutation_importance"
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, repr=False)
class PermutationImportances:
    """What each feature is worth, largest first.

    Attributes
    ----------
    names : tuple of str
    posterior : Posterior
        ``draws`` of shape (n_members, n_features): the importance for each member.
    mean, lower, upper : (n_features,) ndarray
        Posterior mean and credible interval of the importance for a member.
    of_forest : (n_features,) ndarray
        The importance for the members' average. It is smaller than `mean` where the members'
        errors cancel.
    score : str
        Name of the score.
    member_score, forest_score : float
        Before shuffling: of a member on average, and of the average.
    coverage : float
        Of the intervals.
    """

    names: tuple[str, ...]
    posterior: Posterior
    mean: F64
    lower: F64
    upper: F64
    of_forest: F64
    score: str
    member_score: float
    forest_score: float
    coverage: float

    def __repr__(self) -> str:
        return f"<PermutationImportances of {len(self.names)} features by {self.score}>"


def permutation_importance(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    score: str | Score | None = None,
    n_repeats: int = 5,
    coverage: float = 0.9,
    rng: Any = 0,
) -> PermutationImportances:
    """Posterior of the loss in score when a feature is shuffled.

    Parameters
    ----------
    model : fitted bayeswood estimator
        Of one response.
    X : table
        Rows the model has not seen, or the importance is that of the training rows.
    y : array-like, (n_rows,)
    score : str or callable, default None
        Classifiers: ``"accuracy"`` (None), ``"brier"`` or ``"log_loss"``; regressors: ``"r2"``
        (None), ``"mse"`` or ``"mae"``; losses are negated. A function gets the true responses (or
        the numbers of the true classes) and a member's predictions (or class probabilities), and
        gives a number, more is better.
    n_repeats : int, default 5
        Shuffles, averaged over.
    coverage : float, default 0.9
        Of the intervals.
    rng : int or numpy Generator, default 0
        Source of the shuffles.

    Returns
    -------
    PermutationImportances

    Notes
    -----
    I_j(f_m) = s(y, f_m(X)) − mean_π s(y, f_m(X_π)) for each member m. Single deep trees give
    probabilities 0 and 1, which make log loss large: Brier is the calmer choice for them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayeswood import BayesianForestRegressor
    >>> from bayeswood.posterior import permutation_importance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(400, 3))
    >>> y = 5 * X[:, 2] + X[:, 0]
    >>> forest = BayesianForestRegressor(random_state=0).fit(X[:200], y[:200])
    >>> permutation_importance(forest, X[200:], y[200:]).names
    ('x2', 'x0', 'x1')
    """
    check_coverage(coverage, _NAME)
    members = Members(model, _NAME)
    scoring, name = _choose_score(score, members)
    rows, truth = members.encode(X), _read_truth(y, members)
    _check(rows, truth, n_repeats)
    generator = np.random.default_rng(rng)
    shuffles = [generator.permutation(len(rows)) for _ in range(n_repeats)]
    base, forest_base = _scores(members, rows, truth, scoring)
    draws = np.empty((len(members), members.forest.n_features))
    of_forest = np.empty(members.forest.n_features)
    for j in range(members.forest.n_features):
        lost, forest_lost = _shuffled_scores(members, rows, j, shuffles, truth, scoring)
        draws[:, j], of_forest[j] = base - lost, forest_base - forest_lost
    return _ranked(
        members, draws, of_forest, name, float(members.weights @ base), forest_base, coverage
    )


def _ranked(
    members: Members,
    draws: F64,
    of_forest: F64,
    name: str,
    member_score: float,
    forest_score: float,
    coverage: float,
) -> PermutationImportances:
    order = np.argsort(-(members.weights @ draws), kind="stable")
    posterior = Posterior(np.ascontiguousarray(draws[:, order]), members.weights)
    ends = posterior.interval(coverage)
    return PermutationImportances(
        names=tuple(members.schema.names[j] for j in order),
        posterior=posterior,
        mean=posterior.mean,
        lower=ends[:, 0],
        upper=ends[:, 1],
        of_forest=of_forest[order],
        score=name,
        member_score=member_score,
        forest_score=forest_score,
        coverage=coverage,
    )


def _shuffled_scores(
    members: Members,
    rows: Rows,
    column: int,
    shuffles: list[NDArray[np.int64]],
    truth: NDArray[Any],
    scoring: Score,
) -> tuple[F64, float]:
    """Mean score with a column shuffled, of each member and of their average."""
    if np.ptp(_ranks(rows[:, column])) == 0:  # a constant column cannot be shuffled
        return _scores(members, rows, truth, scoring)
    changed = np.array(rows)
    total, forest_total = np.zeros(len(members)), 0.0
    for shuffle in shuffles:
        changed[:, column] = rows[shuffle, column]
        each, together = _scores(members, changed, truth, scoring)
        total += each
        forest_total += together
    return total / len(shuffles), forest_total / len(shuffles)


def _ranks(values: Rows) -> F64:
    """Values with missing ones as a number of their own."""
    return np.where(np.isnan(values), np.inf, values.astype(np.float64))


def _scores(members: Members, rows: Rows, truth: NDArray[Any], scoring: Score) -> tuple[F64, float]:
    """Score of each member, and of the members' average."""
    each, average = np.empty(len(members)), np.zeros(0)
    for block, draws in members.stream(rows):
        each[block] = [scoring(truth, draw) for draw in draws]
        part = np.tensordot(members.weights[block], draws, axes=1)
        average = part if not average.size else average + part
    return each, float(scoring(truth, average))


def _accuracy(truth: NDArray[Any], proba: F64) -> float:
    return float(np.mean(proba.argmax(axis=1) == truth))


def _brier(truth: NDArray[Any], proba: F64) -> float:
    of_truth = proba[np.arange(len(truth)), truth]
    total = ((proba**2).sum(axis=1) - 2 * of_truth + 1).mean()
    return -float(total) / (2 if proba.shape[1] == 2 else 1)


def _log_loss(truth: NDArray[Any], proba: F64) -> float:
    of_truth = proba[np.arange(len(truth)), truth]
    return float(np.log(np.clip(of_truth, _EPS, 1.0)).mean())


def _mse(truth: NDArray[Any], predicted: F64) -> float:
    return -float(np.mean((truth - predicted) ** 2))


def _mae(truth: NDArray[Any], predicted: F64) -> float:
    return -float(np.mean(np.abs(truth - predicted)))


def _r2(truth: NDArray[Any], predicted: F64) -> float:
    spread = float(np.mean((truth - truth.mean()) ** 2))
    return 1.0 + _mse(truth, predicted) / spread if spread > 0 else float("nan")


_CLASS_SCORES: dict[str, Score] = {"accuracy": _accuracy, "brier": _brier, "log_loss": _log_loss}
_NUMBER_SCORES: dict[str, Score] = {"r2": _r2, "mse": _mse, "mae": _mae}


def _choose_score(score: str | Score | None, members: Members) -> tuple[Score, str]:
    known = _CLASS_SCORES if members.is_classifier else _NUMBER_SCORES
    if score is None:
        score = next(iter(known))
    if callable(score):
        return score, getattr(score, "__name__", "score")
    if score not in known:
        raise BayeswoodError(
            f"The 'score' parameter of {_NAME} must be one of {', '.join(map(repr, known))} or a "
            f"function. Got {score!r} instead."
        )
    return known[score], score


def _read_truth(y: ArrayLike, members: Members) -> NDArray[Any]:
    """True responses, or the numbers of the true classes."""
    if not members.is_classifier:
        return np.asarray(y, dtype=np.float64)
    labels = np.asarray(y)
    is_class = labels[:, None] == members.classes[None, :]
    if not is_class.any(axis=1).all():
        unknown = labels[~is_class.any(axis=1)][0]
        raise BayeswoodError(
            f"The 'y' parameter of {_NAME} must hold classes that the model knows. "
            f"Got {unknown!r} instead."
        )
    return np.asarray(is_class.argmax(axis=1))


def _check(rows: Rows, truth: NDArray[Any], n_repeats: int) -> None:
    if truth.shape != (len(rows),) or not len(rows):
        raise BayeswoodError(
            f"The 'y' parameter of {_NAME} must be of shape ({len(rows)},), a response per row of "
            f"X (at least one). Got {truth.shape} instead."
        )
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, int) or n_repeats < 1:
        raise BayeswoodError(
            f"The 'n_repeats' parameter of {_NAME} must be an int >= 1. Got {n_repeats!r} instead."
        )
