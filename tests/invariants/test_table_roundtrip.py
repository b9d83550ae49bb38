"""Laws of reading a table, on tables that Hypothesis makes up."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from bayeswood.table import Schema, fit_class_target, fit_table, transform_table

# The examples of a law come from its name, and a busy machine is no failure.
LAW = settings(derandomize=True, deadline=None)

FINITE = st.floats(allow_nan=False, allow_infinity=False)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
VALUES = {"f": FINITE, "i": INTEGERS, "s": WORDS, "b": st.booleans()}
POLARS_TYPES = {"f": pl.Float64, "i": pl.Int64, "s": pl.String, "b": pl.Boolean}
PANDAS_TYPES = {"f": "Float64", "i": "Int64", "s": "str", "b": "boolean"}
ARROW_TYPES = {"f": pa.float64(), "i": pa.int64(), "s": pa.string(), "b": pa.bool_()}


@st.composite
def columns(draw):
    """Columns by name; the first letter of a name tells its type, None is missing."""
    n_rows = draw(st.integers(1, 8))
    letters = draw(st.lists(st.sampled_from("fisb"), min_size=1, max_size=4))
    return {
        f"{letter}{j}": draw(st.lists(st.none() | VALUES[letter], min_size=n_rows, max_size=n_rows))
        for j, letter in enumerate(letters)
    }


def as_polars(table):
    return pl.DataFrame(table, schema={name: POLARS_TYPES[name[0]] for name in table})


def as_pandas(table):
    return pd.DataFrame(
        {name: pd.array(values, dtype=PANDAS_TYPES[name[0]]) for name, values in table.items()}
    )


def as_arrow(table):
    return pa.table({name: pa.array(v, ARROW_TYPES[name[0]]) for name, v in table.items()})


def decoded(matrix, schema):
    """What a matrix says in the user's words."""
    for j, column in enumerate(schema.columns):
        cells = [None if np.isnan(cell) else cell for cell in matrix[:, j].tolist()]
        if column.kind == "category":
            cells = [None if cell is None else column.levels[int(cell)] for cell in cells]
        yield cells


FORCED = st.sampled_from([False, True])


@LAW
@given(columns(), FORCED)
def test_a_matrix_decodes_to_the_table(table, forced):
    chosen = list(table) if forced else "from_dtype"
    matrix, schema = fit_table(
        as_polars(table), categorical_features=chosen, estimator_name="Forest"
    )
    for (name, values), found in zip(table.items(), decoded(matrix, schema), strict=True):
        is_number = name[0] in "fi" and not forced
        expected = [v if v is None or not is_number else float(v) for v in values]
        assert found == expected


@LAW
@given(columns(), FORCED)
def test_every_library_gives_the_same_matrix_and_schema(table, forced):
    chosen = list(table) if forced else "from_dtype"
    expected, schema = fit_table(
        as_polars(table), categorical_features=chosen, estimator_name="Forest"
    )
    for frame in (as_pandas(table), as_arrow(table)):
        matrix, same = fit_table(frame, categorical_features=chosen, estimator_name="Forest")
        assert same == schema
        np.testing.assert_array_equal(matrix, expected)


@LAW
@given(columns(), FORCED, st.sampled_from([as_polars, as_pandas, as_arrow]))
def test_the_training_table_reads_back_the_same(table, forced, library):
    frame = library(table)
    chosen = list(table) if forced else "from_dtype"
    matrix, schema = fit_table(frame, categorical_features=chosen, estimator_name="Forest")
    np.testing.assert_array_equal(transform_table(frame, schema, estimator_name="Forest"), matrix)


@LAW
@given(columns(), FORCED)
def test_a_schema_survives_json(table, forced):
    chosen = list(table) if forced else "from_dtype"
    _, schema = fit_table(as_arrow(table), categorical_features=chosen, estimator_name="Forest")
    back = Schema.from_json(json.loads(json.dumps(schema.to_json())))
    assert back == schema
    assert [c.level_type for c in back.columns] == [c.level_type for c in schema.columns]


@LAW
@given(columns())
def test_levels_are_lawful(table):
    matrix, schema = fit_table(as_polars(table), estimator_name="Forest")
    for j, column in enumerate(schema.columns):
        if column.kind == "category":
            present = matrix[~np.isnan(matrix[:, j]), j]
            assert set(present) == set(range(len(column.levels)))
            assert list(column.levels) == sorted(set(column.levels))


@LAW
@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, min_size=1, max_size=8))
def test_an_unseen_level_is_missing(before, after):
    _, schema = fit_table(pl.DataFrame({"s": before}), estimator_name="Forest")
    matrix = transform_table(pl.DataFrame({"s": after}), schema, estimator_name="Forest")
    assert [np.isnan(cell) for cell in matrix[:, 0]] == [word not in before for word in after]


@LAW
@given(st.sampled_from("isb").flatmap(lambda letter: st.lists(VALUES[letter], min_size=1)))
def test_classes_decode_to_the_labels(labels):
    codes, classes = fit_class_target(labels, "Forest")
    assert classes[codes].tolist() == labels
    assert classes.tolist() == sorted(set(labels))
