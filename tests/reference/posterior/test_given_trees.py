"""Given trees through the library: exact answers, and the twin."""

import numpy as np
import pytest
from safe_bayes_truth import FIXED
from safe_bayes_twin import (
    DirichletMultinomial,
    Split,
    Twin,
    draw_full_tree,
    nested,
)

from bayeswood import Forest
from bayeswood.errors import BayeswoodError
from bayeswood.forest import weigh_trees


def fixed_forest(power):
    shapes = Forest.from_nested(FIXED["trees"])
    return weigh_trees(shapes, FIXED["X"], FIXED["y"], power=power)


def test_fixed_trees_have_the_exact_evidences():
    forest = fixed_forest(1.0)
    np.testing.assert_allclose(forest.log_weights, FIXED["log_w"], rtol=0, atol=1e-9)
    assert int(forest.log_weights.argmax()) == FIXED["best_tree"]
    draws = forest.draws(FIXED["X_test"])
    np.testing.assert_allclose(draws, FIXED["tree_predictions"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("power", list(FIXED["pooled"]))
def test_fixed_trees_pool_exactly(power):
    weights, p = FIXED["pooled"][power]
    forest = fixed_forest(power)
    np.testing.assert_allclose(forest.weights, weights, rtol=0, atol=1e-9)
    np.testing.assert_allclose(forest.predict(FIXED["X_test"]), p, rtol=0, atol=1e-9)


@pytest.mark.parametrize("alpha", [0.3, (0.2, 1.4, 0.5)])
def test_the_twin_with_categories_and_missing_values(rng, alpha):
    def with_levels(tree):
        if tree is None:
            return None
        levels = frozenset(np.flatnonzero(rng.random(5) < 0.5).tolist())
        return Split(
            tree.feature,
            levels if tree.feature == 1 else tree.rule,
            with_levels(tree.left),
            with_levels(tree.right),
            bool(rng.random() < 0.5),
        )

    trees = [with_levels(draw_full_tree(4, 3, rng)) for _ in range(6)]
    X = rng.random((40, 3))
    X[:, 1] = rng.integers(5, size=40)
    X[rng.random((40, 3)) < 0.15] = np.nan
    y = rng.integers(3, size=40)
    alphas = np.broadcast_to(alpha, 3)
    twin = Twin(trees, X, y, DirichletMultinomial(tuple(alphas.tolist())), 0.2)
    shapes = Forest.from_nested(trees, n_levels=[0, 5, 0])
    forest = weigh_trees(shapes, X, y, dirichlet_alpha=alpha, power=0.2)
    np.testing.assert_allclose(forest.weights, twin.weights(), rtol=1e-10)
    found = forest.predict(X[:10])
    np.testing.assert_allclose(found, [twin.linear(x) for x in X[:10]], rtol=1e-10)
    assert (forest.trees[0].n_samples[0], forest.n_outputs) == (40, 3)


def test_a_class_without_rows_has_its_share_of_the_prior():
    shapes = Forest.from_nested([nested(tree) for tree in FIXED["trees"]])
    forest = weigh_trees(shapes, FIXED["X"], FIXED["y"], n_classes=3)
    assert forest.predict(FIXED["X_test"]).shape == (4, 3)
    assert forest.predict(FIXED["X_test"]).min() > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"power": 1.5}, r"'power'.*in \[0, 1\]. Got 1.5"),
        ({"power": float("nan")}, "'power'"),
        ({"dirichlet_alpha": 0.0}, "'dirichlet_alpha'.*positive"),
        ({"dirichlet_alpha": [1.0, 2.0, 3.0]}, "'dirichlet_alpha'.*each of 2 classes"),
        ({"n_classes": 1}, "'n_classes'.*at least 2"),
        ({"y": [0, -1, 1]}, "'y'.*class numbers"),
        ({"y": [0.5, 0.2, 0.1]}, "'y'.*class numbers"),
        ({"y": []}, "'y'.*class numbers"),
        ({"y": [0, 1]}, "3 rows and 2 classes"),
    ],
)
def test_bad_input(change, message):
    given = {"y": [0, 1, 1]} | change
    shapes = Forest.from_nested([(0, 0.5, None, None)])
    with pytest.raises(BayeswoodError, match=message):
        weigh_trees(shapes, [[0.1], [0.2], [0.7]], **given)
