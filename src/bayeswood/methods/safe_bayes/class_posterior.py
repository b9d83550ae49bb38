"""Prior trees with the class counts of their leaves, and all that follows from the counts.

Counts are whole numbers, so adding, merging and taking away are exact and their order does not
matter; nothing here is changed after it is made, except that what follows from the counts is worked
out when first asked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.safe_bayes.pool_classes import (
    LeftOut,
    best_sharpness,
    class_shares,
    evidence_pool,
    normalised_weights,
    pool_left_out,
)
from bayeswood.methods.safe_bayes.prior_trees import PriorTrees
from bayeswood.methods.safe_bayes.reservoir import Reservoir

F64 = NDArray[np.float64]

# Members' predictions held at a time, in numbers.
_BLOCK_NUMBERS = 4 * 2**20


@dataclass(frozen=True)
class ClassModel:
    """How counts become predictions.

    Attributes
    ----------
    alpha : float
        Of the Dirichlet prior, per class.
    prune_average : bool
        Whether to average over all prunings of each tree.
    pooling : str
        "evidence" or "power".
    power : float or None
        β; None for `effective_sample_size` / N.
    effective_sample_size : float
    """

    alpha: float
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
class ClassMembers:
    """Trees, counts and a reservoir of rows.

    Attributes
    ----------
    trees : PriorTrees
    counts : ndarray of int32, (n_leaves in all, n_classes)
    reservoir : Reservoir
    model : ClassModel
    n_jobs : int
        Threads; no number of them changes a result.
    """

    trees: PriorTrees
    counts: NDArray[np.int32]
    reservoir: Reservoir
    model: ClassModel
    n_jobs: int = 1

    @classmethod
    def without_rows(
        cls, trees: PriorTrees, n_classes: int, capacity: int, model: ClassModel, n_jobs: int
    ) -> "ClassMembers":
        """Members that have seen nothing."""
        counts = np.zeros((trees.n_leaves_in_all, n_classes), dtype=np.int32)
        n_features = len(trees.scale.n_levels)
        reservoir = Reservoir.empty(capacity, n_features, np.int32)
        return cls(trees, counts, reservoir, model, n_jobs)

    def add(
        self,
        X: NDArray[Any],
        y: NDArray[np.int32],
        copies: NDArray[np.int32] | None = None,
        progress: Any = None,
    ) -> "ClassMembers":
        """The members after more rows."""
        counts = self._counted(X, y, copies, 1, progress)
        return replace(self, counts=counts, reservoir=self.reservoir.add(X, y, copies))

    def remove(
        self, X: NDArray[Any], y: NDArray[np.int32], copies: NDArray[np.int32] | None = None
    ) -> "ClassMembers":
        """The members as if they had never seen some rows that they saw."""
        counts = self._counted(X, y, copies, -1)
        if (counts < 0).any():
            raise BayeswoodError(
                "Rows can be forgotten only if they were seen: a leaf would be left with fewer "
                "than no rows of a class. Check that X and y are rows given to fit or partial_fit."
            )
        return replace(self, counts=counts, reservoir=self.reservoir.remove(X, y, copies))

    def merge(self, other: "ClassMembers") -> "ClassMembers":
        """The members that saw the rows of both; the trees must be the same."""
        counts = self.counts + other.counts
        return replace(self, counts=counts, reservoir=self.reservoir.merge(other.reservoir))

    def _counted(
        self,
        X: NDArray[Any],
        y: NDArray[np.int32],
        copies: NDArray[np.int32] | None,
        sign: int,
        progress: Any = None,
    ) -> NDArray[np.int32]:
        # On a copy, so that an interrupted count leaves no half of it behind.
        counts = self.counts.copy()
        core = self.trees.core
        core.count(X, y, copies, sign, counts, n_jobs=self.n_jobs, progress=progress)
        return counts

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @cached_property
    def class_rows(self) -> NDArray[np.int64]:
        """Rows seen of each class."""
        first_tree = self.counts[: self.trees.n_leaves[0]]
        n_rows: NDArray[np.int64] = first_tree.sum(axis=0, dtype=np.int64)
        return n_rows

    @property
    def n_rows(self) -> int:
        """Rows seen."""
        return int(self.class_rows.sum())

    @property
    def nbytes(self) -> int:
        """Memory of trees, counts and reservoir: all that is kept between updates."""
        return self.trees.core.nbytes + self.counts.nbytes + self.reservoir.nbytes

    def __getstate__(self) -> dict[str, Any]:
        # What follows from the counts is worked out again when needed.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def power(self) -> float:
        """β."""
        return self.model.power_for(self.n_rows)

    @cached_property
    def _summary(self) -> tuple[F64, F64, F64]:
        model = self.model
        return self.trees.core.summarise_classes(
            self.counts, model.alpha, model.prune_average, self.n_jobs
        )

    @property
    def log_evidence(self) -> F64:
        """Log marginal likelihood of each tree, averaged over its prunings if so asked."""
        return self._summary[0]

    @property
    def probability(self) -> F64:
        """Class probabilities of each leaf, (n_leaves in all, n_classes)."""
        return self._summary[1]

    @property
    def importances(self) -> F64:
        """Evidence for splitting on each feature, by tree, (n_trees, n_features)."""
        return self._summary[2]

    @cached_property
    def weights(self) -> F64:
        """Weight of each tree; they sum to 1."""
        return normalised_weights(self.log_evidence, self.power)

    @cached_property
    def _log_probability(self) -> F64:
        return np.log(self.probability)

    @cached_property
    def forest(self) -> Forest:
        """The hand-over forest."""
        n_rows = self.counts.sum(axis=1, dtype=np.int64).astype(np.int32)
        core = self.trees.core.to_forest(self.probability, n_rows, True, self.n_jobs)
        return Forest(core, self.power * self.log_evidence)

    @cached_property
    def sharpness(self) -> float:
        """γ, from the rows of the reservoir."""
        if self.model.pooling != "evidence":
            return 1.0
        kept = self.reservoir
        if not kept.n_kept:
            return 1.0
        left = self.left_out(kept.X, kept.y)
        times = kept.copies.astype(np.float64)
        return best_sharpness(left.pooled, left.log_shares, kept.y, times)

    def predict(self, X: NDArray[Any], n_jobs: int = 1, power: float | None = None) -> F64:
        """Pooled class probabilities, (n_rows, n_classes)."""
        weights = self.weights if power is None else normalised_weights(self.log_evidence, power)
        core = self.trees.core
        if self.model.pooling == "power":
            mean = core.pool(X, self.probability, weights, n_jobs)
            mean /= mean.sum(axis=1, keepdims=True)
            return mean
        mean_log = core.pool(X, self._log_probability, weights, n_jobs)
        log_shares = np.log(class_shares(self.class_rows, self.model.alpha))
        return evidence_pool(mean_log, log_shares, self.sharpness)

    def left_out(self, X: NDArray[Any], y: NDArray[np.int32]) -> LeftOut:
        """Pool the predictions of rows seen, each left out in turn."""
        power = self.model.power_for(self.n_rows - 1)
        logarithmic = self.model.pooling == "evidence"
        pooled = [
            pool_left_out(members, y[block], self.log_evidence, power, logarithmic)
            for block, members in self.members_left_out(X, y)
        ]
        others = self.class_rows[None, :] - (y[:, None] == np.arange(self.n_classes))
        log_shares = np.log(class_shares(others, self.model.alpha))
        return LeftOut(np.concatenate([np.empty((0, self.n_classes)), *pooled]), log_shares)

    def members_left_out(
        self, X: NDArray[Any], y: NDArray[np.int32]
    ) -> Iterator[tuple[slice, F64]]:
        """Each member's class probabilities for rows left out, a block of rows at a time."""
        size = max(1, _BLOCK_NUMBERS // (len(self.trees.n_leaves) * self.n_classes))
        model = self.model
        for start in range(0, len(y), size):
            block = slice(start, start + size)
            yield (
                block,
                self.trees.core.leave_one_out_classes(
                    X[block], y[block], self.counts, model.alpha, model.prune_average, self.n_jobs
                ),
            )

    def predict_left_out(self, X: NDArray[Any], y: NDArray[np.int32]) -> F64:
        """Class probabilities of rows seen, each left out in turn, (n_rows, n_classes)."""
        left = self.left_out(X, y)
        if self.model.pooling == "power":
            mean: F64 = left.pooled / left.pooled.sum(axis=1, keepdims=True)
            return mean
        return evidence_pool(left.pooled, left.log_shares, self.sharpness)
