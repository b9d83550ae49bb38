"""What the calibrated forests share: thresholded weights, and rows left out in groups.

Model: as in a Bayesian forest (Taddy and others, 2015) every tree weights the rows by independent
draws from Exp(1), but a draw below c is set to exactly 0:

    w_i = θ_i 1[θ_i >= c],   θ_i ~ Exp(1),   P(w_i = 0) = 1 − e^{−c}.

A tree grown to single rows gives a row of the smallest positive weight a leaf of its own: only a
weight of 0 keeps a row from being learnt. So each tree leaves a few rows out, and what the trees
say of the rows they left out is an honest prediction, with no held-out set. The calibrations are
fitted to these predictions; see `bayeswood.uncertainty`.
"""

from abc import abstractmethod
from dataclasses import replace
from math import log
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import CART, Constraint, one_of, real
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.sklearn_callbacks import with_callbacks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.judgement import Judgement
from bayeswood.methods.calibrated_forest.out_of_bag_report import OutOfBagReport
from bayeswood.methods.cart.cart_forest import CartForest
from bayeswood.methods.cart.grow_cart import CartPlan
from bayeswood.methods.cart.growth_rules import GROWTH

# At 3 a tree is grown from e^-3 = 5 % of the rows.
LARGEST_THRESHOLD = 3.0
THRESHOLD: Constraint = one_of("auto") | real(0, LARGEST_THRESHOLD, integers=True)
CALIBRATED = {
    **CART,
    "weight_threshold": THRESHOLD,
    "monotonic_cst": GROWTH["monotonic_cst"],
}


def resolve_weight_threshold(
    weight_threshold: float | str, n_trees: int, with_many_trees: float
) -> float:
    """The threshold c.

    ``"auto"``: `with_many_trees` with 300 trees or more, c = with_many_trees + 0.1 log₃(300 / B)
    with fewer, but never more than log 2, which leaves half the rows out. Fewer trees need a larger
    c for each row to be left out by some.

    Examples
    --------
    >>> [round(resolve_weight_threshold("auto", n, 0.35), 2) for n in (1000, 300, 100, 10, 1)]
    [0.35, 0.35, 0.45, 0.66, 0.69]
    """
    if not isinstance(weight_threshold, str):
        return float(weight_threshold)
    fewer = 0.1 * log(300 / n_trees, 3)
    return min(log(2), max(with_many_trees, with_many_trees + fewer))


class CalibratedForest(CartForest):
    """Grows trees on thresholded weights. Not to be used by itself."""

    _scheme = "exponential"
    # Whether coverage can be asked for with a guarantee; see docs/guarantees.md.
    promises_coverage: ClassVar[bool] = True
    # c with many trees, where it is not given.
    _many_trees_threshold: ClassVar[float]

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        oob_groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the forest, and calibrate it on what its trees left out.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            NumPy array, pandas or polars frame, or pyarrow table. Strings, categoricals and
            bools are categories; NaN and None are missing values and need no imputation.
        y : array-like, (n_rows,) or, for regressors, (n_rows, n_outputs)
            Response.
        sample_weight : array-like, (n_rows,), default=None
            Non-negative weights that multiply the random weights of each tree and count in the
            calibration. Only their ratios matter; a weight of 0 is the same as leaving the row
            out, but for the names of its class and its category levels, which the estimator
            still knows.
        oob_groups : array-like, (n_rows,), default=None
            Labels of rows that belong together: a tree leaves out all rows of a group or none.
            Without it the calibration is too good where a row has relatives among the others,
            such as patients with several visits, or days of one week; see the notes on each
            estimator. Rows that stand alone need labels of their own.

        Returns
        -------
        self
            The fitted estimator. If fitting is interrupted (Ctrl-C), it is left unfitted.
        """
        return self._fit(X, y, sample_weight, oob_groups)

    def _plan(self, data: TrainingData) -> CartPlan:
        plan = super()._plan(data)
        groups = data.row_groups if plan.row_weights.threshold > 0 else None
        return replace(
            plan,
            row_weights=replace(plan.row_weights, groups=groups),
            randomized_fraction=float(getattr(self, "randomized_fraction", 0.0)),
        )

    def _threshold(self) -> float:
        return resolve_weight_threshold(
            self.weight_threshold, self.n_estimators, self._many_trees_threshold
        )

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        return self._calibrate(data, grown.extended({"weight_threshold_": self._threshold()}))

    @abstractmethod
    def _calibrate(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        """Calibrate on the rows that trees left out, if so asked."""

    def _report(self, rows: str, parameter: str) -> OutOfBagReport[Any]:
        """How good the calibration is; what it needs, in words, where there is none."""
        for part in self._parts:
            if isinstance(part, Judgement):
                return OutOfBagReport(self._name, part.summary)
        raise BayeswoodError(
            f"{self._name}.out_of_bag_report needs {rows} and {parameter}. Fit with {parameter} "
            "and more rows or trees."
        )


def warn_of_no_rows(owner: str) -> None:
    """Warn that there is nothing to calibrate on."""
    warn_user(
        f"No training row was left out by any tree, so that {owner} could not be calibrated. Grow "
        "more trees, raise weight_threshold, or give more rows (or groups).",
    )
