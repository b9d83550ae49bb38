"""Classifiers whose leaves have a Dirichlet prior, by its total or class by class."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest.class_prior import class_alphas
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.parameters import NONE, Constraint, per_class, real
from bayeswood.methods.base.training_data import TrainingData

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

    @classmethod
    def _from_parameters(cls, parameters: dict[str, Any]) -> Self:
        # Older files call the total `dirichlet_alpha`.
        if "dirichlet_alpha" in parameters and "concentration" not in parameters:
            total = parameters["dirichlet_alpha"]
            parameters = {**parameters, "concentration": total, "dirichlet_alpha": None}
        return super()._from_parameters(parameters)
