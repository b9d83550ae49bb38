"""Root splits under Exp(1) weights against exact values and runs of a million draws."""

import numpy as np
import pytest

from bayeswood import _core

N_DRAWS = 50_000
# The standard error of 50,000 draws is at most .0022, so .005 has a false-alarm rate of .025 for a
# seed chosen blindly where p = 1/2, and far less elsewhere. The seeds are fixed.
TOLERANCE = 0.005

X_SIX = np.array([[0, 3], [1, 1], [2, 5], [3, 0], [4, 4], [5, 2]], dtype=float)


def root_splits(X, y, criterion="squared_error", n_classes=0, seed=2024):
    """Share of draws for each (feature, threshold) at the root."""
    forest, _ = _core.grow_forest(
        _core.EncodedMatrix(X, np.zeros(X.shape[1], np.int32)),
        y,
        None,
        criterion=criterion,
        scheme="exponential",
        seed=seed,
        n_trees=N_DRAWS,
        n_classes=n_classes,
        max_features=X.shape[1],
        max_depth=1,
    )
    arrays = forest.to_arrays()
    root = np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"]
    keys = list(
        zip(arrays["feature"][root].tolist(), arrays["threshold"][root].tolist(), strict=True)
    )
    return {key: keys.count(key) / N_DRAWS for key in set(keys)}


def assert_shares(seen, expected):
    assert set(seen) <= set(expected)
    for key, share in expected.items():
        assert seen.get(key, 0.0) == pytest.approx(share, abs=TOLERANCE), key


@pytest.mark.parametrize(
    ("middle", "exact"),
    [
        (0.2, 0.02110097771938372),
        (0.3, 0.06367108005992607),
        (0.4, 0.1647004349095625),
        (0.5, 0.4999999999999999),
        (0.7, 0.9363289199396698),
    ],
)
def test_three_points(middle, exact):
    """x = 1, 2, 3 and y = 0, a, 1: the share of draws that part point 1 from the others."""
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([[0.0], [middle], [1.0]])
    assert_shares(root_splits(X, y), {(0, 1.5): exact, (0, 2.5): 1 - exact})


def test_five_points():
    X = np.arange(1.0, 6.0)[:, None]
    y = np.array([0.0, 0.5, 0.4, 1.5, 1.2])[:, None]
    expected = {(0, 1.5): 0.01529, (0, 2.5): 0.0, (0, 3.5): 0.9847, (0, 4.5): 1e-05}
    assert_shares(root_splits(X, y), expected)


def test_two_features_gini():
    y = np.array([0, 0, 1, 0, 1, 1], dtype=np.int32)
    expected = {(0, 1.5): 0.249923, (0, 3.5): 0.250533, (1, 1.5): 0.249859, (1, 3.5): 0.249685}
    assert_shares(root_splits(X_SIX, y, "gini", 2), expected)


def test_three_binary_features():
    """The sample's best split, feature 0, holds in all but 4 of 10,000 draws."""
    rows = ["010", "010", "001", "110", "001", "101", "000", "100", "011", "110", "001", "111"]
    X = np.array([[float(c) for c in row] for row in rows])
    y = [0.509, -0.072, -0.66, 2.12, 0.595, 1.435, -0.532, 1.186, 0.693, 1.775, 0.697, 1.779]
    seen = root_splits(X, np.array(y)[:, None])
    assert seen[(0, 0.5)] == pytest.approx(0.9995725, abs=0.0006)


def test_a_wrong_law_fails_the_same_check():
    """Negative control: bootstrap counts in place of Exp(1) weights are told apart."""
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([[0.0], [0.4], [1.0]])
    forest, _ = _core.grow_forest(
        _core.EncodedMatrix(X, np.zeros(1, np.int32)),
        y,
        None,
        criterion="squared_error",
        scheme="bootstrap",
        seed=1,
        n_trees=N_DRAWS,
        max_features=1,
        max_depth=1,
    )
    first = np.mean([forest.tree(t)["threshold"][0] == 1.5 for t in range(N_DRAWS)])
    assert abs(first - 0.1647004349095625) > 4 * TOLERANCE
