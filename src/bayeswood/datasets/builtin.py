"""The data sets inside the package; docs/datasets.md has their sources and licences."""

from pathlib import Path

from sklearn.utils import Bunch

from bayeswood.datasets.csv_file import read_bunch
from bayeswood.errors import BayeswoodError

_FOLDER = Path(__file__).parent / "data"
_LICENCE = "CC BY 4.0, through the UCI Machine Learning Repository"
_DESCRIPTIONS = {
    "breast_cancer_wisconsin": (
        "Breast Cancer Wisconsin (Original): 699 biopsies, 9 cytological scores from 1 to 10, "
        "benign or malignant; 16 cells of bare_nuclei are missing. W. H. Wolberg, University of "
        f"Wisconsin Hospitals, 1992. doi:10.24432/C5HP4Z. {_LICENCE}."
    ),
    "iris": (
        "Iris: 150 flowers, 4 lengths in cm, 3 species. R. A. Fisher, 1936. The UCI file, with "
        f"its two known wrong rows. doi:10.24432/C56C76. {_LICENCE}."
    ),
    "wine": (
        "Wine: 178 wines of one Italian region, 13 chemical measurements, 3 cultivars (1, 2, 3). "
        f"M. Forina and S. Aeberhard, 1991. doi:10.24432/C5PC7J. {_LICENCE}."
    ),
    "wine_quality": (
        "Wine quality: 6,497 red and white vinho verde wines, 11 physico-chemical measurements "
        "and the colour; the target is a taster's mark. P. Cortez and others, 2009. "
        f"doi:10.24432/C56S3T. {_LICENCE}."
    ),
}


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
    return sorted(_DESCRIPTIONS)


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
    if name not in _DESCRIPTIONS:
        known = ", ".join(builtin_names())
        raise BayeswoodError(f"No bundled data set is called '{name}'. There are: {known}.")
    return _FOLDER / f"{name}.csv.gz"


def _load(name: str, as_frame: bool) -> Bunch:
    return read_bunch(builtin_path(name), as_frame=as_frame, description=_DESCRIPTIONS[name])


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
