"""The data: generated sets that anyone can make again, and real ones where they are at hand."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayeswood import datasets
from bayeswood.errors import MissingDataSetError

N_TEST = 20_000
Task = Literal["regression", "classification"]


@dataclass(frozen=True)
class Problem:
    """Training and test rows, and the limits that every contender's trees obey."""

    title: str
    task: Task
    X: NDArray[np.float32]
    y: NDArray
    X_test: NDArray[np.float32]
    y_test: NDArray
    min_samples_leaf: int = 1
    max_features: float | str = 1.0
    categories: tuple[int, ...] = ()  # columns of level numbers

    def first_rows(self, n_rows: int) -> "Problem":
        return replace(self, X=self.X[:n_rows], y=self.y[:n_rows])

    def more_rows(self, n_rows: int) -> NDArray[np.float32]:
        """Rows to predict, drawn from the test rows."""
        drawn = np.random.default_rng(0).integers(len(self.X_test), size=n_rows)
        return self.X_test[drawn]


def friedman_mean(X: NDArray) -> NDArray:
    """Friedman (1991): five columns matter, the others are noise."""
    wave = 10 * np.sin(np.pi * X[:, 0] * X[:, 1])
    return wave + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def friedman_regression(
    n_rows: int, n_features: int, quick: bool, min_samples_leaf: int = 3, n_test: int = N_TEST
) -> Problem:
    """Uniform columns, Friedman's mean and standard normal noise; every feature at every node."""
    rng = np.random.default_rng(n_rows)
    n_rows, n_features = shrunk(n_rows, quick), few_columns(n_features, quick)
    X = rng.random((n_rows + n_test, n_features), dtype=np.float32)
    y = friedman_mean(X) + rng.standard_normal(len(X))
    title = f"Friedman {n_rows:,} x {n_features}"
    return split(title, "regression", X, y, n_rows, min_samples_leaf=min_samples_leaf)


def friedman_binary(n_rows: int, n_features: int, quick: bool) -> Problem:
    """A coin per row whose log odds are half of Friedman's mean, centred; sqrt features."""
    rng = np.random.default_rng(n_rows + 1)
    n_rows = shrunk(n_rows, quick)
    X = rng.random((n_rows + N_TEST, n_features), dtype=np.float32)
    probability = 1 / (1 + np.exp(-(friedman_mean(X) - 14.4) / 2))
    y = (rng.random(len(X)) < probability).astype(np.int64)
    title = f"binary {n_rows:,} x {n_features}"
    return split(title, "classification", X, y, n_rows, max_features="sqrt")


def equal_levels(n_rows: int, n_features: int, n_levels: int, quick: bool) -> Problem:
    """Categories alone, each level with an effect of its own, standard normal noise."""
    rng = np.random.default_rng(n_rows + n_levels)
    n_rows = shrunk(n_rows, quick)
    codes = rng.integers(n_levels, size=(n_rows + N_TEST, n_features))
    effects = rng.standard_normal((n_features, n_levels))
    y = effects[np.arange(n_features), codes].sum(axis=1) + rng.standard_normal(len(codes))
    title = f"{n_features} categories of {n_levels}, {n_rows:,} rows"
    X = codes.astype(np.float32)
    parts = split(title, "regression", X, y, n_rows, min_samples_leaf=3)
    return replace(parts, categories=tuple(range(n_features)))


def california(quick: bool) -> Problem:
    """California housing (20,640 x 8), a tenth of the rows held out; generated without the data."""
    table = _at_hand("california_housing")
    if table is None:
        return friedman_regression(20_640, 8, quick)
    problem = held_out("California", "regression", *table, 0.1, quick)
    return replace(problem, min_samples_leaf=3)


def ten_classes(quick: bool) -> Problem:
    """Pendigits (10,992 x 16), a tenth held out; ten Gaussian clouds of that shape without it."""
    table = _at_hand("pendigits")
    name = "pendigits" if table else "ten clouds"
    X, y = table or _ten_clouds(10_992, 16)
    return replace(held_out(name, "classification", X, y, 0.1, quick), max_features="sqrt")


def informative_classes(
    n_rows: int, n_features: int, n_classes: int, quick: bool, min_samples_leaf: int = 1
) -> Problem:
    """Clouds on the corners of a cube of most features, by scikit-learn; a tenth is held out."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n_rows,
        n_features,
        n_informative=3 * n_features // 4,
        n_classes=n_classes,
        n_clusters_per_class=2,
        random_state=n_classes,
    )
    problem = held_out(f"{n_classes} classes", "classification", X, y, 0.1, quick)
    return replace(problem, min_samples_leaf=min_samples_leaf, max_features="sqrt")


def split(title: str, task: Task, X: NDArray, y: NDArray, n_rows: int, **limits: Any) -> Problem:
    """The first rows to train on, the others to test."""
    return Problem(title, task, X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:], **limits)


def held_out(
    name: str, task: Task, X: NDArray, y: NDArray, share: float,
    quick: bool,
) -> Problem:  # fmt: skip
    """A share of the rows to test, the others (few of them if `quick`) to train on."""
    order = np.random.default_rng(7).permutation(len(y))
    X, y = X.astype(np.float32)[order], y[order]
    n_test = int(share * len(y))
    n_rows = shrunk(len(y) - n_test, quick)
    title = f"{name} {n_rows:,} x {X.shape[1]}"
    rows = slice(n_test, n_test + n_rows)
    return Problem(title, task, X[rows], y[rows], X[:n_test], y[:n_test])


def _ten_clouds(n_rows: int, n_features: int) -> tuple[NDArray, NDArray]:
    rng = np.random.default_rng(10)
    y = rng.integers(10, size=n_rows)
    centres = rng.standard_normal((10, n_features))
    return centres[y] + rng.standard_normal((n_rows, n_features)), y


def _at_hand(name: str) -> tuple[NDArray, NDArray] | None:
    """A data set that is on this machine."""
    try:
        data = datasets.load(name, download=False)
    except MissingDataSetError:
        return None
    return data.features, data.target


def shrunk(n_rows: int, quick: bool) -> int:
    """So many rows, or few of them."""
    return min(n_rows, max(2_000, min(n_rows // 50, 20_000))) if quick else n_rows


def few_columns(n_features: int, quick: bool) -> int:
    """So many columns, or few of them."""
    return min(n_features, 50) if quick else n_features


def feature_share(problem: Problem) -> float:
    """Share of the features that a node looks at."""
    n_features = problem.X.shape[1]
    if problem.max_features == "sqrt":
        return int(np.sqrt(n_features)) / n_features
    return float(problem.max_features)
