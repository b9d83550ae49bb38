"""Shapley values beside those of the package shap, on the same trees."""

import numpy as np
import pytest
from sklearn import ensemble

from bayeswood import RandomForestClassifier, RandomForestRegressor, from_sklearn


@pytest.fixture(scope="module")
def shap():
    """Imported by the worker that needs it: it takes as long as fifty tests."""
    return pytest.importorskip("shap", reason="needs the package shap")


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
def test_same_values(shap, kind, rng):
    X = rng.normal(size=(150, 6)).astype(np.float32).astype(float)
    if kind == "numbers":
        model = RandomForestRegressor(8, random_state=0).fit(X, X[:, 0] * X[:, 1])
    else:
        model = RandomForestClassifier(8, random_state=0).fit(X, np.digitize(X[:, 0], [0, 1]))
    forest = model.forest_
    theirs = shap.TreeExplainer({"trees": [tree_of(tree, 8) for tree in forest.trees]})
    expected = theirs.shap_values(X[:20], check_additivity=False)
    np.testing.assert_allclose(model.shap_values(X[:20]).values, expected, atol=1e-8)


def test_an_explanation_for_its_plots(shap, rng):
    X = rng.normal(size=(60, 3))
    model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0])
    found = model.shap_values(X[:10], draws=True)
    handed = found.to_shap()
    np.testing.assert_allclose(handed.values, model.shap_values(X[:10]).values)
    assert handed.feature_names == ["x0", "x1", "x2"]
    assert handed.base_values.shape == (10,)


@pytest.mark.parametrize(
    "theirs",
    [
        ensemble.RandomForestClassifier(8, random_state=0),
        ensemble.ExtraTreesRegressor(8, random_state=0),
        ensemble.GradientBoostingRegressor(n_estimators=8, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_same_values_of_adopted_forests(shap, theirs, rng):
    X = rng.normal(size=(150, 5)).astype(np.float32).astype(float)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    theirs.fit(X, np.digitize(y, [0, 1]) if hasattr(theirs, "predict_proba") else y)
    ours, rows = from_sklearn(theirs), X[:12]
    explainer = shap.TreeExplainer(theirs, feature_perturbation="tree_path_dependent")
    expected = explainer.shap_values(rows, check_additivity=False)
    np.testing.assert_allclose(ours.shap_values(rows).values, expected, atol=1e-9)
    pairs = explainer.shap_interaction_values(rows)
    found = ours.shap_values(rows, interactions=True).values
    np.testing.assert_allclose(found, pairs, atol=1e-9)
    against = shap.TreeExplainer(theirs, X[20:40], feature_perturbation="interventional")
    expected = against.shap_values(rows, check_additivity=False)
    # There in float32.
    np.testing.assert_allclose(
        ours.shap_values(rows, background=X[20:40]).values, expected, atol=1e-6
    )


@pytest.mark.filterwarnings("ignore")
def test_its_plots_take_ours(shap, rng):
    plt = pytest.importorskip("matplotlib.pyplot")
    table = [[*row, word] for row, word in zip(rng.normal(size=(60, 2)), "ab" * 30, strict=False)]
    model = RandomForestClassifier(5, random_state=0).fit(table, rng.integers(0, 3, 60))
    handed = model.shap_values(table[:20]).to_shap()
    shap.plots.waterfall(handed[0, :, 1], show=False)
    shap.plots.beeswarm(handed[:, :, 2], show=False)
    shap.plots.scatter(handed[:, 0, 1], show=False)
    shap.plots.bar(handed[..., 0], show=False)
    plt.close("all")
