"""What the members of an ensemble vote for, whoever made the ensemble.

The outcome is one matrix of shares, (n_rows, n_classes), added up member by member: the votes of
all members for all rows are never held at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]

# Decimals kept of a sum of unequal weights, so that its rounding does not decide a tie.
_DECIMALS = 12
# Votes of an array that are numbered at a time.
_BLOCK_VOTES = 4_000_000
# scikit-learn's ensembles whose members learn the numbers of the classes, not their labels.
_FORESTS = ("RandomForestClassifier", "ExtraTreesClassifier")
_NUMBERING = (*_FORESTS, "BaggingClassifier", "VotingClassifier")


def is_of_sklearn(estimator: Any, *names: str) -> bool:
    """Whether it is of one of these classes of scikit-learn, none of which is imported for that.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> is_of_sklearn(make_pipeline(None), "Pipeline"), is_of_sklearn(1.0, "Pipeline")
    (True, False)
    """
    kinds = type(estimator).__mro__
    return any(k.__name__ in names and k.__module__.split(".")[0] == "sklearn" for k in kinds)


@dataclass(frozen=True, eq=False)
class VoteShares:
    """How the weight of the members is divided among the classes.

    Attributes
    ----------
    classes : (n_classes,) ndarray
        Labels, ascending.
    shares : (n_rows, n_classes) ndarray
        Each row sums to 1.
    """

    classes: NDArray[Any]
    shares: F64

    @property
    def majority(self) -> NDArray[np.intp]:
        """Number of the class with the largest share; of equal ones the first."""
        return np.asarray(np.argmax(self.shares, axis=1), dtype=np.intp)

    def of_classes(self, numbers: NDArray[np.intp]) -> F64:
        """The share of one class per row."""
        found: F64 = self.shares[np.arange(len(numbers)), numbers]
        return found


class _Members:
    """Weights of the members, and the exact division of counts where they weigh alike."""

    def __init__(self, weights: ArrayLike | None, n_members: int) -> None:
        self.weights = _check_member_weights(weights, n_members)
        taking_part = self.weights[self.weights > 0]
        self.weigh_alike = bool(np.all(taking_part == taking_part[0]))
        if self.weigh_alike:  # whole numbers add up without rounding
            self.weights = np.where(self.weights > 0, 1.0, 0.0)

    def divide(self, sums: F64) -> F64:
        """Shares from summed weights."""
        shares: F64 = sums / self.weights.sum()
        return shares if self.weigh_alike else np.round(shares, _DECIMALS)


def vote_shares(
    ensemble: Any, X: Any = None, *, member_weights: ArrayLike | None = None
) -> VoteShares:
    """Share of the members, by weight, that vote for each class.

    Parameters
    ----------
    ensemble : fitted estimator or array-like, (n_members, n_rows)
        A bayeswood classifier; a scikit-learn ensemble with ``estimators_`` (forests, bagging,
        voting, AdaBoost), alone or at the end of a pipeline; or votes: class labels by member.
    X : table, default=None
        Rows to ask about; not used for an array of votes.
    member_weights : array-like, (n_members,), default=None
        Non-negative weights. None takes the ensemble's own (``member_weights_``, ``weights``,
        ``estimator_weights_``), or equal ones.

    Returns
    -------
    VoteShares

    Notes
    -----
    A member votes for the class that it would predict by itself. Where weights are equal (among
    the members of positive weight), shares are exact quotients of counts, whatever the order of
    the members; otherwise they are kept to twelve decimals.

    Examples
    --------
    >>> votes = [["a", "b"], ["a", "b"], ["b", "b"]]
    >>> vote_shares(votes, member_weights=[1, 1, 2]).shares
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    if not hasattr(ensemble, "predict"):
        return _shares_of_votes(ensemble, member_weights)
    ensemble, X = _innermost(ensemble, _need_rows(X))
    if hasattr(ensemble, "predict_votes") and hasattr(ensemble, "member_weights_"):
        return _shares_of_forest(ensemble, X, member_weights)
    return _shares_of_members(ensemble, X, member_weights)


def probability_shares(ensemble: Any, X: Any) -> VoteShares:
    """The ensemble's averaged class probabilities (eq. 13 of the paper) in the place of votes.

    Parameters
    ----------
    ensemble : fitted classifier
        With ``predict_proba`` and ``classes_``.
    X : table

    Returns
    -------
    VoteShares
    """
    if not hasattr(ensemble, "predict_proba"):
        raise BayeswoodError(
            "The envelope of averaged probabilities needs an ensemble with 'predict_proba'. "
            f"{_describe(ensemble)} has none; use measure='votes'."
        )
    shares = np.round(np.asarray(ensemble.predict_proba(_need_rows(X)), dtype=float), _DECIMALS)
    return VoteShares(np.asarray(ensemble.classes_), shares)


def _need_rows(X: Any) -> Any:
    if X is None:
        raise BayeswoodError("An ensemble can only vote on rows: X is None.")
    return X


def _innermost(ensemble: Any, X: Any) -> tuple[Any, Any]:
    """The ensemble inside a pipeline, a search or a wrapper, and the rows as it takes them."""
    if is_of_sklearn(ensemble, "Pipeline"):
        return _innermost(ensemble[-1], ensemble[:-1].transform(X) if len(ensemble) > 1 else X)
    if is_of_sklearn(ensemble, "FrozenEstimator"):
        return _innermost(ensemble.estimator, X)
    if hasattr(ensemble, "best_estimator_"):  # of a search
        return _innermost(ensemble.best_estimator_, X)
    return ensemble, X


# --- a bayeswood forest ---------------------------------------------------------------------------


def _shares_of_forest(forest: Any, X: Any, member_weights: ArrayLike | None) -> VoteShares:
    own = np.asarray(forest.member_weights_)
    members = _Members(own if member_weights is None else member_weights, len(own))
    sums = np.asarray(forest.predict_votes(X, member_weights=members.weights))
    return VoteShares(np.asarray(forest.classes_), members.divide(sums))


# --- a scikit-learn ensemble ----------------------------------------------------------------------


def _shares_of_members(ensemble: Any, X: Any, member_weights: ArrayLike | None) -> VoteShares:
    fitted, classes = _check_members(ensemble)
    own = _own_weights(ensemble, len(fitted))
    members = _Members(own if member_weights is None else member_weights, len(fitted))
    spoken = _spoken_classes(ensemble, fitted, classes)
    sums: F64 | None = None
    for idx in np.flatnonzero(members.weights):
        voted = np.asarray(fitted[idx].predict(_rows_for_member(ensemble, fitted[idx], idx, X)))
        if sums is None:
            sums = np.zeros((len(voted), len(classes)))
        sums[np.arange(len(voted)), np.searchsorted(spoken, voted)] += members.weights[idx]
    assert sums is not None  # at least one weight is positive
    return VoteShares(classes, members.divide(sums))


def _check_members(ensemble: Any) -> tuple[list[Any], NDArray[Any]]:
    fitted = getattr(ensemble, "estimators_", None)
    classes = getattr(ensemble, "classes_", None)
    if fitted is None or classes is None:
        raise BayeswoodError(
            "The envelope needs a fitted classifier with members: a bayeswood estimator, a "
            "scikit-learn ensemble with 'estimators_', or an array of votes (n_members, n_rows). "
            f"Got {_describe(ensemble)} instead."
        )
    if isinstance(classes, list):
        raise BayeswoodError(
            f"The envelope is about one target. {_describe(ensemble)} has {len(classes)}."
        )
    if isinstance(fitted, np.ndarray) or not all(hasattr(m, "classes_") for m in fitted):
        raise BayeswoodError(
            f"The members of {_describe(ensemble)} are no classifiers that vote; the envelope "
            "does not apply to it."
        )
    return list(fitted), np.asarray(classes)


def _own_weights(ensemble: Any, n_members: int) -> ArrayLike | None:
    """Weights that the ensemble itself gives to its members."""
    if is_of_sklearn(ensemble, "VotingClassifier") and ensemble.weights is not None:
        taking_part = [named[1] != "drop" for named in ensemble.estimators]
        return np.asarray(ensemble.weights, dtype=np.float64)[taking_part]
    weights = getattr(ensemble, "estimator_weights_", None)
    return None if weights is None else np.asarray(weights)[:n_members]


def _spoken_classes(ensemble: Any, fitted: list[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """What a member says for each class: some were taught labels, others the numbers 0, 1, ..."""
    numbers = np.arange(len(classes))
    if is_of_sklearn(ensemble, *_NUMBERING):
        return numbers
    known = set().union(*(np.asarray(member.classes_).tolist() for member in fitted))
    if known == set(classes.tolist()):
        return classes
    if known == set(numbers.tolist()):
        return numbers
    raise BayeswoodError(
        f"The classes that the members of {_describe(ensemble)} know ({_listed(known)}) are not "
        f"the ensemble's ({_listed(classes)}). Give the envelope an array of votes instead."
    )


def _rows_for_member(ensemble: Any, member: Any, idx: np.intp, X: Any) -> Any:
    """The rows and columns that a member was taught."""
    if hasattr(member, "feature_names_in_") or hasattr(X, "tocsr"):
        rows = X
    elif is_of_sklearn(ensemble, *_FORESTS):
        rows = np.asarray(X, dtype=np.float32)
    else:
        rows = np.asarray(X)
    columns = getattr(ensemble, "estimators_features_", None)
    return rows if columns is None else rows[:, columns[idx]]


# --- an array of votes ----------------------------------------------------------------------------


def _shares_of_votes(votes: Any, member_weights: ArrayLike | None) -> VoteShares:
    votes = _check_votes(votes)
    n_members, n_rows = votes.shape
    members = _Members(member_weights, n_members)
    classes = _classes_of_votes(votes)
    sums = np.zeros(n_rows * len(classes))
    for block in _member_blocks(n_members, n_rows):
        numbers = np.searchsorted(classes, votes[block])
        cells = numbers + len(classes) * np.arange(n_rows)
        weights = np.repeat(members.weights[block], n_rows)
        sums += np.bincount(cells.ravel(), weights, minlength=len(sums))
    return VoteShares(classes, members.divide(sums.reshape(n_rows, len(classes))))


def _member_blocks(n_members: int, n_rows: int) -> Iterator[slice]:
    step = max(1, _BLOCK_VOTES // max(1, n_rows))
    return (slice(start, start + step) for start in range(0, n_members, step))


def _check_votes(votes: Any) -> NDArray[Any]:
    array = np.asarray(votes)
    if array.ndim == 3:
        raise BayeswoodError(
            "Votes must be class labels of shape (n_members, n_rows). Got an array of shape "
            f"{array.shape}; if it holds class probabilities, give classes[draws.argmax(axis=2)]."
        )
    if array.ndim != 2 or array.size == 0:
        raise BayeswoodError(
            "The envelope needs a fitted ensemble or votes of shape (n_members, n_rows), at least "
            f"one of each. Got {_describe(votes)} of shape {array.shape} instead."
        )
    return array


def _classes_of_votes(votes: NDArray[Any]) -> NDArray[Any]:
    """The labels that occur, ascending."""
    try:
        found = [np.unique(votes[block]) for block in _member_blocks(*votes.shape)]
        classes = np.unique(np.concatenate(found))
    except TypeError:
        kinds = sorted({type(vote).__name__ for vote in votes.ravel()})
        raise BayeswoodError(
            f"Votes must be class labels of one kind. Got a mixture of {', '.join(kinds)}."
        ) from None
    is_float = classes.dtype.kind == "f"
    if is_float and not np.all(np.isfinite(classes) & (classes == np.floor(classes))):
        odd = classes[~(np.isfinite(classes) & (classes == np.floor(classes)))][0]
        raise BayeswoodError(
            "Votes must be class labels: strings, booleans or whole numbers, none missing. "
            f"Got {odd.item()!r}; of probabilities give the most probable class."
        )
    return classes


# --- weights and words ----------------------------------------------------------------------------


def _check_member_weights(weights: ArrayLike | None, n_members: int) -> F64:
    if weights is None:
        return np.ones(n_members)
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        checked = np.full(n_members, np.nan)
    if checked.shape != (n_members,):
        raise BayeswoodError(
            f"The 'member_weights' must be one number per member, {n_members} in all. Got an "
            f"array of shape {checked.shape} instead."
        )
    if not np.all(np.isfinite(checked) & (checked >= 0)) or not checked.any():
        raise BayeswoodError(
            "The 'member_weights' must be finite numbers >= 0, not all 0. "
            f"Got {_listed(checked)} instead."
        )
    return checked


def _describe(thing: Any) -> str:
    return f"a {type(thing).__name__}"


def _listed(values: Any, n_shown: int = 6) -> str:
    shown = sorted(map(str, values))[:n_shown]
    return ", ".join(shown) + (", ..." if len(values) > n_shown else "")
