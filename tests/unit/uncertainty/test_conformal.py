"""Quantiles and tournaments behind the promises, by counting."""

import itertools

import numpy as np
import pytest

from bayeswood.uncertainty import (
    conformal_quantile,
    largest_coverage,
    most_losses,
    n_units,
    thin_bags,
    unit_weights,
)


def apart(n):
    return np.arange(n, dtype=np.int32)


@pytest.mark.parametrize("n", [1, 4, 9, 19, 20])
@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95])
def test_quantile_covers_each_row_left_out_in_turn(n, coverage):
    """Of n + 1 exchangeable rows each is as likely the new one: at least the share is covered."""
    scores = np.sqrt(np.arange(1.0, n + 2))
    covered = [
        scores[new] <= conformal_quantile(np.delete(scores, new), apart(n), coverage)
        for new in range(n + 1)
    ]
    assert np.mean(covered) >= coverage - 1e-9
    assert np.mean(covered) < coverage + 1 / (n + 1) + 1e-9


def test_quantile_of_groups_covers_each_group_left_out_in_turn(rng):
    groups = np.repeat(apart(12), rng.integers(1, 6, 12)).astype(np.int32)
    scores = rng.random(len(groups)) + 0.3 * groups
    covered = []
    for new in range(12):
        others = groups != new
        limit = conformal_quantile(scores[others], groups[others], 0.8)
        covered.append(np.mean(scores[~others] <= limit))
    assert np.mean(covered) >= 0.8


def test_too_few_rows_have_no_quantile():
    assert conformal_quantile(np.ones(8), apart(8), 0.9) == np.inf
    assert largest_coverage(8) < 0.9 <= largest_coverage(9)


def test_rows_of_a_group_count_as_one():
    groups = np.array([3, 3, 7], dtype=np.int32)
    np.testing.assert_array_equal(unit_weights(groups), [0.5, 0.5, 1.0])
    assert n_units(groups) == 2


def strange(beats, weights, losses):
    """Players that do not beat a weight of at most `losses` of the others."""
    lost = ((~beats) * weights).sum(axis=1) - np.diag((~beats) * weights)
    return lost <= losses + 1e-12


@pytest.mark.parametrize("coverage", [0.5, 0.7, 0.8])
def test_few_players_of_any_tournament_are_strange(coverage):
    """All tournaments of 5 players: with ℓ, at most a share α of them are strange."""
    pairs = list(itertools.combinations(range(5), 2))
    losses = most_losses(coverage, 4)
    most = 0
    for outcome in itertools.product([False, True], repeat=len(pairs)):
        beats = np.zeros((5, 5), dtype=bool)
        for (i, j), first in zip(pairs, outcome, strict=True):
            beats[i, j], beats[j, i] = first, not first
        most = max(most, strange(beats, np.ones(5), losses).sum())
    assert most <= (1 - coverage) * 5 + 1e-9
    if losses >= 0:  # and no larger ℓ would do
        assert 2 * (np.floor(losses) + 1) + 1 > (1 - coverage) * 5


def test_few_rows_of_groups_are_strange(rng):
    groups = np.repeat(apart(8), [1, 2, 3, 4, 1, 2, 3, 4])
    weights = unit_weights(groups)
    losses = most_losses(0.6, 7)
    for _ in range(300):
        strength = rng.normal(size=len(groups)) + rng.normal(size=8)[groups]
        noise = np.triu(rng.normal(size=(len(groups), len(groups))), 1)
        beats = strength[:, None] + noise - noise.T > strength
        same = groups[:, None] == groups
        lost = (~beats * ~same * weights).sum(axis=1)
        assert np.sum(weights[lost <= losses]) <= 0.4 * 8 + 1e-9


def test_thinned_bags_are_those_of_a_world_with_one_row_more(rng):
    """Mean number of bags that count, alone and in common, as among B̃ bags of two equal rows."""
    most, share, n_all, n_worlds = 6, 0.4, 15, 20_000
    left_out = rng.random((n_worlds, n_all, 2)) < share
    keys = np.where(left_out, rng.random(left_out.shape), np.inf)
    rank = np.argsort(np.argsort(keys, axis=1), axis=1)
    world = left_out & (rank < most)
    wanted = world.all(axis=2).sum(axis=1)
    found = [thin_bags(rng.random((most, 1)) < share, share, rng).sum() for _ in range(n_worlds)]
    # Means over 20,000 differ by .011 by chance (one standard error): five of them.
    assert np.mean(found) == pytest.approx(np.mean(wanted), abs=0.055)
    assert np.var(found) == pytest.approx(np.var(wanted), abs=0.1)


def test_thinned_bags_left_the_unit_out(rng):
    left_out = rng.random((300, 50)) < 1 / 3
    kept = thin_bags(left_out, 1 / 3, rng)
    assert not (kept & ~left_out).any()
    assert kept.sum() > 0.6 * left_out.sum()
