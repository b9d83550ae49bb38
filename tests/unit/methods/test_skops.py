"""skops holds a model, and a pipeline around one, without pickle; what it loads is checked."""

import copy
import pickle
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import bayeswood
from bayeswood import BayeswoodError, trusted_types
from bayeswood.methods.registry import ESTIMATORS


@pytest.fixture(scope="module", autouse=True)
def skops():
    return pytest.importorskip("skops.io")


N = 60
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {"size": RNG.normal(size=N), "age": RNG.normal(size=N), "town": ["a", "b"] * 30}
)
Y = TABLE["size"].to_numpy() + RNG.normal(size=N)


def target(kind):
    return Y if kind.__name__.endswith("Regressor") else np.where(Y > 0, "yes", "no")


def pipeline():
    columns = make_column_transformer(
        (StandardScaler(), ["size", "age"]), (OneHotEncoder(sparse_output=False), ["town"])
    )
    return make_pipeline(columns, bayeswood.BayesianForestRegressor(n_estimators=5, random_state=0))


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (bayeswood.RandomForestClassifier, {"n_estimators": 5}),
        (bayeswood.CalibratedForestRegressor, {"n_estimators": 10}),
        (bayeswood.SafeBayesForestClassifier, {"n_estimators": 5, "depth": 3}),
        (bayeswood.BARTRegressor, {"n_estimators": 5, "n_chains": 1, "n_burn_in": 5, "n_draws": 8}),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")  # so few draws
def test_skops_trusts_one_class_and_gets_the_same_model(skops, kind, settings):
    model = kind(random_state=0, n_jobs=1, **settings).fit(TABLE, target(kind))
    stored = skops.dumps(model)
    assert skops.get_untrusted_types(data=stored) == [f"{kind.__module__}.{kind.__name__}"]
    again = skops.loads(stored, trusted=trusted_types())
    for other in (again, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict(TABLE), model.predict(TABLE))
        assert other.get_params() == model.get_params()


def test_what_is_not_fitted_is_stored_too(skops):
    model = bayeswood.RandomForestRegressor(n_estimators=7)
    again = skops.loads(skops.dumps(model), trusted=trusted_types())
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "forest_")


def test_every_estimator_is_among_the_trusted_types():
    kinds = (*ESTIMATORS.values(), bayeswood.EnvelopeClassifier)
    assert {f"{kind.__module__}.{kind.__name__}" for kind in kinds} < set(trusted_types())


def test_envelope_with_what_is_known_of_it(skops):
    forest = bayeswood.RandomForestClassifier(n_estimators=20, random_state=0)
    model = bayeswood.EnvelopeClassifier(forest, gamma0="auto", target=0.4, random_state=0)
    model.fit(TABLE, target(type(forest)))
    again = skops.loads(skops.dumps(model), trusted=trusted_types())
    np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))
    assert again.choice_.gamma0 == model.choice_.gamma0


def test_pipeline_as_one_file_by_skops(skops, tmp_path):
    model = pipeline().fit(TABLE, Y)
    skops.dump(model, tmp_path / "model.skops")
    again = skops.load(tmp_path / "model.skops", trusted=trusted_types())
    np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))


def test_pipeline_as_two_files_the_last_of_them_ours(skops, tmp_path):
    model = pipeline().fit(TABLE, Y)
    skops.dump(model[:-1], tmp_path / "steps.skops")
    model[-1].save(tmp_path / "forest.bayeswood")
    steps = skops.load(tmp_path / "steps.skops").steps
    again = Pipeline([*steps, ("forest", bayeswood.load(tmp_path / "forest.bayeswood"))])
    np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))


def test_a_state_is_checked_like_a_file():
    model = bayeswood.RandomForestRegressor(n_estimators=2, random_state=0).fit(TABLE, Y)
    state = model.__getstate__()
    assert list(state) == ["model_file"]
    with pytest.raises(BayeswoodError):
        bayeswood.RandomForestRegressor().__setstate__({"model_file": state["model_file"][:-1]})
    with pytest.raises(BayeswoodError, match="which this version lacks"):
        bayeswood.BayesianForestRegressor().__setstate__(state)
    assert bayeswood.load(BytesIO(state["model_file"])).predict(TABLE).shape == (N,)
