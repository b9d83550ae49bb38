"""How fast the safe-Bayesian forest counts, fits and is updated.

    python -m benchmarks.safe_bayes            # some minutes
    python -m benchmarks.safe_bayes --quick    # does it run? (no figures)

CPU time, best of several; one thread, but for the million rows, which get two and show wall time.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bayeswood
from bayeswood import _core
from benchmarks.machine import one_line

N_FEATURES, N_CLASSES = 10, 2


def coin_rows(n_rows: int, seed: int = 0) -> tuple[NDArray, NDArray]:
    """Uniform columns, the sum of three of which decides the class most of the time."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, N_FEATURES))
    y = (X[:, :3].sum(axis=1) + rng.normal(0, 0.3, n_rows) > 1.5).astype(np.int32)
    return X, y


def best_time(work: Callable[[], Any], repeats: int, clock: Callable[[], float]) -> float:
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def counting_rate(n_rows: int, depth: int, repeats: int) -> float:
    """Tree-rows per second of CPU, the rows' encoding included."""
    X, y = coin_rows(n_rows)
    n_trees = 300 if depth else 1000
    n_edges = 999
    edges = np.tile(np.linspace(0, 1, n_edges + 2)[1:-1], N_FEATURES)
    steps = np.tile((np.arange(n_edges + 1) + 0.5) / (n_edges + 1), N_FEATURES)
    trees = _core.PriorTrees(
        0, n_trees, np.zeros(N_FEATURES, np.int32), np.full(N_FEATURES, n_edges), edges, steps,
        depth=depth,
    )  # fmt: skip
    counts = np.zeros((int(trees.n_leaves.sum()), N_CLASSES), np.int32)
    spent = best_time(lambda: trees.count(X, y, None, 1, counts), repeats, time.process_time)
    return n_trees * n_rows / spent


def fit_time(n_rows: int, n_jobs: int, repeats: int, clock: Callable[[], float]) -> float:
    X, y = coin_rows(n_rows)
    model = bayeswood.SafeBayesForestClassifier(random_state=0, n_jobs=n_jobs)
    return best_time(lambda: model.fit(X, y), repeats, clock)


def update_times(n_chunks: int, chunk: int, repeats: int) -> tuple[float, float]:
    """CPU of `partial_fit` of 1,000 rows at the start, and after `n_chunks` chunks."""
    model = bayeswood.SafeBayesForestClassifier(depth=10, random_state=0)
    X, y = coin_rows(chunk)
    few = coin_rows(1000, seed=1)
    model.partial_fit(X[:1000], y[:1000])
    before = best_time(lambda: model.partial_fit(*few), repeats, time.process_time)
    for _ in range(n_chunks):
        model.partial_fit(X, y)
    return before, best_time(lambda: model.partial_fit(*few), repeats, time.process_time)


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the safe-Bayesian forest.")
    parser.add_argument("--quick", action="store_true", help="tiny data: does it run?")
    quick = parser.parse_args().quick
    repeats = 2 if quick else 7
    rows = 2_000 if quick else 200_000
    print(one_line())
    for depth, name in ((0, "the paper's prior, 1,000 trees"), (10, "full trees of depth 10, 300")):
        rate = counting_rate(rows, depth, repeats)
        print(f"counting, {name}: {rate:.2e} tree-rows per second (promise 5e8, the paper's prior)")
    small = fit_time(1000, 1, repeats, time.process_time)
    print(f"fit with its sharpness, 1,000 x {N_FEATURES}: {small:.3f} s (promise 0.1 s)")
    many = 10_000 if quick else 1_000_000
    cpu, wall = (fit_time(many, 2, 1, clock) for clock in (time.process_time, time.perf_counter))
    print(
        f"fit, {many:,} x {N_FEATURES}, 2 threads: {cpu:.1f} s CPU, {wall:.1f} s wall (promise 60)"
    )
    n_chunks, chunk = (2, 5_000) if quick else (50, 200_000)
    before, after = update_times(n_chunks, chunk, repeats)
    print(
        f"partial_fit of 1,000 rows: {before * 1e3:.1f} ms at the start, "
        f"{after * 1e3:.1f} ms after {n_chunks * chunk:,} rows"
    )


if __name__ == "__main__":
    main()
