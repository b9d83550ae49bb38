from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from bayeswood.errors import BayeswoodError
from bayeswood.theory import split_match_bound

ROWS = ["010", "010", "001", "110", "001", "101", "000", "100", "011", "110", "001", "111"]
X = np.array([[float(c) for c in row] for row in ROWS])
Y = np.array([0.509, -0.072, -0.66, 2.12, 0.595, 1.435, -0.532, 1.186, 0.693, 1.775, 0.697, 1.779])


def direct_bound(X, y):
    """Eqs (8) to (11) line by line, one difference vector per split."""
    n = len(y)
    errors = {}
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for low, high in pairwise(values):
            left = X[:, j] <= low
            mean = np.where(left, y[left].mean(), y[~left].mean())
            errors[j, (low + high) / 2] = (y - mean) ** 2
    best = min(errors, key=lambda key: errors[key].mean())
    z = {}
    for key, error in errors.items():
        d = errors[best] - error
        if np.abs(d).max() > 1e-12:
            z[key] = abs(d.mean()) / np.sqrt(d @ d / n)
    scaled = np.sqrt(n) * np.array(list(z.values()))
    mills = np.exp(-(scaled**2) / 2) / (scaled * np.sqrt(2 * np.pi))
    return best, z, 1 - mills.sum(), 1 - norm.sf(scaled).sum()


def test_binary_features_of_twelve_rows():
    found = split_match_bound(X, Y, n_draws=20_000, rng=0)
    assert found.feature == 0
    assert found.threshold == 0.5
    np.testing.assert_allclose(found.z[1:], [0.6891145458086464, 0.6376651527957098], rtol=1e-12)
    assert np.isnan(found.z[0])
    assert found.bound == pytest.approx(0.9745797544204777, abs=1e-12)
    assert found.normal_bound == pytest.approx(0.9779209993683365, abs=1e-12)
    assert float(found) == found.bound
    assert found.p_match == pytest.approx(0.9995725, abs=0.001)


@pytest.mark.parametrize("seed", range(5))
def test_continuous_features_are_all_their_cuts(seed):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.normal(size=40), rng.normal(size=40).round(1), rng.random(40) > 0.5], 1)
    y = 3 * (rows[:, 0] > 0.3) + rng.normal(size=40) + 1e4
    best, z, bound, normal_bound = direct_bound(rows, y)
    found = split_match_bound(rows, y, n_draws=10, rng=0)
    assert found.feature == best[0]
    assert found.threshold == pytest.approx(best[1], rel=1e-12)
    assert found.bound == pytest.approx(bound, rel=1e-7)
    assert found.normal_bound == pytest.approx(normal_bound, rel=1e-7)
    seen = {}
    for j, t, value in zip(found.features, found.thresholds, found.z, strict=True):
        if not np.isnan(value):
            seen[int(j), round(float(t), 9)] = value
    assert seen == pytest.approx({(j, round(t, 9)): v for (j, t), v in z.items()}, rel=1e-7)


def exact_share(rows, y, n_draws, rng):
    """Weighted squared error of every cut under Exp(1) weights, by brute force."""
    cuts = [(j, t) for j in range(rows.shape[1]) for t in np.unique(rows[:, j])[:-1]]
    left = np.array([rows[:, j] <= t for j, t in cuts], dtype=float)

    def best(w):
        sums = [(side @ w, side @ (w * y)) for side in (left, 1 - left)]
        return int(np.argmax(sum(s**2 / total for total, s in sums)))

    sample = best(np.ones(len(y)))
    return np.mean([best(rng.exponential(size=len(y))) == sample for _ in range(n_draws)])


def test_the_truth_is_that_of_brute_force():
    """4,000 draws each: standard error of the difference at most .011; 4.9 of them is 1e-6."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(30, 2))
    y = (rows[:, 0] > 0) + rng.normal(size=30)
    found = split_match_bound(rows, y, n_draws=4000, rng=1)
    assert found.p_match == pytest.approx(exact_share(rows, y, 4000, rng), abs=0.055)
    assert 0.05 < found.p_match < 0.95
    assert found.p_match_se == pytest.approx(np.sqrt(found.p_match * (1 - found.p_match) / 4000))


def test_splits_that_part_the_rows_alike_are_one():
    twice = np.column_stack([X, 1 - X[:, 0], X[:, 0]])
    once, again = (split_match_bound(rows, Y, n_draws=500, rng=0) for rows in (X, twice))
    assert again.bound == pytest.approx(once.bound, rel=1e-12)
    assert np.isnan(again.z[[0, 3, 4]]).all()
    assert again.p_match > 0.98


def test_a_rival_that_is_as_good_leaves_no_bound():
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    found = split_match_bound(rows, [0.0, 1.0, 1.0, 2.0], n_draws=2000, rng=0)
    assert found.bound == -np.inf
    assert found.normal_bound == pytest.approx(0.5)
    assert found.p_match == pytest.approx(0.5, abs=0.06)


def test_minimum_leaf_size():
    rows = np.arange(10.0)[:, None]
    y = np.zeros(10)
    y[0] = 10.0
    free, bound = (split_match_bound(rows, y, min_samples_leaf=m, n_draws=50) for m in (1, 3))
    assert (free.threshold, bound.threshold) == (0.5, 2.5)
    assert len(free.z) == 9
    assert len(bound.z) == 5


def test_more_rows_make_the_split_surer():
    repeated = [split_match_bound(np.tile(X, (k, 1)), np.tile(Y, k), n_draws=10) for k in (1, 4)]
    assert repeated[0].bound < repeated[1].bound < 1


def test_more_values_than_the_grower_has_codes():
    """The cuts are those the grower makes, so its draws can match."""
    rng = np.random.default_rng(2)
    x = rng.permutation(70_000).astype(float)
    y = np.where(x < 35_000, 0.0, 5.0) + rng.normal(size=70_000)
    found = split_match_bound(x[:, None], y, n_draws=20, rng=0)
    assert len(found.z) < 65_535
    assert found.threshold == pytest.approx(35_000, abs=10)
    assert found.p_match > 0


def test_frames_and_names():
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "yes", "no")})
    found = split_match_bound(frame, pd.Series(Y), n_draws=10)
    assert found.feature_name == "a"
    assert "a <= 0.5 is the best of 2 splits of 12 rows" in repr(found)


def test_refusals():
    levels = pd.DataFrame({"town": ["a", "b", "c", "a"]})
    with pytest.raises(BayeswoodError, match="column 'town' has 3 levels"):
        split_match_bound(levels, [1.0, 2, 3, 4])
    with pytest.raises(BayeswoodError, match="missing values: column 'x1'"):
        split_match_bound(np.array([[1, 2], [2, np.nan], [3, 4]]), [1.0, 2, 3])
    with pytest.raises(BayeswoodError, match="values of y are equal"):
        split_match_bound(X, np.ones(12))
    with pytest.raises(BayeswoodError, match="no feature of X can be cut"):
        split_match_bound(np.ones((5, 2)), np.arange(5.0))
    with pytest.raises(BayeswoodError, match="12 rows and y has 11"):
        split_match_bound(X, Y[:-1])
    with pytest.raises(BayeswoodError, match="one-dimensional"):
        split_match_bound(X, np.stack([Y, Y], axis=1))
