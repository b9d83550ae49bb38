"""What can be asked of a regressor: its forest and its predictive, together."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import check_kind
from bayeswood.methods.base.parts import ResponseShape
from bayeswood.methods.base.predictive import LeafResponses, Predictive
from bayeswood.methods.base.scikit_learn import RegressorMixin
from bayeswood.methods.base.training_data import Target, TrainingData, read_numeric_target
from bayeswood.uncertainty import Uncertainty, check_alpha, check_coverage, interval_levels
from bayeswood.uncertainty.intervals import hold

F64 = NDArray[np.float64]


class ForestRegressor(RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """A forest whose members give means of one or more responses. Not to be used by itself."""

    _target_kind = ResponseShape
    _single_output: bool

    def _read_target(self, y: Any) -> Target:
        return read_numeric_target(y, self._name)

    def _target_part(self, target: Target) -> ResponseShape:
        return ResponseShape(target.single_output)

    def _predictive_kind(self) -> type[Predictive]:
        return LeafResponses

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        return grown, LeafResponses.of(data, grown)

    @property
    def n_outputs_(self) -> int:
        """Number of responses."""
        self._check_fitted()
        return self.forest_.n_outputs

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect of the estimator."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _shaped(self, outputs: F64, axis: int = 1) -> F64:
        """Without the axis of outputs where the user's y had none."""
        return outputs.squeeze(axis) if self._single_output else outputs

    def predict(self, X: Any) -> F64:
        """Mean response.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows,) or (n_rows, n_outputs)
            In the shape of the training response. In most methods the members' means, averaged
            by their weights; see `predictive_`.
        """
        rows = self._encode(X)
        return self._shaped(self.predictive_.mean(self.forest_, rows, self._workers(len(rows))))

    def predict_draws(self, X: Any) -> F64:
        """Mean response by every member.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_members, n_rows) or (n_members, n_rows, n_outputs)
            Weigh them by `member_weights_`. Takes 8 bytes per member, row and output.
        """
        rows = self._encode(X)
        return self._shaped(self.forest_.draws(rows, self._workers(len(rows))), axis=2)

    def predict_quantiles(self, X: Any, alpha: ArrayLike, kind: str = "prediction") -> F64:
        """Quantiles of the response, or of its mean.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        alpha : float or array-like of float
            Levels in [0, 1]; many cost little more than one.
        kind : {"prediction", "mean"}, default="prediction"
            ``"prediction"``: of the response itself, from the weighted training responses in
            the leaves that the row falls in. ``"mean"``: of the members' means, that is of the
            posterior of the mean.

        Returns
        -------
        ndarray, (n_rows[, n_outputs][, n_levels])
            Without the last axis for a single level, without the middle one if the training
            response had one column. The quantile at level a is the smallest value whose
            cumulative weight is at least a. Besides the result, kind "mean" uses at most some
            128 MiB. Kind "prediction" makes on its first call, and keeps, 12 bytes per training
            row and response, 4 per leaf, and per tree and training row in its leaves 4 in random
            forests, 12 in others (from 16 million of these on 1 and none).
        """
        caller = f"{self._name}.predict_quantiles"
        check_kind(kind, caller)
        levels = check_alpha(alpha, caller)
        rows, asked = self._encode(X), np.atleast_1d(levels)
        ask = self.predictive_.quantiles_of_mean
        if kind == "prediction":
            self.predictive_.check(caller, asked)
            ask = self.predictive_.quantiles
        found = self._shaped(ask(self.forest_, rows, asked, self._workers(len(rows))))
        return found if levels.ndim else found[..., 0]

    def predict_interval(self, X: Any, coverage: float = 0.9, kind: str = "prediction") -> F64:
        """Central interval of the response, or of its mean.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            Probability that the interval holds, in (0, 1).
        kind : {"prediction", "mean"}, default="prediction"
            As in `predict_quantiles`. An interval of the mean says how sure the forest is of
            its own fit; it is no interval for a new response.

        Returns
        -------
        ndarray, (n_rows, 2) or (n_rows, n_outputs, 2)
            Lower and upper ends: quantiles, or `predict` where it lies beyond them, as a mean may
            where few values are far from the others. Where `support` is near 0 there are no data,
            and the interval holds nothing to its promise.
        """
        caller = f"{self._name}.predict_interval"
        check_kind(kind, caller)
        levels = interval_levels(check_coverage(coverage, caller))
        rows = self._encode(X)
        asked = self.forest_, rows, levels, self._workers(len(rows))
        if kind == "prediction":
            self.predictive_.check(caller, levels)
            return self._shaped(self.predictive_.interval(*asked))
        ends = self.predictive_.quantiles_of_mean(*asked)
        mean = self.predictive_.mean(self.forest_, rows, self._workers(len(rows)))
        return self._shaped(hold(ends, mean))

    def predict_var(self, X: Any, kind: str = "prediction") -> F64:
        """Variance of the response, or of its mean; never negative.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        kind : {"prediction", "mean"}, default="prediction"
            ``"prediction"``: of the response itself, `uncertainty`'s ``total``. ``"mean"``: of
            the members' means, `uncertainty`'s ``knowledge``.

        Returns
        -------
        ndarray, (n_rows,) or (n_rows, n_outputs)
        """
        caller = f"{self._name}.predict_var"
        check_kind(kind, caller)
        rows = self._encode(X)
        if kind == "prediction":
            return self._variance_parts(rows, caller).total
        workers = self._workers(len(rows))
        return self._shaped(self.predictive_.variance_of_mean(self.forest_, rows, workers))

    def uncertainty(self, X: Any) -> Uncertainty:
        """Variance of the response and where it comes from.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        Uncertainty
            ``total``, ``data`` and ``knowledge``, each (n_rows,) or (n_rows, n_outputs). Members
            may agree where there are no data, so ask `support` too.

        Notes
        -----
        By the law of total variance, over members m of weight w_m,

            Var(y) = Σ w_m Var(y | leaf_m)  +  Σ w_m (ȳ_m − ȳ)²,
            total  =  data                  +  knowledge.

        Var(y | leaf_m) is the weighted variance of the training responses in the leaf. The first
        call computes it for all leaves and keeps it: about the memory of the trees again. At most
        some 128 MiB are used besides (or five times the draws of one row, if those are more).
        """
        return self._variance_parts(self._encode(X), f"{self._name}.uncertainty")

    def _variance_parts(self, rows: NDArray[Any], caller: str) -> Uncertainty:
        self.predictive_.check(caller)
        workers = self._workers(len(rows))
        parts = self.predictive_.variance_parts(self.forest_, rows, workers)
        return Uncertainty(*map(self._shaped, (parts.total, parts.data, parts.knowledge)))
