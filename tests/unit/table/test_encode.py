"""Later tables, read by the training table's schema."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.table import MAX_LEVELS, Column, Schema, fit_table, transform_table

SCHEMA = Schema(
    (
        Column("n", "numeric"),
        Column("s", "category", ("a", "b", "c")),
        Column("b", "category", (False, True)),
        Column("i", "category", (-2, 5, 2**60 + 1)),
        Column("v", "category"),
    ),
    named=True,
)
NAN = np.nan
STR = "str" if pd.__version__ >= "3" else "string"  # what pandas calls its own text


def read(frame):
    return transform_table(frame, SCHEMA, estimator_name="Forest")


COLUMNS = {
    "n": [1.5, None, 3.0],
    "s": ["c", None, "never seen"],
    "b": [True, None, False],
    "i": [2**60 + 1, None, 2**60],
    "v": ["x", "y", None],
}
EXPECTED = np.array([[1.5, 2, 1, 2, NAN], [NAN, NAN, NAN, NAN, NAN], [3, NAN, 0, NAN, NAN]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS, dtype=object).astype({"n": "Float64", "i": "Int64", "b": "boolean"}),
        pd.DataFrame(COLUMNS, dtype=object),
        pd.DataFrame(COLUMNS, dtype=object).astype({"s": "category", "v": "category"}),
        pl.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS, schema_overrides={"s": pl.Categorical, "v": pl.Categorical}),
        pa.table(COLUMNS),
    ],
    ids=["pandas", "pandas object", "pandas category", "polars", "polars cat", "pyarrow"],
)
def test_every_library_gives_the_same_matrix(frame):
    np.testing.assert_array_equal(read(frame), EXPECTED)


def test_object_array_gives_the_same_matrix():
    X = np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=object)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Forest"):
        np.testing.assert_array_equal(read(X), EXPECTED)


def frame_with(**columns):
    base = {"n": [0.0, 1.0], "s": ["a", "b"], "b": [True, False], "i": [5, -2], "v": ["u", "v"]}
    return pd.DataFrame(base | columns)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"n": ["1", "2"]}, "Column 'n' of X held numbers when Forest was fitted, but now holds"),
        ({"s": [1, 2]}, "Column 's' of X held strings when Forest .* now holds numbers"),
        ({"s": [True, False]}, "Column 's' of X held strings when .* now holds booleans"),
        ({"b": ["yes", "no"]}, "Column 'b' of X held booleans when .* now holds strings"),
        ({"b": [1, 2]}, "Column 'b' of X held booleans .* now holds the number 2 in row 1"),
        ({"b": [0.5, 1.0]}, "Column 'b' of X held booleans .* now holds the number 0.5 in row 0"),
        ({"i": ["5", "-2"]}, "Column 'i' of X held numbers as categories .* now holds strings"),
        ({"n": [0.0, np.inf]}, "Input X contains infinity: column 'n', row 1"),
        ({"n": pd.to_datetime(["2020", "2021"])}, "Column 'n' of X holds dates or times"),
        ({"s": ["a", 3]}, "Column 's' of X holds values of mixed types"),
    ],
)
def test_other_kinds_of_values_are_refused(columns, message):
    with pytest.raises(BayeswoodError, match=message):
        read(frame_with(**columns))


@pytest.mark.parametrize(
    ("columns", "place", "expected"),
    [
        ({"n": [True, False]}, 0, [1, 0]),
        ({"n": [None, None]}, 0, [NAN, NAN]),
        ({"n": pd.array([None, None], dtype=STR)}, 0, [NAN, NAN]),
        ({"n": pd.Categorical([7, 8])}, 0, [7, 8]),
        ({"s": [NAN, NAN]}, 1, [NAN, NAN]),
        ({"s": pd.array([None, None], dtype="Int64")}, 1, [NAN, NAN]),
        ({"b": [1, 0]}, 2, [1, 0]),
        ({"b": [1.0, NAN]}, 2, [1, NAN]),
        ({"i": [5.0, NAN]}, 3, [1, NAN]),
        ({"i": [5.5, -2.0]}, 3, [NAN, 0]),
        ({"i": np.array([5, 2**64 - 1], dtype="u8")}, 3, [1, NAN]),
        ({"i": [np.inf, -np.inf]}, 3, [NAN, NAN]),
        ({"v": [1, 2]}, 4, [NAN, NAN]),
    ],
)
def test_values_that_mean_the_same_are_taken(columns, place, expected):
    np.testing.assert_array_equal(read(frame_with(**columns))[:, place], expected)


def test_a_category_that_training_saw_one_level_of():
    _, schema = fit_table(np.array([[True], [True]]), estimator_name="Forest")
    assert schema.columns[0].levels == (True,)
    later = transform_table(np.array([[False], [True]]), schema, estimator_name="Forest")
    np.testing.assert_array_equal(later, [[NAN], [0]])


FLOATS = {"f": [0.5, NAN, -2.5], "g": [2.5, 0.5, NAN]}


@pytest.mark.parametrize(
    "table",
    [
        np.array(list(FLOATS.values())).T,
        pd.DataFrame(FLOATS),
        pd.DataFrame(FLOATS, dtype=np.float32),
        pl.DataFrame(FLOATS),
        pa.table({name: [None if v != v else v for v in c] for name, c in FLOATS.items()}),
    ],
    ids=["array", "pandas", "pandas float32", "polars", "pyarrow"],
)
def test_floats_stay_as_they_are_beside_a_forced_category(table):
    matrix, schema = fit_table(table, categorical_features=[1], estimator_name="Forest")
    assert [column.kind for column in schema.columns] == ["numeric", "category"]
    assert schema.columns[1].levels == (0.5, 2.5)
    np.testing.assert_array_equal(matrix, [[0.5, 1], [NAN, 0], [-2.5, NAN]])
    np.testing.assert_array_equal(transform_table(table, schema, estimator_name="Forest"), matrix)


def test_forced_integers_beyond_float64():
    X = pd.DataFrame({"id": [2**60, 2**60 + 1, 2**60 + 2]})
    matrix, schema = fit_table(X, categorical_features=["id"], estimator_name="Forest")
    assert matrix.ravel().tolist() == [0.0, 1.0, 2.0]
    later = transform_table(X[::-1], schema, estimator_name="Forest")
    assert later.ravel().tolist() == [2.0, 1.0, 0.0]


@pytest.mark.parametrize("before", [np.int64, np.uint64])
@pytest.mark.parametrize("after", [np.int64, np.uint64])
def test_signed_and_unsigned_are_compared_exactly(before, after):
    X = np.array([[2**62 + 1], [2**62], [3]])
    if before == np.uint64:
        X = np.vstack([X.astype(np.uint64), np.array([[2**64 - 1]], dtype=np.uint64)])
    _, schema = fit_table(X.astype(before), categorical_features=[0], estimator_name="Forest")
    extreme = -1 if after == np.int64 else 2**64 - 2
    later = np.array([[3], [2**62 + 2], [2**62 + 1], [extreme]], dtype=after)
    matrix = transform_table(later, schema, estimator_name="Forest")
    np.testing.assert_array_equal(matrix.ravel(), [0, NAN, 2, NAN])


def test_levels_are_ordered_by_code_point_in_every_library():
    words = ["é", "z", "Z", "a", "", " a", "10", "9"]
    for frame in (pd.DataFrame({"s": words}), pl.DataFrame({"s": words}), pa.table({"s": words})):
        _, schema = fit_table(frame, estimator_name="Forest")
        assert schema.columns[0].levels == tuple(sorted(words))


def test_as_many_levels_as_the_core_can_code():
    words = [f"w{i}" for i in range(MAX_LEVELS + 1)]
    _, schema = fit_table(pl.DataFrame({"s": words[:-1]}), estimator_name="Forest")
    assert schema.n_levels.tolist() == [MAX_LEVELS]
    with pytest.raises(BayeswoodError, match="Column 's' of X has 65536 levels"):
        fit_table(pl.DataFrame({"s": words}), estimator_name="Forest")


@pytest.mark.parametrize("levels", [["a", "b", None], [1, 5, None], [True, True, None]])
def test_unseen_levels_can_be_told_from_missing_ones(levels):
    matrix, schema = fit_table(
        pd.DataFrame({"c": levels, "x": 1.0}), categorical_features=["c"], estimator_name="Forest"
    )
    asked = {str: ["b", "z", None], bool: [True, False, None]}
    later = pd.DataFrame({"c": asked.get(type(levels[0]), [5, 4, None]), "x": [1.0, -1, np.nan]})
    found = transform_table(later, schema, estimator_name="Forest", unseen=-1.0)
    last = float(matrix[1, 0])
    np.testing.assert_array_equal(found, [[last, 1], [-1, -1], [np.nan, np.nan]])
    plain = transform_table(later, schema, estimator_name="Forest")
    assert np.isnan(plain[1, 0])
