"""Classifiers whose leaves have a Dirichlet prior, by its total or class by class."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest.class_prior import class_alphas, total_alpha
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.parameters import NONE, Constraint, per_class, real
from bayeswood.methods.base.training_data import TrainingData, read_known_classes
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable

F64 = NDArray[np.float64]

CONCENTRATION = 5.0

CLASS_PRIOR: Mapping[str, Constraint] = {
    "concentration": real(0, closed="neither", integers=True),
    "dirichlet_alpha": per_class(real(0, closed="neither", integers=True)) | NONE,
}


class DirichletClassifier(ForestClassifier):
    """A forest in whose leaves the class probabilities have the prior Dirichlet(α_1, ..., α_K).

    α_c is `concentration` / K, or what `dirichlet_alpha` says; the likelihood counts to the power
    `power`. Not to be used by itself.
    """

    def _class_leaves(
        self, data: TrainingData, copies: NDArray[np.int32] | None
    ) -> tuple[_core.LeafModel, dict[str, Any]]:
        """The core's model of the leaves with the classes in it, and fitted attributes."""
        alphas = self._class_alphas(data.n_classes)
        return _core.class_leaves(data.target.y, copies, alpha=alphas, power=float(self.power)), {}

    def _class_alphas(self, n_classes: int) -> F64:
        """α_c of each class."""
        if self.dirichlet_alpha is None:
            return np.full(n_classes, float(self.concentration) / n_classes)
        if self.concentration != CONCENTRATION:
            raise BayeswoodError(
                f"{self._name} takes 'concentration' (the sum over the classes) or "
                "'dirichlet_alpha' (for each class), not both. "
                f"Got {self.concentration!r} and {self.dirichlet_alpha!r}."
            )
        return class_alphas(self.dirichlet_alpha, n_classes, self._name)

    def _class_left_out(self, table: LeafTable, leaves: NDArray[np.int64], y: NDArray[Any]) -> F64:
        """Log probability of fitted rows' classes, left out of their leaves, (n_trees, n_rows)."""
        alpha = total_alpha(self._class_alphas(table.value.shape[1]))
        total = table.n_samples[leaves] + alpha
        # (m + α_c)/(n + α) with one row of the class fewer.
        left_out: F64 = np.log(table.value[leaves, y] * total - 1) - np.log(total - 1)
        return left_out

    def _class_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        """The same of users' classes, by the trees of the fitted forest."""
        from sklearn.utils.validation import check_consistent_length

        numbers = read_known_classes(y, self.classes_, self._name, learns=False).y
        check_consistent_length(rows, numbers)
        table = LeafTable.of(self.forest_)
        parts = [
            self._class_left_out(table, leaves, numbers[block])
            for block, leaves in table.blocks(rows, n_jobs)
        ]
        return np.concatenate(parts, axis=1)

    @classmethod
    def _from_parameters(cls, parameters: dict[str, Any]) -> Self:
        # Older files call the total `dirichlet_alpha`.
        if "dirichlet_alpha" in parameters and "concentration" not in parameters:
            total = parameters["dirichlet_alpha"]
            parameters = {**parameters, "concentration": total, "dirichlet_alpha": None}
        return super()._from_parameters(parameters)
