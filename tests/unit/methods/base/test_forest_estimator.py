"""What every estimator must do, on small data."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from forest_estimator_cases import (
    ALL,
    CLASSIFIERS,
    TRUNKED,
    UNCALIBRATED,
    assert_same_trees,
    data_for,
    fitted,
    n_members,
)
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayeswood import (
    BayesianForestRegressor,
    CalibratedForestRegressor,
    EmpiricalBayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

# Some of these forests are too small to be calibrated, and say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:No training row was left out:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*calibration rows cannot promise:UserWarning"),
]


@pytest.mark.parametrize("cls", ALL)
def test_prediction_is_the_weighted_mean_of_the_draws(cls):
    model, X, _ = fitted(cls, **UNCALIBRATED.get(cls, {}))
    draws = model.predict_draws(X)
    mean = np.tensordot(model.member_weights_, draws, axes=1)
    found = model.predict_proba(X) if cls in CLASSIFIERS else model.predict(X)
    np.testing.assert_allclose(found, mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(model.member_weights_.sum(), 1.0)
    assert draws.shape[:2] == (n_members(cls, 12), len(X))


@pytest.mark.parametrize("cls", ALL)
def test_it_learns(cls):
    model, X, y = fitted(cls, n_estimators=40)
    score = cross_val_score(clone(model), X, y, cv=3).mean()
    # Over seeds .96 ± .005 and .59 ± .02: a false alarm is beyond six standard deviations.
    # A trunk of five leaves over 80 rows costs some of the latter: .34 ± .016.
    least = 0.24 if cls is EmpiricalBayesianForestRegressor else 0.45
    assert score > (0.9 if cls in CLASSIFIERS else least)


@pytest.mark.parametrize("cls", ALL)
def test_same_seed_same_forest_and_any_number_of_jobs(cls):
    model, X, y = fitted(cls)
    for n_jobs in (1, 2, 3):
        assert_same_trees(clone(model).set_params(n_jobs=n_jobs).fit(X, y), model)
    other = clone(model).set_params(random_state=2).fit(X, y)
    assert not np.array_equal(other.feature_importances_, model.feature_importances_)


def test_threads_follow_joblib():
    model = BayesianForestRegressor()
    assert model._threads() == 1
    with joblib.parallel_config("threading", n_jobs=3):
        assert model._threads() == 3
    assert model.set_params(n_jobs=2)._threads() == 2
    assert model.set_params(n_jobs=-1)._threads() == joblib.cpu_count()


@pytest.mark.parametrize("cls", [cls for cls in ALL if cls is not CalibratedForestRegressor])
def test_more_trees_keep_the_first_ones(cls):
    # The threshold depends on the number of trees unless it is given, shrinkage on all of them.
    given = {"weight_threshold": 0.4} if cls in UNCALIBRATED else {}
    if "leaf_shrinkage" in cls().get_params():
        given["leaf_shrinkage"] = 0
    model, X, _ = fitted(cls, **given)
    larger, _, _ = fitted(cls, n_estimators=15, **given)
    np.testing.assert_array_equal(larger.apply(X)[:, :12], model.apply(X))
    rows = model._encode(X)
    np.testing.assert_array_equal(larger.forest_.draws(rows)[:12], model.forest_.draws(rows))


@pytest.mark.parametrize("cls", ALL)
def test_random_state_may_be_a_generator(cls):
    X, y = data_for(cls)
    pairs = [
        cls(n_estimators=2, random_state=np.random.default_rng(5)).fit(X, y).seed_ for _ in "ab"
    ]
    assert pairs[0] == pairs[1]
    generator = np.random.default_rng(5)
    seeds = {cls(n_estimators=2, random_state=generator).fit(X, y).seed_ for _ in "abc"}
    assert len(seeds) == 3
    legacy = [
        cls(n_estimators=2, random_state=np.random.RandomState(0)).fit(X, y).seed_ for _ in "ab"
    ]
    assert legacy[0] == legacy[1]
    assert 0 <= legacy[0] < 2**64


@pytest.mark.parametrize("cls", ALL)
def test_no_random_state_differs_between_fits(cls):
    X, y = data_for(cls)
    assert cls(n_estimators=1).fit(X, y).seed_ != cls(n_estimators=1).fit(X, y).seed_


@pytest.mark.parametrize("cls", ALL)
def test_zero_weight_is_absence_to_the_bit(cls, rng):
    X, y = data_for(cls)
    weight = rng.exponential(size=len(X))
    weight[rng.choice(len(X), 30, replace=False)] = 0.0
    kept = weight > 0
    model = cls(n_estimators=5, random_state=0)
    with_zeros = clone(model).fit(X, y, weight)
    without = clone(model).fit(X[kept], y[kept], weight[kept])
    assert_same_trees(with_zeros, without)


@pytest.mark.parametrize("cls", ALL)
def test_unit_weights_change_nothing(cls):
    X, y = data_for(cls)
    model = cls(n_estimators=5, random_state=0)
    assert_same_trees(clone(model).fit(X, y, np.ones(len(X))), clone(model).fit(X, y))


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("exponent", [-1020, -200, -3, 5, 200, 1010])
def test_only_ratios_of_weights_matter(cls, exponent, tmp_path, rng):
    X, y = data_for(cls)
    weight = rng.uniform(0.5, 1.0, size=len(X))
    model = cls(n_estimators=3, random_state=0)
    plain = clone(model).fit(X, y, weight)
    scaled = clone(model).fit(X, y, np.ldexp(weight, exponent))
    np.testing.assert_array_equal(scaled.apply(X), plain.apply(X))
    np.testing.assert_array_equal(scaled.predict_draws(X), plain.predict_draws(X))
    scaled.save(tmp_path / "model.bw")


@pytest.mark.parametrize("cls", ALL)
def test_importances_and_their_spread(cls):
    model, X, _ = fitted(cls)
    assert model.feature_importances_.shape == (X.shape[1],)
    assert model.feature_importances_std_.shape == (X.shape[1],)
    np.testing.assert_allclose(model.feature_importances_.sum(), 1.0)
    assert (model.feature_importances_ >= 0).all()
    assert (model.feature_importances_std_ >= 0).all()
    # The petals of irises, the first five features of Friedman's function. Over seeds the sums are
    # at least four standard deviations above one half.
    informative = slice(2, 4) if cls in CLASSIFIERS else slice(0, 5)
    assert model.feature_importances_[informative].sum() > 0.5


@pytest.mark.parametrize("cls", ALL)
def test_importances_of_constant_features_are_zero(cls):
    _, y = data_for(cls)
    model = cls(n_estimators=3).fit(np.ones((len(y), 2)), y)
    np.testing.assert_array_equal(model.feature_importances_, 0.0)
    np.testing.assert_array_equal(model.feature_importances_std_, 0.0)
    assert all(tree.n_leaves == 1 for tree in model.forest_.trees)


@pytest.mark.parametrize("cls", ALL)
def test_apply_names_leaves(cls):
    model, X, _ = fitted(cls)
    leaves = model.apply(X)
    assert leaves.shape == (len(X), model.forest_.n_trees)
    assert model.forest_.n_members == n_members(cls, 12)
    for i, tree in enumerate(model.forest_.trees):
        assert (tree.feature[leaves[:, i]] == -1).all()
        assert set(leaves[:, i]) <= set(np.flatnonzero(tree.feature == -1))


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_predict_the_same(cls, again):
    model, X, _ = fitted(cls)
    model.uncertainty(X)
    copied = again(model)
    np.testing.assert_array_equal(copied.predict_draws(X), model.predict_draws(X))
    np.testing.assert_array_equal(copied.predict_interval(X), model.predict_interval(X))
    np.testing.assert_array_equal(copied.uncertainty(X).total, model.uncertainty(X).total)


@pytest.mark.parametrize("cls", ALL)
def test_pipelines_and_grid_search(cls):
    X, y = data_for(cls)
    pipeline = make_pipeline(StandardScaler(), cls(n_estimators=20, random_state=0))
    name = cls.__name__.lower()
    # A leaf of 60 of at most 75 rows leaves no room for a split.
    search = GridSearchCV(pipeline, {f"{name}__min_samples_leaf": [60, 2]}, cv=2).fit(X, y)
    assert search.best_params_[f"{name}__min_samples_leaf"] == 2


@pytest.mark.parametrize("cls", ALL)
def test_read_only_and_strided_inputs(cls):
    model, X, y = fitted(cls)
    frozen = X.copy()
    frozen.flags.writeable = False
    wide = np.zeros((2 * len(X), 2 * X.shape[1]))
    wide[::2, ::2] = X
    for other in (frozen, np.asfortranarray(X), wide[::2, ::2]):
        again = clone(model).fit(other, y)
        assert_same_trees(again, model)
        np.testing.assert_array_equal(again.predict_draws(other), model.predict_draws(X))


@pytest.mark.parametrize("cls", ALL)
def test_one_and_two_rows(cls):
    X, y = data_for(cls)
    for n_rows in (1, 2):
        model = cls(n_estimators=3, random_state=0).fit(X[:n_rows], y[:n_rows])
        assert model.predict(X[:5]).shape == (5,)
        assert np.isfinite(model.uncertainty(X[:5]).total).all()
        assert np.isfinite(model.predict_interval(X[:5])).all()
    np.testing.assert_array_equal(cls(n_estimators=3).fit(X[:1], y[:1]).predict(X[:1]), y[:1])


@pytest.mark.parametrize("cls", ALL)
def test_missing_values_at_fit_and_at_predict(cls, rng):
    X, y = data_for(cls)
    holes = np.where(rng.uniform(size=X.shape) < 0.2, np.nan, X)
    model = cls(n_estimators=20, random_state=0).fit(holes, y)
    assert model.score(holes, y) > 0.6
    complete = cls(n_estimators=5, random_state=0).fit(X, y)
    assert len(complete.predict(np.full((2, X.shape[1]), np.nan))) == 2


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    "method",
    ["predict", "predict_draws", "predict_interval", "uncertainty", "apply"],
)
def test_unfitted_estimators_say_so(cls, method):
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
        getattr(cls(), method)(np.zeros((1, 4)))


@pytest.mark.parametrize("cls", ALL)
def test_unfitted_attributes_say_so(cls, tmp_path):
    for name in ("feature_importances_", "feature_importances_std_", "member_weights_"):
        assert not hasattr(cls(), name)
    with pytest.raises(NotFittedError):
        cls().save(tmp_path / "model.bw")


@pytest.mark.parametrize("cls", ALL)
def test_a_failed_fit_leaves_nothing_behind(cls, monkeypatch):
    model, X, y = fitted(cls)

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayeswood._core.grow_forest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert not [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]


@pytest.mark.parametrize("cls", ALL)
def test_depth_and_leaf_limits_hold(cls):
    model, X, _ = fitted(cls, max_depth=3)
    assert model.forest_.depths.max() <= 3
    model, X, _ = fitted(cls, min_samples_leaf=9)
    for tree in model.forest_.trees:
        assert tree.n_samples[tree.feature == -1].min() >= 9
    model, X, _ = fitted(cls, min_samples_leaf=0.1)
    assert model.min_samples_leaf_ == int(np.ceil(0.1 * len(X)))
    model, X, _ = fitted(cls, min_weight_fraction_leaf=0.2)
    for tree in model.forest_.trees:
        # A branch knows the weight of the whole tree in expectation only: .21 ± .04 over trees.
        share = 0.05 if cls in TRUNKED else 0.2
        assert tree.weight[tree.feature == -1].min() >= share * tree.weight[0] * (1 - 1e-6)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    ("max_features", "of_ten", "of_four"),
    [("sqrt", 3, 2), ("log2", 3, 2), (None, 10, 4), (2, 2, 2), (0.5, 5, 2), (0.01, 1, 1)],
)
def test_max_features_is_resolved(cls, max_features, of_ten, of_four):
    model, _, _ = fitted(cls, n_estimators=1, max_features=max_features)
    assert model.max_features_ == (of_four if cls in CLASSIFIERS else of_ten)


def test_defaults_are_those_of_the_papers():
    bayes = BayesianForestRegressor().get_params()
    assert (bayes["n_estimators"], bayes["min_samples_leaf"], bayes["max_features"]) == (
        100,
        3,
        None,
    )
    assert RandomForestClassifier().max_features == "sqrt"
    assert RandomForestRegressor().max_features == pytest.approx(1 / 3)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_classes_keep_their_type_and_order(cls):
    X, y = load_iris(return_X_y=True)
    for labels in (
        np.array(["b", "c", "a"])[y],
        np.array([7, -3, 5], dtype=np.int16)[y],
        y == 1,
        np.array(["b", "c", "a"], dtype=object)[y],
    ):
        model = cls(n_estimators=15, random_state=0).fit(X, labels)
        np.testing.assert_array_equal(model.classes_, np.unique(labels))
        assert model.predict(X).dtype == labels.dtype
        assert np.mean(model.predict(X) == labels) > 0.95


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_probabilities_are_lawful(cls):
    model, X, _ = fitted(cls)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(X)).round(12), proba.round(12))
    best = model.classes_[proba.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X), best)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_every_criterion_grows(cls, criterion):
    model, X, y = fitted(cls, criterion=criterion)
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_one_class_is_certain(cls):
    model = cls(n_estimators=3).fit(np.arange(6.0)[:, None], ["only"] * 6)
    np.testing.assert_array_equal(model.predict_proba([[1.0]]), [[1.0]])
    assert model.predict([[9.0]])[0] == "only"
    assert all((part == 0).all() for part in model.uncertainty([[1.0]]))


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_many_classes(cls, rng):
    X = np.arange(3000.0)[:, None]
    y = np.arange(3000) // 2
    model = cls(n_estimators=2, random_state=0).fit(X, y)
    assert len(model.classes_) == model.n_classes_ == 1500
    assert model.predict_proba(X[:4]).shape == (4, 1500)
    assert model.score(X, y) > 0.3


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_intervals_of_probabilities(cls):
    model, X, _ = fitted(cls)
    interval = model.predict_interval(X, coverage=0.8)
    assert interval.shape == (len(X), 3, 2)
    assert (interval[..., 0] <= interval[..., 1]).all()
    assert (interval >= 0).all()
    assert (interval <= 1).all()
    wide = model.predict_interval(X, coverage=0.99)
    assert (wide[..., 0] <= interval[..., 0]).all()
    assert (wide[..., 1] >= interval[..., 1]).all()
    np.testing.assert_array_equal(model.predict_interval(X, 0.8, kind="prediction"), interval)
    median = model.predict_quantiles(X, 0.5)
    assert median.shape == (len(X), 3)
