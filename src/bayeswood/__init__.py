"""Tree ensembles that say how sure they are.

Estimators in scikit-learn's idiom, all importable from here:

- `BayesianForestClassifier`, `BayesianForestRegressor`: a posterior sample of CART trees.
- `RandomForestClassifier`, `RandomForestRegressor`: bootstrap samples and random features.
- `RandomizedTreesClassifier`: splits drawn among the best.
- `SafeBayesForestClassifier`, `SafeBayesForestRegressor`: trees drawn before any data are seen;
  updated, merged, un-learned and left-one-out exactly.

`load` reads what an estimator's ``save`` wrote. `theory` holds the papers' closed forms,
`datasets` data to try things on, `plots` and `report` pictures and pages.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest, Tree
from bayeswood.methods import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomizedTreesClassifier,
    SafeBayesForestClassifier,
    SafeBayesForestRegressor,
    load,
)
from bayeswood.uncertainty import Uncertainty

try:
    __version__ = version("bayeswood")
except PackageNotFoundError:  # a source tree that is not installed
    __version__ = "0.0.0"

# Imported at first use: some of them need packages that are optional.
_ON_DEMAND = ("datasets", "plots", "report", "theory")

__all__ = [
    "BayesianForestClassifier",
    "BayesianForestRegressor",
    "BayeswoodError",
    "Forest",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomizedTreesClassifier",
    "SafeBayesForestClassifier",
    "SafeBayesForestRegressor",
    "Tree",
    "Uncertainty",
    "__version__",
    "load",
]


def __getattr__(name: str) -> ModuleType:
    if name in _ON_DEMAND:
        return import_module(f"bayeswood.{name}")
    raise AttributeError(f"module 'bayeswood' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ON_DEMAND])
