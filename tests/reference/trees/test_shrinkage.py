"""Leaves moved toward their ancestors, against the formula walked node by node."""

import numpy as np
import pytest
from random_tables import n_levels_of, random_rows, random_target

from bayeswood import _core

SEED, N_TREES, N_ROWS = 8, 12, 200
KINDS = ("normal", "rounded", "levels5")
TARGETS = ("multiclass", "outputs")
LEFT_OUT = {"weight_threshold": 0.4}


def grow(rng, target):
    X = random_rows(rng, N_ROWS, KINDS, 0.1)
    made = random_target(rng, X, target)
    encoded = _core.EncodedMatrix(X, n_levels_of(KINDS).astype(np.int32))
    settings = {"scheme": "exponential", "seed": SEED, "n_trees": N_TREES, "max_features": 2}
    y = made.pop("y")
    forest, _ = _core.grow_forest(
        encoded, y, None, randomized_fraction=0.5, **settings, **made, **LEFT_OUT
    )
    return X, forest


def shrunk_values(tree, strength):
    """v_0 + sum over the path of (v_l - v_{l-1}) / (1 + strength / N_{l-1}), for every node."""
    values = tree["value"].copy()
    for node in range(len(values)):
        for child in (tree["left"][node], tree["right"][node]):
            if child >= 0:
                step = tree["value"][child] - tree["value"][node]
                values[child] = values[node] + step / (1 + strength / tree["n_samples"][node])
    return values


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("strength", [0.5, 7.0, 300.0])
def test_shrunk_leaves_follow_the_formula(rng, target, strength):
    X, forest = grow(rng, target)
    leaf, draws = forest.apply(X), forest.shrink_leaves(strength).predict_draws(X)
    for t in range(N_TREES):
        wanted = shrunk_values(forest.tree(t), strength)[leaf[:, t]]
        np.testing.assert_allclose(draws[t], wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_strength_zero_changes_no_bit(rng, target):
    X, forest = grow(rng, target)
    np.testing.assert_array_equal(
        forest.shrink_leaves(0.0).predict_draws(X), forest.predict_draws(X)
    )


@pytest.mark.parametrize("target", TARGETS)
def test_root_stays_and_a_huge_strength_leaves_it_alone(rng, target):
    X, forest = grow(rng, target)
    draws = forest.shrink_leaves(1e12).predict_draws(X)
    for t in range(N_TREES):
        root = np.broadcast_to(forest.tree(t)["value"][0], draws[t].shape)
        np.testing.assert_allclose(draws[t], root, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_out_of_bag_sums_by_kind_and_strength(rng, target, grouped):
    X, forest = grow(rng, target)
    groups = rng.integers(0, 40, N_ROWS).astype(np.int32) if grouped else None
    kind = rng.integers(0, 3, N_TREES).astype(np.int32)
    strengths = np.array([0.0, 3.0, 40.0])
    sums, counts = forest.predict_oob_shrunk(
        X, "exponential", SEED, strengths, kind, 3, row_groups=groups, **LEFT_OUT
    )
    out = np.stack(
        [_core.draw_weights("exponential", SEED, t, N_ROWS, 0.4, groups) == 0
         for t in range(N_TREES)]
    )  # fmt: skip
    for s, strength in enumerate(strengths):
        draws = forest.shrink_leaves(strength).predict_draws(X)
        for k in range(3):
            chosen = out[kind == k, :, None]
            np.testing.assert_allclose(sums[k, s], (chosen * draws[kind == k]).sum(axis=0))
            np.testing.assert_array_equal(counts[k], out[kind == k].sum(axis=0))


def test_any_number_of_threads_and_any_block_of_rows(rng):
    X, forest = grow(rng, "multiclass")
    kind = np.arange(N_TREES, dtype=np.int32) % 2
    arguments = ("exponential", SEED, np.array([0.0, 5.0]), kind, 2)
    whole = forest.predict_oob_shrunk(X, *arguments, **LEFT_OUT)
    threaded = forest.predict_oob_shrunk(X, *arguments, n_jobs=3, **LEFT_OUT)
    block = forest.predict_oob_shrunk(
        X[70:120], *arguments, first_row=70, n_training=N_ROWS, **LEFT_OUT
    )
    for sums in (threaded, block):
        rows = slice(None) if sums is threaded else slice(70, 120)
        np.testing.assert_array_equal(sums[0], whole[0][:, :, rows])
        np.testing.assert_array_equal(sums[1], whole[1][:, rows])


@pytest.mark.parametrize("strength", [-1.0, np.nan, np.inf])
def test_bad_strengths_are_refused(rng, strength):
    X, forest = grow(rng, "multiclass")
    with pytest.raises(ValueError, match="strength"):
        forest.shrink_leaves(strength)
    kind = np.zeros(N_TREES, dtype=np.int32)
    with pytest.raises(ValueError, match="strengths"):
        forest.predict_oob_shrunk(X, "exponential", SEED, np.array([strength]), kind, 1)


def test_bad_kinds_are_refused(rng):
    X, forest = grow(rng, "multiclass")
    for kind in (np.zeros(3, np.int32), np.full(N_TREES, 2, np.int32)):
        with pytest.raises(ValueError, match="kind"):
            forest.predict_oob_shrunk(X, "exponential", SEED, np.zeros(1), kind, 2)
