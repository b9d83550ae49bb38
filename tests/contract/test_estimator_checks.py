"""scikit-learn's own checks of every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    SafeBayesForestClassifier,
    SafeBayesForestRegressor,
)

# A weight of k multiplies the one random draw of the row; k copies of the row get a draw each.
# Leaving a row out and giving it weight 0 are the same to the bit, see the unit tests.
_WEIGHT_REASON = "sample_weight multiplies one random draw; copies of a row have one draw each"
_EXPECTED = {"check_sample_weight_equivalence_on_dense_data": _WEIGHT_REASON}


def _expected(estimator):
    # Safe-Bayesian forests count copies of rows: there the check passes.
    return {} if "SafeBayes" in type(estimator).__name__ else _EXPECTED


ESTIMATORS = [
    BayesianForestClassifier(n_estimators=10),
    BayesianForestRegressor(n_estimators=10),
    RandomForestClassifier(n_estimators=10),
    RandomForestClassifier(n_estimators=11, voting="hard"),
    RandomForestRegressor(n_estimators=10),
    SafeBayesForestClassifier(n_estimators=20),
    SafeBayesForestClassifier.as_published(n_estimators=50),
    SafeBayesForestRegressor(n_estimators=20),
    SafeBayesForestRegressor(n_estimators=20, tree_prior="galton-watson", pooling="power"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=_expected)
def test_scikit_learn_check(estimator, check):
    check(estimator)
