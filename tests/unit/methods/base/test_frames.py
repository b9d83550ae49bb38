"""Data frames in: names, categories, missing values, and the trees' words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    SubsampleForestClassifier,
    SubsampleForestRegressor,
)

ALL = [
    BayesianForestClassifier,
    BayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    SubsampleForestClassifier,
    SubsampleForestRegressor,
]


@pytest.fixture
def columns(rng):
    """A number with holes, a category and a flag."""
    number = rng.normal(size=200)
    city = rng.choice(["Oslo", "Rome", "Lima"], size=200)
    flag = rng.uniform(size=200) < 0.5
    return {"number": number, "city": city, "flag": flag}


@pytest.fixture
def response(columns):
    """Oslo and the flag matter, the number a little."""
    return 5.0 * (columns["city"] == "Oslo") + 2.0 * columns["flag"] + 0.1 * columns["number"]


def target_for(cls, response):
    return response > 2.5 if "Classifier" in cls.__name__ else response


@pytest.mark.parametrize("cls", ALL)
def test_pandas_and_polars_give_the_same_forest(cls, columns, response):
    y = target_for(cls, response)
    frames = [
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pd.DataFrame(columns).astype({"city": "category"}),
        pl.DataFrame(columns, schema_overrides={"city": pl.Categorical}),
        pl.DataFrame(columns).to_arrow(),
    ]
    models = [cls(n_estimators=5, random_state=0).fit(frame, y) for frame in frames]
    expected = models[0].predict_draws(frames[0])
    for model, frame in zip(models, frames, strict=True):
        np.testing.assert_array_equal(model.feature_names_in_, list(columns))
        assert model.n_features_in_ == 3
        np.testing.assert_array_equal(model.predict_draws(frame), expected)
        assert model.score(frame, y) > 0.95


@pytest.mark.parametrize("cls", ALL)
def test_response_may_be_a_series(cls, columns, response):
    y = target_for(cls, response)
    frame = pd.DataFrame(columns)
    plain = cls(n_estimators=3, random_state=0).fit(frame, y)
    for series in (pd.Series(y), pl.Series(y)):
        model = cls(n_estimators=3, random_state=0).fit(frame, series)
        np.testing.assert_array_equal(model.predict_draws(frame), plain.predict_draws(frame))


@pytest.mark.parametrize("cls", ALL)
def test_unseen_levels_and_missing_values_are_predicted(cls, columns, response):
    model = cls(n_estimators=5, random_state=0).fit(
        pd.DataFrame(columns), target_for(cls, response)
    )
    strange = pd.DataFrame(
        {"number": [np.nan, 0.0], "city": [None, "Atlantis"], "flag": [True, False]}
    )
    proba = model.predict_draws(strange)
    assert np.isfinite(proba).all()


@pytest.mark.parametrize("cls", ALL)
def test_trees_speak_the_users_names(cls, columns, response):
    y = target_for(cls, response)
    y = np.where(y, "dear", "cheap") if y.dtype == bool else y
    model = cls(n_estimators=10, random_state=0).fit(pd.DataFrame(columns), y)
    text = "\n".join(tree.to_text() for tree in model.forest_.trees)
    assert "city in {" in text
    assert "Rome" in text
    assert "x0" not in text
    assert ("cheap 1.00" in text) == ("Classifier" in cls.__name__)


@pytest.mark.parametrize("cls", ALL)
def test_schema_describes_the_columns(cls, columns, response):
    model = cls(n_estimators=2).fit(pd.DataFrame(columns), target_for(cls, response))
    kinds = [column.kind for column in model.schema_.columns]
    assert kinds == ["numeric", "category", "category"]
    assert model.schema_.columns[1].levels == ("Lima", "Oslo", "Rome")


@pytest.mark.parametrize("cls", ALL)
def test_categorical_features_may_be_named(cls, rng):
    codes = rng.integers(0, 6, size=300)
    frame = pd.DataFrame({"code": codes, "noise": rng.normal(size=300)})
    y = np.isin(codes, [0, 2, 4])
    y = y if "Classifier" in cls.__name__ else y.astype(float)
    model = cls(n_estimators=5, max_depth=1, max_features=None, random_state=0)
    as_category = model.set_params(categorical_features=["code"]).fit(frame, y)
    assert as_category.score(frame, y) == 1.0


@pytest.mark.parametrize("cls", ALL)
def test_arrays_after_frames_warn(cls, columns, response):
    frame = pd.DataFrame({"number": columns["number"]})
    model = cls(n_estimators=2).fit(frame, target_for(cls, response))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.to_numpy())


@pytest.mark.parametrize("cls", ALL)
def test_weights_are_routed_through_pipelines(cls, columns, response):
    y = target_for(cls, response)
    X = columns["number"][:, None]
    weight = np.where(np.arange(200) % 2, 1.0, 0.0)
    with config_context(enable_metadata_routing=True):
        model = cls(n_estimators=3, random_state=0)
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), model)
        pipeline.fit(X, y, sample_weight=weight)
        found = cross_validate(model, X, y, cv=2, params={"sample_weight": weight})
    alone = cls(n_estimators=3, random_state=0).fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(pipeline[-1].predict_draws(X), alone.predict_draws(X))
    assert np.isfinite(found["test_score"]).all()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_from_a_transformer_keep_their_names(library, columns, response):
    X = pd.DataFrame({"number": columns["number"], "other": columns["number"] ** 2})
    pipeline = make_pipeline(StandardScaler(), BayesianForestRegressor(n_estimators=2))
    pipeline.set_output(transform=library).fit(X, response)
    np.testing.assert_array_equal(pipeline[-1].feature_names_in_, ["number", "other"])
    assert pipeline.predict(X).shape == (200,)
