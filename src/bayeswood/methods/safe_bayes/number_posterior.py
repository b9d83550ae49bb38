"""Prior trees with the sums of numeric responses in their leaves, and all that follows from them.

Responses are kept as whole numbers of a unit, about 2^-24 of their range in the first chunk, so
that sums are exact and the order of adding does not matter; nothing here is changed after it is
made, except that what follows from the sums is worked out when first asked for.
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.conjugate_leaves.response_scale import ResponseScale
from bayeswood.methods.safe_bayes.pool_classes import normalised_weights
from bayeswood.methods.safe_bayes.pool_numbers import (
    Normal,
    best_number_sharpness,
    evidence_normal,
)
from bayeswood.methods.safe_bayes.prior_trees import PriorTrees
from bayeswood.methods.safe_bayes.reservoir import Reservoir

F64 = NDArray[np.float64]

# Members' predictions held at a time, in numbers.
_BLOCK_NUMBERS = 2**20


@dataclass(frozen=True)
class NumberModel:
    """How sums become predictions.

    Attributes
    ----------
    strength, shape, scale : float
        κ, a and b of the normal-inverse-gamma prior of a leaf.
    prune_average : bool
        Whether to average over all prunings of each tree.
    pooling : str
        "evidence" or "power".
    power : float or None
        β; None for `effective_sample_size` / N.
    effective_sample_size : float
    """

    strength: float
    shape: float
    scale: float
    prune_average: bool
    pooling: str
    power: float | None
    effective_sample_size: float

    def power_for(self, n_rows: int) -> float:
        """β for a number of rows; at most 1."""
        if self.power is not None:
            return self.power
        return min(1.0, self.effective_sample_size / max(n_rows, 1))


@dataclass(frozen=True, eq=False)
class NumberMembers:
    """Trees and sums.

    Attributes
    ----------
    trees : PriorTrees
    sums : ndarray of int64, (n_leaves in all, 4)
        Number, sum, and sum of squares (third · 2^30 + fourth), in units.
    reservoir : Reservoir
        A bounded sample of rows; forgetting is checked against it.
    scale : ResponseScale
    model : NumberModel
    n_jobs : int
        Threads; no number of them changes a result.
    """

    trees: PriorTrees
    sums: NDArray[np.int64]
    reservoir: Reservoir
    scale: ResponseScale
    model: NumberModel
    n_jobs: int = 1

    def add(
        self,
        X: NDArray[Any],
        y: F64,
        copies: NDArray[np.int32] | None = None,
        progress: Any = None,
    ) -> "NumberMembers":
        """The members after more rows; y: (n_rows, 1)."""
        units = self.scale.to_units(y[:, 0], "partial_fit")
        sums = self._summed(X, units, copies, 1, progress)
        return replace(self, sums=sums, reservoir=self.reservoir.add(X, units, copies))

    def remove(
        self, X: NDArray[Any], y: F64, copies: NDArray[np.int32] | None = None
    ) -> "NumberMembers":
        """The members as if they had never seen some rows that they saw."""
        units = self.scale.to_units(y[:, 0], "forget")
        sums = self._summed(X, units, copies, -1)
        if not _lawful(sums):
            raise BayeswoodError(
                "Rows can be forgotten only if they were seen: a leaf would be left with sums that "
                "no rows have. Check that X and y are rows given to fit or partial_fit."
            )
        return replace(self, sums=sums, reservoir=self.reservoir.remove(X, units, copies))

    def merge(self, other: "NumberMembers") -> "NumberMembers":
        """The members that saw the rows of both; trees and scale must be the same."""
        reservoir = self.reservoir.merge(other.reservoir)
        return replace(self, sums=self.sums + other.sums, reservoir=reservoir)

    def _summed(
        self,
        X: NDArray[Any],
        units: NDArray[np.int32],
        copies: NDArray[np.int32] | None,
        sign: int,
        progress: Any = None,
    ) -> NDArray[np.int64]:
        # On a copy, so that an interrupted sum leaves no half of it behind.
        sums = self.sums.copy()
        core = self.trees.core
        core.sum(X, units, copies, sign, sums, n_jobs=self.n_jobs, progress=progress)
        return sums

    @property
    def n_rows(self) -> int:
        """Rows seen."""
        return int(self.sums[: self.trees.n_leaves[0], 0].sum())

    @property
    def nbytes(self) -> int:
        """Memory of trees, sums and reservoir: all that is kept between updates."""
        return self.trees.core.nbytes + self.sums.nbytes + self.reservoir.nbytes

    def __getstate__(self) -> dict[str, Any]:
        # What follows from the sums is worked out again when needed.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def power(self) -> float:
        """β."""
        return self.model.power_for(self.n_rows)

    @property
    def _prior(self) -> tuple[float, float, float, float]:
        model = self.model
        return self.scale.unit, model.strength, model.shape, model.scale

    @cached_property
    def _summary(self) -> tuple[F64, F64, F64]:
        core = self.trees.core
        return core.summarise_numbers(
            self.sums, *self._prior, self.model.prune_average, self.n_jobs
        )

    @property
    def log_evidence(self) -> F64:
        """Log marginal likelihood of each tree, averaged over its prunings if so asked."""
        return self._summary[0]

    @cached_property
    def predictive(self) -> F64:
        """Mean, variance and degrees of freedom in each leaf, (n_leaves in all, 3)."""
        predictive = self._summary[1].copy()
        predictive[:, 0] += self.scale.center
        return predictive

    @property
    def importances(self) -> F64:
        """Evidence for splitting on each feature, by tree, (n_trees, n_features)."""
        return self._summary[2]

    @cached_property
    def weights(self) -> F64:
        """Weight of each tree; they sum to 1."""
        return normalised_weights(self.log_evidence, self.power)

    @cached_property
    def forest(self) -> Forest:
        """The hand-over forest: leaves hold the predictive mean."""
        means = np.ascontiguousarray(self.predictive[:, :1])
        n_rows = self.sums[:, 0].astype(np.int32)
        core = self.trees.core.to_forest(means, n_rows, False, self.n_jobs)
        return Forest(core, self.power * self.log_evidence)

    def predictive_at(self, X: NDArray[Any], n_jobs: int) -> F64:
        """Mean, variance and degrees of freedom by every tree, (n_trees, n_rows, 3)."""
        leaf = self.trees.core.apply(X, n_jobs=n_jobs)
        found: F64 = self.predictive[leaf.T]
        return found

    def predict(self, X: NDArray[Any], n_jobs: int) -> Normal:
        """Mean and variance of the pooled predictive distribution; each (n_rows,)."""
        mean, variance, _ = self.predictive.T
        center = self.scale.center
        if self.model.pooling == "power":
            values = np.stack([mean - center, variance + (mean - center) ** 2], axis=1)
            first, second = self.trees.core.pool(X, values, self.weights, n_jobs).T
            return Normal(first + center, second - first**2)
        values = np.stack([1 / variance, (mean - center) / variance], axis=1)
        precision, lean = self.trees.core.pool(X, values, self.weights, n_jobs).T
        base = self._base(np.zeros(1, dtype=np.int64), 0)
        found = evidence_normal(precision, lean, base, self.sharpness)
        return Normal(found.mean + center, found.variance)

    def _base(self, units: NDArray[Any], n_out: int) -> Normal:
        """Mean (from the center) and variance of all responses, less one of each of `units`."""
        n_rows, total, high, low = self.sums[: self.trees.n_leaves[0]].sum(axis=0)
        gone = units.astype(np.float64) * n_out
        n_left = max(int(n_rows) - n_out, 1)
        mean = (float(total) - gone) / n_left
        square = (float(high) * 2.0**30 + float(low) - gone**2) / n_left
        unit = self.scale.unit
        # A variance of 0 would leave nothing to sharpen.
        least = 1e-12 * self.scale.variance
        return Normal(mean * unit, np.maximum((square - mean**2) * unit**2, least))

    @cached_property
    def sharpness(self) -> float:
        """γ, from the rows of the reservoir."""
        kept = self.reservoir
        if self.model.pooling != "evidence" or not kept.n_kept or self.n_rows < 2:
            return 1.0
        precision, lean = self._pooled_left_out(kept.X, kept.y)
        y = kept.y * self.scale.unit
        times = kept.copies.astype(np.float64)
        return best_number_sharpness(precision, lean, self._base(kept.y, 1), y, times)

    def _pooled_left_out(self, X: NDArray[Any], units: NDArray[np.int32]) -> tuple[F64, F64]:
        """Σ w_k / v_k and Σ w_k μ_k / v_k of rows seen, each left out in turn."""
        power = self.model.power_for(self.n_rows - 1)
        pooled = []
        size = max(1, _BLOCK_NUMBERS // len(self.trees.n_leaves))
        for start in range(0, len(units), size):
            block = slice(start, start + size)
            left = self.members_left_out(X[block], units[block])
            mean, variance, log_density = np.moveaxis(left, 2, 0)
            weights = normalised_weights(self.log_evidence[:, None] - log_density, power)
            pooled.append([(weights / variance).sum(0), (weights * mean / variance).sum(0)])
        precision, lean = np.concatenate(pooled, axis=1)
        return precision, lean

    def members_left_out(self, X: NDArray[Any], units: NDArray[np.int32]) -> F64:
        """Mean (from the center), variance and log density, (n_trees, n_rows, 3)."""
        core = self.trees.core
        return core.leave_one_out_numbers(
            X, units, self.sums, *self._prior, self.model.prune_average, self.n_jobs
        )

    def predict_left_out(self, X: NDArray[Any], units: NDArray[np.int32]) -> Normal:
        """Mean and variance of rows seen, each left out in turn, by evidence pooling."""
        precision, lean = self._pooled_left_out(X, units)
        found = evidence_normal(precision, lean, self._base(units, 1), self.sharpness)
        return Normal(found.mean + self.scale.center, found.variance)


def _lawful(sums: NDArray[np.int64]) -> bool:
    """Whether rows with such sums can exist: nothing negative, nothing left where no row is."""
    n_rows, total, high, low = sums.T
    empty = n_rows == 0
    clean = (total == 0) & (high == 0) & (low == 0)
    if (n_rows < 0).any() or not clean[empty].all():
        return False
    # Cauchy-Schwarz: (Σ y)² <= n Σ y², up to the rounding of floats.
    squares = high * 2.0**30 + low
    return bool((total.astype(np.float64) ** 2 <= n_rows * squares * (1 + 1e-9) + 1e-9).all())
