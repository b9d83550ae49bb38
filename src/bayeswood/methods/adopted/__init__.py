"""Forests that other libraries fitted, taken over as they are."""

from bayeswood.methods.adopted.adopted_forest import AdoptedClassifier, AdoptedRegressor
from bayeswood.methods.adopted.from_lightgbm import from_lightgbm
from bayeswood.methods.adopted.from_sklearn import from_sklearn
from bayeswood.methods.adopted.from_xgboost import from_xgboost

__all__ = [
    "AdoptedClassifier",
    "AdoptedRegressor",
    "from_lightgbm",
    "from_sklearn",
    "from_xgboost",
]
