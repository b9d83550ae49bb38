"""An interval of class probabilities holds the one that is predicted, whatever the method."""

import numpy as np
import pytest
from scipy.special import ndtri

from bayeswood import (
    BARTClassifier,
    BayesianForestClassifier,
    CalibratedForestClassifier,
    RandomForestClassifier,
    SafeBayesForestClassifier,
    load,
)
from bayeswood.methods.registry import ESTIMATORS

COVERAGES = (0.001, 0.1, 0.5, 0.9, 0.999)
CLASSIFIERS = {name: cls for name, cls in ESTIMATORS.items() if name.endswith("Classifier")}
VARIANTS = {
    "hard votes": (RandomForestClassifier, {"voting": "hard"}),
    "pooled by powers": (SafeBayesForestClassifier, {"pooling": "power"}),
    "uncalibrated": (CalibratedForestClassifier, {"calibration": None}),
    "leaves as they are": (CalibratedForestClassifier, {"leaf_shrinkage": 0}),
    "shrunk leaves": (CalibratedForestClassifier, {"leaf_shrinkage": 20}),
    "equal weights": (CalibratedForestClassifier, {"member_weighting": "equal"}),
    **{name: (cls, {}) for name, cls in CLASSIFIERS.items()},
    "BARTClassifier": (BARTClassifier, {"n_draws": 25}),
}


def table(rng, n_rows, n_classes):
    """Noisy labels of which one is rare."""
    X = rng.normal(size=(n_rows, 4))
    scores = np.column_stack([2 * X[:, 0], X[:, 1], -X[:, 0]])[:, :n_classes]
    scores[:, -1] -= 2
    return X, np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)


# Chains this short say so.
@pytest.mark.filterwarnings("ignore:The chains disagree")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_interval_holds_the_prediction(name, n_classes, rng):
    cls, options = VARIANTS[name]
    size = {"n_estimators": 25} if "n_estimators" in cls().get_params() else {}
    X, y = table(rng, 250, n_classes)
    model = cls(random_state=0, **size, **options).fit(X, y)
    X_new, _ = table(rng, 300, n_classes)
    proba = model.predict_proba(X_new)
    before = None
    for coverage in COVERAGES:
        low, high = np.moveaxis(model.predict_interval(X_new, coverage), -1, 0)
        assert (low <= proba).all()
        assert (proba <= high).all()
        assert low.min() >= 0
        assert high.max() <= max(1.0, proba.max())
        if before is not None:  # a larger coverage has the wider interval
            assert (low <= before[0]).all()
            assert (high >= before[1]).all()
        before = low, high


def test_every_classifier_is_tried():
    assert len(CLASSIFIERS) >= 9


def test_it_reaches_as_far_as_the_members_differ(rng):
    X, y = table(rng, 200, 3)
    model = BayesianForestClassifier(30, random_state=0).fit(X, y)
    draws, weights = model.forest_.draws(X), model.member_weights_
    mean = np.tensordot(weights, draws, axes=1)
    sd = np.sqrt(np.tensordot(weights, (draws - mean) ** 2, axes=1))
    proba = model.predict_proba(X)
    for coverage in (0.5, 0.95):
        reach = ndtri((1 + coverage) / 2) * sd
        found = model.predict_interval(X, coverage)
        np.testing.assert_allclose(found[..., 0], np.maximum(proba - reach, 0), atol=1e-7)
        np.testing.assert_allclose(found[..., 1], np.minimum(proba + reach, 1), atol=1e-7)


def test_intervals_are_the_same_from_a_file_and_on_any_number_of_threads(rng, tmp_path):
    X, y = table(rng, 300, 3)
    model = CalibratedForestClassifier(40, random_state=0).fit(X, y)
    found = model.predict_interval(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=3).predict_interval(X), found)
    model.save(tmp_path / "model.bw")
    np.testing.assert_array_equal(load(tmp_path / "model.bw").predict_interval(X), found)
