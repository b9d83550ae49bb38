"""YDF's random forest, where the package `ydf` is installed."""

import logging
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Fitted, timed
from benchmarks.problems import Problem, feature_share

LABEL = "y"


def fit(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """Trees without limits of depth; the table is put into YDF's own form before the clock runs."""
    import ydf

    ydf.verbose(0)
    logging.getLogger("absl").setLevel(logging.ERROR)
    learner = ydf.RandomForestLearner(
        LABEL, ydf.Task[problem.task.upper()],
        num_trees=n_trees, max_depth=-1, min_examples=problem.min_samples_leaf,
        num_candidate_attributes_ratio=feature_share(problem), winner_take_all=False,
        compute_oob_performances=False, random_seed=seed + 1, num_threads=n_jobs,
    )  # fmt: skip
    data = _own_form(ydf, problem)
    model, cpu, wall = timed(lambda: learner.train(data))
    return Fitted(model, partial(_predict, problem, model), cpu, wall)


def _predict(problem: Problem, model: Any, X: NDArray) -> NDArray:
    found = model.predict(_columns(problem, X))
    if problem.task == "regression":
        return found
    if found.ndim == 1:  # of two classes only the second is given
        found = np.column_stack([1 - found, found])
    names = model.label_classes()
    return found[:, [names.index(str(label)) for label in np.unique(problem.y)]]


def _own_form(ydf: Any, problem: Problem) -> Any:
    is_number = problem.task == "regression"
    table = _columns(problem, problem.X)
    table[LABEL] = problem.y if is_number else problem.y.astype(str)
    texts = {f"x{j}" for j in problem.categories} | (set() if is_number else {LABEL})
    return ydf.create_vertical_dataset(
        table,
        columns=[
            ydf.Column(name, ydf.Semantic.CATEGORICAL, min_vocab_frequency=1)
            if name in texts
            else ydf.Column(name, ydf.Semantic.NUMERICAL)
            for name in table
        ],
        max_num_scanned_rows_to_compute_statistics=-1,
    )


def _columns(problem: Problem, X: NDArray) -> dict[str, NDArray]:
    found = {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}
    for name in (f"x{j}" for j in problem.categories):
        found[name] = found[name].astype(np.int64).astype(str)
    return found
