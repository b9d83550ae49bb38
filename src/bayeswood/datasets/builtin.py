"""The data sets inside the package; docs/datasets.md has their sources and licences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bayeswood.datasets.catalogue import TARGET, facts_of
from bayeswood.datasets.data_set import make_frame, make_matrix, make_target
from bayeswood.datasets.places import BUNDLE, BUNDLED, read_place
from bayeswood.errors import BayeswoodError

if TYPE_CHECKING:
    from sklearn.utils import Bunch

_NAMES = ("breast_cancer_wisconsin", "iris", "wine", "wine_quality")


def builtin_names() -> list[str]:
    """Names of the data sets inside the package.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from bayeswood.datasets import builtin_names
    >>> builtin_names()
    ['breast_cancer_wisconsin', 'iris', 'wine', 'wine_quality']
    """
    return list(_NAMES)


def builtin_path(name: str) -> Path:
    """Where the ``.csv.gz`` file of a bundled data set is.

    Parameters
    ----------
    name : str
        One of `builtin_names`.

    Returns
    -------
    Path

    Examples
    --------
    >>> from bayeswood.datasets import builtin_path
    >>> builtin_path("iris").name
    'iris.csv.gz'
    """
    if name not in _NAMES:
        known = ", ".join(builtin_names())
        raise BayeswoodError(f"No bundled data set is called '{name}'. There are: {known}.")
    return BUNDLE / f"{name}.csv.gz"


def _load(name: str, as_frame: bool) -> Bunch:
    from sklearn.utils import Bunch

    facts = facts_of(name)
    columns = read_place(facts, BUNDLED, builtin_path(name))
    target = make_target(columns[TARGET])
    if as_frame:
        frame = make_frame(columns)
        bunch = Bunch(data=frame.drop(columns=TARGET), target=frame[TARGET], frame=frame)
    else:
        features = {feature: columns[feature] for feature in facts.features}
        bunch = Bunch(data=make_matrix(features), target=target)
    if TARGET in facts.text_columns:
        bunch["target_names"] = np.unique(target)
    bunch["feature_names"] = list(facts.features)
    bunch["DESCR"] = facts.description()
    return bunch


def load_breast_cancer_wisconsin(*, as_frame: bool = False) -> Bunch:
    """Breast Cancer Wisconsin (Original): 699 rows, 9 features, benign or malignant.

    Sixteen cells of ``bare_nuclei`` are missing (NaN), as in the original.

    Parameters
    ----------
    as_frame : bool, default False
        Give pandas objects.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``DESCR``.

    Examples
    --------
    >>> from bayeswood.datasets import load_breast_cancer_wisconsin
    >>> cancer = load_breast_cancer_wisconsin()
    >>> cancer.data.shape, list(cancer.target_names)
    ((699, 9), [np.str_('benign'), np.str_('malignant')])
    """
    return _load("breast_cancer_wisconsin", as_frame)


def load_iris(*, as_frame: bool = False) -> Bunch:
    """Iris: 150 rows, 4 features, 3 species.

    Parameters
    ----------
    as_frame : bool, default False
        Give pandas objects.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``DESCR``.

    Examples
    --------
    >>> from bayeswood.datasets import load_iris
    >>> load_iris().feature_names
    ['sepal_length', 'sepal_width', 'petal_length', 'petal_width']
    """
    return _load("iris", as_frame)


def load_wine(*, as_frame: bool = False) -> Bunch:
    """Wine: 178 rows, 13 features, 3 cultivars coded 1, 2, 3.

    Parameters
    ----------
    as_frame : bool, default False
        Give pandas objects.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``DESCR``.

    Examples
    --------
    >>> from bayeswood.datasets import load_wine
    >>> load_wine().data.shape
    (178, 13)
    """
    return _load("wine", as_frame)


def load_wine_quality(*, as_frame: bool = False) -> Bunch:
    """Wine quality: 6,497 rows, 12 features (``color`` is a category), marks from 3 to 9.

    Parameters
    ----------
    as_frame : bool, default False
        Give pandas objects. Without it ``data`` is an object array, for the colour is text.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``DESCR``.

    Examples
    --------
    >>> from bayeswood.datasets import load_wine_quality
    >>> wine = load_wine_quality()
    >>> wine.feature_names[-1], wine.data[0, -1]
    ('color', 'red')
    """
    return _load("wine_quality", as_frame)
