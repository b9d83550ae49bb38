"""Forests of disjoint random parts of the rows."""

import numpy as np
import pytest
from forest_estimator_cases import assert_same_trees
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    SubsampleForestClassifier,
    SubsampleForestRegressor,
    _core,
)
from bayeswood.methods.bayesian_forest.row_parts import random_parts


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(n_samples=203, noise=1.0, random_state=1)


@pytest.fixture(scope="module")
def model(friedman):
    return SubsampleForestRegressor(4, n_subsamples=3, random_state=0).fit(*friedman)


def test_parts_are_random_disjoint_and_of_one_size():
    part = random_parts(7, 203, 5)
    assert sorted(np.bincount(part)) == [40, 40, 41, 41, 41]
    assert not np.array_equal(part, random_parts(8, 203, 5))
    assert len(set(part[:20].tolist())) > 1


def test_one_part_is_the_bayesian_forest(friedman):
    whole = BayesianForestRegressor(4, random_state=0).fit(*friedman)
    parted = SubsampleForestRegressor(4, n_subsamples=1, random_state=0).fit(*friedman)
    assert_same_trees(whole, parted)
    X, y = load_iris(return_X_y=True)
    classes = BayesianForestClassifier(3, random_state=1).fit(X, y)
    assert_same_trees(
        classes, SubsampleForestClassifier(3, n_subsamples=1, random_state=1).fit(X, y)
    )


def test_each_part_has_its_forest(model, friedman):
    X, y = friedman
    part = random_parts(model.seed_, len(X), 3)
    assert model.forest_.n_trees == 12
    assert model.n_subsamples_ == 3
    for t, tree in enumerate(model.forest_.trees):
        rows = np.flatnonzero(part == t // 4)
        assert tree.n_samples[0] == len(rows)
        weight = _core.draw_weights("exponential", model.seed_, t, len(X), row_parts=part)[rows]
        leaves = model.apply(X)[:, t]
        mates = leaves[rows] == leaves[0]
        mean = weight[mates] @ y[rows][mates] / weight[mates].sum()
        np.testing.assert_allclose(model.predict_draws(X[[0]])[t, 0], mean, rtol=1e-6)


def test_quantiles_come_from_the_rows_of_each_part(model, friedman):
    X, y = friedman
    part, total = random_parts(model.seed_, len(X), 3), np.zeros(len(X))
    for t in range(12):
        leaves = model.apply(X)[:, t]
        weight = _core.draw_weights("exponential", model.seed_, t, len(X), row_parts=part)
        weight *= (leaves == leaves[0]) & (part == t // 4)
        total += weight / weight.sum() / 12
    order = np.argsort(y)
    wanted = y[order][np.searchsorted(np.cumsum(total[order]), [0.2, 0.8])]
    np.testing.assert_allclose(model.predict_quantiles(X[[0]], [0.2, 0.8])[0], wanted)
    spread = total @ (y - total @ y) ** 2
    np.testing.assert_allclose(model.uncertainty(X[[0]]).total, spread, rtol=1e-6)


def test_the_result_is_the_same_for_any_number_of_jobs(model, friedman):
    assert_same_trees(clone(model).set_params(n_jobs=3).fit(*friedman), model)


def test_a_zero_weight_is_the_absence_of_the_row(friedman, rng):
    X, y = friedman
    weight = rng.exponential(size=len(X))
    weight[::4] = 0
    model = SubsampleForestRegressor(3, random_state=0)
    kept = weight > 0
    assert_same_trees(
        clone(model).fit(X, y, weight), clone(model).fit(X[kept], y[kept], weight[kept])
    )


def test_parts_know_all_classes():
    y = np.array(["a"] * 8 + ["b"])
    forest = SubsampleForestClassifier(2, n_subsamples=4, random_state=0).fit(np.eye(9), y)
    assert forest.predict_proba(np.eye(9)).shape == (9, 2)
    assert any(tree.n_leaves == 1 for tree in forest.forest_.trees)


def test_there_are_no_more_parts_than_rows():
    forest = SubsampleForestRegressor(2, n_subsamples=5, random_state=0)
    forest.fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
    assert forest.n_subsamples_ == 3
    np.testing.assert_allclose(forest.predict([[9.0]]), 2.0)


def test_a_share_of_rows_is_one_of_the_part(friedman):
    forest = SubsampleForestRegressor(2, n_subsamples=2, min_samples_leaf=0.1, random_state=0)
    assert forest.fit(*friedman).min_samples_leaf_ == 11


@pytest.mark.parametrize("n_subsamples", [0, 2.0, None])
def test_bad_numbers_of_parts_are_named(friedman, n_subsamples):
    with pytest.raises(BayeswoodError, match="The 'n_subsamples' parameter of SubsampleForestReg"):
        SubsampleForestRegressor(n_subsamples=n_subsamples).fit(*friedman)
