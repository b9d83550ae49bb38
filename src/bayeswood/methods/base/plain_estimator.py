"""As much of an estimator's base classes as a process needs that only predicts.

See `bayeswood.methods.base.process`. Parameters can be read and set; there is no cloning, no
routing of metadata, no HTML, for nothing is fitted there.
"""

from inspect import signature
from typing import Any, Self


class NotFittedError(ValueError, AttributeError):
    """An estimator that is not fitted yet."""


class BaseEstimator:
    """Parameters by name, in the order of the alphabet as scikit-learn gives them."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(name for name in signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters that exist."""
        for name, value in params.items():
            if name not in self._get_param_names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}.")
            setattr(self, name, value)
        return self


class ClassifierMixin:
    """A classifier, of which nothing more is asked."""


class RegressorMixin:
    """A regressor, of which nothing more is asked."""
