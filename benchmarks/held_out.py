"""Problems that nobody has tuned to: drawn anew for every seed, of the shapes of the table.

What is drawn: how many columns matter and how they are spread (uniform, normal, skewed, in steps,
counts), how far they go together, the function (bumps in random directions, after Friedman 2001),
noise, numbers of clouds per class, and how unequal the levels of a category are.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.problems import N_TEST, Problem, few_columns, held_out, shrunk, split

N_BUMPS = 20


def regression(
    n_rows: int,
    n_features: int,
    seed: int,
    quick: bool,
    min_samples_leaf: int = 3,
    n_test: int = N_TEST,
) -> Problem:
    """Bumps of some columns plus normal noise; every feature at every node."""
    rng = np.random.default_rng([seed, n_rows, n_features])
    n_rows, n_features = shrunk(n_rows, quick), few_columns(n_features, quick)
    X = columns(rng, n_rows + n_test, n_features)
    signal = bumps(rng, X)
    y = signal + rng.uniform(0.1, 0.7) * rng.standard_normal(len(X))
    title = f"drawn {n_rows:,} x {n_features}"
    return split(title, "regression", X, y, n_rows, min_samples_leaf=min_samples_leaf)


def binary(n_rows: int, n_features: int, seed: int, quick: bool) -> Problem:
    """A coin per row whose log odds are bumps of some columns; sqrt features."""
    rng = np.random.default_rng([seed, n_rows, n_features, 2])
    n_rows = shrunk(n_rows, quick)
    X = columns(rng, n_rows + N_TEST, n_features)
    log_odds = rng.uniform(1.0, 4.0) * bumps(rng, X) + rng.uniform(-1.0, 1.0)
    y = (rng.random(len(X)) < 1 / (1 + np.exp(-log_odds))).astype(np.int64)
    title = f"drawn, two classes {n_rows:,} x {n_features}"
    return split(title, "classification", X, y, n_rows, max_features="sqrt")


def classes(
    n_rows: int, n_features: int, n_classes: int, seed: int, quick: bool, min_samples_leaf: int = 1
) -> Problem:
    """Clouds on the corners of a cube of some features, by scikit-learn; a tenth is held out."""
    from sklearn.datasets import make_classification

    rng = np.random.default_rng([seed, n_rows, n_features, n_classes])
    n_informative = int(rng.integers(n_features // 2, n_features + 1))
    X, y = make_classification(
        n_rows,
        n_features,
        n_informative=n_informative,
        n_redundant=int(rng.integers(0, n_features - n_informative + 1)),
        n_classes=n_classes,
        n_clusters_per_class=int(rng.integers(1, 4)),
        class_sep=rng.uniform(0.5, 2.0),
        flip_y=rng.uniform(0.0, 0.1),
        random_state=int(rng.integers(2**31)),
    )
    problem = held_out(f"drawn, {n_classes} classes", "classification", X, y, 0.1, quick)
    return replace(problem, min_samples_leaf=min_samples_leaf, max_features="sqrt")


def levels(n_rows: int, n_features: int, n_levels: int, seed: int, quick: bool) -> Problem:
    """Categories of unequal frequency, some of whose levels move y; every feature at every node."""
    rng = np.random.default_rng([seed, n_rows, n_features, n_levels])
    n_rows = shrunk(n_rows, quick)
    y = np.zeros(n_rows + N_TEST)
    X = np.empty((len(y), n_features), np.float32)
    for j in range(n_features):
        share = rng.dirichlet(np.full(n_levels, rng.uniform(0.5, 5.0)))
        code = rng.choice(n_levels, len(y), p=share)
        y += (rng.random() * rng.standard_normal(n_levels))[code]
        X[:, j] = code
    y += rng.uniform(0.3, 1.5) * rng.standard_normal(len(y))
    title = f"drawn, {n_features} categories of {n_levels}, {n_rows:,} rows"
    parts = split(title, "regression", X, y, n_rows, min_samples_leaf=3)
    return replace(parts, categories=tuple(range(n_features)))


def columns(rng: np.random.Generator, n_rows: int, n_features: int) -> NDArray[np.float32]:
    """Normal columns with something in common, each then spread in a way of its own."""
    common = rng.uniform(0.0, 0.7)
    shared = rng.standard_normal(n_rows, dtype=np.float32)
    X = np.empty((n_rows, n_features), np.float32)
    for j in range(n_features):
        own = rng.standard_normal(n_rows, dtype=np.float32)
        z = np.sqrt(1 - common**2) * own + common * shared
        X[:, j] = SPREADS[rng.integers(len(SPREADS))](z)
    return X


SPREADS = (
    lambda z: z,
    lambda z: np.tanh(z),
    lambda z: np.exp(z),
    lambda z: np.round(z, 1),
    lambda z: np.floor(np.exp(z + 1)),
)


def bumps(rng: np.random.Generator, X: NDArray) -> NDArray[np.float64]:
    """Gaussian bumps of a few columns each, scaled to variance 1."""
    n_used = int(rng.integers(3, min(X.shape[1], 12) + 1))
    used = rng.choice(X.shape[1], n_used, replace=False)
    Z = X[:, used].astype(np.float64)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    total = np.zeros(len(Z))
    for _ in range(N_BUMPS):
        few = rng.choice(n_used, min(n_used, 1 + rng.poisson(1.5)), replace=False)
        away = (Z[:, few] - rng.standard_normal(len(few))) * rng.uniform(0.3, 1.2, len(few))
        total += rng.standard_normal() * np.exp(-0.5 * (away**2).sum(axis=1))
    return (total - total.mean()) / total.std()
