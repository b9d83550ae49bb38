"""Sums and moments over the trees that left a row out, against brute force."""

import numpy as np
import pytest
from random_tables import n_levels_of, random_rows, random_target

from bayeswood import _core
from bayeswood.forest import Forest

SEED, N_TREES, N_ROWS = 6, 25, 300
KINDS = ("normal", "rounded", "levels5")


class Grown:
    """A forest whose trees leave rows out, and all that brute force needs to know of it."""

    def __init__(self, rng, target, *, grouped=False, weighted=False, offset=0.0, **options):
        self.X = random_rows(rng, N_ROWS, KINDS, 0.1)
        made = random_target(rng, self.X, target)
        self.y = made.pop("y")
        self.y = self.y + offset if offset else self.y
        self.sample_weight = rng.uniform(0.2, 3, N_ROWS) if weighted else None
        groups = rng.integers(0, 60, N_ROWS).astype(np.int32) if grouped else None
        self.left_out = {"weight_threshold": 0.3, "row_groups": groups}
        encoded = _core.EncodedMatrix(self.X, n_levels_of(KINDS).astype(np.int32))

        def grow(splitter, first_tree, n_trees):
            return _core.grow_forest(
                encoded,
                self.y,
                self.sample_weight,
                scheme="exponential",
                seed=SEED,
                n_trees=n_trees,
                first_tree=first_tree,
                splitter=splitter,
                max_features=2,
                keep_rows=True,
                **made,
                **self.left_out,
                **options,
            )[0]

        parts = [Forest(grow("best", 0, 10)), Forest(grow("random", 10, N_TREES - 10))]
        self.forest = Forest.concatenate(parts).core
        drawn = [
            _core.draw_weights("exponential", SEED, tree, N_ROWS, 0.3, groups)
            for tree in range(N_TREES)
        ]
        self.weights = np.stack(drawn)
        self.out = self.weights == 0
        if weighted:
            self.weights = self.weights * self.sample_weight

    def leaf_moments(self):
        """Mean and variance in the leaf of each row in each tree, (n_trees, n_rows, n_outputs)."""
        leaf = self.forest.apply(self.X)
        mean, variance = np.zeros((2, N_TREES, N_ROWS, self.y.shape[1]))
        for tree in range(N_TREES):
            for node in np.unique(leaf[:, tree]):
                rows = leaf[:, tree] == node
                w = self.weights[tree, rows, None] / self.weights[tree, rows].sum()
                mean[tree, rows] = (w * self.y[rows]).sum(axis=0)
                variance[tree, rows] = (w * (self.y[rows] - mean[tree, rows]) ** 2).sum(axis=0)
        return mean, variance

    def responses(self):
        return _core.LeafResponses(
            self.forest, self.y, self.sample_weight, "exponential", SEED, **self.left_out
        )


def test_rows_of_weight_zero_are_in_no_leaf(rng):
    grown = Grown(rng, "regression", grouped=True)
    arrays = grown.forest.to_arrays()
    ends = np.cumsum([grown.forest.tree(t)["n_samples"][0] for t in range(N_TREES)])
    for tree, rows in enumerate(np.split(arrays["leaf_rows"], ends[:-1])):
        assert set(rows) == set(np.flatnonzero(~grown.out[tree]))


@pytest.mark.parametrize("target", ["regression", "binary", "multiclass", "outputs"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("hard", [False, True])
def test_sums_over_best_and_random_trees(rng, target, grouped, hard):
    grown = Grown(rng, target, grouped=grouped)
    if hard and not grown.forest.is_classifier:
        with pytest.raises(ValueError, match="vote"):
            grown.forest.predict_oob(grown.X, "exponential", SEED, True, **grown.left_out)
        return
    draws = grown.forest.predict_draws(grown.X)
    if hard:
        draws = np.eye(draws.shape[2])[draws.argmax(axis=2)]
    expected = (draws * grown.out[..., None]).sum(axis=0)
    for n_jobs in (1, 3):
        sums, counts = grown.forest.predict_oob(
            grown.X, "exponential", SEED, hard, n_jobs=n_jobs, **grown.left_out
        )
        np.testing.assert_array_equal(counts, grown.out.sum(axis=0))
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12)


def test_trees_keep_their_numbers(rng):
    """The later trees alone, told the number of the first."""
    grown = Grown(rng, "binary")
    later = grown.forest.select(np.arange(10, N_TREES))
    sums, counts = later.predict_oob(grown.X, "exponential", SEED, first_tree=10, **grown.left_out)
    draws = grown.forest.predict_draws(grown.X)[10:]
    np.testing.assert_array_equal(counts, grown.out[10:].sum(axis=0))
    np.testing.assert_allclose(sums, (draws * grown.out[10:, :, None]).sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("target", "offset"), [("regression", 1e7), ("outputs", 0.0)])
def test_moments_of_the_mixture(rng, target, offset, grouped, weighted):
    grown = Grown(
        rng, target, grouped=grouped, weighted=weighted, offset=offset, min_samples_leaf=4
    )
    mean, variance = grown.leaf_moments()
    leaf_variance = grown.responses().leaf_variances(n_jobs=2)
    p = rng.uniform(0.1, 1, N_TREES)
    share = (p / p.sum())[:, None, None]
    found_mean, found = grown.forest.predict_moments(grown.X, p, leaf_variance)
    expected_mean = (share * mean).sum(axis=0)
    expected = (share * (variance + (mean - expected_mean) ** 2)).sum(axis=0)
    np.testing.assert_allclose(found_mean, expected_mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    _, between = grown.forest.predict_moments(grown.X, p)
    np.testing.assert_allclose(
        between, (share * (mean - expected_mean) ** 2).sum(axis=0), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_moments_out_of_bag(rng, grouped, weighted):
    grown = Grown(rng, "outputs", grouped=grouped, weighted=weighted, min_samples_leaf=4)
    mean, variance = grown.leaf_moments()
    out, counts = grown.out[..., None], grown.out.sum(axis=0)
    with np.errstate(invalid="ignore"):
        expected_mean = (mean * out).sum(axis=0) / counts[:, None]
        spread = (variance + (mean - expected_mean) ** 2) * out
        expected = spread.sum(axis=0) / counts[:, None]
    leaf_variance = grown.responses().leaf_variances()
    results = [
        grown.forest.predict_oob_moments(
            grown.X,
            "exponential",
            SEED,
            leaf_variance,
            grown.sample_weight,
            n_jobs,
            **grown.left_out,
        )
        for n_jobs in (1, 3)
    ]
    np.testing.assert_array_equal(results[0][2], counts)
    np.testing.assert_allclose(results[0][0], expected_mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(results[0][1], expected, rtol=1e-8)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_row_that_took_part_everywhere_has_no_moments(rng):
    grown = Grown(rng, "regression")
    one = grown.forest.select(np.array([0]))
    mean, variance, counts = one.predict_oob_moments(grown.X, "exponential", SEED, **grown.left_out)
    np.testing.assert_array_equal(np.isnan(mean[:, 0]), counts == 0)
    np.testing.assert_array_equal(np.isnan(variance[:, 0]), counts == 0)
    assert (variance[counts == 1] == 0).all()


@pytest.mark.parametrize("grouped", [False, True])
def test_quantiles_know_the_weights(rng, grouped):
    """The smallest response whose cumulative weight reaches the level, by brute force."""
    grown = Grown(rng, "regression", grouped=grouped, min_samples_leaf=6)
    leaf = grown.forest.apply(grown.X)
    weights = np.full(N_TREES, 1 / N_TREES)
    found = grown.responses().quantiles(grown.X[:20], weights, np.array([0.1, 0.5, 0.93]))
    y = grown.y[:, 0]
    order = np.argsort(y)
    for row in range(20):
        total = np.zeros(N_ROWS)
        for tree in range(N_TREES):
            w = grown.weights[tree] * (leaf[:, tree] == leaf[row, tree])
            total += w / w.sum()
        reached = np.cumsum(total[order]) / N_TREES
        expected = [y[order][np.argmax(reached >= a - 1e-12)] for a in (0.1, 0.5, 0.93)]
        np.testing.assert_array_equal(found[row, 0], expected)


def test_wrong_leaf_variances_are_refused(rng):
    grown = Grown(rng, "regression")
    with pytest.raises(ValueError, match="leaf_variance"):
        grown.forest.predict_moments(grown.X, np.ones(N_TREES), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="variance"):
        Grown(rng, "binary").forest.predict_moments(grown.X, np.ones(N_TREES))
