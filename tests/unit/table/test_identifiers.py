"""Columns that name the row, and the one warning about them."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bayeswood
from bayeswood.table import fit_table, identifiers


def found_in(**columns):
    return identifiers(*fit_table(pd.DataFrame(columns), estimator_name="Forest"))


def words(numbers):
    return [f"w{number}" for number in numbers]


def test_as_many_levels_as_rows():
    assert found_in(a=words(range(60)), b=range(60)) == {"a": (60, 60)}


@pytest.mark.parametrize(("n_levels", "expected"), [(90, {"a": (90, 100)}), (89, {})])
def test_nearly_as_many(n_levels, expected):
    assert found_in(a=words(np.arange(100) % n_levels)) == expected


def test_missing_values_are_no_rows():
    assert found_in(a=[*words(range(60)), *[None] * 500]) == {"a": (60, 60)}


def test_few_rows_say_nothing():
    assert found_in(a=words(range(49))) == {}


def test_numbers_are_no_identifiers():
    assert found_in(a=np.arange(200.0), b=np.arange(200)) == {}


@pytest.fixture
def table(rng):
    X = pd.DataFrame({name: words(range(80)) for name in ("order", "person")})
    return X.assign(size=rng.normal(size=80)), rng.normal(size=80)


def test_one_warning_names_the_columns(table):
    with pytest.warns(UserWarning, match="nearly name the row") as caught:
        bayeswood.RandomForestRegressor(n_estimators=2).fit(*table)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "'order' (80 levels in 80 values), 'person' (80 levels" in message
    assert "RandomForestRegressor keeps them" in message
    assert "Drop such a column" in message
    assert caught[0].filename == __file__


def test_nothing_is_said_of_prediction(table):
    X, y = table
    with pytest.warns(UserWarning, match="nearly name the row"):
        forest = bayeswood.RandomForestRegressor(n_estimators=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert forest.predict(X).shape == (80,)
        forest.fit(X[["size"]], y)
