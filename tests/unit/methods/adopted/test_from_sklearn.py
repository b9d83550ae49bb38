"""Forests of scikit-learn, taken over: the same predictions, and what else can be asked."""

import io

import numpy as np
import pytest
from sklearn import ensemble, tree
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression

from bayeswood import BayeswoodError, UncertaintyEnvelope, from_sklearn, load

CLASSIFIERS = [
    ensemble.RandomForestClassifier(n_estimators=12, random_state=0),
    ensemble.ExtraTreesClassifier(n_estimators=12, random_state=0),
    tree.DecisionTreeClassifier(max_depth=5, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=12, random_state=0),
    ensemble.HistGradientBoostingClassifier(max_iter=12, random_state=0),
]
REGRESSORS = [
    ensemble.RandomForestRegressor(n_estimators=12, random_state=0),
    ensemble.ExtraTreesRegressor(n_estimators=12, random_state=0),
    tree.ExtraTreeRegressor(random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=12, random_state=0),
    ensemble.HistGradientBoostingRegressor(max_iter=12, random_state=0),
]


def name(model):
    return type(model).__name__


def thresholds(model):
    """The cuts of all trees, and their features."""
    if hasattr(model, "_predictors"):
        nodes = np.concatenate([one.nodes for stage in model._predictors for one in stage])
        splits = nodes[nodes["is_leaf"] == 0]
        return splits["feature_idx"], splits["num_threshold"]
    flat = np.ravel(getattr(model, "estimators_", [model]))
    trees = [one.tree_ for one in flat]
    feature = np.concatenate([t.feature for t in trees])
    cut = np.concatenate([t.threshold for t in trees])
    return feature[feature >= 0], cut[feature >= 0]


def rows_at_thresholds(model, X):
    """Rows whose value lies on a cut, next to it in float64 and float32, and half-way between."""
    feature, cut = thresholds(model)
    single = cut.astype(np.float32)
    after = np.nextafter(single, np.float32(np.inf)).astype(np.float64)
    before = np.nextafter(single, np.float32(-np.inf)).astype(np.float64)
    places = [
        cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf), single, before, after,
        (single + after) / 2, np.nextafter((single + after) / 2, np.inf), (single + before) / 2,
    ]  # fmt: skip
    blocks = []
    for values in places:
        rows = X[np.arange(len(cut)) % len(X)].copy()
        rows[np.arange(len(cut)), feature] = values
        blocks.append(rows)
    return np.concatenate(blocks)


@pytest.fixture(scope="module", params=[2, 3], ids=["two classes", "three classes"])
def classes(request):
    X, y = make_classification(150, 6, n_informative=4, n_classes=request.param, random_state=1)
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def numbers():
    return make_regression(150, 6, noise=3.0, random_state=1)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name)
def test_classifiers_say_the_same(model, classes):
    X, y = classes
    theirs = model.fit(X, y)
    ours = from_sklearn(theirs)
    for rows in (X, rows_at_thresholds(theirs, X)):
        assert np.abs(ours.predict_proba(rows) - theirs.predict_proba(rows)).max() < 1e-12
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.classes_.tolist() == theirs.classes_.tolist()


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
def test_regressors_say_the_same(model, numbers):
    X, y = numbers
    theirs = model.fit(X, y)
    ours = from_sklearn(theirs)
    for rows in (X, rows_at_thresholds(theirs, X)):
        expected = theirs.predict(rows)
        assert np.abs(ours.predict(rows) - expected).max() < 1e-12 * np.abs(expected).max()


def test_cuts_as_they_are_would_send_rows_the_other_way(numbers):
    """The rows at the cuts can tell: comparing float64 with scikit-learn's own cuts fails."""
    X, y = numbers
    theirs = REGRESSORS[1].fit(X, y)
    rows = rows_at_thresholds(theirs, X)
    feature, cut = thresholds(theirs)
    row = np.arange(len(rows))
    of_cut = row % len(cut)
    value = rows[row, feature[of_cut]]
    assert ((value <= cut[of_cut]) != (value.astype(np.float32) <= cut[of_cut])).any()


def test_several_responses_and_missing_values():
    rng = np.random.default_rng(0)
    X, y = make_regression(200, 5, n_targets=3, random_state=2)
    X[rng.random(X.shape) < 0.2] = np.nan
    theirs = ensemble.RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y)
    ours = from_sklearn(theirs)
    assert ours.predict(X).shape == (200, 3)
    assert np.abs(ours.predict(X) - theirs.predict(X)).max() < 1e-10
    assert ours.predict_interval(X, kind="mean").shape == (200, 3, 2)


def test_missing_values_in_histograms():
    rng = np.random.default_rng(0)
    X, y = make_regression(200, 5, random_state=2)
    X[rng.random(X.shape) < 0.2] = np.nan
    theirs = ensemble.HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(X, y)
    assert np.abs(from_sklearn(theirs).predict(X) - theirs.predict(X)).max() < 1e-10


def test_exponential_loss_halves_the_log_odds(classes):
    X, y = classes
    y = np.where(y == "c", "b", y)
    theirs = ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=9).fit(X, y)
    assert np.abs(from_sklearn(theirs).predict_proba(X) - theirs.predict_proba(X)).max() < 1e-12


def test_names_come_with_the_forest(classes):
    pandas = pytest.importorskip("pandas")
    X, y = classes
    table = pandas.DataFrame(X, columns=list("abcdef"))
    theirs = ensemble.GradientBoostingClassifier(n_estimators=5).fit(table, y)
    ours = from_sklearn(theirs)
    assert ours.feature_names_in_.tolist() == list("abcdef")
    assert np.abs(ours.predict_proba(table) - theirs.predict_proba(table)).max() < 1e-12


@pytest.mark.parametrize("model", [CLASSIFIERS[0], CLASSIFIERS[3]], ids=name)
def test_files_keep_an_adopted_classifier(model, classes):
    X, y = classes
    ours = from_sklearn(model.fit(X, y))
    file = io.BytesIO()
    ours.save(file)
    file.seek(0)
    again = load(file)
    assert (again.predict_proba(X) == ours.predict_proba(X)).all()
    assert again.source == f"sklearn's {name(model)}"
    assert np.allclose(again.feature_importances_.sum(), 1.0)


def test_importances_are_theirs(numbers):
    X, y = numbers
    theirs = REGRESSORS[0].fit(X, y)
    assert np.allclose(from_sklearn(theirs).feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize("model", [CLASSIFIERS[0], CLASSIFIERS[3]], ids=name)
def test_the_rest_of_the_house_takes_it(model, classes):
    X, y = classes
    ours = from_sklearn(model.fit(X, y))
    found = ours.shap_values(X[:4])
    assert np.abs(
        found.base_values + found.values.sum(axis=1) - ours.predict_proba(X[:4])
    ).max() < 1e-9  # fmt: skip
    parts = ours.uncertainty(X)
    assert np.allclose(parts.total, parts.data + parts.knowledge)
    ends = ours.predict_interval(X)
    assert (ends[..., 0] <= ours.predict_proba(X)).all()
    result = UncertaintyEnvelope().assess(ours, X, y)
    assert np.isclose(result.confident_correct + result.uncertain + result.confident_incorrect, 1.0)


def test_what_needs_training_rows_is_refused(numbers):
    X, y = numbers
    ours = from_sklearn(REGRESSORS[0].fit(X, y))
    with pytest.raises(BayeswoodError, match="training responses, which an adopted forest"):
        ours.predict_interval(X)
    with pytest.raises(BayeswoodError, match=r"AdoptedRegressor.support needs a sample"):
        ours.support(X)
    with pytest.raises(BayeswoodError, match="the trees come from sklearn's RandomForestRegressor"):
        ours.fit(X, y)
    assert (ours.predict(X[:3]) == ours.predict(X)[:3]).all()


def test_what_is_no_forest_is_refused(classes):
    X, y = classes
    with pytest.raises(BayeswoodError, match="Got LogisticRegression instead"):
        from_sklearn(LogisticRegression())
    twice = np.column_stack([y, y])
    with pytest.raises(BayeswoodError, match="Got one of 2 responses"):
        from_sklearn(ensemble.RandomForestClassifier(n_estimators=2).fit(X, twice))
    counts = ensemble.HistGradientBoostingRegressor(max_iter=2, loss="poisson")
    with pytest.raises(BayeswoodError, match="whose sums are its logarithm"):
        from_sklearn(counts.fit(X, np.abs(X[:, 0])))
    kinds = ensemble.HistGradientBoostingRegressor(max_iter=2, categorical_features=[0])
    with pytest.raises(BayeswoodError, match="Got one with categories"):
        from_sklearn(kinds.fit(np.round(np.abs(X)), X[:, 0]))
    odd = ensemble.GradientBoostingClassifier(n_estimators=2, init=LogisticRegression())
    with pytest.raises(BayeswoodError, match="starts from a constant"):
        from_sklearn(odd.fit(X, y))
