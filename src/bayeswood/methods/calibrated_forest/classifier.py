"""The calibrated forest for classes.

Model: see `calibrated_forest` for the trees' weights. Half of the members take the best cut of √d
features at every node, half the best of √d random cuts (extremely randomised trees); leaves are
grown to single rows and then shrunk toward their ancestors with a strength λ,

    v_0 + Σ_l (v_l − v_{l−1}) / (1 + λ / N_{l−1})

along the path from the root (0), N the rows of a node. λ and the weight ω of the randomised trees
are posterior means, given the out-of-bag rows, see
`bayeswood.uncertainty.calibration.member_weighting`. Boosted sums of small trees may join the
average p̄ (`class_sums`). It is too timid, and is recalibrated on the same rows:

    p̃_c = (B p̄_c + 1/C) / (B + 1),      log p_c = γ s_c log(C p̃_c) + b_c − log Z,

γ, b and, of three classes or more, s by penalised likelihood, see
`bayeswood.uncertainty.calibration.class_calibration`.

References: M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML
2015. P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning 63, 2006.
A. Agarwal, Y. S. Tan, O. Ronen, C. Singh, B. Yu. Hierarchical Shrinkage. ICML 2022.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.class_weight import CLASS_WEIGHT
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import NONE, Constraint, integer, one_of, real
from bayeswood.methods.base.predictive import MemberAverage, Predictive
from bayeswood.methods.base.saved_state import LATER_PARAMETERS
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.calibrated_average import CalibratedAverage
from bayeswood.methods.calibrated_forest.choose_members import (
    PoolPlan,
    pool_trees,
    randomized_trees,
    shrink_trees,
)
from bayeswood.methods.calibrated_forest.class_bags import measure_spread, trees_per_bag
from bayeswood.methods.calibrated_forest.class_guarantee import (
    ClassGuarantee,
    make_class_guarantee,
)
from bayeswood.methods.calibrated_forest.class_sums import pool_sums
from bayeswood.methods.calibrated_forest.guarantee_rows import find_guarantee
from bayeswood.methods.calibrated_forest.judgement import (
    ClassJudgement,
    describe_calibration,
    describe_left_out,
    judge_class_calibration,
)
from bayeswood.methods.calibrated_forest.out_of_bag_report import OutOfBagReport
from bayeswood.methods.calibrated_forest.thresholded_weights import (
    CALIBRATED,
    CalibratedForest,
    warn_of_no_rows,
)
from bayeswood.methods.cart.drawn_rows import GROWN_OUT, ONE_FIT, weighted_rows
from bayeswood.methods.cart.grow_cart import CartPlan
from bayeswood.methods.cart.growth_rules import resolve_growth
from bayeswood.report.calibration import ClassCalibrationSummary
from bayeswood.threads import n_threads
from bayeswood.uncertainty import Uncertainty, check_coverage, fit_class_calibration

F64 = NDArray[np.float64]


class CalibratedForestClassifier(CalibratedForest, ForestClassifier):
    """A forest whose class probabilities can be taken at their word.

    Parameters
    ----------
    n_estimators : int, default=300
        Trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity that splits reduce; "log_loss" is another name of "entropy".
    weight_threshold : float or "auto", default="auto"
        c: each tree leaves a row out with probability 1 − e^−c. "auto" is 0.35 with 300 trees or
        more, and c = 0.35 + 0.1 log₃(300 / B) with fewer, B, at most log 2.
    randomized_fraction : float, default=0.5
        Share of the trees that cut at random thresholds, spread evenly over the members.
    member_weighting : {"oob", "equal"}, default="oob"
        "oob" lets the out-of-bag rows weigh the trees with random cuts against the others;
        "equal" weighs all trees alike.
    leaf_shrinkage : float or "auto", default="auto"
        λ: how much leaves borrow from their ancestors, in rows; 0 for not at all. "auto" lets the
        out-of-bag rows say, from 0 to 100 (and is 0 beyond 30 classes, or 10⁸ leaves times
        classes, for a shrunk leaf holds every class).
    additive_members : int or "auto", default="auto"
        Boosted sums of small trees for the log odds in the pool, one for each of so many bags of
        trees (and no more than there are bags), on the rows of its bag; 0 for none. What they
        weigh, and how many stages they have, the out-of-bag rows say. "auto" is 10, and 0 below
        400 rows, from ten classes on, or beyond 10⁸ rows times classes times sums.
    calibration : {"oob"} or None, default="oob"
        "oob" recalibrates on out-of-bag rows; None leaves the averages as they are, and has no
        use for such rows: "auto" shrinkage is then 0, and members weigh the same.
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        Features tried at each split, drawn anew for each: a number, a share of all, or all
        (None).
    max_leaf_nodes : None, default=None
    min_samples_split : {2}, default=2
    min_impurity_decrease, ccp_alpha : {0.0}, default=0.0
        Trees are grown out: limit them by `min_samples_leaf` or `max_depth`. Random forests and
        Bayesian forests have these.
    monotonic_cst : array-like of {-1, 0, 1} or dict, default=None
        For each column, or by name, 1 where the probability of the second of two classes must
        never fall as the column rises, -1 where it must never rise, 0 where it may do both. It
        holds in every tree and boosted sum to the bit, and so in `predict_proba`; see
        docs/growing.md.
    interaction_cst : None, default=None
        Not all of its trees could keep to it; random forests and Bayesian forests have it.
    oob_score : bool, default=False
        The forest is always scored by the rows that trees left out, whatever is said here.
    bootstrap : {True}, default=True
        Every tree leaves rows out, by which the forest is calibrated. `RandomForestClassifier` has
        trees on all rows.
    max_samples : None, default=None
        How many rows a tree leaves out is said by `weight_threshold`: −log(share of rows to
        keep).
    warm_start : {False}, default=False
        Bags, weights and calibration are of all trees together: a larger forest is another one.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply those of their rows: ``{class: weight}`` (a class
        that is not named weighs 1), or such that all classes weigh the same. Calibration,
        out-of-bag scores and promises are then those of a world with such shares of classes, not
        of the rows that you have. To move a decision alone, leave it and set a threshold on
        `predict_proba`: call a class whose misses cost k false alarms above 1 / (1 + k).
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
    calibration_power_ : float
        γ: above 1 the averages were too timid and are sharpened, below 1 they are flattened.
    calibration_offset_ : ndarray, (n_classes,)
        b: added to each class's log probability, positive where the averages were too low.
    calibration_trees_ : float
        B: the number of trees behind the out-of-bag averages, in the mean over rows.
    calibration_slopes_ : ndarray, (n_classes,)
        s: above 1 for classes that are told apart more sharply than the others; all 1 for two
        classes, and for more than 30.
    trees_per_bag_ : int
        k: trees that weight the rows alike.
    knowledge_factor_ : float
        κ: what of the bags' deviations is taken for ignorance.
    offset_variance_ : ndarray, (n_classes,)
        v: the variance of b.
    leaf_shrinkage_ : float
        λ: the strength with which leaves were moved toward their ancestors.
    randomized_weight_ : float
        ω: the summed weight of the trees that cut at random, of 1 for all trees.
    additive_weight_ : float
        ρ: the weight of the boosted sums in the pool, 0 where out-of-bag rows do not ask for them.
    weight_threshold_ : float
        c, after resolving "auto".
    n_calibration_rows_ : int
        Training rows that some tree left out, to which γ and b were fitted.
    oob_score_ : float
        Accuracy of the calibrated probabilities on these rows (each calibrated by others).
    classes_ : ndarray, (n_classes,)
        Class labels, sorted.
    forest_ : Forest
        The trees and their weights.
    member_weights_ : ndarray, (n_members,)
        Weights that sum to 1, equal within the trees that cut at random and within the others.
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
    BayesianForestClassifier : The same weights without a threshold, and no calibration.

    Notes
    -----
    With p̄ the average over B trees and C classes,

        p̃_c = (B p̄_c + 1/C) / (B + 1),      log p_c = γ s_c log(C p̃_c) + b_c − log Z.

    B is the number of trees that left a row out (where trees weigh differently, 1 / Σ w² for
    weights w of sum 1), in the mean over the training rows. The floor that it gives is where the
    probabilities of rare classes rest, so it smooths all rows of the fit and all predictions. λ and
    ω are means under a posterior proportional to the out-of-bag likelihood at its best γ and b, λ
    over 0, 1, 3, 10, 30, 100 (of log(1 + λ)), then ω over 0.1, 0.3, …, 0.9. Then sums P_g of
    small trees, one for each of some bags g, join the trees' average,

        p̄ = (1 − ρ) p̄_trees + ρ (1/G) Σ_g P_g,

    ρ the mean over 0, 0.1, 0.3, …, 0.9 with a prior e^−8ρ, see
    `bayeswood.methods.calibrated_forest.class_sums`. With s = 1, γ and b
    minimise the summed negative log probability of the out-of-bag rows (each times its
    `sample_weight`, scaled to a mean of 1) + (log γ)² / (2·1.5²) + Σ b_c² / 2 with γ between 0.2
    and 8. Of three to 30 classes, s and b then minimise, with this γ, the same sum + Σ (log s_c)² /
    (2·0.3²) + Σ b_c² / 2 with γ s_c between 0.2 and 8. In the end b is found anew, so that the mean
    prediction of every class is its share of the rows, see
    `bayeswood.uncertainty.calibration.class_calibration`. A row that no tree left out takes no
    part; if that holds for all, λ = 0, γ = s = 1 and b = 0, with a warning.

    The promise holds for new rows drawn like the training rows. Where rows come in groups (several
    of one patient, machine, day) and new rows come from new groups, a row's relatives in the tree
    give it away: give the groups as ``oob_groups`` to `fit`. Where rows are ordered in time and
    the future is to be predicted, group them by stretches of time; drift no calibration on the
    past can see.

    Trees come in bags of `trees_per_bag_` that weight the rows alike. `predict_draws` and
    `predict_quantiles` are of the bags' answers around the calibrated one, p + κ (q_g − q̄) within
    [0, 1] (trees of a bag share theirs), and `predict_interval` is p ± t sd with their standard
    deviation: how far another sample of as many rows would move the probability. `forest_.draws`
    has the trees as they are.

    ``weight_threshold=0.2, member_weighting="equal", leaf_shrinkage=0`` is the plain recipe: the
    average of all trees as they are, and its calibration.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import CalibratedForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = CalibratedForestClassifier(random_state=0).fit(X, y)
    >>> forest.predict_proba(X[:1]).round(2)
    array([[1., 0., 0.]])
    >>> bool(forest.calibration_power_ > 1)  # an average of trees is too timid
    True
    >>> forest.out_of_bag_report().summary.n_left_out
    150
    """

    _saved_numbers = (
        *CalibratedForest._saved_numbers,
        "weight_threshold_",
        "leaf_shrinkage_",
        "randomized_weight_",
        "n_calibration_rows_",
        "oob_score_",
    )
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CALIBRATED,
        "criterion": one_of("gini", "entropy", "log_loss"),
        "randomized_fraction": real(0, 1, integers=True),
        "member_weighting": one_of("oob", "equal"),
        "leaf_shrinkage": one_of("auto") | real(0, integers=True),
        "additive_members": one_of("auto") | integer(0),
        "calibration": one_of("oob") | NONE,
        "class_weight": CLASS_WEIGHT,
        **weighted_rows("RandomForestClassifier"),
        **ONE_FIT,
        **GROWN_OUT,
    }
    _later_parameters = LATER_PARAMETERS | {"oob_score"}
    _many_trees_threshold = 0.35
    _part_kinds = (ClassJudgement, ClassGuarantee)

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        criterion: str = "gini",
        weight_threshold: float | str = "auto",
        randomized_fraction: float = 0.5,
        member_weighting: str = "oob",
        leaf_shrinkage: float | str = "auto",
        additive_members: int | str = "auto",
        calibration: str | None = "oob",
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
        oob_score: bool = False,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.weight_threshold = weight_threshold
        self.randomized_fraction = randomized_fraction
        self.member_weighting = member_weighting
        self.leaf_shrinkage = leaf_shrinkage
        self.additive_members = additive_members
        self.calibration = calibration
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
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def predict_set(
        self, X: Any, coverage: float = 0.9, conditional: bool = False
    ) -> NDArray[np.bool_]:
        """Sets of classes that hold the true one with a promised probability.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            Promised probability, in (0, 1).
        conditional : bool, default=False
            Whether to promise it for the rows of each class by themselves, rare ones too, and not
            only for all rows together. Such sets are larger; a class of fewer than
            coverage / (1 − coverage) training rows is in every set.

        Returns
        -------
        ndarray of bool, (n_rows, n_classes)
            Which classes are in the set, in the order of `classes_`. `predict` always is.

        Notes
        -----
        The class of a new row that is exchangeable with the training rows (drawn as they were; with
        `oob_groups`, a random row of a new group) is in its set with probability at least
        `coverage`, over training rows, trees and new row together, whatever the data are like and
        however few: the jackknife+ after bootstrap, at a level that makes up for its factor of 2.
        See docs/guarantees.md for what is promised and what is not.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayeswood import CalibratedForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = CalibratedForestClassifier(random_state=0).fit(X[::2], y[::2])
        >>> sets = forest.predict_set(X[1::2], coverage=0.9)
        >>> bool(sets[range(75), y[1::2]].mean() >= 0.9)
        True
        """
        caller = f"{self._name}.predict_set"
        level, rows = check_coverage(coverage, caller), self._encode(X)
        part = find_guarantee(self._parts, ClassGuarantee, caller)
        n_jobs = self._workers(len(rows))
        found = part.sets(self.forest_, rows, level, conditional, caller, n_jobs)
        proba = self.predictive_.probabilities(self.forest_, rows, n_jobs)
        found[np.arange(len(rows)), np.argmax(proba, axis=1)] = True
        return found

    def uncertainty(self, X: Any) -> Uncertainty:
        """Entropy of the calibrated prediction and where it comes from, in nats.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        Uncertainty
            ``total``, ``data`` and ``knowledge``, each (n_rows,).

        Notes
        -----
        total = H(p), the entropy −Σ_c p_c log p_c of the calibrated probabilities. Knowledge is
        what another sample of as many rows would change, so that it falls as rows come in,

            knowledge = H(p) − Σ_g w_g H(p + κ (q_g − q̄)) + Σ_c p_c (1 − p_c)² v_c / 2,

        q_g the calibrated average of bag g, of weight w_g, see
        `bayeswood.methods.calibrated_forest.class_bags`; data is the rest. With
        ``calibration=None`` there are no bags: total is the entropy of the average and data the
        average of the members' entropies, as in the other forests.
        """
        return super().uncertainty(X)

    def out_of_bag_report(self) -> OutOfBagReport[ClassCalibrationSummary]:
        """How well the probabilities are calibrated, by the rows that trees left out.

        Returns
        -------
        OutOfBagReport
            Prints as a text; ``plot()`` draws the reliability curve, ``summary`` holds the
            numbers. Each row is judged by a calibration that was fitted to other rows (five
            folds; whole groups where `oob_groups` were given).
        """
        self._check_fitted()
        return self._report("rows that some tree left out", "calibration='oob'")

    def calibration_report(self) -> OutOfBagReport[ClassCalibrationSummary]:
        """The older name of `out_of_bag_report`; `bayeswood.calibration_report` is about new rows.

        Returns
        -------
        OutOfBagReport
        """
        return self.out_of_bag_report()

    def _plan(self, data: TrainingData) -> CartPlan:
        plan = super()._plan(data)
        if self.calibration is None:
            return plan
        bagged = replace(plan.row_weights, trees_per_draw=trees_per_bag(plan.n_trees))
        return replace(plan, row_weights=bagged)

    def _predictive_kind(self) -> type[Predictive]:
        return MemberAverage if self.calibration is None else CalibratedAverage

    def _calibrate(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        n_jobs = n_threads(self.n_jobs)
        randomized = randomized_trees(grown.forest.n_trees, float(self.randomized_fraction))
        promised = make_class_guarantee(data, grown, randomized, n_jobs)
        monotone: tuple[int, ...] = ()
        if self.monotonic_cst is not None:
            monotone = resolve_growth(self, data).monotonic_cst
        asked = None if isinstance(self.leaf_shrinkage, str) else float(self.leaf_shrinkage)
        if self.calibration is None:
            shrunk = shrink_trees(grown, asked or 0.0, monotone, n_jobs)
            return shrunk.extended({"leaf_shrinkage_": asked or 0.0}, *promised), MemberAverage()
        plan = PoolPlan(randomized, asked, self.member_weighting == "oob", monotone)
        pooled = pool_trees(data, grown, plan, n_jobs)
        pooled, sums = pool_sums(data, pooled, self.additive_members, n_jobs, monotone)
        label, weights = data.target.y.astype(np.intp), data.sample_weight
        calibration = fit_class_calibration(pooled.votes, label, weights)
        grown, seen = pooled.grown, pooled.votes.seen
        settings = {
            "leaf_shrinkage_": pooled.strength,
            "randomized_weight_": pooled.randomized_weight,
            "n_calibration_rows_": int(seen.sum()),
        }
        spread = measure_spread(data, grown, pooled.kind, calibration, n_jobs, sums)
        predictive = CalibratedAverage(calibration, spread, sums)
        if not seen.any():
            warn_of_no_rows(self._name)
            return grown.extended(settings, *promised), predictive
        summary = ClassCalibrationSummary(
            **describe_left_out(pooled.counts, seen, grown.forest.n_trees),
            **describe_calibration(calibration, settings, np.asarray(data.target.classes)),
            **judge_class_calibration(
                pooled.votes, label, weights, data.row_groups, calibration, n_jobs
            ),
        )
        settings["oob_score_"] = float(summary.scores[3, 1])
        return grown.extended(settings, *promised, ClassJudgement(summary)), predictive
