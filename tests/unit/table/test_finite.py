"""Infinite values are found wherever they are, in any layout."""

from __future__ import annotations

import numpy as np
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.table import finite
from bayeswood.table.schema import Column, Schema

LAYOUTS = {
    "C": lambda matrix: matrix,
    "F": np.asfortranarray,
    "every second row": lambda matrix: np.repeat(matrix, 2, axis=0)[::2],
    "columns backwards": lambda matrix: np.ascontiguousarray(matrix[:, ::-1])[:, ::-1],
    "rows backwards": lambda matrix: np.ascontiguousarray(matrix[::-1])[::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (500, 9), (2, 700)])
def test_every_place(layout, dtype, shape, monkeypatch):
    monkeypatch.setattr(finite, "BLOCK_CELLS", 64)
    for place in [(0, 0), (shape[0] - 1, shape[1] - 1), (shape[0] // 2, shape[1] // 2)]:
        matrix = np.full(shape, np.nan, dtype=dtype)
        matrix[place] = -np.inf
        assert finite.find_infinite(LAYOUTS[layout](matrix)) == place


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_to_find(layout, monkeypatch):
    monkeypatch.setattr(finite, "BLOCK_CELLS", 16)
    matrix = np.full((40, 3), np.finfo(np.float64).max)
    matrix[3, 1] = np.nan
    assert finite.find_infinite(LAYOUTS[layout](matrix)) is None


def test_broadcast_array():
    assert finite.find_infinite(np.broadcast_to(np.array([1.0, np.inf]), (5, 2))) == (0, 1)


def test_the_error_names_column_and_row():
    matrix = np.zeros((3, 2))
    matrix[2, 1] = np.inf
    two_columns = Schema((Column("a", "numeric"), Column("b", "numeric")), named=True)
    with pytest.raises(BayeswoodError, match=r"infinity: column 'b', row 2\. Forest takes NaN"):
        finite.refuse_infinite(matrix, two_columns, "Forest")
