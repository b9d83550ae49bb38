"""What every estimator must do, on small data."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    Forest,
    RandomForestClassifier,
    RandomForestRegressor,
)

CLASSIFIERS = [BayesianForestClassifier, RandomForestClassifier, CalibratedForestClassifier]
REGRESSORS = [BayesianForestRegressor, RandomForestRegressor, CalibratedForestRegressor]
ALL = CLASSIFIERS + REGRESSORS


# What makes a calibrated forest speak as its members do.
UNCALIBRATED = {
    CalibratedForestClassifier: {"calibration": None},
    CalibratedForestRegressor: {"interval": "leaves"},
}

# Some of these forests are too small to be calibrated, and say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:No training row was left out:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*calibration rows cannot promise:UserWarning"),
]


def data_for(cls):
    """Rows and response for an estimator class."""
    if cls in CLASSIFIERS:
        X, y = load_iris(return_X_y=True)
        return X, np.array(["setosa", "versicolor", "virginica"])[y]
    return make_friedman1(n_samples=120, random_state=3)


def assert_same_trees(first, second):
    """Every array of the two forests is equal, to the bit."""
    arrays, others = first.forest_.to_arrays(), second.forest_.to_arrays()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name])


def fitted(cls, **parameters):
    """A small fitted estimator and its data."""
    X, y = data_for(cls)
    return cls(**{"n_estimators": 12, "random_state": 1, **parameters}).fit(X, y), X, y


@pytest.mark.parametrize("cls", ALL)
def test_prediction_is_the_weighted_mean_of_the_draws(cls):
    model, X, _ = fitted(cls, **UNCALIBRATED.get(cls, {}))
    draws = model.predict_draws(X)
    mean = np.tensordot(model.member_weights_, draws, axes=1)
    found = model.predict_proba(X) if cls in CLASSIFIERS else model.predict(X)
    np.testing.assert_allclose(found, mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(model.member_weights_.sum(), 1.0)
    assert draws.shape[:2] == (12, len(X))


@pytest.mark.parametrize("cls", ALL)
def test_it_learns(cls):
    model, X, y = fitted(cls, n_estimators=40)
    score = cross_val_score(clone(model), X, y, cv=3).mean()
    # Over seeds .96 ± .005 and .59 ± .02: a false alarm is beyond six standard deviations.
    assert score > (0.9 if cls in CLASSIFIERS else 0.45)


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


@pytest.mark.parametrize("cls", ALL)
def test_more_trees_keep_the_first_ones(cls):
    # The threshold depends on the number of trees unless it is given.
    given = {"weight_threshold": 0.4} if cls in UNCALIBRATED else {}
    model, X, _ = fitted(cls, **given)
    larger, _, _ = fitted(cls, n_estimators=15, **given)
    np.testing.assert_array_equal(larger.apply(X)[:, :12], model.apply(X))
    np.testing.assert_array_equal(larger.predict_draws(X)[:12], model.predict_draws(X))


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
    assert leaves.shape == (len(X), 12)
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
        assert tree.weight[tree.feature == -1].min() >= 0.2 * tree.weight[0] * (1 - 1e-6)


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


@pytest.mark.parametrize("cls", ALL)
def test_uncertainty_adds_up(cls):
    model, X, _ = fitted(cls)
    split = model.uncertainty(X)
    np.testing.assert_allclose(split.total, split.data + split.knowledge, rtol=1e-12)
    for part in split:
        assert part.shape == (len(X),)
        assert (part >= 0).all()
        assert np.isfinite(part).all()
    assert split._fields == ("total", "data", "knowledge")


@pytest.mark.parametrize("cls", REGRESSORS)
def test_intervals_of_the_response_hold_more_than_those_of_the_mean(cls):
    model, X, y = fitted(cls, n_estimators=60, min_samples_leaf=5)
    of_y = model.predict_interval(X, coverage=0.9)
    of_mean = model.predict_interval(X, coverage=0.9, kind="mean")
    assert of_y.shape == of_mean.shape == (len(X), 2)
    widths = np.diff(of_y)[:, 0], np.diff(of_mean)[:, 0]
    assert widths[0].mean() > widths[1].mean()
    covered = (of_y[:, 0] <= y) & (y <= of_y[:, 1])
    assert covered.mean() > 0.9


@pytest.mark.parametrize("cls", REGRESSORS)
def test_quantiles_are_monotone_and_shaped(cls):
    model, X, y = fitted(cls, **UNCALIBRATED.get(cls, {}))
    levels = np.linspace(0, 1, 21)
    for kind in ("prediction", "mean"):
        many = model.predict_quantiles(X, levels, kind=kind)
        assert many.shape == (len(X), 21)
        assert (np.diff(many, axis=1) >= 0).all()
        np.testing.assert_array_equal(model.predict_quantiles(X, 0.5, kind=kind), many[:, 10])
    assert np.isin(model.predict_quantiles(X, 0.3), y).all()


@pytest.mark.parametrize("cls", REGRESSORS)
def test_variances_follow_from_the_split(cls):
    model, X, _ = fitted(cls, **UNCALIBRATED.get(cls, {}))
    split = model.uncertainty(X)
    np.testing.assert_array_equal(model.predict_var(X), split.total)
    np.testing.assert_array_equal(model.predict_var(X, kind="mean"), split.knowledge)
    np.testing.assert_allclose(split.knowledge, model.predict_draws(X).var(axis=0), atol=1e-12)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_several_responses(cls):
    X, y = data_for(cls)
    both = np.c_[y, -2.0 * y]
    model = cls(n_estimators=8, random_state=0).fit(X, both)
    assert model.n_outputs_ == 2
    assert model.predict(X).shape == (len(X), 2)
    assert model.predict_draws(X).shape == (8, len(X), 2)
    assert model.predict_interval(X).shape == (len(X), 2, 2)
    assert model.predict_quantiles(X, [0.1, 0.5, 0.9]).shape == (len(X), 2, 3)
    assert model.predict_quantiles(X, 0.5, kind="mean").shape == (len(X), 2)
    assert model.predict_var(X).shape == (len(X), 2)
    assert model.uncertainty(X).data.shape == (len(X), 2)
    np.testing.assert_allclose(model.predict(X)[:, 1], -2.0 * model.predict(X)[:, 0])
    np.testing.assert_allclose(model.predict_var(X)[:, 1], 4.0 * model.predict_var(X)[:, 0])
    column = cls(n_estimators=2, random_state=0).fit(X, y[:, None])
    assert column.predict(X).shape == (len(X), 1)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_without_responses_only_the_mean_has_a_spread(cls):
    model, X, _ = fitted(cls, keep_responses=False, **UNCALIBRATED.get(cls, {}))
    assert not model.forest_.has_rows
    assert model.predict_interval(X, kind="mean").shape == (len(X), 2)
    assert model.predict_var(X, kind="mean").shape == (len(X),)
    for ask in (
        model.predict_interval,
        model.predict_var,
        model.uncertainty,
        lambda rows: model.predict_quantiles(rows, 0.5),
    ):
        with pytest.raises(BayeswoodError, match="keep_responses=True"):
            ask(X)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_dropping_responses_leaves_the_trees_alone(cls):
    model, X, _ = fitted(cls)
    without, _, _ = fitted(cls, keep_responses=False)
    np.testing.assert_array_equal(model.predict_draws(X), without.predict_draws(X))


@pytest.mark.parametrize("cls", REGRESSORS)
def test_a_constant_response_has_no_variance(cls):
    X, _ = data_for(cls)
    model = cls(n_estimators=4).fit(X, np.full(len(X), 0.1))
    np.testing.assert_allclose(model.predict(X), 0.1)
    np.testing.assert_allclose(model.predict_var(X), 0.0, atol=1e-30)
    assert (model.predict_var(X) >= 0).all()


@pytest.mark.parametrize("cls", ALL)
def test_blocks_of_rows_change_nothing(cls, monkeypatch):
    model, X, _ = fitted(cls)
    interval, split = model.predict_interval(X, kind="mean"), model.uncertainty(X)
    held = []
    ask = Forest.draws
    monkeypatch.setattr("bayeswood.uncertainty.intervals.BLOCK_BYTES", 1000)
    monkeypatch.setattr(
        Forest, "draws", lambda *args: (draws := ask(*args), held.append(draws.nbytes))[0]
    )
    np.testing.assert_array_equal(model.predict_interval(X, kind="mean"), interval)
    for part, whole in zip(model.uncertainty(X), split, strict=True):
        np.testing.assert_allclose(part, whole, rtol=1e-12, atol=1e-15)
    assert max(held) <= 1000
    assert len(held) > 10
