"""Which rows trees draw: bootstrap samples of any size, or all rows."""

import io

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

import bayeswood as bw
from bayeswood.methods.cart.drawn_rows import resolve_max_samples

X, Y = make_friedman1(80, random_state=0)


@pytest.fixture(scope="module")
def half():
    settings = {"max_samples": 0.5, "oob_score": True, "min_samples_leaf": 5, "random_state": 0}
    return bw.RandomForestRegressor(60, **settings).fit(X, Y)


def test_a_tree_has_the_rows_that_it_drew(half):
    for tree, rows in zip(half.forest_.trees, half.estimators_samples_, strict=True):
        assert len(rows) == 40
        assert tree.n_samples[0] == len(np.unique(rows))
        np.testing.assert_allclose(tree.weight[0], 40)


def test_a_smaller_sample_is_the_beginning_of_a_larger(half):
    law, _ = half._row_law
    smaller, larger = (
        bw.forest.RowWeights("bootstrap", law.seed, n_draws=n).draw(tree=3, n_rows=80)
        for n in (20, 30)
    )
    assert (smaller <= larger).all()
    assert smaller.sum() == 20
    assert larger.sum() == 30


def test_out_of_bag_rows_are_those_not_drawn(half):
    draws = half.predict_draws(X)
    out = np.array([~np.isin(np.arange(80), rows) for rows in half.estimators_samples_])
    expected = (draws * out).sum(axis=0) / out.sum(axis=0)
    np.testing.assert_allclose(half.oob_prediction_, expected)


def test_intervals_weigh_the_rows_as_the_trees_did(half):
    leaves = half.apply(X)
    weights = np.zeros((80, 80))
    for t, rows in enumerate(half.estimators_samples_):
        own = np.bincount(rows, minlength=80) * (leaves[:, t][:, None] == leaves[:, t])
        weights += own / own.sum(axis=1, keepdims=True)
    order = np.argsort(Y)
    share = np.cumsum(weights[:, order], axis=1) / weights.sum(axis=1, keepdims=True)
    median = Y[order][np.argmax(share >= 0.4999, axis=1)]
    found = half.predict_quantiles(X, 0.5)
    assert np.mean(np.isclose(found, median)) > 0.97  # but for ties at the level


def test_a_file_knows_how_many_rows_were_drawn(half):
    file = io.BytesIO()
    half.save(file)
    file.seek(0)
    loaded = bw.load(file)
    assert loaded.max_samples == 0.5
    np.testing.assert_array_equal(loaded.predict_interval(X), half.predict_interval(X))
    with pytest.raises(AttributeError, match="comes from a file"):
        _ = loaded.estimators_samples_


def test_a_file_that_says_wrongly_how_many_is_refused(half):
    meta, arrays, forest = half._state()
    for wrong in (81, -1):
        with pytest.raises(bw.BayeswoodError, match="how many rows its trees drew"):
            bw.RandomForestRegressor._from_state({**meta, "n_draws": wrong}, arrays, forest)


def test_all_rows_without_a_bootstrap():
    forest = bw.RandomForestRegressor(5, bootstrap=False, random_state=0).fit(X, Y)
    np.testing.assert_allclose(forest.predict(X), Y)
    assert all(np.array_equal(rows, np.arange(80)) for rows in forest.estimators_samples_)


def test_rows_of_weight_zero_are_never_drawn():
    weight = (np.arange(80) % 2).astype(float)
    forest = bw.RandomForestRegressor(5, max_samples=7, random_state=0).fit(X, Y, weight)
    for rows in forest.estimators_samples_:
        assert len(rows) == 7
        assert (rows % 2 == 1).all()


@pytest.mark.parametrize(
    ("max_samples", "n"), [(None, 0), (10, 10), (0.5, 40), (0.001, 1), (1.0, 80)]
)
def test_sizes_of_samples(max_samples, n):
    assert resolve_max_samples(True, max_samples, 80, "F") == n


@pytest.mark.parametrize(
    ("cls", "settings", "words"),
    [
        (bw.RandomForestRegressor, {"max_samples": 81}, "at most the number of rows"),
        (bw.RandomForestRegressor, {"max_samples": 0}, "an int >= 1"),
        (
            bw.RandomForestRegressor,
            {"max_samples": 5, "bootstrap": False},
            "where bootstrap is False",
        ),
        (
            bw.RandomForestRegressor,
            {"oob_score": True, "bootstrap": False},
            "where bootstrap is False",
        ),
        (
            bw.BayesianForestRegressor,
            {"bootstrap": False},
            "must be True: every tree draws weights",
        ),
        (bw.BayesianForestRegressor, {"max_samples": 0.5}, "weight_threshold=-log"),
        (bw.CalibratedForestRegressor, {"bootstrap": False}, "RandomForestRegressor"),
        (bw.CalibratedForestRegressor, {"warm_start": True}, "must be False: bags"),
    ],
)
def test_what_is_refused_says_why(cls, settings, words):
    with pytest.raises(bw.BayeswoodError, match=words):
        cls(5, **settings).fit(X, Y)
