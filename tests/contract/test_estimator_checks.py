"""scikit-learn's own checks of every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    SafeBayesForestClassifier,
)

# A weight of k multiplies the one random draw of the row; k copies of the row get a draw each.
# Leaving a row out and giving it weight 0 are the same to the bit, see the unit tests.
_WEIGHT_REASON = "sample_weight multiplies one random draw; copies of a row have one draw each"
_EXPECTED = {"check_sample_weight_equivalence_on_dense_data": _WEIGHT_REASON}

ESTIMATORS = [
    BayesianForestClassifier(n_estimators=10),
    BayesianForestRegressor(n_estimators=10),
    RandomForestClassifier(n_estimators=10),
    RandomForestClassifier(n_estimators=11, voting="hard"),
    RandomForestRegressor(n_estimators=10),
    SafeBayesForestClassifier(n_estimators=20),
    SafeBayesForestClassifier.as_published(n_estimators=50),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: _EXPECTED)
def test_scikit_learn_check(estimator, check):
    check(estimator)
