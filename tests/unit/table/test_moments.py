"""Dates, times and durations: the same numbers from every library, and laws of the file."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayeswood import BayeswoodError, RandomForestRegressor, load
from bayeswood.posterior import partial_dependence
from bayeswood.table import Column, Schema, fit_table, transform_table
from bayeswood.table.moments import Moments, iso_moment

N_ROWS = 40
WHEN = [dt.datetime(2023, 12, 28, 22, 5) + dt.timedelta(hours=31 * i) for i in range(N_ROWS)]


def fit(table, **options):
    return fit_table(table, estimator_name="Forest", **options)


def transform(table, schema):
    return transform_table(table, schema, estimator_name="Forest")


def by_hand(moments):
    """The parts of datetimes, by Python's own calendar."""
    first = min(moments)
    return {
        "year": [m.year for m in moments],
        "month": [m.month for m in moments],
        "day": [m.day for m in moments],
        "weekday": [m.weekday() for m in moments],
        "hour": [m.hour for m in moments],
        "minute": [m.minute for m in moments],
        "second": [m.second for m in moments],
        "elapsed_days": [(m - first) / dt.timedelta(days=1) for m in moments],
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=lambda f: f.__module__)
def test_parts_are_those_of_the_calendar(make):
    matrix, schema = fit(make({"a": np.arange(N_ROWS), "when": WHEN}))
    expected = by_hand(WHEN)
    varying = [part for part, values in expected.items() if len(set(values)) > 1]
    assert schema.names == ("a", *(f"when.{part}" for part in varying))
    assert "when.minute" not in schema.names  # it never changes
    for part in varying:
        np.testing.assert_allclose(matrix[:, schema.names.index(f"when.{part}")], expected[part])


def test_all_libraries_give_the_same_matrix():
    ends = [dt.timedelta(seconds=90 * i) for i in range(N_ROWS)]
    clock = [m.time() for m in WHEN]
    days = [m.date() for m in WHEN]
    columns = {"day": days, "clock": clock, "took": ends, "text": [str(day) for day in days]}
    polars = pl.DataFrame(columns)
    matrices = [
        fit(table)
        for table in (polars, polars.to_arrow(), pd.DataFrame(columns), polars.to_pandas())
    ]
    for matrix, schema in matrices:
        assert schema.input_names == tuple(columns)
        assert schema.columns == matrices[0][1].columns
        np.testing.assert_array_equal(matrix, matrices[0][0])
    names = matrices[0][1].names
    assert "took.seconds" in names
    assert "clock.hour" in names
    assert "day.hour" not in names  # a date has no clock


def test_a_time_zone_shows_its_own_clock_and_is_kept():
    series = pd.Series(WHEN).dt.tz_localize("Europe/Berlin")
    matrix, schema = fit(pd.DataFrame({"when": series}))
    hours = matrix[:, schema.names.index("when.hour")]
    np.testing.assert_array_equal(hours, [m.hour for m in WHEN])
    elsewhere = pd.DataFrame({"when": series.dt.tz_convert("Asia/Tokyo")})
    np.testing.assert_array_equal(transform(elsewhere, schema), matrix)
    with pytest.raises(BayeswoodError, match="time zone"):
        transform(pd.DataFrame({"when": WHEN}), schema)


def test_fixed_offsets_are_read_in_utc():
    offset = dt.timezone(dt.timedelta(hours=2))
    aware = [m.replace(tzinfo=offset) for m in WHEN]
    matrix, schema = fit(pd.DataFrame({"when": pd.Series(aware)}))
    text = pd.DataFrame({"when": [m.isoformat() for m in aware]})
    np.testing.assert_array_equal(transform(text, schema), matrix)
    hours = matrix[:, schema.names.index("when.hour")]
    np.testing.assert_array_equal(hours, [(m.hour - 2) % 24 for m in WHEN])


def test_missing_moments_are_missing_in_every_part():
    matrix, schema = fit(pl.DataFrame({"when": [*WHEN, None]}))
    assert np.isnan(matrix[-1]).all()
    assert not np.isnan(matrix[:-1]).any()
    later = pl.DataFrame({"when": [None]}, schema={"when": pl.Datetime})
    assert np.isnan(transform(later, schema)).all()
    assert np.isnan(transform(pd.DataFrame({"when": [np.nan]}), schema)).all()


def test_text_is_a_date_only_if_all_of_it_is():
    days = [str(m.date()) for m in WHEN]
    _, schema = fit(pd.DataFrame({"when": days}))
    assert schema.moments[0].name == "when"
    _, schema = fit(pd.DataFrame({"when": [*days, "soon"]}))
    assert schema.columns[0].kind == "category"
    _, schema = fit(pd.DataFrame({"when": days}), categorical_features=["when"])
    assert schema.columns[0].kind == "category"
    _, schema = fit(pd.DataFrame({"when": pd.Categorical(days)}))
    assert schema.columns[0].kind == "category"


def test_a_later_column_of_another_kind_is_refused():
    _, schema = fit(pd.DataFrame({"a": [1.0, 2.0], "when": WHEN[:2]}))
    for values, words in (([1.5], "numbers"), (["soon"], "'soon'"), ([dt.time(3)], "times of day")):
        with pytest.raises(BayeswoodError, match=f"'when' of X held dates .*{words}"):
            transform(pd.DataFrame({"a": [1.0], "when": values}), schema)
    with pytest.raises(BayeswoodError, match="'a' of X holds dates"):
        transform(pd.DataFrame({"a": WHEN[:1], "when": WHEN[:1]}), schema)


def test_dates_cannot_be_categories_and_parts_need_names_of_their_own():
    with pytest.raises(BayeswoodError, match="'when' of X holds dates and cannot be a category"):
        fit(pd.DataFrame({"when": WHEN}), categorical_features=["when"])
    with pytest.raises(BayeswoodError, match=r"'when\.day' of its own"):
        fit(pd.DataFrame({"when": WHEN, "when.day": range(N_ROWS)}))


def test_a_schema_with_dates_survives_its_file():
    _, schema = fit(pd.DataFrame({"when": WHEN, "a": range(N_ROWS)}))
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.input_names == ("when", "a")
    _, unnamed = fit(np.array([WHEN, WHEN], dtype="M8[s]").T)
    assert Schema.from_json(unnamed.to_json()).input_names == ("x0", "x1")


GOOD = {"name": "w", "kind": "date", "parts": ["year"], "origin": 0, "zone": None}


@pytest.mark.parametrize("change", [
    {"kind": "epoch"}, {"parts": []}, {"parts": ["seconds"]}, {"parts": ["month", "year"]},
    {"origin": 2**70}, {"origin": True}, {"zone": "Mars/Olympus"}, {"zone": 5}, {"more": 1},
    {"name": "v"},
])  # fmt: skip
def test_unlawful_moments_are_refused(change):
    plain = {
        "named": True,
        "columns": [{"name": "w.year", "kind": "numeric", "levels": []}],
        "moments": [{**GOOD, **change}],
    }
    with pytest.raises(BayeswoodError):
        Schema.from_json(plain)
    assert Schema.from_json({**plain, "moments": [GOOD]}).input_names == ("w",)


def test_parts_must_lie_together():
    columns = tuple(Column(name, "numeric") for name in ("w.year", "a", "w.month"))
    plain = Schema(columns, True, (Moments("w", "date", ("year", "month")),)).to_json()
    with pytest.raises(BayeswoodError, match="moments do not match"):
        Schema.from_json(plain)


@pytest.mark.parametrize("word", ["2024", "2024-13-01", "2024-5-1", "1-2-2024", "2024-01-01x", ""])
def test_what_is_no_iso_date(word):
    assert iso_moment(word) is None


@pytest.fixture(scope="module")
def dated():
    """A forest of dates and a number, and its table."""
    X = pd.DataFrame({"when": WHEN, "a": np.arange(N_ROWS) % 7.0})
    y = pd.Series([m.hour + 0.5 for m in WHEN], name="load")
    return RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y), X


def test_an_estimator_keeps_the_users_columns_and_shows_the_parts(dated, tmp_path):
    forest, X = dated
    assert forest.n_features_in_ == 2
    assert list(forest.feature_names_in_) == ["when", "a"]
    assert len(forest.feature_importances_) == len(forest.schema_.names) > 2
    assert any("when.hour" in tree.to_text() for tree in forest.forest_.trees)
    forest.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.schema_ == forest.schema_
    assert again.schema_.reading.target == "load"
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))
    np.testing.assert_array_equal(forest.predict(X.iloc[:1]), forest.predict(X)[:1])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- later"):
        forest.predict(X.rename(columns={"when": "later"}))
    with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- when"):
        forest.predict(X[["a"]])


def test_functionals_name_the_parts(dated):
    forest, X = dated
    assert partial_dependence(forest, X, "when.hour").feature == "when.hour"
    with pytest.raises(BayeswoodError, match=r"taken apart into when\.year, when\.month"):
        partial_dependence(forest, X, "when")
