"""The random weights of the trees. Every threshold has a false-alarm rate of 1e-6 or less.

The seeds are fixed, so a test that passes once passes always; the rate is the chance that an honest
generator would have failed under a seed chosen blindly.
"""

import numpy as np
import pytest
from scipy import stats

from bayeswood import _core

ALARM = 1e-6
N_TREES, N_ROWS = 200, 1000


def weights(scheme, seed, n_trees=N_TREES, n_rows=N_ROWS):
    return np.stack([_core.draw_weights(scheme, seed, tree, n_rows) for tree in range(n_trees)])


def assert_uncorrelated(a, b):
    """Correlation of two independent samples is normal with variance 1/n."""
    n = a.size
    correlation = np.corrcoef(a.ravel(), b.ravel())[0, 1]
    assert abs(correlation) * np.sqrt(n) < stats.norm.isf(ALARM / 2)


def passes_ks(sample):
    return stats.kstest(sample.ravel(), "expon").pvalue > ALARM


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_exponential(seed):
    assert passes_ks(weights("exponential", seed))


@pytest.mark.parametrize("tree", [0, 1, 77, 10**6])
def test_exponential_within_one_tree(tree):
    assert passes_ks(_core.draw_weights("exponential", 3, tree, 100_000))


@pytest.mark.parametrize("row", [0, 1, 2, 3, 4, 7, 8, 15, 63, 999])
def test_exponential_at_one_row_over_trees(row):
    assert passes_ks(weights("exponential", 4, n_trees=5000, n_rows=row + 1)[:, row])


def test_a_uniform_sample_fails_the_same_check(rng):
    """Negative control: a generator with the right mean and the wrong shape is caught."""
    assert not passes_ks(rng.uniform(0, 2, size=N_TREES * N_ROWS))


def test_a_float_sample_fails_the_same_resolution(rng):
    """Negative control: -log of a single-precision uniform has far fewer distinct values."""
    single = -np.log1p(-rng.random(200_000, dtype=np.float32).astype(float))
    double = weights("exponential", 5)
    assert len(np.unique(single)) < len(single)
    assert len(np.unique(double)) == double.size


def test_exponential_is_never_zero_or_infinite():
    draws = _core.draw_weights("exponential", 9, 0, 5_000_000)
    assert (draws > 0).all()
    assert np.isfinite(draws).all()
    # The largest of n has mean log n + .577 and is beyond log n + 14 once in a million.
    assert draws.max() < np.log(draws.size) + 14
    assert draws.min() < 14 / draws.size


def test_exponential_tail():
    """Counts beyond t are binomial(n, e^-t)."""
    draws = _core.draw_weights("exponential", 10, 1, 2_000_000)
    for t in (1.0, 3.0, 6.0, 9.0):
        p_value = stats.binomtest(int((draws > t).sum()), draws.size, np.exp(-t)).pvalue
        assert p_value > ALARM


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 8, 16])
def test_rows_are_independent(lag):
    w = weights("exponential", 6)
    assert_uncorrelated(w[:, :-lag], w[:, lag:])
    assert_uncorrelated(w[:, :-lag] ** 2, np.log(w[:, lag:]))


@pytest.mark.parametrize("lag", [1, 2, 3, 8])
def test_trees_are_independent(lag):
    w = weights("exponential", 6)
    assert_uncorrelated(w[:-lag], w[lag:])


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 2), (5, 5 + 2**32), (0, 2**62)])
def test_seeds_are_independent(first, second):
    assert_uncorrelated(weights("exponential", first), weights("exponential", second))


def test_seed_and_tree_are_not_interchangeable():
    a, b = (
        _core.draw_weights("exponential", 1, 2, 1000),
        _core.draw_weights("exponential", 2, 1, 1000),
    )
    assert_uncorrelated(a, b)


def test_the_same_call_gives_the_same_bits():
    for scheme in ("exponential", "bootstrap"):
        a, b = (_core.draw_weights(scheme, 12, 34, 777) for _ in range(2))
        assert a.tobytes() == b.tobytes()


def test_more_rows_do_not_change_the_first_ones():
    a, b = (_core.draw_weights("exponential", 12, 34, n) for n in (500, 777))
    assert a.tobytes() == b[:500].tobytes()


def test_unit_weights_are_ones():
    np.testing.assert_array_equal(_core.draw_weights("unit", 1, 2, 10), np.ones(10))


@pytest.mark.parametrize("n_rows", [1, 2, 3, 10, 1000])
def test_bootstrap_counts_add_up(n_rows):
    counts = weights("bootstrap", 8, n_rows=n_rows)
    np.testing.assert_array_equal(counts.sum(axis=1), n_rows)
    np.testing.assert_array_equal(counts, np.round(counts))
    assert counts.min() >= 0


def test_bootstrap_counts_are_multinomial():
    """Each count is binomial(n, 1/n): Pearson's statistic on 0, 1, .., 4, more.

    Counts of one tree add up to n, which makes the statistic smaller if anything.
    """
    counts = weights("bootstrap", 13)
    law = stats.binom(N_ROWS, 1 / N_ROWS)
    expected = counts.size * np.append(law.pmf(np.arange(5)), law.sf(4))
    seen = np.bincount(np.minimum(counts, 5).astype(int).ravel(), minlength=6)
    statistic = ((seen - expected) ** 2 / expected).sum()
    assert statistic < stats.chi2(5).isf(ALARM)


def test_bootstrap_rows_are_uniform():
    """Counts of a row summed over trees: Pearson's statistic with n - 1 degrees of freedom."""
    total = weights("bootstrap", 14).sum(axis=0)
    statistic = ((total - N_TREES) ** 2 / N_TREES).sum()
    law = stats.chi2(N_ROWS - 1)
    assert law.ppf(ALARM / 2) < statistic < law.isf(ALARM / 2)


def test_bootstrap_variance_and_covariance():
    """Var = 1 - 1/n and Cov = -1/n; five of ten rows checked within 5.5 standard errors."""
    counts = weights("bootstrap", 15, n_trees=20_000, n_rows=10)
    covariance = np.cov(counts.T)
    expected = np.eye(10) - 0.1
    # Var of a product of two nearly normal unit variables is about 1 (2 on the diagonal, and 3
    # with the fourth moment of a Poisson count).
    tolerance = 5.5 * np.sqrt((1 + 2 * np.eye(10)) / 20_000)
    assert (np.abs(covariance - expected) < tolerance).all()


def test_bootstrap_trees_are_independent():
    counts = weights("bootstrap", 16)
    assert_uncorrelated(counts[:-1], counts[1:])


@pytest.mark.parametrize("scheme", ["exponential", "bootstrap"])
def test_zero_sample_weight_takes_no_part(rng, scheme):
    """With half of the rows out, the n draws of a bootstrap fall on the other half."""
    n = 400
    X = rng.normal(size=(n, 2))
    y = rng.normal(size=(n, 1))
    sample_weight = np.repeat([0.0, 2.0], n // 2)
    forest, _ = _core.grow_forest(
        _core.EncodedMatrix(X, np.zeros(2, np.int32)),
        y,
        sample_weight,
        criterion="squared_error",
        scheme=scheme,
        seed=1,
        n_trees=100,
        max_features=2,
        max_depth=1,
        keep_rows=True,
    )
    arrays = forest.to_arrays()
    assert arrays["leaf_rows"].min() >= n // 2
    n_used = np.array([forest.tree(t)["n_samples"][0] for t in range(100)])
    if scheme == "exponential":
        assert (n_used == n // 2).all()
    else:
        # A row of the 200 is left out with probability (1 - 1/200)^200 (or ^400).
        assert 0.5 < n_used.mean() / (n // 2) < 0.95
