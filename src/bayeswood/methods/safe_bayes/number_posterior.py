"""Prior trees with the sums of numeric responses in their leaves, and all that follows from them.

Responses are kept as whole numbers of a unit, about 2^-24 of their range in the first chunk, so
that sums are exact and the order of adding does not matter; nothing here is changed after it is
made, except that what follows from the sums is worked out when first asked for.
"""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.forest.leaf_values import with_leaf_values
from bayeswood.methods.base.parts import SavedModel
from bayeswood.methods.base.predictive import NumberPredictive
from bayeswood.methods.base.saved_state import read_value
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.methods.conjugate_leaves.response_scale import ResponseScale
from bayeswood.methods.safe_bayes.pool_classes import normalised_weights
from bayeswood.methods.safe_bayes.pool_numbers import (
    Normal,
    PooledNormal,
    StudentMixture,
    best_number_sharpness,
    evidence_normal,
)
from bayeswood.methods.safe_bayes.prior_posterior import PoolingModel, PriorPosterior
from bayeswood.methods.safe_bayes.prior_trees import PriorTrees
from bayeswood.methods.safe_bayes.reservoir import Reservoir

F64 = NDArray[np.float64]

# Members' predictions held at a time, in numbers.
_BLOCK_NUMBERS = 2**20


@dataclass(frozen=True)
class NumberModel(PoolingModel):
    """How sums become predictions.

    Attributes
    ----------
    strength, shape, scale : float
        κ, a and b of the normal-inverse-gamma prior of a leaf.
    response : ResponseScale
        Of the responses, whose unit the sums are in.
    """

    strength: float
    shape: float
    scale: float
    response: ResponseScale


class NumberPosterior(PriorPosterior):
    """Trees, sums in their leaves, and a reservoir.

    The sums, int64 (n_leaves in all, 4), are the number of rows, their sum, and their sum of
    squares (third · 2^30 + fourth), in units.
    """

    _statistics_name = "sums"
    model: NumberModel

    @property
    def sums(self) -> NDArray[np.int64]:
        """Number, sum and squares in each leaf."""
        return self.statistics

    @property
    def scale(self) -> ResponseScale:
        """Of the responses."""
        return self.model.response

    def _whole(self, y: NDArray[Any], caller: str) -> NDArray[np.int32]:
        return self.scale.to_units(y[:, 0], caller)

    def _native_add(self, *arguments: Any, **running: Any) -> None:
        self.trees.core.sum(*arguments, **running)

    def _check_removed(self, statistics: NDArray[Any]) -> None:
        if not _lawful(statistics):
            raise BayeswoodError(
                "Rows can be forgotten only if they were seen: a leaf would be left with sums that "
                "no rows have. Check that X and y are rows given to fit or partial_fit."
            )

    @property
    def n_rows(self) -> int:
        """Rows seen."""
        return int(self.sums[: self.trees.n_leaves[0], 0].sum())

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

    @cached_property
    def _leaves(self) -> Forest:
        """The trees with mean, variance and degrees of freedom in their leaves."""
        found = self._summary[1].copy()
        found[:, 0] += self.scale.center
        n_rows = self.sums[:, 0].astype(np.int32)
        core = self.trees.core.to_forest(found, n_rows, False, self.n_jobs)
        return Forest(core, self.power * self.log_evidence)

    @cached_property
    def forest(self) -> Forest:
        """The hand-over forest: leaves hold the predictive mean."""
        return with_leaf_values(self._leaves, LeafTable.of(self._leaves).value[:, :1])

    @cached_property
    def predictive(self) -> NumberPredictive:
        """A mixture of Student distributions, or the normal of the pooled evidence."""
        _, variance, freedom = LeafTable.of(self._leaves).value.T
        if self.model.pooling == "power":
            return StudentMixture(variance, freedom)
        base = self._base(np.zeros(1, dtype=np.int64), 0)
        center = self.scale.center
        return PooledNormal(
            variance, center, float(base.mean[0]), float(base.variance[0]), self.sharpness
        )

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

    @classmethod
    def _read_statistics(
        cls, saved: SavedModel, trees: PriorTrees, reservoir: Reservoir
    ) -> "NumberPosterior":
        plain = read_value(saved.meta, "response_scale", dict)
        numbers = [read_value(plain, name, float) for name in ("center", "variance", "unit")]
        sums = saved.arrays["sums"]
        lawful = (
            np.isfinite(numbers).all()
            and min(numbers[1:]) > 0
            and sums.shape == (trees.n_leaves_in_all, 4)
            and sums.dtype == np.int64
            and _lawful(sums)
            and reservoir.y.dtype == np.int32
        )
        if not lawful:
            raise BayeswoodError("The model file's sums do not match its trees.")
        model = saved.estimator._number_model(ResponseScale(*numbers))
        return cls(trees, sums, reservoir, model)

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """With the scale of the responses."""
        super().write(meta, arrays)
        meta["response_scale"] = asdict(self.scale)


def _lawful(sums: NDArray[np.int64]) -> bool:
    """Whether rows with such sums can exist: nothing negative, nothing left where no row is."""
    n_rows, total, high, low = sums.astype(np.float64).T
    # A response is below 2^31 in size.
    within = (np.abs(total) <= n_rows * 2.0**31) & (high >= 0) & (low >= 0)
    within &= (high <= n_rows * 2.0**32) & (low <= n_rows * 2.0**30) & (n_rows >= 0)
    if not within.all():
        return False
    # Cauchy-Schwarz: (Σ y)² <= n Σ y², up to the rounding of floats.
    squares = high * 2.0**30 + low
    return bool((total**2 <= n_rows * squares * (1 + 1e-9) + 1e-9).all())
