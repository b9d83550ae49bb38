"""Quantiles of scaled residuals, at the levels that a row to come gives them."""

import numpy as np
import pytest

from bayeswood.uncertainty import ResidualQuantiles


@pytest.mark.parametrize("n", [1, 2, 19, 20, 99])
@pytest.mark.parametrize("level", [0.0, 0.01, 0.05, 0.3, 0.5, 0.7, 0.95, 0.99, 1.0])
def test_the_ith_of_n_is_at_the_level_of_a_row_to_come(n, level, rng):
    values = np.sort(rng.normal(size=n))
    expected = np.quantile(values, level, method="weibull")
    found = ResidualQuantiles.of(rng.permutation(values)).at(np.array([level]))[0]
    assert found == pytest.approx(expected, abs=1e-12)
    equal = ResidualQuantiles.of(values, np.full(n, 0.3))
    assert equal.at(np.array([level]))[0] == pytest.approx(expected, abs=1e-12)


def test_levels_with_weights_are_the_formula():
    z = ResidualQuantiles(np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 1.0]), to_come=2.0)
    levels = np.array([1.5, 3.0, 4.5]) / 6
    np.testing.assert_allclose(z.at(levels), [0.0, 1.0, 3.0])
    np.testing.assert_allclose(z.at((levels[1:] + levels[:-1]) / 2), [0.5, 2.0])
    assert z.reach == pytest.approx(4 / 6)


def test_quantiles_are_monotone_and_weights_count(rng):
    levels = np.linspace(0, 1, 301)
    z = ResidualQuantiles.of(rng.normal(size=50), rng.exponential(size=50))
    assert (np.diff(z.at(levels)) >= 0).all()
    heavy = ResidualQuantiles.of(np.array([-1.0, 0.0, 1.0]), np.array([1e-6, 1e-6, 1.0]))
    assert heavy.at(np.array([0.5]))[0] == pytest.approx(1.0, abs=1e-5)


def test_the_reach_is_that_of_the_outermost_rank():
    z = ResidualQuantiles.of(np.arange(19.0))
    assert z.reach == pytest.approx(0.95)
    assert z.at(np.array([0.95, 0.99])).tolist() == [18.0, 18.0]
    assert z.at(np.array([0.9]))[0] == 17.0


@pytest.mark.parametrize(("n", "level"), [(9, 0.8), (30, 0.9), (90, 0.9)])
def test_coverage_is_neither_below_nor_above_the_level(n, level, rng):
    """Whole ranks, rounded outward, would cover 29/31 of 90 % with 30, and 83/91 with 90."""
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    quantiles = [ResidualQuantiles.of(rng.random(n)).at(ends) for _ in range(4000)]
    # Of uniform residuals the length is what is covered: sd at most .13, standard error .002.
    assert np.mean(np.diff(quantiles)) == pytest.approx(level, abs=0.01)


def test_uneven_weights_cover_the_level(rng):
    """Were the row to come to weigh as much as the mean, .890 of 90 % with 100 residuals."""
    ends, covered = np.array([0.05, 0.95]), []
    for _ in range(4000):
        z = ResidualQuantiles.of(rng.random(100), rng.choice([0.2, 1.0, 5.0], size=100))
        covered.append(np.diff(z.at(ends)))
    # .899 is covered, standard error .0006; a false alarm is beyond six of them.
    assert np.mean(covered) == pytest.approx(0.9, abs=0.005)
