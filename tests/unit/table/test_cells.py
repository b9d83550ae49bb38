"""`Cells`: columns of NumPy arrays and of Python objects."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.cells import Cells, array_cells, object_cells, through_dictionary


def words_of(cells):
    return [None if code < 0 else cells.words[code] for code in cells.values]


@pytest.mark.parametrize("absent", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_strings_with_something_absent(absent):
    cells = object_cells(["b", absent, "a", "b"], "c")
    assert cells.family == "string"
    assert words_of(cells) == ["b", None, "a", "b"]
    assert cells.is_missing().tolist() == [False, True, False, False]


def test_strings_become_plain_strings():
    cells = object_cells([np.str_("a")], "c")
    assert type(cells.words[0]) is str


@pytest.mark.parametrize("absent", [None, np.nan, pd.NA])
def test_booleans_with_something_absent(absent):
    cells = object_cells([True, absent, np.False_], "c")
    assert cells.family == "bool"
    np.testing.assert_array_equal(cells.floats(), [1.0, np.nan, 0.0])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2.5], [1.0, 2.5]),
        ([1, None], [1.0, np.nan]),
        ([1.5, pd.NA], [1.5, np.nan]),
        ([np.float32(0.5), np.int8(3)], [0.5, 3.0]),
        ([Decimal("0.5"), Fraction(1, 4)], [0.5, 0.25]),
        ([10**30, None], [1e30, np.nan]),
        ([np.nan, np.nan], [np.nan, np.nan]),
    ],
)
def test_numbers(values, expected):
    cells = object_cells(values, "c")
    assert cells.family == "number"
    np.testing.assert_array_equal(cells.floats(), expected)


def test_integers_stay_exact_beside_a_missing_one():
    cells = object_cells([2**60 + 1, None], "c")
    assert cells.values[0] == 2**60 + 1
    assert cells.is_missing().tolist() == [False, True]


def test_nothing_at_all():
    cells = object_cells([None, pd.NA], "c")
    assert cells.family == "nothing"
    assert cells.all_missing()


@pytest.mark.parametrize(
    ("values", "types"),
    [
        (["a", 1], r"mixed types \(int, str\)"),
        (["a", 1.5], r"mixed types \(float, str\)"),
        (["a", True], r"mixed types \(bool, str\)"),
        ([True, 2], r"mixed types \(bool, int\)"),
        ([1.5, {"foo": "bar"}], r"mixed types \(dict, float\)"),
        ([[1], [2, 3]], "type list"),
        ([b"a"], "type bytes"),
        (["a", True, np.nan], r"mixed types \(bool, float, str\)"),
    ],
)
def test_mixed_and_odd_types(values, types):
    with pytest.raises(DataTypeError, match=f"The column holds values of {types}: each"):
        object_cells(values, "The column")


def test_number_too_large():
    with pytest.raises(BayeswoodError, match="The column holds a number beyond the range"):
        object_cells([10**400, 1], "The column")


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f2", "f4", "f8", "g", ">f8", "<i4"])
def test_numeric_arrays(dtype):
    cells = array_cells(np.array([1, 2], dtype=dtype), "c")
    assert cells.family == "number"
    assert cells.floats().tolist() == [1.0, 2.0]
    assert not cells.is_missing().any()


def test_boolean_and_string_arrays():
    assert array_cells(np.array([True, False]), "c").floats().tolist() == [1.0, 0.0]
    assert words_of(array_cells(np.array(["b", "a"]), "c")) == ["b", "a"]


def test_dictionary_of_words():
    entries = object_cells(["z", "a", None], "c")
    cells = through_dictionary(np.array([1, -1, 0, 2]), entries)
    assert words_of(cells) == ["a", None, "z", None]
    assert cells.declared


def test_dictionary_of_integers_and_floats():
    integers = through_dictionary(np.array([1, -1, 0]), Cells("number", np.array([7, 2**60 + 1])))
    assert integers.values[0] == 2**60 + 1
    assert integers.is_missing().tolist() == [False, True, False]
    floats = through_dictionary(np.array([1, -1]), Cells("number", np.array([0.5, 1.5])))
    np.testing.assert_array_equal(floats.floats(), [1.5, np.nan])
