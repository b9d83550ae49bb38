"""Empirical Bayesian forests (Taddy, Chen, Yu and Wyle, 2015, section 4).

Model: that of the Bayesian forest, with the earliest splits of the tree, which hardly vary over
the posterior (section 3), fixed at those of CART on the unweighted rows: the trunk. Conditional on
it the data of one leaf say nothing about the tree in another, so that the posterior sample is made
of independent ones: in each leaf of the trunk a Bayesian forest (Algorithm 1) of its rows, the
branch. Tree b is the trunk with tree b of every branch in its leaf,

    T_b(x) = T_b^{v(x)}(x),   v(x) the trunk's leaf of x,   T_b^v = CART on rows of v, θ ~ Exp(1).

A branch needs its own rows and nothing else, which is what makes the forest fit where its table
does not.

Reference: M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML 2015.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from bayeswood.methods.base.class_weight import CLASS_WEIGHT
from bayeswood.methods.base.parameters import BOOLEAN, CART, Constraint, one_of
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.bayesian_forest.bayesian_forest import WEIGHTS, check_out_of_bag
from bayeswood.methods.bayesian_forest.fit_files import FileForest
from bayeswood.methods.bayesian_forest.trunk_and_branches import TRUNK, Trunk
from bayeswood.methods.cart.grow_cart import CartPlan
from bayeswood.methods.cart.out_of_bag_score import ScoredClassifier, ScoredRegressor


class EmpiricalBayesianForestClassifier(FileForest, ScoredClassifier):
    """An empirical Bayesian forest for classes: a trunk, a Bayesian forest in each leaf.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees, that is posterior draws, in every branch and so in the forest.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity that splits reduce; "log_loss" is another name of "entropy".
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf: the paper's threshold on |θ^η|.
    max_depth : int, default=None
        Most splits from root to leaf, the trunk's included; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        Features tried at each split of a branch, drawn anew for each: a number, a share of all, or
        all (None).
    trunk_min_samples_leaf : int or float, default=None
        Fewest rows in a leaf of the trunk, which is then split as far as that allows; a float is
        a share of the rows. None: `trunk_max_leaves` decides; otherwise that is not looked at.
    trunk_max_leaves : int, default=5
        Most leaves of the trunk. It grows best first: the leaf whose split reduces the impurity
        most is split next. No leaf has fewer rows than a tenth of an even share. 1 is the
        Bayesian forest, to the bit.
    trunk_sample_size : int, default=None
        Rows, drawn at random, that the trunk is fitted to; None: all of them.
    check_trunk : bool, default=True
        Whether to look at how sure the trunk's splits are, and warn of those that most posterior
        draws would choose otherwise; see `trunk_stability_`. Not done for fewer than 500 rows,
        for which there is no use in a trunk.
    weight_threshold : float, default=0.0
        Exp(1) weights below it are set to 0, so that the tree does without the row; see
        `BayesianForestClassifier`.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that did not see it; needs a
        `weight_threshold` above 0. A callable ``metric(y_true, y_pred)`` replaces the accuracy as
        the score. The trunk has seen all rows.
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
    trunk_ : Forest
        The trunk, a forest of one tree; its leaves in node order are the branches.
    trunk_stability_ : TrunkStability
        How the trunk's splits stand among posterior draws, if `check_trunk` looked at
        them. Not in model files.
    memory_plan_ : MemoryPlan
        What memory `fit_parquet` planned to use. Not in model files.
    forest_ : Forest
        The trees and their weights: ordinary trees, whose top is the trunk.
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

    Warns
    -----
    UserWarning
        If `check_trunk` finds a split of the trunk that most posterior draws would not choose.

    See Also
    --------
    BayesianForestClassifier : The forest this one approximates, without a trunk.
    SubsampleForestClassifier : The other way to fit a forest in pieces, and the worse one.
    suggest_trunk : How large branches may be for a given memory.

    Notes
    -----
    Taddy et al. (2015), section 4: CART on the unweighted rows (weighted by `sample_weight`, where
    given) with all features at every split is the trunk; in each of its leaves Algorithm 1 draws
    θ_i ~ Exp(1) for the leaf's rows and grows CART on them, minimising the Gini impurity
    of the children. Weights come from (seed, branch, tree) and the place of a row in its branch;
    branch 0 has the seed of the fit, so that a trunk of one leaf gives the Bayesian forest itself.
    Each branch ranks its columns anew, so that a column with more than 65,535 distinct values is
    cut more finely than in the Bayesian forest.

    Importances: those of a branch count by the impurity of its rows as they are, unweighted.
    Members share the trunk, so that their spread knows nothing of what it leaves open; the paper's
    section 3 says why that is little in large samples, and `trunk_stability_` how much it is here.

    The paper's five-leaf trunks were limited by leaf size; so is this one with
    `trunk_min_samples_leaf` (3,500 gives Figure 4 on the California data).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from bayeswood import EmpiricalBayesianForestClassifier
    >>> X, y = make_classification(n_samples=2000, n_features=5, random_state=0)
    >>> forest = EmpiricalBayesianForestClassifier(20, trunk_max_leaves=3, random_state=0)
    >>> forest = forest.fit(X, y)
    >>> int(forest.trunk_.n_leaves[0])
    3
    >>> forest.predict_proba(X[:2]).shape
    (2, 2)
    """

    _part_kinds = (Trunk,)
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        **WEIGHTS,
        **TRUNK,
        "criterion": one_of("gini", "entropy", "log_loss"),
        "class_weight": CLASS_WEIGHT,
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
        trunk_min_samples_leaf: int | float | None = None,
        trunk_max_leaves: int | None = 5,
        trunk_sample_size: int | None = None,
        check_trunk: bool = True,
        weight_threshold: float = 0.0,
        oob_score: bool | Callable[..., float] = False,
        class_weight: dict[Any, float] | str | None = None,
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
        self.trunk_min_samples_leaf = trunk_min_samples_leaf
        self.trunk_max_leaves = trunk_max_leaves
        self.trunk_sample_size = trunk_sample_size
        self.check_trunk = check_trunk
        self.weight_threshold = weight_threshold
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _plan(self, data: TrainingData) -> CartPlan:
        check_out_of_bag(self.oob_score, self.weight_threshold, self._name)
        return super()._plan(data)


class EmpiricalBayesianForestRegressor(FileForest, ScoredRegressor):
    """An empirical Bayesian forest for numeric responses: a trunk, a Bayesian forest in each leaf.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees, that is posterior draws, in every branch and so in the forest.
    criterion : {"squared_error"}, default="squared_error"
        Impurity that splits reduce.
    min_samples_leaf : int or float, default=3
        Fewest rows (of positive weight) in a leaf; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf: the paper's threshold on |θ^η|.
    max_depth : int, default=None
        Most splits from root to leaf, the trunk's included; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default=None
        Features tried at each split of a branch, drawn anew for each: a number, a share of all, or
        all (None).
    keep_responses : bool, default=True
        Whether leaves remember their training rows, which `predict_quantiles`,
        `predict_interval` and `predict_var` of kind "prediction" and `uncertainty` need: 4 bytes
        per row and tree, and 8 per row and response.
    trunk_min_samples_leaf : int or float, default=None
        Fewest rows in a leaf of the trunk, which is then split as far as that allows; a float is
        a share of the rows. None: `trunk_max_leaves` decides; otherwise that is not looked at.
    trunk_max_leaves : int, default=5
        Most leaves of the trunk. It grows best first: the leaf whose split reduces the impurity
        most is split next. No leaf has fewer rows than a tenth of an even share. 1 is the
        Bayesian forest, to the bit.
    trunk_sample_size : int, default=None
        Rows, drawn at random, that the trunk is fitted to; None: all of them.
    check_trunk : bool, default=True
        Whether to look at how sure the trunk's splits are, and warn of those that most posterior
        draws would choose otherwise; see `trunk_stability_`. Not done for fewer than 500 rows,
        for which there is no use in a trunk.
    weight_threshold : float, default=0.0
        Exp(1) weights below it are set to 0, so that the tree does without the row; see
        `BayesianForestRegressor`.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that did not see it; needs a
        `weight_threshold` above 0. A callable ``metric(y_true, y_pred)`` replaces the R² as
        the score. The trunk has seen all rows.
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
    trunk_ : Forest
        The trunk, a forest of one tree; its leaves in node order are the branches.
    trunk_stability_ : TrunkStability
        How the trunk's splits stand among posterior draws, if `check_trunk` looked at
        them. Not in model files.
    memory_plan_ : MemoryPlan
        What memory `fit_parquet` planned to use. Not in model files.
    forest_ : Forest
        The trees and their weights: ordinary trees, whose top is the trunk.
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

    Warns
    -----
    UserWarning
        If `check_trunk` finds a split of the trunk that most posterior draws would not choose.

    See Also
    --------
    BayesianForestRegressor : The forest this one approximates, without a trunk.
    SubsampleForestRegressor : The other way to fit a forest in pieces, and the worse one.
    suggest_trunk : How large branches may be for a given memory.

    Notes
    -----
    Taddy et al. (2015), section 4: CART on the unweighted rows (weighted by `sample_weight`, where
    given) with all features at every split is the trunk; in each of its leaves Algorithm 1 draws
    θ_i ~ Exp(1) for the leaf's rows and grows CART on them, minimising Σ θ_i (y_i − μ)² (eq. 4)
    of the children. Weights come from (seed, branch, tree) and the place of a row in its branch;
    branch 0 has the seed of the fit, so that a trunk of one leaf gives the Bayesian forest itself.
    Each branch ranks its columns anew, so that a column with more than 65,535 distinct values is
    cut more finely than in the Bayesian forest.

    Importances: those of a branch count by the impurity of its rows as they are, unweighted.
    Members share the trunk, so that their spread knows nothing of what it leaves open; the paper's
    section 3 says why that is little in large samples, and `trunk_stability_` how much it is here.

    The paper's five-leaf trunks were limited by leaf size; so is this one with
    `trunk_min_samples_leaf` (3,500 gives Figure 4 on the California data).

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import EmpiricalBayesianForestRegressor
    >>> X, y = make_friedman1(n_samples=2000, random_state=0)
    >>> forest = EmpiricalBayesianForestRegressor(20, trunk_max_leaves=4, random_state=0).fit(X, y)
    >>> print(forest.trunk_.trees[0].to_text(max_depth=1))
    x3 <= 0.462704  [2000 rows]
    |-- yes: 11.2938  [926 rows]
    |-- no:  16.5602  [1074 rows] (cut short)
    >>> forest.predict_interval(X[:3], coverage=0.9).shape
    (3, 2)
    """

    _part_kinds = (Trunk,)
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        **WEIGHTS,
        **TRUNK,
        "criterion": one_of("squared_error"),
        "keep_responses": BOOLEAN,
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
        keep_responses: bool = True,
        trunk_min_samples_leaf: int | float | None = None,
        trunk_max_leaves: int | None = 5,
        trunk_sample_size: int | None = None,
        check_trunk: bool = True,
        weight_threshold: float = 0.0,
        oob_score: bool | Callable[..., float] = False,
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
        self.keep_responses = keep_responses
        self.trunk_min_samples_leaf = trunk_min_samples_leaf
        self.trunk_max_leaves = trunk_max_leaves
        self.trunk_sample_size = trunk_sample_size
        self.check_trunk = check_trunk
        self.weight_threshold = weight_threshold
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _plan(self, data: TrainingData) -> CartPlan:
        check_out_of_bag(self.oob_score, self.weight_threshold, self._name)
        return super()._plan(data)


# The estimators that fit and predict files, by the name that a model file holds.
FILE_FORESTS = {
    cls.__name__: cls
    for cls in (EmpiricalBayesianForestClassifier, EmpiricalBayesianForestRegressor)
}
