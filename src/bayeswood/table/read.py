"""Open whatever the user calls a table, and give its columns one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.arrow import ArrowTable, is_arrow_table
from bayeswood.table.cells import Cells, array_cells, moments_among, unmasked
from bayeswood.table.moments import MomentCells
from bayeswood.table.names import feature_names
from bayeswood.table.schema import generated_names
from bayeswood.table.written import Reading


@dataclass(frozen=True)
class ArrayTable:
    """A table that came as a 2-D array: columns have no names and share a dtype."""

    array: NDArray[Any]

    @property
    def names(self) -> None:
        """The user's names: arrays have none."""
        return

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.array.shape[0], self.array.shape[1]

    def matrix(self) -> NDArray[Any] | None:
        """The whole table as floats if it is numbers throughout; no copy of floats."""
        dtype = self.array.dtype
        if dtype in (np.float64, np.float32):  # in native byte order, that is
            return self.array
        if dtype.kind in "fiu":
            with np.errstate(over="ignore"):
                return self.array.astype(np.float64)
        return None

    def write_floats(
        self, matrix: NDArray[np.float64], wanted: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Write the wanted columns if they are floats, as they are; tell which these are."""
        floats = wanted & (self.array.dtype.kind == "f")
        with np.errstate(over="ignore"):
            matrix[:, floats] = self.array[:, floats]
        return floats

    def cells(self, index: int) -> Cells:
        """Read one column."""
        return array_cells(self.array[:, index], f"Column 'x{index}' of X")

    def moments(self, index: int) -> MomentCells | None:
        """Read one column if it holds dates, times or durations."""
        return moments_among(self.array[:, index], f"Column 'x{index}' of X")

    def reading(self) -> Reading:
        """What is known of the file: an array carries nothing."""
        return Reading()


if TYPE_CHECKING:
    from bayeswood.table.frame import FrameTable  # with narwhals, which plain tables do without

    Table = ArrayTable | ArrowTable | FrameTable


def open_table(X: Any, estimator_name: str) -> Table:
    """Recognise a table: NumPy, a data frame that narwhals knows, lists, or array-like.

    Parameters
    ----------
    X : array-like or data frame
        The user's table.
    estimator_name : str
        Who reads it, for the errors.

    Raises
    ------
    ValueError or TypeError
        In scikit-learn's words, if `X` is sparse, complex, empty or not two-dimensional.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind == "f" and X.size:
        return ArrayTable(X)
    if is_arrow_table(X):
        return _open_arrow(X, estimator_name)
    from bayeswood.table.frame import as_frame, unwrapped

    native = unwrapped(X)
    if native is not X and is_arrow_table(native):
        return _open_arrow(native, estimator_name)
    frame = as_frame(native)
    if frame is not None:
        return _open_frame(frame, estimator_name)
    if hasattr(native, "__arrow_c_stream__"):
        return _open_arrow(_arrow_table(native), estimator_name)
    from sklearn.utils.validation import check_array  # loads all of scikit-learn's ground

    array = check_array(
        _as_array_like(native, estimator_name),
        dtype=None,
        ensure_all_finite=False,
        estimator=estimator_name,
        input_name="X",
    )
    return ArrayTable(array)


def table_names(table: Table) -> tuple[str, ...]:
    """Give every column a name: the user's, or one made from its position."""
    return table.names or generated_names(table.shape[1])


def _open_arrow(table: Any, estimator_name: str) -> ArrowTable:
    names = feature_names(table.column_names)
    _check_size(table.shape, estimator_name)
    return ArrowTable(table, names, table.shape)


def _arrow_table(native: Any) -> Any:
    """Any other holder of Arrow data, such as a record batch, as a table."""
    try:
        import pyarrow
    except ImportError:
        raise DataTypeError(
            f"X is of type {type(native).__name__}, which needs pyarrow to be read."
        ) from None
    return pyarrow.table(native)


def _open_frame(frame: Any, estimator_name: str) -> FrameTable:
    from bayeswood.table.frame import FrameTable

    names = feature_names(list(frame.columns))
    _check_size(frame.shape, estimator_name)
    return FrameTable(frame, names, frame.shape)


def _check_size(shape: tuple[int, int], estimator_name: str) -> None:
    for size, unit in zip(shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise BayeswoodError(
                f"Found array with 0 {unit}(s) (shape={shape}) while a minimum of 1 is "
                f"required by {estimator_name}."
            )


def _as_array_like(native: Any, estimator_name: str) -> Any:
    """Keep the types that NumPy would throw away: strings beside numbers, masks."""
    if hasattr(native, "toarray") and hasattr(native, "nnz"):
        _refuse_sparse(native, estimator_name)
    if isinstance(native, np.ma.MaskedArray):
        return unmasked(native)
    if isinstance(native, np.ndarray) and native.dtype.names is not None:
        raise DataTypeError(
            "X is a structured array. Pass a 2-D array, or a data frame made from it."
        )
    if isinstance(native, (list, tuple)):
        return _array_of_rows(native)
    return native


def _refuse_sparse(native: Any, estimator_name: str) -> None:
    gigabytes = 8e-9 * float(np.prod(native.shape, dtype=np.float64))
    raise DataTypeError(
        f"Sparse data was passed for X, but {estimator_name} needs dense rows, for a zero is a "
        f"value like others. Give it X.toarray(), which takes {gigabytes:.3g} GB, or fewer columns."
    )


def _array_of_rows(rows: Sequence[Any]) -> NDArray[Any]:
    try:
        array = np.asarray(rows)
    except ValueError:
        raise BayeswoodError(
            "X is a list whose rows differ in length or shape. Every row must have one value per "
            "column."
        ) from None
    return np.array(rows, dtype=object) if array.dtype.kind in "US" else array
