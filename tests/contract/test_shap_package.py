"""Shapley values beside those of the package shap, on the same trees."""

import numpy as np
import pytest

from bayeswood import RandomForestClassifier, RandomForestRegressor

shap = pytest.importorskip("shap", reason="needs the package shap")


def tree_of(tree, n_rows):
    """A tree of ours in the form that shap takes."""
    values = tree.value if tree.value.shape[1] > 1 else tree.value[:, :1]
    return {
        "children_left": tree.left,
        "children_right": tree.right,
        "children_default": np.where(tree.missing_left, tree.left, tree.right),
        "features": tree.feature,
        "thresholds": np.nan_to_num(tree.threshold),
        "values": values / n_rows,
        "node_sample_weight": tree.weight.astype(float),
    }


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_same_values(kind, rng):
    X = rng.normal(size=(150, 6)).astype(np.float32).astype(float)
    if kind == "numbers":
        model = RandomForestRegressor(8, random_state=0).fit(X, X[:, 0] * X[:, 1])
    else:
        model = RandomForestClassifier(8, random_state=0).fit(X, np.digitize(X[:, 0], [0, 1]))
    forest = model.forest_
    theirs = shap.TreeExplainer({"trees": [tree_of(tree, 8) for tree in forest.trees]})
    expected = theirs.shap_values(X[:20], check_additivity=False)
    np.testing.assert_allclose(model.shap_values(X[:20]).values, expected, atol=1e-8)


def test_an_explanation_for_its_plots(rng):
    X = rng.normal(size=(60, 3))
    model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0])
    found = model.shap_values(X[:10], draws=True)
    handed = found.to_shap()
    np.testing.assert_allclose(handed.values, model.shap_values(X[:10]).values)
    assert handed.feature_names == ["x0", "x1", "x2"]
    assert handed.base_values.shape == (10,)
