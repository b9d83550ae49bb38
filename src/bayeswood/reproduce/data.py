"""Where the papers' data sets come from: the one place that knows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from bayeswood.datasets import load_benchmark, load_iris, load_wine
from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.paper import MissingDataError

ADVICE = (
    "Set BAYESWOOD_DATA to a folder with a file NAME.csv.gz for each: a header, then the rows, the "
    "target in the last column 'target'."
)

_BUNDLED: dict[str, Callable[[], Bunch]] = {"iris": load_iris, "wine": load_wine}


def load(name: str) -> Bunch:
    """A data set with ``data`` and ``target``.

    Parameters
    ----------
    name : str

    Raises
    ------
    MissingDataError
        If it is not on this machine.
    """
    if name in _BUNDLED:
        return _BUNDLED[name]()
    try:
        return load_benchmark(name)
    except BayeswoodError:
        raise MissingDataError(name) from None


def is_here(name: str) -> bool:
    """Whether a data set is on this machine."""
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
    return np.asarray(found.data, dtype=np.float64), classes
