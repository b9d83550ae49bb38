"""Intervals from scaled out-of-bag residuals."""

import numpy as np
import pytest
from scipy.optimize import nnls

from bayeswood.uncertainty import (
    LeftOut,
    ResidualQuantiles,
    SpreadResiduals,
    fit_interval_calibration,
)
from bayeswood.uncertainty.calibration.interval_calibration import (
    _nonnegative_line,
    fit_residual_scale,
    fit_residuals,
)


@pytest.mark.parametrize("shape", ["rising", "falling", "from below", "flat"])
def test_the_line_is_that_of_nonnegative_least_squares(shape, rng):
    x = rng.exponential(size=80)
    y = {
        "rising": 1 + 2 * x,
        "falling": 5 * np.exp(-x),
        "from below": x**2,
        "flat": np.ones(80),
    }[shape] * rng.exponential(size=80)
    weights = rng.uniform(0.1, 3, size=80)
    root = np.sqrt(weights)
    expected, _ = nnls(np.column_stack([root, root * x]), root * y)
    np.testing.assert_allclose(_nonnegative_line(x, y, weights), expected, atol=1e-9)


def test_a_constant_spread_gives_a_level():
    assert _nonnegative_line(np.ones(4), np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4)) == (2.5, 0.0)


def test_the_scale_is_found_again(rng):
    v = rng.uniform(0.1, 5, size=40_000)
    r = rng.normal(size=40_000) * np.sqrt(0.7 + 1.8 * v)
    scale = fit_residual_scale(r, v)
    # Standard errors over 100 seeds: 0.03 and 0.02. A false alarm is beyond five of them.
    assert scale.intercept == pytest.approx(0.7, abs=0.15)
    assert scale.slope == pytest.approx(1.8, abs=0.1)


@pytest.mark.parametrize("exponent", [-390, -20, 20, 390])
def test_units_do_not_matter(exponent, rng):
    v = rng.exponential(size=200)
    r = rng.normal(size=200) * np.sqrt(1 + v)
    plain = fit_residual_scale(r, v)
    scaled = fit_residual_scale(np.ldexp(r, exponent), np.ldexp(v, 2 * exponent))
    assert scaled.slope == plain.slope
    assert scaled.intercept == np.ldexp(plain.intercept, 2 * exponent)


def test_a_perfect_forest_has_no_spread():
    scale, z = fit_interval_calibration(LeftOut(np.zeros(5), np.ones(5), np.full(5, 9), 300))
    assert (scale.intercept, scale.slope) == (0.0, 0.0)
    np.testing.assert_array_equal(z.at(np.zeros(3), np.array([0.05, 0.95])), np.zeros((3, 2)))


def test_where_all_trees_agree_the_spread_is_not_zero(rng):
    r, v = rng.normal(size=100), rng.exponential(size=100)
    r[:10], v[:10] = 0.0, 0.0
    scale = fit_residual_scale(r * v, v)
    assert scale.variance(np.zeros(1))[0] > 0


@pytest.mark.parametrize("n", [1, 2, 19, 20, 99])
@pytest.mark.parametrize("level", [0.0, 0.01, 0.05, 0.3, 0.5, 0.7, 0.95, 0.99, 1.0])
def test_ranks_are_those_of_the_finite_sample(n, level, rng):
    values = np.sort(rng.normal(size=n))
    wanted = (n + 1) * level
    rank = np.ceil(wanted - 1e-9) if level >= 0.5 else np.floor(wanted + 1e-9)
    expected = values[int(np.clip(rank, 1, n)) - 1]
    assert ResidualQuantiles.of(rng.permutation(values)).at(np.array([level]))[0] == expected
    equal = ResidualQuantiles.of(values, np.full(n, 0.3))
    assert equal.at(np.array([level]))[0] == expected


def test_quantiles_are_monotone_and_weights_count(rng):
    levels = np.linspace(0, 1, 301)
    z = ResidualQuantiles.of(rng.normal(size=50), rng.exponential(size=50))
    assert (np.diff(z.at(levels)) >= 0).all()
    heavy = ResidualQuantiles.of(np.array([-1.0, 0.0, 1.0]), np.array([1e-6, 1e-6, 1.0]))
    assert heavy.at(np.array([0.5]))[0] == 1.0


def test_the_reach_is_that_of_the_outermost_rank():
    z = ResidualQuantiles.of(np.arange(19.0))
    assert z.reach == pytest.approx(0.95)
    assert z.at(np.array([0.95, 0.99])).tolist() == [18.0, 18.0]
    assert z.at(np.array([0.9]))[0] == 17.0


def test_coverage_of_the_finite_sample_is_the_promised_one(rng):
    """One more exchangeable draw lies in the 80 % interval of 9 with probability exactly 0.8."""
    draws = rng.normal(size=(20_000, 10))
    covered = []
    for sample in draws:
        low, high = ResidualQuantiles.of(sample[:9]).at(np.array([0.1, 0.9]))
        covered.append(low <= sample[9] <= high)
    # Standard error 0.0028; a false alarm is beyond five of them.
    assert np.mean(covered) == pytest.approx(0.8, abs=0.015)


def test_residuals_are_shrunk_for_missing_trees():
    v = np.full(8, 2.0)
    r = np.array([-2.0, -1, -1, 1, 1, 2, 2, -2])
    _, few = fit_residuals(LeftOut(r, v, np.full(8, 10), 300))
    scale, all_trees = fit_residuals(LeftOut(r, v, np.full(8, 300), 300))
    s2 = float(scale.variance(v)[0])
    kept = 1 - 2.0 * (1 / 10 - 1 / 300) / s2
    np.testing.assert_allclose(few, all_trees * np.sqrt(kept))


def test_rows_on_which_all_trees_agree_do_not_rule_the_scale(rng):
    """One such row with a large residual must not flatten the slope."""
    v = rng.uniform(0.5, 5, size=2000)
    r = rng.normal(size=2000) * np.sqrt(v)
    r[0], v[0] = 4.0, 0.0
    # Over 100 seeds .92 ± .05, at least .78. Undamped, weights 1 / s² give .45 in the mean and
    # 1 / s⁴ .06.
    assert fit_residual_scale(r, v).slope > 0.65


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
        expected = ResidualQuantiles.of(z, mixed).at(levels)
        centre = np.exp(np.median(np.log(spread[rows])))
        np.testing.assert_allclose(residuals.at(np.array([centre]), levels)[0], expected)


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
