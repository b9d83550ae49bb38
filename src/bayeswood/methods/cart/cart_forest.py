"""Forests of weighted CART trees, whatever the scheme of their weights."""

from typing import Any, ClassVar

from bayeswood.forest import RowWeights
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
from bayeswood.threads import n_threads


class CartForest(ForestEstimator):
    """Grows its members by weighted CART. Not to be used by itself.

    A subclass names the scheme by which rows are weighted in each tree, see `_core.grow_forest`.
    """

    _scheme: ClassVar[str]

    def _plan(self, data: TrainingData) -> CartPlan:
        """The parameters, resolved for these data."""
        seed = draw_seed(self.random_state)
        law = RowWeights(self._scheme, seed, threshold=self._threshold())
        return plan_cart(self, data.X.shape, law)

    def _threshold(self) -> float:
        """Exponential weights below it are 0."""
        return float(getattr(self, "weight_threshold", 0.0))

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        return grow_cart(self._plan(data), data, tasks, lambda grown: self._fitted(data, grown))


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
    )


def keeps_rows(forest: Any) -> bool:
    """Whether the leaves of a forest are to remember their rows."""
    return bool(getattr(forest, "keep_responses", False))
