"""Noise said by the calibrated forest, on problems that no choice was made by.

    python -m benchmarks.truth.noise_held_out --fits 5 --rows 500 2000

Columns that go together, long tails, levels, missing values; noise that is skewed, heavy-tailed or
of two values. A line per problem and number of rows: the median of noise said over true, its
correlation over 1,500 new rows, and that correlation were there no mean to find, from a fit to the
noise alone: what the residuals' true sizes allow.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayeswood import CalibratedForestRegressor

F64 = NDArray[np.float64]
Rng = np.random.Generator
N_NEW = 1_500
N_LEVELS = 12


class Problem(NamedTuple):
    """Columns, mean and standard deviation of y given them, and a noise of variance 1."""

    columns: Callable[[Rng, int, int], F64]
    mean: Callable[[F64], F64]
    sd: Callable[[F64], F64]
    noise: Callable[[Rng, int], F64]
    n_columns: int
    categories: tuple[int, ...] = ()


def uniform(rng: Rng, n: int, d: int) -> F64:
    return rng.random((n, d))


def related(rng: Rng, n: int, d: int) -> F64:
    """Normal columns of correlation one half."""
    own = rng.standard_normal((n, d))
    return 0.7 * own + 0.7 * rng.standard_normal((n, 1))


def long_tailed(rng: Rng, n: int, d: int) -> F64:
    return np.exp(related(rng, n, d))


def with_levels(rng: Rng, n: int, d: int) -> F64:
    """The first column holds level numbers."""
    X = rng.random((n, d))
    X[:, 0] = rng.integers(N_LEVELS, size=n)
    return X


def with_gaps(rng: Rng, n: int, d: int) -> F64:
    """A tenth of the values is missing."""
    X = rng.random((n, d))
    X[rng.random((n, d)) < 0.1] = np.nan
    return X


def normal(rng: Rng, n: int) -> F64:
    return rng.standard_normal(n)


def skewed(rng: Rng, n: int) -> F64:
    return rng.exponential(size=n) - 1


def heavy(rng: Rng, n: int) -> F64:
    return rng.standard_t(4, size=n) / np.sqrt(2)


def two_values(rng: Rng, n: int) -> F64:
    return np.where(rng.random(n) < 0.5, -1.0, 1.0)


def known(column: F64) -> F64:
    """A missing value counts as one half."""
    return np.nan_to_num(column, nan=0.5)


_LEVELS = np.random.default_rng(99)
_LEVEL_MEANS = _LEVELS.standard_normal(N_LEVELS)
_LEVEL_SDS = 0.5 * np.exp(0.6 * _LEVELS.standard_normal(N_LEVELS))

PROBLEMS = {
    "12 levels": Problem(
        with_levels,
        lambda x: _LEVEL_MEANS[x[:, 0].astype(int)] + x[:, 1],
        lambda x: _LEVEL_SDS[x[:, 0].astype(int)],
        normal,
        6,
        (0,),
    ),
    "missing values": Problem(
        with_gaps,
        lambda x: 3 * known(x[:, 0]) * known(x[:, 1]) + np.sin(6 * known(x[:, 2])),
        lambda x: 0.2 + 1.2 * known(x[:, 3]),
        normal,
        8,
    ),
    "parity of two columns": Problem(
        uniform,
        lambda x: np.where((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5), 1.0, -1.0),
        lambda x: 0.3 + 0.8 * x[:, 2],
        normal,
        10,
    ),
    "long tails": Problem(
        long_tailed,
        lambda x: np.log1p(x[:, 0]) * 2 - np.log(x[:, 1]),
        lambda x: 0.3 + 0.5 * np.sqrt(np.minimum(x[:, 0], 9)),
        heavy,
        8,
    ),
    "two values": Problem(
        uniform,
        lambda x: 5 * np.abs(x[:, 0] - 0.5) + x[:, 1] ** 2,
        lambda x: 0.2 + x[:, 0] + 0.5 * (x[:, 2] > 0.7),
        two_values,
        12,
    ),
    "ridge": Problem(
        related,
        lambda x: np.tanh(x[:, 0] + x[:, 1]) * 2,
        lambda x: 0.3 + 0.7 / (1 + np.exp(-2 * (x[:, 0] - x[:, 2]))),
        normal,
        6,
    ),
    "noise like a V": Problem(
        uniform,
        lambda x: 4 * x[:, 0] + 2 * np.cos(6 * x[:, 1]),
        lambda x: 0.2 + 2.5 * np.abs(x[:, 2] - 0.5),
        skewed,
        20,
    ),
    "even noise": Problem(
        related,
        lambda x: x[:, 0] * x[:, 1] + x[:, 2],
        lambda x: np.ones(len(x)),
        normal,
        15,
    ),
}


def measure(problem: Problem, n_rows: int, fit: int, n_trees: int) -> tuple[float, float, float]:
    """Median ratio, correlation, and that of a fit to the noise alone."""
    rng = np.random.default_rng([n_rows, fit, 77])
    X = problem.columns(rng, n_rows, problem.n_columns)
    noise = problem.sd(X) * problem.noise(rng, n_rows)
    new = problem.columns(rng, N_NEW, problem.n_columns)
    truth = problem.sd(new)
    said, alone = (
        _noise_said(X, y, new, problem, n_trees, fit) for y in (problem.mean(X) + noise, noise)
    )
    if np.ptp(truth) == 0:
        return float(np.median(said / truth)), np.nan, np.nan
    correlations = (float(np.corrcoef(one, truth)[0, 1]) for one in (said, alone))
    return float(np.median(said / truth)), *correlations


def _noise_said(X: F64, y: F64, new: F64, problem: Problem, n_trees: int, seed: int) -> F64:
    model = CalibratedForestRegressor(
        n_trees, random_state=seed, n_jobs=1, categorical_features=list(problem.categories)
    )
    return np.sqrt(model.fit(X, y).uncertainty(new).data)


def main() -> None:
    parser = argparse.ArgumentParser("benchmarks.truth.noise_held_out")
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 2_000])
    parser.add_argument("--fits", type=int, default=5)
    parser.add_argument("--trees", type=int, default=300)
    given = parser.parse_args()
    print(
        "| problem | rows | noise said / true (median) | correlation over x | of the noise alone |"
    )
    print("|---" * 5 + "|")
    for name, problem in PROBLEMS.items():
        for n_rows in given.rows:
            found = [measure(problem, n_rows, fit, given.trees) for fit in range(given.fits)]
            ratio, *rest = np.mean(found, axis=0)
            cells = [f"{ratio:.2f}", *("" if np.isnan(one) else f"{one:.2f}" for one in rest)]
            print("| " + " | ".join([name, f"{n_rows:,}", *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
