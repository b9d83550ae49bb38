"""The bases of all methods.

A method is one file: a subclass of `ForestClassifier` or `ForestRegressor` with its parameters,
their constraints, and `_grow`, which turns training data into a `GrownForest`. All that can be
asked of a fitted forest is here and asks only the forest.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base import saved_state
from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import parameter_error
from bayeswood.methods.base.training_data import (
    Target,
    TrainingData,
    read_class_target,
    read_numeric_target,
)
from bayeswood.table import Schema
from bayeswood.uncertainty import (
    Responses,
    Uncertainty,
    check_alpha,
    check_coverage,
    interval_levels,
    member_quantiles,
    member_variance,
    split_entropy,
)

F64 = NDArray[np.float64]

_KINDS = ("prediction", "mean")


def _check_kind(kind: str, caller: str) -> None:
    if kind not in _KINDS:
        raise parameter_error("kind", caller, "one of 'prediction', 'mean'", kind)


class ForestClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """A forest whose members give class probabilities. Not to be used by itself."""

    classes_: NDArray[Any]

    def _read_target(self, y: Any) -> Target:
        return read_class_target(y, self._name)

    def _fitted(self, data: TrainingData, grown: GrownForest) -> dict[str, Any]:
        classes = data.target.classes
        return {**self._described(data.schema, grown, classes), "classes_": classes}

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of each row.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows,)
            Labels from `classes_`; of equally probable classes the first.
        """
        best = np.argmax(self.predict_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> F64:
        """Class probabilities, averaged over the members by their weights.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            In the order of `classes_`.
        """
        rows = self._encode(X)
        return self.forest_.predict(rows, self._workers(len(rows)))

    def predict_log_proba(self, X: Any) -> F64:
        """Logarithm of `predict_proba`; ``-inf`` where a class has probability 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_draws(self, X: Any) -> F64:
        """Class probabilities by every member.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_members, n_rows, n_classes)
            Weigh them by `member_weights_`. Takes 8 bytes per member, row and class.
        """
        rows = self._encode(X)
        return self.forest_.draws(rows, self._workers(len(rows)))

    def predict_votes(self, X: Any, member_weights: ArrayLike | None = None) -> F64:
        """Weight of the members that vote for each class.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        member_weights : array-like, (n_members,), default=None
            Non-negative; by default `member_weights_`.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            Each row sums to the sum of the weights, by default 1. A member votes for the most
            probable class of the row's leaf, of equally probable ones for the first.
        """
        rows = self._encode(X)
        weights = self._vote_weights(member_weights)
        return self.forest_.votes(rows, self._workers(len(rows)), weights)

    def _vote_weights(self, member_weights: ArrayLike | None) -> F64:
        if member_weights is None:
            return self.member_weights_
        weights = np.ascontiguousarray(member_weights, dtype=np.float64)
        n_members = self.forest_.n_trees
        if weights.shape != (n_members,) or not np.all(np.isfinite(weights) & (weights >= 0)):
            words = f"{n_members} finite numbers >= 0"
            raise parameter_error(
                "member_weights", f"{self._name}.predict_votes", words, member_weights
            )
        return weights

    def predict_quantiles(self, X: Any, alpha: ArrayLike) -> F64:
        """Quantiles of each class probability over the members.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        alpha : float or array-like of float
            Levels in [0, 1].

        Returns
        -------
        ndarray, (n_rows, n_classes) or (n_rows, n_classes, n_levels)
            The first for a single level. At most some 128 MiB are used besides the result (or
            five times the draws of one row, if those are more).
        """
        levels = check_alpha(alpha, f"{self._name}.predict_quantiles")
        rows = self._encode(X)
        flat = np.atleast_1d(levels)
        found = self._over_blocks(rows, lambda d: member_quantiles(d, self.member_weights_, flat))
        return found if levels.ndim else found[..., 0]

    def predict_interval(self, X: Any, coverage: float = 0.9, kind: str = "mean") -> F64:
        """Interval of each class probability: its central quantiles over the members.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            Share of the members' weight that the interval holds, in (0, 1).
        kind : {"mean", "prediction"}, default="mean"
            As for regressors; a class label has no interval, so that both mean the same here.

        Returns
        -------
        ndarray, (n_rows, n_classes, 2)
            Lower and upper ends. Memory as in `predict_quantiles`.
        """
        caller = f"{self._name}.predict_interval"
        _check_kind(kind, caller)
        return self.predict_quantiles(X, interval_levels(check_coverage(coverage, caller)))

    def uncertainty(self, X: Any) -> Uncertainty:
        """Entropy of the prediction and where it comes from, in nats.

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
        With members m of weight w_m and class probabilities p_m,

            total = H(Σ w_m p_m),  data = Σ w_m H(p_m),  knowledge = total − data,

        H the entropy −Σ_c p_c log p_c. Knowledge is the mutual information of class and member:
        0 where all members agree. At most some 128 MiB are used besides the result (or five
        times the draws of one row, if those are more).
        """
        rows = self._encode(X)
        split = self._over_blocks(
            rows, lambda draws: np.stack(split_entropy(draws, self.member_weights_), axis=-1)
        )
        return Uncertainty(*np.ascontiguousarray(split.T))

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Any]:
        meta, arrays, forest = super()._state()
        return {**meta, "classes": saved_state.classes_to_plain(self.classes_)}, arrays, forest

    def _restored(
        self,
        meta: dict[str, Any],
        arrays: dict[str, NDArray[Any]],
        schema: Schema,
        grown: GrownForest,
    ) -> dict[str, Any]:
        classes = saved_state.classes_from_plain(saved_state.take(meta, "classes", dict))
        if not grown.forest.is_classifier or len(classes) != grown.forest.n_outputs:
            raise BayeswoodError("The model file's classes do not match its trees.")
        return {**self._described(schema, grown, classes), "classes_": classes}


class ForestRegressor(RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """A forest whose members give means of one or more responses. Not to be used by itself."""

    n_outputs_: int
    _single_output: bool
    _responses: Responses | None

    def _read_target(self, y: Any) -> Target:
        return read_numeric_target(y, self._name)

    def _fitted(self, data: TrainingData, grown: GrownForest) -> dict[str, Any]:
        responses = None
        if grown.row_weights is not None and grown.forest.has_rows:
            responses = Responses(data.target.y, data.sample_weight, grown.row_weights)
        return {
            **self._described(data.schema, grown),
            "n_outputs_": grown.forest.n_outputs,
            "_single_output": data.target.single_output,
            "_responses": responses,
        }

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect of the estimator."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _shaped(self, outputs: F64, axis: int = 1) -> F64:
        """Without the axis of outputs where the user's y had none."""
        return outputs.squeeze(axis) if self._single_output else outputs

    def _need_responses(self, caller: str) -> Responses:
        if self._responses is None:
            raise BayeswoodError(
                f"{self._name}.{caller} needs the training responses in the leaves, which were "
                "not kept. Fit with keep_responses=True, or ask for kind='mean'."
            )
        return self._responses

    def predict(self, X: Any) -> F64:
        """Mean response, averaged over the members by their weights.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows,) or (n_rows, n_outputs)
            In the shape of the training response.
        """
        rows = self._encode(X)
        return self._shaped(self.forest_.predict(rows, self._workers(len(rows))))

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
            row and response, 4 per leaf, and in random forests 1 per training row and tree.
        """
        caller = f"{self._name}.predict_quantiles"
        _check_kind(kind, caller)
        levels = check_alpha(alpha, caller)
        found = self._quantiles(self._encode(X), np.atleast_1d(levels), kind, "predict_quantiles")
        return found if levels.ndim else found[..., 0]

    def _quantiles(self, rows: NDArray[Any], levels: F64, kind: str, caller: str) -> F64:
        if kind == "mean":
            weights = self.member_weights_
            found = self._over_blocks(rows, lambda d: member_quantiles(d, weights, levels))
        else:
            responses = self._need_responses(caller)
            found = responses.quantiles(self.forest_, rows, levels, self._workers(len(rows)))
        return self._shaped(found)

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
            Lower and upper ends.
        """
        caller = f"{self._name}.predict_interval"
        _check_kind(kind, caller)
        levels = interval_levels(check_coverage(coverage, caller))
        return self._quantiles(self._encode(X), levels, kind, "predict_interval")

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
        _check_kind(kind, f"{self._name}.predict_var")
        rows = self._encode(X)
        if kind == "prediction":
            return self._split(rows, "predict_var").total
        weights = self.member_weights_
        return self._shaped(self._over_blocks(rows, lambda d: member_variance(d, weights)))

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
        By the law of total variance, over members m of weight w_m,

            Var(y) = Σ w_m Var(y | leaf_m)  +  Σ w_m (ȳ_m − ȳ)²,
            total  =  data                  +  knowledge.

        Var(y | leaf_m) is the weighted variance of the training responses in the leaf. The first
        call computes it for all leaves and keeps it: about the memory of the trees again. At most
        some 128 MiB are used besides (or five times the draws of one row, if those are more).
        """
        return self._split(self._encode(X), "uncertainty")

    def _split(self, rows: NDArray[Any], caller: str) -> Uncertainty:
        responses = self._need_responses(caller)
        data = responses.variance(self.forest_, rows, self._workers(len(rows)))
        weights = self.member_weights_
        knowledge = self._over_blocks(rows, lambda draws: member_variance(draws, weights))
        return Uncertainty(*map(self._shaped, (data + knowledge, data, knowledge)))

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Any]:
        meta, arrays, forest = super()._state()
        meta["single_output"] = self._single_output
        if self._responses is not None:
            self._responses.write(meta, arrays)
        return meta, arrays, forest

    def _restored(
        self,
        meta: dict[str, Any],
        arrays: dict[str, NDArray[Any]],
        schema: Schema,
        grown: GrownForest,
    ) -> dict[str, Any]:
        forest = grown.forest
        single_output = saved_state.take(meta, "single_output", bool)
        if forest.is_classifier or (single_output and forest.n_outputs != 1):
            raise BayeswoodError("The model file's responses do not match its trees.")
        return {
            **self._described(schema, grown),
            "n_outputs_": forest.n_outputs,
            "_single_output": single_output,
            "_responses": saved_state.take_responses(meta, arrays, grown),
        }
