"""Trees written by hand."""

import numpy as np
import pytest

from bayeswood import BayesianForestClassifier, BayesianForestRegressor, Forest
from bayeswood.errors import BayeswoodError

STUMP = (0, 0.5, {"counts": [3, 1]}, {"counts": [0, 4]})


def as_nested(tree, node=0):
    """A fitted tree written by hand."""
    if tree.feature[node] < 0:
        n = int(tree.n_samples[node])
        if tree.is_classifier:
            return {"counts": n * tree.value[node], "n_samples": n}
        return {"value": tree.value[node, 0], "n_samples": n}
    is_category = tree.is_category_split(node)
    return {
        "feature": int(tree.feature[node]),
        "rule": set(tree.left_levels(node).tolist()) if is_category else tree.threshold[node],
        "left": as_nested(tree, tree.left[node]),
        "right": as_nested(tree, tree.right[node]),
        "missing_left": bool(tree.missing_left[node]),
    }


def mixed_table(rng, n_levels):
    X = rng.normal(size=(200, 3))
    X[:, 2] = rng.integers(n_levels, size=200)
    X[rng.random((200, 3)) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("n_levels", [3, 64, 130])
def test_a_fitted_classifier_survives_being_written_by_hand(rng, n_levels):
    X = mixed_table(rng, n_levels)
    y = rng.integers(3, size=200)
    model = BayesianForestClassifier(4, categorical_features=[2], random_state=1).fit(X, y)
    fitted = model.forest_
    forest = Forest.from_nested(
        [as_nested(tree) for tree in fitted.trees],
        n_features=3,
        n_levels=fitted.core.n_levels,
        labels=fitted.labels,
    )
    rows = mixed_table(rng, int(fitted.core.n_levels[2]))
    np.testing.assert_array_equal(forest.apply(rows), fitted.apply(rows))
    np.testing.assert_allclose(forest.draws(rows), fitted.draws(rows), rtol=1e-12)
    assert forest.trees[2].to_text() == fitted.trees[2].to_text()


def test_a_fitted_regressor_survives_being_written_by_hand(rng):
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    fitted = BayesianForestRegressor(3, random_state=1).fit(X, y).forest_
    forest = Forest.from_nested([as_nested(tree) for tree in fitted.trees], n_features=2)
    assert not forest.is_classifier
    np.testing.assert_array_equal(forest.draws(X), fitted.draws(X))
    np.testing.assert_array_equal(forest.trees[1].n_samples, fitted.trees[1].n_samples)


def test_tuples_and_dicts_are_alike():
    keys = ("feature", "rule", "left", "right")
    forests = [Forest.from_nested([tree]) for tree in (STUMP, dict(zip(keys, STUMP, strict=True)))]
    arrays = [forest.to_arrays() for forest in forests]
    for name in arrays[0]:
        np.testing.assert_array_equal(arrays[0][name], arrays[1][name])


def test_missing_values_go_where_the_fifth_says():
    forests = [Forest.from_nested([(*STUMP, side)]) for side in (True, False)]
    found = [forest.predict([[np.nan]])[0].tolist() for forest in forests]
    assert found == [[0.75, 0.25], [0.0, 1.0]]


def test_alpha_is_added_to_each_class():
    forest = Forest.from_nested([(0, 0.5, {"counts": [3, 1]}, None)], dirichlet_alpha=0.5)
    np.testing.assert_allclose(forest.predict([[0.0], [1.0]]), [[0.7, 0.3], [0.5, 0.5]], rtol=1e-15)
    assert forest.trees[0].n_samples.tolist() == [4, 4, 0]


def test_weights_and_leaves_that_are_numbers():
    forest = Forest.from_nested([1.0, (1, 0.0, 2.0, 6)], log_weights=np.log([1.0, 3.0]))
    assert forest.n_features == 2
    np.testing.assert_allclose(forest.predict([[0.0, -1.0], [0.0, 1.0]]), [[1.75], [4.75]])


def test_shapes_alone_need_the_number_of_classes():
    shape = (0, 0.3, None, (0, 0.7, None, None))
    forest = Forest.from_nested([shape], n_classes=4)
    np.testing.assert_array_equal(forest.predict([[0.5]]), np.full((1, 4), 0.25))
    assert forest.apply([[0.1], [0.5], [0.9]]).ravel().tolist() == [1, 3, 4]


@pytest.mark.parametrize(
    ("trees", "options", "message"),
    [
        ([], {}, "must not be empty"),
        ([STUMP, (0, 0.5, {"counts": [1]}, None)], {}, "left of the root of tree 1.*one number"),
        ([(0, 0.5, {"counts": [1, -1]}, None)], {}, "one number >= 0 per class"),
        ([(0, 0.5, {"value": 3.0}, {"counts": [1, 1]})], {}, "left of the root of tree 0"),
        ([(0, 0.5, None, "leaf")], {}, "right of the root of tree 0.*Got 'leaf'"),
        ([(0, 0.5, 1.0, np.inf)], {}, "a finite number"),
        ([(2, 0.5, 1.0, 2.0)], {"n_features": 2}, r"an int in \[0, 1\]. Got 2"),
        ([(0.5, 0.5, 1.0, 2.0)], {}, "must be an int"),
        ([(0, np.nan, 1.0, 2.0)], {}, "rule at the root of tree 0 must be a number"),
        ([(0, {1}, 1.0, 2.0)], {}, "has 'n_levels'"),
        ([(0, 0.5, 1.0, 2.0)], {"n_levels": [3]}, "set of level numbers"),
        ([(0, {3}, 1.0, 2.0)], {"n_levels": [3]}, r"in \[0, 2\]. Got \{3\}"),
    ],
)
def test_what_is_no_tree_is_refused(trees, options, message):
    with pytest.raises(BayeswoodError, match=message):
        Forest.from_nested(trees, **options)
