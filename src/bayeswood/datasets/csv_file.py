"""Read a data set's CSV file with nothing but the standard library and NumPy."""

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from bayeswood.errors import BayeswoodError

TARGET = "target"


def read_bunch(
    path: Path, *, as_frame: bool, text_columns: tuple[str, ...] = (), description: str = ""
) -> Bunch:
    """Read a gzipped CSV file whose last column is the target.

    Parameters
    ----------
    path : Path
        A ``.csv.gz`` file, UTF-8, with a header; an empty cell is a missing value.
    as_frame : bool
        Give pandas objects instead of NumPy arrays.
    text_columns : tuple of str
        Columns that stay text even where every cell looks like a number.
    description : str
        Stored as ``DESCR``.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names`` (classification only), ``DESCR``;
        with ``as_frame`` also ``frame``. ``data`` is float64 where every feature is a number, else
        an object array.
    """
    names, cells = _read_cells(path)
    columns = {
        name: _parse_column(cells[:, idx], keep_text=name in text_columns)
        for idx, name in enumerate(names)
    }
    if names[-1] != TARGET:
        raise BayeswoodError(
            f"The last column of {path.name} must be '{TARGET}'. Got '{names[-1]}'."
        )
    bunch = _frame_bunch(columns) if as_frame else _array_bunch(columns)
    target = columns[TARGET]
    if target.dtype == object:
        bunch["target_names"] = np.array(sorted(set(target)))
    bunch["feature_names"] = names[:-1]
    bunch["DESCR"] = description
    return bunch


def _read_cells(path: Path) -> tuple[list[str], NDArray[np.object_]]:
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    if len({len(row) for row in rows}) != 1 or len(rows) < 2:
        raise BayeswoodError(f"{path.name} must have a header and rows of one length.")
    return rows[0], np.array(rows[1:], dtype=object)


def _parse_column(cells: NDArray[np.object_], *, keep_text: bool) -> NDArray[Any]:
    """Numbers (int64 if whole and complete, else float64) or text with None for an empty cell."""
    if not keep_text:
        try:
            numbers = np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            pass
        else:
            is_whole = all(cell.lstrip("-").isdigit() for cell in cells)
            return numbers.astype(np.int64) if is_whole else numbers
    return np.array([cell if cell else None for cell in cells], dtype=object)


def _array_bunch(columns: dict[str, NDArray[Any]]) -> Bunch:
    features = [column for name, column in columns.items() if name != TARGET]
    is_numeric = all(column.dtype != object for column in features)
    data = np.column_stack([f.astype(np.float64 if is_numeric else object) for f in features])
    target = columns[TARGET]
    return Bunch(data=data, target=target.astype(str) if target.dtype == object else target)


def _frame_bunch(columns: dict[str, NDArray[Any]]) -> Bunch:
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise BayeswoodError("as_frame=True needs pandas: pip install pandas") from None
    frame = pd.DataFrame(columns)
    return Bunch(data=frame.drop(columns=TARGET), target=frame[TARGET], frame=frame)
