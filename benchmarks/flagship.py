"""CPU time of the calibrated forests, calibration and all, beside scikit-learn's plain forest.

    python -m benchmarks.flagship --repeats 3

Fits of as many trees on one thread, in turn, the best of several; then answers for 30,000 rows.
"""

import argparse
import os
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from bayeswood import CalibratedForestClassifier, CalibratedForestRegressor, datasets
from bayeswood.errors import DataSetError
from benchmarks.measuring import timed
from benchmarks.problems import friedman_mean

N_TREES = 300
N_NEW = 30_000


def pendigits() -> tuple[NDArray, NDArray]:
    """Ten classes, 16 columns of whole numbers: a file."""
    data = datasets.load("pendigits")
    return data.features, data.target


def letters(n_rows: int = 15_000, n_classes: int = 26) -> tuple[NDArray, NDArray]:
    """As many classes as letters, 16 columns of whole numbers from 0 to 15."""
    rng = np.random.default_rng(26)
    centres = rng.uniform(2, 13, size=(n_classes, 2, 16))
    y = rng.integers(n_classes, size=n_rows)
    X = centres[y, rng.integers(2, size=n_rows)] + 1.8 * rng.standard_normal((n_rows, 16))
    return np.clip(np.round(X), 0, 15), y


def coin() -> tuple[NDArray, NDArray]:
    """Two classes whose log odds are half of Friedman's function."""
    rng = np.random.default_rng(2)
    X = rng.random((20_000, 20))
    return X, rng.random(20_000) < 1 / (1 + np.exp(-(friedman_mean(X) - 14.4) / 2))


def made(n_rows: int, n_features: int, n_classes: int) -> tuple[NDArray, NDArray]:
    """Two clouds for each class, twelve informative columns: nothing here was tuned to them."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n_rows,
        n_features,
        n_informative=12,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=2,
        random_state=n_classes,
    )
    return X, y


def california() -> tuple[NDArray, NDArray]:
    """House prices, 8 columns: a file."""
    data = datasets.load("california_housing")
    return data.features, data.target


PROBLEMS: dict[str, tuple[str, Callable[[], tuple[NDArray, NDArray]]]] = {
    "ten classes, pendigits": ("classes", pendigits),
    "ten classes, clouds": ("classes", partial(made, 10_992, 16, 10)),
    "26 classes, generated": ("classes", letters),
    "26 classes, clouds": ("classes", partial(made, 15_000, 16, 26)),
    "two classes, generated": ("classes", coin),
    "two classes, clouds": ("classes", partial(made, 20_000, 20, 2)),
    "numbers, California housing": ("numbers", california),
}


def both(kind: str, seed: int) -> dict[str, Any]:
    """Ours and theirs, not fitted."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    ours = CalibratedForestClassifier if kind == "classes" else CalibratedForestRegressor
    theirs = RandomForestClassifier if kind == "classes" else RandomForestRegressor
    return {
        "ours": ours(N_TREES, random_state=seed, n_jobs=1),
        "theirs": theirs(N_TREES, random_state=seed, n_jobs=1),
    }


def fit_in_turn(kind: str, X: NDArray, y: NDArray, repeats: int) -> dict[str, float]:
    """Least CPU seconds of each."""
    found = {"ours": np.inf, "theirs": np.inf}
    for seed in range(repeats):
        for name, model in both(kind, seed).items():
            found[name] = min(found[name], timed(lambda model=model: model.fit(X, y))[1])
    return found


def show_answers() -> None:
    """Seconds that a fitted forest of 23 classes takes for many rows."""
    model = CalibratedForestClassifier(N_TREES, random_state=0, n_jobs=1).fit(*letters(8_000, 23))
    new = letters(N_NEW, 23)[0]
    for name in ("predict_proba", "predict_interval", "uncertainty", "predict_set", "support"):
        getattr(model, name)(new[:2])
        seconds = timed(lambda name=name: getattr(model, name)(new))[1]
        print(f"{name} of {N_NEW:,} rows, 23 classes: {seconds:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser("benchmarks.flagship", description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    for title, (kind, make) in PROBLEMS.items():
        try:
            X, y = make()
        except DataSetError as reason:
            print(f"{title} left out: {reason}")
            continue
        seconds = fit_in_turn(kind, X, y, given.repeats)
        ratio = seconds["theirs"] / seconds["ours"]
        print(
            f"{title}, {X.shape[0]:,} x {X.shape[1]}: {seconds['theirs']:.2f} s, "
            f"ours {seconds['ours']:.2f} s, {ratio:.1f} times",
            flush=True,
        )
    show_answers()


if __name__ == "__main__":
    main()
