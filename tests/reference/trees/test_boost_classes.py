"""Boosted sums for classes beside a twin: stage after stage, one tree at a time."""

import numpy as np
import pytest
from cart_twin import Problem, Settings
from nested_tree import assert_same
from random_cut_twin import Stream
from random_tables import n_levels_of, random_rows, signal
from scipy.special import softmax
from stage_twin import StageTree

from bayeswood import _core

SEED = 5
RATE = 0.3
DAMPING = 2.0
CHOICES = 5
FIRST_NUMBER = 2**41
MOST_STAGES = 2**20
MIXED = ("normal", "levels2", "rounded", "levels7", "tailed")
LAW = {"scheme": "subsample", "seed": SEED, "weight_threshold": 0.4}
LIMITS = {"max_depth": 3, "min_samples_leaf": 4}


def table(rng, n_classes, n=500, missing=0.1):
    X = random_rows(rng, n, MIXED, missing)
    scores = np.stack([3 * signal(rng, X) for _ in range(n_classes)], axis=1)
    y = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1).astype(np.int32)
    return X, y, n_levels_of(MIXED).astype(np.int32)


def boosted(data, n_classes, weights=None, n_bags=3, n_jobs=1, n_stages=0, max_features=3, **law):
    X, y, n_levels = data
    bags = _core.BoostedClasses(
        _core.EncodedMatrix(X, n_levels), y, n_classes, weights, n_bags=n_bags, learning_rate=RATE,
        damping=DAMPING, max_features=max_features, n_jobs=n_jobs, **{**LAW, **law}, **LIMITS,
    )  # fmt: skip
    if n_stages:
        bags.grow(n_stages, n_jobs)
    return bags


def weights_in(bag, n_rows, weights):
    """Scaled to a mean of 1 over the rows of the bag."""
    drawn = _core.draw_weights(tree=bag, n_rows=n_rows, sample_weight=weights, **LAW)
    given = drawn if weights is None else drawn * weights
    return given / given[given > 0].mean()


def probabilities(scores):
    if scores.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    return softmax(scores, axis=1)


def first_scores(y, n_classes, weights):
    shares = np.log(np.bincount(y, weights, n_classes) + 1 / n_classes)
    return shares[1:] - shares[:1] if n_classes == 2 else shares


def combined(gradients, number):
    """What the tree of a stage is grown on."""
    n_classes = gradients.shape[1]
    if n_classes == 2:
        return gradients[:, 1:]
    stream = Stream(SEED, number, CHOICES)
    factors = np.array([stream.uniform() - 0.5 for _ in range(n_classes)])
    return gradients @ factors[:, None]


def assert_steps(tree, node, grown, gradients, proba, first):
    """Leaves hold damped steps of Newton, and the twin's values take their place."""
    twin = grown["node"]
    if "cut" in grown:
        for side in ("left", "right"):
            assert_steps(tree, tree[side][node], grown[side], gradients, proba, first)
    else:
        w = twin.problem.weight[twin.rows, None]
        p, r = proba[twin.rows][:, -len(first) :], gradients[twin.rows][:, -len(first) :]
        factor = 1.0 if len(first) == 1 else 1 - 1 / len(first)
        step = RATE * factor * (w * r).sum(axis=0) / ((w * p * (1 - p)).sum(axis=0) + DAMPING)
        np.testing.assert_allclose(tree["leaf"][node], step + first, rtol=1e-9, atol=1e-12)
    tree["value"][node] = twin.value


def assert_stage(found, twin, gradients, proba, first, n_levels):
    leaf = np.asarray(found["value"]).reshape(-1, len(first))
    tree = {**found, "leaf": leaf, "value": np.full((len(leaf), 1), np.nan)}
    assert_steps(tree, 0, twin.root, gradients, proba, first)
    assert_same(tree, 0, twin.root, n_levels)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_stage_is_that_of_the_twin(rng, n_classes, weighted):
    X, y, n_levels = data = table(rng, n_classes)
    weights = rng.exponential(size=len(X)) if weighted else None
    bags = boosted(data, n_classes, weights, n_bags=2, n_stages=4)
    truth = np.eye(n_classes)[y]
    for bag in range(2):
        given = weights_in(bag, len(X), weights)
        first = first_scores(y, n_classes, given)
        for stage in range(4):
            own = bags.forest(4).select(np.arange(stage) + 4 * bag)
            scores = own.predict_mean(X, np.ones(stage)) if stage else np.tile(first, (len(X), 1))
            proba = probabilities(scores)
            number = FIRST_NUMBER + bag * MOST_STAGES + stage
            response = combined(truth - proba, number)
            twin = StageTree(
                Problem(X, response, given, n_levels, Settings(**LIMITS)), SEED, number, 3
            )
            held = first if stage == 0 else 0 * first
            tree = bags.forest(4).tree(4 * bag + stage)
            assert_stage(tree, twin, truth - proba, proba, held, n_levels)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_rows_left_out_are_those_of_the_forest(rng, n_classes):
    X, *_ = data = table(rng, n_classes)
    bags = boosted(data, n_classes, n_bags=3, n_stages=5, trees_per_draw=2)
    sums, counts = bags.out_of_bag()
    expected, number = np.zeros_like(sums), np.zeros_like(counts)
    for bag in range(3):
        out = _core.draw_weights(tree=2 * bag, n_rows=len(X), **LAW, trees_per_draw=2) == 0
        own = bags.forest(5).select(np.arange(5) + 5 * bag)
        expected[bag % 2] += np.where(
            out[:, None], probabilities(own.predict_mean(X, np.ones(5))), 0
        )
        number[bag % 2] += out
    np.testing.assert_array_equal(counts, number)
    np.testing.assert_allclose(sums, expected, atol=1e-12)


def test_threads_and_calls_do_not_change_a_bit(rng):
    data = table(rng, 3)
    whole = boosted(data, 3, n_stages=6)
    parts = boosted(data, 3, n_jobs=2)
    for n in (1, 2, 3):
        parts.grow(n, 2)
    for name, array in whole.forest(6).to_arrays().items():
        np.testing.assert_array_equal(array, parts.forest(6).to_arrays()[name])
    np.testing.assert_array_equal(whole.out_of_bag()[0], parts.out_of_bag()[0])


def test_only_ratios_of_weights_matter_and_zeros_take_no_part(rng):
    X, y, n_levels = data = table(rng, 3)
    weights = rng.exponential(size=len(X))
    scaled = boosted(data, 3, 64 * weights, n_stages=4).forest(4)
    usual = boosted(data, 3, weights, n_stages=4).forest(4)
    np.testing.assert_array_equal(scaled.to_arrays()["leaf_value"], usual.to_arrays()["leaf_value"])
    weights[::3] = 0
    other = y.copy()
    other[::3] = 0
    ones = [boosted((X, z, n_levels), 3, weights, n_stages=4) for z in (y, other)]
    np.testing.assert_array_equal(ones[0].forest(4).predict_mean(X, np.ones(12)),
                                  ones[1].forest(4).predict_mean(X, np.ones(12)))  # fmt: skip


def test_a_class_without_rows_and_pure_bags_stay_finite(rng):
    X, y, n_levels = table(rng, 3)
    for labels, n_classes in ((np.minimum(y, 1), 3), (np.zeros_like(y), 2)):
        bags = boosted((X, labels, n_levels), n_classes, n_stages=20)
        sums, counts = bags.out_of_bag()
        assert np.isfinite(bags.forest(20).predict_mean(X, np.ones(60))).all()
        np.testing.assert_allclose(sums.sum(axis=2), counts, atol=1e-9)


@pytest.mark.parametrize(
    "bad", [{"n_classes": 1}, {"n_classes": 2}, {"n_bags": 0}, {"weights": np.ones(3)}]
)
def test_what_cannot_be_grown(rng, bad):
    settings = {"n_classes": 3, **bad}
    with pytest.raises(ValueError, match=r"labels|grow|sample_weight"):
        boosted(table(rng, 3), **settings)
