"""Choosing strength and share from what trees say of the rows they left out."""

import numpy as np
import pytest

from bayeswood.uncertainty import KindSums, Votes, choose_share, choose_strength, equal_shares
from bayeswood.uncertainty.calibration.member_weighting import SHARES, STRENGTHS

N_ROWS, N_TREES = 400, 60


def kinds_of(probabilities, rng, n_trees=N_TREES):
    """Votes of 0 and 1 drawn from probabilities, (n_kinds, n_strengths, n_rows) of class 1."""
    counts = rng.integers(5, n_trees, size=(len(probabilities), N_ROWS)).astype(np.int32)
    of_second = rng.binomial(counts[:, None], probabilities).astype(float)
    sums = np.stack([counts[:, None] - of_second, of_second], axis=-1)
    return KindSums(sums, counts, np.full(len(probabilities), n_trees))


def loss_of(means, n_trees, label):
    """−ℓ of averages that are given."""
    votes = Votes.from_means(means, n_trees)
    return votes.native().loss(label.astype(np.int32), np.ones(len(label)))


def test_equal_shares_are_the_plain_average(rng):
    kinds = kinds_of(rng.random((2, 1, N_ROWS)), rng)
    label = rng.integers(0, 2, N_ROWS)
    found = kinds.losses(np.zeros(1), equal_shares(kinds.n_trees)[None], label)
    counts = kinds.counts.sum(axis=0)
    plain = loss_of(kinds.sums.sum(axis=0)[0] / counts[:, None], counts, label)
    np.testing.assert_allclose(found, plain)


def test_the_better_kind_gets_the_weight(rng):
    p = rng.random(N_ROWS)
    label = (rng.random(N_ROWS) < p).astype(np.intp)
    useless = rng.random(N_ROWS)
    for first, second, wanted in ((p, useless, SHARES[0]), (useless, p, SHARES[-1])):
        kinds = kinds_of(np.stack([first, second])[:, None], rng)
        # The posterior has nearly all its mass at the end of the grid.
        assert choose_share(kinds, label, None) == pytest.approx(wanted, abs=0.05)


def test_the_better_strength_is_chosen(rng):
    p = rng.random(N_ROWS)
    label = (rng.random(N_ROWS) < p).astype(np.intp)
    at = np.stack([rng.random(N_ROWS) for _ in STRENGTHS])
    at[3] = p
    kinds = kinds_of(at[None], rng)
    assert choose_strength(kinds, label, None) == pytest.approx(STRENGTHS[3], rel=0.01)


def test_where_nothing_tells_them_apart_the_middle_is_taken(rng):
    p = np.broadcast_to(rng.random(N_ROWS), (2, 1, N_ROWS))
    kinds = kinds_of(p, rng)
    same = KindSums(np.repeat(kinds.sums[:1], 2, axis=0), kinds.counts[[0, 0]], kinds.n_trees)
    label = (rng.random(N_ROWS) < 0.5).astype(np.intp)
    # Shares enter through the effective number alone, which is largest in the middle.
    assert choose_share(same, label, None) == pytest.approx(0.5, abs=0.02)


def test_weights_of_rows_count(rng):
    """Twice the row is the row with twice the weight."""
    p = rng.random((2, 1, N_ROWS))
    kinds = kinds_of(p, rng)
    label = (rng.random(N_ROWS) < p[0, 0]).astype(np.intp)
    twice = np.repeat(np.arange(N_ROWS), np.where(np.arange(N_ROWS) < 100, 2, 1))
    copied = KindSums(kinds.sums[:, :, twice], kinds.counts[:, twice], kinds.n_trees)
    weights = np.where(np.arange(N_ROWS) < 100, 2.0, 1.0)
    by_copies = choose_share(copied, label[twice], None)
    # Weights are scaled to a mean of 1: the likelihood is that of 400 rows, not 500.
    losses = kinds.losses(np.zeros(5), np.column_stack([1 - SHARES, SHARES]), label, weights)
    shares = np.exp(np.min(losses) - losses)
    expected = (shares @ SHARES) / shares.sum()
    assert choose_share(kinds, label, weights) == pytest.approx(expected)
    assert choose_share(kinds, label, weights) == pytest.approx(by_copies, abs=0.1)


def test_the_loss_is_that_of_the_fit(rng):
    """The penalised negative log likelihood at its least, against a grid of powers."""
    p = rng.random((1, 1, N_ROWS))
    kinds = kinds_of(p, rng)
    label = (rng.random(N_ROWS) < p[0, 0]).astype(np.intp)
    found = kinds.losses(np.zeros(1), np.ones((1, 1)), label)[0]
    number = kinds.counts[0].mean()
    means = kinds.sums[0, 0] / kinds.counts[0][:, None]
    logs = np.log((number * means + 0.5) / (number + 1))
    best = np.inf
    for power in np.linspace(0.3, 3, 136):
        for offset in np.linspace(-0.5, 0.5, 101):
            scores = power * logs + np.array([-offset, offset])
            losses = np.logaddexp(*scores.T) - scores[np.arange(N_ROWS), label]
            penalty = np.log(power) ** 2 / (2 * 1.5**2) + 2 * offset**2 / 2
            best = min(best, losses.sum() + penalty)
    assert found <= best + 1e-3
    assert found == pytest.approx(best, abs=0.1)
