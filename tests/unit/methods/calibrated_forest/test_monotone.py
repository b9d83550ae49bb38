"""Monotone constraints on the calibrated forests: trees, boosted sums, and what is made of them."""

import numpy as np
import pytest

import bayeswood
from bayeswood import BayeswoodError, CalibratedForestClassifier, CalibratedForestRegressor

DIRECTIONS = ((0, 1), (1, -1))


@pytest.fixture(scope="module")
def table():
    """Noise above a signal that wiggles, ties, missing values."""
    rng = np.random.default_rng(11)
    X = np.stack([rng.normal(size=500), np.round(rng.normal(size=500), 1)], axis=1)
    X = np.concatenate([X, rng.normal(size=(500, 2))], axis=1)
    X[rng.random(X.shape) < 0.1] = np.nan
    told = np.nan_to_num(X)
    signal = 2 * told[:, 0] + np.sin(4 * told[:, 0]) - told[:, 1] + told[:, 2] * told[:, 3]
    return X, signal + 1.5 * rng.normal(size=500)


@pytest.fixture(scope="module")
def regressor(table):
    kind = CalibratedForestRegressor(60, monotonic_cst=[1, -1, 0, 0], random_state=0)
    return kind.fit(*table)


@pytest.fixture(scope="module")
def classifier(table):
    X, y = table
    kind = CalibratedForestClassifier(60, monotonic_cst=[1, -1, 0, 0], random_state=0)
    return kind.fit(X, np.where(y > 0, "yes", "no"))


def walks(X, column):
    """Rows that differ in one column alone, ascending: (n_starts, n_steps, n_features)."""
    rows = np.repeat(X[:30, None], 300, axis=1)
    rows[:, :, column] = np.linspace(-4, 4, 300)
    return rows


def steps(ask, rows):
    """What `ask` says of a step further, (..., n_starts, n_steps - 1)."""
    found = ask(rows.reshape(-1, rows.shape[2]))
    return np.diff(found.reshape(*found.shape[:-1], *rows.shape[:2]), axis=-1)


@pytest.mark.parametrize(("column", "direction"), DIRECTIONS)
def test_numbers_keep_the_order_to_the_bit(regressor, table, column, direction):
    rows = walks(table[0], column)
    assert (regressor.component_weights_[0] > 0) or (regressor.component_weights_[1:] > 0).all()
    assert (direction * steps(regressor.predict, rows) >= 0).all()
    assert (direction * steps(regressor.predict_draws, rows) >= 0).all()


@pytest.mark.parametrize(("column", "direction"), DIRECTIONS)
def test_every_tree_of_a_member_keeps_it(regressor, table, column, direction):
    core, rows = regressor.forest_.core, walks(table[0], column)
    assert (direction * steps(lambda r: core.predict_draws(r)[:, :, 0], rows) >= 0).all()


@pytest.mark.parametrize(("column", "direction"), DIRECTIONS)
def test_probabilities_keep_the_order(classifier, table, column, direction):
    rows = walks(table[0], column)
    assert classifier.leaf_shrinkage_ > 0
    assert classifier.additive_weight_ > 0
    trees, sums = classifier.forest_, classifier.predictive_.additive_sums.sums
    assert (direction * steps(lambda r: trees.core.predict_draws(r)[:, :, 1], rows) >= 0).all()
    assert (direction * steps(lambda r: sums.core.predict_draws(r)[:, :, 0], rows) >= 0).all()
    # Logarithms and powers in the calibration are rounded.
    answer = steps(lambda r: classifier.predict_proba(r)[:, 1], rows)
    assert (direction * answer >= -1e-15).all()


def test_the_order_costs_little_where_it_is_true(table):
    """Out of bag, no worse than without it: the wiggle is noise's size."""
    X, y = table
    free = CalibratedForestRegressor(60, random_state=0).fit(X, y)
    bound = CalibratedForestRegressor(60, monotonic_cst=[1, -1, 0, 0], random_state=0).fit(X, y)
    assert bound.oob_score_ > free.oob_score_ - 0.03


def test_a_file_keeps_the_constraint(classifier, table, tmp_path):
    classifier.save(tmp_path / "model")
    loaded = bayeswood.load(tmp_path / "model")
    assert loaded.monotonic_cst == [1, -1, 0, 0]
    np.testing.assert_array_equal(
        loaded.predict_proba(table[0]), classifier.predict_proba(table[0])
    )


def test_what_cannot_keep_it_is_refused(table):
    X, y = table
    with pytest.raises(BayeswoodError, match="must be 0 with monotonic_cst"):
        CalibratedForestRegressor(additive_members=2, monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    with pytest.raises(BayeswoodError, match="None with more than two classes"):
        CalibratedForestClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, np.arange(500) % 3)
