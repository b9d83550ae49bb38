"""Do the intervals of a regressor hold the truth as often as they say?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import html_table
from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty.checks.frequency import clopper_pearson_interval
from bayeswood.uncertainty.intervals import check_coverage

F64 = NDArray[np.float64]

_NAME = "coverage_report"
_THIRDS = ("narrowest third", "middle third", "widest third")
_NAME_CELLS = 24


@dataclass(frozen=True)
class CoverageLine:
    """How often the intervals of some rows hold the truth.

    Attributes
    ----------
    name : str
        Which rows.
    n_rows : int
    covered : float
        Share of the rows whose truth lies in its interval, ends included.
    lower, upper : float
        Clopper and Pearson's interval of that share.
    below, above : float
        Share of the rows whose truth lies below or above its interval.
    mean_width : float
        Of the intervals.
    """

    name: str
    n_rows: int
    covered: float
    lower: float
    upper: float
    below: float
    above: float
    mean_width: float


@dataclass(frozen=True)
class CoverageReport:
    """Coverage of all rows, by width of the interval, and by the user's groups.

    Attributes
    ----------
    coverage : float
        What the intervals promise.
    confidence : float
        Of the binomial intervals.
    overall : CoverageLine
    by_width : tuple of CoverageLine
        Thirds of the rows by the width of their interval, narrowest first. Intervals that are
        right on average only are too wide where things are easy and too narrow where not.
    by_group : tuple of CoverageLine
        Empty if no groups were given.
    """

    coverage: float
    confidence: float
    overall: CoverageLine
    by_width: tuple[CoverageLine, ...]
    by_group: tuple[CoverageLine, ...]

    @property
    def lines(self) -> tuple[CoverageLine, ...]:
        """All lines, the overall one first."""
        return (self.overall, *self.by_width, *self.by_group)

    @property
    def off(self) -> tuple[CoverageLine, ...]:
        """The lines whose binomial interval does not hold the promised coverage."""
        return tuple(ln for ln in self.lines if not ln.lower <= self.coverage <= ln.upper)

    def __str__(self) -> str:
        cells = min(max(len(line.name) for line in self.lines), _NAME_CELLS)
        head = (
            f"{self.coverage:.6g} intervals, held truth with its {self.confidence:.0%} binomial "
            f"interval (* = promise outside)\n{'':{cells}}  rows    held  interval       "
            "below  above  mean width"
        )
        return "\n".join([head, *(self._line(line, cells) for line in self.lines)])

    def _repr_html_(self) -> str:
        title = f"{self.coverage:.6g} intervals: how often they held"
        between = f"{self.confidence:.0%} binomial interval"
        head = ("rows", "number", "held", between, "below", "above", "mean width")
        table = html_table.table(head, (self._cells(line) for line in self.lines))
        note = html_table.words("* the promise lies outside of the binomial interval")
        return html_table.block(title, table, note if self.off else "")

    def _cells(self, line: CoverageLine) -> tuple[str, ...]:
        held = f"{line.covered:.3f}{'*' if line in self.off else ''}"
        between = f"{line.lower:.3f} – {line.upper:.3f}"
        sides = f"{line.below:.3f}", f"{line.above:.3f}"
        return (line.name, f"{line.n_rows:,}", held, between, *sides, f"{line.mean_width:.4g}")

    def _line(self, line: CoverageLine, cells: int) -> str:
        mark = "*" if line in self.off else " "
        name = line.name if len(line.name) <= cells else line.name[: cells - 1] + "…"
        return (
            f"{name:{cells}} {line.n_rows:5}   {line.covered:.3f}{mark} "
            f"{line.lower:.3f} – {line.upper:.3f}  {line.below:.3f}  {line.above:.3f}  "
            f"{line.mean_width:.4g}"
        )


def coverage_report(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    coverage: float = 0.9,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> CoverageReport:
    """Check a regressor's `predict_interval` on rows it has not seen.

    Parameters
    ----------
    estimator : fitted regressor
        Of one response, with ``predict_interval``.
    X : table
    y : array-like, (n_rows,)
        True responses.
    coverage : float, default 0.9
        To ask for, in (0, 1).
    groups : array-like, (n_rows,), default None
        A label per row: coverage is reported for each label, in sorted order.
    confidence : float, default 0.95
        Of the binomial intervals.

    Returns
    -------
    CoverageReport
        Plain data; printing it gives a table.

    Notes
    -----
    Of n rows k lie in their interval; the interval of their share is Clopper and Pearson's,

        [B(a/2; k, n − k + 1),  B(1 − a/2; k + 1, n − k)],

    B the quantile function of the beta distribution and 1 − a the confidence. It takes the rows as
    independent, and each line by itself: of 20 lines one is off by chance alone.

    Examples
    --------
    >>> import numpy as np
    >>> from bayeswood import BayesianForestRegressor, coverage_report
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(600, 2))
    >>> y = X[:, 0] + rng.normal(size=600) * 0.1
    >>> forest = BayesianForestRegressor(min_samples_leaf=10, random_state=0).fit(X[:300], y[:300])
    >>> report = coverage_report(forest, X[300:], y[300:], groups=X[300:, 1] > 0.5)
    >>> [line.name for line in report.by_group]
    ['False', 'True']
    """
    check_coverage(coverage, _NAME)
    ends = estimator.predict_interval(X, coverage=coverage)
    return summarize_coverage(y, ends, coverage=coverage, groups=groups, confidence=confidence)


def summarize_coverage(
    y: ArrayLike,
    ends: ArrayLike,
    *,
    coverage: float,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> CoverageReport:
    """`coverage_report` of intervals made before.

    Parameters
    ----------
    y : array-like, (n_rows,)
    ends : array-like, (n_rows, 2)
        Lower and upper end of each row's interval.
    coverage : float
        What they promise.
    groups, confidence
        As in `coverage_report`.

    Returns
    -------
    CoverageReport
    """
    check_coverage(coverage, _NAME)
    _check_confidence(confidence)
    truth, limits = np.asarray(y, np.float64), np.asarray(ends, np.float64)
    if truth.ndim != 1 or not truth.size or limits.shape != (len(truth), 2):
        raise BayeswoodError(
            f"{_NAME} needs one true response and one interval per row, and at least one row. "
            f"Got arrays of shapes {truth.shape} and {limits.shape} instead."
        )
    rows = _Rows(truth, limits[:, 0], limits[:, 1], confidence)
    return CoverageReport(
        coverage=float(coverage),
        confidence=float(confidence),
        overall=rows.line("all rows", np.arange(len(truth))),
        by_width=tuple(rows.by_width()),
        by_group=tuple(rows.by_group(_read_groups(groups, len(truth)))),
    )


class _Rows:
    """Rows with their truth and their interval."""

    def __init__(self, y: F64, lower: F64, upper: F64, confidence: float) -> None:
        self.y, self.lower, self.upper, self.confidence = y, lower, upper, confidence

    def line(self, name: str, rows: NDArray[np.intp]) -> CoverageLine:
        is_below, is_above = self.y[rows] < self.lower[rows], self.y[rows] > self.upper[rows]
        n_covered = len(rows) - int(is_below.sum()) - int(is_above.sum())
        low, high = clopper_pearson_interval(n_covered, len(rows), self.confidence)
        return CoverageLine(
            name=name,
            n_rows=len(rows),
            covered=n_covered / len(rows),
            lower=float(low),
            upper=float(high),
            below=float(is_below.mean()),
            above=float(is_above.mean()),
            mean_width=float((self.upper[rows] - self.lower[rows]).mean()),
        )

    def by_width(self) -> Iterator[CoverageLine]:
        by_width = np.argsort(self.upper - self.lower, kind="stable")
        for name, rows in zip(_THIRDS, np.array_split(by_width, 3), strict=True):
            if rows.size:
                yield self.line(name, rows)

    def by_group(self, groups: NDArray[Any] | None) -> Iterator[CoverageLine]:
        if groups is not None:
            for label in np.unique(groups):
                yield self.line(str(label), np.flatnonzero(groups == label))


def _read_groups(groups: ArrayLike | None, n_rows: int) -> NDArray[Any] | None:
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (n_rows,):
        raise BayeswoodError(
            f"The 'groups' parameter of {_NAME} must be of shape ({n_rows},): a label per row. "
            f"Got {labels.shape} instead."
        )
    # Labels of different types, or None among strings, do not sort.
    return labels.astype(str) if labels.dtype == object else labels


def _check_confidence(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise BayeswoodError(
            f"The 'confidence' parameter of {_NAME} must be a float in the range (0, 1). "
            f"Got {confidence!r} instead."
        )
