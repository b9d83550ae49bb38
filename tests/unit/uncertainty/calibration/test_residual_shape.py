"""Scaled residuals whose distribution changes with the spread."""

import numpy as np
import pytest
from scipy.stats import norm

from bayeswood.uncertainty import ResidualQuantiles, SpreadResiduals


def shape_case(rng, n=300):
    spread = rng.uniform(1, 9, size=n)
    return rng.normal(size=n) * np.where(spread > 5, 0.5, 2.0), spread


@pytest.mark.parametrize("weighted", [False, True])
def test_each_third_has_quantiles_of_its_own(weighted, rng):
    z, spread = shape_case(rng)
    weights = rng.uniform(0.5, 2, size=300) if weighted else None
    residuals = SpreadResiduals.of(z, spread, weights)
    thirds = np.array_split(np.argsort(spread), 3)
    levels = np.array([0.05, 0.3, 0.9])
    own = np.ones(300) if weights is None else weights
    for rows in thirds:
        others = np.setdiff1d(np.arange(300), rows)
        mixed = own.copy()
        mixed[others] *= 5 * own.mean() / own[others].sum()
        order = np.argsort(z)
        to_come = (own[rows] ** 2).sum() / own[rows].sum()
        expected = ResidualQuantiles(z[order], mixed[order], to_come).at(levels)
        centre = np.exp(np.median(np.log(spread[rows])))
        np.testing.assert_allclose(residuals.at(np.array([centre]), levels)[0], expected)


def test_a_row_to_come_counts_as_one_of_its_third(rng):
    """Thirds of 30 rows cover .903 of 90 %; .892 if it counted as the mean of all rows does."""
    levels, covered = np.array([0.05, 0.95]), []
    for _ in range(2000):
        residuals = SpreadResiduals.of(rng.normal(size=90), rng.uniform(1, 9, size=90))
        covered.append(np.diff(norm.cdf(residuals.of_parts(levels)[1])).mean())
    # Standard error .0007; a false alarm is beyond five of them.
    assert np.mean(covered) == pytest.approx(0.903, abs=0.0035)


def test_between_medians_quantiles_are_interpolated_and_beyond_constant(rng):
    z, spread = shape_case(rng)
    residuals = SpreadResiduals.of(z, spread)
    levels = np.array([0.1, 0.9])
    first, second, third = residuals.at(np.exp(residuals.centres), levels)
    middle = np.exp(residuals.centres[:2].mean())
    found = residuals.at(np.array([1e-3, middle, 1e3]), levels)
    np.testing.assert_allclose(found, [first, (first + second) / 2, third])


def test_quantiles_of_any_spread_are_monotone(rng):
    residuals = SpreadResiduals.of(*shape_case(rng, 40))
    found = residuals.at(np.linspace(0, 12, 50), np.linspace(0, 1, 301))
    assert (np.diff(found, axis=1) >= 0).all()


@pytest.mark.parametrize("case", ["asked", "constant spread", "two rows"])
def test_one_distribution_serves_all(case, rng):
    z, spread = shape_case(rng)
    if case == "constant spread":
        spread = np.ones(300)
    if case == "two rows":
        z, spread = z[:2], spread[:2]
    residuals = SpreadResiduals.of(z, spread, by_spread=case != "asked")
    levels = np.array([0.05, 0.5, 0.95])
    expected = np.tile(ResidualQuantiles.of(z).at(levels), (4, 1))
    np.testing.assert_array_equal(residuals.at(np.linspace(1, 9, 4), levels), expected)
    assert residuals.reach == ResidualQuantiles.of(z).reach


def test_few_rows_borrow_all_others(rng):
    """Where the other thirds have five rows or fewer, they count in full."""
    z, spread = shape_case(rng, 7)
    residuals = SpreadResiduals.of(z, spread)
    levels = np.array([0.2, 0.8])
    np.testing.assert_array_equal(
        residuals.at(spread, levels), np.tile(ResidualQuantiles.of(z).at(levels), (7, 1))
    )


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 20, 61])
def test_centres_are_medians_of_log_spread(n, rng):
    spread = rng.exponential(size=n)
    found = SpreadResiduals.of(rng.normal(size=n), spread)
    thirds = np.array_split(np.sort(spread), 3)
    assert found.centres.tolist() == [np.median(np.log(third)) for third in thirds]
