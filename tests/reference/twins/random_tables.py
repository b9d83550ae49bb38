"""Random tables of every kind that the grower meets."""

from typing import Any

import numpy as np
from cart_twin import Problem, Settings

KINDS = ("normal", "rounded", "integer", "binary", "tailed", "offset", "constant")
TARGETS = ("regression", "tied", "binary", "multiclass", "entropy", "outputs")


def random_column(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    z = rng.normal(size=n)
    if kind.startswith("levels"):
        n_levels = int(kind.removeprefix("levels"))
        return rng.integers(n_levels, size=n).astype(float)
    columns = {
        "normal": z,
        "rounded": np.round(z, 1),
        "integer": rng.integers(-20, 200, size=n).astype(float),
        "binary": (z > 0.3).astype(float),
        "tailed": np.exp(4 * z),
        "offset": 1e7 + np.round(z, 2),
        "constant": np.full(n, 2.5),
    }
    return columns[kind]


def n_levels_of(kinds: tuple[str, ...]) -> np.ndarray:
    return np.array([int(k.removeprefix("levels")) if k.startswith("levels") else 0 for k in kinds])


def random_rows(
    rng: np.random.Generator, n: int, kinds: tuple[str, ...], missing: float = 0.0
) -> np.ndarray:
    X = np.stack([random_column(rng, n, kind) for kind in kinds], axis=1)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def signal(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """A response that depends on ranks, on missingness and on noise."""
    total = np.zeros(len(X))
    for column in X.T:
        rank = np.argsort(np.argsort(column, kind="stable"), kind="stable") / max(len(X), 1)
        total += rng.normal() * rank + rng.normal() * np.sin(rng.uniform(1, 9) * rank)
        total += 0.5 * rng.normal() * np.isnan(column)
    return total + 0.3 * rng.normal(size=len(X))


def random_target(
    rng: np.random.Generator, X: np.ndarray, target: str, n_classes: int = 5
) -> dict[str, Any]:
    """`y`, `n_classes` and the criterion of a kind of target."""
    s = signal(rng, X)
    if target == "regression":
        return {"y": s[:, None], "criterion": "squared_error"}
    if target == "tied":
        return {"y": np.round(s)[:, None], "criterion": "squared_error"}
    if target == "outputs":
        # Continuous: the order of levels with equal means is nobody's promise.
        y = np.stack([s, signal(rng, X), 100 * s + rng.normal(size=len(s))], axis=1)
        return {"y": y, "criterion": "squared_error"}
    criterion = "entropy" if target == "entropy" else "gini"
    n_classes = 2 if target == "binary" else n_classes
    edges = np.quantile(s, np.linspace(0, 1, n_classes + 1)[1:-1])
    return {
        "y": np.searchsorted(edges, s + 0.3 * rng.normal(size=len(s))).astype(np.int32),
        "n_classes": n_classes,
        "criterion": criterion,
    }


def random_weights(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    weights = {
        "unit": np.ones(n),
        "exponential": rng.exponential(size=n),
        "zeros": rng.exponential(size=n) * (rng.random(n) < 0.6),
        "counts": rng.poisson(1.0, size=n).astype(float),
        "tiny": 1e-8 * rng.exponential(size=n),
        "uneven": 10.0 ** rng.uniform(-3, 2, size=n),
        "extreme": 10.0 ** rng.uniform(-6, 3, size=n),
    }[kind]
    if not weights.any():
        weights[rng.integers(n)] = 1.0
    return weights


def random_problem(
    rng: np.random.Generator,
    n: int,
    kinds: tuple[str, ...],
    target: str = "regression",
    weights: str = "exponential",
    missing: float = 0.0,
    n_classes: int = 5,
    **settings: Any,
) -> Problem:
    X = random_rows(rng, n, kinds, missing)
    made = random_target(rng, X, target, n_classes)
    return Problem(
        X,
        made["y"],
        random_weights(rng, n, weights),
        n_levels_of(kinds),
        Settings(criterion=made["criterion"], **settings),
        made.get("n_classes", 0),
    )
