"""Randomised decision trees (Dietterich), as in V. Schetinin et al., Section 3.

Every tree is grown on all rows. At each node the k best splits by information gain,

    H(node) − (W_l / W) H(left) − (W_r / W) H(right),

over all features and thresholds are found, and one of them is drawn uniformly. A leaf of class
weights W_c predicts (W_c + α_c) / (W + Σ α), and the ensemble the average of its trees.

Reference: V. Schetinin, J. E. Fieldsend, D. Partridge, W. J. Krzanowski, R. M. Everson, T. C.
Bailey, A. Hernandez. Comparison of the Bayesian and Randomised Decision Tree Ensembles within an
Uncertainty Envelope Technique. 2004.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import RowWeights
from bayeswood.forest.class_prior import class_alphas
from bayeswood.forest.smoothing import smooth_classes
from bayeswood.methods.base.class_weight import CLASS_WEIGHT
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import (
    CART,
    Constraint,
    draw_seed,
    integer,
    per_class,
    real,
    resolve_min_samples_leaf,
)
from bayeswood.methods.base.saved_state import LATER_PARAMETERS
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.cart.grow_cart import CartPlan, grow_cart
from bayeswood.methods.cart.growth_rules import GrowthRules
from bayeswood.table import check_weights
from bayeswood.uncertainty import row_blocks

F64 = NDArray[np.float64]


class RandomizedTreesClassifier(ForestClassifier):
    """An ensemble of trees whose splits are drawn among the best.

    Parameters
    ----------
    n_estimators : int, default=200
        Trees.
    n_candidate_splits : int, default=20
        The best splits of a node by information gain, one of which is drawn; 1 grows the same
        greedy tree every time, but for ties.
    min_samples_leaf : int or float, default=5
        Fewest rows (of positive weight) in a leaf, the paper's pruning; a float is a share of the
        rows.
    min_samples_split : int, default=2
        Fewest rows of a node that is split.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    dirichlet_alpha : float or array-like, (n_classes,), default=1.0
        Weight α_c added to **each** class in each leaf, the same for all or one for each in the
        order of `classes_`: 1 is Laplace's rule, 0 takes the shares as they are.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply those of their rows: ``{class: weight}`` (a class
        that is not named weighs 1), or such that all classes weigh the same. Probabilities are
        then those of a world with such shares of classes; to move a decision alone, leave it and
        set a threshold on `predict_proba`.
    n_jobs : int, default=None
        Threads; -1 for all processors, None for 1 unless a `joblib.parallel_config` says
        otherwise. The result is the same, to the bit, for any number.
    random_state : int, Generator, RandomState or None, default=None
        Where the seed of the fit comes from; the seed itself is kept as `seed_`.
    verbose : int, default=0
        If positive, a bar on the terminal shows trees done and time left.
    categorical_features : "from_dtype", None, mask, or list of names or indices, \
            default="from_dtype"
        Which columns are categories: those of strings, categoricals and bools, none, or those
        named.

    Attributes
    ----------
    classes_ : ndarray, (n_classes,)
        Class labels, sorted.
    forest_ : Forest
        The trees and their weights.
    member_weights_ : ndarray, (n_members,)
        Equal weights that sum to 1.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the information gained by splits on each feature, and its standard deviation
        over the members.
    schema_ : Schema
        Names, kinds and category levels of the columns.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had names.
    seed_ : int
        The seed all randomness came from.
    min_samples_leaf_ : int
        The value used, after resolving a share.

    See Also
    --------
    BayesianForestClassifier : Random weights in place of random splits.

    Notes
    -----
    The candidates are the cuts of all numeric features between neighbouring values of the node's
    rows, with missing values on either side, and the best grouping of the levels of each category
    (Section 3 of the paper knows numbers only). Cuts that tie with the last candidate are taken
    in a random order of the features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import RandomizedTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = RandomizedTreesClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> trees.staged_score(X[1::2], y[1::2]).shape
    (50,)
    >>> bool(trees.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    _later_parameters = LATER_PARAMETERS - {"min_samples_split"}
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **{name: rule for name, rule in CART.items() if name != "max_features"},
        "n_candidate_splits": integer(1, 10_000),
        "min_samples_split": integer(2, 2**31 - 1),
        "dirichlet_alpha": per_class(real(0, 1e6, integers=True)),
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        n_candidate_splits: int = 20,
        min_samples_leaf: int | float = 5,
        min_samples_split: int = 2,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        dirichlet_alpha: ArrayLike = 1.0,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.n_candidate_splits = n_candidate_splits
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.dirichlet_alpha = dirichlet_alpha
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    @classmethod
    def as_published(cls, **overrides: Any) -> Self:
        """The ensemble of the paper's Section 3: 200 trees, 20 candidate splits, Laplace's rule.

        The printed sizes of the trees need the pruning factor of 5 to be the fewest rows of a node
        that is split, not of a leaf (docs/errata.md).

        Parameters
        ----------
        **overrides
            Parameters to set otherwise.

        Returns
        -------
        RandomizedTreesClassifier
            Not fitted.

        Examples
        --------
        >>> RandomizedTreesClassifier.as_published(random_state=3).min_samples_split
        5
        """
        published: dict[str, Any] = {
            "n_estimators": 200,
            "n_candidate_splits": 20,
            "min_samples_leaf": 1,
            "min_samples_split": 5,
            "dirichlet_alpha": 1.0,
        }
        return cls(**{**published, **overrides})

    def _plan(self, data: TrainingData) -> CartPlan:
        return CartPlan(
            title=self._name,
            criterion="entropy",
            row_weights=RowWeights("unit", draw_seed(self.random_state)),
            n_trees=int(self.n_estimators),
            max_features=data.schema.n_features,
            min_samples_leaf=resolve_min_samples_leaf(self.min_samples_leaf, data.n_rows),
            min_weight_fraction_leaf=float(self.min_weight_fraction_leaf),
            max_depth=None if self.max_depth is None else int(self.max_depth),
            keep_rows=False,
            n_jobs=self._threads(),
            show_progress=bool(self.verbose),
            n_candidates=int(self.n_candidate_splits),
            rules=GrowthRules(min_samples_split=int(self.min_samples_split)),
        )

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        def fitted(grown: GrownForest) -> dict[str, Any]:
            return self._fitted(data, self._smoothed(grown))

        return self._smoothed(grow_cart(self._plan(data), data, tasks, fitted))

    def _smoothed(self, grown: GrownForest) -> GrownForest:
        n_classes = grown.forest.n_outputs
        alphas = class_alphas(self.dirichlet_alpha, n_classes, self._name, zero=True)
        return replace(grown, forest=smooth_classes(grown.forest, alphas))

    def staged_score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> F64:
        """Accuracy of the first tree, the first two trees, and so on: how fast it converges.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        y : array-like, (n_rows,)
            Their classes.
        sample_weight : array-like, (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        ndarray, (n_estimators,)
            The last one is `score` (Figure 6 of the paper draws it).
        """
        return self._scores(X, y, sample_weight, lambda draws: np.cumsum(draws, axis=0))

    def member_scores(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> F64:
        """Accuracy of every tree by itself.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows; a validation part, if the best tree is to be chosen.
        y : array-like, (n_rows,)
            Their classes.
        sample_weight : array-like, (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        ndarray, (n_estimators,)
            Its largest entry belongs to the best single tree (also in Figure 6 of the paper).
        """
        return self._scores(X, y, sample_weight, lambda draws: draws)

    def best_member(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> int:
        """Number of the tree that scores best on these rows, the first of equals.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows of a validation part.
        y : array-like, (n_rows,)
            Their classes.
        sample_weight : array-like, (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        int
            ``forest_.trees[number]`` is the tree.
        """
        return int(np.argmax(self.member_scores(X, y, sample_weight)))

    def _scores(self, X: Any, y: Any, sample_weight: Any, stages: Any) -> F64:
        """Accuracy of what `stages` makes of the members' probabilities, for each of them."""
        from sklearn.utils.validation import check_consistent_length, column_or_1d

        rows = self._encode(X)
        truth = column_or_1d(y)
        check_consistent_length(rows, truth)
        if len(truth) == 0:
            raise BayeswoodError(f"{self._name} needs at least one row to score.")
        weight = check_weights(sample_weight, len(rows), self._name)
        weight = np.ones(len(rows)) if weight is None else weight
        forest, workers = self.forest_, self._workers(len(rows))
        right = np.zeros(forest.n_trees)
        for block in row_blocks(len(rows), forest.n_trees, forest.n_outputs):
            found = np.argmax(stages(forest.draws(rows[block], workers)), axis=2)
            right += (self.classes_[found] == truth[block]) @ weight[block]
        scores: F64 = right / weight.sum()
        return scores
