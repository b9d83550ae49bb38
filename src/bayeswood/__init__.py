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
memory. `read_table` reads data files as they are, `load` what an estimator's ``save`` wrote; skops
may hold models too, told to trust `trusted_types`. `from_sklearn` takes a fitted forest of
scikit-learn over, `from_lightgbm` and `from_xgboost` models of LightGBM and XGBoost.
`posterior_functional` gives the posterior of whatever can be computed from a fitted function,
`explain` one prediction in words;
`calibration_report` and `coverage_report` check what a model says on rows it has not seen.
`attribution` says which features moved predictions, `posterior` holds more functionals, `theory`
the papers' closed forms, `datasets` data to try things on, `plots` and `report` pictures and pages,
`export` models for elsewhere: C, ONNX and more.
"""

from typing import TYPE_CHECKING

from bayeswood.on_demand import names_on_demand

if TYPE_CHECKING:
    from bayeswood import attribution as attribution
    from bayeswood import datasets as datasets
    from bayeswood import export as export
    from bayeswood import plots as plots
    from bayeswood import posterior as posterior
    from bayeswood import report as report
    from bayeswood import theory as theory
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
        from_xgboost,
        load,
        suggest_trunk,
        trusted_types,
    )
    from bayeswood.posterior import posterior_functional
    from bayeswood.report.explanation import explain
    from bayeswood.table.reading import read_table
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
    "from_xgboost",
    "load",
    "posterior_functional",
    "read_table",
    "suggest_trunk",
    "trusted_types",
]

# Where names live that are no estimator's: every name is imported at first use.
_ELSEWHERE = {
    "errors": ("BayeswoodError",),
    "forest": ("Forest", "Tree"),
    "posterior": ("posterior_functional",),
    "report": ("explain",),
    "table.reading": ("read_table",),
    "uncertainty": (
        "UNCERTAIN",
        "Uncertainty",
        "UncertaintyEnvelope",
        "calibration_report",
        "choose_gamma0",
        "choose_gamma0_by_cost",
        "coverage_report",
        "envelope_curve",
    ),
    "version": ("__version__",),
}
_METHODS = sorted(set(__all__).difference(*_ELSEWHERE.values()))
# Rooms that are attributes of the package too, those to be listed first; some need packages that
# are optional.
_ROOMS = ("attribution", "datasets", "export", "plots", "posterior", "report", "theory")
_OTHER_ROOMS = ("distributed", "forest", "methods", "modelfile", "table", "uncertainty")

if not TYPE_CHECKING:  # for a type checker every name would exist
    __getattr__ = names_on_demand(
        __name__, {"methods": _METHODS, **_ELSEWHERE}, (*_ROOMS, *_OTHER_ROOMS)
    )


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
