"""Prior trees with the class counts of their leaves, and all that follows from the counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.parts import ClassLabels, SavedModel
from bayeswood.methods.base.predictive import ClassPredictive, MemberAverage
from bayeswood.methods.safe_bayes.pool_classes import (
    EvidencePool,
    LeaveOneOutPool,
    best_sharpness,
    class_shares,
    evidence_pool,
    pool_left_out,
)
from bayeswood.methods.safe_bayes.prior_posterior import PoolingModel, PriorPosterior
from bayeswood.methods.safe_bayes.prior_trees import PriorTrees
from bayeswood.methods.safe_bayes.reservoir import Reservoir

F64 = NDArray[np.float64]

# Members' predictions held at a time, in numbers.
_BLOCK_NUMBERS = 4 * 2**20


@dataclass(frozen=True)
class ClassModel(PoolingModel):
    """How counts become predictions.

    Attributes
    ----------
    alphas : ndarray, (n_classes,)
        Of the Dirichlet prior.
    """

    alphas: F64


class ClassPosterior(PriorPosterior):
    """Trees, counts of classes in their leaves, (n_leaves in all, n_classes), and a reservoir."""

    _statistics_name = "counts"
    model: ClassModel

    @classmethod
    def without_rows(
        cls, trees: PriorTrees, n_classes: int, capacity: int, model: ClassModel, n_jobs: int
    ) -> "ClassPosterior":
        """Of trees that have seen nothing."""
        counts = np.zeros((trees.n_leaves_in_all, n_classes), dtype=np.int32)
        n_features = len(trees.scale.n_levels)
        reservoir = Reservoir.empty(capacity, n_features, np.int32)
        return cls(trees, counts, reservoir, model, n_jobs)

    @property
    def counts(self) -> NDArray[np.int32]:
        """Rows of each class in each leaf."""
        return self.statistics

    def _whole(self, y: NDArray[Any], caller: str) -> NDArray[np.int32]:
        return y

    def _native_add(self, *arguments: Any, **running: Any) -> None:
        self.trees.core.count(*arguments, **running)

    def _check_removed(self, statistics: NDArray[Any]) -> None:
        if (statistics < 0).any():
            raise BayeswoodError(
                "Rows can be forgotten only if they were seen: a leaf would be left with fewer "
                "than no rows of a class. Check that X and y are rows given to fit or partial_fit."
            )

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

    @cached_property
    def _summary(self) -> tuple[F64, F64, F64]:
        model = self.model
        return self.trees.core.summarise_classes(
            self.counts, model.alphas, model.prune_average, self.n_jobs
        )

    @property
    def probability(self) -> F64:
        """Class probabilities of each leaf, (n_leaves in all, n_classes)."""
        return self._summary[1]

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

    @cached_property
    def predictive(self) -> ClassPredictive:
        """The members' average, or their pooled evidence."""
        leaf_prior = None if self.model.prune_average else self.model.alphas
        if self.model.pooling == "power":
            return MemberAverage(leaf_prior)
        log_shares = np.log(class_shares(self.class_rows, self.model.alphas))
        return EvidencePool(log_shares, self.sharpness, leaf_prior)

    def left_out(self, X: NDArray[Any], y: NDArray[np.int32]) -> LeaveOneOutPool:
        """Pool the predictions of rows seen, each left out in turn."""
        power = self.model.power_for(self.n_rows - 1)
        logarithmic = self.model.pooling == "evidence"
        pooled = [
            pool_left_out(members, y[block], self.log_evidence, power, logarithmic)
            for block, members in self.members_left_out(X, y)
        ]
        others = self.class_rows[None, :] - (y[:, None] == np.arange(self.n_classes))
        log_shares = np.log(class_shares(others, self.model.alphas))
        return LeaveOneOutPool(np.concatenate([np.empty((0, self.n_classes)), *pooled]), log_shares)

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
                    X[block], y[block], self.counts, model.alphas, model.prune_average, self.n_jobs
                ),
            )

    def predict_left_out(self, X: NDArray[Any], y: NDArray[np.int32]) -> F64:
        """Class probabilities of rows seen, each left out in turn, (n_rows, n_classes)."""
        left = self.left_out(X, y)
        if self.model.pooling == "power":
            mean: F64 = left.pooled / left.pooled.sum(axis=1, keepdims=True)
            return mean
        return evidence_pool(left.pooled, left.log_shares, self.sharpness)

    @classmethod
    def _read_statistics(
        cls, saved: SavedModel, trees: PriorTrees, reservoir: Reservoir
    ) -> "ClassPosterior":
        counts = saved.arrays["counts"]
        n_classes = len(ClassLabels.read(saved).classes)
        lawful = (
            counts.shape == (trees.n_leaves_in_all, n_classes)
            and counts.dtype == np.int32
            and bool((counts >= 0).all())
            and reservoir.y.dtype == np.int32
            and bool(((reservoir.y >= 0) & (reservoir.y < n_classes)).all())
        )
        if not lawful:
            raise BayeswoodError("The model file's counts do not match its trees.")
        return cls(trees, counts, reservoir, saved.estimator._class_model(n_classes))
