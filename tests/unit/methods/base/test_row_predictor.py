"""A row alone, compiled or in a table, and a row among others have the same answers, to the bit."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from bayeswood import BayesianForestRegressor, BayeswoodError, SafeBayesForestClassifier
from bayeswood.methods.registry import ESTIMATORS

SMALL = {
    "n_estimators": 6,
    "n_chains": 2,
    "n_burn_in": 30,
    "n_draws": 30,
    "n_particles": 30,
    "n_islands": 1,
    "random_state": 0,
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def table(n_rows=80):
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"word": rng.choice(list("abc"), n_rows), "x": rng.normal(size=n_rows)})
    X["flag"] = X["x"] + rng.normal(size=n_rows) > 0
    return X, X["x"].to_numpy() + (X["word"] == "b")


def fitted(name):
    cls, (X, y) = ESTIMATORS[name], table()
    known = {n: v for n, v in SMALL.items() if n in cls._get_param_names()}
    return cls(**known).fit(X, y if name.endswith("Regressor") else np.digitize(y, [0, 1]))


ROWS = pd.DataFrame(
    {
        "word": ["a", "unseen", None, "b"],
        "x": [0.3, -1.0, np.nan, 2.0],
        "flag": [True, False, True, False],
    }
)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_answer_is_the_estimators(name):
    model = fitted(name)
    predictor = pickle.loads(pickle.dumps(model.compile_row()))
    methods = ["predict_interval", "predict_proba"]
    for method in (m for m in [*methods, "predict", "support"] if hasattr(model, m)):
        among_others = getattr(model, method)(table()[0])
        alone = [getattr(model, method)(table()[0].iloc[i : i + 1])[0] for i in range(20)]
        np.testing.assert_array_equal(among_others[:20], alone)
    for i, row in enumerate(ROWS.to_dict("records")):
        one = ROWS.iloc[i : i + 1]
        for form in (row, list(row.values())):
            assert predictor.predict(form) == model.predict(one)[0]
            assert predictor.support(form) == model.support(one)[0]
            for method in (m for m in methods if hasattr(model, m)):
                found = getattr(predictor, method)(form)
                np.testing.assert_array_equal(found, getattr(model, method)(one)[0])
        found = predictor.predict_quantiles(row, [0.1, 0.9])
        np.testing.assert_array_equal(found, model.predict_quantiles(one, [0.1, 0.9])[0])


def test_options_go_to_the_estimator():
    model = fitted("CalibratedForestClassifier")
    one = ROWS.iloc[:1]
    found = model.compile_row().predict_set(ROWS.iloc[0].to_dict(), coverage=0.8)
    np.testing.assert_array_equal(found, model.predict_set(one, coverage=0.8)[0])
    found = model.compile_row().predict_interval(ROWS.iloc[0], coverage=0.5)
    np.testing.assert_array_equal(found, model.predict_interval(one, coverage=0.5)[0])


def test_several_responses():
    X, y = table()
    model = BayesianForestRegressor(5, random_state=0).fit(X, np.column_stack([y, -y]))
    found = model.compile_row().predict(ROWS.iloc[0].to_dict())
    np.testing.assert_array_equal(found, model.predict(ROWS.iloc[:1])[0])


def test_threads_share_a_predictor():
    predictor = fitted("RandomForestRegressor").compile_row()
    rows = ROWS.to_dict("records") * 50
    alone = [predictor.predict(row) for row in rows]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(predictor.predict, rows)) == alone


def test_a_predictor_keeps_the_model_it_was_made_of():
    X, y = table()
    model = SafeBayesForestClassifier(10, random_state=0).fit(X[:40], y[:40] > 0)
    row = ROWS.iloc[0].to_dict()
    predictor = model.compile_row()
    before = predictor.predict_proba(row)
    model.partial_fit(X[40:], y[40:] < 0)
    assert (model.compile_row().predict_proba(row) != before).any()
    np.testing.assert_array_equal(predictor.predict_proba(row), before)


def test_what_cannot_be_asked():
    regressor = fitted("BayesianForestRegressor").compile_row()
    with pytest.raises(BayeswoodError, match="BayesianForestRegressor has no predict_proba"):
        regressor.predict_proba(ROWS.iloc[0].to_dict())
    with pytest.raises(BayeswoodError, match="lacks the column 'x'"):
        regressor.predict({"word": "a", "flag": True})
    with pytest.raises(ValueError, match="not fitted yet"):
        BayesianForestRegressor().compile_row()
