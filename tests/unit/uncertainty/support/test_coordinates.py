"""Columns on one scale."""

import numpy as np
import pytest

from bayeswood.uncertainty.support.coordinates import Coordinates, quantile


def fitted(*columns, categories=()):
    rows = np.column_stack(columns).astype(np.float64)
    is_category = np.isin(np.arange(rows.shape[1]), categories)
    return rows, Coordinates.fit(rows, is_category)


def test_units_do_not_matter(rng):
    x = rng.normal(size=200)
    rows, coordinates = fitted(x, 1000 * x + 7)
    z = coordinates(rows)
    np.testing.assert_allclose(z[:, 0], z[:, 1], rtol=1e-9, atol=1e-12)


def test_gaps_keep_their_width():
    x = np.concatenate([np.linspace(0, 1, 50), np.linspace(3, 4, 50)])
    z = fitted(x)[1](np.array([[0.0], [1.0], [3.0], [4.0]]))[:, 0]
    within, between = z[1] - z[0], z[2] - z[1]
    assert between > 2 * within


def test_long_tails_are_drawn_in(rng):
    rows, coordinates = fitted(rng.standard_cauchy(size=2000))
    assert np.abs(coordinates(rows)).max() < 20


@pytest.mark.parametrize("value", [7.0, 0.0, 0.1, -1e300])
def test_a_column_of_one_value_has_a_scale(value):
    _, coordinates = fitted(np.full(10, value))
    z = coordinates(np.array([[value], [value + 1.0]]))[:, 0]
    assert z[0] == 0
    assert z[1] in (0, np.arcsinh(value + 1.0 - value))


def test_many_equal_values_leave_a_scale(rng):
    x = np.where(rng.random(200) < 0.9, 0.0, rng.normal(size=200))
    _, coordinates = fitted(x)
    assert coordinates.scale[0] == pytest.approx(np.std(x))


def test_categories_and_missing_values_stay(rng):
    rows, coordinates = fitted(rng.integers(0, 4, 20), np.full(20, np.nan), categories=(0,))
    z = coordinates(rows)
    np.testing.assert_array_equal(z[:, 0], rows[:, 0])
    assert np.isnan(z[:, 1]).all()


def test_the_largest_numbers_are_finite():
    rows, coordinates = fitted(np.array([-1.7e308, 1e-300, 2e-300, 1.7e308]))
    assert np.isfinite(coordinates(rows)).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 57, 200])
def test_quantiles_are_those_of_numpy(n, rng):
    for _ in range(20):
        values = np.sort(rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, size=n))
        shares = (0.25, 0.5, 0.75, 0.9)
        found = [quantile(values, share) for share in shares]
        assert found == np.quantile(values, shares).tolist()
