"""CPU time of prediction: many rows at once, and one row through Python, in its forms."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from bayeswood import RandomForestRegressor
from benchmarks.kinds import BINARY_200K, PENDIGITS, REGRESSION_20K, Kind
from benchmarks.measuring import interleave, timed
from benchmarks.peers.contenders import OURS, PEERS
from benchmarks.problems import Problem
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload

if TYPE_CHECKING:
    import pandas as pd

PEER = "scikit-learn"


@dataclass(frozen=True)
class ManyRows:
    """Rows through trees of a problem, float32."""

    kind: Kind
    n_rows: int
    n_trees: int
    repeats: int = 7
    promise: float | None = None
    stretch: float | None = 6

    def __call__(self, options: Options) -> tuple[list[Row], list[str]]:
        problem, n_trees = options.problem(self.kind), options.n_trees(self.n_trees)
        X = problem.more_rows(5_000 if options.quick else self.n_rows)
        predictors = _fit_all(problem, n_trees)
        actions = {name: lambda _, p=p: timed(lambda: p(X))[1] for name, p in predictors.items()}
        best, _, notes = interleave(actions, options.n_repeats(self.repeats), float)
        title = f"{len(X):,} rows, {n_trees} trees of {problem.title}"
        return _rows(title, "predict, CPU", "ms", 1e3, best, self.promise, self.stretch), notes


def one_row(options: Options) -> tuple[list[Row], list[str]]:
    """One row through 20 trees, the whole Python call."""
    problem = options.problem(REGRESSION_20K)
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
    promise: float | None, stretch: float | None,
) -> list[Row]:  # fmt: skip
    return [
        Row(title, ours, PEER, measure, unit, scale * best[ours], scale * best[PEER],
            promise, stretch)
        for ours in OURS
    ]  # fmt: skip


def one_mixed_row(options: Options) -> tuple[list[Row], list[str]]:
    """One row of 13 categories and 7 numbers through 20 trees: frames, and a compiled row."""
    import polars as pl

    frame, y = _mixed_table(2_000 if options.quick else 20_000)
    one, n_calls = frame.iloc[:1], 20 if options.quick else 300
    ours = RandomForestRegressor(20, min_samples_leaf=3, random_state=0).fit(frame, y)
    forms = {
        "pandas frame": (ours.predict, one),
        "polars frame": (ours.predict, pl.from_pandas(one)),
        "compile_row, dict": (ours.compile_row().predict, one.iloc[0].to_dict()),
        PEER: (_encoded_forest().fit(frame, y).predict, one),
    }
    actions = {
        name: lambda _, predict=predict, row=row: _per_call(predict, row, n_calls)
        for name, (predict, row) in forms.items()
    }
    best, _, notes = interleave(actions, options.n_repeats(7), float)
    title, measure = "one row, 13 categories, 20 trees", "predict, CPU per call"
    promises = {"pandas frame": 15, "polars frame": 200, "compile_row, dict": 200}
    return [
        Row(title, name, PEER, measure, "us", 1e6 * best[name], 1e6 * best[PEER], promise,
            2 * promise)
        for name, promise in promises.items()
    ], notes  # fmt: skip


def _mixed_table(n_rows: int) -> "tuple[pd.DataFrame, NDArray]":
    import pandas as pd  # the other workloads run without it

    random = np.random.default_rng(0)
    words = {
        f"c{i}": random.choice([f"level {j}" for j in range(5 + i)], n_rows) for i in range(13)
    }
    numbers = {f"x{i}": random.normal(size=n_rows) for i in range(7)}
    frame = pd.DataFrame(words | numbers)
    return frame, numbers["x0"] + (words["c3"] == "level 2") + random.normal(size=n_rows)


def _encoded_forest() -> Pipeline:
    """scikit-learn's forest behind the encoder that its users put before it."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    columns = [(encoder, make_column_selector(dtype_exclude="number"))]
    forest = ensemble.RandomForestRegressor(20, min_samples_leaf=3, random_state=0)
    return make_pipeline(make_column_transformer(*columns, remainder="passthrough"), forest)


WORKLOADS: dict[str, Workload] = {
    "predict-100k": ManyRows(REGRESSION_20K, 100_000, 100, promise=3),
    "predict-classes": ManyRows(PENDIGITS, 100_000, 100),
    "predict-binary": ManyRows(BINARY_200K, 100_000, 20, 3),
    "predict-1m": ManyRows(REGRESSION_20K, 1_000_000, 500, 1),
    "predict-one": one_row,
    "predict-one-mixed": one_mixed_row,
}
