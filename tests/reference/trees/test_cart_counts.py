"""Two classes with whole-number weights take a way of their own through the core.

A tiny share of the same weights takes the general way, which equals the twin: both must give the
same trees. Multiplying all weights by a power of two changes no split, and no rounding either.
"""

import numpy as np
import pytest

from bayeswood import _core

COLUMNS = ("normal", "rounded", "binary", "constant")
WEIGHTS = ("ones", "counts", "heavy")
SCALE = 2.0**-30  # leaves no whole number


def draw_column(rng, kind, n):
    return {
        "normal": lambda: rng.normal(size=n),
        "rounded": lambda: rng.normal(size=n).round(1),
        "binary": lambda: rng.integers(0, 2, n).astype(float),
        "constant": lambda: np.zeros(n),
    }[kind]()


def draw_table(rng, n, n_features):
    kinds = rng.choice(COLUMNS, n_features, p=(0.6, 0.2, 0.1, 0.1))
    X = np.column_stack([draw_column(rng, kind, n) for kind in kinds])
    logit = X[:, : 1 + n_features // 3].sum(axis=1) * rng.choice((0.0, 0.5, 3.0))
    return X, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(np.int32)


def draw_weights(rng, kind, n):
    if kind == "ones":
        return np.ones(n)
    if kind == "counts":
        weights = np.bincount(rng.integers(0, n, n), minlength=n).astype(float)
    else:
        weights = np.floor(10 ** rng.uniform(0, 4, n))
    return weights


def grow(X, y, weights, **options):
    encoded = _core.EncodedMatrix(X, np.zeros(X.shape[1], np.int32))
    forest, importances = _core.grow_forest(
        encoded,
        y,
        None,
        criterion="gini",
        scheme="given",
        given_weights=weights[None],
        n_trees=1,
        n_classes=2,
        **options,
    )
    return forest.to_arrays(), importances


def assert_counts_grow_the_same(X, y, weights, **options):
    counted, counted_gain = grow(X, y, weights, **options)
    general, general_gain = grow(X, y, weights * SCALE, **options)
    counted["leaf_weight"] = counted["leaf_weight"] * SCALE
    assert counted.keys() == general.keys()
    for name, value in counted.items():
        np.testing.assert_array_equal(value, general[name], err_msg=name)
    np.testing.assert_allclose(counted_gain, general_gain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("instruction_set", _core.instruction_sets())
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n", [2, 3, 9, 40, 128, 129, 300, 1500, 6000])
def test_counts_and_shares_grow_the_same_tree(rng, seed, n, weights, instruction_set):
    for _ in range(30 if n < 1000 else 3):
        n_features = int(rng.integers(3, 14))
        X, y = draw_table(rng, n, n_features)
        assert_counts_grow_the_same(
            X,
            y,
            draw_weights(rng, weights, n),
            seed=seed,
            max_features=int(rng.integers(1, (n_features - 1) // 2 + 1)),
            min_samples_leaf=int(rng.choice((1, 1, 2, 7))),
            min_weight_fraction_leaf=float(rng.choice((0.0, 0.0, 0.02))),
            instruction_set=instruction_set,
        )


@pytest.mark.parametrize("instruction_set", _core.instruction_sets())
@pytest.mark.parametrize("n", [13_000, 30_000, 70_000])
def test_large_nodes_split_the_same(rng, seed, n, instruction_set):
    for max_features in (1, 4, 6):
        X, y = draw_table(rng, n, 14)
        weights = draw_weights(rng, "counts", n)
        assert_counts_grow_the_same(
            X,
            y,
            weights,
            seed=seed + max_features,
            max_features=max_features,
            max_depth=1,
            instruction_set=instruction_set,
        )


def test_weights_beyond_the_counts_still_work(rng, seed):
    X, y = draw_table(rng, 500, 9)
    weights = np.full(500, 40_000.0)  # too heavy a row
    assert_counts_grow_the_same(X, y, weights, seed=seed, max_features=3)
    weights = np.full(500, 30_000.0)  # too heavy a sum
    assert_counts_grow_the_same(X, y, weights, seed=seed, max_features=3)
