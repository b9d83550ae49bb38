"""Boosted sums in the pool of the calibrated forest for classes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax

from bayeswood import BayeswoodError, CalibratedForestClassifier, explain, load
from bayeswood.forest import RowWeights
from bayeswood.methods.calibrated_forest.calibrated_average import CalibratedAverage

SETTINGS = {"n_estimators": 60, "random_state": 0}


def additive(rng, n_rows, n_classes):
    """What a sum of trees is good at: many effects that add up."""
    X = rng.normal(size=(n_rows, 8))
    scores = X @ rng.normal(size=(8, n_classes)) * 1.5
    return X, np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)


@pytest.fixture(scope="module", params=[2, 4])
def model(request):
    X, y = additive(np.random.default_rng(1), 1000, request.param)
    found = CalibratedForestClassifier(additive_members="auto", **SETTINGS).fit(X, y)
    assert found.additive_weight_ > 0.1
    return found, X, y


def sums_by_hand(model, X):
    """P_g of every sum."""
    sums = model.predictive_.additive_sums.sums
    scores = sums.draws(X)
    if scores.shape[2] == 1:
        return np.concatenate([expit(-scores), expit(scores)], axis=2)
    return softmax(scores, axis=2)


def test_the_answer_is_the_calibrated_pool(model):
    model, X, _ = model
    own, share = sums_by_hand(model, X), model.additive_weight_
    average = (1 - share) * model.forest_.predict(X) + share * own.mean(axis=0)
    expected = model.predictive_.calibration.apply(average)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)


def test_a_bag_and_its_sum_make_a_member(model):
    model, X, _ = model
    own, share, size = sums_by_hand(model, X), model.additive_weight_, model.trees_per_bag_
    bags = model.forest_.core.predict_bags(X, model.member_weights_, size)
    weights = np.add.reduceat(model.member_weights_, np.arange(0, 60, size))
    of_bags = own[np.arange(len(bags)) % len(own)]
    members = model.predictive_.calibration.apply((1 - share) * bags + share * of_bags)
    members = members - np.tensordot(weights, members, axes=1)
    members *= model.knowledge_factor_ / np.sqrt(1 - np.sum(weights**2))
    expected = np.clip(model.predict_proba(X) + members, 0, 1)
    expected /= expected.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(model.predict_draws(X)[::size], expected, atol=1e-12)


def test_intervals_hold_the_answer_and_uncertainty_adds_up(model):
    model, X, _ = model
    proba = model.predict_proba(X)
    low, high = np.moveaxis(model.predict_interval(X, 0.8), -1, 0)
    assert ((low <= proba) & (proba <= high)).all()
    split = model.uncertainty(X)
    np.testing.assert_allclose(split.data + split.knowledge, split.total)
    assert (split.knowledge > 0).all()


def test_sums_have_not_seen_the_rows_that_their_bag_left_out(model):
    """With other labels on rows that bag 0 left out, its sum stays as it is, and others do not."""
    model, X, y = model
    law = RowWeights("exponential", model.seed_, model.weight_threshold_)
    out = replace(law, trees_per_draw=model.trees_per_bag_).draw(0, len(X))
    other = y.copy()
    other[np.flatnonzero(out == 0)[:20]] = 0
    assert (other != y).any()
    again = CalibratedForestClassifier(additive_members="auto", **SETTINGS).fit(X, other)
    first = [m.predictive_.additive_sums.sums for m in (model, again)]
    n = min(sums.trees_per_member for sums in first)
    members = [[sums.trees_per_member * bag + np.arange(n) for bag in (0, 1)] for sums in first]
    said = [
        [sums.core.select(trees).predict_mean(X, np.ones(n)) for trees in own]
        for sums, own in zip(first, members, strict=True)
    ]
    np.testing.assert_array_equal(said[0][0], said[1][0])
    assert (said[0][1] != said[1][1]).any()


def test_sums_pay_where_effects_add_up(rng):
    gains = []
    for _ in range(4):
        X, y = additive(rng, 1500, 2)
        logs = [
            np.log(
                CalibratedForestClassifier(additive_members=asked, **SETTINGS)
                .fit(X[:500], y[:500])
                .predict_proba(X[500:])[np.arange(1000), y[500:]]
            ).mean()
            for asked in (0, "auto")
        ]
        gains.append(logs[1] - logs[0])
    # .0087 in the mean, sd .004: fails by chance once in 2,000.
    assert np.mean(gains) > 0.002


def test_any_number_of_threads_gives_the_same_bits(model):
    model, X, y = model
    two = CalibratedForestClassifier(additive_members="auto", n_jobs=2, **SETTINGS).fit(X, y)
    np.testing.assert_array_equal(two.predict_proba(X), model.predict_proba(X))


def test_files_keep_sums_and_refuse_damaged_ones(model, tmp_path):
    model, X, _ = model
    model.save(tmp_path / "model.bw")
    again = load(tmp_path / "model.bw")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict_interval(X), model.predict_interval(X))
    assert again.additive_weight_ == model.additive_weight_
    arrays, forest = model.predictive_.arrays(), model.forest_
    for name, bad in (("additive_weight_", np.array(1.5)), ("additive_weight_", np.array(-0.1)),
                      ("additive_trees_per_member", np.array(1))):  # fmt: skip
        with pytest.raises(BayeswoodError):
            CalibratedAverage.from_arrays({**arrays, name: bad}, forest)
    plain = {n: a for n, a in arrays.items() if not n.startswith("additive")}
    assert CalibratedAverage.from_arrays(plain, forest).additive_sums is None


def test_none_is_the_forest_as_it_was(rng):
    X, y = additive(rng, 300, 3)
    model = CalibratedForestClassifier(additive_members=0, **SETTINGS).fit(X, y)
    assert model.additive_weight_ == 0
    assert model.predictive_.additive_sums is None
    expected = model.predictive_.calibration.apply(model.forest_.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), expected)


def test_fewer_sums_than_bags():
    X, y = additive(np.random.default_rng(1), 1000, 4)
    model = CalibratedForestClassifier(additive_members=8, **SETTINGS).fit(X, y)
    assert model.predictive_.additive_sums.n_sums == 8
    none = CalibratedForestClassifier(additive_members=0, **SETTINGS).fit(X, y)
    # Rows that none of the eight left out are not lost.
    assert model.n_calibration_rows_ == none.n_calibration_rows_
    assert np.isfinite(model.predict_interval(X)).all()
    many = CalibratedForestClassifier(additive_members=1000, **SETTINGS).fit(X, y)
    assert many.predictive_.additive_sums.n_sums == 60 // many.trees_per_bag_


def test_groups_weights_categories_and_missing_values(rng):
    X, y = additive(rng, 400, 3)
    frame = pd.DataFrame(X).rename(columns=str)
    frame["level"] = pd.Categorical(np.array(list("abcde"))[rng.integers(5, size=400)])
    frame.loc[rng.random(400) < 0.2, "0"] = np.nan
    groups = np.arange(400) // 4
    weights = rng.exponential(size=400)
    fit = CalibratedForestClassifier(additive_members="auto", **SETTINGS).fit
    model = fit(frame, y, sample_weight=weights, oob_groups=groups)
    proba = model.predict_proba(frame)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    doubled = fit(frame, y, sample_weight=2 * weights, oob_groups=groups)
    np.testing.assert_allclose(doubled.predict_proba(frame), proba, rtol=1e-6)
    assert explain(model, frame.iloc[[0]]).prediction == model.predict(frame.iloc[[0]])[0]
    assert model.predict_set(frame).any(axis=1).all()
    assert model.calibration_report().summary.n_left_out > 350


@pytest.mark.parametrize("n_rows", [2, 5, 12])
def test_a_handful_of_rows_does_no_harm(n_rows, rng):
    X, y = rng.normal(size=(n_rows, 2)), np.arange(n_rows) % 2
    model = CalibratedForestClassifier(additive_members="auto", **SETTINGS).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_many_classes(rng):
    X = rng.normal(size=(800, 3))
    y = np.arange(800) % 100
    unasked = CalibratedForestClassifier(10, additive_members="auto", random_state=0).fit(X, y)
    assert unasked.additive_weight_ == 0
    asked = CalibratedForestClassifier(10, additive_members=5, random_state=0).fit(X, y)
    np.testing.assert_allclose(asked.predict_proba(X).sum(axis=1), 1)


def test_parameter_is_checked(rng):
    X, y = additive(rng, 50, 2)
    for bad in (-1, 2.5, "all"):
        with pytest.raises(BayeswoodError, match="additive_members"):
            CalibratedForestClassifier(additive_members=bad).fit(X, y)
