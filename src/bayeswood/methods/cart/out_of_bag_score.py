"""CART forests that can score themselves on the training rows each tree did without."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import BOOLEAN, CALLABLE
from bayeswood.methods.base.predictive import HardVotes, Predictive
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.cart.cart_forest import CartForest
from bayeswood.methods.cart.out_of_bag import out_of_bag, score_out_of_bag

if TYPE_CHECKING:
    from bayeswood.report.summarize import Importances

F64 = NDArray[np.float64]

OOB_SCORE = BOOLEAN | CALLABLE


class ScoredClassifier(CartForest, ForestClassifier):
    """A forest for classes with `oob_score`. Not to be used by itself."""

    _saved_numbers: ClassVar[tuple[str, ...]] = (*CartForest._saved_numbers, "oob_score_")
    _saved_arrays: ClassVar[tuple[str, ...]] = ("oob_decision_function_",)

    def oob_importances(self, X: Any, y: Any, *, n_repeats: int = 5, rng: Any = 0) -> "Importances":
        """Rise of the out-of-bag Brier score when a feature is shuffled, largest first.

        Unlike `feature_importances_` it does not favour features of many values.

        Parameters
        ----------
        X, y : table and array-like
            The training rows and their classes.
        n_repeats : int, default=5
            Shuffles; the spread is over these.
        rng : int or numpy Generator, default=0
            Source of the shuffles.

        Returns
        -------
        Importances
            ``names``, ``mean`` and ``spread``; `bayeswood.plots.ImportanceDisplay` draws them.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayeswood import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
        >>> forest.oob_importances(X, y).names[:2]
        ('petal length (cm)', 'petal width (cm)')
        """
        from bayeswood.methods.cart.out_of_bag_importance import out_of_bag_importances

        self._check_fitted()
        is_class = np.asarray(y)[:, None] == self.classes_[None, :]
        truth = is_class.astype(np.float64)
        return out_of_bag_importances(self, X, truth, n_repeats=n_repeats, rng=rng)

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        grown, predictive = super()._choose(data, grown)
        if not self.oob_score:
            return grown, predictive
        from sklearn.metrics import accuracy_score  # costs megabytes, and is not always asked for

        hard = isinstance(predictive, HardVotes)
        shares = out_of_bag(data, grown, hard=hard, n_jobs=self._threads())
        found, seen, weight = seen_rows(shares, data)
        classes = np.asarray(data.target.classes)
        truth, guess = classes[data.target.y[seen]], classes[np.argmax(found, axis=1)]
        score = score_out_of_bag(self.oob_score, accuracy_score, truth, guess, weight)
        settings = {"oob_decision_function_": shares, "oob_score_": score}
        return grown.extended(settings), predictive


class ScoredRegressor(CartForest, ForestRegressor):
    """A forest for numeric responses with `oob_score`. Not to be used by itself."""

    _saved_numbers: ClassVar[tuple[str, ...]] = (*CartForest._saved_numbers, "oob_score_")
    _saved_arrays: ClassVar[tuple[str, ...]] = ("oob_prediction_",)

    def oob_importances(self, X: Any, y: Any, *, n_repeats: int = 5, rng: Any = 0) -> "Importances":
        """Rise of the out-of-bag mean squared error when a feature is shuffled, largest first.

        Unlike `feature_importances_` it does not favour features of many values.

        Parameters
        ----------
        X, y : table and array-like
            The training rows and their responses.
        n_repeats : int, default=5
            Shuffles; the spread is over these.
        rng : int or numpy Generator, default=0
            Source of the shuffles.

        Returns
        -------
        Importances
            ``names``, ``mean`` and ``spread``; `bayeswood.plots.ImportanceDisplay` draws them.
        """
        from bayeswood.methods.cart.out_of_bag_importance import out_of_bag_importances

        self._check_fitted()
        truth = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        return out_of_bag_importances(self, X, truth, n_repeats=n_repeats, rng=rng)

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        grown, predictive = super()._choose(data, grown)
        if not self.oob_score:
            return grown, predictive
        from sklearn.metrics import r2_score  # costs megabytes, and is not always asked for

        means = out_of_bag(data, grown, hard=False, n_jobs=self._threads())
        found, seen, weight = seen_rows(means, data)
        truth = data.target.y[seen]
        if data.target.single_output:
            truth, found, means = truth[:, 0], found[:, 0], means[:, 0]
        score = score_out_of_bag(self.oob_score, r2_score, truth, found, weight)
        return grown.extended({"oob_prediction_": means, "oob_score_": score}), predictive


def seen_rows(found: F64, data: TrainingData) -> tuple[F64, NDArray[np.bool_], F64 | None]:
    """The predictions to score, which rows of those that take part they are, their weights."""
    own = found[data.taking_part]
    seen = ~np.isnan(own[:, 0])
    return own[seen], seen, data.take(seen).sample_weight
