"""Are the probabilities right? Frequencies beside them, and the distance between the two.

Rows are put into groups k of like probability; in group k the event was given probability p̄_k on
average and happened with frequency f_k. The expected calibration error is

    ECE = Σ_k (n_k / n) |f_k − p̄_k|,

the mean distance of the reliability diagram from its diagonal. It is never negative, so chance
alone makes it positive: `Reliability.error_by_chance` says what it would be, with the same
probabilities, if they were right.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty.checks.frequency import wilson_interval
from bayeswood.uncertainty.checks.probability_groups import group_by_probability
from bayeswood.uncertainty.intervals import check_coverage, interval_levels

F64 = NDArray[np.float64]

_NAME = "summarize_reliability"


@dataclass(frozen=True)
class Reliability:
    """A reliability diagram as numbers.

    Attributes
    ----------
    mean_probability, frequency, n_cases : (n_groups,) ndarray
        Of each group that has cases.
    lower, upper : (n_groups,) ndarray
        Wilson's interval of the frequency.
    boot_lower, boot_upper : (n_groups,) ndarray
        Band of the frequency over bootstrap samples of the rows; NaN without a bootstrap.
    error : float
        The expected calibration error.
    error_lower, error_upper : float
        Central interval of the bootstrap's errors. It lies higher than `error`, for resampling
        adds chance once more.
    error_by_chance : float
        Mean error of probabilities that are right, with these probabilities and groups.
    confidence : float
        Of every interval.
    name : str
        Of the event.
    """

    mean_probability: F64
    frequency: F64
    n_cases: F64
    lower: F64
    upper: F64
    boot_lower: F64
    boot_upper: F64
    error: float
    error_lower: float
    error_upper: float
    error_by_chance: float
    confidence: float
    name: str = ""


def summarize_reliability(
    event: ArrayLike,
    probability: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: str = "uniform",
    n_boot: int = 200,
    confidence: float = 0.9,
    name: str = "",
    rng: Any = 0,
) -> Reliability:
    """Frequency of an event in groups of rows with like probability.

    Parameters
    ----------
    event : array-like of bool, (n_rows,)
        Whether it happened.
    probability : array-like, (n_rows,)
        That it was given.
    n_bins : int, default 10
        Groups at most.
    strategy : {"uniform", "quantile"}, default "uniform"
        Equally wide groups, or groups of equally many rows.
    n_boot : int, default 200
        Bootstrap samples of the rows; 0 for none.
    confidence : float, default 0.9
        Of the intervals.
    name : str, optional
        Of the event, for pictures.
    rng : int or numpy Generator, default 0
        Source of the bootstrap samples.

    Returns
    -------
    Reliability

    Examples
    --------
    >>> found = summarize_reliability([0, 1, 1, 1], [0.1, 0.2, 0.9, 1.0], n_bins=2)
    >>> found.mean_probability.round(2), found.frequency
    (array([0.15, 0.95]), array([0.5, 1. ]))
    >>> round(found.error, 3)
    0.2
    """
    happened, given = _read(event, probability)
    check_coverage(confidence, _NAME)
    group = group_by_probability(given, n_bins, strategy, _NAME)
    group = np.unique(group, return_inverse=True)[1].reshape(-1)
    sums = _Groups(happened, given, group, int(group.max()) + 1)
    lower, upper = wilson_interval(sums.hits, sums.n_cases, confidence)
    boot = _bootstrap(happened, given, group, n_boot, confidence, rng)
    return Reliability(
        mean_probability=sums.given / sums.n_cases,
        frequency=sums.hits / sums.n_cases,
        n_cases=sums.n_cases,
        lower=lower,
        upper=upper,
        error=sums.error,
        confidence=confidence,
        name=name,
        **boot,
    )


def class_event(
    y: ArrayLike, proba: ArrayLike, classes: ArrayLike
) -> tuple[NDArray[np.bool_], F64, str]:
    """What can be checked of class probabilities: the event, its probability and its name.

    Of two classes the event is the second one, of more that the most probable class is the true
    one.

    Examples
    --------
    >>> class_event(["a", "b"], [[0.9, 0.1], [0.4, 0.6]], ["a", "b"])
    (array([False,  True]), array([0.1, 0.6]), 'b')
    """
    labels, values, names = np.asarray(y), np.asarray(proba, np.float64), np.asarray(classes)
    if len(names) == 2:
        return labels == names[1], values[:, 1], str(names[1])
    return labels == names[values.argmax(axis=1)], values.max(axis=1), "the predicted class"


def _read(event: ArrayLike, probability: ArrayLike) -> tuple[F64, F64]:
    happened = np.asarray(event, dtype=np.float64)
    given = np.asarray(probability, dtype=np.float64)
    if happened.ndim != 1 or happened.shape != given.shape or not happened.size:
        raise BayeswoodError(
            f"{_NAME} needs one event and one probability per row, and at least one row. Got "
            f"arrays of shapes {happened.shape} and {given.shape} instead."
        )
    # A weighted mean of ones can exceed 1 by its last bit.
    if not np.all((given >= 0) & (given <= 1 + 1e-9)):
        raise BayeswoodError(
            f"The 'probability' parameter of {_NAME} must lie between 0 and 1 in every row."
        )
    return happened, np.minimum(given, 1.0)


class _Groups:
    """Sums over the rows of each group."""

    def __init__(self, happened: F64, given: F64, group: NDArray[Any], n_groups: int) -> None:
        self.n_cases = np.bincount(group, minlength=n_groups).astype(np.float64)
        self.hits = np.bincount(group, happened, n_groups)
        self.given = np.bincount(group, given, n_groups)
        self.error = float(np.abs(self.hits - self.given).sum() / len(group))

    @property
    def frequency(self) -> F64:
        blank = np.full(len(self.n_cases), np.nan)
        found: F64 = np.divide(self.hits, self.n_cases, out=blank, where=self.n_cases > 0)
        return found


def _bootstrap(
    happened: F64, given: F64, group: NDArray[Any], n_boot: int, confidence: float, rng: Any
) -> dict[str, Any]:
    n_rows, n_groups = len(group), int(group.max()) + 1
    generator = np.random.default_rng(rng)
    frequency = np.full((max(n_boot, 1), n_groups), np.nan)
    error, by_chance = np.full(max(n_boot, 1), np.nan), np.full(max(n_boot, 1), np.nan)
    for b in range(n_boot):
        rows = generator.integers(n_rows, size=n_rows)
        again = _Groups(happened[rows], given[rows], group[rows], n_groups)
        frequency[b], error[b] = again.frequency, again.error
        right = (generator.random(n_rows) < given).astype(np.float64)
        by_chance[b] = _Groups(right, given, group, n_groups).error
    levels = interval_levels(confidence)
    ends = _quantiles_of_seen(frequency, levels)
    low, high = np.quantile(error, levels)
    return {
        "boot_lower": ends[0], "boot_upper": ends[1],
        "error_lower": float(low), "error_upper": float(high),
        "error_by_chance": float(by_chance.mean()),
    }  # fmt: skip


def _quantiles_of_seen(frequency: F64, levels: F64) -> F64:
    """Quantiles over bootstrap samples; those without rows of a group do not count for it."""
    ends = np.full((len(levels), frequency.shape[1]), np.nan)
    for k, column in enumerate(frequency.T):
        seen = column[~np.isnan(column)]
        if seen.size:
            ends[:, k] = np.quantile(seen, levels)
    return ends
