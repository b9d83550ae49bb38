"""Class probabilities of a calibrated forest: the members' average, recalibrated."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.predictive import Arrays, ClassPredictive, entropy_parts
from bayeswood.methods.base.saved_state import read_array, read_scalar
from bayeswood.uncertainty import (
    ClassCalibration,
    Uncertainty,
    effective_number,
    split_calibrated_entropy,
)

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CalibratedAverage(ClassPredictive):
    """The members' average, smoothed and recalibrated on out-of-bag rows."""

    calibration: ClassCalibration

    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """The calibration of Σ_m w_m p_m; none is 0."""
        return self.calibration.apply(forest.predict(rows, n_jobs))

    def draws(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """P + (p_m − Σ_m w_m p_m) within [0, 1], to a sum of 1: the members around the answer."""
        found = forest.draws(rows, n_jobs)
        average = np.tensordot(forest.weights, found, axes=1)
        found += self.calibration.apply(average) - average
        np.clip(found, 0.0, 1.0, out=found)
        found /= found.sum(axis=2, keepdims=True)
        return found

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Those over the members, moved by p − Σ_m w_m p_m, within [0, 1]."""
        average = forest.predict(rows, n_jobs)
        shift = self.calibration.apply(average) - average
        return np.clip(forest.quantiles(rows, levels, n_jobs) + shift[:, :, None], 0.0, 1.0)

    def entropy_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """The entropy of the calibrated probabilities, shared out as that of the average."""
        weights = forest.weights

        def split(draws: F64) -> tuple[F64, F64, F64]:
            calibrated = self.calibration.apply(np.tensordot(weights, draws, axes=1))
            return split_calibrated_entropy(draws, weights, calibrated)

        return entropy_parts(forest, rows, n_jobs, split)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """γ, b, s and B."""
        found = self.calibration
        return {
            "calibration_power_": np.array(found.power),
            "calibration_trees_": np.array(found.n_trees),
            "calibration_offset_": found.offset,
            "calibration_slopes_": found.slopes,
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "CalibratedAverage":
        """Checked; files from before B was kept smoothed by all trees."""
        every = {"calibration_trees_": np.array(effective_number(forest.weights)), **arrays}
        power = _read_positive(every, "calibration_power_")
        n_trees = _read_positive(every, "calibration_trees_")
        shape = (forest.n_outputs,)
        offset = read_array(arrays, "calibration_offset_", shape)
        slopes = read_array(arrays, "calibration_slopes_", shape)
        if (slopes <= 0).any():
            raise BayeswoodError("The model file holds a 'calibration_slopes_' out of range.")
        return cls(ClassCalibration(power, offset, slopes, n_trees))


def _read_positive(arrays: Arrays, name: str) -> float:
    value = float(read_scalar(arrays, name, float))
    if not 0.0 < value < np.inf:
        raise BayeswoodError(f"The model file holds a '{name}' out of range.")
    return value
