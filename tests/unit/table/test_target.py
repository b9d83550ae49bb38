"""Targets of every label type."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from bayeswood.errors import BayeswoodError
from bayeswood.table import (
    check_response_size,
    classes_from_plain,
    classes_to_plain,
    fit_class_target,
    fit_numeric_target,
)

WORDS = ["no", "yes", "no", "maybe"]
CODES = [1, 2, 1, 0]
CLASSES = ["maybe", "no", "yes"]


@pytest.mark.parametrize(
    "y",
    [
        WORDS,
        tuple(WORDS),
        np.array(WORDS),
        np.array(WORDS, dtype=object),
        pd.Series(WORDS),
        pd.Series(WORDS, dtype=object, index=[3, 1, 2, 0]),
        pd.Series(WORDS, dtype="string[python]"),
        pd.Categorical(WORDS, categories=["yes", "unused", "no", "maybe"]),
        pd.Series(pd.Categorical(WORDS)),
        pl.Series(WORDS),
        pl.Series(WORDS, dtype=pl.Categorical),
        pl.Series(WORDS, dtype=pl.Enum(["yes", "unused", "no", "maybe"])),
        pa.chunked_array([WORDS]),
        pa.chunked_array([pa.array(WORDS).dictionary_encode()]),
    ],
)
def test_words(y):
    codes, classes = fit_class_target(y, "Forest")
    assert codes.dtype == np.int32
    assert codes.tolist() == CODES
    assert classes.tolist() == CLASSES
    assert all(type(label) is str for label in classes.tolist())


def test_fixed_width_strings_stay_so():
    assert fit_class_target(np.array(WORDS), "Forest")[1].dtype == np.dtype("U5")
    assert fit_class_target(np.array(WORDS, dtype=object), "Forest")[1].dtype == object


@pytest.mark.parametrize(
    ("y", "classes", "dtype"),
    [
        ([3, 1, 3], [1, 3], np.int64),
        (np.array([3, 1, 3], dtype=np.uint8), [1, 3], np.uint8),
        (np.array([-1.0, 1.0], dtype=np.float32), [-1.0, 1.0], np.float32),
        (np.array([2**60 + 1, 2**60]), [2**60, 2**60 + 1], np.int64),
        (np.array([3, 1], dtype=object), [1, 3], np.int64),
        (pd.Series([3, 1], dtype="Int64"), [1, 3], np.int64),
        (pl.Series([3, 1], dtype=pl.UInt16), [1, 3], np.uint16),
        ([True, False], [False, True], np.bool_),
        (pd.Series([True, True], dtype="boolean"), [True], np.bool_),
        (np.array([True, False], dtype=object), [False, True], np.bool_),
        (pl.Series([True, False]), [False, True], np.bool_),
        (pd.Series(pd.Categorical([0.5, 0.25])), [0.25, 0.5], np.float64),
    ],
)
def test_numbers_and_booleans(y, classes, dtype):
    codes, found = fit_class_target(y, "Forest")
    assert found.tolist() == classes
    assert found.dtype == dtype
    assert found[codes].tolist() == list(y)


def test_one_class_and_one_row():
    codes, classes = fit_class_target(["only"], "Forest")
    assert codes.tolist() == [0]
    assert classes.tolist() == ["only"]


@pytest.mark.parametrize(
    "make", [np.array, lambda labels: np.array(labels, dtype=object), pl.Series]
)
def test_a_hundred_thousand_classes(make):
    labels = [f"class {i:06d}" for i in range(100_000)]
    codes, classes = fit_class_target(make(labels[::-1]), "Forest")
    assert classes.tolist() == labels
    np.testing.assert_array_equal(codes, np.arange(100_000)[::-1])


@pytest.mark.parametrize(
    "y",
    [np.array([[1], [0]]), pd.DataFrame({"y": [1, 0]}), pl.DataFrame({"y": [1, 0]}), [[1], [0]]],
)
def test_a_column_is_taken_with_a_warning(y):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array"):
        codes, _ = fit_class_target(y, "Forest")
    assert codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    "y",
    [
        [1, 2.5],
        np.array([1, 2.5], dtype=np.float32),
        np.array([1, 2.5], dtype=object),
        pd.Series([1, 2.5], dtype="Float64"),
        pl.Series([1.0, 2.5]),
        pa.chunked_array([[1.0], [2.5]]),
    ],
)
def test_one_output(y):
    target, is_single = fit_numeric_target(y, "Forest")
    assert is_single
    assert target.dtype == np.float64
    assert target.tolist() == [[1.0], [2.5]]


@pytest.mark.parametrize(
    "y",
    [
        [[1, 2.5], [True, 4]],
        np.array([[1, 2.5], [1, 4]], order="F"),
        pd.DataFrame({"u": [1, 1], "v": [2.5, 4.0]}),
        pl.DataFrame({"u": [True, True], "v": [2.5, 4.0]}),
        pa.table({"u": [1, 1], "v": [2.5, 4.0]}),
    ],
)
def test_two_outputs(y):
    target, is_single = fit_numeric_target(y, "Forest")
    assert not is_single
    assert target.flags.c_contiguous
    assert target.tolist() == [[1.0, 2.5], [1.0, 4.0]]


def test_a_matrix_of_one_column_is_one_target():
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        target, is_single = fit_numeric_target([[1], [2]], "Forest")
    assert caught[0].filename == __file__
    assert is_single
    assert target.shape == (2, 1)


def test_strided_and_read_only():
    y = np.arange(8.0)[::-2]
    y.flags.writeable = False
    target, _ = fit_numeric_target(y, "Forest")
    assert target.ravel().tolist() == [7.0, 5.0, 3.0, 1.0]
    codes, _ = fit_class_target(y, "Forest")
    assert codes.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("largest", [[0.0], [1e-120, 1e120], [3.0, 0.0]])
def test_responses_that_can_be_squared(largest):
    check_response_size(np.array(largest), "y", "Forest")


@pytest.mark.parametrize("size", [1e121, 1e-121])
def test_responses_that_cannot_be_squared_are_refused(size):
    words = rf"of the target is {re.escape(f'{size:g}')} in size.*by Forest\."
    with pytest.raises(BayeswoodError, match=words):
        check_response_size(np.array([1.0, size]), "the target", "Forest")


@pytest.mark.parametrize(
    "classes",
    [
        np.array([False, True]),
        np.array([1, 2**60]),
        np.array([1, 200], dtype=np.uint8),
        np.array([0.0, 1.0], dtype=np.float32),
        np.array(["a", "long"]),
        np.array(["a", "long"], dtype=object),
    ],
)
def test_classes_survive_as_plain_data(classes):
    plain = json.loads(json.dumps(classes_to_plain(classes)))
    again = classes_from_plain(plain, "The file")
    assert again.dtype == classes.dtype
    np.testing.assert_array_equal(again, classes)


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        (None, r"The file lacks 'labels'\."),
        ({"labels": ["a"]}, r"The file lacks 'dtype'\."),
        ({"labels": "ab", "dtype": "|O"}, "'labels' of the wrong type"),
        ({"labels": [1], "dtype": 3}, "'dtype' of the wrong type"),
        ({"labels": [], "dtype": "<i8"}, "unknown type"),
        ({"labels": [1], "dtype": "<M8[s]"}, "unknown type"),
        ({"labels": [True], "dtype": "<i8"}, "not of type"),
        ({"labels": [[1]], "dtype": "|O"}, "not of type"),
        ({"labels": [300], "dtype": "|u1"}, "unreadable"),
        ({"labels": ["a", "a"], "dtype": "|O"}, "twice"),
    ],
)
def test_plain_classes_are_not_trusted(plain, message):
    with pytest.raises(BayeswoodError, match=message):
        classes_from_plain(plain, "The file")


def test_strings_take_no_more_memory_than_they_need():
    found = classes_from_plain({"labels": ["a"], "dtype": "<U1000000000"}, "The file")
    assert found.dtype == "<U1"
