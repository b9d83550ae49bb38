"""Bayesian forests (Taddy, Chen, Yu and Wyle, 2015).

Model: the data come from a distribution on the observed points with unknown probabilities ω
(eq. 2) under the limiting, non-informative Dirichlet prior. Posterior: ω_i = θ_i / |θ| with
θ_i ~ Exp(1) (eq. 3). A tree is a functional of that distribution: CART on θ-weighted rows, which
splits node η so as to reduce the weighted impurity (eq. 4)

    I(y^η) = Σ_{i in η} θ_i (y_i − μ_η)²,   μ_η = Σ θ_i y_i / |θ^η|,

or the weighted Gini impurity for classes. A forest is a sample from the posterior of that tree
(Algorithm 1): for b = 1 .. B draw θ^b, run weighted CART. Its average is the posterior mean of
the CART fit, and its spread how sure the data make us of it.

Reference: M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML 2015.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.class_weight import TREE_CLASS_WEIGHT
from bayeswood.methods.base.parameters import BOOLEAN, CART, Constraint, one_of, real
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.cart.drawn_rows import weighted_rows
from bayeswood.methods.cart.grow_cart import CartPlan
from bayeswood.methods.cart.growth_rules import GROWTH, NUMBER_CRITERION
from bayeswood.methods.cart.joint_labels import JointClassifier
from bayeswood.methods.cart.out_of_bag_score import OOB_SCORE, ScoredRegressor

WEIGHTS: Mapping[str, Constraint] = {
    "weight_threshold": real(0, integers=True),
    "oob_score": OOB_SCORE,
}


def check_out_of_bag(oob_score: Any, weight_threshold: float, owner: str) -> None:
    """Out-of-bag rows are those of weight 0, which Exp(1) draws never have of themselves."""
    if oob_score and not weight_threshold > 0:
        raise BayeswoodError(
            f"The 'oob_score' parameter of {owner} must be False where weight_threshold is 0, for "
            f"then every row takes part in every tree. Got {oob_score!r} instead. Set "
            "weight_threshold, to 0.2 with 300 trees or to 0.3 with 100, to leave rows out."
        )


class BayesianForestClassifier(JointClassifier):
    """A Bayesian forest for classes: a posterior sample of CART trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees, that is posterior draws.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity that splits reduce; "log_loss" is another name of "entropy".
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf: the paper's threshold on |θ^η|.
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
    weight_threshold : float, default=0.0
        Exp(1) weights below it are set to 0, so that the tree does without the row: each row is
        left out of a share 1 − exp(−weight_threshold) of the trees, by which it can be predicted
        out of bag. 0 is the paper's forest.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that did not see it; needs a
        `weight_threshold` above 0. A callable ``metric(y_true, y_pred)`` replaces the accuracy as
        the score.
    bootstrap : {True}, default=True
        Every tree draws weights, or it would be no draw of the posterior.
        `RandomForestClassifier` has trees without.
    max_samples : None, default=None
        Every tree weighs all rows; to leave rows out of trees, set `weight_threshold` to
        −log(share of rows to keep).
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
    forest_ : Forest
        The trees and their weights.
    estimators_ : sequence
        The trees, each as an estimator that predicts by itself; made when asked for.
    estimators_samples_ : list of ndarray
        Rows that each tree gave a weight above 0; after `fit`, not after loading.
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
    oob_score_ : float
        Out-of-bag accuracy, or what the callable gave, if `oob_score`.
    oob_decision_function_ : ndarray, (n_rows, n_classes)
        Class probabilities of each training row by the trees that left it out, if `oob_score`;
        NaN where no tree did.

    See Also
    --------
    RandomForestClassifier : The same trees on bootstrap counts in place of Exp(1) weights.

    Notes
    -----
    Taddy et al. (2015), Algorithm 1: for each tree draw θ_i ~ Exp(1) for every row (times
    `sample_weight`, where given) and grow CART on the weighted rows, minimising the Gini impurity
    of the children (the analogue of eq. 4). Every row takes part in every tree, so there are no
    out-of-bag rows; a row of a tiny weight is no substitute, for a deep tree gives even that row a
    leaf of its own. A positive `weight_threshold` c leaves rows out: θ_i counts as 0 where
    θ_i < c. The weights that remain are c + Exp(1), and the forest is then close to the posterior
    sample, no longer the same. A tree that would be left without rows keeps the one of the largest
    draw.

    Defaults: the paper's classification trees come from scikit-learn's forest with exponential
    weights, whose defaults, √d features per split and leaves of one row, are kept here.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BayesianForestClassifier(random_state=0).fit(X, y)
    >>> forest.predict(X[:2])
    array([0, 0])
    >>> forest.predict_interval(X[:2], coverage=0.8).shape
    (2, 3, 2)
    >>> bool((forest.uncertainty(X).knowledge >= 0).all())
    True
    """

    _scheme = "exponential"
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        **GROWTH,
        **WEIGHTS,
        "criterion": one_of("gini", "entropy", "log_loss"),
        "class_weight": TREE_CLASS_WEIGHT,
        **weighted_rows("RandomForestClassifier"),
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
        weight_threshold: float = 0.0,
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
        self.weight_threshold = weight_threshold
        self.oob_score = oob_score
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _plan(self, data: TrainingData) -> CartPlan:
        check_out_of_bag(self.oob_score, self.weight_threshold, self._name)
        return super()._plan(data)


class BayesianForestRegressor(ScoredRegressor):
    """A Bayesian forest for one or more numeric responses: a posterior sample of CART trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees, that is posterior draws.
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, \
            default="squared_error"
        Impurity that splits reduce. "friedman_mse" is another name of "squared_error";
        "absolute_error" puts medians in the leaves; "poisson" is for counts and other responses
        that are not negative.
    min_samples_leaf : int or float, default=3
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf: the paper's threshold on |θ^η|.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default=None
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
    keep_responses : bool, default=True
        Whether leaves remember their training rows, which `predict_quantiles`,
        `predict_interval` and `predict_var` of kind "prediction" and `uncertainty` need: 4 bytes
        per row and tree, and 8 per row and response.
    weight_threshold : float, default=0.0
        Exp(1) weights below it are set to 0, so that the tree does without the row: each row is
        left out of a share 1 − exp(−weight_threshold) of the trees, by which it can be predicted
        out of bag. 0 is the paper's forest.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that did not see it; needs a
        `weight_threshold` above 0. A callable ``metric(y_true, y_pred)`` replaces the R² as
        the score.
    bootstrap : {True}, default=True
        Every tree draws weights, or it would be no draw of the posterior.
        `RandomForestRegressor` has trees without.
    max_samples : None, default=None
        Every tree weighs all rows; to leave rows out of trees, set `weight_threshold` to
        −log(share of rows to keep).
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
    forest_ : Forest
        The trees and their weights.
    estimators_ : sequence
        The trees, each as an estimator that predicts by itself; made when asked for.
    estimators_samples_ : list of ndarray
        Rows that each tree gave a weight above 0; after `fit`, not after loading.
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
    oob_score_ : float
        Out-of-bag R², or what the callable gave, if `oob_score`.
    oob_prediction_ : ndarray, (n_rows,) or (n_rows, n_outputs)
        Prediction of each training row by the trees that left it out, if `oob_score`; NaN where
        no tree did.

    See Also
    --------
    RandomForestRegressor : The same trees on bootstrap counts in place of Exp(1) weights.

    Notes
    -----
    Taddy et al. (2015), Algorithm 1: for each tree draw θ_i ~ Exp(1) for every row (times
    `sample_weight`, where given) and grow CART on the weighted rows, minimising Σ θ_i (y_i − μ)²
    in the children (eq. 4). Every row takes part in every tree: there are no out-of-bag rows. A
    positive `weight_threshold` c leaves rows out: θ_i counts as 0 where θ_i < c. The weights that
    remain are c + Exp(1), and the forest is then close to the posterior sample, no longer the
    same. A tree that would be left without rows keeps the one of the largest draw.

    Defaults: the paper's regression examples use leaves of at least 3 rows, 100 trees and all
    features at every split (footnote 7 and scikit-learn's default of the time).

    Intervals of kind "mean" are of single trees. With leaves of few rows these do not narrow as
    rows come in; those of `CalibratedForestRegressor` do. See docs/uncertainty.md.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import BayesianForestRegressor
    >>> X, y = make_friedman1(n_samples=200, random_state=0)
    >>> forest = BayesianForestRegressor(random_state=0).fit(X, y)
    >>> forest.predict_interval(X[:3], coverage=0.9).shape
    (3, 2)
    >>> of_y, of_mean = forest.predict_var(X), forest.predict_var(X, kind="mean")
    >>> bool((of_y >= of_mean).all())
    True
    """

    _scheme = "exponential"
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        **GROWTH,
        **WEIGHTS,
        "criterion": NUMBER_CRITERION,
        "keep_responses": BOOLEAN,
        **weighted_rows("RandomForestRegressor"),
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        min_samples_leaf: int | float = 3,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        keep_responses: bool = True,
        weight_threshold: float = 0.0,
        oob_score: bool | Callable[..., float] = False,
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
        self.keep_responses = keep_responses
        self.weight_threshold = weight_threshold
        self.oob_score = oob_score
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _plan(self, data: TrainingData) -> CartPlan:
        check_out_of_bag(self.oob_score, self.weight_threshold, self._name)
        return super()._plan(data)
