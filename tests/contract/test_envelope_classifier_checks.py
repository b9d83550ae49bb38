"""scikit-learn's own checks of the classifier that may decline."""

import pytest
from sklearn.ensemble import RandomForestClassifier as ScikitForest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayeswood import BayesianForestClassifier, EnvelopeClassifier

# Of the forest inside, in either library.
_WEIGHT_REASON = "a weighted row has one random draw, copies of a row have one draw each"
_DENSE = {"check_sample_weight_equivalence_on_dense_data": _WEIGHT_REASON}
_SPARSE = {"check_sample_weight_equivalence_on_sparse_data": _WEIGHT_REASON}


def expected_failures(classifier):
    takes_sparse = isinstance(classifier.estimator, ScikitForest)
    return _DENSE | _SPARSE if takes_sparse else _DENSE


# With gamma0 = 0 nothing is declined, as the checks expect of a classifier: they compare its
# predictions with the classes. What declining changes is in tests/unit/test_envelope_classifier.
ESTIMATORS = [
    EnvelopeClassifier(BayesianForestClassifier(n_estimators=10, random_state=0), gamma0=0.0),
    EnvelopeClassifier(ScikitForest(n_estimators=10, random_state=0), gamma0=0.0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
