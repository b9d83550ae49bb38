"""Forests of weighted CART trees, whatever the scheme of their weights."""

from typing import ClassVar

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


class CartForest(ForestEstimator):
    """Grows its members by weighted CART. Not to be used by itself.

    A subclass names the scheme by which rows are weighted in each tree, see `_core.grow_forest`.
    """

    _scheme: ClassVar[str]

    def _plan(self, data: TrainingData) -> CartPlan:
        """The parameters, resolved for these data."""
        return CartPlan(
            title=self._name,
            criterion=self.criterion,
            row_weights=RowWeights(
                self._scheme, draw_seed(self.random_state), threshold=self._threshold()
            ),
            n_trees=int(self.n_estimators),
            max_features=resolve_max_features(
                self.max_features, data.schema.n_features, self._name
            ),
            min_samples_leaf=resolve_min_samples_leaf(self.min_samples_leaf, data.n_rows),
            min_weight_fraction_leaf=float(self.min_weight_fraction_leaf),
            max_depth=None if self.max_depth is None else int(self.max_depth),
            keep_rows=bool(getattr(self, "keep_responses", False)),
            n_jobs=self._threads(),
            show_progress=bool(self.verbose),
        )

    def _threshold(self) -> float:
        """Exponential weights below it are 0."""
        return float(getattr(self, "weight_threshold", 0.0))

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        return grow_cart(self._plan(data), data, tasks, lambda grown: self._fitted(data, grown))
