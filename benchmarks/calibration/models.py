"""What a model of this comparison is, and how its cost is taken."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import timed

F64 = NDArray[np.float64]
# Probabilities (n, classes); or mean, low and high, and quantiles at LEVELS if there are any.
Predict = Callable[[Any], F64]
Fit = Callable[[Any, NDArray, int, int], Predict]  # takes X, y, the number of trees and the seed


@dataclass(frozen=True)
class Model:
    """A way to get probabilities or intervals; `fit` may raise ImportError."""

    name: str
    task: str
    fit: Fit
    words: str
    with_categories: bool = False  # gets data frames with categorical columns, else numbers


def measured(model: Model, X: Any, y: NDArray, n_trees: int, seed: int) -> tuple[Predict, float]:
    """The fitted model's predictions and the CPU seconds of fit and calibration."""
    predict, cpu_seconds, _ = timed(lambda: model.fit(X, y, n_trees, seed))
    return predict, cpu_seconds


def registrar(
    models: dict[str, Model], task: str, with_categories: bool = False
) -> Callable[[str], Callable[[Fit], Fit]]:
    """A decorator that lists a function as a model; its docstring is the page's description."""

    def register(name: str) -> Callable[[Fit], Fit]:
        def add(fit: Fit) -> Fit:
            words = " ".join((fit.__doc__ or "").split())
            models[name] = Model(name, task, fit, words, with_categories)
            return fit

        return add

    return register
