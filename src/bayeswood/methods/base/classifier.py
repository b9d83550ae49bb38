"""What can be asked of a classifier: its forest and its predictive, together."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import check_kind, parameter_error
from bayeswood.methods.base.parts import ClassLabels
from bayeswood.methods.base.predictive import MemberAverage, Predictive
from bayeswood.methods.base.scikit_learn import ClassifierMixin
from bayeswood.methods.base.training_data import Target, TrainingData, read_class_target
from bayeswood.uncertainty import Uncertainty, check_alpha, check_coverage

F64 = NDArray[np.float64]


class ForestClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """A forest whose members give class probabilities. Not to be used by itself."""

    _target_kind = ClassLabels
    classes_: NDArray[Any]

    def _read_target(self, y: Any) -> Target:
        return read_class_target(y, self._name)

    def _target_part(self, target: Target) -> ClassLabels:
        return ClassLabels(np.asarray(target.classes))

    def _predictive_kind(self) -> type[Predictive]:
        return MemberAverage

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        return grown, self._predictive_kind()()

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
        """Class probabilities.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            In the order of `classes_`. How the members' leaves become probabilities is said by
            `predictive_`; in most methods they are averaged by the members' weights.
        """
        rows = self._encode(X)
        workers = self._workers(len(rows))
        found: F64 = self.predictive_.probabilities(self.forest_, rows, workers)
        return found

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
        found: F64 = self.predictive_.draws(self.forest_, rows, self._workers(len(rows)))
        return found

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
        n_members = self.forest_.n_members
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
            The first for a single level: the smallest value whose members, and those below, have
            at least that much of the weight. At most some 4 MiB per thread are used besides the
            result (or the draws of one row, if those are more).
        """
        levels = check_alpha(alpha, f"{self._name}.predict_quantiles")
        rows = self._encode(X)
        workers = self._workers(len(rows))
        flat = np.atleast_1d(levels)
        found: F64 = self.predictive_.quantiles(self.forest_, rows, flat, workers)
        return found if levels.ndim else found[..., 0]

    def predict_interval(self, X: Any, coverage: float = 0.9, kind: str = "mean") -> F64:
        """Interval around each class probability, as wide as the members differ.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            How often it is meant to hold the true probability, in (0, 1).
        kind : {"mean", "prediction"}, default="mean"
            As for regressors; a class label has no interval, so that both mean the same here.

        Returns
        -------
        ndarray, (n_rows, n_classes, 2)
            Lower and upper ends. They hold what `predict_proba` says, on every row. Where
            `support` is near 0 there are no data, and narrow intervals mean nothing.

        Notes
        -----
        p_c ± z sd_c within [0, 1]: p_c from `predict_proba`, sd_c the weighted standard deviation
        of the members' probabilities, and z the normal quantile at (1 + coverage) / 2. Quantiles
        over the members (`predict_quantiles`) would not do: where 97 members of 100 say 0 and three
        say 1, both ends of the central 90 % are 0 and the answer .03 is outside; and where the
        answer is more than the members' average, such as recalibrated, their quantiles are about
        another number. A single tree varies more than a forest, so that it often covers more than
        asked, and nothing corrects for bias.
        """
        caller = f"{self._name}.predict_interval"
        check_kind(kind, caller)
        share = check_coverage(coverage, caller)
        rows = self._encode(X)
        workers = self._workers(len(rows))
        found: F64 = self.predictive_.interval(self.forest_, rows, share, workers)
        return found

    def uncertainty(self, X: Any) -> Uncertainty:
        """Entropy of the prediction and where it comes from, in nats.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        Uncertainty
            ``total``, ``data`` and ``knowledge``, each (n_rows,). Members may agree where there
            are no data, so ask `support` too.

        Notes
        -----
        With members m of weight w_m and class probabilities p_m,

            total = H(Σ w_m p_m),  data = Σ w_m H(p_m),  knowledge = total − data,

        H the entropy −Σ_c p_c log p_c. Knowledge is the mutual information of class and member:
        0 where all members agree. At most some 128 MiB are used besides the result (or five
        times the draws of one row, if those are more).
        """
        rows = self._encode(X)
        workers = self._workers(len(rows))
        found: Uncertainty = self.predictive_.entropy_parts(self.forest_, rows, workers)
        return found
