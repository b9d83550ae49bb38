"""The calibrated forest for numbers.

Model: bags of trees, boosted and averaged, that leave out the same third of the rows and add up to
one member each, see `bags`. How far a response may be from the members' mean is learnt from the
rows that bags left out, see `bayeswood.uncertainty.calibration.response_calibration`: a second set
of bags fits the sizes of out-of-bag residuals, and the responses in leaves have a say where they
know better.

References: M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML
2015. J. Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics
29, 2001.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import (
    BOOLEAN,
    Constraint,
    check_kind,
    integer,
    one_of,
    only,
    parameter_error,
)
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.methods.base.saved_state import LATER_PARAMETERS
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.bagged_response import BaggedResponse
from bayeswood.methods.calibrated_forest.bags import Bags, ShareDone, grow_bags, part_of
from bayeswood.methods.calibrated_forest.guarantee_rows import find_guarantee
from bayeswood.methods.calibrated_forest.judge_response import IntervalJudgement, judge_responses
from bayeswood.methods.calibrated_forest.judgement import describe_left_out
from bayeswood.methods.calibrated_forest.number_guarantee import NumberGuarantee, make_guarantee
from bayeswood.methods.calibrated_forest.number_plan import leaf_law, plan_bags, plan_sizes
from bayeswood.methods.calibrated_forest.out_of_bag_report import OutOfBagReport
from bayeswood.methods.calibrated_forest.out_of_bag_response import (
    SHARES,
    GrownBags,
    known_responses,
    leaf_forest,
    out_of_bag_fit,
    unexplained,
)
from bayeswood.methods.calibrated_forest.thresholded_weights import (
    CALIBRATED,
    CalibratedForest,
    warn_of_no_rows,
)
from bayeswood.methods.cart.drawn_rows import GROWN_OUT, ONE_FIT, weighted_rows
from bayeswood.progress import progress_bar
from bayeswood.report.calibration import IntervalCalibrationSummary
from bayeswood.uncertainty import Uncertainty, check_coverage

F64 = NDArray[np.float64]

# Of the work, as a bar shows it: the mean, then the sizes.
_MEAN_SHARE = 0.7


class CalibratedForestRegressor(CalibratedForest, ForestRegressor):
    """A forest whose prediction intervals cover as often as they say.

    Parameters
    ----------
    n_estimators : int, default=300
        Averaged trees, shared out among 20 bags (fewer than 40 trees: half as many bags); as many
        to each bag as go in evenly.
    criterion : {"squared_error"}, default="squared_error"
        Impurity that splits reduce.
    weight_threshold : float or "auto", default="auto"
        c: each bag leaves a row out with probability 1 − e^−c. "auto" is log 1.5: a third of the
        rows, with which the spread of members is that of the mean over new samples.
    n_boosting_stages : int or "auto", default="auto"
        Most boosted trees of either depth in a bag. "auto" is 300 of depth 4 and 400 of depth 2;
        growing stops early where more stages do not lower the out-of-bag error. 0 for averaged
        trees alone.
    additive_members : int, default=0
        Draws of a sum of 50 trees (as `BARTRegressor` has them, from a short chain) in each bag,
        5, say, as a further kind of trees. Smooth and additive responses are fitted better; a fit
        takes two to three times as long, more on large tables.
    interval : {"oob", "affine", "leaves"}, default="oob"
        Where prediction intervals come from: "affine" from out-of-bag residuals, scaled by a fit
        to their sizes, "leaves" from the training responses in the leaves, and "oob" from both,
        mixed as out-of-bag rows are best foretold.
    residual_shape : {"by_spread", "common"}, default="by_spread"
        Whether the distribution of scaled residuals may differ between regions of small and of
        large spread, or one serves all x.
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf of two thirds of the averaged trees; a float is
        a share of the rows. The others have leaves of at least 5, or √n / 8, of n rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf of averaged trees.
    max_depth : int, default=None
        Most splits from root to leaf of averaged trees; None for no limit. Boosted trees have at
        most 4, or 2.
    max_features : int, float, "sqrt", "log2" or None, default=0.5
        Features tried at each split, drawn anew for each: a number, a share of all, or all
        (None). Boosted trees of depth 2 try all.
    max_leaf_nodes : None, default=None
    min_samples_split : {2}, default=2
    min_impurity_decrease, ccp_alpha : {0.0}, default=0.0
        Trees are grown out: limit them by `min_samples_leaf` or `max_depth`. Random forests and
        Bayesian forests have these.
    monotonic_cst : array-like of {-1, 0, 1} or dict, default=None
        For each column, or by name, 1 where the prediction must never fall as the column rises,
        -1 where it must never rise, 0 where it may do both. It holds to the bit in every tree and
        boosted sum, and so in `predict` and `predict_draws`; see docs/growing.md.
    keep_responses : bool, default=True
        Whether the leaves of the averaged trees of larger leaves remember their training rows,
        which intervals from leaves need: 4 bytes per row and tree, and 8 per row and response.
    interaction_cst : None, default=None
        Random forests and Bayesian forests have it.
    oob_score : bool, default=False
        The forest is always scored by the rows that trees left out, whatever is said here.
    bootstrap : {True}, default=True
    max_samples : None, default=None
        Every tree leaves rows out, by which the forest is calibrated: `weight_threshold` says how
        many, −log(share of rows to keep).
    warm_start : {False}, default=False
        Bags, weights and calibration are of all trees together: a larger forest is another one.
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
    n_boosting_stages_ : int
        m: boosted trees in each bag; of two depths, the larger number.
    component_weights_ : ndarray, (3,) or (4,)
        w: of the boosted trees, of averaged trees of `min_samples_leaf` rows, of those of larger
        leaves, and of sums of trees where `additive_members` have a share. They sum to 1.
    residual_share_ : ndarray, (n_outputs,)
        ω: how much of an interval comes from residuals; the rest from leaves.
    residual_factor_ : ndarray, (n_outputs,)
        c: the variance of the response in units of the squared size of residuals.
    scaled_residuals_ : ndarray, (n_calibration_rows, n_outputs)
        z: out-of-bag residuals divided by their fitted size, each column ascending; quantiles are
        taken of these.
    spread_centres_ : ndarray, (3, n_outputs)
        Median of the log of the fitted size in each third of the out-of-bag rows by it, between
        which quantiles of z are interpolated; all 0 with ``residual_shape="common"``.
    weight_threshold_ : float
        c, after resolving "auto".
    n_calibration_rows_ : int
        Training rows that some bag left out, by which intervals are calibrated.
    oob_prediction_ : ndarray, (n_rows,) or (n_rows, n_outputs)
        Mean over the bags that left the row out; NaN where none did. A row of sample weight 0
        is predicted by all bags.
    oob_score_ : float
        R² of the out-of-bag predictions; NaN where there are none.
    n_outputs_ : int
        Number of responses.
    forest_ : Forest
        One member per bag, the sum of its trees (each scaled by its share).
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
    BayesianForestRegressor : The same weights without a threshold, intervals from the leaves.

    Notes
    -----
    With μ the members' mean and a a fit to the sizes |y − μ| of out-of-bag residuals, by bags of
    the same kind, the quantile of y at level q is

        ω (μ(x) + a(x) z_q(x)) + (1 − ω) L_λ(q)(x),

    z_q of the scaled residuals, L_q of the responses in leaves, λ(q) the level at which these held
    a share q of the out-of-bag responses, and ω that of least out-of-bag quantile loss. With
    ``residual_shape="common"``, the i-th of the n scaled residuals is at the level i / (n + 1), and
    z_q on the line between neighbours; beyond them (q < 1/(n + 1) or q > n/(n + 1)) no finite
    interval is honest, the outermost residual is taken, and a warning says so; levels 0 and 1 ask
    for the outermost. With weights w, levels are cumulative weights, and the row to come weighs
    Σ w² / Σ w. By default each third of the rows by a has such quantiles of its own, in which
    the rows of the other thirds count together as much as 5; z_q(x) lies on the line between them
    in log a, constant beyond the medians of the outer thirds. Scaled residuals are those of rows
    that a third of the bags predict, made smaller by what all bags take off them; how much is told
    by the halves of these bags.

    The promise of coverage is on average over new rows drawn like the training rows. Where rows
    come in groups (several of one patient, machine, day) and new rows come from new groups, a
    row's relatives in the tree give it away and intervals are too narrow: give the groups as
    ``oob_groups`` to `fit`. Where rows are ordered in time and the future is to be predicted,
    group them by stretches of time; drift no residual of the past can show.

    Intervals of kind "mean" are μ ± t sd, sd² the variance between members and t of Student's
    distribution on G − 1 degrees for G bags: how far the forest would be off with another sample of
    as many rows. They narrow as rows come in. Of the regression function f(x) they cover as much as
    the forest's bias leaves, which no spread of members can show: see docs/uncertainty.md.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import CalibratedForestRegressor
    >>> X, y = make_friedman1(n_samples=400, noise=1.0, random_state=0)
    >>> forest = CalibratedForestRegressor(random_state=0).fit(X[:300], y[:300])
    >>> low, high = forest.predict_interval(X[300:], coverage=0.9).T
    >>> bool(0.8 < ((low <= y[300:]) & (y[300:] <= high)).mean() < 1.0)
    True
    >>> forest.predict_quantiles(X[:4], [0.1, 0.5, 0.9]).shape
    (4, 3)
    """

    _saved_numbers = (
        *CalibratedForest._saved_numbers,
        "weight_threshold_",
        "n_calibration_rows_",
        "n_boosting_stages_",
        "oob_score_",
    )
    _saved_arrays = ("oob_prediction_", "component_weights_")
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CALIBRATED,
        "criterion": only(
            "squared_error",
            "its trees share one loss; RandomForest* and BayesianForest* have others",
        ),
        "n_boosting_stages": one_of("auto") | integer(0),
        "additive_members": integer(0),
        "interval": one_of(*SHARES),
        "residual_shape": one_of("by_spread", "common"),
        "keep_responses": BOOLEAN,
        **weighted_rows("RandomForestRegressor"),
        **ONE_FIT,
        **GROWN_OUT,
    }
    _later_parameters = LATER_PARAMETERS | {"oob_score"}
    _many_trees_threshold = log(1.5)
    _part_kinds = (IntervalJudgement, NumberGuarantee)

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        criterion: str = "squared_error",
        weight_threshold: float | str = "auto",
        n_boosting_stages: int | str = "auto",
        additive_members: int = 0,
        interval: str = "oob",
        residual_shape: str = "by_spread",
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_features: int | float | str | None = 0.5,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        oob_score: bool = False,
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
        self.weight_threshold = weight_threshold
        self.n_boosting_stages = n_boosting_stages
        self.additive_members = additive_members
        self.interval = interval
        self.residual_shape = residual_shape
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

    def _predictive_kind(self) -> type[Predictive]:
        return BaggedResponse

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        cart = self._plan(data)
        if cart.rules.monotonic_cst and self.additive_members:
            raise BayeswoodError(
                f"The 'additive_members' parameter of {self._name} must be 0 with monotonic_cst, "
                f"which drawn sums do not keep. Got {self.additive_members!r} instead."
            )
        keep = self.keep_responses and self.interval != "affine"
        plan = plan_bags(cart, data, self.n_boosting_stages, int(self.additive_members), keep)
        encoded = _core.EncodedMatrix(data.X, data.schema.n_levels, plan.n_jobs)
        y, weights = data.target.y, data.sample_weight
        tasks.begin()
        with progress_bar(self._name, "trees", show=bool(self.verbose)) as bar:
            n = cart.n_trees
            report: ShareDone | None = None
            if bar is not None:
                report = lambda share: bar(round(n * share), n)  # noqa: E731
            bags = grow_bags(plan, data, encoded, y, weights, part_of(report, 0.0, _MEAN_SHARE))
            sizes = None
            if (bags.counts > 0).any():
                seen = np.where(bags.counts > 0, 1.0, 0.0) * (1.0 if weights is None else weights)
                residuals = np.abs(np.nan_to_num(y - bags.oob_mean))
                told = part_of(report, _MEAN_SHARE, 1.0)
                sizes = grow_bags(plan_sizes(plan, data), data, encoded, residuals, seen, told)
        promised = make_guarantee(plan, data, encoded, bags)
        grown = GrownBags(
            bags.forest,
            bags.importances,
            cart.seed,
            replace(plan.law, trees_per_draw=bags.forest.trees_per_member),
            {**cart.settings(), **_described(bags)},
            () if promised is None else (promised,),
            bags=bags,
            sizes=sizes,
            leaf_law=leaf_law(plan) if keep else None,
        )
        tasks.finished(lambda: self._fitted(data, grown))
        return grown

    def _threshold(self) -> float:
        given = self.weight_threshold
        return self._many_trees_threshold if isinstance(given, str) else float(given)

    def _calibrate(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        assert isinstance(grown, GrownBags)
        assert grown.bags is not None
        used, n_jobs = grown.bags.counts > 0, self._threads()
        settings = {"n_calibration_rows_": int(used.sum())}
        oob = out_of_bag_fit(data, grown, grown.bags.oob_mean, n_jobs)
        if grown.sizes is None:
            warn_of_no_rows(self._name)
            return grown.extended(settings | oob), unexplained(data)
        by_spread, share = self.residual_shape == "by_spread", SHARES[self.interval]
        leaves = leaf_forest(data, grown)
        known = known_responses(data, grown, leaves, n_jobs)
        outputs = known.calibrate(by_spread, share)
        shares = np.array([one.share for one in outputs])
        kept = leaves if (shares < 1.0).any() else None
        predictive = BaggedResponse(grown.sizes.forest, known.least, outputs, kept)
        if leaves is None and share == 0.0:
            return grown.extended(settings | oob), predictive  # there is nothing to judge
        about = describe_left_out(grown.bags.counts, used, grown.forest.n_members)
        about["residual_share"] = shares
        found = judge_responses(known.some, known.groups, about, by_spread, share)
        return grown.extended(settings | oob, IntervalJudgement(found)), predictive

    def predict_interval(
        self, X: Any, coverage: float = 0.9, kind: str = "prediction", guarantee: bool = False
    ) -> F64:
        """Interval of the response, or of its mean.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            Probability that the interval holds, in (0, 1).
        kind : {"prediction", "mean"}, default="prediction"
            As in `predict_quantiles`. An interval of the mean is none for a new response.
        guarantee : bool, default=False
            Whether to promise the coverage, of kind "prediction". Such intervals are wider.

        Returns
        -------
        ndarray, (n_rows, 2) or (n_rows, n_outputs, 2)
            Lower and upper ends, with `predict` between them or at one of them.

        Notes
        -----
        With ``guarantee=True``, a response of a new row that is exchangeable with the training
        rows (drawn as they were; with `oob_groups`, a random row of a new group) is in its
        interval with probability at least `coverage`, over training rows and new row together, for
        each response by itself. See docs/guarantees.md for what is promised and what is not.

        Without, ends are quantiles. Where responses come in lumps the mean may lie beyond them
        (nineteen zeros and a ten: both are 0, the mean is .5); the interval then reaches to it.

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from bayeswood import CalibratedForestRegressor
        >>> X, y = make_friedman1(n_samples=100, noise=1.0, random_state=0)
        >>> forest = CalibratedForestRegressor(random_state=0).fit(X, y)
        >>> forest.predict_interval(X, coverage=0.9, guarantee=True).shape
        (100, 2)
        """
        if not guarantee:
            return super().predict_interval(X, coverage, kind)
        caller = f"{self._name}.predict_interval"
        if kind != "prediction":
            check_kind(kind, caller)
            raise parameter_error("kind", caller, "'prediction' with guarantee=True", kind)
        level, rows = check_coverage(coverage, caller), self._encode(X)
        part = find_guarantee(self._parts, NumberGuarantee, caller)
        n_jobs = self._workers(len(rows))
        held = self.predictive_.mean(self.forest_, rows, n_jobs)
        return self._shaped(part.interval(rows, held, level, caller, n_jobs))

    def uncertainty(self, X: Any) -> Uncertainty:
        """Variance of the response and where it comes from.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        Uncertainty
            ``total``, ``data`` and ``knowledge``, each (n_rows,) or (n_rows, n_outputs).

        Notes
        -----
        With c a² the variance of out-of-bag residuals by their fitted size a,

            knowledge = Σ_b (f_b − μ)² / (G − 1),    data = c a² − knowledge:

        what another sample of as many rows would change in the mean, and what no number of rows
        would take away (with the forest's squared bias, which looks like noise). Data are at least
        a tenth of c a². Knowledge is at least c a² / n, where all bags say the same: no mean of n
        out-of-bag rows is surer. The total is the sum. See docs/uncertainty.md for both where the
        truth is known.
        """
        return super().uncertainty(X)

    def out_of_bag_report(self) -> OutOfBagReport[IntervalCalibrationSummary]:
        """How often prediction intervals cover, by the rows that trees left out.

        Returns
        -------
        OutOfBagReport
            Prints as a text: coverage over all rows and over thirds by the size of residuals;
            ``plot()`` draws coverage by width, ``summary`` holds the numbers. Each row is judged
            by a calibration that was fitted to other rows (five folds; whole groups where
            `oob_groups` were given).
        """
        self._check_fitted()
        return self._report("rows that some bag left out", "weight_threshold='auto'")

    def calibration_report(self) -> OutOfBagReport[IntervalCalibrationSummary]:
        """The older name of `out_of_bag_report`; `bayeswood.calibration_report` is about new rows.

        Returns
        -------
        OutOfBagReport
        """
        return self.out_of_bag_report()


def _described(bags: Bags) -> dict[str, Any]:
    """What was chosen, as fitted attributes."""
    boosted, *averaged, drawn = bags.shares
    shares = np.zeros(4 if drawn > 0 else 3)
    shares[0], shares[1 : 1 + len(averaged)] = boosted, averaged
    shares[3:] = drawn
    return {"n_boosting_stages_": bags.n_stages, "component_weights_": shares}
