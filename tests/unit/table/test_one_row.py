"""A frame of one row is read cell by cell, and gives what reading its columns gives."""

import datetime
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.table import encode, fit_table, transform_row, transform_table
from bayeswood.table.one_row import encode_row, frame_row

NAME = "Forest"
TRAINING = pd.DataFrame(
    {
        "number": [1.5, np.nan, -2.0, 0.0],
        "whole": [1, 2, 3, 2**60],
        "word": ["b", "a", None, "c"],
        "flag": [True, False, True, True],
        "code": pd.Categorical([10, 20, 10, 2**53 + 2]),
        "share": pd.Categorical([0.5, 0.25, 0.5, 0.75]),
        "kind": pd.Categorical(["x", "y", "x", "y"]),
        "empty": pd.Series([None] * 4, dtype=object),
    }
)
SCHEMA = fit_table(TRAINING, estimator_name=NAME)[1]
ROW = {
    "number": 0.1,
    "whole": 7,
    "word": "a",
    "flag": False,
    "code": 20,
    "share": 0.75,
    "kind": "y",
    "empty": None,
}
ODD = [None, np.nan, "a", "z", "", "nan", 0, 1, 2, -1, 10, 20.0, 0.5, True, False, 2**53 + 1]
ODD += [2**53 + 2, 2**70, np.inf, -np.inf, -0.0, 1e300, np.float32(0.1), np.int8(10), np.str_("a")]
ODD += [np.bool_(True), pd.NA, pd.NaT, datetime.date(2020, 1, 2), 1j, b"a", [1], np.uint64(2**63)]


def outcome(action):
    """The bits of an array and the warnings, or the error and its words."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = action()
        except (ValueError, TypeError) as error:
            return type(error), str(error)
    assert found.shape == (1, len(SCHEMA.columns))
    return found.astype(np.float64).tobytes(), [str(warning.message) for warning in caught]


def by_columns(X, unseen=np.nan):
    """As a table, column by column."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode, "frame_row", lambda *_: None)
        return outcome(lambda: transform_table(X, SCHEMA, estimator_name=NAME, unseen=unseen))


@pytest.mark.parametrize("unseen", [np.nan, -1.0])
@pytest.mark.parametrize("column", list(ROW))
def test_every_cell_is_read_as_in_a_table(column, unseen):
    n_plain = 0
    for value in ODD:
        row = {**ROW, column: value}
        frame = pd.DataFrame({name: pd.Series([cell], dtype=object) for name, cell in row.items()})
        for X in (frame, frame.infer_objects()):
            found = outcome(
                lambda X=X: transform_table(X, SCHEMA, estimator_name=NAME, unseen=unseen)
            )
            assert found == by_columns(X, unseen)
            n_plain += frame_row(X, SCHEMA, unseen) is not None
        expected = by_columns(frame, unseen)
        given = outcome(
            lambda row=row: transform_row(row, SCHEMA, estimator_name=NAME, unseen=unseen)
        )
        assert given == expected
    assert n_plain > 8


@pytest.mark.parametrize(
    "dtypes",
    [
        {},
        {"number": "float32", "whole": "int8", "word": "category", "flag": "boolean"},
        {"number": "Float64", "whole": "Int64", "word": "string", "code": "float64"},
        {"word": object, "flag": object, "code": "int64", "share": "float64", "kind": object},
    ],
)
def test_types_of_pandas(dtypes):
    rows = pd.DataFrame([ROW, {**ROW, "word": "unseen"}, {**ROW, "word": None, "number": None}])
    rows = rows.astype(dtypes)
    for i in range(3):
        one = rows.iloc[i : i + 1]
        found = outcome(lambda one=one: transform_table(one, SCHEMA, estimator_name=NAME))
        assert found == by_columns(one)


@pytest.mark.parametrize("words", [pl.String, pl.Categorical, pl.Enum(["a", "b", "unseen"])])
def test_types_of_polars(words):
    rows = [ROW, {**ROW, "word": "unseen"}, {**ROW, "word": None, "number": None, "flag": None}]
    frame = pl.DataFrame(rows).with_columns(
        pl.col("word").cast(words), pl.col("whole").cast(pl.Int8)
    )
    for i in range(3):
        one = frame[i : i + 1]
        assert frame_row(one, SCHEMA, np.nan) is not None
        found = outcome(lambda one=one: transform_table(one, SCHEMA, estimator_name=NAME))
        assert found == by_columns(one)


def test_frames_that_are_not_as_in_training():
    frame = pd.DataFrame([ROW])
    others = [
        frame[list(ROW)[::-1]],
        frame.drop(columns="word"),
        frame.assign(more=1),
        frame.rename(columns={"word": "words"}),
        frame.set_axis(range(len(ROW)), axis=1),
        frame.iloc[:0],
        frame.assign(number=pd.Timestamp("2020-01-01")),
    ]
    for other in others:
        found = outcome(lambda other=other: transform_table(other, SCHEMA, estimator_name=NAME))
        assert found == by_columns(other)
        assert isinstance(found[0], type) or found[1]


def test_a_frame_of_dates_alone_is_not_made_numbers():
    numbers = fit_table(pd.DataFrame({"x": [1.0, 2.0]}), estimator_name=NAME)[1]
    dates = pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])})
    assert frame_row(dates, numbers, np.nan) is None


def test_rows_in_their_forms_are_the_same():
    expected = transform_table(pd.DataFrame([ROW]), SCHEMA, estimator_name=NAME)
    values = list(ROW.values())
    for row in (ROW, dict(reversed(ROW.items())), values, tuple(values), pd.Series(ROW)):
        np.testing.assert_array_equal(transform_row(row, SCHEMA, estimator_name=NAME), expected)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    np.testing.assert_array_equal(transform_row(array, SCHEMA, estimator_name=NAME), expected)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({k: v for k, v in ROW.items() if k != "flag"}, "lacks the column 'flag'"),
        ({**ROW, "more": 1}, "has a column 'more'"),
        ([1, 2], "has 2 features, but Forest is expecting 8"),
        (np.zeros((1, 8)), r"1-dimensional. Got an array of shape \(1, 8\)"),
        ("abcdefgh", "Got str instead"),
        (3.0, "Got float instead"),
        ({**ROW, "number": "high"}, "'number' of X held numbers when Forest was fitted"),
        ({**ROW, "number": np.inf}, "infinity"),
        ({**ROW, "number": datetime.date(2020, 1, 1)}, "'number'"),
    ],
)
def test_rows_that_cannot_be_read(row, words):
    with pytest.raises(BayeswoodError, match=words):
        transform_row(row, SCHEMA, estimator_name=NAME)


def test_tables_of_levels_stay_at_home():
    column = SCHEMA.columns[2]
    assert column.level_numbers == {"a": 0.0, "b": 1.0, "c": 2.0}
    again = pickle.loads(pickle.dumps(column))
    assert again == column
    assert "level_numbers" not in vars(again)
    assert encode_row(list(ROW.values()), SCHEMA, np.nan) is not None
