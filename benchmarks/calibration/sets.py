"""The data: sets that `bayeswood.datasets` knows, scikit-learn's own, and generated ones.

Text columns become the numbers of their levels in alphabetical order; models with categories of
their own get a data frame in which these columns are categorical.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import datasets
from benchmarks.problems import friedman_mean

F64 = NDArray[np.float64]
Table = tuple[Any, ...]  # X, y and, where there are any, the columns of X that are categories

TRAIN_SHARE, MAX_TEST = 2 / 3, 5_000
MAX_TRAIN = {"classification": 5_000, "regression": 2_500}
N_TRAIN_GENERATED, N_TEST_GENERATED = 1_000, 4_000
FEW, SOME, MANY = 2, 5, 10  # splits of a large, a small and a tiny set


@dataclass(frozen=True)
class DataSet:
    """A table to be split at random, or a generator that makes new rows for every split."""

    name: str
    task: str
    origin: str
    table: Callable[[], Table] | None = None
    generate: Callable[[int, np.random.Generator], Table] | None = None
    splits: int = SOME
    splits_of_ours: int = 0  # if more: coverage in thirds of a small test set needs many


@dataclass(frozen=True)
class Split:
    X: F64
    y: NDArray
    X_test: F64
    y_test: NDArray
    categories: tuple[int, ...] = ()

    def frame(self, X: F64) -> Any:
        """Rows as a data frame; level numbers of text columns become categories."""
        import pandas as pd

        frame = pd.DataFrame(X, columns=[f"x{idx}" for idx in range(X.shape[1])])
        for idx in self.categories:
            levels = [
                f"l{level:g}" for level in np.unique(np.r_[self.X[:, idx], self.X_test[:, idx]])
            ]
            named = [f"l{value:g}" for value in X[:, idx]]
            frame[f"x{idx}"] = pd.Categorical(named, categories=levels)
        return frame


def seed_of(name: str, split: int) -> int:
    """A seed that depends on the set's name and the number of the split alone."""
    return zlib.crc32(f"{name} {split}".encode())


def make_split(data: DataSet, split: int) -> Split:
    rng = np.random.default_rng(seed_of(data.name, split))
    if data.generate is not None:
        X, y = data.generate(N_TRAIN_GENERATED + N_TEST_GENERATED, rng)
        return _cut(X, y, np.arange(len(y)), N_TRAIN_GENERATED)
    assert data.table is not None
    X, y, *categories = _cached(data.table)
    n_train = min(round(TRAIN_SHARE * len(y)), MAX_TRAIN[data.task])
    order = rng.permutation(len(y))
    if data.task == "classification":
        order = _every_class_first(order, y)
    return _cut(X, y, order, n_train, *categories)


def _cut(
    X: F64, y: NDArray, order: NDArray[np.intp], n_train: int, categories: tuple[int, ...] = ()
) -> Split:
    train, test = order[:n_train], order[n_train:][:MAX_TEST]
    return Split(X[train], y[train], X[test], y[test], categories)


def _every_class_first(order: NDArray[np.intp], y: NDArray) -> NDArray[np.intp]:
    """Classes in proportion everywhere: sorted by the rank within the class, as a share of it."""
    shuffled = y[order]
    place = np.empty(len(order))
    for label in np.unique(shuffled):
        rows = np.flatnonzero(shuffled == label)
        place[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return order[np.argsort(place, kind="stable")]


@cache
def _cached(table: Callable[[], Table]) -> Table:
    return table()


def as_numbers(cells: NDArray) -> F64:
    """A matrix of numbers: the columns that hold text become level numbers."""
    if cells.dtype != object:
        return cells.astype(np.float64)
    return np.column_stack([_column(column) for column in cells.T])


def text_columns(cells: NDArray) -> tuple[int, ...]:
    """The columns that hold text."""
    if cells.dtype != object:
        return ()
    return tuple(idx for idx, column in enumerate(cells.T) if _has_text(column))


def _has_text(cells: NDArray) -> bool:
    return any(isinstance(cell, str) for cell in cells)


def _column(cells: NDArray) -> F64:
    if _has_text(cells):
        return np.unique(cells.astype(str), return_inverse=True)[1].astype(np.float64)
    return cells.astype(np.float64)


def _file(name: str, without: tuple[str, ...] = ()) -> Table:
    data = datasets.load(name)
    kept = [idx for idx, column in enumerate(data.feature_names) if column not in without]
    cells = data.features[:, kept]
    return as_numbers(cells), data.target, text_columns(cells)


def _from_sklearn(name: str) -> Table:
    from sklearn import datasets as theirs

    return getattr(theirs, f"load_{name}")(return_X_y=True)


def _friedman(number: int, noise: float, n_rows: int, rng: np.random.Generator) -> Table:
    from sklearn import datasets as theirs

    make = getattr(theirs, f"make_friedman{number}")
    return make(n_samples=n_rows, noise=noise, random_state=int(rng.integers(2**31)))


def _fan(n_rows: int, rng: np.random.Generator) -> Table:
    """Noise whose standard deviation grows sixfold, from .25 to 1.5, along the first column."""
    X = rng.random((n_rows, 5))
    mean = 2 * np.sin(2 * np.pi * X[:, 0]) + 2 * X[:, 1]
    return X, mean + (0.25 + 1.25 * X[:, 0]) * rng.standard_normal(n_rows)


def _skewed(n_rows: int, rng: np.random.Generator) -> Table:
    """Exponential noise, scaled by the second column."""
    X = rng.random((n_rows, 5))
    return X, 3 * X[:, 0] + (0.2 + X[:, 1]) * rng.standard_exponential(n_rows)


def _coin(n_rows: int, rng: np.random.Generator) -> Table:
    """A coin whose log odds are half of Friedman's function, centred; ten columns."""
    X = rng.random((n_rows, 10))
    return X, (rng.random(n_rows) < 1 / (1 + np.exp(-(friedman_mean(X) - 14.4) / 2))).astype(int)


def _waveform(n_rows: int, rng: np.random.Generator) -> Table:
    """Breiman's waves: each class mixes two of three shifted triangles, plus normal noise."""
    peaks = np.maximum(6 - np.abs(np.arange(21) - np.array([[6], [14], [10]])), 0)
    y = rng.integers(3, size=n_rows)
    share = rng.random((n_rows, 1))
    X = share * peaks[y] + (1 - share) * peaks[(y + 1) % 3]
    return X + rng.standard_normal(X.shape), y


_SMALL = (
    "australian", "breast_cancer_wisconsin", "german_numer", "heart_statlog", "house_votes_84",
    "ionosphere", "iris", "pima_diabetes", "ripley_synth", "sonar", "svmguide2", "vehicle", "wine",
)  # fmt: skip
_PLAIN = (
    "males_wage", "budget_uk", "working_hours", "griliches", "health_hours", "clothing_sales",
    "nlschools", "galton_height", "quakes_magnitude",
)  # fmt: skip
_LARGER = ("image_segmentation", "pendigits", "magic04", "adult")


def _classification_sets() -> list[DataSet]:
    kind = "classification"
    small = [DataSet(name, kind, "file", partial(_file, name)) for name in _SMALL]
    larger = [DataSet(name, kind, "file", partial(_file, name), splits=FEW) for name in _LARGER]
    theirs = [
        DataSet("wdbc", kind, "scikit-learn", partial(_from_sklearn, "breast_cancer")),
        DataSet("digits", kind, "scikit-learn", partial(_from_sklearn, "digits"), splits=FEW),
    ]
    made = [
        DataSet("coin", kind, "generated", generate=_coin),
        DataSet("waveform", kind, "generated", generate=_waveform),
    ]
    return small + theirs + made + larger


def _regression_sets() -> list[DataSet]:
    kind = "regression"
    flights = partial(_file, "nycflights13", without=("dep_delay",))
    return [
        DataSet("mcycle", kind, "file", partial(_file, "mcycle"), None, MANY, 200),
        DataSet(
            "diabetes", kind, "scikit-learn", partial(_from_sklearn, "diabetes"), None, MANY, 100
        ),
        DataSet(
            "friedman1", kind, "generated", generate=partial(_friedman, 1, 1.0), splits_of_ours=10
        ),
        DataSet(
            "friedman2", kind, "generated", generate=partial(_friedman, 2, 125.0), splits_of_ours=10
        ),
        DataSet(
            "friedman3", kind, "generated", generate=partial(_friedman, 3, 0.1), splits_of_ours=10
        ),
        DataSet("fan", kind, "generated", generate=_fan, splits_of_ours=10),
        DataSet("skewed", kind, "generated", generate=_skewed, splits_of_ours=10),
        DataSet("wine_quality", kind, "file", partial(_file, "wine_quality"), None, FEW, 6),
        DataSet("california", kind, "file", partial(_file, "california_housing"), None, FEW, 6),
        DataSet("nycflights", kind, "file", flights, None, FEW, 6),
        *(DataSet(name, kind, "file", partial(_file, name), None, 3, 10) for name in _PLAIN),
    ]


def all_sets() -> dict[str, DataSet]:
    return {data.name: data for data in _classification_sets() + _regression_sets()}
