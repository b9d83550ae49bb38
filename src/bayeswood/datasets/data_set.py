"""What `load` returns."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.datasets.catalogue import SPLIT, TARGET, Facts, Task
from bayeswood.datasets.csv_file import Columns, whole_as_integers
from bayeswood.errors import BayeswoodError


@dataclass(frozen=True, eq=False)
class DataSet:
    """A table to learn from; its arrays cannot be written to.

    Attributes
    ----------
    name : str
    task : {"classification", "regression"}
    source : {"folder", "cache", "bundled", "OpenML"}
        Where it came from.
    features : (n_rows, n_features) ndarray or pandas.DataFrame
        As every estimator takes it. The array is float64 with NaN for a missing value where every
        feature is a number, else an array of objects in which the categories are text, and None
        where they are missing.
    target : (n_rows,) ndarray
        Classes (text, or int64 where their names are numbers) or numbers.
    split : (n_rows,) ndarray of str, or None
        ``"train"`` or ``"test"`` for each row, where such parts were published with the data.
    feature_names : tuple of str
    categorical : tuple of str
        The features that are categories.
    description : str
        Origin, licence, task, rows, features, classes and missing cells, a line each.
    """

    name: str
    task: Task
    source: str
    features: Any = field(repr=False)
    target: NDArray[Any] = field(repr=False)
    split: NDArray[np.str_] | None = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    categorical: tuple[str, ...] = field(repr=False)
    description: str = field(repr=False)


def make_data_set(facts: Facts, columns: Columns, source: str, *, as_frame: bool) -> DataSet:
    """A data set of the columns of a file."""
    features = {name: columns[name] for name in facts.features}
    return DataSet(
        name=facts.name,
        task=facts.task,
        source=source,
        features=make_frame(features) if as_frame else _frozen(make_matrix(features)),
        target=_frozen(make_target(columns[TARGET])),
        split=_frozen(columns[SPLIT].astype(str)) if facts.split else None,
        feature_names=facts.features,
        categorical=facts.categorical,
        description=facts.description(),
    )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def make_matrix(columns: Columns) -> NDArray[Any]:
    """Columns side by side: float64 where all are numbers, else objects."""
    is_text = any(column.dtype == object for column in columns.values())
    n_rows = len(next(iter(columns.values())))
    matrix = np.empty((n_rows, len(columns)), dtype=object if is_text else np.float64)
    for idx, column in enumerate(columns.values()):
        matrix[:, idx] = column
    return matrix


def make_target(column: NDArray[Any]) -> NDArray[Any]:
    """Text as an array of strings, whole numbers as int64, other numbers as they are."""
    return column.astype(str) if column.dtype == object else whole_as_integers(column).copy()


def make_frame(columns: Columns) -> Any:
    """A pandas frame; text stays text, and whole numbers are int64."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise BayeswoodError("as_frame=True needs pandas: pip install pandas") from None
    return pd.DataFrame({name: whole_as_integers(column) for name, column in columns.items()})
