"""Where the papers' data sets come from: the one place that knows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import datasets
from bayeswood.datasets import DataSet
from bayeswood.errors import MissingDataSetError
from bayeswood.reproduce.paper import MissingDataError

ADVICE = "'bayeswood datasets' says where they are looked for: BAYESWOOD_DATA may name a folder."


def load(name: str) -> DataSet:
    """A data set by its name.

    Parameters
    ----------
    name : str

    Raises
    ------
    MissingDataError
        If it is not to be had.
    """
    try:
        return datasets.load(name)
    except MissingDataSetError:
        raise MissingDataError(name) from None


def is_here(name: str) -> bool:
    """Whether a data set is on this machine, or could be fetched."""
    try:
        load(name)
    except MissingDataError:
        return False
    return True


def load_classes(name: str) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Features as numbers, level numbers of categories included, and classes as 0, 1, ...

    Parameters
    ----------
    name : str
    """
    found = load(name)
    classes = np.unique(np.asarray(found.target).astype(str), return_inverse=True)[1]
    return _as_numbers(np.asarray(found.features)), classes


def _as_numbers(features: NDArray[Any]) -> NDArray[np.float64]:
    if features.dtype != object:
        return features.astype(np.float64)
    return np.column_stack([_numbers_or_levels(column) for column in features.T])


def _numbers_or_levels(column: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return column.astype(np.float64)  # levels that are numbers stay what they are
    except ValueError:
        return np.unique(column.astype(str), return_inverse=True)[1].astype(np.float64)
