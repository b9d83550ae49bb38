"""The twin of the safe-Bayesian forest against exact answers, and against itself."""

from itertools import product

import numpy as np
import pytest
from safe_bayes_truth import FIXED
from safe_bayes_twin import (
    DirichletMultinomial,
    Grown,
    NormalInverseGamma,
    Split,
    Twin,
    draw_full_tree,
    draw_shape,
    fill_rules,
    gamma_objective,
    goes_left,
    mid_rank_pit,
    n_leaves,
    nested,
)
from scipy.integrate import quad

from bayeswood.theory import prior_leaf_count_pmf

N_TREES = 20_000
UNIFORM = DirichletMultinomial.symmetric(2, 1.0)


def fixed_twin(power):
    trees = [nested(tree) for tree in FIXED["trees"]]
    return Twin(trees, FIXED["X"], FIXED["y"], UNIFORM, power)


def small_twin(rng, *, n_rows=7, depth=3, n_trees=3, n_classes=3, power=0.3, prunes=True):
    X = rng.random((n_rows, 2))
    y = np.arange(n_rows) % n_classes
    trees = [draw_full_tree(depth, 2, rng) for _ in range(n_trees)]
    return Twin(trees, X, y, DirichletMultinomial.symmetric(n_classes), power, prunes)


# --- truths -------------------------------------------------------------------------------------


def test_fixed_trees_have_the_exact_evidences():
    np.testing.assert_allclose(fixed_twin(1.0).log_evidences(), FIXED["log_w"], rtol=0, atol=1e-9)
    assert fixed_twin(1.0).best_tree() == FIXED["best_tree"]


def test_fixed_trees_predict_exactly():
    found = np.array([fixed_twin(1.0).draws(x) for x in FIXED["X_test"]]).swapaxes(0, 1)
    np.testing.assert_allclose(found, FIXED["tree_predictions"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("power", list(FIXED["pooled"]))
def test_fixed_trees_pool_exactly(power):
    weights, p = FIXED["pooled"][power]
    twin = fixed_twin(power)
    np.testing.assert_allclose(twin.weights(), weights, rtol=0, atol=1e-9)
    np.testing.assert_allclose([twin.linear(x) for x in FIXED["X_test"]], p, rtol=0, atol=1e-9)


@pytest.mark.parametrize("split_probability", [0.3, 0.475])
def test_shapes_follow_the_prior(split_probability, rng):
    """Shares of 20,000 trees; .015 is over 4 standard errors: false alarms below 1e-4."""
    sizes = np.array(
        [(len(draw_shape(split_probability, rng, 1000)) + 1) // 2 for _ in range(N_TREES)]
    )
    for n in (2, 3, 4, 5, 10):
        share = prior_leaf_count_pmf(split_probability, n)
        assert np.mean(sizes == n) == pytest.approx(share, abs=0.015), n


def test_prior_truncates_at_the_cap(rng):
    sizes = [(len(draw_shape(0.9, rng, 50)) + 1) // 2 for _ in range(20)]
    assert max(sizes) == 50
    code = draw_shape(0.9, rng, 50)
    assert n_leaves(fill_rules(code, 2, rng)) == (len(code) + 1) // 2


def test_cuts_of_full_trees_stay_in_their_block(rng):
    def check(tree, low, high):
        if tree is None:
            return 0
        assert low <= tree.rule <= high
        return 1 + check(tree.left, low, tree.rule) + check(tree.right, tree.rule, high)

    assert check(draw_full_tree(5, 1, rng), 0.0, 1.0) == 31


# --- against itself -----------------------------------------------------------------------------


def test_dirichlet_evidence_is_a_product_of_predictives(rng):
    model, y = DirichletMultinomial.symmetric(3, 0.4), rng.integers(3, size=9)
    chain = sum(np.log(model.predictive(y[:i])[y[i]]) for i in range(9))
    assert model.log_marginal(y) == pytest.approx(chain, abs=1e-12)


def test_normal_evidence_is_a_product_of_predictives(rng):
    model, y = NormalInverseGamma(0.3, 0.7, 1.5, 2.0), rng.normal(size=9)
    chain = sum(np.log(model.predictive(y[:i]).pdf(y[i])) for i in range(9))
    assert model.log_marginal(y) == pytest.approx(chain, abs=1e-10)


def test_normal_evidence_is_an_integral():
    """Two rows: the density of y over mean and variance, integrated numerically."""
    model, y = NormalInverseGamma(0.0, 1.0, 2.0, 1.5), np.array([0.4, -1.1])
    total = quad(lambda last: np.exp(model.log_marginal(np.array([0.4, last]))), -np.inf, np.inf)[0]
    assert total == pytest.approx(np.exp(model.log_marginal(y[:1])), rel=1e-6)


def every_pruning(tree):
    """(pruned tree, prior probability): each inner node is a leaf with probability 1/2."""
    if tree is None:
        return [(None, 1.0)]
    kept = [
        (tree._replace(left=left, right=right), 0.5 * p * q)
        for (left, p), (right, q) in product(every_pruning(tree.left), every_pruning(tree.right))
    ]
    return [(None, 0.5), *kept]


def test_pruning_average_is_the_sum_over_all_prunings(rng):
    twin = small_twin(rng, n_rows=12, n_trees=1)
    (member,) = twin.members()
    prunings = every_pruning(member.tree)
    plain = [Grown(t, twin.X, twin.y, twin.leaf_model, False, member.rows) for t, _ in prunings]
    joint = np.array(
        [p * np.exp(g.log_evidence()) for g, (_, p) in zip(plain, prunings, strict=True)]
    )
    assert len(prunings) == 26
    assert member.log_evidence() == pytest.approx(np.log(joint.sum()), abs=1e-12)
    for x in rng.random((5, 2)):
        brute = joint @ [g.predictive(x) for g in plain] / joint.sum()
        np.testing.assert_allclose(member.predictive(x), brute, rtol=1e-12)


def test_pruning_average_of_normal_leaves(rng):
    model = NormalInverseGamma(0.0, 0.5, 2.0, 1.0)
    X, y, rows = rng.random((10, 2)), rng.normal(size=10), np.arange(10)
    tree = draw_full_tree(2, 2, rng)
    member, prunings = Grown(tree, X, y, model, True, rows), every_pruning(tree)
    plain = [Grown(t, X, y, model, False, rows) for t, _ in prunings]
    joint = np.array(
        [p * np.exp(g.log_evidence()) for g, (_, p) in zip(plain, prunings, strict=True)]
    )
    for x in rng.random((5, 2)):
        brute = joint @ [g.predictive(x).pdf(0.7) for g in plain] / joint.sum()
        assert member.predictive(x).pdf(0.7) == pytest.approx(brute, rel=1e-12)


def test_leaving_a_row_out_divides_by_its_predictive(rng):
    """log W of the others = log W - log p of the row given the others."""
    twin = small_twin(rng)
    for i in range(len(twin.y)):
        others = twin.without(i)
        own = [np.log(p[twin.y[i]]) for p in others.draws(twin.X[i])]
        np.testing.assert_allclose(twin.log_evidences() - own, others.log_evidences(), atol=1e-12)


def test_pooled_evidence_sums_to_one_and_has_its_ends(rng):
    twin = small_twin(rng)
    x = rng.random(2)
    np.testing.assert_allclose(twin.evidence(x, 0.0), twin.base_rates(), rtol=1e-12)
    assert twin.evidence(x, 1.7).sum() == pytest.approx(1.0, abs=1e-12)
    single = Twin(twin.trees[:1], twin.X, twin.y, twin.leaf_model, 0.3, True)
    np.testing.assert_allclose(single.evidence(x, 1.0), single.draws(x)[0], rtol=1e-12)


def test_best_gamma_has_no_better_neighbour(rng):
    twin = small_twin(rng)
    log_pi, ratios = twin.loo_directions()
    best = twin.best_gamma()
    top = gamma_objective(log_pi, ratios, twin.y, best)
    for factor in (0.01, 0.5, 0.99, 1.01, 2.0, 100.0):
        assert gamma_objective(log_pi, ratios, twin.y, factor * best) < top


def test_leave_one_out_reads_the_other_rows_only(rng):
    twin = small_twin(rng)
    flipped = Twin(twin.trees, twin.X, twin.y.copy(), twin.leaf_model, twin.power, True)
    flipped.y[2] = (flipped.y[2] + 1) % 3
    np.testing.assert_array_equal(twin.loo_linear()[2], flipped.loo_linear()[2])
    np.testing.assert_array_equal(twin.loo_evidence(1.3)[2], flipped.loo_evidence(1.3)[2])
    assert not np.allclose(twin.loo_linear()[3], flipped.loo_linear()[3])


def test_mixtures_of_students_are_densities(rng):
    model = NormalInverseGamma(0.0, 0.5, 2.0, 1.0)
    trees = [draw_full_tree(2, 2, rng) for _ in range(2)]
    twin = Twin(trees, rng.random((8, 2)), rng.normal(size=8), model, 0.5, True)
    mixture = twin.linear(rng.random(2))
    assert mixture.weight.sum() == pytest.approx(1.0, abs=1e-12)
    assert quad(mixture.pdf, -np.inf, np.inf)[0] == pytest.approx(1.0, abs=1e-6)
    assert quad(lambda y: y * mixture.pdf(y), -np.inf, np.inf)[0] == pytest.approx(
        mixture.mean(), abs=1e-5
    )
    assert mixture.cdf(40.0) > 0.99


def test_rules_send_rows_left():
    cut, levels = Split(0, 0.5, None, None), Split(1, frozenset({0, 2}), None, None, True)
    assert goes_left(cut, [0.5, 0])
    assert not goes_left(cut, [0.6, 0])
    assert not goes_left(cut, [np.nan, 0])
    assert goes_left(levels, [0.0, 2.0])
    assert not goes_left(levels, [0.0, 1.0])
    assert goes_left(levels, [0.0, np.nan])


def test_mid_ranks():
    train = np.array([3.0, 1.0, 3.0, 7.0])
    places = mid_rank_pit(train, np.array([0.0, 1.0, 2.0, 3.0, 7.0, 9.0]))
    np.testing.assert_allclose(places, np.array([0.5, 1.0, 1.5, 2.5, 4.0, 4.5]) / 5)
