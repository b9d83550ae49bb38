"""The estimators, one file per method."""

from bayeswood.methods.adopted import (
    AdoptedClassifier,
    AdoptedRegressor,
    from_lightgbm,
    from_sklearn,
)
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
from bayeswood.methods.registry import DEFAULT_METHOD, METHODS, load, method_class
from bayeswood.methods.safe_bayes.classifier import SafeBayesForestClassifier
from bayeswood.methods.safe_bayes.regressor import SafeBayesForestRegressor
from bayeswood.methods.smc_tree.classifier import SMCTreeClassifier
from bayeswood.methods.smc_tree.regressor import SMCTreeRegressor

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
    "load",
    "method_class",
    "suggest_trunk",
]
