"""An `EnvelopeClassifier` in a model file: its ensemble's model, and what it adds to it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base import saved_state
from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.uncertainty import GammaChoice

_LABELS = (str, bool, int, float, type(None))
_UNUSABLE_CHOICE = "The model file holds an unusable choice of gamma0."


@dataclass(frozen=True)
class SavedEnvelope:
    """What a file holds.

    Attributes
    ----------
    ensemble : ForestEstimator
        Fitted.
    is_frozen : bool
        Whether it was given as it is, in a ``FrozenEstimator``.
    parameters : dict
        Of the classifier, but for its ``estimator``.
    gamma0 : float
        γ₀.
    choice : GammaChoice or None
        What is known about it.
    """

    ensemble: ForestEstimator
    is_frozen: bool
    parameters: dict[str, Any]
    gamma0: float
    choice: GammaChoice | None

    @classmethod
    def of(cls, fitted: Any) -> "SavedEnvelope":
        """What is to be kept of a fitted classifier."""
        is_frozen = isinstance(fitted.estimator_, FrozenEstimator)
        ensemble = fitted.estimator_.estimator if is_frozen else fitted.estimator_
        if not isinstance(ensemble, ForestEstimator):
            raise BayeswoodError(
                "EnvelopeClassifier.save needs an ensemble of this package. Got "
                f"{type(ensemble).__name__} instead: save that by its own means, and load it into "
                f"EnvelopeClassifier(FrozenEstimator(...), gamma0={fitted.gamma0_})."
            )
        parameters = fitted.get_params(deep=False)
        del parameters["estimator"]
        choice = vars(fitted).get("choice_")
        return cls(ensemble, is_frozen, parameters, float(fitted.gamma0_), choice)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Forest]:
        """As plain data, arrays and a forest: the ensemble's, with ours beside them."""
        label = self.parameters["reject_label"]
        if not isinstance(label, _LABELS):
            raise BayeswoodError(
                "EnvelopeClassifier.save needs a 'reject_label' that is a string, a number, a bool "
                f"or None. Got {label!r} instead."
            )
        inner, arrays, forest = self.ensemble._state()
        envelope = {
            "class_name": type(self.ensemble).__name__,
            "is_frozen": self.is_frozen,
            "parameters": saved_state.plain_parameters(self.parameters),
            "gamma0": self.gamma0,
            "choice": None if self.choice is None else asdict(self.choice),
        }
        return {"ensemble": inner, "envelope": envelope}, arrays, forest

    @classmethod
    def read(
        cls,
        meta: dict[str, Any],
        arrays: dict[str, NDArray[Any]],
        forest: Forest,
        known: Mapping[str, type[ForestEstimator]],
    ) -> "SavedEnvelope":
        """What `state` gave; the ensemble must be of a known class, by name."""
        plain = saved_state.read_value(meta, "envelope", dict)
        name = saved_state.read_value(plain, "class_name", str)
        if name not in known or not hasattr(known[name], "predict_votes"):
            raise BayeswoodError(f"The model file holds an envelope of {name!r}, which cannot be.")
        inner = saved_state.read_value(meta, "ensemble", dict)
        parameters = saved_state.read_value(plain, "parameters", dict)
        saved_state.read_value(parameters, "reject_label", _LABELS)
        return cls(
            known[name]._from_state(inner, arrays, forest),
            saved_state.read_value(plain, "is_frozen", bool),
            parameters,
            saved_state.read_value(plain, "gamma0", float),
            _read_choice(saved_state.read_value(plain, "choice", (dict, type(None)))),
        )


def _read_choice(plain: dict[str, Any] | None) -> GammaChoice | None:
    if plain is None:
        return None
    kinds = {field.name: field.type for field in fields(GammaChoice)}
    folds = [*plain.get("fold_gamma0", [None]), *dict(plain.get("two_sigma", {})).values()]
    fits = set(plain) == set(kinds) and all(isinstance(number, float) for number in folds)
    if not fits or any(
        type(plain[name]) is not kind for name, kind in kinds.items() if kind in _LABELS
    ):
        raise BayeswoodError(_UNUSABLE_CHOICE)
    return GammaChoice(**{**plain, "fold_gamma0": tuple(plain["fold_gamma0"])})
