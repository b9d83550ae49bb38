"""Rules of growing on estimators: what they promise, what they refuse."""

import numpy as np
import pandas as pd
import pytest

import bayeswood
from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bayeswood.methods.cart.growth_rules import resolve_min_samples_split

REGRESSORS = (RandomForestRegressor, BayesianForestRegressor)
CLASSIFIERS = (RandomForestClassifier, BayesianForestClassifier)
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")


def hard_table(rng, n=160):
    """Ties, missing values, duplicates, and noise above a signal that runs against the rules."""
    X = np.stack([rng.normal(size=n), np.round(rng.normal(size=n)), rng.integers(0, 4, n)], axis=1)
    X = np.concatenate([X, rng.normal(size=(n, 1))], axis=1)
    X[rng.random(X.shape) < 0.15] = np.nan
    X[n // 2 : n // 2 + 30] = X[:30]
    noise = rng.standard_t(2, size=n)
    y = np.nan_to_num(X @ np.array([1.0, -1.0, -0.5, 2.0])) + 3 * noise
    weight = 10.0 ** rng.uniform(-3, 2, size=n) * (rng.random(n) < 0.9)
    return X, y, weight


def paths(rng, X, column):
    """Rows that differ in one column alone, ascending: (n_starts, n_steps, n_features)."""
    steps = np.unique(np.concatenate([X[:, column][~np.isnan(X[:, column])], [-1e9, 1e9]]))
    between = (steps[:-1] + steps[1:]) / 2
    steps = np.sort(np.concatenate([steps, between]))
    starts = X[rng.integers(len(X), size=25)]
    rows = np.repeat(starts[:, None], len(steps), axis=1)
    rows[:, :, column] = steps
    return rows


def assert_ordered(ask, rows, direction):
    """What `ask` says of the rows never goes the wrong way, to the bit."""
    flat = ask(rows.reshape(-1, rows.shape[2]))
    steps = np.diff(flat.reshape(*flat.shape[:-1], *rows.shape[:2]), axis=-1)
    assert (direction * steps >= 0).all()


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@pytest.mark.parametrize("kind", REGRESSORS)
def test_numbers_never_go_the_wrong_way(kind, criterion):
    rng = np.random.default_rng(7)
    X, y, weight = hard_table(rng)
    y = np.abs(y) if criterion == "poisson" else y
    rules = {"monotonic_cst": [1, -1, 1, 0], "random_state": 0, "criterion": criterion}
    forest = kind(12, max_features=None, **rules).fit(X, y, weight)
    assert all(tree.n_leaves > 4 for tree in forest.forest_.trees)
    used = np.unique(np.concatenate([tree.feature for tree in forest.forest_.trees]))
    assert {0, 1, 2} <= set(used.tolist())
    for column, direction in ((0, 1), (1, -1), (2, 1)):
        rows = paths(rng, X, column)
        assert_ordered(forest.predict_draws, rows, direction)
        assert_ordered(forest.predict, rows, direction)
        for k in (0, 1):
            assert_ordered(
                lambda r, k=k: forest.predict_interval(r, kind="mean")[:, k], rows, direction
            )


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_probabilities_never_go_the_wrong_way(kind, criterion):
    rng = np.random.default_rng(8)
    X, y, weight = hard_table(rng)
    rules = {"monotonic_cst": [1, -1, 1, 0], "random_state": 0, "criterion": criterion}
    forest = kind(12, max_features=None, max_leaf_nodes=40, **rules)
    forest.fit(X, np.where(y > 0, "yes", "no"), weight)
    assert all(tree.n_leaves > 4 for tree in forest.forest_.trees)
    for column, direction in ((0, 1), (1, -1), (2, 1)):
        rows = paths(rng, X, column)
        for c, sign in ((0, -direction), (1, direction)):
            assert_ordered(lambda r, c=c: forest.predict_draws(r)[:, :, c], rows, sign)
            assert_ordered(lambda r, c=c: forest.predict_proba(r)[:, c], rows, sign)


def test_without_the_rule_the_same_table_goes_the_wrong_way():
    rng = np.random.default_rng(7)
    X, y, weight = hard_table(rng)
    forest = RandomForestRegressor(12, random_state=0).fit(X, y, weight)
    with pytest.raises(AssertionError):
        assert_ordered(forest.predict_draws, paths(rng, X, 0), 1)


def roads(tree):
    """The columns on the way to each leaf."""
    stack, found = [(0, frozenset())], []
    while stack:
        node, road = stack.pop()
        if tree.feature[node] < 0:
            found.append(road)
            continue
        road = road | {int(tree.feature[node])}
        stack += [(int(tree.left[node]), road), (int(tree.right[node]), road)]
    return found


@pytest.mark.parametrize(
    ("value", "lawful"),
    [
        ("no_interactions", lambda road: len(road) <= 1),
        ("pairwise", lambda road: len(road) <= 2),
        ([{0, 3}], lambda road: road <= {0, 3} or road <= {1, 2}),
        ([["a", "b"], ["b", "c", "d"]], lambda road: road <= {0, 1} or road <= {1, 2, 3}),
    ],
)
def test_only_allowed_columns_meet(rng, value, lawful):
    X = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    y = (X["a"] * X["b"] + X["c"] * X["d"]).to_numpy()
    forest = RandomForestRegressor(5, interaction_cst=value, random_state=0).fit(X, y)
    found = [road for tree in forest.forest_.trees for road in roads(tree)]
    assert all(map(lawful, found))
    assert len(set(found)) > 1


def test_leaves_and_splits_are_limited(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    few = RandomForestRegressor(4, max_leaf_nodes=7, random_state=0).fit(X, y)
    assert {tree.n_leaves for tree in few.forest_.trees} == {7}
    large = RandomForestRegressor(4, min_samples_split=0.3, random_state=0).fit(X, y)
    inner = [tree.n_samples[tree.feature >= 0].min() for tree in large.forest_.trees]
    assert min(inner) >= 60
    assert resolve_min_samples_split(0.001, 200) == 2
    pruned = RandomForestRegressor(4, ccp_alpha=1e9, random_state=0).fit(X, y)
    assert {tree.n_leaves for tree in pruned.forest_.trees} == {1}
    none = RandomForestRegressor(4, min_impurity_decrease=1e9, random_state=0).fit(X, y)
    assert {tree.n_leaves for tree in none.forest_.trees} == {1}


def test_friedman_mse_is_squared_error(rng):
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    a, b = (
        RandomForestRegressor(3, criterion=c, random_state=0).fit(X, y).predict(X)
        for c in ("squared_error", "friedman_mse")
    )
    np.testing.assert_array_equal(a, b)


def test_the_same_bits_for_any_number_of_threads_and_from_a_file(rng, tmp_path):
    X, y = rng.normal(size=(120, 3)), rng.poisson(3, size=120)
    rules = {"criterion": "poisson", "max_leaf_nodes": 20, "monotonic_cst": np.array([1, 0, -1])}
    rules |= {"interaction_cst": [{0, 2}, frozenset({1})], "random_state": 0}
    one, two = (BayesianForestRegressor(6, n_jobs=n, **rules).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_draws(X), two.predict_draws(X))
    one.save(tmp_path / "model")
    loaded = bayeswood.load(tmp_path / "model")
    np.testing.assert_array_equal(one.predict(X), loaded.predict(X))
    assert loaded.interaction_cst == [[0, 2], [1]]
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), one.predict(X))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"monotonic_cst": [1, 2]}, "one of -1, 0, 1 for each column"),
        ({"monotonic_cst": [1]}, "as long as X has columns, 2"),
        ({"monotonic_cst": {"z": 1}}, "'z'"),
        ({"monotonic_cst": {"color": 1}}, "0 for 'color', a category"),
        ({"interaction_cst": "triples"}, "'pairwise', 'no_interactions'"),
        ({"interaction_cst": [[5]]}, "from 0 to 1"),
        ({"max_leaf_nodes": 1}, "an int >= 2"),
        ({"min_samples_split": 1}, "an int >= 2 or a float"),
        ({"min_impurity_decrease": -0.1}, r"\[0, inf\)"),
        ({"ccp_alpha": -0.1}, r"\[0, inf\)"),
        ({"criterion": "gini"}, "'absolute_error', 'poisson'"),
    ],
)
def test_refusals_name_the_parameter(parameters, words):
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "color": list("abab")})
    with pytest.raises(BayeswoodError, match=words) as error:
        RandomForestRegressor(2, **parameters).fit(X, [1.0, 2.0, 3.0, 4.0])
    assert f"'{next(iter(parameters))}' parameter of RandomForestRegressor" in str(error.value)
    assert "\n" not in str(error.value)


def test_what_has_no_order_is_refused(rng):
    X = rng.normal(size=(30, 2))
    with pytest.raises(BayeswoodError, match="None with more than two classes"):
        RandomForestClassifier(2, monotonic_cst=[1, 0]).fit(X, np.arange(30) % 3)
    with pytest.raises(BayeswoodError, match="None with several responses"):
        RandomForestRegressor(2, monotonic_cst=[1, 0]).fit(X, rng.normal(size=(30, 2)))
    y, weight = np.ones(30), np.ones(30)
    y[4], weight[2] = -1, 0
    with pytest.raises(BayeswoodError, match="Row 4 of y is -1"):
        RandomForestRegressor(2, criterion="poisson").fit(X, y, weight)
    with pytest.raises(BayeswoodError, match="All of y are 0"):
        RandomForestRegressor(2, criterion="poisson").fit(X, np.zeros(30))


def test_zeros_ask_for_nothing(rng):
    """No rule, no other grower: the bits are those of a forest that names none."""
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    rules = {"monotonic_cst": [0, 0], "ccp_alpha": 0, "min_impurity_decrease": 0}
    a = RandomForestRegressor(3, random_state=0, **rules).fit(X, y)
    b = RandomForestRegressor(3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(a.predict_draws(X), b.predict_draws(X))
