"""`Schema`: its views, and JSON there and back with nothing else let in."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.table import MAX_LEVELS, Column, Schema

SCHEMA = Schema(
    (
        Column("age", "numeric"),
        Column("town", "category", ("Aix", "Zug")),
        Column("smokes", "category", (False, True)),
        Column("grade", "category", (0, 2, 2**64 - 1)),
        Column("dose", "category", (0.25, 0.5)),
        Column("void", "category"),
    ),
    named=True,
)


def test_views():
    assert SCHEMA.n_features == 6
    assert SCHEMA.names == ("age", "town", "smokes", "grade", "dose", "void")
    assert SCHEMA.n_levels.dtype == np.int32
    assert SCHEMA.n_levels.tolist() == [0, 2, 2, 3, 2, 0]
    assert not SCHEMA.all_numeric
    assert Schema((Column("x0", "numeric"),), named=False).all_numeric


def test_n_levels_is_the_callers_own():
    SCHEMA.n_levels[0] = 7
    assert SCHEMA.n_levels[0] == 0


@pytest.mark.parametrize(
    ("position", "level_type"), [(0, None), (1, str), (2, bool), (3, int), (4, float), (5, None)]
)
def test_level_type(position, level_type):
    assert SCHEMA.columns[position].level_type is level_type


def test_json_round_trip_keeps_level_types():
    back = Schema.from_json(json.loads(json.dumps(SCHEMA.to_json())))
    assert back == SCHEMA
    for before, after in zip(SCHEMA.columns, back.columns, strict=True):
        assert [type(level) for level in after.levels] == [type(level) for level in before.levels]


def test_pickle_round_trip():
    assert pickle.loads(pickle.dumps(SCHEMA)) == SCHEMA


def with_column(**changes):
    obj = copy.deepcopy(SCHEMA.to_json())
    obj["columns"][1].update(changes)
    return obj


def without(key):
    obj = copy.deepcopy(SCHEMA.to_json())
    del obj["columns"][1][key]
    return obj


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (None, "The schema must be an object with the members 'named', 'columns'"),
        ([], "The schema must be an object"),
        ({"named": True}, "The schema must be an object"),
        ({**SCHEMA.to_json(), "more": 1}, "and no other"),
        ({**SCHEMA.to_json(), "named": 1}, "'named' must be of type bool. Got int instead"),
        ({**SCHEMA.to_json(), "columns": {}}, "'columns' must be of type list. Got dict"),
        ({"named": True, "columns": []}, "at least one column"),
        ({"named": True, "columns": [3]}, "Column 0 of the schema must be an object"),
        (without("levels"), "Column 1 of the schema must be an object"),
        (with_column(name=3), "'name' must be of type str. Got int"),
        (with_column(name="age"), "names must be distinct"),
        (with_column(kind="ordinal"), "'numeric' or 'category'. Got 'ordinal' instead"),
        (with_column(kind="numeric"), "is numeric and must have no levels"),
        (with_column(levels="ab"), "'levels' must be of type list"),
        (with_column(levels=["a", 1]), "all str, all bool, all int or all float"),
        (with_column(levels=[1, True]), "all str, all bool, all int or all float"),
        (with_column(levels=[None]), "all str, all bool, all int or all float"),
        (with_column(levels=[["a"]]), "all str, all bool, all int or all float"),
        (with_column(levels=[0.5, float("inf")]), "finite"),
        (with_column(levels=[float("nan")]), "finite"),
        (with_column(levels=[1, 2**64]), "64 bits"),
        (with_column(levels=[-1, 2**63]), "64 bits"),
        (with_column(levels=["b", "a"]), "ascending"),
        (with_column(levels=["a", "a"]), "distinct"),
        (with_column(levels=list(range(MAX_LEVELS + 1))), "65536 levels; at most 65535"),
        ({**SCHEMA.to_json(), "named": False}, "must be called x0, x1"),
    ],
)
def test_from_json_refuses(obj, message):
    with pytest.raises(BayeswoodError, match=message):
        Schema.from_json(obj)
