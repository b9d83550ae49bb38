"""Tree ensembles that say how sure they are.

Estimators in scikit-learn's idiom, all importable from here:

- `CalibratedForestClassifier`, `CalibratedForestRegressor`: the ones to start with; probabilities
  and intervals that hold, calibrated on out-of-bag rows.
- `BayesianForestClassifier`, `BayesianForestRegressor`: a posterior sample of CART trees.
- `EmpiricalBayesianForestClassifier`, `EmpiricalBayesianForestRegressor`: the same in pieces, a
  fixed trunk and a forest in each of its leaves.
- `SubsampleForestClassifier`, `SubsampleForestRegressor`: forests of disjoint parts of the rows,
  to compare with these.
- `RandomForestClassifier`, `RandomForestRegressor`: bootstrap samples and random features.
- `RandomizedTreesClassifier`: splits drawn among the best.
- `SafeBayesForestClassifier`, `SafeBayesForestRegressor`: trees drawn before any data are seen;
  updated, merged, un-learned and left-one-out exactly.
- `MCMCTreeClassifier`, `MCMCTreeRegressor`: the posterior over one decision tree, by Markov chains.
- `SMCTreeClassifier`, `SMCTreeRegressor`: the same by particles.
- `BARTClassifier`, `BARTRegressor`: Bayesian additive regression trees, the posterior over sums of
  small trees.
- `EnvelopeClassifier`: any of these classifiers, or of scikit-learn's, with leave to decline.

When to trust an ensemble: `UncertaintyEnvelope`, `UNCERTAIN`, `envelope_curve`, `choose_gamma0`,
`choose_gamma0_by_cost`, `compare_envelopes`.

`suggest_trunk` says how large the branches of an empirical Bayesian forest may be for a given
memory. `load` reads what an estimator's ``save`` wrote, `from_sklearn` takes a fitted forest of
scikit-learn over, `from_lightgbm` a model of LightGBM. `posterior_functional` gives the posterior
of whatever can be computed from a fitted function, `explain` one prediction in words;
`calibration_report` and `coverage_report` check what a model says on rows it has not seen.
`posterior` holds more functionals, `theory` the papers' closed forms, `datasets` data to try
things on, `plots` and `report` pictures and pages, `export` models for elsewhere: C, ONNX and more.
"""

from importlib import import_module
from types import ModuleType

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest, Tree
from bayeswood.methods import (
    BARTClassifier,
    BARTRegressor,
    BayesianForestClassifier,
    BayesianForestRegressor,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    EnvelopeClassifier,
    MCMCTreeClassifier,
    MCMCTreeRegressor,
    OutOfBagReport,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomizedTreesClassifier,
    SafeBayesForestClassifier,
    SafeBayesForestRegressor,
    SMCTreeClassifier,
    SMCTreeRegressor,
    SubsampleForestClassifier,
    SubsampleForestRegressor,
    TrunkSuggestion,
    compare_envelopes,
    from_lightgbm,
    from_sklearn,
    load,
    suggest_trunk,
)
from bayeswood.posterior import posterior_functional
from bayeswood.report import explain
from bayeswood.uncertainty import (
    UNCERTAIN,
    Uncertainty,
    UncertaintyEnvelope,
    calibration_report,
    choose_gamma0,
    choose_gamma0_by_cost,
    coverage_report,
    envelope_curve,
)
from bayeswood.version import __version__

# Imported at first use: some of them need packages that are optional.
_ON_DEMAND = ("datasets", "export", "plots", "posterior", "report", "theory")

__all__ = [
    "UNCERTAIN",
    "BARTClassifier",
    "BARTRegressor",
    "BayesianForestClassifier",
    "BayesianForestRegressor",
    "BayeswoodError",
    "CalibratedForestClassifier",
    "CalibratedForestRegressor",
    "EmpiricalBayesianForestClassifier",
    "EmpiricalBayesianForestRegressor",
    "EnvelopeClassifier",
    "Forest",
    "MCMCTreeClassifier",
    "MCMCTreeRegressor",
    "OutOfBagReport",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomizedTreesClassifier",
    "SMCTreeClassifier",
    "SMCTreeRegressor",
    "SafeBayesForestClassifier",
    "SafeBayesForestRegressor",
    "SubsampleForestClassifier",
    "SubsampleForestRegressor",
    "Tree",
    "TrunkSuggestion",
    "Uncertainty",
    "UncertaintyEnvelope",
    "__version__",
    "calibration_report",
    "choose_gamma0",
    "choose_gamma0_by_cost",
    "compare_envelopes",
    "coverage_report",
    "envelope_curve",
    "explain",
    "from_lightgbm",
    "from_sklearn",
    "load",
    "posterior_functional",
    "suggest_trunk",
]


def __getattr__(name: str) -> ModuleType:
    if name in _ON_DEMAND:
        return import_module(f"bayeswood.{name}")
    raise AttributeError(f"module 'bayeswood' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ON_DEMAND])
