"""Models of LightGBM, taken over: the same predictions."""

import io
import json

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression

from bayeswood import BayeswoodError, from_lightgbm, load

lightgbm = pytest.importorskip("lightgbm", reason="needs the package lightgbm")
pandas = pytest.importorskip("pandas")
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
        ({"linear_tree": True}, "linear functions in its leaves"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_no_sum_of_trees_is_refused(options, what):
    X, y = make_regression(200, 3, random_state=0)
    theirs = lightgbm.LGBMRegressor(**SMALL, **options).fit(X, np.abs(y))
    with pytest.raises(BayeswoodError, match=what):
        from_lightgbm(theirs)


CATEGORIES = {"min_data_per_group": 1, "cat_smooth": 1.0, "max_cat_to_onehot": 1}


def kinds(n_rows=300):
    rng = np.random.default_rng(1)
    names = [f"kind {i:02}" for i in rng.permutation(70)]
    X = pandas.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "kind": pandas.Categorical(rng.choice(names[:-1], n_rows), categories=names),
            "constant": pandas.Categorical(["same"] * n_rows),
            "sex": pandas.Categorical(rng.choice(["m", "f", None], n_rows), categories=["m", "f"]),
            "code": pandas.Categorical(rng.choice([9, 7, 1], n_rows), categories=[9, 7, 1]),
        }
    )
    y = X["size"] + X["kind"].cat.codes % 5 + (X["sex"] == "f") + 2.0 * (X["code"] == 7)
    return X, y.to_numpy()


@pytest.mark.parametrize("kind", ["LGBMRegressor", "LGBMClassifier"])
def test_categories_go_where_theirs_go(kind):
    X, y = kinds()
    y = y if kind == "LGBMRegressor" else np.digitize(y, [1.0, 3.0])
    theirs = getattr(lightgbm, kind)(**SMALL, **CATEGORIES).fit(X, y)
    assert "==" in json.dumps(theirs.booster_.dump_model())
    ours = from_lightgbm(theirs)
    gaps, unseen = X.copy(), X.astype({"kind": object, "code": float})
    for column in X:
        gaps.loc[::2, column] = None
    unseen.loc[::3, "kind"], unseen.loc[::2, "code"] = "never seen", 5
    unseen = unseen.astype({"kind": "category", "code": "category"})
    for rows in (X, gaps, unseen):
        if kind == "LGBMRegressor":
            assert np.abs(ours.predict(rows) - theirs.predict(rows)).max() < 1e-12
        else:
            assert np.abs(ours.predict_proba(rows) - theirs.predict_proba(rows)).max() < 1e-12


def test_shapley_values_are_theirs():
    X, y = kinds()
    theirs = lightgbm.LGBMRegressor(**SMALL, **CATEGORIES).fit(X, y)
    expected = theirs.predict(X[:20], pred_contrib=True)
    found = from_lightgbm(theirs).shap_values(X[:20])
    assert np.abs(found.values - expected[:, :-1]).max() < 1e-9
    assert np.abs(found.base_values - expected[:, -1]).max() < 1e-9


def test_categories_that_are_numbers():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.choice([0, 3, 4, 100_000], 300), rng.normal(size=300)])
    y = X[:, 1] + 3.0 * (X[:, 0] == 3) - 2.0 * (X[:, 0] == 100_000)
    theirs = lightgbm.LGBMRegressor(**SMALL, **CATEGORIES).fit(X, y, categorical_feature=[0])
    ours = from_lightgbm(theirs)
    assert ours.schema_.columns[0].levels == (0, 3, 4, 100_000)
    rows = np.concatenate([X, np.column_stack([rng.choice([-2, 7, np.nan], 50), X[:50, 1]])])
    assert np.abs(ours.predict(rows) - theirs.predict(rows)).max() < 1e-12


def test_categories_of_unknown_columns_are_refused():
    X, y = kinds()
    X["number"] = np.arange(len(X)) % 4
    theirs = lightgbm.LGBMRegressor(**SMALL, **CATEGORIES)
    theirs.fit(X, y, categorical_feature=["number"])
    with pytest.raises(BayeswoodError, match="by type and by name, which it does not tell apart"):
        from_lightgbm(theirs)


def test_trees_of_a_random_forest_are_members():
    X, y = make_regression(200, 6, random_state=0)
    options = {"boosting_type": "rf", "subsample": 0.7, "subsample_freq": 1}
    theirs = lightgbm.LGBMRegressor(**SMALL, **options).fit(X, y)
    ours = from_lightgbm(theirs)
    assert ours.forest_.n_members == SMALL["n_estimators"]
    assert np.ptp(ours.predict_interval(X, kind="mean"), axis=1).min() > 0.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_random_forests_of_classes_say_the_same(n_classes):
    X, y = make_classification(200, 6, n_informative=4, n_classes=n_classes, random_state=0)
    X = with_gaps(X)
    options = {"boosting_type": "rf", "subsample": 0.7, "subsample_freq": 1}
    theirs = lightgbm.LGBMClassifier(**SMALL, **options).fit(X, y)
    rows = rows_at_cuts(theirs, X)
    found = from_lightgbm(theirs).predict_proba(rows)
    assert np.abs(found - theirs.predict_proba(rows)).max() < 1e-12


@pytest.mark.filterwarnings("ignore:The argument .eval_set. is deprecated")
def test_early_stopping_is_kept():
    X, y = make_classification(300, 6, flip_y=0.3, random_state=0)
    options = {**SMALL, "n_estimators": 60, "learning_rate": 0.5}
    theirs = lightgbm.LGBMClassifier(**options)
    stop = lightgbm.early_stopping(2, verbose=False)
    theirs.fit(X[:150], y[:150], eval_set=[(X[150:], y[150:])], callbacks=[stop])
    assert theirs.best_iteration_ < 58
    found = from_lightgbm(theirs).predict_proba(X)
    assert np.abs(found - theirs.predict_proba(X)).max() < 1e-12


def test_what_is_no_model_is_refused():
    with pytest.raises(BayeswoodError, match="Got int instead"):
        from_lightgbm(3)
