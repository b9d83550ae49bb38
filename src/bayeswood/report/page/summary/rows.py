"""The rows that a report is about: read once, predicted once, and asked by every section."""

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.posterior.members import thin_rows
from bayeswood.report.predictions import (
    ClassPredictions,
    NumberPredictions,
    predict_rows,
    support_of,
)
from bayeswood.table import Schema, check_weights, fit_class_target, fit_numeric_target
from bayeswood.table import transform_table as encode_table
from bayeswood.uncertainty import EnvelopeAssessment, UncertaintyEnvelope

F64 = NDArray[np.float64]

NAME = "report.html"
# No level has this number: one that training did not see.
_UNSEEN = -1.0
# Members, rows and levels whose quantiles are searched for in some five seconds.
_MOST_SEARCHED = 8_000_000
_FEWEST_ROWS = 100


@dataclass(frozen=True, eq=False)
class ReportRows:
    """Labelled rows, and what the model says of them.

    Attributes
    ----------
    model : fitted bayeswood estimator
    table : table
        The rows as they were given.
    number : ndarray of int, (n_rows,)
        Place of each row among those that were given.
    y : ndarray, (n_rows,)
        True classes or numbers.
    weights : ndarray, (n_rows,)
        Of the rows in scores.
    is_weighted : bool
        Whether weights were given.
    encoded : ndarray, (n_rows, n_features)
        As trees see them; -1 where a level is new.
    n_given : int
        Rows that these were drawn from.
    coverage, gamma0 : float
    seed : int
        Of whatever is drawn at random.
    """

    model: Any
    table: Any
    number: NDArray[np.intp]
    y: NDArray[Any]
    weights: F64
    is_weighted: bool
    encoded: F64
    n_given: int
    coverage: float
    gamma0: float
    seed: int

    def __len__(self) -> int:
        return len(self.y)

    @property
    def schema(self) -> Schema:
        """Of the model's table."""
        schema: Schema = self.model.schema_
        return schema

    @property
    def is_classifier(self) -> bool:
        """Whether the model predicts classes."""
        return hasattr(self.model, "classes_")

    @property
    def has_intervals(self) -> bool:
        """Whether the model gives intervals of new numbers."""
        return not self.is_classifier and bool(self.model.predictive_.gives_distribution)

    @property
    def target(self) -> str:
        """What is predicted."""
        return self.schema.reading.target or "y"

    @cached_property
    def predictions(self) -> ClassPredictions | NumberPredictions:
        """Of every row; without intervals where the model has none of new numbers."""
        if not self.is_classifier and not self.has_intervals:
            predicted = np.asarray(self.model.predict(self.table), dtype=np.float64)
            nothing = np.full(len(predicted), np.nan)
            return NumberPredictions(predicted, nothing, nothing, self.coverage)
        return predict_rows(
            self.model,
            self.table,
            coverage=self.coverage,
            gamma0=self.gamma0,
            class_intervals=False,
        )

    @cached_property
    def classes(self) -> ClassPredictions:
        """Predictions of a classifier."""
        assert isinstance(self.predictions, ClassPredictions)
        return self.predictions

    @cached_property
    def numbers(self) -> NumberPredictions:
        """Predictions of a regressor."""
        assert isinstance(self.predictions, NumberPredictions)
        return self.predictions

    @cached_property
    def envelope(self) -> EnvelopeAssessment:
        """Of a classifier's rows."""
        return UncertaintyEnvelope(self.gamma0).assess(self.model, self.table, self.y)

    @cached_property
    def support(self) -> F64 | None:
        """How well rows are surrounded by training rows; None if the model does not know."""
        return support_of(self.model, self.table)

    @cached_property
    def is_good(self) -> NDArray[np.bool_]:
        """Per row: whether the predicted class is the true one, or the interval holds the truth."""
        if self.is_classifier:
            return np.asarray(self.classes.predicted == self.y)
        found = self.numbers
        return np.asarray((found.lower <= self.y) & (self.y <= found.upper))

    @cached_property
    def importances(self) -> F64:
        """Of the features in the splits."""
        return np.asarray(self.model.feature_importances_, dtype=np.float64)

    def take(self, rows: NDArray[np.intp]) -> Any:
        """Some of the rows, as a table like the one that was given."""
        return take_rows(self.table, rows)

    def sample(self, most: int, purpose: int) -> NDArray[np.intp]:
        """Rows drawn at random, ascending; the same for the same purpose."""
        return thin_rows(self.encoded, most, [self.seed, purpose])


@dataclass(frozen=True)
class Asked:
    """What a report is asked for, besides model and rows.

    Attributes
    ----------
    coverage, gamma0 : float
    max_rows : int
        More rows are thinned at random.
    seed : int
    """

    coverage: float
    gamma0: float
    max_rows: int
    seed: int


def read_rows(model: Any, X: Any, y: Any, sample_weight: Any, asked: Asked) -> ReportRows:
    """Check what was given, once.

    Parameters
    ----------
    model : fitted bayeswood estimator
        Of one response.
    X, y : table and its true responses
    sample_weight : array-like or None
    asked : Asked
    """
    encoded = np.asarray(
        encode_table(X, model.schema_, estimator_name=NAME, unseen=_UNSEEN), dtype=np.float64
    )
    truth = _read_truth(model, y, len(encoded))
    weights = check_weights(sample_weight, len(encoded), NAME)
    most = min(asked.max_rows, affordable_rows(model, 2))
    rows = thin_rows(encoded, most, [asked.seed, 0])
    found = ReportRows(
        model=model,
        table=X if len(rows) == len(encoded) else take_rows(X, rows),
        number=rows,
        y=truth[rows],
        weights=np.ones(len(rows)) if weights is None else weights[rows],
        is_weighted=weights is not None,
        encoded=encoded[rows],
        n_given=len(encoded),
        coverage=asked.coverage,
        gamma0=asked.gamma0,
        seed=asked.seed,
    )
    if found.is_classifier:
        _ = found.envelope  # says so if y and the model's classes are of different kinds
    return found


def affordable_rows(model: Any, n_levels: int) -> int:
    """Rows that so many quantiles of numbers may be asked of: fewer where they are searched for."""
    if not getattr(model.predictive_, "searches_quantiles", False):
        return sys.maxsize
    return max(_FEWEST_ROWS, _MOST_SEARCHED // (int(model.forest_.n_members) * n_levels))


def _read_truth(model: Any, y: Any, n_rows: int) -> NDArray[Any]:
    if hasattr(model, "classes_"):
        numbers, labels = fit_class_target(y, NAME)
        truth: NDArray[Any] = labels[numbers]
    else:
        values, is_single = fit_numeric_target(y, NAME)
        if not is_single:
            raise BayeswoodError(f"The 'y' parameter of {NAME} must be one column of numbers.")
        truth = values[:, 0]
    if len(truth) != n_rows:
        raise BayeswoodError(
            f"The 'y' parameter of {NAME} must have one value per row of X, {n_rows:,} in all. "
            f"Got {len(truth):,} instead."
        )
    return truth


def take_rows(table: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of whatever a model predicts: data frame, array or list of rows.

    Examples
    --------
    >>> take_rows([["a", 1], ["b", 2], ["c", 3]], np.array([0, 2]))
    [['a', 1], ['c', 3]]
    """
    import narwhals.stable.v1 as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows.tolist(), :].to_native()
    if hasattr(table, "shape"):
        return table[rows]
    return [table[row] for row in rows]
