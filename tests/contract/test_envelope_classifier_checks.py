"""scikit-learn's own checks of the classifier that may decline."""

import pytest
from sklearn.ensemble import RandomForestClassifier as ScikitForest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayeswood import BayesianForestClassifier, EnvelopeClassifier

# Of the forest inside, in either library.
_WEIGHT_REASON = "a weighted row has one random draw, copies of a row have one draw each"
_DENSE = {"check_sample_weight_equivalence_on_dense_data": _WEIGHT_REASON}
_SPARSE = {"check_sample_weight_equivalence_on_sparse_data": _WEIGHT_REASON}


# Checks that subtract predictions, or compare them with the classes: among declined rows stands a
# word that is neither number nor class. What declining does is in tests/unit.
_REJECT_REASON = "predict gives the reject label, a word, where it declines"
_DECLINING = dict.fromkeys(
    (
        "check_estimators_pickle", "check_classifier_data_not_an_array", "check_classifiers_train",
        "check_supervised_y_2d", "check_methods_sample_order_invariance",
        "check_methods_subset_invariance", "check_fit_idempotent",
    ),
    _REJECT_REASON,
)  # fmt: skip


def expected_failures(classifier):
    declines = _DECLINING if classifier.gamma0 > 0 else {}
    takes_sparse = isinstance(classifier.estimator, ScikitForest)
    return _DENSE | declines | (_SPARSE if takes_sparse else {})


# With gamma0 = 0 nothing is declined, and every check applies.
ESTIMATORS = [
    EnvelopeClassifier(BayesianForestClassifier(n_estimators=10, random_state=0), gamma0=0.0),
    EnvelopeClassifier(ScikitForest(n_estimators=10, random_state=0), gamma0=0.0),
    EnvelopeClassifier(BayesianForestClassifier(n_estimators=10, random_state=0)),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
