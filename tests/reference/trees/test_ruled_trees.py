"""The grower that keeps rules against its twin, and against scikit-learn's trees."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from cart_twin import Problem, Settings
from native_grower import grow_native
from random_tables import random_problem
from ruled_twin import Rules, assert_twin, grow
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

NUMBERS = ("normal", "rounded", "binary", "tailed")
MIXED = ("normal", "levels3", "rounded", "levels9")
# The kind of target that tables are made for, and the criterion.
CRITERIA = {
    "squared_error": "regression",
    "absolute_error": "regression",
    "poisson": "regression",
    "gini": "binary",
    "entropy": "binary",
}
RULES = {
    "plenty": {"max_leaf_nodes": 1000},
    "leaves": {"max_leaf_nodes": 9},
    "decrease": {"min_impurity_decrease": 0.01, "min_samples_split": 7},
    "pruned": {"ccp_alpha": 0.01},
    "monotone": {"monotonic_cst": (1, 0, -1, 0)},
    "apart": {"interaction_cst": ((0, 1), (2, 3))},
    "pairs": {"interaction_cst": ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))},
    "all": {
        "max_leaf_nodes": 14,
        "ccp_alpha": 0.003,
        "monotonic_cst": (1, 0, 1, 0),
        "interaction_cst": ((0, 1, 2), (3,)),
    },
}


def with_criterion(problem: Problem, criterion: str) -> Problem:
    y = np.exp(problem.y) if criterion == "poisson" else problem.y
    return replace(problem, y=y, settings=replace(problem.settings, criterion=criterion))


def assert_grown_as_told(problem: Problem, rules: Rules) -> int:
    """Tree and importances; how many leaves the tree has."""
    given = {name: value for name, value in asdict(rules).items() if value not in (0, ())}
    forest, importances = grow_native(problem, **given)
    twin = grow(problem, rules)
    assert_twin(forest.tree(0), 0, twin)
    expected = np.zeros(problem.X.shape[1])
    inner = [twin] if twin.children else []
    for node in inner:
        expected[node.cut.feature] += max(0.0, node.cut.gain)
        inner += [child for child in node.children if child.children]
    np.testing.assert_allclose(importances[0], expected / twin.impurity, rtol=1e-7, atol=1e-12)
    return len(twin.leaves)


@pytest.mark.parametrize("kinds", [NUMBERS, MIXED], ids=["numbers", "mixed"])
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", RULES)
def test_native_tree_is_its_twin(rng, name, criterion, kinds):
    problem = random_problem(
        rng, 45, kinds, CRITERIA[criterion], "exponential", missing=0.1, min_samples_leaf=2
    )
    assert assert_grown_as_told(with_criterion(problem, criterion), Rules(**RULES[name])) > 1


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson", "gini"])
def test_several_outputs_or_classes(rng, criterion):
    target = "multiclass" if criterion == "gini" else "outputs"
    problem = random_problem(rng, 45, MIXED, target, missing=0.1, min_samples_leaf=2)
    if criterion == "poisson":
        problem = replace(problem, y=np.abs(problem.y))
    problem = replace(problem, settings=Settings(criterion, min_samples_leaf=2))
    assert assert_grown_as_told(problem, Rules(max_leaf_nodes=12, ccp_alpha=1e-3)) > 2


def test_rows_of_weight_zero_and_limits_of_leaves(rng):
    problem = random_problem(
        rng, 70, MIXED, weights="zeros", min_weight_fraction_leaf=0.05, max_depth=4
    )
    assert assert_grown_as_told(problem, Rules(max_leaf_nodes=9, min_samples_split=6)) > 2


def test_a_poisson_leaf_is_never_all_zero(rng):
    problem = random_problem(rng, 60, NUMBERS, "regression", "exponential")
    counts = rng.poisson(np.exp(problem.X[:, 0])).astype(float)[:, None]
    problem = replace(problem, y=counts, settings=Settings("poisson"))
    assert_grown_as_told(problem, Rules())
    tree = grow_native(problem)[0].tree(0)
    assert (tree["value"][tree["feature"] < 0] > 0).all()


def test_equal_weights_put_the_middle_of_the_gap_into_the_leaf():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([[1.0], [2.0], [7.0], [9.0]])
    problem = Problem(X, y, np.ones(4), np.zeros(1, int), Settings("absolute_error"))
    tree = grow_native(problem)[0].tree(0)
    assert tree["value"][1:, 0].tolist() == [1.5, 8.0]


PEERS = {
    "leaves": {"max_leaf_nodes": 25},
    "split": {"min_samples_split": 17, "max_leaf_nodes": 1000},
    "decrease": {"min_impurity_decrease": 0.01},
    "pruned": {"ccp_alpha": 0.004},
    "rising": {"monotonic_cst": [1, 0, 0, 0]},
    "both": {"monotonic_cst": [-1, 1, 0, 1], "max_leaf_nodes": 40},
    "everything": {
        "monotonic_cst": [1, 1, 1, 1],
        "ccp_alpha": 0.001,
        "min_impurity_decrease": 1e-3,
    },
}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", PEERS)
def test_trees_of_scikit_learn(name, criterion):
    """Where no two cuts tie, every training row gets what scikit-learn's tree says."""
    rng = np.random.default_rng(3)
    # scikit-learn sees single precision; exponential weights leave no ties.
    X = rng.normal(size=(300, 4)).astype(np.float32).astype(float)
    signal = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3]
    noisy, weight = signal + rng.normal(size=300), rng.exponential(size=300)
    is_class = CRITERIA[criterion] == "binary"
    y: Any = (noisy > 0).astype(np.int32) if is_class else noisy[:, None]
    y = np.exp(y / 2) if criterion == "poisson" else y
    settings = Settings(criterion, min_samples_leaf=3)
    problem = Problem(X, y, weight, np.zeros(4, int), settings, 2 if is_class else 0)
    forest, _ = grow_native(problem, **PEERS[name])
    kind = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    peer = kind(criterion=criterion, min_samples_leaf=3, random_state=0, **PEERS[name])
    peer.fit(X, y, sample_weight=weight)
    ours = forest.predict_mean(X, np.ones(1))
    theirs = peer.predict_proba(X) if is_class else peer.predict(X)[:, None]
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    assert len(forest.tree(0)["feature"]) > 3
