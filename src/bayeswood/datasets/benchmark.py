"""Read a data set from the folder of benchmark files that ``BAYESWOOD_DATA`` names."""

import csv
import os
from pathlib import Path

from sklearn.utils import Bunch

from bayeswood.datasets.csv_file import read_bunch
from bayeswood.errors import BayeswoodError

VARIABLE = "BAYESWOOD_DATA"


def load_benchmark(name: str, *, as_frame: bool = False) -> Bunch:
    r"""Load ``NAME.csv.gz`` from the folder that the environment variable BAYESWOOD_DATA names.

    The file has a header, the target in its last column ``target``, and empty cells where a value
    is missing. A ``MANIFEST.csv`` in the folder may list, per ``name``, ``categorical_columns``
    (separated by ``;``) that stay text though they look like numbers, and the ``origin``.

    Parameters
    ----------
    name : str
        The file's name without ``.csv.gz``.
    as_frame : bool, default False
        Give pandas objects.

    Returns
    -------
    Bunch
        As of the bundled data sets' loaders.

    Examples
    --------
    >>> import gzip, os
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayeswood.datasets import load_benchmark
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "toy.csv.gz").write_bytes(gzip.compress(b"a,target\n1,2.5\n"))
    ...     before = os.environ.get("BAYESWOOD_DATA", "")
    ...     os.environ["BAYESWOOD_DATA"] = folder
    ...     toy = load_benchmark("toy")
    ...     os.environ["BAYESWOOD_DATA"] = before
    >>> toy.data, toy.target
    (array([[1.]]), array([2.5]))
    """
    folder = _benchmark_folder()
    path = folder / f"{name}.csv.gz"
    if Path(name).name != name or not path.is_file():
        known = ", ".join(sorted(p.name.removesuffix(".csv.gz") for p in folder.glob("*.csv.gz")))
        raise BayeswoodError(
            f"No benchmark data set '{name}' in the folder of {VARIABLE}. There are: {known}."
        )
    entry = _manifest_entry(folder / "MANIFEST.csv", name)
    text_columns = tuple(entry.get("categorical_columns", "").split(";"))
    return read_bunch(
        path, as_frame=as_frame, text_columns=text_columns, description=entry.get("origin", "")
    )


def _benchmark_folder() -> Path:
    value = os.environ.get(VARIABLE, "")
    if not value:
        raise BayeswoodError(
            f"The environment variable {VARIABLE} must name the folder of the benchmark files. "
            "It is not set."
        )
    if not Path(value).is_dir():
        raise BayeswoodError(
            f"The environment variable {VARIABLE} must name a folder. Got '{value}' instead."
        )
    return Path(value)


def _manifest_entry(path: Path, name: str) -> dict[str, str]:
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return next((row for row in csv.DictReader(file) if row["name"] == name), {})
