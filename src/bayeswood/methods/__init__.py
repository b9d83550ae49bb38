"""The estimators, one file per method."""

from typing import TYPE_CHECKING

from bayeswood.on_demand import names_on_demand

if TYPE_CHECKING:
    from bayeswood.methods.adopted.adopted_forest import AdoptedClassifier, AdoptedRegressor
    from bayeswood.methods.adopted.from_lightgbm import from_lightgbm
    from bayeswood.methods.adopted.from_sklearn import from_sklearn
    from bayeswood.methods.adopted.from_xgboost import from_xgboost
    from bayeswood.methods.bart.classifier import BARTClassifier
    from bayeswood.methods.bart.regressor import BARTRegressor
    from bayeswood.methods.base.classifier import ForestClassifier
    from bayeswood.methods.base.regressor import ForestRegressor
    from bayeswood.methods.bayesian_forest.bayesian_forest import (
        BayesianForestClassifier,
        BayesianForestRegressor,
    )
    from bayeswood.methods.bayesian_forest.empirical import (
        EmpiricalBayesianForestClassifier,
        EmpiricalBayesianForestRegressor,
    )
    from bayeswood.methods.bayesian_forest.subsample import (
        SubsampleForestClassifier,
        SubsampleForestRegressor,
    )
    from bayeswood.methods.bayesian_forest.suggest_trunk import TrunkSuggestion, suggest_trunk
    from bayeswood.methods.calibrated_forest.classifier import CalibratedForestClassifier
    from bayeswood.methods.calibrated_forest.out_of_bag_report import OutOfBagReport
    from bayeswood.methods.calibrated_forest.regressor import CalibratedForestRegressor
    from bayeswood.methods.envelope.compare_envelopes import compare_envelopes
    from bayeswood.methods.envelope.envelope_classifier import EnvelopeClassifier
    from bayeswood.methods.mcmc_tree.classifier import MCMCTreeClassifier
    from bayeswood.methods.mcmc_tree.regressor import MCMCTreeRegressor
    from bayeswood.methods.random_forest import RandomForestClassifier, RandomForestRegressor
    from bayeswood.methods.randomized_trees import RandomizedTreesClassifier
    from bayeswood.methods.registry import (
        DEFAULT_METHOD,
        METHODS,
        load,
        method_class,
        trusted_types,
    )
    from bayeswood.methods.safe_bayes.classifier import SafeBayesForestClassifier
    from bayeswood.methods.safe_bayes.regressor import SafeBayesForestRegressor
    from bayeswood.methods.smc_tree.classifier import SMCTreeClassifier
    from bayeswood.methods.smc_tree.regressor import SMCTreeRegressor

_HOMES = {
    "adopted.adopted_forest": ("AdoptedClassifier", "AdoptedRegressor"),
    "adopted.from_lightgbm": ("from_lightgbm",),
    "adopted.from_sklearn": ("from_sklearn",),
    "adopted.from_xgboost": ("from_xgboost",),
    "bart.classifier": ("BARTClassifier",),
    "bart.regressor": ("BARTRegressor",),
    "base.classifier": ("ForestClassifier",),
    "base.regressor": ("ForestRegressor",),
    "bayesian_forest.bayesian_forest": ("BayesianForestClassifier", "BayesianForestRegressor"),
    "bayesian_forest.empirical": (
        "EmpiricalBayesianForestClassifier",
        "EmpiricalBayesianForestRegressor",
    ),
    "bayesian_forest.subsample": ("SubsampleForestClassifier", "SubsampleForestRegressor"),
    "bayesian_forest.suggest_trunk": ("TrunkSuggestion", "suggest_trunk"),
    "calibrated_forest.classifier": ("CalibratedForestClassifier",),
    "calibrated_forest.out_of_bag_report": ("OutOfBagReport",),
    "calibrated_forest.regressor": ("CalibratedForestRegressor",),
    "envelope.compare_envelopes": ("compare_envelopes",),
    "envelope.envelope_classifier": ("EnvelopeClassifier",),
    "mcmc_tree.classifier": ("MCMCTreeClassifier",),
    "mcmc_tree.regressor": ("MCMCTreeRegressor",),
    "random_forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "randomized_trees": ("RandomizedTreesClassifier",),
    "registry": ("DEFAULT_METHOD", "METHODS", "load", "method_class", "trusted_types"),
    "safe_bayes.classifier": ("SafeBayesForestClassifier",),
    "safe_bayes.regressor": ("SafeBayesForestRegressor",),
    "smc_tree.classifier": ("SMCTreeClassifier",),
    "smc_tree.regressor": ("SMCTreeRegressor",),
}

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "AdoptedClassifier",
    "AdoptedRegressor",
    "BARTClassifier",
    "BARTRegressor",
    "BayesianForestClassifier",
    "BayesianForestRegressor",
    "CalibratedForestClassifier",
    "CalibratedForestRegressor",
    "EmpiricalBayesianForestClassifier",
    "EmpiricalBayesianForestRegressor",
    "EnvelopeClassifier",
    "ForestClassifier",
    "ForestRegressor",
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
    "TrunkSuggestion",
    "compare_envelopes",
    "from_lightgbm",
    "from_sklearn",
    "from_xgboost",
    "load",
    "method_class",
    "suggest_trunk",
    "trusted_types",
]

if not TYPE_CHECKING:  # for a type checker every name would exist
    __getattr__ = names_on_demand(__name__, _HOMES)
