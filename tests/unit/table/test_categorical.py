"""The ``categorical_features`` parameter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.table import fit_table
from bayeswood.table.categorical import forced_categories

NAMES = ("a", "b", "c")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("from_dtype", []),
        (None, []),
        ([], []),
        ([False, True, False], [1]),
        (np.array([True, False, True]), [0, 2]),
        (pd.Series([True, False, True]), [0, 2]),
        ([2, 0], [0, 2]),
        ((np.int32(1),), [1]),
        (["c", "c"], [2]),
        (pd.Index(["a", "b"]), [0, 1]),
        (np.array(["b"]), [1]),
    ],
)
def test_choice(value, expected):
    forced = forced_categories(value, NAMES, 3, "Forest")
    assert forced.dtype == np.bool_
    assert np.flatnonzero(forced).tolist() == expected


@pytest.mark.parametrize(
    ("value", "names", "got"),
    [
        ("all", NAMES, "'all'"),
        (3, NAMES, "3"),
        ({"a": 1}, NAMES, "{'a': 1}"),
        ([True], NAMES, "a mask of length 1 for 3 columns"),
        ([3], NAMES, "position 3 for 3 columns"),
        ([-1], NAMES, "position -1 for 3 columns"),
        (["d"], NAMES, "'d', which is no column of X"),
        (["a"], None, "the name 'a' for a table without column names"),
        ([0.5], NAMES, "items of type float"),
        (["a", 1], NAMES, "items of type int, str"),
        ([True, 1, 0], NAMES, "items of type bool, int"),
        ([None], NAMES, "items of type NoneType"),
    ],
)
def test_refusal(value, names, got):
    message = f"The 'categorical_features' parameter of Forest must be .* Got {got} instead."
    with pytest.raises(BayeswoodError, match=message):
        forced_categories(value, names, 3, "Forest")


def test_forced_integers_and_floats():
    X = np.array([[3.0, 0.5], [np.nan, 0.25], [-1.0, 0.5]])
    matrix, schema = fit_table(X, categorical_features=[0, 1], estimator_name="Forest")
    np.testing.assert_array_equal(matrix, [[1, 1], [np.nan, 0], [0, 1]])
    assert schema.columns[0].levels == (-1, 3)
    assert type(schema.columns[0].levels[0]) is int
    assert schema.columns[1].levels == (0.25, 0.5)
    assert X[0, 0] == 3.0, "the user's array must stay as it was"


def test_naming_some_columns_keeps_the_types_of_the_others():
    frame = pd.DataFrame({"n": [1, 2], "s": ["u", "v"], "f": [0.5, 1.5]})
    _, schema = fit_table(frame, categorical_features=["n"], estimator_name="Forest")
    assert [column.kind for column in schema.columns] == ["category", "category", "numeric"]


def test_none_takes_booleans_and_numeric_categoricals_as_numbers():
    frame = pd.DataFrame({"b": [True, False], "c": pd.Categorical([5, 3])})
    matrix, schema = fit_table(frame, categorical_features=None, estimator_name="Forest")
    assert schema.all_numeric
    assert matrix.tolist() == [[1.0, 5.0], [0.0, 3.0]]
