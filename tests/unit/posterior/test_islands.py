"""The standard error of a mean of islands, and the warning."""

import numpy as np
import pytest
from scipy.special import logsumexp

from bayeswood import SMCTreeClassifier
from bayeswood.posterior import IslandsDisagree, log_evidence_se, warn_if_islands_disagree
from bayeswood.posterior.islands import island_spread, particle_draws, particle_quantities


@pytest.mark.parametrize("n_islands", [2, 5, 40])
@pytest.mark.parametrize("spread", [0.05, 0.5, 2.0, 20.0])
def test_of_lognormal_islands_it_is_the_spread_of_the_log_mean(rng, n_islands, spread):
    """What the root mean square must be is known to 2 %, what it is to 6 % or better: many islands
    know their spread, and fewer runs of them are judged."""
    logs = -300 + spread * rng.standard_normal((2000, n_islands))
    truth = logsumexp(logs, axis=1).std()
    printed = np.array([log_evidence_se(row) for row in logs[: 8000 // n_islands]])
    assert np.sqrt(np.mean(printed**2)) == pytest.approx(truth, rel=0.25)


def test_small_spreads_are_the_delta_method(rng):
    logs = 1e-3 * rng.standard_normal(2000)
    assert log_evidence_se(logs) == pytest.approx(1e-3 / np.sqrt(2000), rel=0.05)


def test_an_island_that_failed_says_nothing_about_the_others():
    agreeing = [-40.0, -40.3, -39.8, -40.1]
    assert log_evidence_se([*agreeing, -66.0]) < 0.5
    assert log_evidence_se([*agreeing, -np.inf]) < 0.5
    assert log_evidence_se([*agreeing, -30.0]) > 2


def test_what_cannot_be_known():
    assert np.isnan(log_evidence_se([-3.0]))
    assert log_evidence_se([-3.0, -np.inf, -np.inf]) == np.inf
    assert np.isnan(island_spread([-3.0]))
    assert island_spread([-3.0, -np.inf]) == np.inf


def test_the_warning_has_a_limit():
    warn_if_islands_disagree([-3.0, -6.0, -3.0], "rest")  # 1.7
    warn_if_islands_disagree([-3.0], "rest")
    with pytest.warns(IslandsDisagree, match=r"deviation of 2.31 .* from -7 to -3, .*; rest\.$"):
        warn_if_islands_disagree([-3.0, -7.0, -3.0], "rest")
    with pytest.warns(IslandsDisagree, match=r"deviation of inf .* from -inf to -3"):
        warn_if_islands_disagree([-3.0, -np.inf], "rest")
    warn_if_islands_disagree([-3.0, -7.0, -3.0], "rest", limit=3.0)


@pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")
def test_draws_stand_for_weighted_particles():
    X, y = np.arange(30.0)[:, None], np.arange(30) % 7 > 3
    model = SMCTreeClassifier(60, n_islands=3, island_weights="evidence", random_state=0).fit(X, y)
    drawn = particle_draws(model)
    counts = np.bincount(drawn, minlength=model.forest_.n_members)
    assert np.abs(counts - 1000 * model.forest_.weights).max() < 1
    np.testing.assert_array_equal(drawn, particle_draws(model))
    assert (np.diff(drawn) < 0).sum() > 200  # in no order
    posterior = particle_quantities(model)
    np.testing.assert_array_equal(posterior["n_leaves"][0], model.forest_.n_leaves[drawn])
    assert posterior["depth"].shape == (1, 1000)
