"""scikit-learn's own checks of every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayeswood import (
    BARTClassifier,
    BARTRegressor,
    BayesianForestClassifier,
    BayesianForestRegressor,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    MCMCTreeClassifier,
    MCMCTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomizedTreesClassifier,
    SafeBayesForestClassifier,
    SafeBayesForestRegressor,
    SMCTreeClassifier,
    SMCTreeRegressor,
    SubsampleForestClassifier,
    SubsampleForestRegressor,
)

# A weight of k multiplies the one random draw of the row; k copies of the row get a draw each.
# Leaving a row out and giving it weight 0 are the same to the bit, see the unit tests.
_WEIGHT_REASON = "sample_weight multiplies one random draw; copies of a row have one draw each"
_EXPECTED = {"check_sample_weight_equivalence_on_dense_data": _WEIGHT_REASON}
# Rows are counted in whole numbers there, and a weight of .0001 is none.
_WHOLE = {"check_class_weight_classifiers": "class_weight must be whole numbers: rows are counted"}
# Rows get their random numbers in their order, which weights and copies change.
_ORDER_REASON = "the order of the rows decides which random numbers they get"


def expected_failures(estimator):
    # These count copies of rows, or draw nothing by rows: there the check passes. So it does where
    # a trunk, which draws nothing either, separates the check's classes by itself.
    counts = RandomizedTreesClassifier | SafeBayesForestClassifier | SafeBayesForestRegressor
    counts |= MCMCTreeClassifier | MCMCTreeRegressor | SMCTreeClassifier | SMCTreeRegressor
    if isinstance(estimator, BARTClassifier):
        return dict.fromkeys(_EXPECTED, _ORDER_REASON) | _WHOLE
    if isinstance(estimator, SafeBayesForestClassifier | MCMCTreeClassifier | SMCTreeClassifier):
        return _WHOLE
    passes = counts | EmpiricalBayesianForestClassifier
    return {} if isinstance(estimator, passes) else _EXPECTED


ESTIMATORS = [
    BayesianForestClassifier(n_estimators=10),
    BayesianForestRegressor(n_estimators=10),
    RandomForestClassifier(n_estimators=10),
    RandomForestClassifier(n_estimators=11, voting="hard"),
    RandomForestRegressor(n_estimators=10),
    RandomizedTreesClassifier(n_estimators=10, min_samples_leaf=1),
    CalibratedForestClassifier(n_estimators=10),
    CalibratedForestRegressor(n_estimators=10),
    CalibratedForestRegressor(n_estimators=10, interval="leaves"),
    SafeBayesForestClassifier(n_estimators=20),
    SafeBayesForestClassifier.as_published(n_estimators=50),
    SafeBayesForestRegressor(n_estimators=20),
    SafeBayesForestRegressor(n_estimators=20, tree_prior="galton-watson", pooling="power"),
    EmpiricalBayesianForestClassifier(n_estimators=10),
    EmpiricalBayesianForestRegressor(n_estimators=10),
    SubsampleForestClassifier(n_estimators=5),
    SubsampleForestRegressor(n_estimators=5, n_subsamples=2),
    MCMCTreeClassifier(1, n_burn_in=300, n_draws=100),
    MCMCTreeClassifier(1, n_burn_in=300, n_draws=100, prior="denison"),
    MCMCTreeRegressor(1, n_burn_in=300, n_draws=100),
    SMCTreeClassifier(n_particles=100),
    SMCTreeClassifier(n_particles=20, n_islands=1, proposal="optimal", expansion="layer"),
    SMCTreeRegressor(n_particles=100),
    SMCTreeRegressor(n_particles=20, proposal="tempered", min_samples_leaf=3, n_moves=20),
    BARTRegressor(10, n_chains=1, n_burn_in=50, n_draws=50),
    BARTRegressor(10, n_chains=1, n_burn_in=5, n_draws=20, sampler="grow-from-root"),
    BARTClassifier(10, n_chains=1, n_burn_in=50, n_draws=50),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
