"""Batches of rows are read by the marks of training alone."""

import datetime as dt

import pyarrow as pa
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.table import Column, Schema
from bayeswood.table.moments import Moments
from bayeswood.table.reading.later_rows import read_as_trained
from bayeswood.table.written import Reading, Written

COMMA = Written(decimal=",", thousands=".")
SCHEMA = Schema(
    (Column("a", "numeric"), Column("c", "category", ("x",)), Column("w.year", "numeric")),
    named=True,
    moments=(Moments("w", "date", ("year",)),),
    reading=Reading("y", (), {"a": COMMA, "w": Written(date_format="%d/%m/%Y"), "y": COMMA}),
)


def read(**cells):
    return read_as_trained(pa.table(cells), SCHEMA).to_pydict()


def test_text_becomes_what_training_had():
    found = read(a=["1.234", "n/a"], c=["1", "2"], w=["01/02/2024", None], y=["2,5", "3"])
    assert found == {
        "a": [1234.0, None],
        "c": ["1", "2"],
        "w": [dt.datetime(2024, 2, 1), None],
        "y": [2.5, 3.0],
    }


def test_numbers_and_missing_columns_stay():
    assert read(a=[1.5], c=["x"], w=pa.nulls(1)) == {"a": [1.5], "c": ["x"], "w": [None]}
    assert read(a=pa.nulls(1, pa.string()), other=["1,5"]) == {"a": [None], "other": ["1,5"]}


@pytest.mark.parametrize(("cells", "words"), [
    ({"a": ["1234.5"]}, "'a' of X held numbers.*'1234.5'.*--decimal"),
    ({"a": ["1,5", "cheap"]}, "'cheap'"),
    ({"w": ["soon"]}, "'w' of X held dates.*'soon'"),
])  # fmt: skip
def test_nothing_is_guessed(cells, words):
    with pytest.raises(BayeswoodError, match=words):
        read(**cells)
