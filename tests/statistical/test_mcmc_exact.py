"""Chains over trees against exact posteriors, for every set of moves.

Shares of leaves and predictive probabilities must be within .01. Over seeds their standard
deviations are at most .0022, so that a right sampler fails one comparison in 1e5.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import tree_posterior_twin as twin
from scipy import stats
from tree_posterior_truth import CHIPMAN, DENISON

from bayeswood import MCMCTreeClassifier, MCMCTreeRegressor

ALL = ("birth", "death", "change_split", "change_rule", "swap", "shift_rule")
MOVES = {
    "schetinin": "schetinin",
    "chipman": "chipman",
    "local": "local",
    "births and deaths": {"birth": 1, "death": 1},
    "births are rare": {"birth": 1, "death": 3, "change_split": 1, "swap": 2},
    "all": dict.fromkeys(ALL, 1),
}
CASES = {name: ("chipman", case) for name, case in CHIPMAN.items()}
CASES |= {name: ("denison", case) for name, case in DENISON.items()}

LONG = {"n_chains": 20, "n_burn_in": 500, "n_draws": 2500, "thin": 16}


def fit_case(name, moves, seed, **options):
    prior, case = CASES[name]
    settings = {
        **LONG,
        "prior": prior,
        "alpha_split": case.get("alpha_split", 0.95),
        "beta_split": case.get("beta_split", 0.5),
        "concentration": case["alpha"],
        "move_probabilities": MOVES[moves],
        "random_state": seed,
        **options,
    }
    return MCMCTreeClassifier(**settings).fit(case["X"], case["y"]), case


def leaf_shares(model, n):
    """Shares of the numbers of leaves, over all iterations after the burn-in."""
    kept = model.trace_.n_leaves[:, model.trace_.n_burn_in :]
    return np.bincount(kept.ravel(), minlength=n + 1)[1:] / kept.size


@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("name", CASES)
def test_posterior_is_the_enumerated_one(name, moves, seed):
    model, case = fit_case(name, moves, seed)
    exact = np.array(list(case["leaves"].values()))
    assert list(case["leaves"]) == list(range(1, len(exact) + 1))
    np.testing.assert_allclose(leaf_shares(model, len(exact)), exact, atol=0.01)
    np.testing.assert_allclose(model.predict_proba(case["X_test"]), case["predictive"], atol=0.01)
    if "root" in case:
        assert_root(model, case["root"])


def assert_root(model, exact):
    """Each cut of the root by a t test over chains: false alarms below 1e-7 per cut."""
    arrays = model.forest_.to_arrays()
    roots = np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"]
    feature, threshold = arrays["feature"][roots], arrays["threshold"][roots]
    for rule, p in exact.items():
        hit = feature < 0
        if rule is not None:
            hit = (feature == rule[0]) & (rule[1] <= threshold) & (threshold < rule[2])
        shares = hit[model.draw_tree_].mean(axis=1)
        assert shares.mean() == pytest.approx(p, abs=0.02)
        assert stats.ttest_1samp(shares, p).pvalue > 1e-7


@pytest.mark.parametrize("weights", ["evidence", "stacking"])
def test_weights_of_chains_that_mix_change_nothing(weights, seed):
    model, case = fit_case("A1_1d_n4", "all", seed, chain_weights=weights)
    if weights == "evidence":  # every chain visits every class of trees
        np.testing.assert_allclose(model.chain_weights_, 0.05, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(case["X_test"]), case["predictive"], atol=0.02)


MIXED = np.array(
    [[0.0, 0], [1.5, 2], [np.nan, 1], [4.0, 2], [4.0, np.nan], [7.0, 0]], dtype=np.float64
)
MIXED_TEST = np.array([[0.5, 1], [np.nan, 3], [5.0, 2], [2.0, np.nan], [9.0, 0]])
MIXED_CLASSES = np.array([0, 0, 1, 1, 0, 1])


@cache
def mixed_problem(prior, min_samples_leaf, max_leaves, alpha):
    return twin.Problem(
        MIXED,
        twin.class_leaf(MIXED_CLASSES, 2, alpha),
        (0, 4),
        prior,
        predictive=twin.class_predictive(MIXED_CLASSES, 2, alpha),
        X_test=MIXED_TEST,
        min_samples_leaf=min_samples_leaf,
        max_leaves=np.inf if max_leaves is None else max_leaves,
    )


@pytest.mark.parametrize("moves", ["schetinin", "local", "all"])
@pytest.mark.parametrize("prior", ["chipman", "denison", "denison-node"])
@pytest.mark.parametrize("limits", [(1, None), (2, 3)], ids=str)
def test_categories_and_missing_values(prior, moves, limits, seed):
    """Against the slow enumeration; level 3 is known but absent."""
    model = fit_mixed(prior, moves, seed, *limits)
    assert_enumerated(model, mixed_problem(prior, *limits, 1.0))


@pytest.mark.parametrize("prior", ["chipman", "denison"])
def test_classes_with_priors_of_their_own(prior, seed):
    alpha = (0.3, 1.6)
    model = fit_mixed(prior, "all", seed, 1, None, concentration=5.0, dirichlet_alpha=alpha)
    assert_enumerated(model, mixed_problem(prior, 1, None, alpha))


def assert_enumerated(model, problem):
    exact = twin.leaf_posterior(problem)
    shares = leaf_shares(model, max(exact))
    for k, p in exact.items():
        assert shares[k - 1] == pytest.approx(p, abs=0.01)
    found = model.predict_proba(encoded(MIXED_TEST))
    np.testing.assert_allclose(found, twin.predictives(problem), atol=0.01)


def encoded(table):
    """Numbers and words with missing cells, in a frame whose category knows four levels."""
    words = pd.Categorical.from_codes(
        np.nan_to_num(table[:, 1], nan=-1).astype(int), categories=list("abcd")
    )
    return pd.DataFrame({"number": table[:, 0], "word": words})


def fit_mixed(prior, moves, seed, min_samples_leaf, max_leaves, **options):
    settings = {
        **LONG,
        "prior": prior.removesuffix("-node"),
        "rule_support": "node" if prior.endswith("-node") else "table",
        "concentration": 1.0,
        "move_probabilities": MOVES[moves],
        "random_state": seed,
        "min_samples_leaf": min_samples_leaf,
        "max_leaves": max_leaves,
        **options,
    }
    model = MCMCTreeClassifier(**settings)
    return model.fit(encoded(MIXED), MIXED_CLASSES)


def test_numbers(seed):
    """Regression trees of five rows against the enumeration."""
    X = np.array([[0.0], [1.0], [2.5], [4.0], [7.0]])
    y = np.array([1.0, 1.25, 4.0, 3.5, 0.5])
    model = MCMCTreeRegressor(**LONG, random_state=seed).fit(X, y)
    shape = model.prior_shape
    leaf = twin.number_leaf(y, y.mean(), model.prior_strength, shape, model.prior_scale_)
    assert model.prior_scale_ == pytest.approx(0.5 * y.var() * (shape - 1))

    def predictive(rows):
        return y.mean() + sum(y[i] - y.mean() for i in rows) / (model.prior_strength + len(rows))

    test = np.array([[0.5], [2.0], [2.5], [6.0]])
    problem = twin.Problem(X, leaf, predictive=predictive, X_test=test)
    exact = twin.leaf_posterior(problem)
    np.testing.assert_allclose(leaf_shares(model, 5), list(exact.values()), atol=0.01)
    np.testing.assert_allclose(model.predict(test), twin.predictives(problem)[:, 0], atol=0.03)
