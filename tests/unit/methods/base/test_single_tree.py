"""The trees of a forest one by one, and the ways of rows through them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_friedman1

import bayeswood as bw

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def forest():
    return bw.RandomForestClassifier(6, random_state=0).fit(X, Y)


def test_trees_average_to_the_forest(forest):
    mean = np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(mean, forest.predict_proba(X))


def test_a_tree_says_what_its_leaves_hold(forest):
    tree = forest.estimators_[2]
    np.testing.assert_array_equal(tree.apply(X), forest.apply(X)[:, 2])
    np.testing.assert_allclose(tree.predict_proba(X), tree.tree.value[tree.apply(X)], atol=1e-7)
    np.testing.assert_array_equal(tree.predict(X), tree.predict_proba(X).argmax(axis=1))
    assert (tree.get_depth(), tree.get_n_leaves()) == (tree.tree.depth, tree.tree.n_leaves)
    assert tree.n_features_in_ == 4
    assert tree.n_outputs_ == 1
    np.testing.assert_allclose(tree.feature_importances_.sum(), 1.0)


def test_a_sequence(forest):
    trees = forest.estimators_
    assert len(trees) == 6
    assert len(trees[1:3]) == 2
    assert len(list(trees)) == 6
    assert repr(trees) == "<6 trees that predict>"
    assert repr(trees[-1]).startswith("<tree 5 of RandomForestClassifier: <Tree of")
    with pytest.raises(IndexError):
        trees[6]


def test_trees_of_numbers():
    rows, y = make_friedman1(60, random_state=0)
    forest = bw.BayesianForestRegressor(4, random_state=0).fit(rows, np.column_stack([y, -y]))
    mean = np.mean([tree.predict(rows) for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(mean, forest.predict(rows))
    assert mean.shape == (60, 2)


def test_sums_of_trees_have_none():
    rows, y = make_friedman1(60, random_state=0)
    sums = bw.BARTRegressor(3, n_chains=1, n_burn_in=3, n_draws=4, random_state=0).fit(rows, y)
    assert not hasattr(sums, "estimators_")
    assert not hasattr(bw.BARTRegressor(), "estimators_")
    with pytest.raises(AttributeError, match="sums of 3 trees"):
        _ = sums.estimators_


def slow_path(tree, leaf):
    """From the leaf up to the root, node by node."""
    path = [leaf]
    while path[-1] != 0:
        path.append(int(np.flatnonzero((tree.left == path[-1]) | (tree.right == path[-1]))[0]))
    return path[::-1]


def test_decision_path_is_the_way_from_root_to_leaf(forest):
    indicator, starts = forest.decision_path(X[::10])
    leaves = forest.apply(X[::10])
    for t, tree in enumerate(forest.forest_.trees):
        own = indicator[:, starts[t] : starts[t + 1]]
        assert own.shape[1] == tree.n_nodes
        for i, leaf in enumerate(leaves[:, t]):
            assert own[i].indices.tolist() == slow_path(tree, int(leaf))
    assert indicator.has_sorted_indices
    first = forest.estimators_[0].decision_path(X[::10])
    assert (first != indicator[:, : starts[1]]).nnz == 0


def test_a_forest_of_roots():
    flat = bw.RandomForestRegressor(2, random_state=0).fit(X, np.ones(150))
    indicator, starts = flat.decision_path(X)
    assert indicator.toarray().tolist() == [[1, 1]] * 150
    assert starts.tolist() == [0, 1, 2]
