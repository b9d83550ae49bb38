"""Load a data set by name, wherever it is."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bayeswood.datasets.catalogue import Facts, facts_of
from bayeswood.datasets.csv_file import Columns
from bayeswood.datasets.data_set import DataSet, make_data_set
from bayeswood.datasets.places import VARIABLE, Places, find_places, keep, read_place
from bayeswood.errors import DataSetError, MissingDataSetError

OPENML, NOWHERE = "OpenML", "not found"
EXIT_WITHOUT_DATA = 2


def load(
    name: str,
    *,
    as_frame: bool = False,
    folder: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    download: bool = True,
) -> DataSet:
    """Load a data set by its name; the same table on every machine, cell by cell.

    It is looked for in the folder that the environment variable BAYESWOOD_DATA names (a file
    ``NAME.csv.gz``, whose SHA-256 is checked), then in the cache, then in the package, and last
    fetched from OpenML and kept in the cache. What OpenML gives must have the rows, features,
    classes and missing cells that are known of the data set, and the same digest of all cells.

    Parameters
    ----------
    name : str
        One of `names`.
    as_frame : bool, default False
        Give the features as a pandas frame, in which categories are text.
    folder : path-like, default None
        In place of the one that BAYESWOOD_DATA names.
    cache : path-like, default None
        Where to keep what was fetched; by default the folder ``bayeswood`` in scikit-learn's data
        home (``sklearn.datasets.get_data_home``).
    download : bool, default True
        Whether to ask OpenML.

    Returns
    -------
    DataSet
        With ``features``, ``target``, ``split``, ``task`` and ``description``.

    Raises
    ------
    MissingDataSetError
        If it is not to be had: the message says where it was looked for and what to do.
    DataSetError
        If the name is unknown, or a copy is not the data set that it is called.

    Examples
    --------
    >>> from bayeswood import datasets
    >>> wine = datasets.load("wine")
    >>> wine.features.shape, wine.task
    ((178, 13), 'classification')
    >>> print(wine.description.splitlines()[4])
    classes: 3: 1 59, 2 71, 3 48
    """
    facts = facts_of(name)
    source, columns = load_columns(facts, find_places(folder, cache), download)
    return make_data_set(facts, columns, source, as_frame=as_frame)


def load_columns(facts: Facts, places: Places, download: bool = True) -> tuple[str, Columns]:
    """Where a data set was found, and its columns."""
    found = places.find(facts)
    if found is not None:
        return found[0], read_place(facts, *found)
    columns = _fetch(facts, places, download)
    keep(facts, columns, places.cache)
    return OPENML, columns


def _fetch(facts: Facts, places: Places, download: bool) -> Columns:
    # Here, for a data set that is at hand needs none of it.
    from bayeswood.datasets.openml import fetch_columns

    start = f"The data set '{facts.name}' is not on this machine ({places})"
    put = f"put {facts.file} into a folder and name it in {VARIABLE}"
    if facts.openml is None:
        known = f" as it is here ({facts.elsewhere})" if facts.elsewhere else ""
        raise MissingDataSetError(f"{start}. It is not on OpenML{known}: {put}.")
    if not download:
        raise MissingDataSetError(
            f"{start}. It may be fetched from {facts.openml.label}; or {put}."
        )
    try:
        return fetch_columns(facts, facts.openml)
    except MissingDataSetError as error:
        raise MissingDataSetError(f"{start}, and {error}. Try again, or {put}.") from None


def source_of(name: str) -> str:
    """Where `load` would take a data set from now, by a look at which files there are.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    {"folder", "cache", "bundled", "OpenML", "not found"}

    Examples
    --------
    >>> from bayeswood import datasets
    >>> datasets.source_of("wine") in ("folder", "cache", "bundled")
    True
    """
    facts = facts_of(name)
    found = find_places().find(facts)
    if found is not None:
        return found[0]
    return NOWHERE if facts.openml is None else OPENML


@contextmanager
def exit_without_data() -> Iterator[None]:
    """For scripts: where a data set cannot be had, print why in one line and exit with status 2.

    Examples
    --------
    >>> from bayeswood import datasets
    >>> try:
    ...     with datasets.exit_without_data():
    ...         _ = datasets.load("no such set")
    ... except SystemExit as leaving:
    ...     leaving.code
    2
    """
    try:
        yield
    except DataSetError as error:
        print(error, file=sys.stderr)
        raise SystemExit(EXIT_WITHOUT_DATA) from None
