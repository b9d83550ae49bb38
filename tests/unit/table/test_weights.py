"""Weights in every form; those refused are in ``test_bad_inputs.py``."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayeswood.table import check_weights, scale_weights, weight_exponent


def test_none_stays_none():
    assert check_weights(None, 3, "Forest") is None


@pytest.mark.parametrize(
    "weights",
    [
        [0, 1, 2],
        (0.0, 1.0, 2.0),
        np.array([0, 1, 2], dtype=np.uint8),
        np.array([0, 1, 2], dtype=np.float32),
        np.array([2.0, 1.0, 0.0])[::-1],
        np.array([0, 1, 2], dtype=object),
        pd.Series([0, 1, 2], index=[2, 1, 0]),
        pd.Series([0, 1, 2], dtype="Int64"),
        pl.Series([0, 1, 2]),
        pa.chunked_array([[0], [1, 2]]),
    ],
)
def test_forms(weights):
    checked = check_weights(weights, 3, "Forest")
    assert checked.dtype == np.float64
    assert checked.flags.c_contiguous
    assert checked.tolist() == [0.0, 1.0, 2.0]


def test_a_number_is_every_rows_weight():
    assert check_weights(2, 3, "Forest").tolist() == [2.0, 2.0, 2.0]


def test_booleans_choose_rows():
    assert check_weights(np.array([True, False]), 2, "Forest").tolist() == [1.0, 0.0]


def test_float64_is_not_copied():
    weights = np.ones(3)
    assert np.shares_memory(check_weights(weights, 3, "Forest"), weights)


@pytest.mark.parametrize(
    ("largest", "exponent"),
    [(0.0, 0), (1.0, 0), (2.0**59, 0), (2.0**60, 61), (2.0**-62, -61), (2.0**-61, 0)],
)
def test_only_an_extreme_size_is_scaled(largest, exponent):
    assert weight_exponent(largest) == exponent
    scaled = scale_weights(np.array([largest, largest / 2]))
    assert scaled.tolist() == [largest * 2.0**-exponent, largest / 2 * 2.0**-exponent]
