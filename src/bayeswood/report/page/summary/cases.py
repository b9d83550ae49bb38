"""Single cases: what was predicted, how surely, and why."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.page.summary.explained import ExplainedRows
from bayeswood.report.page.summary.rows import ReportRows

F64 = NDArray[np.float64]

N_REASONS = 8
_N_CLASSES = 4


@dataclass(frozen=True)
class CaseReason:
    """What one feature adds to a prediction.

    Attributes
    ----------
    name, value : str
        Of the feature, and its value in this row.
    added, lower, upper : float
        Its Shapley value and credible band.
    """

    name: str
    value: str
    added: float
    lower: float
    upper: float


@dataclass(frozen=True)
class ClassChance:
    """The probability of a class.

    Attributes
    ----------
    name : str
    probability, lower, upper : float
        With its interval.
    """

    name: str
    probability: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Case:
    """One row.

    Attributes
    ----------
    row : int
        Its place among the rows that were given, counted from 0.
    actual, predicted : str or float
    probability : float or None
        Of the predicted class.
    agreement : float or None
        γ of the envelope.
    is_correct : bool
        Whether the majority class is the true one, or the interval holds the truth.
    lower, upper : float or None
        Of a number's interval.
    support : float or None
    chances : tuple of ClassChance
        The most probable classes.
    base : float
        What is predicted where no feature is known.
    reasons : tuple of CaseReason
        Largest first.
    others : float
        What the other features add together.
    """

    row: int
    actual: Any
    predicted: Any
    probability: float | None
    agreement: float | None
    is_correct: bool
    lower: float | None
    upper: float | None
    support: float | None
    chances: tuple[ClassChance, ...]
    base: float
    reasons: tuple[CaseReason, ...]
    others: float


@dataclass(frozen=True)
class CaseSummary:
    """Cases to look at.

    Attributes
    ----------
    cases : tuple of Case
    n_rows : int
        Rows that they were chosen from.
    coverage : float
        Of bands and intervals.
    explains : str
        What the reasons add up to.
    """

    cases: tuple[Case, ...]
    n_rows: int
    coverage: float
    explains: str


def summarize_cases(rows: ReportRows, explained: ExplainedRows) -> CaseSummary:
    """One case for each explained row."""
    ends = None
    if rows.is_classifier:
        table = rows.take(explained.rows)
        ends = np.asarray(rows.model.predict_interval(table, coverage=rows.coverage))
    make = _class_case if rows.is_classifier else _number_case
    cases = tuple(make(rows, explained, place, ends) for place in range(len(explained.rows)))
    explains = (
        "probability of the predicted class"
        if rows.is_classifier
        else f"prediction of {rows.target}"
    )
    return CaseSummary(cases, rows.n_given, rows.coverage, explains)


def _class_case(rows: ReportRows, explained: ExplainedRows, place: int, ends: Any) -> Case:
    i, found = int(explained.rows[place]), rows.classes
    chosen = int(np.searchsorted(found.classes, found.predicted[i]))
    ranked = np.argsort(-found.proba[i], kind="stable")[:_N_CLASSES]
    chances = tuple(
        ClassChance(
            str(found.classes[k]),
            float(found.proba[i, k]),
            float(ends[place, k, 0]),
            float(ends[place, k, 1]),
        )
        for k in ranked
    )
    return Case(
        actual=str(rows.y[i]),
        predicted=str(found.predicted[i]),
        probability=float(found.proba[i, chosen]),
        agreement=float(rows.envelope.consistency[i]),
        is_correct=bool(rows.envelope.is_correct[i]),
        lower=None,
        upper=None,
        chances=chances,
        **_of_any(rows, explained, place, chosen),
    )


def _number_case(rows: ReportRows, explained: ExplainedRows, place: int, _: Any) -> Case:
    i, found = int(explained.rows[place]), rows.numbers
    return Case(
        actual=float(rows.y[i]),
        predicted=float(found.predicted[i]),
        probability=None,
        agreement=None,
        is_correct=bool(rows.is_good[i]),
        lower=float(found.lower[i]) if rows.has_intervals else None,
        upper=float(found.upper[i]) if rows.has_intervals else None,
        chances=(),
        **_of_any(rows, explained, place, 0),
    )


def _of_any(rows: ReportRows, explained: ExplainedRows, place: int, output: int) -> dict[str, Any]:
    """What classes and numbers have alike."""
    i = int(explained.rows[place])
    values = explained.values[place, :, output]
    order = np.argsort(-np.abs(values), kind="stable")[:N_REASONS]
    reasons = tuple(
        CaseReason(
            rows.schema.names[j],
            _shown(explained.cells[place, j]),
            float(values[j]),
            float(explained.lower[place, j, output]),
            float(explained.upper[place, j, output]),
        )
        for j in order
        if values[j] != 0
    )
    return {
        "row": int(rows.number[i]),
        "support": None if rows.support is None else float(rows.support[i]),
        "base": float(explained.base[place, output]),
        "reasons": reasons,
        "others": float(values.sum() - sum(reason.added for reason in reasons)),
    }


def _shown(cell: Any) -> str:
    if not isinstance(cell, int | float | np.number):
        return str(cell)
    return "missing" if cell != cell else f"{cell:.5g}"
