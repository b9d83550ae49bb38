"""Scores of predictions that come in pieces: the same, to the bit, however the rows are cut.

What is averaged is summed without rounding (`bayeswood.table.exact_sum`), so that neither the order
of the rows nor the size of a piece matters, and no row is kept.
"""

from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.predictions import ClassPredictions, NumberPredictions
from bayeswood.report.scores import ClassifierScores, RegressorScores
from bayeswood.table.exact_sum import UNIT, ExactSum
from bayeswood.uncertainty import Outcome, sort_outcomes

F64 = NDArray[np.float64]


class ClassSums:
    """What there is to add up of a classifier's predictions."""

    def __init__(self) -> None:
        self.n_rows = self._n_right = self._n_zero = 0
        self._outcomes = np.zeros(3, dtype=np.int64)
        self._log_p, self._brier = ExactSum(), ExactSum()
        self._gamma0 = self._per_row = nan

    def add(self, predictions: ClassPredictions, y: NDArray[Any]) -> None:
        """Add a piece."""
        is_true_class = y[:, None] == predictions.classes[None, :]
        true_proba = np.where(is_true_class, predictions.proba, 0.0).sum(axis=1)
        is_right = np.asarray(predictions.predicted == y)
        self.n_rows += len(y)
        self._n_right += int(is_right.sum())
        self._n_zero += int(np.sum(true_proba <= 0))
        outcomes = sort_outcomes(predictions.is_confident, is_right)
        self._outcomes += np.bincount(outcomes, minlength=3)
        self._log_p.add(np.log(np.clip(true_proba, np.finfo(np.float64).eps, 1.0)))
        # A class unseen in training adds its own (0 - 1)^2.
        unseen = 1.0 - is_true_class.sum(axis=1)
        self._brier.add(((predictions.proba - is_true_class) ** 2).sum(axis=1) + unseen)
        self._gamma0 = predictions.gamma0
        self._per_row = 2 if predictions.proba.shape[1] == 2 else 1

    def scores(self) -> ClassifierScores:
        """The scores of all rows so far."""
        shares = self._outcomes / self.n_rows
        return ClassifierScores(
            n_rows=self.n_rows,
            accuracy=self._n_right / self.n_rows,
            log_predictive_probability=self._log_p.over(self.n_rows),
            n_zero_probability=self._n_zero,
            brier=self._brier.over(self.n_rows) / self._per_row,
            gamma0=self._gamma0,
            confident_correct=float(shares[Outcome.CONFIDENT_CORRECT]),
            uncertain=float(shares[Outcome.UNCERTAIN]),
            confident_incorrect=float(shares[Outcome.CONFIDENT_INCORRECT]),
        )


class NumberSums:
    """What there is to add up of a regressor's predictions."""

    def __init__(self) -> None:
        self.n_rows = self._n_covered = 0
        self._squares, self._sizes, self._widths = ExactSum(), ExactSum(), ExactSum()
        self._y, self._y_squares = ExactSum(), ExactSum()
        self._origin = self._coverage = nan

    def add(self, predictions: NumberPredictions, y: F64) -> None:
        """Add a piece."""
        if not self.n_rows:
            # Responses are counted from the first: far from 0, their squares would drown the rest.
            self._origin = float(y[0])
        error = predictions.predicted - y
        self.n_rows += len(y)
        self._n_covered += int(np.sum((predictions.lower <= y) & (y <= predictions.upper)))
        self._squares.add(error**2)
        self._sizes.add(np.abs(error))
        self._widths.add(predictions.upper - predictions.lower)
        self._y.add(y - self._origin)
        self._y_squares.add((y - self._origin) ** 2)
        self._coverage = predictions.coverage

    def scores(self) -> RegressorScores:
        """The scores of all rows so far."""
        n_rows = self.n_rows
        return RegressorScores(
            n_rows=n_rows,
            rmse=sqrt(self._squares.over(n_rows)),
            mae=self._sizes.over(n_rows),
            r2=self._r2(),
            coverage=self._coverage,
            covered=self._n_covered / n_rows,
            mean_width=self._widths.over(n_rows),
        )

    def _r2(self) -> float:
        # n Σ y² - (Σ y)², whole numbers throughout.
        spread = self.n_rows * UNIT * self._y_squares.units - self._y.units**2
        squares = self._squares.over(1)
        if spread <= 0 or squares == float("inf"):
            return nan if spread <= 0 else -squares
        return 1 - self.n_rows * UNIT * self._squares.units / spread
