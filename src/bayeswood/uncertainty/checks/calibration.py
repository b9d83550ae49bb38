"""Everything about the probabilities of a classifier on rows whose truth is known."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayeswood import html_table
from bayeswood.uncertainty.checks.probability_groups import read_class_truth
from bayeswood.uncertainty.checks.reliability import Reliability, class_event, summarize_reliability
from bayeswood.uncertainty.checks.score_parts import ScoreParts, split_brier, split_log_loss

_NAME = "summarize_calibration"


@dataclass(frozen=True)
class CalibrationReport:
    """Reliability and scores of class probabilities; printing it gives a table.

    Attributes
    ----------
    n_rows : int
    reliability : Reliability
        Of the second class of two, else of the most probable one.
    brier, log_loss : ScoreParts
    """

    n_rows: int
    reliability: Reliability
    brier: ScoreParts
    log_loss: ScoreParts

    def __str__(self) -> str:
        curve = self.reliability
        lines = [
            f"Probabilities of {self.n_rows:,} rows",
            f"  expected calibration error  {curve.error:.4f}  "
            f"({curve.confidence:.0%} of bootstraps: "
            f"{curve.error_lower:.4f} to {curve.error_upper:.4f})",
            f"  the same, were they right   {curve.error_by_chance:.4f}",
            "",
            "            score = reliability − resolution + uncertainty +  within",
            _parts_line("Brier", self.brier),
            _parts_line("log loss", self.log_loss),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        curve = self.reliability
        error = f"Expected calibration error {curve.error:.4f}"
        bounds = f"{curve.confidence:.0%} of bootstraps: {curve.error_lower:.4f} to "
        chance = f"{curve.error_upper:.4f}; were they right: {curve.error_by_chance:.4f}"
        head = ("score", "", "= reliability", "− resolution", "+ uncertainty", "+ within")
        rows = [_parts_row("Brier", self.brier), _parts_row("log loss", self.log_loss)]
        sums = html_table.table(head, rows)
        title = f"Probabilities of {self.n_rows:,} rows"
        return html_table.block(title, html_table.words(f"{error} ({bounds}{chance})"), sums)


def _parts_row(name: str, parts: ScoreParts) -> tuple[str, ...]:
    sums = (parts.score, parts.reliability, parts.resolution, parts.uncertainty, parts.within)
    return (name, *(f"{number:.4f}" for number in sums))


def _parts_line(name: str, parts: ScoreParts) -> str:
    return (
        f"  {name:8} {parts.score:6.4f}   {parts.reliability:11.4f}   {parts.resolution:10.4f}"
        f"   {parts.uncertainty:11.4f}  {parts.within:8.4f}"
    )


def calibration_report(
    estimator: Any, X: Any, y: ArrayLike, *, n_bins: int = 10, n_boot: int = 200, rng: Any = 0
) -> CalibrationReport:
    """Check a classifier's probabilities on rows it has not seen.

    Parameters
    ----------
    estimator : fitted classifier
        Anything with ``predict_proba`` and ``classes_``.
    X : table
    y : array-like, (n_rows,)
        True classes.
    n_bins : int, default 10
        Groups of like probabilities.
    n_boot : int, default 200
        Bootstrap samples for the bands.
    rng : int or numpy Generator, default 0

    Returns
    -------
    CalibrationReport

    Notes
    -----
    Formulas are in `bayeswood.uncertainty.checks.reliability` (expected calibration error) and
    `bayeswood.uncertainty.checks.score_parts` (Brier score and log loss).

    Examples
    --------
    >>> from bayeswood import RandomForestClassifier, calibration_report
    >>> from bayeswood.datasets import load_breast_cancer_wisconsin
    >>> cancer = load_breast_cancer_wisconsin()
    >>> X, y = cancer.data, cancer.target
    >>> forest = RandomForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> report = calibration_report(forest, X[1::2], y[1::2])
    >>> report.n_rows, bool(report.brier.score < report.brier.uncertainty)
    (349, True)
    """
    proba = estimator.predict_proba(X)
    return summarize_calibration(
        y, proba, estimator.classes_, n_bins=n_bins, n_boot=n_boot, rng=rng
    )


def summarize_calibration(
    y: ArrayLike,
    proba: ArrayLike,
    classes: ArrayLike,
    *,
    n_bins: int = 10,
    n_boot: int = 200,
    rng: Any = 0,
) -> CalibrationReport:
    """`calibration_report` of probabilities made before.

    Parameters
    ----------
    y : array-like, (n_rows,)
        True classes; one that the model does not know counts as probability 0.
    proba : array-like, (n_rows, n_classes)
    classes : array-like, (n_classes,)
    n_bins, n_boot, rng
        As in `calibration_report`.

    Returns
    -------
    CalibrationReport
    """
    read_class_truth(y, proba, classes, _NAME)
    event, given, name = class_event(y, proba, classes)
    curve = summarize_reliability(event, given, n_bins=n_bins, n_boot=n_boot, name=name, rng=rng)
    return CalibrationReport(
        n_rows=len(np.asarray(y)),
        reliability=curve,
        brier=split_brier(y, proba, classes, n_bins=n_bins),
        log_loss=split_log_loss(y, proba, classes, n_bins=n_bins),
    )
