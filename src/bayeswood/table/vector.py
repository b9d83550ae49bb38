"""Open one column that comes on its own: a target, or weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.table.cells import Cells, array_cells, unmasked


def open_columns(values: Any, what: str, estimator_name: str) -> tuple[list[Cells], int]:
    """Read a vector, or a matrix column by column.

    Parameters
    ----------
    values : array-like, series or data frame
        One or two dimensions.
    what : str
        How to call it in an error: ``y`` or ``sample_weight``.
    estimator_name : str
        Who reads it, for the errors.

    Returns
    -------
    columns : list of Cells
        The columns; one for a vector.
    n_dimensions : int
        1 for a vector, 2 for a matrix or a frame.
    """
    if not isinstance(values, (np.ndarray, list, tuple)):
        from bayeswood.table.frame import unwrapped  # with narwhals, which arrays do without

        values = unwrapped(values)
        found = _columns_of_frame(values, what, estimator_name)
        if found is not None:
            return found
    array = _as_array(values, what, estimator_name)
    if array.ndim == 1:
        return [array_cells(array, what)], 1
    return [array_cells(array[:, j], what) for j in range(array.shape[1])], 2


def _columns_of_frame(
    native: Any, what: str, estimator_name: str
) -> tuple[list[Cells], int] | None:
    """Columns of a series or a data frame; None for what is neither."""
    import narwhals.stable.v1 as nw

    from bayeswood.table.frame import series_cells

    try:
        frame = nw.from_native(native, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise BayeswoodError(f"The column names of {what} must be distinct. {error}") from None
    if isinstance(frame, nw.Series):
        _check_rows(len(frame), (len(frame),), what, estimator_name)
        return [series_cells(frame, what)], 1
    if isinstance(frame, nw.DataFrame):
        _check_rows(len(frame), frame.shape, what, estimator_name)
        return [series_cells(frame[:, j], what) for j in range(frame.shape[1])], 2
    return None


def one_column(columns: list[Cells], n_dimensions: int, what: str) -> Cells:
    """Take the only column; a matrix of one column gives scikit-learn's warning."""
    if len(columns) != 1:
        shape = (len(columns[0].values), len(columns)) if columns else (0, 0)
        raise BayeswoodError(f"{what} should be a 1d array, got an array of shape {shape} instead.")
    if n_dimensions == 2:
        warn_of_column(what)
    return columns[0]


def warn_of_column(what: str) -> None:
    """scikit-learn's warning of a matrix of one column where a vector would do."""
    from sklearn.exceptions import DataConversionWarning

    warn_user(
        f"A column-vector {what} was passed when a 1d array was expected. Please change the "
        f"shape of {what} to (n_samples, ), for example using ravel().",
        DataConversionWarning,
    )


def _check_rows(n_rows: int, shape: tuple[int, ...], what: str, estimator_name: str) -> None:
    if n_rows == 0:
        raise BayeswoodError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required by "
            f"{estimator_name}: {what} is empty."
        )


def _as_array(native: Any, what: str, estimator_name: str) -> NDArray[Any]:
    from sklearn.utils.validation import check_array

    array = check_array(
        _keeping_types(native, what),
        dtype=None,
        ensure_2d=False,
        ensure_all_finite=False,
        ensure_min_samples=0,
        ensure_min_features=0,
        estimator=estimator_name,
        input_name=what,
    )
    if array.ndim == 0:
        raise BayeswoodError(f"{what} should be a 1d array, got a scalar ({native!r}) instead.")
    _check_rows(array.shape[0], array.shape, what, estimator_name)
    return np.asarray(array)


def _keeping_types(native: Any, what: str) -> Any:
    """Keep what NumPy would throw away: masks, and the types of labels such as 1 and "1"."""
    if isinstance(native, np.ma.MaskedArray):
        return unmasked(native)
    if not isinstance(native, (list, tuple)):
        return native
    try:
        array = np.asarray(native)
    except ValueError:
        raise BayeswoodError(
            f"{what} should be a 1d array, got a list whose items differ in length."
        ) from None
    return np.array(native, dtype=object) if array.dtype.kind in "US" else array
