"""The calibrated forest for numbers.

Model: see `calibrated_forest` for the trees' weights. Every node takes the best cut of half of the
features; leaves are grown to single rows. With μ(x) the forest's mean and sd²_mix(x) the variance
of its mixture of leaf responses, the quantile of y at level q is

    μ(x) + s(x) z_q(x),      s²(x) = a + b sd²_mix(x),

a, b >= 0 and z from out-of-bag residuals, see `interval_calibration` and `residual_shape` in
`bayeswood.uncertainty.calibration`.

Reference: M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML 2015.
"""

from collections.abc import Mapping
from math import log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import BOOLEAN, Constraint, one_of
from bayeswood.methods.base.predictive import LeafResponses, Predictive
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.judgement import (
    IntervalJudgement,
    describe_left_out,
    judge_interval_calibration,
)
from bayeswood.methods.calibrated_forest.out_of_bag_report import OutOfBagReport
from bayeswood.methods.calibrated_forest.out_of_bag_sums import left_out_moments
from bayeswood.methods.calibrated_forest.spread_calibration import (
    SpreadCalibration,
    unbiased_factor,
)
from bayeswood.methods.calibrated_forest.thresholded_weights import (
    CALIBRATED,
    CalibratedForest,
    warn_of_no_rows,
)
from bayeswood.uncertainty import LeftOut, Uncertainty

F64 = NDArray[np.float64]


class CalibratedForestRegressor(CalibratedForest, ForestRegressor):
    """A forest whose prediction intervals cover as often as they say.

    Parameters
    ----------
    n_estimators : int, default=300
        Trees.
    criterion : {"squared_error"}, default="squared_error"
        Impurity that splits reduce.
    weight_threshold : float or "auto", default="auto"
        c: each tree leaves a row out with probability 1 − e^−c. "auto" is log 2: half of the rows.
    interval : {"affine", "leaves"}, default="affine"
        Where prediction intervals come from: "affine" from out-of-bag residuals scaled by
        s² = a + b sd²_mix, "leaves" from the training responses in the leaves, uncalibrated, as
        in the other forests.
    residual_shape : {"by_spread", "common"}, default="by_spread"
        Whether the distribution of scaled residuals may differ between regions of small and of
        large spread, or one serves all x. For "affine" intervals alone.
    min_samples_leaf : int or float, default=1
        Fewest rows (of positive weight) in a leaf; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the tree's weight in a leaf.
    max_depth : int, default=None
        Most splits from root to leaf; None for no limit.
    max_features : int, float, "sqrt", "log2" or None, default=0.5
        Features tried at each split, drawn anew for each: a number, a share of all, or all
        (None).
    keep_responses : bool, default=True
        Whether leaves remember their training rows, which all but `predict`, the draws and kind
        "mean" need: 4 bytes per row and tree, and 8 per row and response.
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
    spread_intercept_ : ndarray, (n_outputs,)
        a: the part of the predictive variance s² that is the same everywhere.
    spread_slope_ : ndarray, (n_outputs,)
        b: how much of the variance of the mixture of leaf responses counts in s².
    scaled_residuals_ : ndarray, (n_calibration_rows, n_outputs)
        z: out-of-bag residuals divided by s, each column ascending; quantiles are taken of these.
    spread_centres_ : ndarray, (3, n_outputs)
        Median of log s in each third of the out-of-bag rows by s, between which quantiles of z
        are interpolated; all 0 with ``residual_shape="common"``.
    weight_threshold_ : float
        c, after resolving "auto".
    n_calibration_rows_ : int
        Training rows that at least two trees left out, to which a, b and z were fitted.
    oob_prediction_ : ndarray, (n_rows,) or (n_rows, n_outputs)
        Mean over the trees that left the row out; NaN where none did. A row of sample weight 0
        is predicted by all trees.
    oob_score_ : float
        R² of the out-of-bag predictions; NaN where there are none.
    n_outputs_ : int
        Number of responses.
    forest_ : Forest
        The trees and their weights.
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
    s²(x) = a + b sd²_mix(x) with a, b >= 0 by non-negative least squares of squared out-of-bag
    residuals, weighted by 1/(s² + 0.3 m)², m the mean square, and by `sample_weight`. With
    ``residual_shape="common"``, z_q is the order statistic of rank ⌈(n + 1) q⌉ (⌊(n + 1) q⌋ below
    one half) of the n scaled residuals; where the rank lies beyond them (q < 1/(n + 1) or
    q > n/(n + 1)) no finite interval is honest, the outermost residual is taken, and a warning
    says so; levels 0 and 1 ask for the outermost. With weights, ranks are cumulative weights, and
    the row to come weighs as much as the mean. By default each third of the rows by s has such
    quantiles of its own, in which the rows of the other thirds count together as much as 5; z_q(x)
    lies on the line between them in log s, constant beyond the medians of the outer thirds.

    ``weight_threshold=0.2, residual_shape="common"`` is the plain recipe: few rows left out, and
    one z for all x.

    The promise of coverage is on average over new rows drawn like the training rows. Where rows
    come in groups (several of one patient, machine, day) and new rows come from new groups, a
    row's relatives in the tree give it away and intervals are too narrow: give the groups as
    ``oob_groups`` to `fit`. Where rows are ordered in time and the future is to be predicted,
    group them by stretches of time; drift no residual of the past can show.

    Intervals of kind "mean": each tree is a posterior draw of the CART fit. At a fixed depth their
    spread covers the CART fit of the population at the nominal rate. Nothing covers the
    regression function f(x): bias dominates. The standard error sd/√B over B trees is Monte Carlo
    error, what more trees would remove, and no statement about y or f.

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
        "oob_score_",
    )
    _saved_arrays = ("oob_prediction_",)
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CALIBRATED,
        "criterion": one_of("squared_error"),
        "interval": one_of("affine", "leaves"),
        "residual_shape": one_of("by_spread", "common"),
        "keep_responses": BOOLEAN,
    }
    _many_trees_threshold = log(2)
    _part_kinds = (IntervalJudgement,)
    spread_intercept_: F64
    spread_slope_: F64
    scaled_residuals_: F64
    spread_centres_: F64

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        criterion: str = "squared_error",
        weight_threshold: float | str = "auto",
        interval: str = "affine",
        residual_shape: str = "by_spread",
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_features: int | float | str | None = 0.5,
        keep_responses: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.weight_threshold = weight_threshold
        self.interval = interval
        self.residual_shape = residual_shape
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.keep_responses = keep_responses
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _predictive_kind(self) -> type[Predictive]:
        return LeafResponses if self.interval == "leaves" else SpreadCalibration

    def _calibrate(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        leaves, n_jobs = LeafResponses.of(data, grown), self._threads()
        if self.interval == "leaves":
            return grown, leaves
        within = leaves.variances(grown.forest, n_jobs)
        mean, variance, counts = left_out_moments(data, grown, within, n_jobs)
        used = counts > 1
        settings = {"n_calibration_rows_": int(used.sum())}
        grown = grown.extended(settings | _out_of_bag_fit(data, grown, mean, n_jobs))
        if not used.any():
            warn_of_no_rows(self._name)
            nothing = [_unexplained(data, k) for k in range(mean.shape[1])]
            return grown, SpreadCalibration.fit(leaves, nothing, by_spread=False)
        by_spread = self.residual_shape == "by_spread"
        left_out = _left_out(data, mean, variance, counts, grown.forest.n_trees)
        predictive = SpreadCalibration.fit(leaves, left_out, by_spread)
        about = {
            **describe_left_out(counts, used, grown.forest.n_trees),
            "intercept": predictive.intercept,
            "slope": predictive.slope,
        }
        own = data.take(used)
        found = judge_interval_calibration(left_out, own.target.y, own.row_groups, about, by_spread)
        return grown.extended({}, IntervalJudgement(found)), predictive

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
        With the calibrated variance s² = a + b sd²_mix, and sd²_mix, by the law of total variance,
        the variance within leaves plus the variance between the members' means,

            total = s²,    knowledge = b · between,    data = a + b · within.

        Trees grown to single rows repeat the noise of those rows, and that part of their
        disagreement counts as knowledge; larger leaves tell the two apart. With
        ``interval="leaves"`` as in the other forests.
        """
        return super().uncertainty(X)

    def calibration_report(self) -> OutOfBagReport:
        """How often prediction intervals cover, by the rows that trees left out.

        Returns
        -------
        OutOfBagReport
            Prints as a text: coverage over all rows and over thirds by the spread s(x);
            ``plot()`` draws coverage by width, ``summary`` holds the numbers. Each row is judged
            by a calibration that was fitted to other rows (five folds; whole groups where
            `oob_groups` were given).
        """
        self._check_fitted()
        return self._report("rows that two trees left out", "interval='affine'")


def _out_of_bag_fit(
    data: TrainingData, grown: GrownForest, mean: F64, n_jobs: int
) -> dict[str, Any]:
    """Out-of-bag predictions of all given rows, and their R²."""
    seen = ~np.isnan(mean[:, 0])
    own = data.take(seen)
    score = float("nan")
    if seen.sum() > 1:
        from sklearn.metrics import r2_score  # costs megabytes, and is not always asked for

        score = float(r2_score(own.target.y, mean[seen], sample_weight=own.sample_weight))
    everywhere = mean
    if not data.taking_part.all():
        everywhere = grown.forest.predict(data.given_rows, n_jobs)
        everywhere[data.taking_part] = mean
    single = data.target.single_output
    return {"oob_prediction_": everywhere[:, 0] if single else everywhere, "oob_score_": score}


def _left_out(
    data: TrainingData, mean: F64, variance: F64, counts: NDArray[np.int32], n_trees: int
) -> list[LeftOut]:
    """For each response, the rows that at least two trees left out: one has no spread."""
    used = counts > 1
    own = data.take(used)
    unbiased = unbiased_factor(counts[used])
    return [
        LeftOut(
            own.target.y[:, k] - mean[used, k],
            variance[used, k] * unbiased,
            counts[used],
            n_trees,
            own.sample_weight,
        )
        for k in range(mean.shape[1])
    ]


def _unexplained(data: TrainingData, output: int) -> LeftOut:
    """The responses as residuals of their mean: what is left if the forest explains nothing."""
    y, weights = data.target.y[:, output], data.sample_weight
    residuals = y - np.average(y, weights=weights)
    ones = np.ones(len(y), dtype=np.int32)
    return LeftOut(residuals, np.zeros(len(y)), ones, 1, weights)
