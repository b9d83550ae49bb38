"""Refuse infinite values, naming the place, without a table-sized temporary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table.schema import Schema

#: Cells looked at in one go: their flags stay in the processor's cache.
BLOCK_CELLS = 1 << 16


def find_infinite(matrix: NDArray[Any]) -> tuple[int, int] | None:
    """Find an infinite cell of a float matrix.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
        Floats of any strides; NaN is not infinite.

    Returns
    -------
    (row, column) or None
        The first infinite cell in the order of memory.

    Examples
    --------
    >>> find_infinite(np.array([[1.0, np.nan], [np.inf, 2.0]]))
    (1, 0)
    """
    if abs(matrix.strides[0]) >= abs(matrix.strides[1]):
        return _find_by_lines(matrix)
    found = _find_by_lines(matrix.T)
    return found if found is None else found[::-1]


def refuse_infinite(matrix: NDArray[Any], schema: Schema, estimator_name: str) -> None:
    """Raise a `BayeswoodError` that names column and row if a cell is infinite."""
    place = find_infinite(matrix)
    if place is not None:
        row, column = place
        raise BayeswoodError(
            f"Input X contains infinity: column {schema.names[column]!r}, row {row}. "
            f"{estimator_name} takes NaN for a missing value, but no infinite ones."
        )


def _find_by_lines(matrix: NDArray[Any]) -> tuple[int, int] | None:
    n_lines, line_cells = matrix.shape
    if line_cells > 2 * BLOCK_CELLS:
        return _find_in_long_lines(matrix)
    step = max(1, BLOCK_CELLS // max(1, line_cells))
    flags = np.empty((min(step, n_lines), line_cells), dtype=np.bool_)
    for start in range(0, n_lines, step):
        block = matrix[start : start + step]
        infinite = np.isinf(block, out=flags[: len(block)])
        if infinite.any():
            line, cell = np.argwhere(infinite)[0]
            return start + int(line), int(cell)
    return None


def _find_in_long_lines(matrix: NDArray[Any]) -> tuple[int, int] | None:
    flags = np.empty(BLOCK_CELLS, dtype=np.bool_)
    for line, cells in enumerate(matrix):
        for start in range(0, len(cells), BLOCK_CELLS):
            block = cells[start : start + BLOCK_CELLS]
            infinite = np.isinf(block, out=flags[: len(block)])
            if infinite.any():
                return line, start + int(np.argmax(infinite))
    return None
