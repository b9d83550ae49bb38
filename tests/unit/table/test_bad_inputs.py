"""Bad input, and what is said about it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from bayeswood.table import check_weights, fit_class_target, fit_numeric_target, fit_table

FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]})

TABLES = {
    "none": (None, ValueError, "Expected 2D array, got scalar array"),
    "scalar": (3.0, ValueError, "Expected 2D array, got scalar array"),
    "string": ("abc", ValueError, "Expected 2D array, got scalar array"),
    "dict": ({"a": [1]}, ValueError, "Expected 2D array, got scalar array"),
    "vector": (np.ones(3), ValueError, "Expected 2D array, got 1D array .*Reshape your data"),
    "list": ([1, 2], ValueError, "Expected 2D array, got 1D array"),
    "cube": (np.ones((2, 2, 2)), ValueError, "Found array with dim 3.*Forest"),
    "series": (pd.Series([1.0]), ValueError, "Expected a 2-dimensional container but got"),
    "polars series": (pl.Series([1.0]), ValueError, "Expected a 2-dimensional container but got"),
    "no rows": (np.empty((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\).*Forest"),
    "no columns": (np.empty((12, 0)), ValueError, r"0 feature\(s\) \(shape=\(12, 0\)\) while a"),
    "frame without rows": (FRAME[:0], ValueError, r"0 sample\(s\) \(shape=\(0, 2\)\).*Forest"),
    "frame without columns": (FRAME[[]], ValueError, r"0 feature\(s\) \(shape=\(2, 0\)\)"),
    "empty polars": (pl.DataFrame(), ValueError, r"0 sample\(s\)"),
    "ragged": ([[1, 2], [3]], ValueError, "rows differ in length"),
    "complex": (np.ones((2, 1)) * 1j, ValueError, "Complex data not supported"),
    "complex objects": (np.array([[1j]], dtype=object), ValueError, "Complex data not supported"),
    "sparse array": (sparse.csr_array(np.eye(2)), TypeError, "Sparse data was passed"),
    "sparse matrix": (sparse.csc_matrix((1000, 5000)), TypeError, "toarray.* takes 0.04 GB"),
    "np.matrix": (np.ones((1, 1)).view(np.matrix), TypeError, "np.matrix is not supported"),
    "structured": (np.zeros(2, dtype=[("a", "f8")]), TypeError, "X is a structured array"),
    "bytes": (np.array([[b"a"]]), TypeError, "Column 'x0' of X holds bytes"),
    "lazy frame": (pl.LazyFrame({"a": [1]}), TypeError, "X is a lazy frame .*Collect it"),
    "inf": ([[1.0, np.inf]], ValueError, "infinity: column 'x1', row 0. Forest takes NaN"),
    "inf in frame": (
        pd.DataFrame({"a": [0, -np.inf]}),
        ValueError,
        "infinity: column 'a', row 1",
    ),
    "inf in objects": (
        np.array([[1], [np.inf]], dtype=object),
        ValueError,
        "infinity: column 'x0', row 1",
    ),
    "inf beside strings": (
        FRAME.assign(c=[np.inf, 0]),
        ValueError,
        "infinity: column 'c', row 0",
    ),
    "huge long double": (
        np.array([[1], [np.finfo(np.longdouble).max]]),
        ValueError,
        "infinity: column 'x0', row 1",
    ),
    "huge integer": ([[10**400]], ValueError, "Column 'x0' of X holds a number beyond the range"),
    "dict cell": (
        np.array([[1.0], [{"foo": "bar"}]], dtype=object),
        TypeError,
        "Column 'x0' of X .*argument must be .* string.* number",
    ),
    "mixed column": (
        pd.DataFrame({"a": [1, "u"]}, dtype=object),
        TypeError,
        r"Column 'a' of X holds values of mixed types \(int, str\)",
    ),
    "mixed list column": ([["a", 1], [2, 3]], TypeError, "Column 'x0' of X holds values of mixed"),
    "mixed names": (
        FRAME.rename(columns={"a": 0}),
        TypeError,
        "Feature names are only supported if all input features have string names",
    ),
    "equal names": (
        pd.DataFrame(np.ones((2, 2)), columns=["a", "a"]),
        ValueError,
        "column names of X must be distinct.*'a'",
    ),
    "equal names in arrow": (
        pa.table([[1], [2]], names=["a", "a"]),
        ValueError,
        "column names of X must be distinct.*'a'",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_table(case):
    X, kind, message = TABLES[case]
    with pytest.raises(kind, match=f"(?s){message}"):
        fit_table(X, estimator_name="Forest")


PARAMETERS = {
    "strings without categories": (
        FRAME,
        None,
        "Column 'b' of X holds strings, and categorical_features=None",
    ),
    "unknown column": (FRAME, ["z"], "Got 'z', which is no column of X instead"),
    "infinite level": (np.array([[np.inf]]), [0], "infinity: column 'x0'"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_categorical_features(case):
    X, categorical_features, message = PARAMETERS[case]
    with pytest.raises(ValueError, match=message):
        fit_table(X, categorical_features=categorical_features, estimator_name="Forest")


BOTH_TARGETS = {
    "none": (None, "requires y to be passed, but the target y is None"),
    "scalar": (3, "y should be a 1d array, got a scalar"),
    "empty": ([], r"0 sample\(s\)"),
    "empty series": (pl.Series([], dtype=pl.Float64), r"0 sample\(s\)"),
    "ragged": ([[1], [2, 3]], "y should be a 1d array, got a list whose items differ"),
    "cube": (np.ones((2, 2, 2)), "Found array with dim 3"),
    "complex": (np.array([1j, 2]), "Complex data not supported"),
    "NaN": (np.array([0, 1, np.nan]), "y contains NaN or None: row 2. Forest needs"),
    "None": ([0, None, 1], "y contains NaN or None: row 1"),
    "NA": (pd.array([1, None], dtype="Int64"), "y contains NaN or None: row 1"),
    "null": (pl.Series([None, 1]), "y contains NaN or None: row 0"),
    "all None": ([None, None], "y contains NaN or None: row 0"),
    "inf": (np.array([0.0, np.inf]), "y contains infinity: row 1. Forest needs"),
    "dates": (np.zeros(2, dtype="M8[D]"), "y holds dates or times"),
    "masked": (np.ma.masked_array([1.0, 2.0], [False, True]), "y contains NaN or None: row 1"),
    "dicts": ([{"a": 1}, {"a": 2}], "y holds values of type"),
    "mixed": (np.array(["a", 1], dtype=object), "y holds values of mixed types"),
    "bytes": (np.array([b"a", b"b"]), "y holds bytes"),
}


@pytest.mark.parametrize("case", BOTH_TARGETS)
@pytest.mark.parametrize("reader", [fit_class_target, fit_numeric_target])
def test_target(case, reader):
    y, message = BOTH_TARGETS[case]
    with pytest.raises(ValueError, match=message):
        reader(y, "Forest")


CLASS_TARGETS = {
    "continuous": ([0.0, 0.5], r"Unknown label type: continuous \(y is 0.5 in row 1\)"),
    "missing string": (["a", None], "y contains NaN or None: row 1"),
    "missing category": (pd.Categorical(["a", None]), "y contains NaN or None: row 1"),
    "two columns": (np.ones((3, 2)), r"y should be a 1d array, got an array of shape \(3, 2\)"),
    "mixed list": ([1, "1"], "y holds values of mixed types"),
}


@pytest.mark.parametrize("case", CLASS_TARGETS)
def test_class_target(case):
    y, message = CLASS_TARGETS[case]
    with pytest.raises(ValueError, match=message):
        fit_class_target(y, "Forest")


NUMERIC_TARGETS = {
    "strings": (["1", "2"], r"y holds strings \('1' in row 0\). Forest predicts numbers"),
    "string series": (pl.Series(["a", "b"]), "y holds strings"),
    "categories": (pd.Categorical(["a", "b"]), "y holds strings"),
    "string in the second column": (pd.DataFrame({"u": [1], "v": ["a"]}), "y holds strings"),
    "NaN in the second column": (np.array([[0, 1], [1, np.nan]]), "NaN or None: row 1"),
    "no columns": (np.empty((3, 0)), "y has no column"),
    "string in a list of rows": ([[1, 2], [3, "a"]], "y holds values of mixed types"),
    "equal names": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "column names of y must be distinct",
    ),
}


@pytest.mark.parametrize("case", NUMERIC_TARGETS)
def test_numeric_target(case):
    y, message = NUMERIC_TARGETS[case]
    with pytest.raises(ValueError, match=message):
        fit_numeric_target(y, "Forest")


WEIGHTS = {
    "negative": ([1, -1, 1], "sample_weight contains a negative weight: row 1. Forest needs"),
    "NaN": ([1, 1, np.nan], "sample_weight contains NaN: row 2"),
    "None": ([1, None, 1], "sample_weight contains NaN: row 1"),
    "infinite": ([np.inf, 1, 1], "sample_weight contains infinity: row 0"),
    "zeros": ([0, 0, 0], "sample_weight is zero in every row"),
    "too short": ([1, 1], "one weight per row of X, 3. Forest got 2"),
    "too long": (np.ones(4), "one weight per row of X, 3. Forest got 4"),
    "matrix": (np.ones((3, 1)), "must be a 1D array or a number. Forest got a 2D array"),
    "frame": (pd.DataFrame({"w": [1, 1, 1]}), "must be a 1D array or a number"),
    "masked": (np.ma.masked_array([1.0, 1.0, 1.0], [True, False, False]), "NaN: row 0"),
    "strings": (["1", "1", "1"], "sample_weight holds strings. Forest needs numbers"),
    "complex": (np.ones(3) * 1j, "Complex data not supported"),
    "negative number": (-1.0, "sample_weight contains a negative weight: row 0"),
    "infinite sum": (np.full(3, 1e308), "sample_weight adds up to infinity"),
    "empty": ([], r"0 sample\(s\)"),
    "string": ("balanced", "sample_weight should be a 1d array, got a scalar"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_weights(case):
    sample_weight, message = WEIGHTS[case]
    with pytest.raises(ValueError, match=message):
        check_weights(sample_weight, 3, "Forest")
