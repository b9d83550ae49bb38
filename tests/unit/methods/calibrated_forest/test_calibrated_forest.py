"""Calibrated forests: what they add to the other forests."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_validate

from bayeswood import (
    BayeswoodError,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    _core,
    load,
)
from bayeswood.methods.calibrated_forest.class_bags import trees_per_bag
from bayeswood.methods.calibrated_forest.judgement import Judgement
from bayeswood.methods.calibrated_forest.thresholded_weights import resolve_weight_threshold
from bayeswood.uncertainty import Votes, fit_class_calibration


def left_out(model, n_rows, groups=None):
    """Which trees left which rows out, (n_trees, n_rows)."""
    return np.array(
        [
            _core.draw_weights(
                "exponential",
                model.seed_,
                tree // trees_per_bag(model.n_estimators),
                n_rows,
                model.weight_threshold_,
                groups,
            )
            == 0
            for tree in range(model.forest_.n_trees)
        ]
    )


@pytest.mark.parametrize("many", [0.2, 0.35])
def test_the_threshold_follows_the_number_of_trees(many):
    assert resolve_weight_threshold("auto", 100, many) == pytest.approx(many + 0.1)
    assert resolve_weight_threshold("auto", 300, many) == pytest.approx(many)
    assert resolve_weight_threshold("auto", 5000, many) == many
    assert resolve_weight_threshold("auto", 1, many) == pytest.approx(np.log(2))
    assert resolve_weight_threshold(0.25, 5000, many) == 0.25
    found = [resolve_weight_threshold("auto", n, many) for n in range(1, 400)]
    assert (np.diff(found) <= 0).all()


def test_the_thresholds_of_either_task(irises, friedman):
    one = CalibratedForestClassifier(300, max_depth=1, random_state=0).fit(*irises)
    other = CalibratedForestRegressor(300, max_depth=1, random_state=0).fit(*friedman)
    assert (one.weight_threshold_, other.weight_threshold_) == (0.35, np.log(1.5))


def test_the_defaults_are_those_of_the_study():
    one, other = CalibratedForestClassifier(), CalibratedForestRegressor()
    assert (one.n_estimators, one.randomized_fraction, one.calibration) == (300, 0.5, "oob")
    assert (other.n_estimators, other.max_features, other.interval) == (300, 0.5, "oob")
    assert one.min_samples_leaf == other.min_samples_leaf == 1


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.5, 1.0])
def test_randomised_trees_are_spread_evenly(fraction, irises):
    X, y = irises
    n_trees = 20
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    encoded = _core.EncodedMatrix(X, np.zeros(4, dtype=np.int32))

    def grow(**options):
        forest, _ = _core.grow_forest(
            encoded, codes, None, criterion="gini", scheme="exponential", seed=5, n_trees=n_trees,
            n_classes=3, max_features=2, weight_threshold=0.3, **options,
        )  # fmt: skip
        return [forest.tree(i) for i in range(n_trees)]

    mixed, best, random = (
        grow(randomized_fraction=fraction), grow(), grow(splitter="random")
    )  # fmt: skip

    def same(one, other):
        return np.array_equal(one["threshold"], other["threshold"], equal_nan=True)

    is_random = [same(tree, twin) for tree, twin in zip(mixed, random, strict=True)]
    expected = [int((t + 1) * fraction + 1e-9) > int(t * fraction + 1e-9) for t in range(n_trees)]
    assert is_random == expected
    assert sum(is_random) == round(fraction * n_trees)
    for tree, twin, randomised in zip(mixed, best, is_random, strict=True):
        assert randomised or same(tree, twin)


def test_probabilities_are_the_formula(irises):
    X, y = irises
    classifier = CalibratedForestClassifier(60, additive_members=0, random_state=0).fit(X, y)
    weights = classifier.member_weights_
    averages = np.tensordot(weights, classifier.forest_.draws(X), axes=1)
    number = classifier.calibration_trees_
    smoothed = (number * averages + 1 / 3) / (number + 1)
    power = classifier.calibration_power_ * classifier.calibration_slopes_
    scores = (3 * smoothed) ** power * np.exp(classifier.calibration_offset_)
    expected = scores / scores.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(classifier.predict_proba(X), expected)
    assert (classifier.predict_proba(X) > 0).all()
    assert np.isfinite(classifier.predict_log_proba(X)).all()


@pytest.mark.parametrize("plain", [False, True])
def test_the_calibration_is_fitted_to_rows_left_out(plain, irises):
    X, y = irises
    options = {"member_weighting": "equal", "leaf_shrinkage": 0} if plain else {}
    options["additive_members"] = 0
    model = CalibratedForestClassifier(n_estimators=60, random_state=0, **options).fit(X, y)
    out = left_out(model, len(X)) * model.member_weights_[:, None]
    total = out.sum(axis=0)
    seen = total > 0
    draws = model.forest_.draws(X)
    means = (draws * out[:, :, None]).sum(axis=0)[seen] / total[seen, None]
    effective = (total**2)[seen] / (out**2).sum(axis=0)[seen]
    label = np.unique(y, return_inverse=True)[1][seen]
    halves = [
        np.where(
            total_of[:, None] > 0,
            (draws * (out * rows)[:, :, None]).sum(axis=0)[seen]
            / np.maximum(total_of, 1e-300)[:, None],
            means,
        )
        for rows in np.stack([np.arange(60) // 2 % 2 == h for h in (0, 1)])[:, :, None]
        for total_of in [(out * rows).sum(axis=0)[seen]]
    ]
    votes = Votes.from_means(means, effective, tuple(halves))
    number = 1 / (model.member_weights_**2).sum()
    expected = fit_class_calibration(replace(votes, n_trees_predicting=number), label)
    assert model.calibration_trees_ == pytest.approx(effective.mean())
    assert model.calibration_power_ == pytest.approx(expected.power, rel=1e-5)
    np.testing.assert_allclose(model.calibration_offset_, expected.offset, atol=1e-5)
    np.testing.assert_allclose(model.calibration_slopes_, expected.slopes, atol=1e-5)
    assert model.n_calibration_rows_ == seen.sum()
    if plain:
        np.testing.assert_allclose(effective, (out > 0).sum(axis=0)[seen])


def test_without_calibration_the_average_is_left_alone(irises):
    X, y = irises
    plain = CalibratedForestClassifier(20, calibration=None, random_state=0).fit(X, y)
    np.testing.assert_allclose(plain.predict_proba(X), plain.predict_draws(X).mean(axis=0))
    assert not hasattr(plain, "calibration_power_")
    with pytest.raises(BayeswoodError, match="calibration='oob'"):
        plain.calibration_report()


def test_entropy_is_that_of_the_calibrated_probabilities(classifier, irises):
    X, _ = irises
    split = classifier.uncertainty(X)
    proba = classifier.predict_proba(X)
    np.testing.assert_allclose(split.total, -(proba * np.log(proba)).sum(axis=1))
    np.testing.assert_allclose(split.data + split.knowledge, split.total)
    assert (split.data >= 0).all()
    assert (split.knowledge >= 0).all()


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_any_number_of_jobs_gives_the_same_calibration(n_jobs, irises, friedman):
    for model, (X, y) in (
        (CalibratedForestClassifier(25, random_state=1), irises),
        (CalibratedForestRegressor(25, random_state=1), friedman),
    ):
        one, many = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, n_jobs))
        ask = "predict_proba" if hasattr(one, "predict_proba") else "predict_interval"
        np.testing.assert_array_equal(getattr(one, ask)(X), getattr(many, ask)(X))
        assert repr(one.calibration_report()) == repr(many.calibration_report())


@pytest.mark.parametrize("cls", [CalibratedForestClassifier, CalibratedForestRegressor])
def test_weights_count_in_the_calibration(cls, irises, friedman, rng):
    X, y = irises if cls is CalibratedForestClassifier else friedman
    weight = rng.exponential(size=len(X))
    weight[::7] = 0.0
    model = cls(n_estimators=40, random_state=0)
    fitted = clone(model).fit(X, y, weight)
    without = clone(model).fit(X[weight > 0], y[weight > 0], weight[weight > 0])
    scaled = clone(model).fit(X, y, np.ldexp(weight, 9))
    plain = clone(model).fit(X[weight > 0], y[weight > 0])
    ask = "predict_proba" if cls is CalibratedForestClassifier else "predict_interval"
    expected = getattr(fitted, ask)(X)
    np.testing.assert_array_equal(getattr(without, ask)(X), expected)
    np.testing.assert_array_equal(getattr(scaled, ask)(X), expected)
    assert not np.array_equal(getattr(plain, ask)(X), expected)


BAD_GROUPS = {
    "too few": (np.arange(5), "one label per row of X, 8"),
    "missing": ([1, 2, None, 1, 2, 3, 4, 5], "oob_groups contains NaN or None: row 2"),
    "two columns": (np.zeros((8, 2)), "oob_groups should be a 1d array"),
    "scalar": (3, "oob_groups should be a 1d array"),
}


@pytest.mark.parametrize("case", BAD_GROUPS)
def test_bad_groups_are_refused(case):
    groups, message = BAD_GROUPS[case]
    X = np.arange(24.0).reshape(8, 3)
    with pytest.raises(BayeswoodError, match=message):
        CalibratedForestRegressor(5).fit(X, np.arange(8.0), oob_groups=groups)


def test_groups_travel_through_cross_validation(irises):
    X, y = irises
    groups = np.arange(150) // 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = CalibratedForestClassifier(10, random_state=0).set_fit_request(oob_groups=True)
        result = cross_validate(
            model, X, y, params={"oob_groups": groups}, cv=3, return_estimator=True
        )
    assert (result["test_score"] > 0.8).all()
    assert result["estimator"][0].n_calibration_rows_ > 50


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CalibratedForestClassifier(3, weight_threshold=0.0), "could not be calibrated"),
        (CalibratedForestClassifier(1, weight_threshold=0), "could not be calibrated"),
    ],
)
def test_nothing_left_out_is_a_warning(model, message, irises):
    X, y = irises
    with pytest.warns(UserWarning, match=message):
        model.fit(X, y)
    assert model.calibration_power_ == 1.0
    assert not model.calibration_offset_.any()
    assert (model.calibration_slopes_ == 1).all()
    assert model.n_calibration_rows_ == 0
    with pytest.raises(BayeswoodError, match="needs rows that some tree left out"):
        model.calibration_report()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        CalibratedForestClassifier(30, random_state=0),
        CalibratedForestClassifier(30, random_state=0, calibration=None),
        CalibratedForestRegressor(30, random_state=0),
        CalibratedForestRegressor(30, random_state=0, keep_responses=False),
        CalibratedForestRegressor(30, random_state=0, interval="leaves", min_samples_leaf=3),
    ],
    ids=repr,
)
def test_files_and_pickles_keep_the_calibration(model, weighted, grouped, tmp_path, rng):
    X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.choice(list("xyz"), size=150)})
    y = X["a"].to_numpy() * 2 + rng.normal(size=150)
    if isinstance(model, CalibratedForestClassifier):
        y = np.array(["down", "level", "up"])[np.digitize(y, [-1, 1])]
    groups = np.arange(150) // 2 if grouped else None
    fitted = clone(model).fit(X, y, rng.exponential(size=150) if weighted else None, groups)
    fitted.save(tmp_path / "model.bw")
    for again in (load(tmp_path / "model.bw"), pickle.loads(pickle.dumps(fitted))):
        ask = "predict_proba" if isinstance(model, CalibratedForestClassifier) else "predict_var"
        for name in (ask, "predict_interval", "predict_draws"):
            np.testing.assert_array_equal(getattr(again, name)(X), getattr(fitted, name)(X))
        public = {name for name in vars(fitted) if name.endswith("_")}
        assert {name for name in vars(again) if name.endswith("_")} == public
        if any(isinstance(part, Judgement) for part in fitted._parts):
            assert repr(again.calibration_report()) == repr(fitted.calibration_report())


def test_rows_beyond_the_training_rows_are_refused(classifier, irises):
    with pytest.raises(ValueError, match="beyond the training rows"):
        classifier.forest_.core.predict_oob(
            irises[0], "exponential", 0, weight_threshold=0.3, first_row=1, n_training=150
        )


@pytest.mark.parametrize("n_estimators", [50, 150])
def test_rare_classes_are_as_frequent_as_they_are(n_estimators):
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(6000, 6))
    y = rng.uniform(size=6000) < 1 / (1 + np.exp(9 - 6 * X[:, 0] - 2 * X[:, 1]))
    forest = CalibratedForestClassifier(n_estimators, random_state=0).fit(X, y)
    fresh = rng.uniform(size=(20_000, 6))
    # .72 and .82 if predictions are smoothed by all trees, but for a few of which γ was fitted.
    assert 0.93 < forest.predict_proba(fresh)[:, 1].mean() / y.mean() < 1.07
    assert forest.calibration_trees_ < 0.5 * n_estimators


def test_files_from_before_the_trees_of_a_calibration_still_load(classifier, irises):
    meta, arrays, forest = classifier._state()
    del meta["numbers"]["calibration_trees_"]
    loaded = CalibratedForestClassifier._from_state(meta, arrays, forest)
    assert loaded.calibration_trees_ == pytest.approx(1 / np.sum(classifier.member_weights_**2))
    assert loaded.predict_proba(irises[0]).shape == (150, 3)
