"""The response of a calibrated forest: its mean, and residuals scaled by a calibrated spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.forest import Forest
from bayeswood.methods.base.predictive import Arrays, LeafResponses, NumberPredictive
from bayeswood.methods.base.saved_state import read_array
from bayeswood.uncertainty import (
    N_PARTS,
    LeftOut,
    SpreadResiduals,
    Uncertainty,
    fit_interval_calibration,
)

F64 = NDArray[np.float64]


def unbiased_factor(n_trees: Any) -> Any:
    """N / (n − 1), by which a variance over n trees falls short of that over many; 1 for one."""
    return n_trees / np.maximum(np.asarray(n_trees) - 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class SpreadCalibration(NumberPredictive):
    """Quantiles μ(x) + s(x) z_q(x) with s² = a + b sd²_mix, see `interval_calibration`.

    Attributes
    ----------
    leaves : LeafResponses
        The responses in the leaves, whose mixture has the variance sd²_mix; without them it is
        that between the members.
    intercept, slope : ndarray, (n_outputs,)
        a and b.
    residuals : tuple of SpreadResiduals
        Scaled residuals of each response, which z comes from.
    """

    leaves: LeafResponses
    intercept: F64
    slope: F64
    residuals: tuple[SpreadResiduals, ...]

    @classmethod
    def fit(
        cls, leaves: LeafResponses, left_out: Sequence[LeftOut], by_spread: bool
    ) -> "SpreadCalibration":
        """Fit to the out-of-bag residuals of each response."""
        fits = [fit_interval_calibration(part, by_spread) for part in left_out]
        return cls(
            leaves,
            np.array([scale.intercept for scale, _ in fits]),
            np.array([scale.slope for scale, _ in fits]),
            tuple(z for _, z in fits),
        )

    def check(self, caller: str, levels: F64 | None = None) -> None:
        """Warn of levels that so many residuals cannot promise."""
        if levels is None:
            return
        reach = min(one.reach for one in self.residuals)
        beyond = np.maximum(levels, 1.0 - levels)
        if ((beyond > reach + 1e-9) & (beyond < 1.0)).any():
            warn_user(
                f"{caller} was asked for levels that {len(self.residuals[0].values)} calibration "
                f"rows cannot promise, beyond {1 - reach:.3g} or {reach:.3g}. The outermost "
                "residual is taken: the interval covers less than was asked."
            )

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Mean, plus spread times quantiles of the scaled residuals."""
        mean, variance, _ = self._moments(forest, rows, n_jobs)
        spread = np.sqrt(self.intercept + self.slope * variance)
        z = [one.at(spread[:, k], levels) for k, one in enumerate(self.residuals)]
        quantiles: F64 = mean[:, :, None] + spread[:, :, None] * np.stack(z, axis=1)
        return quantiles

    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Total s², knowledge b times the variance between members, data the rest."""
        _, variance, between = self._moments(forest, rows, n_jobs)
        total = self.intercept + self.slope * variance
        knowledge = np.minimum(self.slope * between, total)
        return Uncertainty(total, total - knowledge, knowledge)

    def _moments(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> tuple[F64, F64, F64]:
        """Mean, variance of the mixture of leaf responses, and its part between the members."""
        within = self.leaves.variances(forest, n_jobs)
        mean, between = forest.core.predict_moments(rows, forest.weights, None, n_jobs)
        variance = between
        if within is not None:
            variance = forest.core.predict_moments(rows, forest.weights, within, n_jobs)[1]
        unbiased = unbiased_factor(forest.n_trees)
        return mean, variance * unbiased, between * unbiased

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Responses, spread and residuals."""
        found = {
            **self.leaves.arrays(),
            "spread_intercept_": self.intercept,
            "spread_slope_": self.slope,
            "spread_centres_": np.stack([z.centres for z in self.residuals], axis=1),
            "scaled_residuals_": np.stack([z.values for z in self.residuals], axis=1),
            "residual_parts": np.stack([z.part.astype(np.float64) for z in self.residuals], axis=1),
        }
        weights = [z.weights for z in self.residuals if z.weights is not None]
        return {**found, "residual_weights": np.stack(weights, axis=1)} if weights else found

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "SpreadCalibration":
        """Checked: spreads are not negative, residuals in order."""
        n = forest.n_outputs
        intercept = read_array(arrays, "spread_intercept_", (n,))
        slope = read_array(arrays, "spread_slope_", (n,))
        centres = read_array(arrays, "spread_centres_", (N_PARTS, n))
        z = read_array(arrays, "scaled_residuals_", (-1, n))
        if (intercept < 0).any() or (slope < 0).any():
            raise BayeswoodError("The model file holds a spread that is negative.")
        if not len(z) or (np.diff(z, axis=0) < 0).any():
            raise BayeswoodError("The model file's scaled residuals are not in order.")
        parts = read_array(arrays, "residual_parts", z.shape)
        if not np.isin(parts, np.arange(N_PARTS)).all():
            raise BayeswoodError("The model file holds a residual of no third.")
        weights = _weights_from(arrays, z.shape)
        leaves = LeafResponses.from_arrays(arrays, forest)
        residuals = tuple(
            SpreadResiduals(z[:, k], parts[:, k].astype(np.intp), centres[:, k], weights[k])
            for k in range(n)
        )
        return cls(leaves, intercept, slope, residuals)


def _weights_from(arrays: Arrays, shape: tuple[int, ...]) -> list[F64 | None]:
    """Weights of the residuals of each response."""
    if "residual_weights" not in arrays:
        return [None] * shape[1]
    weights = read_array(arrays, "residual_weights", shape)
    if not (weights > 0).all():
        raise BayeswoodError("The model file holds a residual weight that is not positive.")
    return list(weights.T)
