"""Calibrated forests for classes: shrunk leaves, and the weight of either kind of trees."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayeswood import CalibratedForestClassifier


@pytest.fixture(scope="module")
def irises():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def classifier(irises):
    return CalibratedForestClassifier(n_estimators=60, random_state=0).fit(*irises)


def test_weights_are_equal_within_a_kind(classifier):
    weights = classifier.member_weights_
    assert len(set(weights[::2])) == len(set(weights[1::2])) == 1
    assert weights.sum() == pytest.approx(1)
    assert weights[1::2].sum() == pytest.approx(classifier.randomized_weight_)
    assert 0.1 - 1e-9 <= classifier.randomized_weight_ <= 0.9 + 1e-9


@pytest.mark.parametrize("fraction", [0, 1])
def test_one_kind_of_trees_weighs_the_same(fraction, irises):
    model = CalibratedForestClassifier(30, randomized_fraction=fraction, random_state=0)
    model.fit(*irises)
    np.testing.assert_allclose(model.member_weights_, 1 / 30)
    assert model.randomized_weight_ == pytest.approx(fraction)


@pytest.mark.parametrize("calibration", ["oob", None])
def test_leaves_are_shrunk_as_told(calibration, irises):
    X, y = irises
    options = {"member_weighting": "equal", "calibration": calibration, "random_state": 0}
    plain = CalibratedForestClassifier(20, leaf_shrinkage=0, **options).fit(X, y)
    model = CalibratedForestClassifier(20, leaf_shrinkage=7, **options).fit(X, y)
    assert (plain.leaf_shrinkage_, model.leaf_shrinkage_) == (0.0, 7.0)
    expected = plain.forest_.core.shrink_leaves(7.0).predict_draws(X)
    np.testing.assert_array_equal(model.forest_.draws(X), expected)
    assert set(np.unique(plain.forest_.draws(X))) <= {0.0, 1.0}


def test_noise_asks_for_shrinkage_and_clean_labels_do_not(rng):
    X = rng.random((300, 2))
    clean = np.floor(4 * X).sum(axis=1).astype(int) % 2  # a chequerboard
    half = (X[:, 0] > 0.5).astype(int)
    noisy = np.where(rng.random(300) < 0.3, 1 - half, half)
    found = [CalibratedForestClassifier(random_state=0).fit(X, y) for y in (clean, noisy)]
    # Over 40 seeds at most .16 on the chequerboard, at least 26 where 30 % of labels are wrong.
    assert found[0].leaf_shrinkage_ < 1
    assert found[1].leaf_shrinkage_ > 10
    low, high = found[1].forest_.quantiles(X[:50], np.array([0.05, 0.95]))[:, 1].T
    assert ((low > 0) & (high < 1)).all()  # members no longer say 0 or 1


@pytest.mark.parametrize("limit", ["_MOST_CLASSES", "_MOST_LEAF_ENTRIES"])
def test_a_forest_too_large_is_not_shrunk_unasked(limit, irises, monkeypatch):
    monkeypatch.setattr(f"bayeswood.methods.calibrated_forest.choose_members.{limit}", 2)
    model = CalibratedForestClassifier(30, random_state=0).fit(*irises)
    assert model.leaf_shrinkage_ == 0.0
    asked = CalibratedForestClassifier(30, leaf_shrinkage=2.5, random_state=0).fit(*irises)
    assert asked.leaf_shrinkage_ == 2.5


def test_many_rows_choose_by_a_part(irises, monkeypatch):
    X, y = irises
    whole = CalibratedForestClassifier(60, random_state=0).fit(X, y)
    monkeypatch.setattr(
        "bayeswood.methods.calibrated_forest.choose_members._MOST_ENTRIES_CHOOSING", 3 * 40
    )
    part = CalibratedForestClassifier(60, random_state=0).fit(X, y)
    assert part.n_calibration_rows_ == whole.n_calibration_rows_ == 150
    assert part.leaf_shrinkage_ != whole.leaf_shrinkage_


def test_one_class_needs_no_choice(irises):
    model = CalibratedForestClassifier(10, random_state=0).fit(irises[0], np.zeros(150))
    np.testing.assert_array_equal(model.predict_proba(irises[0]), 1.0)
