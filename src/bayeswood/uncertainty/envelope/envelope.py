"""The Uncertainty Envelope: on which cases may an ensemble be trusted?

Model
    Members K_1 .. K_N of an ensemble classify a case x. If they are a sample from a posterior, the
    share that disagrees with the majority estimates how likely the case is misclassified.
Statistic
    The consistency γ(x) = Σ_i w_i I(member i votes for the majority class), in [1/C, 1].
Formula
    An outcome is confident where γ(x) >= γ₀, and then correct or incorrect; elsewhere uncertain.
    The three rates add up to 1.
Reference
    Schetinin and others, "Comparison of the Bayesian and Randomised Decision Tree Ensembles within
    an Uncertainty Envelope Technique", 2004, section 4.

The paper's indicator compares with the target, which would make a confident error impossible; the
text and Figure 1 mean the majority class, as here.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table import fit_class_target
from bayeswood.uncertainty.envelope.votes import VoteShares, probability_shares, vote_shares

F64 = NDArray[np.float64]
Measure = Literal["votes", "probability"]

# Sums of weights such as 0.01 miss a threshold such as 0.99 by rounding alone.
_TOLERANCE = 1e-9


class _Uncertain(str):
    """The type of `UNCERTAIN`: a word among labels, one object in the whole process."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCERTAIN"

    def __reduce__(self) -> str:
        return "UNCERTAIN"


UNCERTAIN = _Uncertain("uncertain")
"""What `UncertaintyEnvelope.decide` says where it does not decide.

It is the string ``"uncertain"``, so that arrays, JSON and CSV files of decisions can hold it;
``decision is UNCERTAIN`` and ``decisions == UNCERTAIN`` both work.
"""


class Outcome(IntEnum):
    """What became of a classified case within the Uncertainty Envelope."""

    CONFIDENT_CORRECT = 0
    UNCERTAIN = 1
    CONFIDENT_INCORRECT = 2


def is_confident(consistency: F64, gamma0: float) -> NDArray[np.bool_]:
    """Per row, whether γ >= γ₀, up to the rounding of a sum of weights.

    Examples
    --------
    >>> is_confident(np.array([0.1 + 0.2, 0.29]), 0.3)
    array([ True, False])
    """
    return np.asarray(consistency >= gamma0 - _TOLERANCE)


def count_reaching(consistency: F64, gamma0: F64) -> NDArray[np.int64]:
    """Number of rows that `is_confident` at each of several thresholds.

    Examples
    --------
    >>> count_reaching(np.array([0.9, 1.0, 0.5]), np.array([0.5, 0.9, np.inf]))
    array([3, 2, 0])
    """
    below = np.searchsorted(np.sort(consistency), gamma0 - _TOLERANCE, side="left")
    return np.asarray(len(consistency) - below, dtype=np.int64)


def sort_outcomes(confident: NDArray[np.bool_], correct: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The `Outcome` of each row.

    Examples
    --------
    >>> sort_outcomes(np.array([True, True, False]), np.array([True, False, True]))
    array([0, 2, 1], dtype=int8)
    """
    decided = np.where(correct, Outcome.CONFIDENT_CORRECT, Outcome.CONFIDENT_INCORRECT)
    return np.where(confident, decided, Outcome.UNCERTAIN).astype(np.int8)


@dataclass(frozen=True, eq=False)
class EnvelopeAssessment:
    """How an ensemble did on labelled rows within the envelope.

    Attributes
    ----------
    gamma0 : float
        Least consistency of a confident outcome.
    confident_correct, uncertain, confident_incorrect : float
        Shares of the rows; they add up to 1.
    accuracy : float
        Of the majority class on all rows, confident or not.
    consistency : (n_rows,) ndarray
        γ: share of the majority class among the members.
    predicted : (n_rows,) ndarray
        The majority class; of equal ones the first in the order of the classes.
    is_correct : (n_rows,) ndarray of bool
        Whether it is the true class.
    """

    gamma0: float
    confident_correct: float
    uncertain: float
    confident_incorrect: float
    accuracy: float
    consistency: F64 = field(repr=False)
    predicted: NDArray[Any] = field(repr=False)
    is_correct: NDArray[np.bool_] = field(repr=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.consistency)

    @property
    def is_confident(self) -> NDArray[np.bool_]:
        """Per row, whether γ >= γ₀."""
        return is_confident(self.consistency, self.gamma0)

    @property
    def outcome(self) -> NDArray[np.int8]:
        """Per row, the number of its `Outcome`."""
        return sort_outcomes(self.is_confident, self.is_correct)

    def at(self, gamma0: float) -> "EnvelopeAssessment":
        """The same rows at another γ₀."""
        checked = check_gamma0(gamma0, "EnvelopeAssessment.at")
        return summarize_rows(checked, self.consistency, self.predicted, self.is_correct)


def summarize_rows(
    gamma0: float, consistency: F64, predicted: NDArray[Any], is_correct: NDArray[np.bool_]
) -> EnvelopeAssessment:
    """An assessment from what is known about each row."""
    outcome = sort_outcomes(is_confident(consistency, gamma0), is_correct)
    correct, uncertain, incorrect = np.bincount(outcome, minlength=3) / len(outcome)
    return EnvelopeAssessment(
        gamma0=gamma0,
        confident_correct=float(correct),
        uncertain=float(uncertain),
        confident_incorrect=float(incorrect),
        accuracy=float(np.mean(is_correct)),
        consistency=consistency,
        predicted=predicted,
        is_correct=is_correct,
    )


@dataclass(frozen=True)
class UncertaintyEnvelope:
    """Sort the outcomes of an ensemble into confident and uncertain ones.

    Parameters
    ----------
    gamma0 : float, default=0.99
        γ₀: least consistency of a confident outcome, in [0, 1]; 0 never doubts, and ``inf`` never
        decides. See `choose_gamma0` for choosing it from data.
    measure : {"votes", "probability"}, default="votes"
        What consistency is measured by: the share of the members that vote for the class (eq. 14
        of the paper), or the averaged class probability (eq. 13), which needs an ensemble with
        ``predict_proba``. The two are equal where leaves are pure.

    Notes
    -----
    With weights w_i that sum to 1 (``member_weights_``, or equal ones), the consistency of a row is

        γ(x) = max_c Σ_i w_i I(y_i(x) = c),

    y_i(x) the class that member i predicts by itself. The outcome is the majority class where
    γ >= γ₀. A tie between classes goes to the first in the order of ``classes_``; its γ is at most
    1/2, so that it is uncertain for any γ₀ above 1/2. The predicted class of a soft vote (averaged
    probabilities) may differ from the majority class; the envelope, as in the paper, judges the
    majority. A true class that the ensemble never saw counts as misclassified.

    Members are asked one after another, or in one native call for this package's forests, so that
    memory grows with rows times classes but not with members.

    References
    ----------
    V. Schetinin and others, "Comparison of the Bayesian and Randomised Decision Tree Ensembles
    within an Uncertainty Envelope Technique", 2004.

    Examples
    --------
    Three members vote on two rows:

    >>> votes = [["cat", "dog"], ["cat", "dog"], ["cat", "cat"]]
    >>> envelope = UncertaintyEnvelope(gamma0=0.9)
    >>> envelope.decide(votes)
    array(['cat', UNCERTAIN], dtype=object)
    >>> outcome = envelope.assess(votes, y=["dog", "dog"])
    >>> outcome.confident_correct, outcome.uncertain, outcome.confident_incorrect
    (0.0, 0.5, 0.5)

    Any fitted ensemble:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> result = envelope.assess(forest, X[1::2], y[1::2])
    >>> result.confident_incorrect < 1 - result.accuracy  # some errors are called uncertain
    True
    """

    gamma0: float = 0.99
    measure: Measure = "votes"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma0", check_gamma0(self.gamma0, "UncertaintyEnvelope"))
        if self.measure not in ("votes", "probability"):
            raise BayeswoodError(
                "The 'measure' parameter of UncertaintyEnvelope must be one of 'votes', "
                f"'probability'. Got {self.measure!r} instead."
            )

    def assess(
        self,
        ensemble: Any,
        X: Any = None,
        y: Any = None,
        *,
        member_weights: ArrayLike | None = None,
    ) -> EnvelopeAssessment:
        """Rates of confident-correct, uncertain and confident-incorrect outcomes.

        Parameters
        ----------
        ensemble : fitted estimator or array-like of votes, (n_members, n_rows)
            See `vote_shares` for what can vote.
        X : table, default=None
            Rows; None for an array of votes.
        y : array-like, (n_rows,)
            True classes.
        member_weights : array-like, (n_members,), default=None
            Instead of the ensemble's own weights.

        Returns
        -------
        EnvelopeAssessment
        """
        if y is None:
            raise BayeswoodError(
                "UncertaintyEnvelope.assess needs the true classes: assess(ensemble, X, y), or "
                "assess(votes, y=y) for an array of votes. Got y=None."
            )
        votes = self.shares(ensemble, X, member_weights=member_weights)
        numbers = votes.majority
        predicted = votes.classes[numbers]
        is_correct = matches(predicted, y)
        return summarize_rows(self.gamma0, votes.of_classes(numbers), predicted, is_correct)

    def decide(
        self, ensemble: Any, X: Any = None, *, member_weights: ArrayLike | None = None
    ) -> NDArray[Any]:
        """The majority class of each row where it is confident, `UNCERTAIN` elsewhere.

        Parameters
        ----------
        ensemble : fitted estimator or array-like of votes, (n_members, n_rows)
            See `vote_shares` for what can vote.
        X : table, default=None
            Rows; None for an array of votes.
        member_weights : array-like, (n_members,), default=None
            Instead of the ensemble's own weights.

        Returns
        -------
        ndarray of object, (n_rows,)
            Labels as Python objects.
        """
        votes = self.shares(ensemble, X, member_weights=member_weights)
        if UNCERTAIN in votes.classes.tolist():
            raise BayeswoodError(
                "A class is called 'uncertain', so that a decision for it would look like no "
                "decision. Rename it, or use EnvelopeClassifier with another 'reject_label'."
            )
        numbers = votes.majority
        decisions = votes.classes[numbers].astype(object)
        decisions[~is_confident(votes.of_classes(numbers), self.gamma0)] = UNCERTAIN
        return decisions

    def consistency(
        self, ensemble: Any, X: Any = None, *, member_weights: ArrayLike | None = None
    ) -> F64:
        """γ of each row: the share of the majority class.

        Parameters
        ----------
        ensemble : fitted estimator or array-like of votes, (n_members, n_rows)
            See `vote_shares` for what can vote.
        X : table, default=None
            Rows; None for an array of votes.
        member_weights : array-like, (n_members,), default=None
            Instead of the ensemble's own weights.

        Returns
        -------
        ndarray, (n_rows,)
        """
        votes = self.shares(ensemble, X, member_weights=member_weights)
        return votes.of_classes(votes.majority)

    def shares(
        self, ensemble: Any, X: Any = None, *, member_weights: ArrayLike | None = None
    ) -> VoteShares:
        """What γ is taken from: the share of each class, by votes or by averaged probability.

        Parameters
        ----------
        ensemble : fitted estimator or array-like of votes, (n_members, n_rows)
            See `vote_shares` for what can vote.
        X : table, default=None
            Rows; None for an array of votes.
        member_weights : array-like, (n_members,), default=None
            Instead of the ensemble's own weights.

        Returns
        -------
        VoteShares
        """
        if self.measure == "votes":
            return vote_shares(ensemble, X, member_weights=member_weights)
        if member_weights is not None:
            raise BayeswoodError(
                "With measure='probability' the ensemble averages its members itself; "
                "'member_weights' must be None."
            )
        return probability_shares(ensemble, X)


def matches(predicted: NDArray[Any], y: Any) -> NDArray[np.bool_]:
    """Per row, whether the prediction is the true class.

    Examples
    --------
    >>> matches(np.array(["a", "b"]), ["a", "a"])
    array([ True, False])
    """
    numbers, labels = fit_class_target(y, "UncertaintyEnvelope")
    if len(numbers) != len(predicted):
        raise BayeswoodError(
            f"y must have one class per row, {len(predicted)} in all. Got {len(numbers)}."
        )
    if _is_text(labels) != _is_text(predicted):
        raise BayeswoodError(
            f"y and the ensemble's classes must be of one kind. Got {labels[0]!r} in y and "
            f"{predicted[0]!r} from the ensemble."
        )
    return np.asarray(labels[numbers] == predicted, dtype=np.bool_)


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "US" or (labels.dtype == object and isinstance(labels[0], str))


def check_gamma0(gamma0: float, owner: str) -> float:
    """A threshold in [0, 1], or infinity, which no consistency reaches."""
    is_number = isinstance(gamma0, Real) and not isinstance(gamma0, bool)
    if not is_number or not (0.0 <= gamma0 <= 1.0 or gamma0 == np.inf):
        raise BayeswoodError(
            f"The 'gamma0' parameter of {owner} must be a float in the range [0, 1], or inf to "
            f"decide nothing. Got {gamma0!r} instead."
        )
    return float(gamma0)
