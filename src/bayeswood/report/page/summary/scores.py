"""How good the predictions are, and how well that is known: scores with bootstrap intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.page.summary.rows import ReportRows

F64 = NDArray[np.float64]

CONFIDENCE = 0.95
N_BOOT = 400
MOST_CLASSES = 12
_MOST_DOTS = 400
_LEAST = float(np.finfo(np.float64).eps)
_PURPOSE = 1


@dataclass(frozen=True)
class Score:
    """A score and its interval.

    Attributes
    ----------
    name : str
    value, lower, upper : float
        The interval is that of a bootstrap of the rows.
    words : str
        What it means.
    is_share : bool
        Whether it is a share, to be shown in percent.
    """

    name: str
    value: float
    lower: float
    upper: float
    words: str
    is_share: bool = False


@dataclass(frozen=True)
class ClassLine:
    """How well one class is told from the others.

    Attributes
    ----------
    name : str
    n_true, n_predicted, n_right : int
    """

    name: str
    n_true: int
    n_predicted: int
    n_right: int


@dataclass(frozen=True, eq=False)
class ScoreSummary:
    """How good the predictions are.

    Attributes
    ----------
    n_rows : int
    scores : tuple of Score
    confidence : float
        Of the intervals.
    out_of_bag : float or None
        Accuracy or R² by the rows that trees left out at fit.
    classes : tuple of ClassLine
        Of a classifier, the commonest first.
    n_hidden_classes : int
    confusion : ndarray of int, (n_shown, n_shown)
        Rows of each of these classes (down) that were taken for each (across).
    dots : ndarray, (n_dots, 2)
        Of a regressor: predicted and true, of some rows.
    """

    n_rows: int
    scores: tuple[Score, ...]
    confidence: float
    out_of_bag: float | None
    classes: tuple[ClassLine, ...]
    n_hidden_classes: int
    confusion: NDArray[np.int64]
    dots: F64


def summarize_scores(rows: ReportRows) -> ScoreSummary:
    """Score the predictions."""
    scores = _class_scores(rows) if rows.is_classifier else _number_scores(rows)
    lines: tuple[ClassLine, ...] = ()
    confusion, hidden, dots = np.zeros((0, 0), np.int64), 0, np.zeros((0, 2))
    if rows.is_classifier:
        lines, confusion, hidden = _class_lines(rows)
    else:
        drawn = rows.sample(_MOST_DOTS, _PURPOSE)
        dots = np.column_stack([rows.numbers.predicted, rows.y])[drawn]
    found = getattr(rows.model, "oob_score_", None)
    return ScoreSummary(
        n_rows=len(rows),
        scores=scores,
        confidence=CONFIDENCE,
        out_of_bag=None if found is None or not np.isfinite(found) else float(found),
        classes=lines,
        n_hidden_classes=hidden,
        confusion=confusion,
        dots=dots,
    )


def _class_scores(rows: ReportRows) -> tuple[Score, ...]:
    found = rows.classes
    is_true = np.asarray(rows.y[:, None] == found.classes[None, :])
    of_truth = np.where(is_true, found.proba, 0.0).sum(axis=1)
    unseen = 1.0 - is_true.sum(axis=1)
    brier = ((found.proba - is_true) ** 2).sum(axis=1) + unseen
    columns = [rows.is_good, np.log(np.clip(of_truth, _LEAST, 1.0))]
    columns.append(brier / (2 if len(found.classes) == 2 else 1))
    values, low, high = _bootstrap(rows, np.column_stack(columns).astype(np.float64), _as_they_are)
    words = (
        "how often the predicted class is the true one",
        "mean log of the probability that the true class was given: 0 at best",
        "mean squared distance of the probabilities from the truth: 0 at best",
    )
    names = ("accuracy", "log predictive probability", "Brier score")
    return tuple(
        Score(names[k], values[k], low[k], high[k], words[k], is_share=k == 0) for k in range(3)
    )


def _number_scores(rows: ReportRows) -> tuple[Score, ...]:
    found, y = rows.numbers, rows.y
    error = found.predicted - y
    # Far from 0, the squares of the responses would drown what they are to tell.
    centred = y - y.mean()
    columns = [error**2, np.abs(error), centred, centred**2]
    if rows.has_intervals:
        columns += [rows.is_good, found.upper - found.lower]
    values, low, high = _bootstrap(rows, np.column_stack(columns).astype(np.float64), _of_numbers)
    share = f"{100 * rows.coverage:.6g}%"
    described = (
        ("root mean squared error", f"in units of {rows.target}; large errors count most", False),
        ("mean absolute error", f"in units of {rows.target}", False),
        ("R²", "share of the variance that is explained: 1 at best, 0 is the mean itself", False),
        ("coverage", f"how often the {share} intervals hold the truth", True),
        ("mean width", f"of the {share} intervals: narrower is better, if they hold", False),
    )
    return tuple(
        Score(name, values[k], low[k], high[k], words, is_share)
        for k, (name, words, is_share) in enumerate(described[: len(values)])
    )


def _as_they_are(means: F64) -> F64:
    return means


def _of_numbers(means: F64) -> F64:
    """Scores from means of squares, sizes, responses, their squares, and intervals."""
    squared, size, mean, mean_square = means[:4]
    spread = mean_square - mean**2
    r2 = 1 - squared / spread if spread > 1e-12 * max(mean_square, 1e-300) else np.nan
    return np.array([np.sqrt(squared), size, r2, *means[4:]])


def _bootstrap(rows: ReportRows, values: F64, made_of: Any) -> tuple[list[float], ...]:
    """What is made of the weighted means, and its central interval over samples of the rows."""
    weights = rows.weights / rows.weights.sum()
    generator = np.random.default_rng([rows.seed, _PURPOSE])
    drawn = np.empty((N_BOOT, len(made_of(weights @ values))))
    for k in range(N_BOOT):
        times = np.bincount(generator.integers(0, len(rows), len(rows)), minlength=len(rows))
        own = weights * times
        total = own.sum()
        drawn[k] = made_of((own / total) @ values) if total > 0 else np.nan
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail), axis=0)
    found = made_of(weights @ values)
    return found.tolist(), low.tolist(), high.tolist()


def _class_lines(
    rows: ReportRows,
) -> tuple[tuple[ClassLine, ...], NDArray[np.int64], int]:
    """Counts of the commonest classes, and how often each was taken for each."""
    labels = np.unique(np.concatenate([rows.y, rows.classes.classes, rows.classes.predicted]))
    true = np.searchsorted(labels, rows.y)
    said = np.searchsorted(labels, rows.classes.predicted)
    n_true = np.bincount(true, minlength=len(labels))
    n_said = np.bincount(said, minlength=len(labels))
    n_right = np.bincount(true[true == said], minlength=len(labels))
    shown = np.sort(np.argsort(-(n_true + n_said), kind="stable")[:MOST_CLASSES])
    lines = tuple(
        ClassLine(str(labels[k]), int(n_true[k]), int(n_said[k]), int(n_right[k])) for k in shown
    )
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(confusion, (true, said), 1)
    return lines, confusion[np.ix_(shown, shown)], len(labels) - len(shown)
