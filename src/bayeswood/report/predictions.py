"""Predictions of a fitted estimator for some rows, with their uncertainty, as plain arrays.

A classifier's row is *confident* when the share of members that vote for its predicted class is at
least γ₀: the Uncertainty Envelope, see `bayeswood.UncertaintyEnvelope`. The envelope's γ is the
share of the majority class, which the predicted class nearly always is; where the averaged
probabilities prefer another class than the majority of votes, the share of the predicted class is
at most a half, and the row is rightly called uncertain.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty import is_confident, vote_shares

F64 = NDArray[np.float64]

# At the paper's 0.99 little is left to be confident about when the members are deep trees. At 0.9
# a forest calls 73 to 100 % of its errors uncertain on the eight sets of docs/cli.md.
DEFAULT_GAMMA0 = 0.9


@dataclass(frozen=True)
class ClassPredictions:
    """A classifier's predictions.

    Attributes
    ----------
    classes : (n_classes,) ndarray
    predicted : (n_rows,) ndarray
        The predicted class.
    proba : (n_rows, n_classes) ndarray
    lower, upper : (n_rows, n_classes) ndarray or None
        Ends of the interval around each class probability; None if they were not asked for.
    agreement : (n_rows,) ndarray
        γ: share of the members, by weight, that vote for the predicted class.
    gamma0 : float
        A row is confident from this agreement on.
    coverage : float
        Of the intervals, and of the sets.
    support : (n_rows,) ndarray or None
        How well the rows are surrounded by training rows; None if that was not asked for, or the
        model does not know.
    sets : (n_rows, n_classes) ndarray of bool or None
        Which classes are in the set that holds the true one with a guarantee; None if not asked.
    """

    classes: NDArray[Any]
    predicted: NDArray[Any]
    proba: F64
    lower: F64 | None
    upper: F64 | None
    agreement: F64
    gamma0: float
    coverage: float
    support: F64 | None = None
    sets: NDArray[np.bool_] | None = None

    @property
    def is_confident(self) -> NDArray[np.bool_]:
        """Per row, whether γ >= γ₀."""
        return is_confident(self.agreement, self.gamma0)

    def take(self, rows: NDArray[np.intp]) -> "ClassPredictions":
        """The predictions of some rows."""
        return ClassPredictions(
            self.classes,
            self.predicted[rows],
            self.proba[rows],
            _taken(self.lower, rows),
            _taken(self.upper, rows),
            self.agreement[rows],
            self.gamma0,
            self.coverage,
            _taken(self.support, rows),
            _taken(self.sets, rows),
        )


@dataclass(frozen=True)
class NumberPredictions:
    """A regressor's predictions.

    Attributes
    ----------
    predicted : (n_rows,) ndarray
        The posterior mean.
    lower, upper : (n_rows,) ndarray
        Ends of the interval for y itself.
    coverage : float
        Of the intervals.
    support : (n_rows,) ndarray or None
        As of `ClassPredictions`.
    """

    predicted: F64
    lower: F64
    upper: F64
    coverage: float
    support: F64 | None = None

    def take(self, rows: NDArray[np.intp]) -> "NumberPredictions":
        """The predictions of some rows."""
        return NumberPredictions(
            self.predicted[rows],
            self.lower[rows],
            self.upper[rows],
            self.coverage,
            _taken(self.support, rows),
        )


def _taken(array: NDArray[Any] | None, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    return None if array is None else array[rows]


def support_of(model: Any, X: Any) -> F64 | None:
    """How well rows are surrounded by training rows; None if the model does not know.

    Parameters
    ----------
    model : fitted bayeswood estimator
    X : table
        Rows that the model can predict.
    """
    try:
        return np.asarray(model.support(X), dtype=np.float64)
    except BayeswoodError:
        return None


def predict_rows(
    estimator: Any,
    X: Any,
    *,
    coverage: float = 0.9,
    gamma0: float = DEFAULT_GAMMA0,
    support: bool = False,
    class_intervals: bool = True,
    guarantee: bool = False,
) -> ClassPredictions | NumberPredictions:
    """Predict rows with intervals and, for a classifier, the members' agreement.

    Parameters
    ----------
    estimator : fitted bayeswood estimator
    X : table
        Anything the estimator's ``predict`` takes.
    coverage : float, default 0.9
        Of the intervals, between 0 and 1.
    gamma0 : float, default 0.9
        Least agreement of a confident row; for classifiers.
    support : bool, default False
        Whether to tell how well the rows are surrounded by training rows.
    class_intervals : bool, default True
        Whether class probabilities get intervals, which take longer than all the rest.
    guarantee : bool, default False
        Whether the coverage is to be promised: of the intervals for y, or of sets of classes.

    Returns
    -------
    ClassPredictions or NumberPredictions

    Examples
    --------
    >>> from bayeswood import BayesianForestClassifier
    >>> from bayeswood.datasets import load_iris
    >>> from bayeswood.report import predict_rows
    >>> iris = load_iris()
    >>> forest = BayesianForestClassifier(random_state=0).fit(iris.data, iris.target)
    >>> predictions = predict_rows(forest, iris.data[:2])
    >>> predictions.predicted, predictions.is_confident
    (array(['Iris-setosa', 'Iris-setosa'], dtype='<U15'), array([ True,  True]))
    """
    _check_share("coverage", coverage)
    _check_share("gamma0", gamma0)
    if guarantee and not getattr(estimator, "promises_coverage", False):
        raise BayeswoodError(f"{type(estimator).__name__} gives no guarantees of coverage.")
    found: ClassPredictions | NumberPredictions
    if hasattr(estimator, "classes_"):
        sets = estimator.predict_set(X, coverage) if guarantee else None
        of_classes = _predict_classes(estimator, X, coverage, gamma0, class_intervals)
        found = replace(of_classes, sets=sets)
    else:
        found = _predict_numbers(estimator, X, coverage, guarantee)
    return replace(found, support=support_of(estimator, X)) if support else found


def _predict_numbers(estimator: Any, X: Any, coverage: float, guarantee: bool) -> NumberPredictions:
    predicted = np.asarray(estimator.predict(X), dtype=np.float64)
    if predicted.ndim != 1:
        raise BayeswoodError(
            f"Only models of one target can be reported. This one has {predicted.shape[1]}."
        )
    asked = {"guarantee": True} if guarantee else {}
    ends = np.asarray(estimator.predict_interval(X, coverage=coverage, **asked))
    return NumberPredictions(predicted, ends[:, 0], ends[:, 1], coverage)


def _check_share(name: str, value: float) -> None:
    if not 0 < value <= 1 or (name == "coverage" and value == 1):
        bound = "below 1" if name == "coverage" else "at most 1"
        raise BayeswoodError(f"The '{name}' must be above 0 and {bound}. Got {value} instead.")


def _predict_classes(
    estimator: Any, X: Any, coverage: float, gamma0: float, with_intervals: bool
) -> ClassPredictions:
    votes = vote_shares(estimator, X)
    # A weighted mean of ones can exceed 1 by its last bit.
    proba = np.minimum(estimator.predict_proba(X), 1.0)
    # predict, not the largest probability: a hard vote may decide otherwise.
    predicted = np.asarray(estimator.predict(X))
    agreement = votes.of_classes(np.searchsorted(votes.classes, predicted))
    lower = upper = None
    if with_intervals:
        lower, upper = np.moveaxis(estimator.predict_interval(X, coverage=coverage), -1, 0)
    return ClassPredictions(
        votes.classes, predicted, proba, lower, upper, agreement, gamma0, coverage
    )
