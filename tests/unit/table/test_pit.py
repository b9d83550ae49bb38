"""The frozen probability integral transform."""

import numpy as np
import pytest
from scipy.stats import rankdata

from bayeswood.table.pit import fit_pit, jittered, unit_scale

NUMBERS = np.zeros(2, dtype=np.int32)


def test_training_values_stand_at_their_mid_rank(rng):
    X = np.column_stack([rng.normal(size=50), rng.integers(0, 5, 50)])
    expected = np.column_stack([rankdata(column) / 51 for column in X.T])
    np.testing.assert_allclose(fit_pit(X, NUMBERS).apply(X), expected, rtol=1e-15)


def test_copies_count_like_repeated_rows(rng):
    X = rng.integers(0, 6, (30, 2)).astype(float)
    copies = rng.integers(0, 4, 30).astype(np.int32)
    assert fit_pit(X, NUMBERS, copies).same_as(fit_pit(np.repeat(X, copies, axis=0), NUMBERS))


def test_new_values_take_the_step_of_the_nearest(rng):
    scale = fit_pit(np.array([[0.0], [10.0]]), NUMBERS[:1])
    found = scale.apply(np.array([[-99.0], [4.9], [5.0], [5.1], [99.0], [np.nan]]))
    np.testing.assert_allclose(found[:, 0], [1 / 3, 1 / 3, 1 / 3, 2 / 3, 2 / 3, np.nan])


def test_long_columns_share_steps(rng):
    X = rng.normal(size=(1000, 1))
    scale = fit_pit(X, NUMBERS[:1], max_steps=16)
    assert len(scale.transform) == 16
    exact = rankdata(X[:, 0]) / 1001
    assert np.abs(scale.apply(X)[:, 0] - exact).max() < 1 / 16


def test_missing_values_and_categories_take_no_part():
    X = np.array([[1.0, 0.0], [np.nan, 1.0], [3.0, 1.0]])
    scale = fit_pit(X, np.array([0, 2], dtype=np.int32))
    np.testing.assert_allclose(scale.apply(X), [[1 / 3, 0], [np.nan, 1], [2 / 3, 1]])


def test_a_column_of_nothing_has_one_step():
    scale = fit_pit(np.full((3, 1), np.nan), NUMBERS[:1])
    assert scale.n_edges[0] == 0
    np.testing.assert_array_equal(scale.transform, [0.5])


def test_the_unit_scale_keeps_numbers(rng):
    X = rng.uniform(size=(100, 2))
    np.testing.assert_allclose(unit_scale(NUMBERS).apply(X), X, atol=1 / 65_000)


@pytest.mark.parametrize("ties", [2, 7])
def test_jitter_breaks_ties_and_keeps_order(rng, ties):
    X = rng.integers(0, ties, (40, 2)).astype(float)
    moved = jittered(X, NUMBERS, rng)
    assert len(np.unique(moved[:, 0])) == 40
    np.testing.assert_array_equal(np.round(moved), X)
