"""What is measured for the Bayesian-forest paper, where the answer is known."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from bayeswood.reproduce import data
from bayeswood.reproduce.taddy_2015 import measure, measure_trees
from bayeswood.reproduce.taddy_2015.measure import (
    ForestsOfPieces,
    WeightedTrees,
    fold_error,
    friedman,
    friedman_errors,
    make_regressor,
    table,
)
from bayeswood.reproduce.taddy_2015.measure_trees import first_splits, motorcycle, trunk
from bayeswood.reproduce.taddy_2015.runs import (
    CALIFORNIA_MODELS,
    FRIEDMAN_MODELS,
    FRIEDMAN_OTHERS,
    SCRIPT_MODELS,
    SUMS_OTHERS,
    WINE_MODELS,
    worse,
)


@pytest.fixture
def papers_data(monkeypatch, data_set):
    """Data sets of the papers' folder, or the test is skipped."""
    monkeypatch.setattr(data.datasets, "load", data_set)


def steps(n_rows, seed=0):
    """A response with one large step at .5 of the first feature."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 3))
    return X, 10.0 * (X[:, 0] > 0.5) + 0.1 * rng.normal(size=n_rows)


def test_friedmans_function_by_hand():
    X = np.zeros((2, 10))
    X[1, :5] = 1.0, 0.5, 0.0, 1.0, 1.0
    np.testing.assert_allclose(friedman(X), [5.0, 10.0 + 5.0 + 10.0 + 5.0])


def test_repeats_do_not_depend_on_their_batch():
    names = ["BF", "DT"]
    whole, late = friedman_errors(names, 0, 3, 4), friedman_errors(names, 2, 1, 4)
    assert {name: [errors[2]] for name, errors in whole.items()} == late
    assert friedman_errors(names, 2, 1, 5) != late


@pytest.mark.parametrize(
    "name",
    sorted(
        {
            *CALIFORNIA_MODELS,
            *WINE_MODELS,
            *SCRIPT_MODELS,
            *FRIEDMAN_MODELS,
            *FRIEDMAN_OTHERS,
            *SUMS_OTHERS,
        }
    ),
)
def test_every_model_learns_a_step(name):
    """Trunks have leaves of up to 6,000 rows: the smaller ones see the step. Four chains of sums at
    our defaults, twice, would take longer than all others together: fewer trees and draws do."""
    X, y = steps(300 if name.startswith("BART") else 1500)
    new, truth = steps(300, seed=1)
    size = name.partition(" ")[2]
    name = name.replace(size, "300") if size.isdigit() else name.replace("3000", "300")
    models = [make_regressor(name, 3) for _ in range(2)]
    if name == "BART, defaults":
        models = [model.set_params(n_estimators=50, n_draws=50) for model in models]
    predicted, again = (model.fit(X, y).predict(new) for model in models)
    assert predicted.shape == (300,)
    assert np.sqrt(np.mean((predicted - truth) ** 2)) < 2.0
    np.testing.assert_array_equal(predicted, again)


def test_algorithm_1_of_scikit_learn_is_ours():
    """Means of two forests of 100 trees differ by Monte Carlo error alone.

    The difference of the predictions has mean 0; over 200 rows its mean is within 5 standard
    errors of the trees' spread (rows of a tree count as one): false alarm below 1e-5.
    """
    X, y = steps(150)
    y = y + np.random.default_rng(2).normal(size=150)
    new, _ = steps(200, seed=1)
    ours = make_regressor("BF", 0).fit(X, y)
    theirs = WeightedTrees(0).fit(X, y)
    spread = ours.predict_draws(new).mean(axis=1).std(ddof=1) * np.sqrt(2 / measure.N_TREES)
    assert abs(ours.predict(new).mean() - theirs.predict(new).mean()) < 5 * spread


def test_pieces_are_the_trunks_leaves():
    X, y = steps(1200)
    pieces = ForestsOfPieces(500, 0).fit(X, y)
    trunk_tree = DecisionTreeRegressor(min_samples_leaf=500, random_state=0).fit(X, y)
    assert set(pieces._forests) == set(trunk_tree.apply(X))
    low, high = np.array([[0.2, 0.5, 0.5]]), np.array([[0.8, 0.5, 0.5]])
    np.testing.assert_allclose(
        [pieces.predict(low)[0], pieces.predict(high)[0]], [0.0, 10.0], atol=0.5
    )
    assert len(ForestsOfPieces(None, 0).fit(X, y)._forests) == 5


def test_sums_are_cut_at_a_hundred_even_places():
    """As BayesTree cuts: rows in the same of 101 intervals of the range are never told apart."""
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(400, 2))
    fitted = make_regressor("BART", 0).fit(X, X[:, 0])
    width = np.ptp(X[:, 0]) / 101
    new = np.full((3, 2), 1.0)
    place = X[:, 0].min() + 5 * width
    new[:, 0] = place + np.array([0.01, 0.99, 1.01]) * width
    low, high, beyond = fitted.predict(new)
    assert low == high != beyond
    model = fitted[-1]
    assert (model.n_estimators, model.trace_.n_chains, model.trace_.n_draws) == (200, 1, 200)
    assert make_regressor("BART, script", 0)[-1].n_estimators == 100


def test_worse_is_the_ratio_of_means_with_its_spread():
    """Against the jackknife, which has another way to the same spread."""
    rng = np.random.default_rng(0)
    best = rng.normal(50, 2, 10)
    errors = {"a": best, "b": 1.1 * best + rng.normal(0, 0.2, 10)}
    found = worse(errors, "b")
    assert found.mean() == pytest.approx(100 * (errors["b"].mean() / best.mean() - 1))
    left_out = [
        100 * np.delete(errors["b"], k).mean() / np.delete(best, k).mean() for k in range(10)
    ]
    jackknife = np.sqrt(9 * np.var(left_out))
    assert found.std(ddof=1) / np.sqrt(10) == pytest.approx(jackknife, rel=0.05)
    assert np.all(worse(errors, "a") == 0)
    assert worse(errors, "a", "b").mean() < 0


def test_first_splits_grow_surer():
    few, many = first_splits(25, 3, 400, 1), first_splits(800, 3, 400, 1)
    assert np.mean([each["match"] for each in few]) < 0.9
    assert min(each["match"] for each in many) > 0.99
    assert {each["splits"] for each in many} == {10}
    assert all(each["bound"] <= each["normal"] for each in (*few, *many))


@pytest.mark.usefixtures("papers_data")
def test_tables_have_the_papers_sizes():
    X, y = table("california")
    assert (X.shape, y.max()) == ((20640, 8), pytest.approx(500.001))
    X, y = table("wine")
    assert X.shape == (6497, 12)
    assert set(np.unique(X[:, -1])) <= {0.0, 1.0}
    assert measure.wine_sizes() == {"all": 6497, "white": 4898, "attributes": 11}
    assert measure_trees.response()["largest"] == pytest.approx(500.001)


@pytest.mark.usefixtures("papers_data")
def test_folds_do_not_overlap(monkeypatch):
    """The ten test parts are all rows, each once."""
    seen = []

    class Remembers:
        def fit(self, X, y):
            return self

        def predict(self, X):
            seen.append(X)
            return np.zeros(len(X))

    monkeypatch.setattr(measure, "make_regressor", lambda name, seed: Remembers())
    for fold in range(10):
        fold_error("white wine", "BF", fold, 0)
    rows = np.vstack(seen)
    X, _ = table("white wine")
    assert rows.shape == X.shape
    np.testing.assert_array_equal(np.sort(rows, axis=0), np.sort(X, axis=0))


@pytest.mark.usefixtures("papers_data")
def test_the_printed_trunk():
    found = trunk(20, 0)
    leaves = [node["rows"] for node in found["nodes"] if node["feature"] is None]
    assert leaves == [3804, 4056, 3686, 4709, 4385]
    assert [node["feature"] for node in found["nodes"] if node["feature"]] == [
        "medianIncome", "medianIncome", "latitude", "housingMedianAge",
    ]  # fmt: skip
    assert found["prefixes"][1] == 1.0


@pytest.mark.usefixtures("papers_data")
def test_the_motorcycle_draw_has_its_weights():
    found = motorcycle(0)
    assert len(found["weights"]) == len(found["x"]) == 133
    curves = {name: np.array(fit) for name, fit in found["fits"].items()}
    assert not np.array_equal(curves["one draw"], curves["sample CART"])
    # The mean of many trees has more steps than any of them.
    steps_of = {name: len(np.unique(curve)) for name, curve in curves.items()}
    assert steps_of["Bayesian forest"] > 2 * steps_of["sample CART"]
