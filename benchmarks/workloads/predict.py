"""CPU time of prediction: many rows at once, and one row through Python."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders import OURS, PEERS
from benchmarks.measuring import interleave, timed
from benchmarks.problems import Problem, friedman_regression
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload

PEER = "scikit-learn"


def many_rows(options: Options) -> tuple[list[Row], list[str]]:
    """100,000 rows through 100 trees grown on 20,640 x 10, min leaf 3."""
    problem = friedman_regression(20_640, 10, options.quick)
    n_rows = 5_000 if options.quick else 100_000
    X = np.random.default_rng(0).random((n_rows, 10), dtype=np.float32)
    predictors = _fit_all(problem, options.n_trees(100))
    actions = {name: lambda _, p=p: timed(lambda: p(X))[1] for name, p in predictors.items()}
    best, _, notes = interleave(actions, options.n_repeats(7), float)
    title = f"{n_rows:,} rows, {options.n_trees(100)} trees"
    return _rows(title, "predict, CPU", "ms", 1e3, best, 3, 6), notes


def one_row(options: Options) -> tuple[list[Row], list[str]]:
    """One row through 20 trees, the whole Python call."""
    problem = friedman_regression(20_640, 10, options.quick)
    row = problem.X_test[:1]
    n_calls = 20 if options.quick else 500
    predictors = _fit_all(problem, 20)
    actions = {name: lambda _, p=p: _per_call(p, row, n_calls) for name, p in predictors.items()}
    best, _, notes = interleave(actions, options.n_repeats(7), float)
    return _rows("one row, 20 trees", "predict, CPU per call", "us", 1e6, best, 20, 100), notes


def _fit_all(problem: Problem, n_trees: int) -> dict[str, Callable[[NDArray], NDArray]]:
    contenders = OURS | {PEER: PEERS[PEER]}
    return {name: fit(problem, n_trees, 1, 0).predict for name, fit in contenders.items()}


def _per_call(predict: Callable[[NDArray], NDArray], row: NDArray, n_calls: int) -> float:
    start = time.process_time()
    for _ in range(n_calls):
        predict(row)
    return (time.process_time() - start) / n_calls


def _rows(
    title: str, measure: str, unit: str, scale: float, best: dict[str, float],
    promise: float, stretch: float,
) -> list[Row]:  # fmt: skip
    return [
        Row(title, ours, PEER, measure, unit, scale * best[ours], scale * best[PEER],
            promise, stretch)
        for ours in OURS
    ]  # fmt: skip


WORKLOADS: dict[str, Workload] = {"predict-100k": many_rows, "predict-one": one_row}
