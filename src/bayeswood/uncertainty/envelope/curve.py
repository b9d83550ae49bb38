"""The three rates of the Uncertainty Envelope as γ₀ moves, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty.envelope.envelope import (
    EnvelopeAssessment,
    UncertaintyEnvelope,
    check_gamma0,
    count_reaching,
)

F64 = NDArray[np.float64]

DEFAULT_GRID: F64 = np.linspace(0.5, 1.0, 101)
RATES = ("confident_correct", "uncertain", "confident_incorrect")


@dataclass(frozen=True, eq=False)
class EnvelopeCurve:
    """The three rates over γ₀; they add up to 1 at every γ₀.

    Attributes
    ----------
    gamma0 : (n_points,) ndarray
        Ascending.
    confident_correct, uncertain, confident_incorrect : (n_points,) ndarray
        Shares of the rows.
    n_rows : int
        On which they were measured.
    """

    gamma0: F64
    confident_correct: F64
    uncertain: F64
    confident_incorrect: F64
    n_rows: int


@dataclass(frozen=True, eq=False)
class FoldCurves:
    """Curves of several folds over the same γ₀.

    Attributes
    ----------
    curves : tuple of EnvelopeCurve
        One per fold.
    """

    curves: tuple[EnvelopeCurve, ...]

    @property
    def gamma0(self) -> F64:
        """The thresholds."""
        return self.curves[0].gamma0

    @property
    def mean(self) -> EnvelopeCurve:
        """Mean of the folds, each counting alike."""
        correct, uncertain, incorrect = (self._stacked(name).mean(axis=0) for name in RATES)
        n_rows = sum(curve.n_rows for curve in self.curves)
        return EnvelopeCurve(self.gamma0, correct, uncertain, incorrect, n_rows)

    @property
    def two_sigma(self) -> dict[str, F64]:
        """Twice the standard deviation over the folds, per rate."""
        return {name: 2 * np.std(self._stacked(name), axis=0, ddof=1) for name in RATES}

    def _stacked(self, name: str) -> F64:
        return np.stack([getattr(curve, name) for curve in self.curves])


def envelope_curve(
    ensemble: Any,
    X: Any = None,
    y: Any = None,
    *,
    gamma0: ArrayLike | None = None,
    member_weights: ArrayLike | None = None,
) -> EnvelopeCurve:
    """Rates of confident-correct, uncertain and confident-incorrect outcomes over γ₀.

    Parameters
    ----------
    ensemble : fitted estimator, array-like of votes, or EnvelopeAssessment
        An assessment already knows its rows, and needs neither `X` nor `y`.
    X : table, default=None
        Rows.
    y : array-like, (n_rows,), default=None
        True classes.
    gamma0 : array-like, default=None
        Thresholds in [0, 1]; by default 101 from 0.5 to 1.
    member_weights : array-like, (n_members,), default=None
        Instead of the ensemble's own weights.

    Returns
    -------
    EnvelopeCurve
        Over the distinct thresholds, ascending.

    Examples
    --------
    >>> votes = [["a", "b", "a"], ["a", "b", "b"], ["a", "b", "b"]]
    >>> curve = envelope_curve(votes, y=["a", "a", "b"], gamma0=[0.6, 0.9])
    >>> curve.confident_correct.round(2), curve.confident_incorrect.round(2)
    (array([0.67, 0.33]), array([0.33, 0.33]))
    """
    assessment = as_assessment(ensemble, X, y, member_weights)
    grid = check_grid(DEFAULT_GRID if gamma0 is None else gamma0, "envelope_curve")
    n_rows = assessment.n_rows
    correct = count_confident(assessment, grid, correct=True)
    incorrect = count_confident(assessment, grid, correct=False)
    uncertain = n_rows - correct - incorrect
    return EnvelopeCurve(grid, correct / n_rows, uncertain / n_rows, incorrect / n_rows, n_rows)


def fold_curves(
    assessments: Sequence[EnvelopeAssessment], *, gamma0: ArrayLike | None = None
) -> FoldCurves:
    """The curves of several folds, for their mean and their spread.

    Parameters
    ----------
    assessments : sequence of EnvelopeAssessment
        One per fold, at least two.
    gamma0 : array-like, default=None
        As in `envelope_curve`.

    Returns
    -------
    FoldCurves

    Examples
    --------
    >>> envelope = UncertaintyEnvelope()
    >>> folds = [envelope.assess([["a", "b"]], y=y) for y in (["a", "b"], ["a", "a"])]
    >>> curves = fold_curves(folds, gamma0=[0.9])
    >>> curves.mean.confident_correct, curves.two_sigma["confident_correct"].round(3)
    (array([0.75]), array([0.707]))
    """
    if len(assessments) < 2:
        raise BayeswoodError(f"A spread needs at least two folds. Got {len(assessments)}.")
    return FoldCurves(tuple(envelope_curve(fold, gamma0=gamma0) for fold in assessments))


def as_assessment(
    ensemble: Any, X: Any, y: Any, member_weights: ArrayLike | None
) -> EnvelopeAssessment:
    """What is known about each row; γ₀ does not matter yet."""
    if isinstance(ensemble, EnvelopeAssessment):
        return ensemble
    return UncertaintyEnvelope().assess(ensemble, X, y, member_weights=member_weights)


def count_confident(
    assessment: EnvelopeAssessment, grid: F64, *, correct: bool
) -> NDArray[np.int64]:
    """Number of confident rows at each threshold, of the correct or the incorrect ones."""
    return count_reaching(assessment.consistency[assessment.is_correct == correct], grid)


def check_grid(gamma0: ArrayLike, owner: str) -> F64:
    """Distinct thresholds, ascending."""
    try:
        grid = np.unique(np.asarray(gamma0, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.zeros(0)
    if not grid.size:
        raise BayeswoodError(
            f"The 'gamma0' parameter of {owner} must be a float or a non-empty list of floats in "
            f"the range [0, 1]. Got {gamma0!r} instead."
        )
    return np.array([check_gamma0(float(value), owner) for value in grid])
