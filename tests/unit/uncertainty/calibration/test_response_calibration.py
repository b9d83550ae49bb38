"""The distribution of a response from residuals, from leaves, or from both."""

import numpy as np
import pytest

from bayeswood.uncertainty import (
    LEVELS,
    OutOfBagResponse,
    ResponseCalibration,
    interpolated,
    quantile_loss,
)


def normal_quantiles(levels):
    from scipy.stats import norm

    return norm.ppf(levels)


def known_case(rng, n=2000, spread=1.0):
    """Noise of sd 1 to 3 around 0, and leaves that say so, too wide or too narrow by a factor."""
    size = rng.uniform(1, 3, size=n)
    y = size * rng.normal(size=n)
    in_leaves = spread * size[:, None] * normal_quantiles(LEVELS)
    return OutOfBagResponse(y, np.zeros(n), size, None, in_leaves)


@pytest.mark.parametrize("spread", [0.8, 1.0, 2.0])
def test_leaves_are_set_right(spread, rng):
    known = known_case(rng, 20_000, spread)
    found = ResponseCalibration.fit(known, share=0.0)
    asked = np.array([0.1, 0.5, 0.9])
    ends = interpolated(known.in_leaves, found.leaf_levels(asked))
    # Standard error .003; interpolation between levels 1/40 apart adds about .005.
    below = (known.y[:, None] <= ends).mean(axis=0)
    np.testing.assert_allclose(below, asked, atol=0.02)


def test_levels_that_are_right_stay(rng):
    found = ResponseCalibration.fit(known_case(rng, 20_000))
    np.testing.assert_allclose(found.leaf_levels(LEVELS), LEVELS, atol=0.02)


def test_lumps_do_not_move_the_levels(rng):
    """Three values whose probabilities the leaves know: every level is as it should be."""
    p = rng.dirichlet([2, 2, 2], size=20_000)
    reached = np.cumsum(p, axis=1)
    y = (rng.uniform(size=(20_000, 1)) > reached).sum(axis=1).astype(float)
    in_leaves = (LEVELS[None, :, None] > reached[:, None, :]).sum(axis=2).astype(float)
    known = OutOfBagResponse(y, np.ones(20_000), np.ones(20_000), None, in_leaves)
    found = ResponseCalibration.fit(known)
    np.testing.assert_allclose(found.leaf_levels(LEVELS), LEVELS, atol=0.03)
    assert found.share == 0.0


def test_the_better_account_is_taken(rng):
    known = known_case(rng)
    blind = OutOfBagResponse(
        known.y, known.mean, known.size, None, np.tile(3.0 * normal_quantiles(LEVELS), (2000, 1))
    )
    assert ResponseCalibration.fit(blind).share == 1.0
    wrong = OutOfBagResponse(known.y, rng.normal(size=2000) * 3, known.size, None, known.in_leaves)
    assert ResponseCalibration.fit(wrong).share == 0.0


def test_quantiles_mix_both(rng):
    known = known_case(rng, 300)
    levels = np.array([0.1, 0.5])
    one, other, half = (ResponseCalibration.fit(known, share=w) for w in (1.0, 0.0, 0.5))

    def ask(calibration):
        leaves = lambda at: interpolated(known.in_leaves, at)  # noqa: E731
        return calibration.quantiles(known.mean, known.size, levels, leaves)

    np.testing.assert_allclose(ask(half), (ask(one) + ask(other)) / 2)


def test_weights_are_numbers_of_rows(rng):
    known = known_case(rng, 60)
    times = rng.integers(1, 4, size=60)
    weighted = OutOfBagResponse(
        known.y, known.mean, known.size, times.astype(float), known.in_leaves
    )
    rows = np.repeat(np.arange(60), times)
    copied = OutOfBagResponse(
        known.y[rows], known.mean[rows], known.size[rows], None, known.in_leaves[rows]
    )
    first, second = (ResponseCalibration.fit(k, by_spread=False) for k in (weighted, copied))
    assert first.factor == pytest.approx(second.factor)
    np.testing.assert_allclose(first.reached, second.reached)


def test_the_loss_is_half_the_crps(rng):
    """Of a normal forecast of sd 1 at its own draws: E CRPS = 1 / sqrt(pi)."""
    levels = (np.arange(400) + 0.5) / 400
    y = rng.normal(size=40_000)
    loss = quantile_loss(y, np.tile(normal_quantiles(levels), (40_000, 1)), levels)
    # Standard error .002.
    assert 2 * loss == pytest.approx(1 / np.sqrt(np.pi), abs=0.01)
