"""CPU time of prediction: many rows at once, and one row through Python, in its forms."""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from bayeswood import RandomForestRegressor
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


def _mixed_table(n_rows: int) -> tuple[pd.DataFrame, NDArray]:
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
    "predict-100k": many_rows,
    "predict-one": one_row,
    "predict-one-mixed": one_mixed_row,
}
