"""Forests of weighted CART trees, whatever the scheme of their weights."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import RowWeights
from bayeswood.methods.base.class_weight import BY_TREE
from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import (
    draw_seed,
    resolve_max_features,
    resolve_min_samples_leaf,
)
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.cart.grow_cart import CartPlan, grow_cart
from bayeswood.methods.cart.growth_rules import resolve_growth
from bayeswood.methods.cart.warm_start import WarmStart
from bayeswood.threads import n_threads


class CartForest(ForestEstimator):
    """Grows its members by weighted CART. Not to be used by itself.

    A subclass names the scheme by which rows are weighted in each tree, see `_core.grow_forest`.
    """

    _scheme: ClassVar[str]
    _saved_numbers: ClassVar[tuple[str, ...]] = (*ForestEstimator._saved_numbers, "_data_digest")

    def _begin(self, data: TrainingData) -> None:
        if getattr(self, "warm_start", False):
            self._warm_start = WarmStart.of(self, data)

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """Training rows that each tree drew, by number; a row drawn twice is there twice.

        Of random weights, the rows that weigh something. Drawn again from the seed at every call.
        A model file does not say how many rows there were, and forests whose rows are in parts
        have none.
        """
        if "_row_law" not in vars(self):
            raise AttributeError(
                f"This {self._name} does not know 'estimators_samples_': it is not fitted, comes "
                "from a file, or has its rows in parts."
            )
        law, taking_part = self._row_law
        rows = np.flatnonzero(taking_part)
        return [drawn_rows(law, tree, rows) for tree in range(self.forest_.n_trees)]

    def _fitted(self, data: TrainingData, grown: GrownForest) -> dict[str, Any]:
        fitted = super()._fitted(data, grown)
        if grown.row_weights is None or grown.row_weights.parts is not None:
            return fitted
        return {**fitted, "_row_law": (grown.row_weights, data.taking_part)}

    def _plan(self, data: TrainingData) -> CartPlan:
        """The parameters, resolved for these data."""
        start: WarmStart | None = self.__dict__.pop("_warm_start", None)
        earlier = None if start is None else start.seed
        seed = draw_seed(self.random_state) if earlier is None else earlier
        plan = plan_cart(self, data.X.shape, self._law(data, seed))
        return replace(plan, rules=resolve_growth(self, data), warm_start=start)

    def _law(self, data: TrainingData, seed: int) -> RowWeights:
        """How the trees weigh the rows."""
        return RowWeights(self._scheme, seed, threshold=self._threshold())

    def _threshold(self) -> float:
        """Exponential weights below it are 0."""
        return float(getattr(self, "weight_threshold", 0.0))

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        return grow_cart(self._plan(data), data, tasks, lambda grown: self._fitted(data, grown))


def drawn_rows(law: RowWeights, tree: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of the rows that take part that a tree drew."""
    weights = law.draw(tree, len(rows))
    times = weights.astype(np.int64) if law.scheme == "bootstrap" else weights > 0
    return np.repeat(rows, times)


def plan_cart(forest: Any, shape: tuple[int, ...], row_weights: RowWeights) -> CartPlan:
    """The parameters of a forest, resolved for a table of this shape.

    Parameters
    ----------
    forest : estimator
        With the parameters of a forest of CART trees.
    shape : tuple of int
        Rows and columns of the table.
    row_weights : RowWeights
        How rows are weighted in each tree, the seed included.
    """
    name, (n_rows, n_features) = type(forest).__name__, shape
    return CartPlan(
        title=name,
        criterion=forest.criterion,
        row_weights=row_weights,
        n_trees=int(forest.n_estimators),
        max_features=resolve_max_features(forest.max_features, n_features, name),
        min_samples_leaf=resolve_min_samples_leaf(forest.min_samples_leaf, n_rows),
        min_weight_fraction_leaf=float(forest.min_weight_fraction_leaf),
        max_depth=None if forest.max_depth is None else int(forest.max_depth),
        keep_rows=keeps_rows(forest),
        n_jobs=n_threads(forest.n_jobs),
        show_progress=bool(forest.verbose),
        balance_trees=balances_trees(forest),
    )


def balances_trees(forest: Any) -> bool:
    """Whether each tree of a forest weighs the classes alike in what it draws."""
    return isinstance(weight := getattr(forest, "class_weight", None), str) and weight == BY_TREE


def keeps_rows(forest: Any) -> bool:
    """Whether the leaves of a forest are to remember their rows."""
    return bool(getattr(forest, "keep_responses", False))
