"""How good sums of trees are beside stochtree's, over several splits: paired differences.

Root mean squared error, CRPS of new responses and coverage of 90 % intervals, at each library's
defaults but for 200 trees and 1,000 draws. Real tables of at most 2,000 rows, drawn anew for every
split, a quarter of them new, categories as numbers for both; Friedman's function is drawn anew too.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split

from bayeswood import datasets
from benchmarks.bart.fits import Fitted, ours, stochtree

F64 = NDArray[np.float64]
FRIEDMAN = (100, 500, 2000)
TABLES = (
    "california_housing_raw",
    "wine_quality",
    "males_wage",
    "budget_uk",
    "working_hours",
    "griliches",
    "clothing_sales",
    "nlschools",
    "galton_height",
    "quakes_magnitude",
)
Problem = tuple[F64, F64, F64, F64, F64 | None]


def paired(first: F64, second: F64) -> tuple[float, float]:
    """Mean of the differences over splits, and its standard error.

    Examples
    --------
    >>> paired(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 1.0]))
    (1.0, 0.5773502691896258)
    """
    apart = np.asarray(first) - np.asarray(second)
    if len(apart) < 2:
        return float(apart.mean()), float("nan")
    return float(apart.mean()), float(apart.std(ddof=1) / np.sqrt(len(apart)))


def crps(f: F64, sigma: F64, y: F64, rng: np.random.Generator) -> float:
    """Of new responses, from one response for each draw."""
    new = np.sort(f + sigma[:, None] * rng.normal(size=f.shape), axis=0)
    n = len(new)
    spread = (2 * np.arange(1, n + 1) - n - 1) @ new / n**2
    return float((np.abs(new - y).mean(axis=0) - spread).mean())


def judged(fitted: Fitted, y: F64, truth: F64 | None) -> list[float]:
    """RMSE, CRPS, coverage of new responses, coverage of f where it is known, CPU seconds."""
    rng = np.random.default_rng(0)
    new = fitted.f + fitted.sigma[:, None] * rng.normal(size=fitted.f.shape)
    low, high = np.quantile(new, [0.05, 0.95], axis=0)
    f_low, f_high = np.quantile(fitted.f, [0.05, 0.95], axis=0)
    inside = float("nan") if truth is None else float(((f_low <= truth) & (truth <= f_high)).mean())
    error = float(np.sqrt(((fitted.f.mean(axis=0) - y) ** 2).mean()))
    covered = float(((low <= y) & (y <= high)).mean())
    return [error, crps(fitted.f, fitted.sigma, y, rng), covered, inside, fitted.seconds]


def as_numbers(features: Any) -> F64:
    """A table as floats, categories by the order of their names."""
    columns = []
    for column in np.asarray(features, dtype=object).T:
        try:
            columns.append(column.astype(float))
        except ValueError:
            columns.append(np.unique(column.astype(str), return_inverse=True)[1].astype(float))
    return np.column_stack(columns)


def friedman(n: int, split: int) -> Problem:
    """Training rows and responses, 1,000 new ones, and f there."""
    seed = 10 * split + 2
    X, y = make_friedman1(n_samples=n, n_features=10, noise=1.0, random_state=seed)
    X_new, f = make_friedman1(n_samples=1000, n_features=10, noise=0.0, random_state=seed + 1)
    noise = np.random.default_rng(seed + 2).normal(size=len(f))
    return X, y, X_new, f + noise, f


def table(name: str, split: int) -> Problem:
    """Training rows and responses, and new ones; f is not known."""
    data = datasets.load(name)
    X, y = as_numbers(data.features), np.asarray(data.target, dtype=float)
    keep = np.random.default_rng(split).permutation(len(y))[:2000]
    parts = train_test_split(X[keep], y[keep], test_size=0.25, random_state=split)
    return parts[0], parts[2], parts[1], parts[3], None


def problems(names: list[str], n_splits: int) -> Iterator[tuple[str, list[Problem]]]:
    """What is asked for, by name, split after split."""
    for n in FRIEDMAN:
        title = f"friedman-{n}"
        if not names or title in names:
            yield title, [friedman(n, split) for split in range(n_splits)]
    for name in TABLES:
        if not names or name in names:
            yield name, [table(name, split) for split in range(n_splits)]


def show_quality(names: list[str], n_splits: int, n_draws: int) -> None:
    """Prints a table: both means, then the mean difference and its standard error."""
    head = "".join(f"{what:>36}" for what in ("RMSE", "CRPS"))
    print(f"{'':24}{head}{'coverage':>12}{'of f':>12}{'CPU s':>14}")
    for name, splits in problems(names, n_splits):
        runs = []
        for seed, (X, y, X_new, y_new, truth) in enumerate(splits):
            mine = judged(ours(X, y, X_new, seed, n_draws=n_draws), y_new, truth)
            runs.append(
                (mine, judged(stochtree(X, y, X_new, seed, 10, 0, 4 * n_draws, 1), y_new, truth))
            )
        found = np.array(runs)
        print(f"{name:24}{_row(found)}", flush=True)


def _row(found: F64) -> str:
    """Of (n_splits, 2, 5) numbers: ours, the other's, and for errors the difference."""
    mean = found.mean(axis=0)
    words = []
    for k in range(2):
        apart, error = paired(found[:, 0, k], found[:, 1, k])
        words.append(f" {mean[0, k]:9.4g}/{mean[1, k]:9.4g} {apart:+8.2g} ± {error:.1g}")
    words += [f"  {mean[0, k]:.3f}/{mean[1, k]:.3f}" for k in (2, 3)]
    return "".join([*words, f"  {mean[0, 4]:5.1f}/{mean[1, 4]:5.1f}"])
