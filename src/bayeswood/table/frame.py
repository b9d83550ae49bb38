"""Data frames and their columns, through narwhals: pandas, polars and their kin.

Arrow's own tables are read in `arrow.py`, but for columns that are not plain.

Strings are coded by the frame's own library (a hash table in native code), so that a column of a
million strings costs a few hundredths of a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.arrow_functions import dictionary
from bayeswood.table.cells import (
    Cells,
    array_cells,
    dates_message,
    moments_among,
    nothing,
    object_cells,
    through_dictionary,
    unusable_message,
)
from bayeswood.table.moments import (
    MomentCells,
    checked_zone,
    numpy_moments,
    object_moments,
)
from bayeswood.table.written import Reading

_WORDS = (nw.String, nw.Categorical, nw.Enum)


@dataclass(frozen=True)
class FrameTable:
    """A table that came as a data frame: columns have names and dtypes of their own."""

    frame: nw.DataFrame[Any]
    names: tuple[str, ...] | None
    shape: tuple[int, int]

    def matrix(self) -> NDArray[Any] | None:
        """The whole table as floats where pandas keeps it so already."""
        native = self.frame.to_native()
        if not self.frame.implementation.is_pandas():
            return None
        dtypes = set(native.dtypes)
        if dtypes in ({np.dtype(np.float64)}, {np.dtype(np.float32)}):
            return np.asarray(native)
        return None

    def write_floats(
        self, matrix: NDArray[np.float64], wanted: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Write those of the wanted columns that are floats, as they are; tell which these are."""
        dtypes = self.frame.schema.dtypes()
        floats: NDArray[np.bool_] = wanted & np.array([dtype.is_float() for dtype in dtypes])
        for j in map(int, np.flatnonzero(floats)):
            matrix[:, j] = self.frame[:, j].cast(nw.Float64).to_numpy()
        return floats

    def cells(self, index: int) -> Cells:
        """Read one column."""
        return series_cells(self.frame[:, index], self._what(index))

    def moments(self, index: int) -> MomentCells | None:
        """Read one column if it holds dates, times or durations."""
        series = self.frame[:, index]
        if _holds_python_objects(series):
            return moments_among(np.asarray(series.to_native()), self._what(index))
        return series_moments(series, self._what(index)) if series.dtype.is_temporal() else None

    def reading(self) -> Reading:
        """What is known of the file: only Arrow's tables carry something."""
        return Reading()

    def _what(self, index: int) -> str:
        name = self.names[index] if self.names else f"x{index}"
        return f"Column {name!r} of X"


def unwrapped(X: Any) -> Any:
    """What a frame or series of narwhals holds; anything else as it is."""
    return nw.to_native(X, pass_through=True)


def as_frame(native: Any) -> nw.DataFrame[Any] | None:
    """A data frame that narwhals knows; None for what is none."""
    if isinstance(native, (np.ndarray, list, tuple)):
        return None
    try:
        frame = nw.from_native(native, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise BayeswoodError(f"The column names of X must be distinct. {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise DataTypeError(
            f"X is a lazy frame ({type(native).__name__}). Collect it into memory first."
        )
    if isinstance(frame, nw.Series):
        raise BayeswoodError(
            f"Expected a 2-dimensional container but got {type(native)} instead. Pass a DataFrame "
            "containing a single row (i.e. single sample) or a single column (i.e. single "
            "feature) instead."
        )
    if isinstance(frame, nw.DataFrame) and nw.dependencies.is_into_dataframe(native):
        return frame
    return None


def arrow_series(column: Any) -> nw.Series[Any]:
    """A column of an Arrow table."""
    return nw.from_native(column, series_only=True)


def series_moments(series: nw.Series[Any], what: str) -> MomentCells:
    """Read one column of dates, times or durations of a data frame."""
    dtype = series.dtype
    if dtype == nw.Time:
        return replace(object_moments(series.to_list(), what), kind="time")
    zone = checked_zone(getattr(dtype, "time_zone", None), what)
    if zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))
    return numpy_moments(series.to_numpy(), zone)


def series_cells(series: nw.Series[Any], what: str) -> Cells:
    """Read one column of a data frame.

    Parameters
    ----------
    series : narwhals Series
        The column.
    what : str
        How to call the column in an error, as in ``Column 'age' of X``.
    """
    dtype = series.dtype
    if _holds_python_objects(series):
        return object_cells(np.asarray(series.to_native()).tolist(), what)
    if dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128):
        return Cells("number", *_integers(series))
    if dtype.is_numeric():
        return Cells("number", series.cast(nw.Float64).to_numpy())
    if dtype == nw.Boolean:
        return Cells("bool", series.cast(nw.Float64).to_numpy())
    if any(dtype == words for words in _WORDS):
        return _dictionary_cells(series, what)
    if dtype.is_temporal():
        raise DataTypeError(dates_message(what, str(dtype)))
    return _other_cells(series, what)


def _holds_python_objects(series: nw.Series[Any]) -> bool:
    # narwhals looks at the first rows of an object column and may call it a string column.
    return getattr(series.to_native(), "dtype", None) == np.dtype(object)


def _integers(series: nw.Series[Any]) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Exact integers (a float64 holds them up to 2**53 only) and where they are missing."""
    if not series.null_count():
        return series.to_numpy(), None
    return series.fill_null(0).to_numpy(), series.is_null().to_numpy()


def _other_cells(series: nw.Series[Any], what: str) -> Cells:
    if series.null_count() == len(series):
        return nothing(len(series))
    if series.dtype == nw.Object or (series.dtype == nw.Unknown and _is_pandas_like(series)):
        return array_cells(np.asarray(series.to_numpy()), what)
    raise DataTypeError(unusable_message(what, str(series.dtype)))


def _is_pandas_like(series: nw.Series[Any]) -> bool:
    return bool(series.implementation.is_pandas_like())


def _dictionary_cells(series: nw.Series[Any], what: str) -> Cells:
    if series.implementation.is_polars():
        codes, entries = _polars_dictionary(series)
    elif series.implementation.is_pyarrow():
        codes, entries = dictionary(series.to_native())
    elif _is_pandas_like(series):
        codes, entries = _pandas_dictionary(series)
    else:
        return object_cells(series.to_list(), what)
    cells = through_dictionary(codes, object_cells(entries, what))
    if cells.family == "nothing" and series.dtype == nw.String:
        cells = Cells("string", np.full(len(series), -1))
    return replace(cells, declared=series.dtype != nw.String)


def _polars_dictionary(series: nw.Series[Any]) -> tuple[NDArray[Any], list[Any]]:
    if series.dtype == nw.String:
        series = series.cast(nw.Categorical)
    distinct = series.drop_nulls().unique()
    if not len(distinct):
        return np.full(len(series), -1), []
    physical = distinct.to_native().to_physical().to_numpy()
    codes, missing = _integers(nw.from_native(series.to_native().to_physical(), series_only=True))
    # Physical codes belong to a pool that may hold other columns' words too.
    position = np.full(int(physical.max()) + 1, -1)
    position[physical] = np.arange(len(physical))
    codes = position[codes]
    if missing is not None:
        codes[missing] = -1
    return codes, distinct.to_list()


def _pandas_dictionary(series: nw.Series[Any]) -> tuple[NDArray[Any], list[Any]]:
    native = series.to_native()
    if hasattr(native, "cat"):
        return native.cat.codes.to_numpy().astype(np.int64), list(native.cat.categories)
    codes, entries = native.factorize()
    return np.asarray(codes), list(entries)
