"""Random forests (Breiman), as in S. Tierney's lecture.

Each tree b = 1 .. B is grown on a bootstrap sample of the rows and tries p features, drawn at
random, at each split; √d of d features are suggested for classes, d/3 for regression. The forest
predicts the mode of the trees' classes, or the mean of their predictions:

    F(x) = Mode{F_b(x)},   F(x) = (1/B) Σ_b F_b(x).

The variance of a mean of B trees of variance σ² and correlation ρ is σ²/B + (B − 1)/B ρσ²: random
features lower ρ, more trees lower the rest.

Reference: S. Tierney. Ensemble Methods 2 – Random Forests. QBUS6850, The University of Sydney.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import RowWeights
from bayeswood.methods.base.class_weight import TREE_CLASS_WEIGHT
from bayeswood.methods.base.parameters import BOOLEAN, CART, Constraint, one_of
from bayeswood.methods.base.predictive import HardVotes, MemberAverage, Predictive
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.cart.cart_forest import CartForest
from bayeswood.methods.cart.drawn_rows import DRAWN_ROWS, check_scored, resolve_max_samples
from bayeswood.methods.cart.growth_rules import GROWTH, NUMBER_CRITERION
from bayeswood.methods.cart.joint_labels import JointClassifier
from bayeswood.methods.cart.out_of_bag_score import OOB_SCORE, ScoredRegressor

F64 = NDArray[np.float64]


class BootstrapForest(CartForest):
    """Grows its trees on bootstrap samples, or on all rows. Not to be used by itself."""

    _scheme = "bootstrap"

    def _law(self, data: TrainingData, seed: int) -> RowWeights:
        check_scored(self.oob_score, self.bootstrap, self._name)
        n_draws = resolve_max_samples(self.bootstrap, self.max_samples, data.n_rows, self._name)
        return RowWeights("bootstrap" if self.bootstrap else "unit", seed, n_draws=n_draws)


class RandomForestClassifier(BootstrapForest, JointClassifier):
    """A random forest for classes.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees. An odd number avoids ties with hard voting and two classes.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity that splits reduce; "log_loss" is another name of "entropy".
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        Features tried at each split, drawn anew for each: a number, a share of all, or all
        (None).
    max_leaf_nodes : int, default=None
        Most leaves of a tree; the node whose split gains most is split first. None for no limit.
    min_samples_split : int or float, default=2
        Fewest rows (of positive weight) in a node that is split; a float is a share of the rows.
    min_impurity_decrease : float, default=0.0
        Least decrease of the tree's impurity by a split, per weight of the tree.
    ccp_alpha : float, default=0.0
        What a leaf costs: a tree is pruned to the smallest of its subtrees that minimise impurity
        per weight plus `ccp_alpha` times the number of leaves.
    monotonic_cst : array-like of {-1, 0, 1} or dict, default=None
        For each column, or by name, 1 where the probability of the second of two classes must
        never fall as the column rises, -1 where it must never rise, 0 where it may do both. It
        holds to the bit in every tree, see docs/growing.md.
    interaction_cst : "pairwise", "no_interactions" or list of lists, default=None
        Which columns may meet on a path from root to leaf: any two, none, or those of a list, by
        number or name. Columns in no list make up one more.
    voting : {"soft", "hard"}, default="soft"
        ``"soft"`` averages the trees' class probabilities; ``"hard"`` takes the mode of their
        classes, and `predict_proba` is then the share of trees that vote for each class. Draws,
        intervals and `uncertainty` use the trees' class probabilities in both cases.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that did not see it. A callable
        ``metric(y_true, y_pred)`` replaces the accuracy as the score.
    bootstrap : bool, default=True
        Whether each tree is grown on rows drawn with replacement; otherwise on all rows, and
        trees differ by their random features alone.
    max_samples : int, float or None, default=None
        Rows that each tree draws: so many, a share of all (at least one), or as many as there
        are (None).
    class_weight : dict, list of dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes, which multiply those of their rows: ``{class: weight}`` (a class
        that is not named weighs 1; a list of such for several columns of y), or such that all
        classes weigh the same, in the table or in each tree's draw. Probabilities are then those
        of a world with such shares of classes; to move a decision alone, leave it and set a
        threshold on `predict_proba`.
    warm_start : bool, default=False
        Whether a second `fit`, on the same data and with the same parameters of trees, keeps the
        trees and grows as many more as `n_estimators` asks for. The seed goes on, and the
        forest is, to the bit, that of one fit of so many trees.
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
    classes_ : ndarray, (n_classes,), or a list of such
        Class labels, sorted; a list where y has several columns.
    n_outputs_ : int
        Columns of y.
    oob_score_ : float
        Accuracy (weighted by `sample_weight`), or the callable's value, of the out-of-bag
        predictions. With `oob_score` only.
    oob_decision_function_ : ndarray, (n_rows, n_classes)
        Out-of-bag class probabilities (vote shares with hard voting); NaN for a row that
        every tree saw. With `oob_score` only.
    forest_ : Forest
        The trees and their weights.
    estimators_ : sequence
        The trees, each as an estimator that predicts by itself; made when asked for.
    estimators_samples_ : list of ndarray
        Rows that each tree drew, one drawn twice there twice; after `fit`, not after loading.
    member_weights_ : ndarray, (n_members,)
        Equal weights that sum to 1.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the impurity decrease due to each feature, and its standard deviation over the
        members.
    schema_ : Schema
        Names, kinds and category levels of the columns.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had names.
    seed_ : int
        The seed all randomness came from.
    max_features_, min_samples_leaf_ : int
        The values used, after resolving names and shares.

    See Also
    --------
    BayesianForestClassifier : The same trees on Exp(1) weights in place of bootstrap counts.

    Notes
    -----
    Where y has several columns, labels or classes, trees are grown for all together by the sum of
    their Gini impurities, as in scikit-learn; `predict_proba` is then a list. Draws, intervals
    and `uncertainty` are for one column; `sklearn.multioutput.MultiOutputClassifier` fits a forest
    for each.

    The lecture's F(x) = Mode{F_b(x)} is ``voting="hard"``; with an even number of trees two
    classes can tie, and the first in `classes_` then wins: take an odd number.

    `sample_weight` multiplies the bootstrap counts, as in scikit-learn before 1.9, which now draws
    rows with probabilities proportional to their weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(101, voting="hard", oob_score=True, random_state=0)
    >>> bool(forest.fit(X, y).oob_score_ > 0.9)
    True
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        **GROWTH,
        "criterion": one_of("gini", "entropy", "log_loss"),
        "oob_score": OOB_SCORE,
        "voting": one_of("soft", "hard"),
        "class_weight": TREE_CLASS_WEIGHT,
        **DRAWN_ROWS,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        voting: str = "soft",
        oob_score: bool | Callable[..., float] = False,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        class_weight: dict[Any, float] | list[dict[Any, float]] | str | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.voting = voting
        self.oob_score = oob_score
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _predictive_kind(self) -> type[Predictive]:
        return HardVotes if self.voting == "hard" else MemberAverage


class RandomForestRegressor(BootstrapForest, ScoredRegressor):
    """A random forest for one or more numeric responses.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, \
            default="squared_error"
        Impurity that splits reduce. "friedman_mse" is another name of "squared_error";
        "absolute_error" puts medians in the leaves; "poisson" is for counts and other responses
        that are not negative.
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default=1 / 3
        Features tried at each split, drawn anew for each: a number, a share of all, or all
        (None).
    max_leaf_nodes : int, default=None
        Most leaves of a tree; the node whose split gains most is split first. None for no limit.
    min_samples_split : int or float, default=2
        Fewest rows (of positive weight) in a node that is split; a float is a share of the rows.
    min_impurity_decrease : float, default=0.0
        Least decrease of the tree's impurity by a split, per weight of the tree.
    ccp_alpha : float, default=0.0
        What a leaf costs: a tree is pruned to the smallest of its subtrees that minimise impurity
        per weight plus `ccp_alpha` times the number of leaves.
    monotonic_cst : array-like of {-1, 0, 1} or dict, default=None
        For each column, or by name, 1 where the prediction must never fall as the column rises,
        -1 where it must never rise, 0 where it may do both. It holds to the bit in every tree, see
        docs/growing.md.
    interaction_cst : "pairwise", "no_interactions" or list of lists, default=None
        Which columns may meet on a path from root to leaf: any two, none, or those of a list, by
        number or name. Columns in no list make up one more.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that did not see it. A callable
        ``metric(y_true, y_pred)`` replaces R² as the score.
    keep_responses : bool, default=True
        Whether leaves remember their training rows, which `predict_quantiles`,
        `predict_interval` and `predict_var` of kind "prediction" and `uncertainty` need: 4 bytes
        per row and tree, and 8 per row and response.
    bootstrap : bool, default=True
        Whether each tree is grown on rows drawn with replacement; otherwise on all rows, and
        trees differ by their random features alone.
    max_samples : int, float or None, default=None
        Rows that each tree draws: so many, a share of all (at least one), or as many as there
        are (None).
    warm_start : bool, default=False
        Whether a second `fit`, on the same data and with the same parameters of trees, keeps the
        trees and grows as many more as `n_estimators` asks for. The seed goes on, and the
        forest is, to the bit, that of one fit of so many trees.
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
    n_outputs_ : int
        Number of responses.
    oob_score_ : float
        R² (weighted by `sample_weight`), or the callable's value, of the out-of-bag
        predictions. With `oob_score` only.
    oob_prediction_ : ndarray, (n_rows,) or (n_rows, n_outputs)
        Out-of-bag predictions; NaN for a row that
        every tree saw. With `oob_score` only.
    forest_ : Forest
        The trees and their weights.
    estimators_ : sequence
        The trees, each as an estimator that predicts by itself; made when asked for.
    estimators_samples_ : list of ndarray
        Rows that each tree drew, one drawn twice there twice; after `fit`, not after loading.
    member_weights_ : ndarray, (n_members,)
        Equal weights that sum to 1.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the impurity decrease due to each feature, and its standard deviation over the
        members.
    schema_ : Schema
        Names, kinds and category levels of the columns.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had names.
    seed_ : int
        The seed all randomness came from.
    max_features_, min_samples_leaf_ : int
        The values used, after resolving names and shares.

    See Also
    --------
    BayesianForestRegressor : The same trees on Exp(1) weights in place of bootstrap counts.

    Notes
    -----
    F(x) = (1/B) Σ_b F_b(x) with a third of the features at each split. Leaves may hold one row
    as in scikit-learn (Breiman suggests 5).

    Intervals of kind "mean" are of single trees. With leaves of few rows these do not narrow as
    rows come in; those of `CalibratedForestRegressor` do. See docs/uncertainty.md.

    `sample_weight` multiplies the bootstrap counts, as in scikit-learn before 1.9, which now draws
    rows with probabilities proportional to their weights.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import RandomForestRegressor
    >>> X, y = make_friedman1(n_samples=200, random_state=0)
    >>> forest = RandomForestRegressor(oob_score=True, random_state=0).fit(X, y)
    >>> bool(0.5 < forest.oob_score_ < 1.0)
    True
    >>> forest.predict_quantiles(X[:4], [0.1, 0.5, 0.9]).shape
    (4, 3)
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        **GROWTH,
        "criterion": NUMBER_CRITERION,
        "oob_score": OOB_SCORE,
        "keep_responses": BOOLEAN,
        **DRAWN_ROWS,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_features: int | float | str | None = 1 / 3,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        oob_score: bool | Callable[..., float] = False,
        keep_responses: bool = True,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.oob_score = oob_score
        self.keep_responses = keep_responses
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features
