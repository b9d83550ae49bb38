"""What can be asked of a classifier: its forest and its predictive, together."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.class_weight import weigh_classes
from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import check_kind, parameter_error
from bayeswood.methods.base.parts import ClassBlocks, ClassLabels
from bayeswood.methods.base.predictive import MemberAverage, Predictive
from bayeswood.methods.base.scikit_learn import ClassifierMixin
from bayeswood.methods.base.training_data import (
    Target,
    TrainingData,
    read_class_target,
    split_blocks,
)
from bayeswood.uncertainty import Uncertainty, check_alpha, check_coverage

F64 = NDArray[np.float64]


class ForestClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """A forest whose members give class probabilities. Not to be used by itself."""

    _target_kind: ClassVar[type[ClassLabels] | type[ClassBlocks]] = ClassLabels
    classes_: NDArray[Any]

    def _read_target(self, y: Any) -> Target:
        return read_class_target(y, self._name)

    def _weighed(self, target: Target, sample_weight: Any) -> Any:
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None:
            return sample_weight
        return weigh_classes(class_weight, target, sample_weight, self._name)

    def _target_part(self, target: Target) -> ClassLabels | ClassBlocks:
        if target.blocks:
            return ClassBlocks(target.blocks)
        return ClassLabels(np.asarray(target.classes))

    def _predictive_kind(self) -> type[Predictive]:
        return MemberAverage

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        return grown, self._predictive_kind()()

    @property
    def n_classes_(self) -> int | list[int]:
        """Number of classes; a list where there are several outputs."""
        blocks = self._blocks()
        return [len(classes) for classes in blocks] if blocks else len(self.classes_)

    @property
    def n_outputs_(self) -> int:
        """Number of outputs: columns of y."""
        self._check_fitted()
        return len(self._blocks()) or 1

    def _blocks(self) -> list[NDArray[Any]]:
        """The classes of each output, where there are several."""
        return self.classes_ if isinstance(self.classes_, list) else []

    def _split(self, shares: F64) -> Any:
        """Class probabilities as the user gets them: a list where there are several outputs."""
        blocks = self._blocks()
        return split_blocks(shares, blocks) if blocks else shares

    def _decide(self, shares: F64) -> NDArray[Any]:
        """The most probable class of each output."""
        blocks = self._blocks()
        if not blocks:
            return np.asarray(self.classes_[np.argmax(shares, axis=1)])
        pairs = zip(blocks, split_blocks(shares, blocks), strict=True)
        return np.column_stack([classes[np.argmax(part, axis=1)] for classes, part in pairs])

    def _encode_single(self, X: Any, caller: str) -> NDArray[Any]:
        """Rows, for an answer that there is for one output alone."""
        rows = self._encode(X)
        if self._blocks():
            raise BayeswoodError(
                f"{self._name}.{caller} answers for one output, and there are {self.n_outputs_}. "
                "sklearn.multioutput.MultiOutputClassifier fits a forest for each."
            )
        return rows

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of each row.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows,) or (n_rows, n_outputs)
            Labels from `classes_`; of equally probable classes the first.
        """
        return self._decide(self._shares(X))

    def predict_proba(self, X: Any) -> F64:
        """Class probabilities.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            In the order of `classes_`; a list of such where there are several outputs. How the
            members' leaves become probabilities is said by `predictive_`; in most methods they are
            averaged by the members' weights.
        """
        found: F64 = self._split(self._shares(X))
        return found

    def _shares(self, X: Any) -> F64:
        rows = self._encode(X)
        found: F64 = self.predictive_.probabilities(self.forest_, rows, self._workers(len(rows)))
        return found

    def predict_log_proba(self, X: Any) -> F64:
        """Logarithm of `predict_proba`; ``-inf`` where a class has probability 0."""
        with np.errstate(divide="ignore"):
            found: F64 = self._split(np.log(self._shares(X)))
        return found

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
        rows = self._encode_single(X, "predict_draws")
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
        rows = self._encode_single(X, "predict_votes")
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
        rows = self._encode_single(X, "predict_quantiles")
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
        rows = self._encode_single(X, "predict_interval")
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
        rows = self._encode_single(X, "uncertainty")
        workers = self._workers(len(rows))
        found: Uncertainty = self.predictive_.entropy_parts(self.forest_, rows, workers)
        return found
