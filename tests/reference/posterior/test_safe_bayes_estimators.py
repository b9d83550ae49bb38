"""The estimators against the twin, over the trees that they drew."""

import numpy as np
import pytest
from safe_bayes_twin import (
    DirichletMultinomial,
    NormalInverseGamma,
    Split,
    Twin,
)

from bayeswood import SafeBayesForestClassifier, SafeBayesForestRegressor


def as_twin_tree(tree, node=0):
    if tree.feature[node] < 0:
        return None
    is_category = tree.is_category_split(node)
    rule = frozenset(tree.left_levels(node).tolist()) if is_category else tree.threshold[node]
    return Split(
        int(tree.feature[node]),
        rule,
        as_twin_tree(tree, tree.left[node]),
        as_twin_tree(tree, tree.right[node]),
        bool(tree.missing_left[node]),
    )


def twin_of(model, X, y, leaf_model):
    trees = [as_twin_tree(tree) for tree in model.forest_.trees]
    return Twin(trees, X, y, leaf_model, model.power_, bool(model.prune_average))


def table(rng, n_rows=24):
    """A column of ties, one of numbers, one of three levels; some cells missing."""
    X = np.column_stack(
        [rng.integers(5, size=n_rows), rng.normal(size=n_rows), rng.integers(3, size=n_rows)]
    ).astype(float)
    X[rng.random(X.shape) < 0.08] = np.nan
    return X


def classes(X, rng):
    return (np.nan_to_num(X[:, 1]) + rng.normal(size=len(X)) > 0).astype(int) + (X[:, 2] == 1)


KINDS = {
    "published": {"tree_prior": "galton-watson", "pooling": "power", "prune_average": False},
    "pruned": {"depth": 4, "pooling": "power"},
    "default": {"depth": 4},
    "over rows": {"tree_prior": "rows", "max_leaves": 9},
    "uneven classes": {"depth": 4, "dirichlet_alpha": [0.2, 1.5, 0.7]},
    "published, uneven": {
        "tree_prior": "galton-watson",
        "pooling": "power",
        "prune_average": False,
        "dirichlet_alpha": [2.0, 0.5, 1.0],
    },
    "model averaging": {"depth": 3, "power": 1.0},
}


@pytest.fixture(params=list(KINDS))
def classifier(request, rng):
    X = table(rng)
    y = classes(X, rng)
    kind = dict(KINDS[request.param])
    if "dirichlet_alpha" in kind:
        kind["dirichlet_alpha"] = kind["dirichlet_alpha"][: len(np.unique(y))]
    model = SafeBayesForestClassifier(6, categorical_features=[2], random_state=3, **kind)
    model.fit(X, y)
    twin = twin_of(model, X, y, leaf_prior(model))
    return model, twin, table(rng, 15)


def leaf_prior(model):
    if model.dirichlet_alpha is None:
        return DirichletMultinomial.symmetric(len(model.classes_))
    return DirichletMultinomial(tuple(model.dirichlet_alpha))


def test_evidence_and_weights_of_classes(classifier):
    model, twin, _ = classifier
    np.testing.assert_allclose(model.log_evidence_, twin.log_evidences(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.member_weights_, twin.weights(), rtol=1e-9)


def test_members_of_classes(classifier):
    model, twin, rows = classifier
    expected = np.array([twin.draws(x) for x in rows]).swapaxes(0, 1)
    np.testing.assert_allclose(model.predict_draws(rows), expected, rtol=1e-9)


def power_left_out(model, n_rows):
    """That of the rows left, m / (N - 1), unless it is given."""
    return 5 / (n_rows - 1) if model.power is None else model.power


def test_pooled_classes(classifier):
    model, twin, rows = classifier
    if model.pooling == "power":
        expected = [twin.linear(x) for x in rows]
    else:
        expected = [twin.evidence(x, model.sharpness_) for x in rows]
        best = twin.best_gamma(power_left_out(model, len(twin.y)))
        assert model.sharpness_ == pytest.approx(best, rel=1e-4)
    np.testing.assert_allclose(model.predict_proba(rows), expected, rtol=1e-8)


def test_classes_left_out(classifier):
    """Each row predicted anew by a twin that never saw it."""
    model, twin, _ = classifier
    power = power_left_out(model, len(twin.y))
    for i, found in enumerate(model.loo_predict_proba()):
        others = twin.without(i, power)
        if model.pooling == "power":
            expected = others.linear(twin.X[i])
        else:
            expected = others.evidence(twin.X[i], model.sharpness_)
        np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.fixture(params=[True, False], ids=["pruned", "plain"])
def regressor(request, rng):
    X = table(rng)
    y = np.nan_to_num(X[:, 1]) + rng.normal(size=len(X))
    model = SafeBayesForestRegressor(
        5, depth=3, pooling="power", prune_average=request.param, categorical_features=[2],
        random_state=3,
    ).fit(X, y)  # fmt: skip
    leaf = NormalInverseGamma(y.mean(), 0.3, 2.0, 0.5 * y.var())
    return model, twin_of(model, X, y, leaf), table(rng, 15)


def test_numbers(regressor):
    """Responses are rounded to 2^-24 of their range, hence the tolerances."""
    model, twin, rows = regressor
    np.testing.assert_allclose(model.log_evidence_, twin.log_evidences(), rtol=0, atol=1e-4)
    np.testing.assert_allclose(model.member_weights_, twin.weights(), rtol=1e-4)
    means = np.array([[p.mean() for p in twin.draws(x)] for x in rows]).T
    np.testing.assert_allclose(model.predict_draws(rows), means, rtol=0, atol=1e-5)
    pooled = [twin.linear(x).mean() for x in rows]
    np.testing.assert_allclose(model.predict(rows), pooled, rtol=0, atol=1e-5)
