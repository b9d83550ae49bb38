"""Prior trees with statistics in their leaves: what classes and numbers have in common.

Statistics are sums of whole numbers, so adding, merging and taking away are exact and their order
does not matter; nothing here is changed after it is made, except that what follows from the
statistics is worked out when first asked for.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.parts import SavedModel
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.safe_bayes.pool_classes import normalised_weights
from bayeswood.methods.safe_bayes.prior_trees import PriorTrees, read_prior_trees
from bayeswood.methods.safe_bayes.reservoir import Reservoir
from bayeswood.table import MOST_ROWS

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class PoolingModel:
    """How members are weighted and pooled.

    Attributes
    ----------
    prune_average : bool
        Whether to average over all prunings of each tree.
    pooling : str
        "evidence" or "power".
    power : float or None
        β; None for `effective_sample_size` / N.
    effective_sample_size : float
    """

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
class PriorPosterior(ABC):
    """Trees, the statistics of their leaves, and a reservoir of rows.

    Attributes
    ----------
    trees : PriorTrees
    statistics : ndarray, (n_leaves in all, ...)
        Sums over the rows in each leaf.
    reservoir : Reservoir
        A bounded sample of rows; forgetting is checked against it.
    model : PoolingModel
    n_jobs : int
        Threads; no number of them changes a result.
    """

    trees: PriorTrees
    statistics: NDArray[Any]
    reservoir: Reservoir
    model: Any
    n_jobs: int = 1

    # The name of the statistics in a model file.
    _statistics_name: ClassVar[str]

    @abstractmethod
    def _whole(self, y: NDArray[Any], caller: str) -> NDArray[np.int32]:
        """Responses as whole numbers, as the core and the reservoir take them."""

    @abstractmethod
    def _native_add(self, *arguments: Any, **running: Any) -> None:
        """Add rows to statistics, or take them away, in place."""

    @abstractmethod
    def _check_removed(self, statistics: NDArray[Any]) -> None:
        """Raise if no rows have such statistics."""

    def _holds_reservoir(self) -> bool:
        """Whether every tree has seen the same rows, those of the reservoir among them."""
        first = np.cumsum(self.trees.n_leaves) - self.trees.n_leaves
        totals = np.add.reduceat(self.statistics, first, axis=0, dtype=np.int64)
        if self.n_rows > MOST_ROWS or (totals != totals[0]).any():
            return False
        kept, others = self.reservoir, self.statistics.copy()
        # A row that is kept can be left out, so it was seen once at least.
        copies = np.clip(kept.copies, 1, MOST_ROWS).astype(np.int32)
        try:
            self._native_add(kept.X, kept.y, copies, -1, others, n_jobs=self.n_jobs)
            self._check_removed(others)
        except ValueError:
            return False
        return True

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Rows seen."""

    @cached_property
    @abstractmethod
    def _summary(self) -> tuple[F64, F64, F64]:
        """Log evidence of the trees, what leaves predict, and importances."""

    @cached_property
    @abstractmethod
    def forest(self) -> Forest:
        """The hand-over forest."""

    @cached_property
    @abstractmethod
    def predictive(self) -> Predictive:
        """How its leaves become an answer."""

    def add(
        self,
        X: NDArray[Any],
        y: NDArray[Any],
        copies: NDArray[np.int32] | None = None,
        progress: Any = None,
    ) -> Self:
        """The posterior after more rows."""
        whole = self._whole(y, "partial_fit")
        # On a copy, so that an interrupted sum leaves no half of it behind.
        sums = self.statistics.copy()
        self._native_add(X, whole, copies, 1, sums, n_jobs=self.n_jobs, progress=progress)
        return replace(self, statistics=sums, reservoir=self.reservoir.add(X, whole, copies))

    def remove(
        self, X: NDArray[Any], y: NDArray[Any], copies: NDArray[np.int32] | None = None
    ) -> Self:
        """The posterior as if it had never seen some rows that it saw."""
        whole = self._whole(y, "forget")
        sums = self.statistics.copy()
        self._native_add(X, whole, copies, -1, sums, n_jobs=self.n_jobs)
        self._check_removed(sums)
        return replace(self, statistics=sums, reservoir=self.reservoir.remove(X, whole, copies))

    def merge(self, other: Self) -> Self:
        """The posterior given the rows of both; the trees must be the same."""
        sums = self.statistics + other.statistics
        return replace(self, statistics=sums, reservoir=self.reservoir.merge(other.reservoir))

    @property
    def nbytes(self) -> int:
        """Memory of trees, statistics and reservoir: all that is kept between updates."""
        return self.trees.core.nbytes + self.statistics.nbytes + self.reservoir.nbytes

    def __getstate__(self) -> dict[str, Any]:
        # What follows from the statistics is worked out again when needed.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def power(self) -> float:
        """β."""
        return float(self.model.power_for(self.n_rows))

    @property
    def log_evidence(self) -> F64:
        """Log marginal likelihood of each tree, averaged over its prunings if so asked."""
        return self._summary[0]

    @property
    def importances(self) -> F64:
        """Evidence for splitting on each feature, by tree, (n_trees, n_features)."""
        return self._summary[2]

    @cached_property
    def weights(self) -> F64:
        """Weight of each tree; they sum to 1."""
        return normalised_weights(self.log_evidence, self.power)

    def rows_left_out(self, owner: str, caller: str) -> Reservoir:
        """All rows seen, if they are kept; BayeswoodError if not."""
        if self.reservoir.order is None:
            raise BayeswoodError(
                f"{owner} keeps {self.reservoir.n_kept} of the {self.n_rows} rows it saw. Give "
                f"{caller} the training rows X and y, or fit with a larger reservoir_size."
            )
        return self.reservoir

    # --- a part of the estimator ----------------------------------------------------------------

    def attributes(self) -> Mapping[str, Any]:
        """Itself; all else follows when it is asked for."""
        return {"_posterior": self}

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Plan and cuts of the trees, statistics, reservoir."""
        meta["parameters"]["pit_reference"] = None  # its edges are kept
        meta["plan"] = asdict(self.trees.plan)
        self.trees.write(arrays)
        arrays[self._statistics_name] = self.statistics
        self.reservoir.write(meta, arrays)

    @classmethod
    def read(cls, saved: SavedModel) -> Self:
        """Checked against the forest."""
        trees = read_prior_trees(saved, cls._statistics_name)
        reservoir = Reservoir.read(saved.meta, saved.arrays, saved.schema.n_features)
        found = cls._read_statistics(saved, trees, reservoir)
        if not found._holds_reservoir():
            raise BayeswoodError(
                f"The model file's {cls._statistics_name} lack rows that its reservoir holds."
            )
        return found

    @classmethod
    @abstractmethod
    def _read_statistics(cls, saved: SavedModel, trees: PriorTrees, reservoir: Reservoir) -> Self:
        """The posterior with the statistics of the file, checked."""
