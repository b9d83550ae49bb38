"""Clocks, and the one way in which contenders are measured: in turn, best of several."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.problems import Problem

T = TypeVar("T")


class UnavailableError(Exception):
    """The contender cannot run here: it is not installed, or does not do this task."""


@dataclass(frozen=True)
class Fitted:
    """A fitted model: what it cost, and how to predict with it.

    `predict` gives means for regression and class probabilities for classification.
    """

    model: Any
    predict: Callable[[NDArray], NDArray]
    cpu_seconds: float
    wall_seconds: float


def timed(action: Callable[[], T]) -> tuple[T, float, float]:
    """Result, CPU seconds of the whole process (every thread) and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = action()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def interleave(
    actions: Mapping[str, Callable[[int], T]], repeats: int, cost: Callable[[T], float]
) -> tuple[dict[str, float], dict[str, T], list[str]]:
    """Run A, B, ..., A, B, ...: best cost and last result of each, and notes on the skipped.

    An action takes the number of the repeat, to be used as its seed.
    """
    best: dict[str, float] = {}
    last: dict[str, T] = {}
    notes: dict[str, str] = {}
    for repeat in range(repeats):
        for name in [name for name in actions if name not in notes]:
            try:
                last[name] = actions[name](repeat)
            except (ImportError, UnavailableError) as reason:
                notes[name] = f"{name} left out: {reason}"
                continue
            best[name] = min(best.get(name, math.inf), cost(last[name]))
    return best, last, list(notes.values())


def held_out_error(problem: Problem, predict: Callable[[NDArray], NDArray]) -> dict[str, float]:
    """RMSE, or accuracy and log loss (probabilities below 0.001 count as 0.001)."""
    prediction = np.asarray(predict(problem.X_test))
    if problem.task == "regression":
        return {"RMSE": float(np.sqrt(np.mean((prediction.ravel() - problem.y_test) ** 2)))}
    codes = np.searchsorted(np.unique(problem.y), problem.y_test)
    chosen = np.maximum(prediction[np.arange(len(codes)), codes], 1e-3)
    accuracy = np.mean(prediction.argmax(axis=1) == codes)
    return {"accuracy": float(accuracy), "log loss": float(-np.mean(np.log(chosen)))}
