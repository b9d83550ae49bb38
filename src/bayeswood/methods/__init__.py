"""The estimators, one file per method."""

from bayeswood.methods.bayesian_forest import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.methods.envelope_classifier import EnvelopeClassifier
from bayeswood.methods.envelope_folds import compare_envelopes
from bayeswood.methods.estimator import ForestClassifier, ForestRegressor
from bayeswood.methods.random_forest import RandomForestClassifier, RandomForestRegressor
from bayeswood.methods.randomized import RandomizedTreesClassifier
from bayeswood.methods.registry import DEFAULT_METHOD, METHODS, load, method_class
from bayeswood.methods.safe_bayes import SafeBayesForestClassifier
from bayeswood.methods.safe_bayes_regressor import SafeBayesForestRegressor

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "BayesianForestClassifier",
    "BayesianForestRegressor",
    "EnvelopeClassifier",
    "ForestClassifier",
    "ForestRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomizedTreesClassifier",
    "SafeBayesForestClassifier",
    "SafeBayesForestRegressor",
    "compare_envelopes",
    "load",
    "method_class",
]
