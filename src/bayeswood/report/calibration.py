"""How well a forest is calibrated, by the rows its trees left out: plain data and its text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import html_table
from bayeswood.report.names import percent, shorten

F64 = NDArray[np.float64]

SCORE_NAMES = ("log predictive probability", "Brier score", "calibration error", "accuracy")
REPORT_COVERAGES = (0.5, 0.8, 0.9, 0.95)
THIRDS = ("narrow", "middle", "wide")
_N_BINS = 10
# Classes of which rates are printed.
_MOST_RATES = 8


@dataclass(frozen=True)
class ClassCalibrationSummary:
    """Out-of-bag class probabilities, as averaged and as calibrated.

    Every row is calibrated by a fit to other rows (five folds). Scores are weighted by
    `sample_weight`.

    Attributes
    ----------
    n_trees, n_training, n_left_out : int
        Trees; training rows; those of them that at least one tree left out.
    trees_per_row : float
        How many trees left a row out, on average over those.
    power : float
        γ.
    offset : (n_classes,) ndarray
        b.
    slopes : (n_classes,) ndarray
        s; all 1 where there is one γ for all classes.
    shrinkage : float
        λ.
    randomized_weight : float
        ω, the summed weight of the trees that cut at random.
    event : str
        What the probabilities are of: the second class of two, else the predicted class.
    classes : tuple of str
        The classes' names.
    scores : (4, 2) ndarray
        `SCORE_NAMES` by averaged, calibrated.
    happened : (n_judged, 2) ndarray
        1 where the event happened; the averaged and the calibrated prediction may differ in what
        the predicted class is.
    proba : (n_judged, 2) ndarray
        Its probability, averaged and calibrated.
    rates : (n_classes, 2) ndarray
        Share of each class, and its mean probability as `predict_proba` gives it: from the
        out-of-bag trees to all. No rows in models that were fitted before it was kept.
    """

    n_trees: int
    n_training: int
    n_left_out: int
    trees_per_row: float
    power: float
    offset: F64
    slopes: F64
    shrinkage: float
    randomized_weight: float
    event: str
    classes: tuple[str, ...]
    scores: F64
    happened: F64
    proba: F64
    rates: F64

    def __str__(self) -> str:
        return "\n".join([*_opening(self), *self._map_lines(), "", *self._score_lines(), "",
                          *self._rate_lines(), *self._bin_lines()])  # fmt: skip

    def _repr_html_(self) -> str:
        scores = [
            (name, f"{before:.4f}", f"{after:.4f}")
            for name, (before, after) in zip(SCORE_NAMES, self.scores, strict=True)
        ]
        bins = [
            (f"{mean:.3f}", f"{frequency:.3f}", f"{count:,.0f}")
            for mean, frequency, count in reliability_bins(self.happened[:, 1], self.proba[:, 1])
        ]
        return html_table.block(
            _opening(self)[0],
            html_table.words(_opening(self)[1]),
            html_table.table(("score", "averaged", "calibrated"), scores),
            html_table.table((f"probability of {self.event}", "happened", "rows"), bins),
        )

    def _map_lines(self) -> list[str]:
        weighing = (
            f"leaves shrunk with λ = {self.shrinkage:.3g}; trees with random cuts weigh "
            f"{self.randomized_weight:.0%}"
        )
        offsets = f"b from {self.offset.min():+.3f} to {self.offset.max():+.3f}"
        if (self.slopes == 1).all():
            return [weighing, f"log p_c = γ log p̃_c + b_c − log Z, γ = {self.power:.3f}, {offsets}"]
        slopes = f"s from {self.slopes.min():.3f} to {self.slopes.max():.3f}"
        return [
            weighing,
            "log p_c = γ s_c log(C p̃_c) + b_c − log Z,",
            f"γ = {self.power:.3f}, {slopes}, {offsets}",
        ]

    def _score_lines(self) -> list[str]:
        lines = [f"{'':28}{'averaged':>12}{'calibrated':>12}"]
        for name, (before, after) in zip(SCORE_NAMES, self.scores, strict=True):
            lines.append(f"{name:28}{before:12.4f}{after:12.4f}")
        return lines

    def _rate_lines(self) -> list[str]:
        """The rarest classes: shares, and what predictions say in the mean."""
        if len(self.rates) == 0:
            return []
        rarest = np.argsort(self.rates[:, 0], kind="stable")[:_MOST_RATES]
        lines = [f"{'class':>28}{'share':>12}{'mean p':>12}"]
        for c in rarest:
            share, mean = self.rates[c]
            lines.append(f"{shorten(self.classes[c], 26):>28}{share:12.4f}{mean:12.4f}")
        if len(self.rates) > len(rarest):
            lines.append(f"{'... the rarest of':>28}{len(self.rates):12,d}")
        return [*lines, ""]

    def _bin_lines(self) -> list[str]:
        what = shorten(self.event, 34)
        lines = [
            f"calibrated probability of {what}",
            f"{'predicted':>12}{'happened':>12}{'rows':>10}",
        ]
        for mean, frequency, count in reliability_bins(self.happened[:, 1], self.proba[:, 1]):
            lines.append(f"{mean:12.3f}{frequency:12.3f}{count:10,.0f}")
        return lines


@dataclass(frozen=True)
class IntervalCalibrationSummary:
    """Out-of-bag prediction intervals: how often they hold the response.

    Every row is calibrated by a fit to other rows (five folds). Shares are weighted by
    `sample_weight`.

    Attributes
    ----------
    n_trees, n_training, n_left_out : int
        Bags of trees; training rows; those of them that some bag left out.
    trees_per_row : float
        How many bags left a row out, on average over those.
    residual_share : (n_outputs,) ndarray
        ω: how much of the intervals comes from residuals, the rest from responses in leaves.
    covered : (n_outputs, n_coverages, 4) ndarray
        Share of the rows within the interval, for each of `REPORT_COVERAGES`: all rows, then the
        thirds by the spread s(x): `THIRDS`.
    width : (n_outputs, n_coverages) ndarray
        Mean width of the interval.
    rows : (n_judged, n_outputs, 4) ndarray
        Response, prediction, and the ends of the 90 % interval.
    """

    n_trees: int
    n_training: int
    n_left_out: int
    trees_per_row: float
    residual_share: F64
    covered: F64
    width: F64
    rows: F64

    def __str__(self) -> str:
        lines = _opening(self)
        for output in range(len(self.covered)):
            lines += ["", *self._output_lines(output)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title, about = _opening(self)
        tables = map(self._output_table, range(len(self.covered)))
        return html_table.block(title, html_table.words(about), *tables)

    def _output_table(self, output: int) -> str:
        levels = zip(REPORT_COVERAGES, self.covered[output], self.width[output], strict=True)
        rows = [
            (percent(level), *(f"{share:.3f}" for share in shares), f"{width:.5g}")
            for level, shares, width in levels
        ]
        name = f"response {output}" if len(self.covered) > 1 else "interval"
        return html_table.table((name, "all", *THIRDS, "mean width"), rows)

    def _output_lines(self, output: int) -> list[str]:
        name = f"response {output}: " if len(self.covered) > 1 else ""
        share = self.residual_share[output]
        heads = "".join(f"{head:>10}" for head in ("all", *THIRDS))
        lines = [
            f"{name}{percent(share)} from residuals, {percent(1 - share)} from leaves",
            f"{'interval':>10}{heads}{'mean width':>14}",
        ]
        for level, shares, width in zip(
            REPORT_COVERAGES, self.covered[output], self.width[output], strict=True
        ):
            cells = "".join(f"{share:10.3f}" for share in shares)
            lines.append(f"{percent(level):>10}{cells}{width:14.5g}")
        return lines


CalibrationSummary = ClassCalibrationSummary | IntervalCalibrationSummary


def _opening(summary: CalibrationSummary) -> list[str]:
    return [
        "Calibration, by the rows that trees left out",
        f"{summary.n_left_out:,} of {summary.n_training:,} rows, each left out by "
        f"{summary.trees_per_row:.1f} of {summary.n_trees} {_members(summary)} on average",
    ]


def _members(summary: CalibrationSummary) -> str:
    return "trees" if isinstance(summary, ClassCalibrationSummary) else "bags of trees"


def reliability_bins(happened: F64, proba: F64, n_bins: int = _N_BINS) -> F64:
    """Mean probability, frequency and number of cases of each bin that has cases, (n_filled, 3).

    Examples
    --------
    >>> reliability_bins(np.array([0.0, 1.0, 1.0]), np.array([0.5, 0.55, 0.95]))
    array([[0.525, 0.5  , 2.   ],
           [0.95 , 1.   , 1.   ]])
    """
    group = np.minimum((proba * n_bins).astype(np.intp), n_bins - 1)
    count = np.bincount(group, minlength=n_bins)
    sums = [np.bincount(group, values, n_bins) for values in (proba, happened)]
    filled = count > 0
    return np.column_stack([*(s[filled] / count[filled] for s in sums), count[filled]])


def calibration_error(happened: F64, proba: F64, weights: F64) -> float:
    """Mean gap between probability and frequency over ten bins, weighted by their cases.

    Examples
    --------
    >>> calibration_error(np.array([0.0, 1.0]), np.array([0.25, 0.25]), np.ones(2))
    0.25
    """
    group = np.minimum((proba * _N_BINS).astype(np.intp), _N_BINS - 1)
    gaps = np.bincount(group, weights * (happened - proba), _N_BINS)
    return float(np.abs(gaps).sum() / weights.sum())


def summarize_class_calibration(
    true_proba: F64,
    sum_squares: F64,
    is_top: F64,
    happened: F64,
    proba: F64,
    weights: F64,
) -> F64:
    """The scores, (4, 2), of averaged and calibrated probabilities.

    Parameters
    ----------
    true_proba, sum_squares, is_top : (n_rows, 2) ndarray
        Probability of the true class, Σ p², whether the true class is the most probable one.
    happened, proba : (n_rows, 2) ndarray
        The event and its probability.
    weights : (n_rows,) ndarray
        Weights of the rows.
    """
    shares = weights / weights.sum()
    # Σ_c (p_c − 1[c is true])² = Σ p² − 2 p_true + 1.
    brier = sum_squares - 2.0 * true_proba + 1.0
    errors = [calibration_error(happened[:, k], proba[:, k], weights) for k in (0, 1)]
    means = [np.sum(shares[:, None] * v, axis=0) for v in (np.log(true_proba), brier, is_top)]
    return np.stack([means[0], means[1], np.array(errors), means[2]])


def summarize_coverage(
    y: F64, lower: F64, upper: F64, spread: F64, weights: F64
) -> tuple[F64, F64]:
    """Shares of rows within intervals: all and by thirds of the spread; and the mean widths.

    Parameters
    ----------
    y, spread, weights : (n_rows,) ndarray
        Response, s(x), weight.
    lower, upper : (n_rows, n_coverages) ndarray
        Ends.

    Returns
    -------
    covered : (n_coverages, 4) ndarray
    width : (n_coverages,) ndarray
    """
    inside = ((lower <= y[:, None]) & (y[:, None] <= upper)).astype(np.float64)
    thirds = np.array_split(np.argsort(spread, kind="stable"), 3)
    parts: list[Any] = [slice(None), *(third if len(third) else slice(None) for third in thirds)]
    covered = np.stack(
        [np.average(inside[part], axis=0, weights=weights[part]) for part in parts], axis=-1
    )
    return covered, np.average(upper - lower, axis=0, weights=weights)
