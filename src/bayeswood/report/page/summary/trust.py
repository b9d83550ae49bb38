"""When to trust a prediction: what becomes of the rows as one asks for more agreement or width."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.page.summary.rows import ReportRows, affordable_rows
from bayeswood.uncertainty import (
    NoConfidentThreshold,
    choose_gamma0,
    envelope_curve,
    interval_levels,
)
from bayeswood.uncertainty.intervals import hold

F64 = NDArray[np.float64]
Counts = NDArray[np.int64]

# The slider's steps of γ₀, and of the level, in shares of 1.
STEPS = 1000
_LEVELS = np.arange(10, 100) / 100
_FEW_LEVELS = np.append(np.arange(10, 100, 5), 99) / 100
_PURPOSE = 4
_TARGETS = (0.005, 0.01, 0.02, 0.05)
_CONFIDENCE = 0.95
_N_WIDTHS = 100


@dataclass(frozen=True)
class Promise:
    """A γ₀ that keeps confident errors rare.

    Attributes
    ----------
    target : float
        Largest share of confident errors among all rows.
    gamma0 : float or None
        None if these rows are too few, or no γ₀ is strict enough.
    confident_correct, uncertain, confident_incorrect : float
        Shares of these rows at that γ₀.
    """

    target: float
    gamma0: float | None
    confident_correct: float
    uncertain: float
    confident_incorrect: float


@dataclass(frozen=True, eq=False)
class ClassTrust:
    """The envelope at every step of γ₀.

    Attributes
    ----------
    n_rows : int
    gamma0 : float
        Where the slider stands at first.
    first, steps : int
        γ₀ runs from first / steps to 1.
    n_correct, n_incorrect : ndarray of int
        Confident rows at each step.
    accuracy : float
        Of the majority class on all rows.
    promises : tuple of Promise
    confidence : float
        Of the promises.
    """

    n_rows: int
    gamma0: float
    first: int
    steps: int
    n_correct: Counts
    n_incorrect: Counts
    accuracy: float
    promises: tuple[Promise, ...]
    confidence: float

    @property
    def grid(self) -> F64:
        """γ₀ at each step."""
        return np.arange(self.first, self.steps + 1) / self.steps


@dataclass(frozen=True, eq=False)
class NumberTrust:
    """Intervals at every level, and what becomes of the rows if only narrow ones are trusted.

    Attributes
    ----------
    n_rows, n_level_rows : int
        Rows, and those that the levels were tried on.
    coverage : float
        Where the first slider stands at first.
    levels : ndarray
        What the intervals promise.
    covered, below, above, mean_width : ndarray
        What they hold: shares of the rows in them, below and above; and their width.
    widths : ndarray
        Widest interval (of level `coverage`) that is trusted: quantiles of the rows' widths.
    n_held, n_missed : ndarray of int
        Rows with a narrower interval that holds the truth, and does not.
    mean_error : ndarray
        Mean absolute error of those rows.
    """

    n_rows: int
    n_level_rows: int
    coverage: float
    levels: F64
    covered: F64
    below: F64
    above: F64
    mean_width: F64
    widths: F64
    n_held: Counts
    n_missed: Counts
    mean_error: F64


def summarize_trust(rows: ReportRows) -> ClassTrust | NumberTrust | None:
    """The envelope of classes, or the intervals of numbers; None if there are none."""
    if rows.is_classifier:
        return _class_trust(rows)
    return _number_trust(rows) if rows.has_intervals else None


def _class_trust(rows: ReportRows) -> ClassTrust:
    # No majority has less than its share of all classes.
    first = STEPS // max(len(rows.classes.classes), 2)
    curve = envelope_curve(rows.envelope, gamma0=np.arange(first, STEPS + 1) / STEPS)
    return ClassTrust(
        n_rows=len(rows),
        gamma0=round(rows.gamma0 * STEPS) / STEPS,
        first=first,
        steps=STEPS,
        n_correct=np.rint(curve.confident_correct * len(rows)).astype(np.int64),
        n_incorrect=np.rint(curve.confident_incorrect * len(rows)).astype(np.int64),
        accuracy=rows.envelope.accuracy,
        promises=tuple(_promise(rows, target) for target in _TARGETS),
        confidence=_CONFIDENCE,
    )


def _promise(rows: ReportRows, target: float) -> Promise:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoConfidentThreshold)
        found = choose_gamma0(rows.envelope, target=target, confidence=_CONFIDENCE)
    rates = (found.confident_correct, found.uncertain, found.confident_incorrect)
    return Promise(target, found.gamma0 if found.found else None, *rates)


def _number_trust(rows: ReportRows) -> NumberTrust:
    is_quick = affordable_rows(rows.model, 1) > len(rows.encoded) * len(_LEVELS) * 2
    wanted = np.union1d(_LEVELS if is_quick else _FEW_LEVELS, rows.coverage)
    tried = rows.sample(affordable_rows(rows.model, 2 * len(wanted)), _PURPOSE)
    return NumberTrust(
        n_rows=len(rows),
        n_level_rows=len(tried),
        coverage=rows.coverage,
        levels=wanted,
        **_by_level(rows, wanted, tried),
        **_by_width(rows),
    )


def _by_level(rows: ReportRows, wanted: F64, tried: NDArray[np.intp]) -> dict[str, Any]:
    """What intervals of each level hold, and how wide they are."""
    levels = np.concatenate([interval_levels(float(level)) for level in wanted])
    with warnings.catch_warnings():
        # Few training rows cannot promise the highest levels; what they hold is shown beside them.
        warnings.simplefilter("ignore", UserWarning)
        ends = np.asarray(rows.model.predict_quantiles(rows.take(tried), levels))
    ends = hold(ends.reshape(len(tried), -1, 2), rows.numbers.predicted[tried, None])
    lower, upper, y = ends[..., 0], ends[..., 1], rows.y[tried, None]
    return {
        "covered": ((lower <= y) & (y <= upper)).mean(axis=0),
        "below": (y < lower).mean(axis=0),
        "above": (y > upper).mean(axis=0),
        "mean_width": (upper - lower).mean(axis=0),
    }


def _by_width(rows: ReportRows) -> dict[str, Any]:
    """What becomes of the rows if intervals up to a width are trusted."""
    found = rows.numbers
    width, size = found.upper - found.lower, np.abs(found.predicted - rows.y)
    shares = np.linspace(0, 1, _N_WIDTHS + 1)[1:]
    widths = np.unique(np.quantile(width, shares, method="inverted_cdf"))
    order = np.argsort(width, kind="stable")
    n_narrow = np.searchsorted(width[order], widths, side="right")
    n_held = np.cumsum(rows.is_good[order])[n_narrow - 1]
    return {
        "widths": widths,
        "n_held": n_held.astype(np.int64),
        "n_missed": (n_narrow - n_held).astype(np.int64),
        "mean_error": np.cumsum(size[order])[n_narrow - 1] / n_narrow,
    }
