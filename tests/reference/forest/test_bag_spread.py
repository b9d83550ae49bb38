"""What bags say of rows that they left out, against the same by NumPy."""

import numpy as np
import pytest

from bayeswood import _core

SEED, N_ROWS = 4, 150


def grow(rng, n_trees, size, n_classes):
    X = rng.normal(size=(N_ROWS, 4))
    y = rng.integers(n_classes, size=N_ROWS).astype(np.int32)
    law = {
        "scheme": "exponential",
        "seed": SEED,
        "weight_threshold": 0.5,
        "trees_per_draw": size,
    }
    encoded = _core.EncodedMatrix(X, np.zeros(4, dtype=np.int32))
    forest, _ = _core.grow_forest(
        encoded, y, None, criterion="gini", n_trees=n_trees, n_classes=n_classes, max_features=2,
        min_samples_leaf=3, **law,
    )  # fmt: skip
    return X, forest, law


def variance_of_mean(trees, weights, kind):
    """By chance of the trees, each kind by itself; of one tree of a kind nothing is known."""
    share = weights / weights.sum()
    if np.bincount(kind - kind.min()).min() < 2:
        kind = np.zeros_like(kind)
    found = np.zeros(trees.shape[1:])
    for one in np.unique(kind):
        part = kind == one
        found += share[part].sum() ** 2 * trees[part].var(axis=0, ddof=1) / part.sum()
    return found


@pytest.mark.parametrize("strength", [0.0, 2.0])
@pytest.mark.parametrize(
    ("n_trees", "size", "n_classes", "kinds"),
    [(30, 6, 3, (0, 1)), (29, 6, 2, (0, 1)), (14, 4, 7, (0, 0, 0, 1)), (9, 2, 4, (1, 1))],
)
def test_bags_are_those_of_numpy(rng, n_trees, size, n_classes, kinds, strength):
    X, forest, law = grow(rng, n_trees, size, n_classes)
    forest = forest.shrink_leaves(strength)
    kind = np.resize(kinds, n_trees).astype(np.int32)
    weights = rng.uniform(0.5, 2, n_trees)
    rows = np.sort(rng.choice(N_ROWS, 60, replace=False)).astype(np.int32)
    arguments = (forest, X[rows], rows, N_ROWS, weights, kind)
    mean, within = _core.bag_spread(*arguments, **law)
    draws, n_bags = forest.predict_draws(X[rows]), n_trees // size
    assert mean.shape == within.shape == (n_bags, 60, n_classes)
    seen = 0
    for g in range(n_bags):
        bag = slice(g * size, (g + 1) * size)
        drawn = {**law, "tree": g * size, "n_rows": N_ROWS}
        out = _core.draw_weights(**drawn)[rows] == 0
        seen += out.sum()
        average = np.average(draws[bag], axis=0, weights=weights[bag])
        chance = variance_of_mean(draws[bag], weights[bag], kind[bag])
        np.testing.assert_allclose(mean[g], np.where(out[:, None], average, 0), atol=1e-14)
        np.testing.assert_allclose(within[g], np.where(out[:, None], chance, 0), atol=1e-14)
    assert seen > 0
    threaded = _core.bag_spread(*arguments, n_jobs=3, **law)
    np.testing.assert_array_equal(mean, threaded[0])
    np.testing.assert_array_equal(within, threaded[1])


def test_wrong_arrays_are_refused(rng):
    X, forest, law = grow(rng, 6, 2, 3)
    rows, weights = np.arange(N_ROWS, dtype=np.int32), np.ones(6)
    kind = np.zeros(6, dtype=np.int32)
    lawful = {"X": X, "rows": rows, "n_training": N_ROWS, "tree_weights": weights, "kind": kind}
    for name, value, message in (
        ("X", X[:, :2], "columns"),
        ("rows", rows[1:], "rows"),
        ("n_training", N_ROWS - 1, "rows"),
        ("kind", kind[1:], "kind"),
        ("tree_weights", weights[1:], "tree_weights"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.bag_spread(forest, **{**lawful, name: value}, **law)
    with pytest.raises(ValueError, match="trees_per_draw"):
        _core.bag_spread(forest, **lawful, **{**law, "trees_per_draw": 1})
