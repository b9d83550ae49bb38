"""Class probabilities of a calibrated forest: the members' average, recalibrated."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import (
    Additive,
    AdditivePart,
    AdditiveSpread,
    Question,
    SpreadPart,
    explain_draws,
)
from bayeswood.attribution.explain import explain_bags
from bayeswood.attribution.through_link import mean_slopes
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.predictive import Arrays, ClassPredictive
from bayeswood.methods.base.saved_state import LARGEST_FACTOR, read_array, read_scalar
from bayeswood.methods.calibrated_forest.class_bags import BagSpread, bag_means
from bayeswood.methods.calibrated_forest.class_sums import ClassSums
from bayeswood.uncertainty import (
    ClassCalibration,
    Uncertainty,
    effective_number,
    member_quantiles,
    row_blocks,
)
from bayeswood.uncertainty.reach import student_reach

F64 = NDArray[np.float64]

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class CalibratedAverage(ClassPredictive):
    """The members' average, pooled with sums of trees, smoothed and recalibrated.

    Attributes
    ----------
    calibration : ClassCalibration
        Of the average.
    spread : BagSpread
        How far another sample would move the answer.
    additive_sums : ClassSums or None
        Boosted sums in the pool; None if there are none.
    """

    calibration: ClassCalibration
    spread: BagSpread
    additive_sums: ClassSums | None = None

    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """The calibration of (1 − ρ) Σ_m w_m p_m + ρ P̄; none is 0."""
        average = forest.predict(rows, n_jobs)
        if self.additive_sums is not None:
            average = self.additive_sums.pool(average, rows, n_jobs)
        return self.calibration.apply(average)

    def additive(self, forest: Forest) -> Additive:
        """The trees' average, pooled with that of the sums' probabilities, and its calibration."""
        sums = self.additive_sums
        parts = [AdditivePart(forest, 1.0 if sums is None else 1.0 - sums.share)]
        if sums is not None:
            parts.append(AdditivePart(sums.sums, sums.share, sums.linked, sums.steps()))
        name, steps = "probability before calibration", self.calibration.steps()
        return Additive(tuple(parts), self.calibration.apply, name, steps)

    def additive_spread(self, forest: Forest, coverage: float) -> AdditiveSpread | None:
        """Bags of trees, each pooled with a sum, calibrated."""
        spread, sums = self.spread, self.additive_sums
        weights = spread.weights(forest)
        bags = np.arange(len(weights))
        share = 0.0 if sums is None else sums.share
        parts = [SpreadPart(forest, self._in_bag(forest), spread.size, bags, 1.0 - share)]
        if sums is not None:
            ones, turn = np.ones(sums.sums.n_trees), bags % sums.n_sums
            size = sums.sums.trees_per_member
            parts.append(SpreadPart(sums.sums, ones, size, turn, share, sums.steps()))
        free = 1.0 - float(np.sum(weights**2))
        factor = spread.factor / np.sqrt(free) if free > 0 else 0.0
        reach = student_reach(max(1, len(weights) - 1), coverage)
        steps = self.calibration.steps()
        return AdditiveSpread(tuple(parts), weights, reach, steps, factor, spread.offset_variance)

    def _in_bag(self, forest: Forest) -> F64:
        """Weight of each tree in its bag."""
        of_bag = self.spread.weights(forest)[self.spread.members(forest)]
        return np.divide(forest.weights, of_bag, out=np.ones_like(of_bag), where=of_bag > 0)

    def shap_draws(
        self, forest: Forest, question: Question, *, raw: bool = False
    ) -> tuple[F64, F64, F64]:
        """Around the values of the answer, one for each bag, as far apart as `draws` are.

        φ + κ D (φ_g − φ̄): D, what the calibration makes of small changes, is that of the answer.
        """
        spread = self.spread
        weights = spread.weights(forest)
        values, bases = self._bag_values(forest, question)
        middle, base = np.tensordot(weights, values, 1), np.tensordot(weights, bases, 1)
        free = 1.0 - float(np.sum(weights**2))
        factor = spread.factor / np.sqrt(free) if free > 0 else 0.0
        values, bases = middle + factor * (values - middle), base + factor * (bases - base)
        if raw:
            return values, bases, weights
        slopes = mean_slopes(base, base + middle.sum(axis=1), self.calibration.apply)
        start = self.calibration.apply(base)
        values = np.einsum("nak,gndk->gnda", slopes, values)
        return values, start + np.einsum("nak,gnk->gna", slopes, bases - base), weights

    def _bag_values(self, forest: Forest, question: Question) -> tuple[F64, F64]:
        """Of the bags' averages, pooled with sums as `bag_means` are."""
        size, sums = self.spread.size, self.additive_sums
        n_trees = [forest.n_trees, *([] if sums is None else [sums.sums.n_trees])]
        questions = question.of_parts(n_trees)
        values, at = explain_bags(forest, questions[0], size, self._in_bag(forest))
        bases = np.broadcast_to(at[:, None], (len(at), values.shape[1], at.shape[1]))
        if sums is None:
            return values, bases
        of_sums, sum_bases = explain_draws(sums.sums, questions[1], sums.linked)
        turn = np.arange(len(values)) % len(of_sums)
        share = sums.share
        values = (1.0 - share) * values + share * of_sums[turn]
        return values, (1.0 - share) * bases + share * sum_bases[turn]

    def draws(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """P + κ (q_g − q̄) within [0, 1], to a sum of 1: one for each bag g, shared by its trees."""
        answer, deviations = self._around(forest, rows, n_jobs)
        return self.spread.draws(answer, deviations)[self.spread.members(forest)]

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Those over the bags' draws."""
        weights = self.spread.weights(forest)
        found = [
            member_quantiles(self.spread.draws(answer, deviations), weights, levels)
            for answer, deviations in self._blocks(forest, rows, n_jobs)
        ]
        return np.concatenate(found)

    def interval(self, forest: Forest, rows: NDArray[Any], coverage: float, n_jobs: int) -> F64:
        """P ± t sd within [0, 1], t of Student's distribution with a degree less than bags."""
        n_bags = len(self.spread.weights(forest))
        reach = student_reach(max(1, n_bags - 1), coverage)
        found = []
        for answer, deviations in self._blocks(forest, rows, n_jobs):
            sd = np.sqrt(self.spread.variance(forest, answer, deviations))
            # Sums in another order have other digits: the answer still is within.
            lower = np.maximum(answer - reach * sd, 0.0) * (1.0 - _ROUNDING)
            upper = np.minimum((answer + reach * sd) * (1.0 + _ROUNDING), 1.0)
            found.append(np.stack([lower, upper], axis=-1))
        return np.concatenate(found)

    def entropy_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """The entropy of the calibrated probabilities, and what of it another sample moves."""
        found = [
            np.stack(self.spread.split_entropy(forest, answer, deviations))
            for answer, deviations in self._blocks(forest, rows, n_jobs)
        ]
        return Uncertainty(*np.concatenate(found, axis=1))

    def _blocks(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Iterator[tuple[F64, F64]]:
        """Answers and deviations of some rows at a time."""
        n_bags = len(self.spread.weights(forest))
        for block in row_blocks(len(rows), n_bags, forest.n_outputs):
            yield self._around(forest, rows[block], n_jobs)

    def _around(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> tuple[F64, F64]:
        means = bag_means(forest, self.additive_sums, rows, self.spread.size, n_jobs)
        return self.spread.around(forest, means, self.calibration)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """γ, b, s and B; the size of bags, κ and v; sums and their share."""
        found = self.calibration
        sums = {} if self.additive_sums is None else self.additive_sums.arrays()
        return {
            "additive_weight_": np.array(0.0),
            "calibration_power_": np.array(found.power),
            "calibration_trees_": np.array(found.n_trees),
            "calibration_offset_": found.offset,
            "calibration_slopes_": found.slopes,
            "trees_per_bag_": np.array(self.spread.size),
            "knowledge_factor_": np.array(self.spread.factor),
            "offset_variance_": self.spread.offset_variance,
            **sums,
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "CalibratedAverage":
        """Checked; files from before B was kept smoothed by all trees."""
        every = {"calibration_trees_": np.array(effective_number(forest.weights)), **arrays}
        power = _read_positive(every, "calibration_power_")
        n_trees = _read_positive(every, "calibration_trees_")
        shape = (forest.n_outputs,)
        offset = read_array(arrays, "calibration_offset_", shape, LARGEST_FACTOR)
        slopes = read_array(arrays, "calibration_slopes_", shape, LARGEST_FACTOR)
        if (slopes <= 0).any():
            raise BayeswoodError("The model file holds a 'calibration_slopes_' out of range.")
        calibration = ClassCalibration(power, offset, slopes, n_trees)
        spread = _read_spread(arrays, forest)
        return cls(calibration, spread, ClassSums.from_arrays(arrays, forest, spread.size))


def _read_spread(arrays: Arrays, forest: Forest) -> BagSpread:
    """Checked; in files from before bags each tree is one."""
    if "trees_per_bag_" not in arrays:
        return BagSpread.of_trees(forest.n_outputs)
    size = int(read_scalar(arrays, "trees_per_bag_", int))
    variance = read_array(arrays, "offset_variance_", (forest.n_outputs,), LARGEST_FACTOR)
    if size < 1 or (variance < 0).any():
        raise BayeswoodError("The model file holds bags of no tree, or a negative variance.")
    return BagSpread(size, _read_positive(arrays, "knowledge_factor_"), variance)


def _read_positive(arrays: Arrays, name: str) -> float:
    value = float(read_scalar(arrays, name, float))
    if not 0.0 < value < LARGEST_FACTOR:
        raise BayeswoodError(f"The model file holds a '{name}' out of range.")
    return value
