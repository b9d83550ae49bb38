"""Models of XGBoost, taken over: the same predictions, but for the rounding of float32."""

import io
import json

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import NotFittedError

from bayeswood import BayeswoodError, from_xgboost, load

xgboost = pytest.importorskip("xgboost", reason="needs the package xgboost")
pandas = pytest.importorskip("pandas")

SMALL = {"n_estimators": 10, "max_depth": 3, "n_jobs": 1, "enable_categorical": True}
SINGLE = 2e-6


def plain_trees(booster):
    part = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]
    return part.get("gbtree", part)["model"]["trees"]


def rows_at_cuts(booster, X):
    """Rows on each cut, next to it in float32 and float64, half-way, and with nothing there."""
    trees = plain_trees(booster)
    is_cut = [np.array(t["left_children"]) != -1 for t in trees]
    feature = np.concatenate(
        [np.array(t["split_indices"])[i] for t, i in zip(trees, is_cut, strict=True)]
    )
    cut = np.concatenate(
        [
            np.array(t["split_conditions"], dtype=np.float32)[i]
            for t, i in zip(trees, is_cut, strict=True)
        ]
    )
    before, after = (np.nextafter(cut, np.float32(end)).astype(float) for end in (-np.inf, np.inf))
    cut = cut.astype(float)
    places = [
        cut, before, after, np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf),
        (cut + before) / 2, np.nextafter((cut + before) / 2, np.inf),
        np.nextafter((cut + before) / 2, -np.inf), (cut + after) / 2, np.full(len(cut), np.nan),
    ]  # fmt: skip
    blocks = []
    for values in places:
        rows = X[np.arange(len(cut)) % len(X)].copy()
        rows[np.arange(len(cut)), feature] = values
        blocks.append(rows)
    return np.concatenate([X, *blocks])


def with_gaps(X):
    X = X.copy()
    X[:, :2][np.random.default_rng(0).random((len(X), 2)) < 0.2] = np.nan
    return X


def assert_close(found, expected):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < SINGLE * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["XGBClassifier", "XGBRFClassifier"])
def test_classifiers_say_the_same(kind, n_classes):
    X, y = make_classification(200, 6, n_informative=4, n_classes=n_classes, random_state=0)
    X = with_gaps(X)
    theirs = getattr(xgboost, kind)(**SMALL, random_state=0).fit(X, y)
    ours = from_xgboost(theirs)
    rows = rows_at_cuts(theirs.get_booster(), X)
    assert_close(ours.predict_proba(rows), theirs.predict_proba(rows))
    assert ours.classes_.tolist() == list(range(n_classes))
    file = io.BytesIO()
    ours.save(file)
    file.seek(0)
    assert (load(file).predict_proba(rows) == ours.predict_proba(rows)).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"objective": "reg:absoluteerror", "tree_method": "exact", "enable_categorical": False},
        {"booster": "dart", "rate_drop": 0.5},
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"base_score": 7.0, "max_depth": 5, "gamma": 100.0},
    ],
    ids=["squares", "absolute", "dart", "parallel", "pruned"],
)
def test_regressors_say_the_same(options):
    X, y = make_regression(200, 6, random_state=0)
    X = with_gaps(X)
    theirs = xgboost.XGBRegressor(**{**SMALL, **options}).fit(X, y)
    rows = rows_at_cuts(theirs.get_booster(), X)
    assert_close(from_xgboost(theirs).predict(rows), theirs.predict(rows))


def test_importances_are_theirs_and_rows_can_tell_cuts():
    """Rows a float32 below their place, which `<=` instead of `<` would amount to, are noticed."""
    X, y = make_regression(200, 6, random_state=0)
    theirs = xgboost.XGBRegressor(**SMALL).fit(X, y)
    rows = rows_at_cuts(theirs.get_booster(), X)
    below = np.nextafter(rows.astype(np.float32), np.float32(-np.inf))
    expected = theirs.predict(rows)
    ours = from_xgboost(theirs)
    assert np.abs(ours.predict(below.astype(float)) - expected).max() > 0.1
    gain = theirs.get_booster().get_score(importance_type="total_gain")
    shares = np.array([gain[f"f{k}"] for k in range(6)]) / sum(gain.values())
    assert np.allclose(ours.feature_importances_, shares, rtol=1e-5)


def test_trees_of_a_random_forest_are_members():
    X, y = make_regression(200, 6, random_state=0)
    theirs = xgboost.XGBRFRegressor(**SMALL, random_state=0).fit(X, y)
    ours = from_xgboost(theirs)
    rows = rows_at_cuts(theirs.get_booster(), X)
    assert_close(ours.predict(rows), theirs.predict(rows))
    assert ours.forest_.n_members == SMALL["n_estimators"]
    assert np.ptp(ours.predict_interval(X, kind="mean"), axis=1).min() > 0.0


def test_shapley_values_are_theirs():
    X, y = make_regression(200, 6, random_state=0)
    X = with_gaps(X)
    theirs = xgboost.XGBRegressor(**SMALL).fit(X, y)
    expected = theirs.get_booster().predict(xgboost.DMatrix(X[:20]), pred_contribs=True)
    found = from_xgboost(theirs).shap_values(X[:20])
    assert_close(found.values, expected[:, :-1])
    assert_close(found.base_values, expected[:, -1])


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_several_responses(strategy):
    X, y = make_regression(200, 6, n_targets=3, random_state=0)
    theirs = xgboost.XGBRegressor(**SMALL, multi_strategy=strategy).fit(X, y)
    rows = rows_at_cuts(theirs.get_booster(), X)
    assert_close(from_xgboost(theirs).predict(rows), theirs.predict(rows))


def test_boosters_and_early_stopping():
    X, y = make_classification(300, 6, flip_y=0.3, random_state=0)
    options = {**SMALL, "n_estimators": 50, "learning_rate": 1.0, "early_stopping_rounds": 2}
    theirs = xgboost.XGBClassifier(**options)
    theirs.fit(X[:150], y[:150], eval_set=[(X[150:], y[150:])], verbose=False)
    booster = theirs.get_booster()
    assert theirs.best_iteration + 1 < booster.num_boosted_rounds()
    assert_close(from_xgboost(theirs).predict_proba(X), theirs.predict_proba(X))
    # A booster is asked for all of its trees.
    expected = booster.predict(xgboost.DMatrix(X))
    assert_close(from_xgboost(booster).predict_proba(X)[:, 1], expected)


def kinds(n_rows=300, **columns):
    rng = np.random.default_rng(1)
    names = [f"kind {i:02}" for i in rng.permutation(70)]
    found = {
        "size": rng.normal(size=n_rows),
        "kind": pandas.Categorical(rng.choice(names[:-1], n_rows), categories=names),
        "sex": pandas.Categorical(rng.choice(["m", "f", None], n_rows), categories=["m", "f"]),
        "code": pandas.Categorical(rng.choice([9, 7, 1], n_rows), categories=[9, 7, 1]),
    }
    X = pandas.DataFrame({**found, **columns})
    y = X["size"] + X["kind"].cat.codes % 5 + (X["sex"] == "f") + 2.0 * (X["code"] == 7)
    return X, y.to_numpy()


@pytest.mark.parametrize("max_cat_to_onehot", [1, 100])
def test_categories_go_where_theirs_go(max_cat_to_onehot):
    X, y = kinds()
    theirs = xgboost.XGBRegressor(**SMALL, max_cat_to_onehot=max_cat_to_onehot).fit(X, y)
    ours = from_xgboost(theirs)
    used = {k for t in plain_trees(theirs.get_booster()) for k in t["categories_nodes"]}
    assert used
    missing = X.copy()
    for column in X:
        missing.loc[::2, column] = None
    rows = pandas.concat([X, missing], ignore_index=True).astype(X.dtypes)
    assert_close(ours.predict(rows), theirs.predict(rows))
    assert ours.schema_.columns[3].levels == (1, 7, 9)
    words = rows.assign(kind=rows["kind"].astype(object), sex=rows["sex"].astype(object))
    assert (ours.predict(words) == ours.predict(rows)).all()
    file = io.BytesIO()
    ours.save(file)
    file.seek(0)
    assert (load(file).predict(rows) == ours.predict(rows)).all()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"objective": "count:poisson"}, "the objective 'count:poisson'"),
        ({"objective": "reg:logistic"}, "the objective 'reg:logistic'"),
        ({"booster": "gblinear", "max_depth": None}, "booster='gblinear'"),
        ({"missing": 0.0}, "missing=0.0"),
        ({"objective": lambda y, p: (p - y, np.ones_like(y))}, "an objective of its own"),
    ],
    ids=["counts", "shares", "linear", "missing", "own"],
)
def test_what_is_no_sum_of_trees_is_refused(options, what):
    X, y = make_regression(100, 3, random_state=0)
    theirs = xgboost.XGBRegressor(**{**SMALL, **options}).fit(X, np.abs(y) / np.abs(y).max())
    with pytest.raises(BayeswoodError, match=what):
        from_xgboost(theirs)


def test_categories_without_names_are_refused():
    X, y = make_regression(100, 3, random_state=0)
    X[:, 0] = np.arange(100) % 7
    rows = xgboost.DMatrix(X, y, feature_types=["c", "q", "q"], enable_categorical=True)
    with pytest.raises(BayeswoodError, match=r"does not keep the names\. Fit it to a data frame"):
        from_xgboost(xgboost.train({"max_depth": 2}, rows, 3))
    table, y = kinds(sex=pandas.Categorical(["é", "b"] * 150))
    with pytest.raises(BayeswoodError, match="beyond ASCII"):
        from_xgboost(xgboost.XGBRegressor(**SMALL).fit(table, y))


def test_what_is_no_model_is_refused():
    with pytest.raises(BayeswoodError, match="Got int instead"):
        from_xgboost(3)
    with pytest.raises(BayeswoodError, match="Got XGBRanker instead"):
        from_xgboost(xgboost.XGBRanker())
    with pytest.raises(NotFittedError):
        from_xgboost(xgboost.XGBClassifier())
    X, y = make_classification(100, 4, random_state=0)
    theirs = xgboost.XGBClassifier(**SMALL).fit(X, np.column_stack([y, 1 - y]))
    with pytest.raises(BayeswoodError, match="several labels"):
        from_xgboost(theirs)
