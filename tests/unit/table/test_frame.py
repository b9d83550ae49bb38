"""One column of every type that the frame libraries have."""

from __future__ import annotations

import datetime
from decimal import Decimal

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayeswood.errors import DataTypeError
from bayeswood.table import fit_table, transform_table

NAN = np.nan
STR = "str" if pd.__version__ >= "3" else "string"  # what pandas calls its own text
BIG = 2**60 + 1


def pandas_column(values, dtype):
    return pd.DataFrame({"c": pd.array(values, dtype=dtype)})


def polars_column(values, dtype):
    return pl.DataFrame({"c": pl.Series(values, dtype=dtype)})


def arrow_column(values, dtype=None):
    return pa.table({"c": pa.array(values, dtype)})


def dictionary_chunks():
    """Two chunks whose dictionaries differ."""
    chunks = [["b"], [None, "a", "b"]]
    return pa.table({"c": pa.chunked_array([pa.array(c).dictionary_encode() for c in chunks])})


def arrow_dictionary_in_pandas():
    array = pa.array(["b", None, "a"]).dictionary_encode()
    return pd.DataFrame({"c": pd.Series(array, dtype=pd.ArrowDtype(array.type))})


NUMERIC = {
    "pandas float32": (pandas_column([1, NAN], "float32"), [1, NAN]),
    "pandas uint8": (pandas_column([1, 255], "uint8"), [1, 255]),
    "pandas Int64": (pandas_column([1, None, BIG], "Int64"), [1, NAN, float(BIG)]),
    "pandas Float64": (pandas_column([1.5, None], "Float64"), [1.5, NAN]),
    "pandas arrow int": (pandas_column([1, None], "int64[pyarrow]"), [1, NAN]),
    "pandas object": (pd.DataFrame({"c": pd.Series([1, None, 2.5], dtype=object)}), [1, NAN, 2.5]),
    "pandas sparse": (pd.DataFrame({"c": pd.arrays.SparseArray([0, 0, 1.5])}), [0, 0, 1.5]),
    "polars Int64": (polars_column([1, None, BIG], pl.Int64), [1, NAN, float(BIG)]),
    "polars UInt8": (polars_column([1, 255], pl.UInt8), [1, 255]),
    "polars Float32": (polars_column([0.5, None, NAN], pl.Float32), [0.5, NAN, NAN]),
    "polars Int128": (polars_column([1, None], pl.Int128), [1, NAN]),
    "polars Decimal": (polars_column([Decimal("0.5"), None], pl.Decimal(9, 2)), [0.5, NAN]),
    "arrow int64": (arrow_column([1, None, BIG]), [1, NAN, float(BIG)]),
    "arrow float": (arrow_column([0.5, None, NAN]), [0.5, NAN, NAN]),
    "arrow decimal": (arrow_column([Decimal("0.5"), None], pa.decimal128(9, 2)), [0.5, NAN]),
}
if hasattr(nw, "Float16"):  # older ones of narwhals do not know it, and the column is refused
    NUMERIC["arrow half"] = (arrow_column(np.array([0.5], dtype="f2")), [0.5])


@pytest.mark.parametrize("case", NUMERIC)
def test_numeric_column(case):
    frame, expected = NUMERIC[case]
    matrix, schema = fit_table(frame, estimator_name="Forest")
    assert schema.columns[0].kind == "numeric"
    assert matrix.dtype in (np.float32, np.float64)
    np.testing.assert_array_equal(matrix[:, 0], expected)
    np.testing.assert_array_equal(transform_table(frame, schema, estimator_name="Forest"), matrix)


WORDS = ["b", None, "a"]
TRUTHS = [True, None, False]
CATEGORIES = {
    "pandas plain": (pd.DataFrame({"c": WORDS}), ("a", "b"), [1, NAN, 0]),
    "pandas str": (pandas_column(WORDS, STR), ("a", "b"), [1, NAN, 0]),
    "pandas string python": (pandas_column(WORDS, "string[python]"), ("a", "b"), [1, NAN, 0]),
    "pandas string arrow": (pandas_column(WORDS, "string[pyarrow]"), ("a", "b"), [1, NAN, 0]),
    "pandas object": (
        pd.DataFrame({"c": pd.Series(["b", NAN, "a"], dtype=object)}),
        ("a", "b"),
        [1, NAN, 0],
    ),
    "pandas category": (
        pd.DataFrame({"c": pd.Categorical(WORDS, categories=["z", "b", "a"], ordered=True)}),
        ("a", "b"),
        [1, NAN, 0],
    ),
    "pandas category of ints": (pandas_column([7, None, 5], "category"), (5, 7), [1, NAN, 0]),
    "pandas category of floats": (pandas_column([0.5, 0.25], "category"), (0.25, 0.5), [1, 0]),
    "pandas category of bools": (pandas_column([True, None], "category"), (True,), [0, NAN]),
    "pandas arrow dictionary": (arrow_dictionary_in_pandas(), ("a", "b"), [1, NAN, 0]),
    "pandas bool": (pandas_column([True, False], "bool"), (False, True), [1, 0]),
    "pandas boolean": (pandas_column(TRUTHS, "boolean"), (False, True), [1, NAN, 0]),
    "pandas object bools": (
        pd.DataFrame({"c": pd.Series(TRUTHS, dtype=object)}),
        (False, True),
        [1, NAN, 0],
    ),
    "polars String": (polars_column(WORDS, pl.String), ("a", "b"), [1, NAN, 0]),
    "polars Categorical": (polars_column(WORDS, pl.Categorical), ("a", "b"), [1, NAN, 0]),
    "polars Enum": (polars_column(WORDS, pl.Enum(["z", "b", "a"])), ("a", "b"), [1, NAN, 0]),
    "polars Boolean": (polars_column(TRUTHS, pl.Boolean), (False, True), [1, NAN, 0]),
    "polars Object": (polars_column(WORDS, pl.Object), ("a", "b"), [1, NAN, 0]),
    "arrow string": (arrow_column(WORDS), ("a", "b"), [1, NAN, 0]),
    "arrow large string": (arrow_column(WORDS, pa.large_string()), ("a", "b"), [1, NAN, 0]),
    "arrow bool": (arrow_column(TRUTHS), (False, True), [1, NAN, 0]),
    "arrow dictionary": (
        pa.table({"c": pa.array(WORDS).dictionary_encode()}),
        ("a", "b"),
        [1, NAN, 0],
    ),
    "arrow dictionary of ints": (
        pa.table({"c": pa.array([7, None, 5]).dictionary_encode()}),
        (5, 7),
        [1, NAN, 0],
    ),
    "arrow dictionary chunks": (dictionary_chunks(), ("a", "b"), [1, NAN, 0, 1]),
    "all missing strings": (polars_column([None, None], pl.String), (), [NAN, NAN]),
    "all missing Categorical": (polars_column([None], pl.Categorical), (), [NAN]),
    "all missing category": (pandas_column([None], "category"), (), [NAN]),
    "all missing boolean": (pandas_column([None], "boolean"), (), [NAN]),
    "polars Null": (polars_column([None, None], pl.Null), (), [NAN, NAN]),
    "arrow null": (pa.table({"c": pa.nulls(2)}), (), [NAN, NAN]),
}


@pytest.mark.parametrize("case", CATEGORIES)
def test_category_column(case):
    frame, levels, expected = CATEGORIES[case]
    matrix, schema = fit_table(frame, estimator_name="Forest")
    assert schema.columns[0].kind == "category"
    assert schema.columns[0].levels == levels
    assert all(type(level) in (str, bool, int, float) for level in schema.columns[0].levels)
    np.testing.assert_array_equal(matrix[:, 0], expected)
    np.testing.assert_array_equal(transform_table(frame, schema, estimator_name="Forest"), matrix)


DAY = datetime.date(2020, 1, 1)
INSTANT = datetime.datetime(2020, 1, 1, 12)
REFUSED = {
    "pandas period": (pd.DataFrame({"c": pd.period_range("2020", periods=2)}), "Period"),
    "pandas interval": (pd.DataFrame({"c": pd.cut([1.0, 2.0], 2)}), "Interval"),
    "polars list": (polars_column([[1]], pl.List(pl.Int64)), "List"),
    "polars struct": (pl.DataFrame({"c": [{"u": 1}]}), "Struct"),
    "polars binary": (polars_column([b"a"], pl.Binary), "(Binary|Unknown)"),
    "arrow list": (arrow_column([[1]]), "List"),
    "arrow binary": (arrow_column([b"a"]), "(Binary|Unknown)"),
}


TAKEN_APART = {
    "pandas datetime": (pd.DataFrame({"c": pd.to_datetime([INSTANT])}), "elapsed_days"),
    "pandas timedelta": (pd.DataFrame({"c": pd.to_timedelta([1], unit="s")}), "seconds"),
    "pandas object dates": (pd.DataFrame({"c": [DAY]}, dtype=object), "elapsed_days"),
    "polars date": (polars_column([DAY], pl.Date), "elapsed_days"),
    "polars duration": (polars_column([1], pl.Duration), "seconds"),
    "polars time": (polars_column([1], pl.Time), "hour"),
    "arrow timestamp": (arrow_column([INSTANT]), "elapsed_days"),
}


@pytest.mark.parametrize("case", TAKEN_APART)
def test_a_moment_that_does_not_vary_keeps_one_part(case):
    frame, part = TAKEN_APART[case]
    matrix, schema = fit_table(frame, estimator_name="Forest")
    assert schema.names == (f"c.{part}",)
    assert schema.input_names == ("c",)
    np.testing.assert_array_equal(transform_table(frame, schema, estimator_name="Forest"), matrix)


@pytest.mark.parametrize("case", REFUSED)
def test_refused_column(case):
    frame, words = REFUSED[case]
    with pytest.raises(DataTypeError, match=f"Column 'c' of X holds .*{words}"):
        fit_table(frame, estimator_name="Forest")


def test_an_object_column_is_looked_at_to_its_end():
    values = pd.Series(["a"] * 1000 + [1], dtype=object)
    with pytest.raises(DataTypeError, match="Column 'c' of X holds values of mixed types"):
        fit_table(pd.DataFrame({"c": values}), estimator_name="Forest")


def test_words_of_other_columns_do_not_count():
    """Polars keeps the words of all Categorical columns in one pool."""
    frame = pl.DataFrame({"u": ["a", "b"], "v": ["c", "a"]}).cast(pl.Categorical)
    _, schema = fit_table(frame, estimator_name="Forest")
    assert [column.levels for column in schema.columns] == [("a", "b"), ("a", "c")]


def test_narwhals_frame_and_record_batch():
    table = pa.table({"n": [1.0, 2.0], "s": ["a", "b"]})
    expected, schema = fit_table(table, estimator_name="Forest")
    for same in (nw.from_native(table), table.to_batches()[0]):
        matrix, same_schema = fit_table(same, estimator_name="Forest")
        assert same_schema == schema
        np.testing.assert_array_equal(matrix, expected)
