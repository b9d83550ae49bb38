"""Recalibrating averaged class probabilities on out-of-bag predictions.

Model: with p̄ the average over B trees and C classes,

    p̃_c = (B p̄_c + 1/C) / (B + 1),      log p_c = γ log p̃_c + b_c − log Z.

p̃ is the average with one more member that knows nothing, so that no class has probability 0.
γ > 1 sharpens, γ < 1 flattens, b shifts between classes. Fit: minimise

    Σ_i w_i (−log p_{i, y_i})  +  (log γ)² / (2·1.5²)  +  Σ_c b_c² / (2·0.5²),    0.2 <= γ <= 8

over rows i, each with the number of trees that left it out for B, weights scaled to a mean of 1.
A prediction takes the mean of these B, though more trees are behind it: γ and b belong to that
floor, and with a lower one the probabilities of rare classes would all come out too small.
The likelihood is log-linear, so its part is convex in (γ, b); so is the penalty up to γ = e.

Of three classes or more (30 at most), some may be easily told from the rest and others hardly from
each other: one γ is then too small for the former and too large for the latter. So, with this γ,
each class has a slope s_c around 1,

    log p_c = γ s_c log(C p̃_c) + b_c − log Z,

that leaves alone what is as likely as any class, and s and b minimise the same sum with the penalty
Σ_c (log s_c)² / (2·0.3²) + Σ_c b_c² / (2·0.5²) and γ s_c in [0.2, 8]. With s = 1 this is the map
above.

Sufficient are the classes that trees voted for: all others of a row share one floor,
p̃ = 1 / (C (B + 1)). Rows are kept in that sparse form, at most B entries each, so that neither
time nor memory grows with the number of classes where there is one γ.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
_Function = Callable[[F64], tuple[float, F64]]

SMALLEST_POWER, LARGEST_POWER = 0.2, 8.0
_SD_LOG_POWER = 1.5
_SD_OFFSET = 0.5
_SD_LOG_SLOPE = 0.3
# Classes up to which each has a slope, which takes all classes of every row.
_MOST_CLASSES_SLOPED = 30
# Rows times classes of the fit of slopes that are looked at together: they fit into the cache.
_BLOCK_ENTRIES = 2**15
# Of the fit: most steps, steps remembered, halvings of a step, the longest, the gain that is none.
_MOST_STEPS = 200
_MEMORY = 10
_MOST_HALVINGS = 40
_LONGEST_STEP = 4.0
_ENOUGH = 1e-14
_ENOUGH_FOR_SLOPES = 1e-11
_ENOUGH_TO_COMPARE = 1e-7


@dataclass(frozen=True)
class Votes:
    """Averaged class probabilities of rows, as the classes that got any.

    Attributes
    ----------
    row, label : ndarray of int, (n_entries,)
        Row (ascending) and class of each positive average.
    log_smoothed : ndarray, (n_entries,)
        log p̃ there.
    log_floor : ndarray, (n_rows,)
        log p̃ of every class without an entry.
    n_classes : int
    """

    row: NDArray[np.intp]
    label: NDArray[np.intp]
    log_smoothed: F64
    log_floor: F64
    n_classes: int

    @classmethod
    def from_means(cls, means: F64, n_trees: NDArray[Any]) -> "Votes":
        """From averages, (n_rows, n_classes), over so many trees each (if weighted, effectively).

        Examples
        --------
        >>> votes = Votes.from_means(np.array([[1.0, 0.0]]), np.array([9]))
        >>> np.exp(votes.log_smoothed).round(3), np.exp(votes.log_floor).round(3)
        (array([0.95]), array([0.05]))
        """
        n_classes = means.shape[1]
        row, label = np.nonzero(means)
        count = n_trees.astype(np.float64)
        smoothed = (count[row] * means[row, label] + 1.0 / n_classes) / (count[row] + 1.0)
        floor = 1.0 / (n_classes * (count + 1.0))
        return cls(row, label, np.log(smoothed), np.log(floor), n_classes)

    @classmethod
    def concatenate(cls, parts: "list[Votes]") -> "Votes":
        """The rows of several, one after another."""
        first = np.cumsum([0, *(len(part.log_floor) for part in parts)])
        return cls(
            np.concatenate([part.row + start for part, start in zip(parts, first, strict=False)]),
            np.concatenate([part.label for part in parts]),
            np.concatenate([part.log_smoothed for part in parts]),
            np.concatenate([part.log_floor for part in parts]),
            parts[0].n_classes,
        )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.log_floor)

    @property
    def n_trees(self) -> F64:
        """B of each row, which its floor 1 / (C (B + 1)) tells."""
        n_trees: F64 = np.exp(-self.log_floor) / self.n_classes - 1.0
        return n_trees

    def take(self, chosen: NDArray[np.bool_]) -> "Votes":
        """The rows where `chosen` holds."""
        entries = chosen[self.row]
        number = np.cumsum(chosen) - 1
        return Votes(
            number[self.row[entries]],
            self.label[entries],
            self.log_smoothed[entries],
            self.log_floor[chosen],
            self.n_classes,
        )

    def blocks(self, n_entries: int) -> Iterator["Votes"]:
        """The rows in order, at most so many rows times classes at once (but one row at least)."""
        step = max(1, n_entries // self.n_classes)
        edges = np.searchsorted(self.row, np.arange(0, self.n_rows + step, step))
        for number, (first, last) in enumerate(pairwise(edges)):
            rows = slice(number * step, (number + 1) * step)
            yield Votes(
                self.row[first:last] - rows.start,
                self.label[first:last],
                self.log_smoothed[first:last],
                self.log_floor[rows],
                self.n_classes,
            )

    def table(self) -> F64:
        """Log p̃ of all classes, (n_rows, n_classes)."""
        logs = np.repeat(self.log_floor[:, None], self.n_classes, axis=1)
        logs[self.row, self.label] = self.log_smoothed
        return logs

    def log_of(self, label: NDArray[np.intp]) -> F64:
        """Log p̃ of one class per row."""
        found = self.log_floor.copy()
        own = self.label == label[self.row]
        found[self.row[own]] = self.log_smoothed[own]
        return found


@dataclass(frozen=True)
class ClassCalibration:
    """The fitted map from averaged to calibrated class probabilities.

    Attributes
    ----------
    power : float
        γ; above 1 the averages were too timid.
    offset : ndarray, (n_classes,)
        b, centred; positive for classes whose averages were too low.
    slopes : ndarray, (n_classes,)
        s; above 1 for classes that are told apart more sharply than the average says.
    n_trees : float
        B that smooths an average: the mean of those it was fitted with.
    """

    power: float
    offset: F64
    slopes: F64
    n_trees: float

    @classmethod
    def identity(cls, n_classes: int, n_trees: float) -> "ClassCalibration":
        """γ = 1, b = 0 and s = 1: nothing but smoothing."""
        return cls(1.0, np.zeros(n_classes), np.ones(n_classes), n_trees)

    def apply(self, means: F64, n_trees: NDArray[Any] | None = None) -> F64:
        """Calibrated probabilities of averages, (n_rows, n_classes).

        `n_trees` is B of each row, by default that of the calibration.
        """
        count = np.full(len(means), self.n_trees) if n_trees is None else n_trees
        count = count.astype(np.float64)[:, None]
        return self._normalised(np.log((count * means + 1.0 / means.shape[1]) / (count + 1.0)))

    def apply_votes(self, votes: Votes) -> F64:
        """Calibrated probabilities, (n_rows, n_classes)."""
        return self._normalised(votes.table())

    def _normalised(self, scores: F64) -> F64:
        """Probabilities from log p̃, which is overwritten."""
        scores += np.log(scores.shape[1])
        scores *= self.power * self.slopes
        scores += self.offset
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores


def fit_class_calibration(
    votes: Votes, label: NDArray[np.intp], weights: F64 | None = None
) -> ClassCalibration:
    """Fit γ, then b and, of three to 30 classes, the slopes s.

    Parameters
    ----------
    votes : Votes
        Out-of-bag averages.
    label : ndarray of int, (n_rows,)
        True classes.
    weights : ndarray, (n_rows,), default=None
        Positive; only their ratios matter.

    Examples
    --------
    Four in five are right where the average says two in three: the averages are too timid.

    >>> means = np.tile([[2 / 3, 1 / 3]], (500, 1))
    >>> votes = Votes.from_means(means, np.full(500, 60))
    >>> label = np.where(np.arange(500) % 5 < 4, 0, 1)
    >>> fitted = fit_class_calibration(votes, label)
    >>> fitted.apply(means[:1]).round(2)
    array([[0.8, 0.2]])
    """
    fitted = _fit(votes, label, weights, _ENOUGH)[0]
    if votes.n_rows == 0 or not 2 < votes.n_classes <= _MOST_CLASSES_SLOPED:
        return fitted
    return _with_slopes(
        fitted, _SlopeObjective(votes, label, _scaled(weights, votes.n_rows), fitted.power)
    )


def calibration_loss(votes: Votes, label: NDArray[np.intp], weights: F64 | None = None) -> float:
    """The least penalised negative log likelihood, summed over rows: how good votes are.

    That of one γ for all classes, found to a few thousandths of a nat, for comparisons.
    """
    return _fit(votes, label, weights, _ENOUGH_TO_COMPARE)[1] * votes.n_rows


def _fit(
    votes: Votes, label: NDArray[np.intp], weights: F64 | None, enough: float
) -> tuple[ClassCalibration, float]:
    """The calibration by one γ, and its loss per row."""
    if votes.n_rows == 0 or votes.n_classes == 1:
        n_trees = float(votes.n_trees.mean()) if votes.n_rows else 1.0
        return ClassCalibration.identity(votes.n_classes, n_trees), 0.0
    objective = _Objective(votes, label, _scaled(weights, votes.n_rows))
    start, curvature = np.zeros(1 + votes.n_classes), objective.curvature()
    found, loss = _minimise(objective.in_log_power, start, curvature, enough)
    power = float(np.clip(np.exp(found[0]), SMALLEST_POWER, LARGEST_POWER))
    if power != np.exp(found[0]):
        # On its bound; the offsets follow, for the objective has no other valley.
        found, loss = _minimise(lambda at: objective.at_power(power, at), found, curvature, enough)
    n_trees = float(votes.n_trees.mean())
    return ClassCalibration(power, found[1:], np.ones(votes.n_classes), n_trees), loss


def _with_slopes(fitted: ClassCalibration, objective: "_SlopeObjective") -> ClassCalibration:
    start = np.concatenate([np.zeros_like(fitted.offset), fitted.offset])
    curvature = objective.curvature(start)
    found, _ = _minimise(objective, start, curvature, _ENOUGH_FOR_SLOPES)
    within = _bounded_slopes(found, fitted.power)
    if (within != found).any():
        # Some are on their bounds; the others, and the offsets, follow.
        free = within == found
        found, _ = _minimise(
            lambda at: objective.along(free, at), within, curvature, _ENOUGH_FOR_SLOPES
        )
        within = _bounded_slopes(found, fitted.power)
    log_slopes, offset = np.split(within, 2)
    return replace(fitted, offset=offset, slopes=np.exp(log_slopes))


def _bounded_slopes(parameters: F64, power: float) -> F64:
    """Log s and b with γ s_c within the bounds of γ."""
    log_slopes, offset = np.split(parameters, 2)
    low, high = np.log(SMALLEST_POWER / power), np.log(LARGEST_POWER / power)
    return np.concatenate([np.clip(log_slopes, low, high), offset])


def _scaled(weights: F64 | None, n_rows: int) -> F64:
    """The weights, to a mean of 1."""
    return np.ones(n_rows) if weights is None else weights / weights.mean()


def _minimise(function: _Function, start: F64, curvature: F64, enough: float) -> tuple[F64, float]:
    """Minimise by L-BFGS with halved steps.

    SciPy's would do, but hands vectors of a few entries to threads of the linear algebra library.
    """
    at, (value, gradient) = start, function(start)
    pairs: list[tuple[F64, F64]] = []
    for _ in range(_MOST_STEPS):
        step = _shortened(-_two_loops(gradient, pairs, curvature))
        slope = float(np.sum(gradient * step))
        if -slope < enough * (1.0 + abs(value)):
            break
        moved = _line_search(function, at, value, slope, step)
        if moved is None:
            break
        new, (value, new_gradient) = moved
        change, turn = new - at, new_gradient - gradient
        if np.sum(change * turn) > 0:
            pairs = [*pairs[-_MEMORY + 1 :], (change, turn)]
        at, gradient = new, new_gradient
    return at, value


def _shortened(step: F64) -> F64:
    """The step, or as much of it as moves no parameter too far: exponentials stay finite."""
    longest = float(np.abs(step).max())
    return step if longest <= _LONGEST_STEP else step * (_LONGEST_STEP / longest)


def _line_search(
    function: _Function, at: F64, value: float, slope: float, step: F64
) -> tuple[F64, tuple[float, F64]] | None:
    """The first of the steps 1, 1/2, 1/4, ... that gains enough (Armijo's rule)."""
    length = 1.0
    for _ in range(_MOST_HALVINGS):
        found = function(at + length * step)
        if found[0] <= value + 1e-4 * length * slope:
            return at + length * step, found
        length /= 2
    return None


def _two_loops(gradient: F64, pairs: list[tuple[F64, F64]], curvature: F64) -> F64:
    """The inverse Hessian, as far as the last steps know it, times the gradient."""
    direction = gradient.copy()
    shares = []
    for change, turn in reversed(pairs):
        shares.append(np.sum(change * direction) / np.sum(change * turn))
        direction -= shares[-1] * turn
    direction /= curvature
    for (change, turn), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - np.sum(turn * direction) / np.sum(change * turn)) * change
    return direction


class _Objective:
    """The penalised negative log likelihood per row, and its gradient in (γ, b_1, …, b_C).

    With q the calibrated probabilities, n times the gradient is
    ∂/∂γ = Σ_i w_i (Σ_c q_ic log p̃_ic − log p̃_{i, y_i}) and ∂/∂b_c = Σ_i w_i (q_ic − 1[y_i = c]),
    each plus the penalty's.
    """

    def __init__(self, votes: Votes, label: NDArray[np.intp], weights: F64) -> None:
        self._votes = votes
        self._weights = weights
        self._true_log = votes.log_of(label)
        self._label = label
        self._label_weight = np.bincount(label, weights, votes.n_classes)
        self._start = np.searchsorted(votes.row, np.arange(votes.n_rows))
        self._missing = votes.n_classes - np.bincount(votes.row, minlength=votes.n_rows)

    def in_log_power(self, parameters: F64) -> tuple[float, F64]:
        """At log γ, b, with the gradient in these."""
        # Far beyond the bounds nothing is asked, but a first step may be long.
        power = float(np.exp(np.clip(parameters[0], -4.0, 4.0)))
        value, gradient = self.value_and_gradient(np.concatenate([[power], parameters[1:]]))
        gradient[0] *= power
        return value, gradient

    def at_power(self, power: float, parameters: F64) -> tuple[float, F64]:
        """At b, for one γ: the first parameter does not count."""
        value, gradient = self.value_and_gradient(np.concatenate([[power], parameters[1:]]))
        gradient[0] = 0.0
        return value, gradient

    def curvature(self) -> F64:
        """A rough second derivative in each parameter, to start from."""
        share = self._label_weight / self._votes.n_rows
        of_offset = share * (1.0 - share) + 1.0 / (_SD_OFFSET**2 * self._votes.n_rows)
        spread = np.sum(self._weights * np.abs(self._true_log)) / self._votes.n_rows
        return np.concatenate([[max(float(spread), 1e-3)], of_offset])

    def value_and_gradient(self, parameters: F64) -> tuple[float, F64]:
        """At γ, b."""
        power, offset = float(parameters[0]), parameters[1:]
        log_z, entry, rest = self._normalised(power, offset)
        losses = log_z - power * self._true_log - offset[self._label]
        value = np.sum(self._weights * losses) + _penalty(power, offset)
        gradient = self._gradient(power, offset, entry, rest)
        return float(value) / self._votes.n_rows, gradient / self._votes.n_rows

    def _normalised(self, power: float, offset: F64) -> tuple[F64, F64, F64]:
        """Log Z per row, probability per entry, and the sum over classes without an entry."""
        votes = self._votes
        scores = power * votes.log_smoothed + offset[votes.label]
        floor = power * votes.log_floor
        top = np.maximum(np.maximum.reduceat(scores, self._start), floor)
        shares = np.exp(scores - top[votes.row])
        rest = np.exp(floor - top) * self._rest_of_offsets(offset)
        total = np.add.reduceat(shares, self._start) + rest
        return top + np.log(total), shares / total[votes.row], rest / total

    def _rest_of_offsets(self, offset: F64) -> F64:
        """Σ e^b over the classes without an entry, per row."""
        exponentials = np.exp(offset)
        taken = np.add.reduceat(exponentials[self._votes.label], self._start)
        return np.where(self._missing > 0, np.maximum(exponentials.sum() - taken, 0.0), 0.0)

    def _gradient(self, power: float, offset: F64, entry: F64, rest: F64) -> F64:
        votes, weights = self._votes, self._weights
        weighted = weights[votes.row] * entry
        by_power = np.sum(weighted * votes.log_smoothed)
        by_power += np.sum(weights * (rest * votes.log_floor - self._true_log))
        by_offset = self._rest_by_class(offset, rest) - self._label_weight
        by_offset += np.bincount(votes.label, weighted, votes.n_classes)
        by_power += np.log(power) / (power * _SD_LOG_POWER**2)
        return np.concatenate([[by_power], by_offset + offset / _SD_OFFSET**2])

    def _rest_by_class(self, offset: F64, rest: F64) -> F64:
        """Σ_i w_i q_ic over the rows in which class c has no entry."""
        votes = self._votes
        below = self._rest_of_offsets(offset)
        each = np.divide(self._weights * rest, below, out=np.zeros(votes.n_rows), where=below > 0)
        present = np.bincount(votes.label, each[votes.row], votes.n_classes)
        by_class: F64 = np.exp(offset) * np.maximum(each.sum() - present, 0.0)
        return by_class


def _penalty(power: float, offset: F64) -> float:
    of_power = np.log(power) ** 2 / (2 * _SD_LOG_POWER**2)
    return float(of_power + np.sum(offset**2) / (2 * _SD_OFFSET**2))


class _SlopeObjective:
    """The penalised negative log likelihood per row, and its gradient in (log s, b), γ given.

    With q the calibrated probabilities and l_ic = γ log(C p̃_ic), n times the gradient is
    ∂/∂(log s_c) = s_c Σ_i w_i (q_ic − 1[y_i = c]) l_ic and ∂/∂b_c = Σ_i w_i (q_ic − 1[y_i = c]),
    each plus the penalty's.
    """

    def __init__(self, votes: Votes, label: NDArray[np.intp], weights: F64, power: float) -> None:
        self._logs = power * (votes.table() + np.log(votes.n_classes))
        self._label = label
        self._weights = weights
        step = max(1, _BLOCK_ENTRIES // votes.n_classes)
        self._blocks = [slice(at, at + step) for at in range(0, votes.n_rows, step)]
        self._precision = np.repeat([_SD_LOG_SLOPE**-2, _SD_OFFSET**-2], votes.n_classes)

    def __call__(self, parameters: F64) -> tuple[float, F64]:
        """At log s, b."""
        log_slopes, offset = np.split(parameters, 2)
        value = float(np.sum(self._precision * parameters**2)) / 2
        gradient = self._precision * parameters
        for rows in self._blocks:
            logs = np.exp(log_slopes) * self._logs[rows]
            proba, log_z = _softmax(logs + offset)
            own = np.arange(len(logs)), self._label[rows]
            true_score = logs[own] + offset[own[1]]
            value += float(np.sum(self._weights[rows] * (log_z - true_score)))
            proba[own] -= 1.0
            proba *= self._weights[rows, None]
            gradient += np.concatenate([np.sum(proba * logs, axis=0), np.sum(proba, axis=0)])
        return value / len(self._logs), gradient / len(self._logs)

    def along(self, free: NDArray[np.bool_], parameters: F64) -> tuple[float, F64]:
        """At log s, b; parameters that are not free do not count."""
        value, gradient = self(parameters)
        return value, np.where(free, gradient, 0.0)

    def curvature(self, parameters: F64) -> F64:
        """A rough second derivative in each parameter, to start from."""
        log_slopes, offset = np.split(parameters, 2)
        second = self._precision.copy()
        for rows in self._blocks:
            logs = np.exp(log_slopes) * self._logs[rows]
            proba, _ = _softmax(logs + offset)
            spread = self._weights[rows, None] * proba * (1.0 - proba)
            second += np.concatenate([np.sum(spread * logs**2, axis=0), np.sum(spread, axis=0)])
        return second / len(self._logs)


def _softmax(scores: F64) -> tuple[F64, F64]:
    """Probabilities and log Z of each row; the scores are overwritten."""
    top = scores.max(axis=1, keepdims=True)
    scores -= top
    np.exp(scores, out=scores)
    total = scores.sum(axis=1, keepdims=True)
    scores /= total
    return scores, (top + np.log(total))[:, 0]
