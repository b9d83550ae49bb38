"""Models of LightGBM, taken over: the same predictions."""

import io

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression

from bayeswood import BayeswoodError, from_lightgbm, load

lightgbm = pytest.importorskip("lightgbm", reason="needs the package lightgbm")
pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")

SMALL = {"n_estimators": 10, "num_leaves": 8, "verbose": -1, "n_jobs": 1}


def cuts(node):
    """Feature and threshold of all splits."""
    if "split_feature" not in node:
        return []
    below = cuts(node["left_child"]) + cuts(node["right_child"])
    return [(node["split_feature"], node["threshold"]), *below]


def rows_at_cuts(model, X):
    """Rows at and next to each cut, and with the value missing there."""
    trees = model.booster_.dump_model()["tree_info"]
    feature, cut = np.array([c for tree in trees for c in cuts(tree["tree_structure"])]).T
    blocks = []
    for values in (cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf), np.nan):
        rows = X[np.arange(len(cut)) % len(X)].copy()
        rows[np.arange(len(cut)), feature.astype(int)] = values
        blocks.append(rows)
    return np.concatenate([X, *blocks])


def with_gaps(X):
    """Values missing in the first two columns; the others had none in training."""
    X = X.copy()
    X[:, :2][np.random.default_rng(0).random((len(X), 2)) < 0.2] = np.nan
    return X


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifiers_say_the_same(n_classes):
    X, y = make_classification(200, 6, n_informative=4, n_classes=n_classes, random_state=0)
    X = with_gaps(X)
    theirs = lightgbm.LGBMClassifier(**SMALL).fit(X, np.array(["a", "b", "c"])[y])
    ours = from_lightgbm(theirs)
    rows = rows_at_cuts(theirs, X)
    assert np.abs(ours.predict_proba(rows) - theirs.predict_proba(rows)).max() < 1e-12
    file = io.BytesIO()
    ours.save(file)
    file.seek(0)
    assert (load(file).predict_proba(rows) == ours.predict_proba(rows)).all()


@pytest.mark.parametrize(
    "options",
    [{}, {"objective": "l1"}, {"boosting_type": "rf", "subsample": 0.7, "subsample_freq": 1}],
    ids=["squares", "l1", "rf"],
)
def test_regressors_say_the_same(options):
    X, y = make_regression(200, 6, random_state=0)
    X = with_gaps(X)
    theirs = lightgbm.LGBMRegressor(**SMALL, **options).fit(X, y)
    rows = rows_at_cuts(theirs, X)
    expected = theirs.predict(rows)
    found = from_lightgbm(theirs).predict(rows)
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"objective": "poisson"}, "the objective 'poisson"),
        ({"reg_sqrt": True}, "the objective 'regression sqrt'"),
        ({"zero_as_missing": True}, "zero_as_missing"),
        ({"min_data_per_group": 5, "cat_smooth": 1.0}, "categories"),
        ({"linear_tree": True}, "linear functions in its leaves"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_no_sum_of_trees_over_numbers_is_refused(options, what):
    X, y = make_regression(200, 3, random_state=0)
    X[:, 0] = np.arange(200) % 7
    y = np.abs(y) + 5000.0 * (X[:, 0] == 3)
    kinds = [0] if what == "categories" else "auto"
    theirs = lightgbm.LGBMRegressor(**SMALL, **options).fit(X, y, categorical_feature=kinds)
    with pytest.raises(BayeswoodError, match=what):
        from_lightgbm(theirs)


def test_what_is_no_model_is_refused():
    with pytest.raises(BayeswoodError, match="Got int instead"):
        from_lightgbm(3)
