"""Small data sets that come with the package, and a reader for a folder of larger ones."""

from bayeswood.datasets.benchmark import load_benchmark
from bayeswood.datasets.builtin import (
    builtin_names,
    builtin_path,
    load_breast_cancer_wisconsin,
    load_iris,
    load_wine,
    load_wine_quality,
)

__all__ = [
    "builtin_names",
    "builtin_path",
    "load_benchmark",
    "load_breast_cancer_wisconsin",
    "load_iris",
    "load_wine",
    "load_wine_quality",
]
