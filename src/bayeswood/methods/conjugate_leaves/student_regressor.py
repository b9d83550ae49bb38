"""Regressors whose leaves predict a Student distribution: quantiles, intervals and variances."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.methods.base.training_data import Target, TrainingData, read_single_response
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.methods.conjugate_leaves.response_scale import ResponseScale
from bayeswood.methods.conjugate_leaves.student_leaves import StudentLeaves
from bayeswood.uncertainty import Uncertainty

F64 = NDArray[np.float64]


class StudentRegressor(ForestRegressor):
    """A forest of one response in whose leaves it has a Student distribution.

    Its prior has κ = `prior_strength` and a = `prior_shape`, its likelihood counts to the power
    `power`; the leaves' means are in the forest,
    their variances in `leaf_variance_`. Not to be used by itself.
    """

    leaf_variance_: F64

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect of the estimator."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _read_target(self, y: Any) -> Target:
        return read_single_response(y, self._name)

    def predict_quantiles(self, X: Any, alpha: Any, kind: str = "prediction") -> F64:
        """Quantiles of the response, or of the members' means.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        alpha : float or array-like of float
            Levels in [0, 1]; 0 and 1 are minus and plus infinity for kind "prediction".
        kind : {"prediction", "mean"}, default="prediction"
            ``"prediction"``: of the mixture of the trees' Student distributions. ``"mean"``: of
            the members' means, weighted.

        Returns
        -------
        ndarray, (n_rows[, n_levels])
            Without the last axis for a single level.
        """
        return super().predict_quantiles(X, alpha, kind)

    def _response_prior(
        self, y: F64, copies: NDArray[np.int32] | None
    ) -> tuple[ResponseScale, dict[str, float]]:
        """Centre and unit of the response, and b of the prior, as they are kept."""
        scale = ResponseScale.of(y, copies)
        b = float(self.prior_noise) * scale.variance * (float(self.prior_shape) - 1)
        settings = {"response_center_": scale.center, "response_unit_": scale.unit}
        return scale, {**settings, "prior_scale_": b}

    def _number_leaves(
        self, data: TrainingData, copies: NDArray[np.int32] | None
    ) -> tuple[_core.LeafModel, dict[str, Any]]:
        """The core's model of the leaves with the responses in it, and fitted attributes."""
        y = data.target.y[:, 0]
        scale, settings = self._response_prior(y, copies)
        model = _core.number_leaves(
            scale.to_units(y, self._name),
            copies,
            unit=scale.unit,
            strength=float(self.prior_strength),
            shape=float(self.prior_shape),
            scale=settings["prior_scale_"],
            center=scale.center,
            power=float(self.power),
        )
        return model, settings

    def _students(self, variance: F64) -> StudentLeaves:
        return StudentLeaves(variance, float(self.prior_strength), float(self.prior_shape))

    def _number_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        """Log density of users' responses, left out of their leaves, (n_trees, n_rows)."""
        from sklearn.utils.validation import check_consistent_length

        numbers = self._read_target(y).y[:, 0]
        check_consistent_length(rows, numbers)
        table = LeafTable.of(self.forest_)
        parts = [
            self.predictive_.log_left_out(table, leaves, numbers[block])
            for block, leaves in table.blocks(rows, n_jobs)
        ]
        return np.concatenate(parts, axis=1)

    def _predictive_kind(self) -> type[Predictive]:
        return StudentLeaves

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        return grown, self._students(grown.settings["leaf_variance_"])

    def uncertainty(self, X: Any) -> Uncertainty:
        """Variance of the response and where it comes from.

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
        ``total`` is the variance of the mixture over trees, ``knowledge`` the variance of their
        means, and ``data`` the average variance of their predictive distributions.
        """
        return super().uncertainty(X)
