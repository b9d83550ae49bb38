"""Feature names: scikit-learn's rules, compared with scikit-learn's own words."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeRegressor

from bayeswood.table import fit_table, transform_table

DATA = np.arange(12.0).reshape(4, 3)
FRAME = pd.DataFrame(DATA, columns=["a", "b", "c"])
NAME = DecisionTreeRegressor.__name__


def their_words(fitted, later):
    """What scikit-learn warns or raises when a tree meets these two tables."""
    tree = DecisionTreeRegressor().fit(fitted, DATA[:, 0])
    return outcome(lambda: tree.predict(later))


def our_words(fitted, later):
    _, schema = fit_table(fitted, estimator_name=NAME)
    return outcome(lambda: transform_table(later, schema, estimator_name=NAME))


def outcome(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except ValueError as error:
            return str(error)
    return [(warning.category, str(warning.message)) for warning in caught]


WIDE = pd.DataFrame(np.ones((4, 9)), columns=list("ijklmnopq"))


@pytest.mark.parametrize(
    ("fitted", "later"),
    [
        (FRAME, FRAME),
        (DATA, DATA),
        (FRAME, DATA),
        (DATA, FRAME),
        (FRAME, FRAME[["b", "a", "c"]]),
        (FRAME, FRAME[["a", "b"]]),
        (FRAME, FRAME.assign(d=1.0)),
        (FRAME, FRAME.rename(columns={"a": "z"})),
        (FRAME, WIDE),
        (WIDE, FRAME),
        (FRAME, DATA[:, :2]),
        (DATA, DATA[:, :1]),
        (FRAME, pd.DataFrame(DATA)),
        (pd.DataFrame(DATA), FRAME),
        (pd.DataFrame(DATA), DATA),
        (FRAME, pl.DataFrame(DATA, schema=["a", "b", "c"])),
        (FRAME, pl.DataFrame(DATA, schema=["c", "b", "a"])),
    ],
)
def test_same_words_as_scikit_learn(fitted, later):
    assert our_words(fitted, later) == their_words(fitted, later)


def test_names_of_mixed_types_as_scikit_learn():
    mixed = FRAME.rename(columns={"a": 0})
    with pytest.raises(TypeError) as theirs:
        DecisionTreeRegressor().fit(mixed, DATA[:, 0])
    with pytest.raises(TypeError) as ours:
        fit_table(mixed, estimator_name=NAME)
    assert str(ours.value) == str(theirs.value)


def test_names_and_made_up_names():
    assert fit_table(FRAME, estimator_name=NAME)[1].names == ("a", "b", "c")
    _, unnamed = fit_table(pd.DataFrame(DATA), estimator_name=NAME)
    assert not unnamed.named
    assert unnamed.names == ("x0", "x1", "x2")


def test_multi_index_names_are_no_names():
    columns = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c"), ("d", "e")])
    matrix, schema = fit_table(pd.DataFrame(DATA, columns=columns), estimator_name=NAME)
    assert not schema.named
    np.testing.assert_array_equal(matrix, DATA)
