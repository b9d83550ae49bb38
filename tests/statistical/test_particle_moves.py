"""Particles that are moved by Metropolis steps, against sums over all trees of tiny data sets.

The steps must leave the posterior as the filter found it, and must not touch the evidence. What a
wrong ratio of a move does is seen in the last tests: the bounds of the others are tight enough.
"""

import numpy as np
import pandas as pd
import pytest
from particle_truth import CASES
from particle_twin import NumberModel, evidence_by_leaves
from test_particle_posterior import (
    LIMITS,
    NUMBERS,
    RUNS,
    X_NUMBERS,
    Y_NUMBERS,
    distance_from_prior,
    limited_fit,
    many_runs,
    mixed_rows,
    nine_levels,
    posterior_of_leaves,
    standard_errors_off,
)

from bayeswood import SMCTreeClassifier, SMCTreeRegressor, _core
from bayeswood.forest import Forest

# Islands are runs of the test here.
pytestmark = pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")

ALIKE = np.array([0.2, 0.2, 0.2, 0.2, 0.2, 0.0])
NO_LEVELS = np.zeros(9, dtype=np.int32)
# Half of the particles: a share of them has a standard error of .0025, a quarter of its bound.
MOVED = {"n_moves": 60, "n_moved": RUNS * 650}


def case_rows(case):
    return np.array(case["X"], dtype=float), np.array(case["y"], dtype=np.int32)


@pytest.mark.parametrize("proposal", ["prior", "optimal"])
@pytest.mark.parametrize("name", CASES)
def test_moved_particles_are_the_posterior(name, proposal, seed):
    """Bounds of test_particle_posterior; the evidence is that of still particles."""
    case = CASES[name]
    shared = {
        "proposal": proposal,
        "alpha_split": case["alpha_split"],
        "beta_split": case["beta_split"],
        "concentration": case["alpha"],
        "random_state": seed,
    }
    X, y = case_rows(case)
    trees = many_runs(SMCTreeClassifier, 1200, **MOVED, **shared).fit(X, y)
    still = many_runs(SMCTreeClassifier, 1200, **shared).fit(X, y)
    np.testing.assert_allclose(trees.island_log_evidence_, still.island_log_evidence_, rtol=1e-13)
    predictive = trees.predict_proba(np.array(case["X_new"], dtype=float))
    assert np.abs(predictive - case["predictive"]).max() < 0.005
    shares = posterior_of_leaves(trees, max(case["leaves"]))
    assert max(abs(shares[k] - share) for k, share in case["leaves"].items()) < 0.01


def test_some_of_the_particles_are_the_posterior_too(seed):
    """One of ten, drawn by weights that were never evened out before.

    One step does not mend a wrong draw: without the weights a single leaf would have a share of
    .20 for .14. Bounds of some 3 standard deviations or more, as above.
    """
    case = CASES["ties and duplicates"]
    trees = many_runs(
        SMCTreeClassifier,
        3000,
        n_moves=1,
        n_moved=RUNS * 300,
        ess_threshold=0.0,
        alpha_split=case["alpha_split"],
        beta_split=case["beta_split"],
        concentration=case["alpha"],
        random_state=seed,
    ).fit(*case_rows(case))
    assert abs(standard_errors_off(trees, case["evidence"])) < 4
    predictive = trees.predict_proba(np.array(case["X_new"], dtype=float))
    assert np.abs(predictive - case["predictive"]).max() < 0.005
    shares = posterior_of_leaves(trees, max(case["leaves"]))
    assert max(abs(shares[k] - share) for k, share in case["leaves"].items()) < 0.015


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: next(iter(limit), "none"))
@pytest.mark.parametrize("missing_level", [False, True])
def test_mixed_tables_and_limits(limit, missing_level, seed):
    """Categories, holes, copies, limits and powers; `missing_level`: one that no row has."""
    X, rows, levels, y = mixed_rows()
    if missing_level:
        X["letter"] = pd.Categorical(X["letter"], categories=list("abcd"))
        levels = [0, 4]
    trees, sums = limited_fit(X, rows, levels, y, limit, **MOVED, random_state=seed)
    shares = posterior_of_leaves(trees, len(sums))
    assert np.abs(shares[: len(sums)] - sums / sums.sum()).max() < 0.01


def test_a_category_of_many_levels(seed):
    """Below the root most levels are absent from a node: in a chain they are coins."""
    y, sums = nine_levels()
    trees = many_runs(
        SMCTreeClassifier,
        1300,
        **MOVED,
        proposal="optimal",
        alpha_split=0.8,
        beta_split=1.0,
        concentration=1.0,
        random_state=seed,
    ).fit(pd.DataFrame({"letter": list("abcdefghi")}), y)
    shares = posterior_of_leaves(trees, 9)
    assert np.abs(shares - sums / sums.sum()).max() < 0.01


def test_numbers(seed):
    model = NumberModel(tuple(Y_NUMBERS - Y_NUMBERS.mean()), 0.5, 3.0, 0.4 * Y_NUMBERS.var() * 2)
    sums = evidence_by_leaves(X_NUMBERS.tolist(), [0], model, 0.95, 0.5)
    trees = many_runs(SMCTreeRegressor, 800, **MOVED, random_state=seed, **NUMBERS)
    trees.fit(X_NUMBERS, Y_NUMBERS)
    shares = posterior_of_leaves(trees, 4)
    assert np.abs(shares[:5] - sums / sums.sum()).max() < 0.01


# --- without data, where particles are independent draws ------------------------------------------


def moved_prior(case, seed, log_ratio_error=None):
    """20,000 draws from the prior, moved 60 steps each, under a likelihood to the power 0."""
    X, y = case_rows(case)
    found = _core.sample_particles(
        X,
        NO_LEVELS[: X.shape[1]],
        _core.class_leaves(y, None, alpha=np.full(2, 0.5), power=0.0),
        seed=seed,
        n_particles=20_000,
        n_islands=1,
        proposal="prior",
        resampling="systematic",
        ess_threshold=0.0,
        alpha_split=case["alpha_split"],
        beta_split=case["beta_split"],
        n_moves=60,
        n_moved=20_000,
        move_probabilities=ALIKE,
        log_ratio_error=log_ratio_error,
    )
    weights = np.bincount(found["particle_tree"], found["particle_weight"])
    return distance_from_prior(Forest(found["forest"]), weights, 20_000, case)


@pytest.mark.parametrize("name", CASES)
def test_moved_draws_of_the_prior_are_draws_of_the_prior(name, seed):
    """Roots and numbers of leaves: chi-square twice at its 1e-5 quantile."""
    assert moved_prior(CASES[name], seed) < 1


@pytest.mark.parametrize(
    ("move", "name"),
    [
        (0, "ties and duplicates"),
        (1, "ties and duplicates"),
        (2, "exclusive or"),
        (3, "exclusive or"),
        (4, "ties and duplicates"),
    ],
)
def test_a_wrong_ratio_of_a_move_is_noticed(move, name, seed):
    """The negative control: 0.7 too much in the log of the ratio of one kind of move."""
    error = np.zeros(6)
    error[move] = 0.7
    assert moved_prior(CASES[name], seed, error) > 1
