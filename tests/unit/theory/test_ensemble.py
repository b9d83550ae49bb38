from types import SimpleNamespace

import numpy as np
import pytest

from bayeswood import BayesianForestRegressor, RandomForestRegressor, _core
from bayeswood.errors import BayeswoodError
from bayeswood.theory import ensemble_variance, estimate_tree_correlation, majority_vote_error

VOTES = {
    (1, 0.1): 0.1,
    (1, 0.6): 0.6,
    (2, 0.1): 0.19,
    (2, 0.25): 0.4375,
    (2, 0.5): 0.75,
    (3, 0.25): 0.15625,
    (3, 0.4): 0.35200000000000004,
    (3, 0.6): 0.6479999999999999,
    (4, 0.25): 0.26171875,
    (4, 0.45): 0.6090187499999999,
    (5, 0.1): 0.008560000000000002,
    (7, 0.45): 0.3917122031250002,
    (11, 0.25): 0.03432750701904297,
    (21, 0.1): 1.353064971963377e-06,
    (51, 0.1): 1.9823459014564106e-13,
    (51, 0.25): 5.914449162540317e-05,
    (101, 0.1): 1.1522969943652713e-24,
    (101, 0.25): 3.258019327161854e-08,
    (101, 0.5): 0.5,
    (101, 0.6): 0.9791033089952995,
}


@pytest.mark.parametrize(("n_trees", "error"), VOTES)
def test_majority_vote_error(n_trees, error):
    found = majority_vote_error(n_trees, error)
    assert isinstance(found, float)
    assert found == pytest.approx(VOTES[n_trees, error], rel=1e-11)


def test_majority_vote_error_takes_arrays():
    found = majority_vote_error(np.array([[1], [3]]), [0.0, 0.25, 1.0])
    np.testing.assert_allclose(found, [[0, 0.25, 1], [0, 0.15625, 1]], rtol=1e-14)


def test_a_tie_is_a_mistake():
    assert majority_vote_error(2, 0.25) == pytest.approx(1 - 0.75**2)


@pytest.mark.parametrize(
    ("n_trees", "error", "message"),
    [
        (0, 0.1, "'n_trees' .* int >= 1. Got 0 instead"),
        (2.5, 0.1, "'n_trees'"),
        (3, 1.5, r"'error' .* in \[0, 1\]. Got 1.5 instead"),
        (3, [0.1, -0.2], "Got -0.2"),
        (3, np.nan, "'error'"),
    ],
)
def test_majority_vote_error_refuses(n_trees, error, message):
    with pytest.raises(BayeswoodError, match=message):
        majority_vote_error(n_trees, error)


@pytest.mark.parametrize(
    ("variance", "correlation", "n_trees", "expected"),
    [
        (1, 0, 10, 0.1),
        (1, 0.5, 10, 0.55),
        (4, 0.3, 100, 1.228),
        (1, 1, 50, 1.0),
        (0.0225, 0.05, 200, 0.001231875),
        (1, -1 / 3, 4, 0.0),
    ],
)
def test_ensemble_variance(variance, correlation, n_trees, expected):
    found = ensemble_variance(variance, correlation, n_trees)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_ensemble_variance_takes_arrays():
    np.testing.assert_allclose(ensemble_variance([1, 2], 0.5, [[1], [2]]), [[1, 2], [0.75, 1.5]])


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-1, 0, 2), "variance"),
        ((1, 1.1, 2), "correlation"),
        ((1, -0.9, 10), "correlation"),
        ((1, 0, 0), "n_trees"),
        ((np.inf, 0, 1), "variance"),
    ],
)
def test_ensemble_variance_refuses(arguments, name):
    with pytest.raises(BayeswoodError, match=f"'{name}' parameter of ensemble_variance"):
        ensemble_variance(*arguments)


def test_tree_correlation_of_repeats_by_hand():
    """Two forests of two trees at one row: means 1 and 4, variance within 2 and 0.5."""
    draws = np.array([[[0.0], [2.0]], [[3.5], [4.5]]])
    found = estimate_tree_correlation(draws)
    within, of_mean = (2 + 0.5) / 2, 4.5
    shared = of_mean - within / 2
    assert found.variance == pytest.approx(shared + within)
    assert found.correlation == pytest.approx(shared / (shared + within))
    assert found.measured_variance == pytest.approx(of_mean)
    assert found.ensemble_variance == pytest.approx(of_mean)
    assert found.row_within.shape == (1,)


def test_tree_correlation_finds_a_known_one():
    """Trees = shared part + own part: ρ = 4 / (4 + 1); 2,000 repeats give it within .02."""
    rng = np.random.default_rng(3)
    draws = 2 * rng.normal(size=(2000, 1, 8)) + rng.normal(size=(2000, 6, 8))
    found = estimate_tree_correlation(draws)
    assert found.correlation == pytest.approx(0.8, abs=0.02)
    assert found.variance == pytest.approx(5.0, rel=0.06)
    assert "correlation" in repr(found)


@pytest.mark.parametrize("scheme", ["exponential", "bootstrap"])
def test_tree_correlation_of_one_forest_of_stumps(scheme):
    """Trees that are the weighted mean of m rows: c is Σ (y - mean)² / m², the textbook's."""
    rng = np.random.default_rng(4)
    y = np.array([1.0, -2.0, 0.5, 4.0, 0.0])
    n_trees = 200_000
    weights = (
        rng.exponential(size=(n_trees, 5))
        if scheme == "exponential"
        else rng.multinomial(5, np.full(5, 0.2), size=n_trees)
    )
    draws = (weights @ y / weights.sum(axis=1))[:, None]
    found = estimate_tree_correlation(draws, weights=weights, scheme=scheme)
    assert found.row_between[0] == pytest.approx(((y - y.mean()) ** 2).sum() / 25, rel=0.03)
    assert found.measured_variance is None


def test_equal_trees_have_no_variance():
    found = estimate_tree_correlation(np.ones((3, 4, 5)))
    assert (found.variance, found.correlation, found.ensemble_variance) == (0.0, 0.0, 0.0)


class FittedForest:
    """What the function asks of a fitted forest."""

    seed_ = 3

    def __init__(self, scheme):
        self._scheme = scheme
        root = SimpleNamespace(n_samples=np.array([6]), weight=np.array([6.0]))
        self.forest_ = SimpleNamespace(trees=[root])

    def predict_draws(self, X):
        return self.weights(6)[:, :2] + X[:, 0]

    def weights(self, n_rows):
        return np.stack([_core.draw_weights(self._scheme, 3, t, n_rows) for t in range(50)])


@pytest.mark.parametrize("scheme", ["exponential", "bootstrap"])
def test_a_fitted_forest_is_asked_for_its_draws_and_weights(scheme):
    forest, X = FittedForest(scheme), np.zeros((2, 1))
    draws = forest.predict_draws(X)
    expected = estimate_tree_correlation(draws, weights=forest.weights(6), scheme=scheme)
    assert estimate_tree_correlation(forest, X).correlation == expected.correlation
    more = estimate_tree_correlation(draws, weights=forest.weights(9), scheme=scheme)
    told = estimate_tree_correlation(forest, X, n_training_rows=9)
    assert told.variance == more.variance
    with pytest.raises(BayeswoodError, match="needs rows X"):
        estimate_tree_correlation(forest)


@pytest.mark.parametrize("kind", [BayesianForestRegressor, RandomForestRegressor])
def test_the_estimators_know_their_weights(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    forest = kind(60, random_state=0).fit(X, X[:, 0] + rng.normal(size=40))
    scheme = "exponential" if kind is BayesianForestRegressor else "bootstrap"
    weights = [_core.draw_weights(scheme, forest.seed_, t, 40) for t in range(60)]
    new = rng.normal(size=(10, 3))
    found = estimate_tree_correlation(forest, new)
    expected = estimate_tree_correlation(forest.predict_draws(new), weights=weights, scheme=scheme)
    assert found.variance == expected.variance
    assert found.n_trees == 60


def test_an_ensemble_of_other_making_is_refused():
    with pytest.raises(BayeswoodError, match="FittedForest does not know the weights"):
        estimate_tree_correlation(FittedForest("unit"), np.zeros((2, 1)))


@pytest.mark.parametrize("scheme", [None, "unit"])
def test_weights_need_their_scheme(scheme):
    with pytest.raises(BayeswoodError, match="'scheme' parameter"):
        estimate_tree_correlation(np.zeros((5, 3)), weights=np.ones((5, 4)), scheme=scheme)


def test_exponential_weights_are_positive():
    with pytest.raises(BayeswoodError, match="must be > 0"):
        estimate_tree_correlation(np.zeros((5, 3)), weights=np.zeros((5, 4)), scheme="exponential")


@pytest.mark.parametrize("shape", [(5,), (5, 5), (1, 5, 5), (5, 1, 5), (2, 2, 2, 2, 2)])
def test_tree_correlation_refuses_other_shapes(shape):
    with pytest.raises(BayeswoodError, match="Got shape"):
        estimate_tree_correlation(np.zeros(shape))


def test_tree_correlation_refuses_weights_of_other_trees():
    with pytest.raises(BayeswoodError, match="Got shapes"):
        estimate_tree_correlation(np.zeros((5, 3)), weights=np.ones((4, 10)), scheme="bootstrap")
