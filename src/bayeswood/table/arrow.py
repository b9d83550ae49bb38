"""Arrow's tables and their columns: plain ones here, all others as those of any data frame."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.table.arrow_functions import dictionary
from bayeswood.table.cells import Cells, object_cells, through_dictionary
from bayeswood.table.moments import MomentCells
from bayeswood.table.written import Reading


def is_arrow_table(X: Any) -> bool:
    """Whether something is a `pyarrow.Table`; pyarrow is not imported to find out."""
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(X, pyarrow.Table)


@dataclass(frozen=True)
class ArrowTable:
    """A table of Arrow's: columns have names and types of their own."""

    table: Any
    names: tuple[str, ...] | None
    shape: tuple[int, int]

    def matrix(self) -> None:
        """Columns lie apart."""
        return

    def write_floats(
        self, matrix: NDArray[np.float64], wanted: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Write those of the wanted columns that are floats, as they are; tell which these are."""
        import pyarrow as pa

        kinds = (pa.float64(), pa.float32())
        floats: NDArray[np.bool_] = wanted & np.array([c.type in kinds for c in self.table.columns])
        for j in map(int, np.flatnonzero(floats)):
            matrix[:, j] = self.table.column(j).to_numpy()
        return floats

    def cells(self, index: int) -> Cells:
        """Read one column."""
        column, what = self.table.column(index), self._what(index)
        cells = _plain_cells(column, what)
        if cells is not None:
            return cells
        from bayeswood.table.frame import arrow_series, series_cells

        return series_cells(arrow_series(column), what)

    def moments(self, index: int) -> MomentCells | None:
        """Read one column if it holds dates, times or durations."""
        import pyarrow as pa

        column = self.table.column(index)
        if not pa.types.is_temporal(column.type):
            return None
        from bayeswood.table.frame import arrow_series, series_moments

        series = arrow_series(column)
        return series_moments(series, self._what(index)) if series.dtype.is_temporal() else None

    def reading(self) -> Reading:
        """What the table carries of the file that it was read from."""
        return Reading.from_metadata(self.table.schema.metadata)

    def _what(self, index: int) -> str:
        return f"Column {self.table.column_names[index]!r} of X"


def _plain_cells(column: Any, what: str) -> Cells | None:
    """Text, and numbers, true and false without missing cells; None for all else."""
    from pyarrow import types

    if types.is_string(column.type):
        return _text_cells(column, what)
    if column.null_count:
        return None
    if types.is_integer(column.type):
        return Cells("number", column.to_numpy())
    if types.is_float32(column.type) or types.is_float64(column.type):
        return Cells("number", column.to_numpy().astype(np.float64, copy=False))
    if types.is_boolean(column.type):
        return Cells("bool", column.to_numpy().astype(np.float64))
    return None


def _text_cells(column: Any, what: str) -> Cells:
    codes, words = dictionary(column)
    cells = through_dictionary(codes, object_cells(words, what))
    if cells.family == "nothing":
        return Cells("string", np.full(len(column), -1))
    return replace(cells, declared=False)
