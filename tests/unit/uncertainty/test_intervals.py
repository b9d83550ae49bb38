"""Quantiles over members and the levels of intervals."""

import itertools

import numpy as np
import pytest

from bayeswood import BayeswoodError
from bayeswood.uncertainty import (
    check_alpha,
    check_coverage,
    interval_levels,
    member_quantiles,
    row_blocks,
)
from bayeswood.uncertainty.intervals import BLOCK_BYTES

LEVELS = np.array([0.0, 0.05, 0.3, 0.5, 0.95, 1.0])


def slow_quantile(values, weights, level):
    """The smallest value whose cumulative weight reaches the level."""
    pairs = sorted((v, w) for v, w in zip(values, weights, strict=True) if w > 0)
    cumulative = 0.0
    for value, weight in pairs:
        cumulative += weight
        if cumulative >= level - 1e-12:
            return value
    return pairs[-1][0]


@pytest.mark.parametrize("kind", ["equal", "unequal", "some zero"])
def test_quantiles_equal_the_slow_ones(rng, kind):
    draws = rng.normal(size=(17, 6, 2)).round(1)
    weights = np.ones(17) if kind == "equal" else rng.exponential(size=17)
    if kind == "some zero":
        weights[::3] = 0.0
    weights /= weights.sum()
    found = member_quantiles(draws, weights, LEVELS)
    assert found.shape == (6, 2, len(LEVELS))
    for row in range(6):
        for output in range(2):
            for i, level in enumerate(LEVELS):
                expected = slow_quantile(draws[:, row, output], weights, level)
                assert found[row, output, i] == expected


def test_rounding_of_the_weights_moves_no_quantile():
    draws = np.arange(100.0)
    equal = member_quantiles(draws, np.full(100, 0.01), LEVELS)
    nearly = np.full(100, 0.01)
    nearly[0] = np.nextafter(0.01, 1)
    np.testing.assert_array_equal(equal, [0, 4, 29, 49, 94, 99])
    np.testing.assert_array_equal(member_quantiles(draws, nearly, LEVELS), equal)


def test_draws_are_not_changed(rng):
    draws = rng.normal(size=(5, 3))
    before = draws.copy()
    member_quantiles(draws, np.full(5, 0.2), LEVELS)
    np.testing.assert_array_equal(draws, before)


def test_quantiles_rise_with_the_level(rng):
    weights = rng.exponential(size=30)
    levels = np.linspace(0, 1, 50)
    found = member_quantiles(rng.normal(size=(30, 8)), weights / weights.sum(), levels)
    assert (np.diff(found, axis=-1) >= 0).all()


def test_blocks_cover_the_rows_within_the_bound():
    blocks = list(row_blocks(100_000, 500, 10))
    assert blocks[0].start == 0
    assert blocks[-1].stop == 100_000
    assert all(a.stop == b.start for a, b in itertools.pairwise(blocks))
    assert max(b.stop - b.start for b in blocks) * 500 * 10 * 8 <= BLOCK_BYTES


def test_blocks_have_at_least_one_row():
    assert len(list(row_blocks(3, 10**9, 10))) == 3


def test_levels_of_an_interval():
    np.testing.assert_allclose(interval_levels(0.9), [0.05, 0.95])


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 1.5, np.nan, "0.9", None, True])
def test_bad_coverage_is_refused(coverage):
    with pytest.raises(BayeswoodError, match=r"'coverage' parameter of f must be .* \(0, 1\)"):
        check_coverage(coverage, "f")


@pytest.mark.parametrize("alpha", [-0.1, 1.1, [], [0.5, 2.0], [[0.5]], "median", None, np.nan])
def test_bad_alpha_is_refused(alpha):
    with pytest.raises(BayeswoodError, match="'alpha' parameter of f must be"):
        check_alpha(alpha, "f")
