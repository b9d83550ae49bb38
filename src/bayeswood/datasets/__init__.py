"""Data sets by name: small ones that come with the package, and others from where they are."""

from bayeswood.datasets.builtin import (
    builtin_names,
    builtin_path,
    load_breast_cancer_wisconsin,
    load_iris,
    load_wine,
    load_wine_quality,
)
from bayeswood.datasets.catalogue import names
from bayeswood.datasets.data_set import DataSet
from bayeswood.datasets.loader import exit_without_data, load, source_of
from bayeswood.datasets.places import data_folder

__all__ = [
    "DataSet",
    "builtin_names",
    "builtin_path",
    "data_folder",
    "exit_without_data",
    "load",
    "load_breast_cancer_wisconsin",
    "load_iris",
    "load_wine",
    "load_wine_quality",
    "names",
    "source_of",
]
