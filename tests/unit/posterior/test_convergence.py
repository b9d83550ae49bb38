"""R-hat and effective sample sizes: by hand, against known values, and against ArviZ."""

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from bayeswood.errors import BayeswoodError
from bayeswood.posterior import bulk_ess, split_rhat, tail_ess


def autoregressive(phi, shift, *, n_chains=3, n_draws=201, seed=4):
    """x_t = phi x_{t-1} + e_t in each chain; the k-th chain is moved by k shift."""
    noise = np.random.default_rng(seed).normal(size=(n_chains, n_draws))
    x = noise.copy()
    for t in range(1, n_draws):
        x[:, t] += phi * x[:, t - 1]
    return x + shift * np.arange(n_chains)[:, None]


# R-hat, bulk and tail ESS of ArviZ 0.23.4.
KNOWN = {
    (0.0, 0.0): (1.0079773704875237, 545.6175341822876, 556.7870214695461),
    (0.9, 0.0): (1.1615166302264481, 17.704713664985476, 35.169200174171856),
    (-0.5, 0.0): (1.0000706440037936, 1666.890750230186, 635.3439417656606),
    (0.6, 1.5): (1.4736754118860984, 6.016670538500923, 190.23542942934895),
}


def slow_rhat(chains):
    """The textbook, line by line, on halves of normal scores."""
    half = chains.shape[1] // 2
    halves = [chain[:half] for chain in chains] + [chain[-half:] for chain in chains]

    def rhat(parts):
        flat = np.concatenate(parts)
        z = norm.ppf((rankdata(flat) - 3 / 8) / (flat.size + 1 / 4)).reshape(len(parts), half)
        means = [sum(part) / half for part in z]
        grand = sum(means) / len(means)
        between = half / (len(z) - 1) * sum((m - grand) ** 2 for m in means)
        within = sum(
            sum((v - m) ** 2 for v in part) / (half - 1) for part, m in zip(z, means, strict=True)
        ) / len(z)
        return (((half - 1) / half * within + between / half) / within) ** 0.5

    middle = np.median(np.concatenate(halves))
    return max(rhat(halves), rhat([abs(part - middle) for part in halves]))


@pytest.mark.parametrize("process", KNOWN, ids=str)
def test_known_values(process):
    x = autoregressive(*process)
    found = split_rhat(x), bulk_ess(x), tail_ess(x)
    assert found == pytest.approx(KNOWN[process], rel=1e-9)


@pytest.mark.parametrize("process", KNOWN, ids=str)
def test_rhat_by_hand(process):
    x = autoregressive(*process, n_draws=41)
    assert split_rhat(x) == pytest.approx(slow_rhat(x), rel=1e-12)


def test_rhat_of_whole_numbers_by_hand():
    x = np.random.default_rng(7).integers(3, 8, size=(4, 50))
    assert split_rhat(x) == pytest.approx(slow_rhat(x), rel=1e-12)


def test_a_chain_that_drifts_disagrees_with_itself():
    steady = np.random.default_rng(8).normal(size=(1, 400))
    drifting = steady + np.linspace(0, 5, 400)
    assert split_rhat(steady) < 1.02
    assert split_rhat(drifting) > 1.5


def test_chains_that_differ_in_spread_only():
    x = np.random.default_rng(9).normal(size=(4, 500))
    x[0] *= 10
    assert split_rhat(x) > 1.2  # by the distances from the median; the means agree


def test_independent_draws_count_in_full():
    # The standard deviation of ESS/S is about .05 here: outside by chance once in 10^4.
    x = np.random.default_rng(10).normal(size=(4, 1000))
    assert 0.8 < bulk_ess(x) / x.size < 1.2


def test_an_autoregressive_chain_has_the_ess_of_theory():
    # S (1 - phi) / (1 + phi) = 40,000 / 3; its relative standard deviation is about .03.
    x = autoregressive(0.5, 0.0, n_chains=4, n_draws=10_000)
    assert bulk_ess(x) == pytest.approx(40_000 / 3, rel=0.12)


def test_what_is_behind_the_draws_is_kept():
    x = np.random.default_rng(11).normal(size=(3, 60, 2, 5))
    for measure in (split_rhat, bulk_ess, tail_ess):
        found = measure(x)
        assert found.shape == (2, 5)
        assert found[1, 3] == measure(x[:, :, 1, 3])


def test_nothing_varies():
    assert np.isnan(split_rhat(np.ones((3, 20))))
    assert bulk_ess(np.ones((3, 20))) == 60


def test_chains_that_stand_still_apart():
    still = np.repeat([[1.0], [2.0], [2.0]], 20, axis=1)
    assert split_rhat(still) == np.inf


def test_what_is_not_finite():
    x = np.random.default_rng(12).normal(size=(2, 20))
    x[0, 3] = np.inf
    assert np.isnan([split_rhat(x), bulk_ess(x), tail_ess(x)]).all()


@pytest.mark.parametrize("shape", [(20,), (2, 3), (0, 20)])
def test_bad_shapes(shape):
    with pytest.raises(BayeswoodError, match="'draws' parameter of split_rhat"):
        split_rhat(np.ones(shape))
