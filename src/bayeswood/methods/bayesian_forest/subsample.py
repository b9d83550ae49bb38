"""Sub-sample forests (section 4 of Taddy, Chen, Yu and Wyle, 2015): what not to do, to compare.

Model: none beyond that of the Bayesian forest. The rows are divided at random into S disjoint
parts of equal size; each gets a Bayesian forest of its own, and predictions are averaged over all
of them. Each tree sees 1/S of the rows, so that deep structure, the part of a tree that most needs
data, is learned from little.

Reference: M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML 2015.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from bayeswood.methods.base.class_weight import CLASS_WEIGHT
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.parameters import BOOLEAN, CART, Constraint, integer, one_of
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.methods.bayesian_forest.row_parts import MAX_PARTS, PartedForest


class SubsampleForestClassifier(PartedForest, ForestClassifier):
    """A sub-sample forest for classes: Bayesian forests of disjoint parts of the rows.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees in the forest of each part: with S parts there are S times as many in all. As a tree
        sees 1/S of the rows, the work is that of a Bayesian forest of `n_estimators` trees.
    n_subsamples : int, default=5
        S, the number of parts; at most one per row.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity that splits reduce; "log_loss" is another name of "entropy".
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows of a part.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf: the paper's threshold on |θ^η|.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        Features tried at each split, drawn anew for each: a number, a share of all, or
        all (None).
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
    n_subsamples_ : int
        Number of parts.
    forest_ : Forest
        The trees and their weights, those of the first part first.
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
    EmpiricalBayesianForestClassifier : Pieces by a trunk in place of chance.
    BayesianForestClassifier : One forest of all rows.

    Notes
    -----
    Taddy et al. (2015), section 4: independent forests are fitted to the sub-samples, and their
    predictions averaged. The paper's experiments use five parts of equal size; the sizes differ
    here by at most one row. Weights come from (seed, part, tree) and the place of a row in its
    part. With one part it is the Bayesian forest, to the bit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import SubsampleForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = SubsampleForestClassifier(20, n_subsamples=3, random_state=0).fit(X, y)
    >>> forest.forest_.n_trees
    60
    >>> int(forest.forest_.trees[0].n_samples[0])
    50
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        "n_subsamples": integer(1, MAX_PARTS),
        "criterion": one_of("gini", "entropy", "log_loss"),
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_subsamples: int = 5,
        criterion: str = "gini",
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_features: int | float | str | None = "sqrt",
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.n_subsamples = n_subsamples
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features


class SubsampleForestRegressor(PartedForest, ForestRegressor):
    """A sub-sample forest for numeric responses: Bayesian forests of disjoint parts of the rows.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees in the forest of each part: with S parts there are S times as many in all. As a tree
        sees 1/S of the rows, the work is that of a Bayesian forest of `n_estimators` trees.
    n_subsamples : int, default=5
        S, the number of parts; at most one per row.
    criterion : {"squared_error"}, default="squared_error"
        Impurity that splits reduce.
    min_samples_leaf : int or float, default=3
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows of a part.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf: the paper's threshold on |θ^η|.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default=None
        Features tried at each split, drawn anew for each: a number, a share of all, or
        all (None).
    keep_responses : bool, default=True
        Whether leaves remember their training rows, which `predict_quantiles`,
        `predict_interval` and `predict_var` of kind "prediction" and `uncertainty` need: 4 bytes
        per row and tree that saw it, and 8 per row and response.
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
    n_subsamples_ : int
        Number of parts.
    forest_ : Forest
        The trees and their weights, those of the first part first.
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
    EmpiricalBayesianForestRegressor : Pieces by a trunk in place of chance.
    BayesianForestRegressor : One forest of all rows.

    Notes
    -----
    Taddy et al. (2015), section 4: independent forests are fitted to the sub-samples, and their
    predictions averaged. The paper's experiments use five parts of equal size; the sizes differ
    here by at most one row. Weights come from (seed, part, tree) and the place of a row in its
    part. With one part it is the Bayesian forest, to the bit.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import SubsampleForestRegressor
    >>> X, y = make_friedman1(n_samples=200, random_state=0)
    >>> forest = SubsampleForestRegressor(20, n_subsamples=4, random_state=0).fit(X, y)
    >>> forest.predict_draws(X).shape
    (80, 200)
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CART,
        "n_subsamples": integer(1, MAX_PARTS),
        "criterion": one_of("squared_error"),
        "keep_responses": BOOLEAN,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_subsamples: int = 5,
        criterion: str = "squared_error",
        min_samples_leaf: int | float = 3,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_features: int | float | str | None = None,
        keep_responses: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.n_subsamples = n_subsamples
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.keep_responses = keep_responses
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features
