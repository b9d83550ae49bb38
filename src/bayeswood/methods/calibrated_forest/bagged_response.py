"""The response of a calibrated forest, as sure as the rows that bags left out make it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import LeafEnds, ResidualEnds, ResponseInterval
from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.forest import Forest
from bayeswood.methods.base.parts import forest_arrays, forest_from
from bayeswood.methods.base.predictive import Arrays, LeafResponses, NumberPredictive
from bayeswood.methods.base.saved_state import LARGEST_FACTOR, read_array
from bayeswood.modelfile.laws import LARGEST_MEAN
from bayeswood.uncertainty import (
    LEVELS,
    N_PARTS,
    ResponseCalibration,
    SpreadResiduals,
    Uncertainty,
)
from bayeswood.uncertainty.intervals import hold

F64 = NDArray[np.float64]

# Least share of the variance of residuals that is noise, whatever the members say.
_LEAST_NOISE = 0.1
# Outermost levels of Student's distribution: beyond them lies infinity.
_OUTERMOST = 1e-6


@dataclass(frozen=True, eq=False)
class LeafForest:
    """Trees whose leaves remember their rows, and the responses of these.

    Attributes
    ----------
    forest : Forest
        Trees of equal weight.
    responses : LeafResponses
        What is in their leaves.
    """

    forest: Forest
    responses: LeafResponses

    def quantiles(self, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Of the responses in the leaves of rows, (n_rows, n_outputs, n_levels)."""
        return self.responses.quantiles(self.forest, rows, levels, n_jobs)


@dataclass(frozen=True, eq=False)
class BaggedResponse(NumberPredictive):
    """Quantiles ω (μ + a z_q) + (1 − ω) L_λ(q), see `response_calibration`.

    Attributes
    ----------
    sizes : Forest or None
        Whose mean is a, the size of residuals; None if it is the same everywhere.
    least : ndarray, (n_outputs,)
        What a does not fall below.
    outputs : tuple of ResponseCalibration
        Of each response.
    leaves : LeafForest or None
        What L comes from; None if it plays no part.
    """

    sizes: Forest | None
    least: F64
    outputs: tuple[ResponseCalibration, ...]
    leaves: LeafForest | None = None

    def check(self, caller: str, levels: F64 | None = None) -> None:
        """Raise if leaves were not kept; warn of levels that cannot be promised."""
        if self.leaves is None and any(one.share < 1 for one in self.outputs):
            raise BayeswoodError(
                f"{caller} needs the training responses in the leaves, which were not kept. Fit "
                "with keep_responses=True, or ask for kind='mean'."
            )
        if levels is None:
            return
        reach = min(one.residuals.reach for one in self.outputs)
        beyond = np.maximum(levels, 1.0 - levels)
        if ((beyond > reach + 1e-9) & (beyond < 1.0)).any():
            n_rows = len(self.outputs[0].residuals.values)
            warn_user(
                f"{caller} was asked for levels that {n_rows} calibration rows cannot promise, "
                f"beyond {1 - reach:.3g} or {reach:.3g}. The outermost residual is taken: the "
                "interval covers less than was asked."
            )

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Both accounts, mixed for each response."""
        return self._quantiles(forest.predict(rows, n_jobs), rows, levels, n_jobs)

    def _quantiles(self, mean: F64, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        size = self._sizes(rows, n_jobs)
        found = [
            one.quantiles(mean[:, k], size[:, k], levels, self._in_leaves(rows, k, n_jobs))
            for k, one in enumerate(self.outputs)
        ]
        return np.stack(found, axis=1)

    def interval(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """As of all; the mean is asked for once."""
        mean = forest.predict(rows, n_jobs)
        return hold(self._quantiles(mean, rows, levels, n_jobs), mean)

    def response_interval(self, forest: Forest, levels: F64) -> ResponseInterval | None:
        """Both accounts."""
        share = np.array([one.share for one in self.outputs])
        residuals = leaves = None
        if (share > 0).any():
            parts = [one.residuals.of_parts(levels) for one in self.outputs]
            centres, ends = (np.stack(found) for found in zip(*parts, strict=True))
            residuals = ResidualEnds(forest, self.sizes, self.least, centres, ends)
        if (share < 1).any() and self.leaves is not None and self.leaves.responses.responses:
            at = np.stack([one.leaf_levels(levels) for one in self.outputs])
            leaves = LeafEnds(self.leaves.forest, self.leaves.responses.responses, at)
        return ResponseInterval(share, residuals, leaves)

    def _in_leaves(self, rows: NDArray[Any], output: int, n_jobs: int) -> Any:
        leaves = self.leaves
        if leaves is None:
            return None
        return lambda levels: leaves.quantiles(rows, levels, n_jobs)[:, output]

    def _sizes(self, rows: NDArray[Any], n_jobs: int) -> F64:
        """A, (n_rows, n_outputs)."""
        if self.sizes is None:
            return np.broadcast_to(self.least, (len(rows), len(self.least)))
        return np.maximum(self.sizes.predict(rows, n_jobs), self.least)

    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Knowledge V, the variance of the mean; data c a² − V, at least a tenth of c a²."""
        of_residuals = self._of_residuals(rows, n_jobs)
        knowledge = self._between(forest, rows, of_residuals, n_jobs)
        data = np.maximum(of_residuals - knowledge, _LEAST_NOISE * of_residuals)
        return Uncertainty(data + knowledge, data, knowledge)

    def variance_of_mean(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Σ (f_b − μ)² / (G − 1), and c a² / n at least: no mean of n rows is surer."""
        return self._between(forest, rows, self._of_residuals(rows, n_jobs), n_jobs)

    def _of_residuals(self, rows: NDArray[Any], n_jobs: int) -> F64:
        """Their variance c a², (n_rows, n_outputs)."""
        factor = np.array([one.factor for one in self.outputs])
        found: F64 = factor * self._sizes(rows, n_jobs) ** 2
        return found

    def _between(self, forest: Forest, rows: NDArray[Any], of_residuals: F64, n_jobs: int) -> F64:
        n_members, n_seen = forest.n_members, len(self.outputs[0].residuals.values)
        found = super().variance_of_mean(forest, rows, n_jobs) * n_members / max(1, n_members - 1)
        return np.maximum(found, of_residuals / max(1, n_seen))

    def quantiles_of_mean(
        self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int
    ) -> F64:
        """μ plus the sd between members times quantiles of Student's t on G − 1 degrees."""
        spread = np.sqrt(self.variance_of_mean(forest, rows, n_jobs))
        within = np.clip(levels, _OUTERMOST, 1.0 - _OUTERMOST)
        from scipy.special import stdtrit

        reach = stdtrit(max(1, forest.n_members - 1), within)
        found: F64 = forest.predict(rows, n_jobs)[:, :, None] + spread[:, :, None] * reach
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that `from_arrays` needs."""
        shapes = [one.residuals for one in self.outputs]
        found = {
            "residual_least": self.least,
            "residual_factor_": np.array([one.factor for one in self.outputs]),
            "residual_share_": np.array([one.share for one in self.outputs]),
            "level_reached": np.stack([one.reached for one in self.outputs], axis=1),
            "spread_centres_": np.stack([z.centres for z in shapes], axis=1),
            "scaled_residuals_": np.stack([z.values for z in shapes], axis=1),
            "residual_parts": np.stack([z.part.astype(np.float64) for z in shapes], axis=1),
        }
        weights = [z.weights for z in shapes if z.weights is not None]
        if weights:
            found["residual_weights"] = np.stack(weights, axis=1)
        if self.sizes is not None:
            found |= forest_arrays("size", self.sizes)
        if self.leaves is not None:
            found |= forest_arrays("leaves", self.leaves.forest) | self.leaves.responses.arrays()
        return found

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> "BaggedResponse":
        """Checked: sizes are not negative, residuals in order."""
        n = forest.n_outputs
        least = read_array(arrays, "residual_least", (n,), LARGEST_MEAN)
        outputs = _outputs_from(arrays, n)
        if (least < 0).any():
            raise BayeswoodError("The model file holds a size of residuals that is negative.")
        sizes = forest_from("size", arrays, forest)
        trees = forest_from("leaves", arrays, forest)
        leaves = None
        if trees is not None:
            leaves = LeafForest(trees, LeafResponses.from_arrays(arrays, trees))
        return cls(sizes, least, outputs, leaves)


def _outputs_from(arrays: Mapping[str, NDArray[Any]], n: int) -> tuple[ResponseCalibration, ...]:
    factor = read_array(arrays, "residual_factor_", (n,), LARGEST_FACTOR)
    share = read_array(arrays, "residual_share_", (n,))
    reached = read_array(arrays, "level_reached", (len(LEVELS), n))
    centres = read_array(arrays, "spread_centres_", (N_PARTS, n))
    z = read_array(arrays, "scaled_residuals_", (-1, n), LARGEST_FACTOR)
    if (factor < 0).any() or (share < 0).any() or (share > 1).any():
        raise BayeswoodError("The model file holds a spread that is negative, or no share.")
    if not len(z) or (np.diff(z, axis=0) < 0).any() or (np.diff(reached, axis=0) < 0).any():
        raise BayeswoodError("The model file's scaled residuals are not in order.")
    parts = read_array(arrays, "residual_parts", z.shape)
    if not np.isin(parts, np.arange(N_PARTS)).all():
        raise BayeswoodError("The model file holds a residual of no third.")
    weights = _weights_from(arrays, z.shape)
    return tuple(
        ResponseCalibration(
            SpreadResiduals(z[:, k], parts[:, k].astype(np.intp), centres[:, k], weights[k]),
            float(factor[k]),
            float(share[k]),
            reached[:, k],
        )
        for k in range(n)
    )


def _weights_from(arrays: Mapping[str, NDArray[Any]], shape: tuple[int, ...]) -> list[F64 | None]:
    """Weights of the residuals of each response."""
    if "residual_weights" not in arrays:
        return [None] * shape[1]
    weights = read_array(arrays, "residual_weights", shape)
    if not (weights > 0).all():
        raise BayeswoodError("The model file holds a residual weight that is not positive.")
    return list(weights.T)
