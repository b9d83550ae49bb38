"""`uncertainty(X)` of fitted estimators, against loops over rows and members."""

import numpy as np
import pytest

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    _core,
)


def entropy(p):
    return -sum(q * np.log(q) for q in p if q > 0)


def reweighted(model):
    """The same trees with unequal weights, one of them 0."""
    forest = model.forest_
    log_weights = np.linspace(-1, 1, forest.n_trees)
    log_weights[1] = -np.inf
    model.forest_ = type(forest)(forest.core, log_weights, forest.labels)
    return model


@pytest.mark.parametrize("cls", [BayesianForestClassifier, RandomForestClassifier])
def test_entropies_by_brute_force(cls, rng):
    X = rng.normal(size=(120, 3))
    y = np.digitize(X[:, 0] + rng.normal(size=120), [-0.5, 0.5])
    model = reweighted(cls(9, min_samples_leaf=4, random_state=0).fit(X, y))
    split = model.uncertainty(X)
    draws, weights = model.predict_draws(X), model.member_weights_
    for i in range(len(X)):
        mean = sum(w * p for w, p in zip(weights, draws[:, i], strict=True))
        within = sum(w * entropy(p) for w, p in zip(weights, draws[:, i], strict=True))
        assert split.total[i] == pytest.approx(entropy(mean), abs=1e-12)
        assert split.data[i] == pytest.approx(within, abs=1e-12)
        assert split.knowledge[i] == pytest.approx(entropy(mean) - within, abs=1e-12)


@pytest.mark.parametrize(
    ("cls", "scheme"),
    [(BayesianForestRegressor, "exponential"), (RandomForestRegressor, "bootstrap")],
)
def test_variances_by_brute_force(cls, scheme, rng):
    """The weighted training rows that share the row's leaf, tree by tree."""
    X = rng.normal(size=(90, 3))
    y = X[:, 0] + rng.normal(size=90)
    sample_weight = rng.uniform(0.5, 2, size=90)
    model = cls(6, min_samples_leaf=4, random_state=0).fit(X, y, sample_weight)
    model = reweighted(model)
    new = rng.normal(size=(25, 3))
    split = model.uncertainty(new)
    leaves, new_leaves = model.apply(X), model.apply(new)
    drawn = [_core.draw_weights(scheme, model.seed_, t, 90) * sample_weight for t in range(6)]
    for i in range(len(new)):
        means, variances = [], []
        for t in range(6):
            w = drawn[t] * (leaves[:, t] == new_leaves[i, t])
            means.append(w @ y / w.sum())
            variances.append(w @ (y - means[-1]) ** 2 / w.sum())
        weights = model.member_weights_
        centre = weights @ means
        knowledge = weights @ (np.array(means) - centre) ** 2
        assert split.data[i] == pytest.approx(weights @ variances)
        assert split.knowledge[i] == pytest.approx(knowledge)
        assert split.total[i] == pytest.approx(weights @ variances + knowledge)
