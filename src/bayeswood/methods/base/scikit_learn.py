"""What estimators inherit from scikit-learn; in a process that only predicts, a stand-in."""

from typing import TYPE_CHECKING

from bayeswood.methods.base.process import only_predicts

if TYPE_CHECKING or not only_predicts():
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import NotFittedError
else:
    from bayeswood.methods.base.plain_estimator import (
        BaseEstimator,
        ClassifierMixin,
        NotFittedError,
        RegressorMixin,
    )

__all__ = ["BaseEstimator", "ClassifierMixin", "NotFittedError", "RegressorMixin"]
