"""scikit-learn's callback protocol, where the installed version has it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_friedman1

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    EmpiricalBayesianForestRegressor,
    RandomForestRegressor,
    SubsampleForestRegressor,
)

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn < 1.9 has no callbacks")


class Recorder:
    """Notes the hooks called; asks to stop after some chunks of trees."""

    def __init__(self, stop_after=None):
        self.hooks = []
        self.sizes = []
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.hooks.append("setup")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
        self.hooks.append("begin")
        self.metadata = metadata

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.hooks.append("end")
        self.sizes.append(fitted_estimator.forest_.n_trees)
        return self.stop_after is not None and len(self.sizes) >= self.stop_after

    def teardown(self, estimator, context):
        self.hooks.append("teardown")


@pytest.fixture
def data():
    return make_friedman1(n_samples=80, random_state=0)


def test_callbacks_see_the_forest_grow(data):
    X, y = data
    recorder = Recorder()
    model = BayesianForestRegressor(n_estimators=50, random_state=0)
    model.set_callbacks(recorder).fit(X, y, sample_weight=np.ones(80))
    assert recorder.hooks[0] == "setup"
    assert recorder.hooks[-1] == "teardown"
    assert recorder.hooks.count("begin") == recorder.hooks.count("end") == 21
    assert recorder.sizes[-1] == recorder.sizes[-2] == 50
    assert (np.diff(recorder.sizes[:-1]) > 0).all()
    assert "sample_weight" in recorder.metadata


@pytest.mark.parametrize(
    "cls",
    [
        BayesianForestRegressor,
        RandomForestRegressor,
        EmpiricalBayesianForestRegressor,
        SubsampleForestRegressor,
    ],
)
def test_callbacks_change_no_bit(data, cls):
    X, y = data
    model = cls(n_estimators=23, random_state=0)
    plain = clone(model).fit(X, y)
    watched = clone(model).set_callbacks(Recorder()).fit(X, y)
    np.testing.assert_array_equal(watched.predict_draws(X), plain.predict_draws(X))
    np.testing.assert_array_equal(watched.predict_interval(X), plain.predict_interval(X))
    np.testing.assert_array_equal(watched.feature_importances_, plain.feature_importances_)


def test_callbacks_may_stop_the_growing(data):
    X, y = data
    model = BayesianForestRegressor(n_estimators=40, random_state=0)
    full = clone(model).fit(X, y)
    stopped = clone(model).set_callbacks(Recorder(stop_after=3)).fit(X, y)
    assert stopped.forest_.n_trees == 6
    np.testing.assert_array_equal(stopped.predict_draws(X), full.predict_draws(X)[:6])
    assert stopped.predict_interval(X).shape == (80, 2)


def test_a_failing_callback_leaves_the_estimator_unfitted(data):
    class Failing(Recorder):
        def on_fit_task_end(self, estimator, context):
            raise RuntimeError("no more")

    X, y = data
    recorder = Failing()
    model = BayesianForestRegressor(n_estimators=4).set_callbacks(recorder)
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(X, y)
    assert recorder.hooks[-1] == "teardown"
    assert not hasattr(model, "forest_")


def test_scikit_learns_own_progress_bar_works(data, capsys):
    X, y = data
    model = BayesianForestClassifier(n_estimators=5).set_callbacks(callback.ProgressBar())
    model.fit(X, y > y.mean())
    assert model.forest_.n_trees == 5


def test_fitting_leaves_no_context_behind(data):
    X, y = data
    model = BayesianForestRegressor(n_estimators=3).set_callbacks(Recorder()).fit(X, y)
    assert not hasattr(model, "_callback_fit_ctx")
