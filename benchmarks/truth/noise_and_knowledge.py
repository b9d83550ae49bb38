"""Noise and ignorance of the calibrated forests where the truth is known.

    python -m benchmarks.truth.noise_and_knowledge --fits 4 --rows 500 4000 50000

A line per problem and number of training rows: fits to new samples are asked at 400 places.
Noise is the standard deviation of y around its mean; ignorance the standard deviation, over new
samples, of what the forest says, which needs two fits at least.
"""

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayeswood import CalibratedForestRegressor
from benchmarks.problems import friedman_mean

F64 = NDArray[np.float64]
N_PLACES = 400
N_NEW = 4_000

# Name: mean, standard deviation of the noise, columns.
PROBLEMS: dict[str, tuple[Callable[[F64], F64], Callable[[F64], F64], int]] = {
    "line, sd .1 to 2.1": (lambda x: x[:, 0], lambda x: 0.1 + 2 * x[:, 1], 5),
    "Friedman's function, sd .5 to 4.5": (friedman_mean, lambda x: 0.5 + 4 * x[:, 5], 8),
    "Friedman's function, sd 2": (friedman_mean, lambda x: np.full(len(x), 2.0), 8),
    "steps, sd .3 and 1.5": (
        lambda x: np.where(x[:, 0] > 0.5, 3.0, 0.0) + (x[:, 1] > 0.3),
        lambda x: np.where(x[:, 0] > 0.5, 0.3, 1.5),
        5,
    ),
    "wave, sd .2 to 1": (
        lambda x: np.sin(4 * np.pi * x[:, 0]),
        lambda x: 0.2 + 0.8 * x[:, 0] ** 2,
        3,
    ),
    "noise alone, sd .4 to 2.7": (
        lambda x: np.zeros(len(x)),
        lambda x: np.exp(2 * x[:, 0] - 1),
        4,
    ),
    "product, sd .2 to 1.8": (
        lambda x: 4 * x[:, 0] * x[:, 1] - 2 * x[:, 2],
        lambda x: 0.2 + 1.6 * x[:, 0] * x[:, 3],
        7,
    ),
}


def measure(problem: str, n_rows: int, n_fits: int, n_trees: int) -> list[str]:
    """The cells of a line."""
    mean, noise, n_columns = PROBLEMS[problem]
    places = np.random.default_rng(7).random((N_PLACES, n_columns))
    said, answers, noises, covers_f, covers_y = [], [], [], [], []
    for fit in range(n_fits):
        rng = np.random.default_rng([n_rows, fit])
        X = rng.random((n_rows, n_columns))
        y = mean(X) + noise(X) * rng.standard_normal(n_rows)
        model = CalibratedForestRegressor(n_trees, random_state=fit, n_jobs=1).fit(X, y)
        split = model.uncertainty(places)
        answers.append(model.predict(places))
        said.append(split.knowledge)
        noises.append(np.sqrt(split.data))
        low, high = model.predict_interval(places, 0.9, kind="mean").T
        covers_f.append(np.mean((low <= mean(places)) & (mean(places) <= high)))
        new = rng.random((N_NEW, n_columns))
        y_new = mean(new) + noise(new) * rng.standard_normal(N_NEW)
        low, high = model.predict_interval(new, 0.9).T
        covers_y.append(np.mean((low <= y_new) & (y_new <= high)))
    truth = noise(places)
    ratio = np.median(np.concatenate(noises) / np.tile(truth, n_fits))
    is_even = np.ptp(truth) < 1e-9
    corr = "" if is_even else f"{np.corrcoef(np.mean(noises, axis=0), truth)[0, 1]:.2f}"
    one = "" if is_even else f"{np.mean([np.corrcoef(n, truth)[0, 1] for n in noises]):.2f}"
    spread = np.sqrt(np.var(answers, axis=0, ddof=1).mean()) if n_fits > 1 else np.nan
    bias = np.sqrt(np.mean((np.mean(answers, axis=0) - mean(places)) ** 2))
    return [
        problem,
        f"{n_rows:,}",
        f"{ratio:.2f}",
        one or corr,
        f"{spread:.3f}, {np.sqrt(np.mean(said)):.3f}",
        f"{np.min(said) ** 0.5:.2g}",
        f"{bias:.3f}",
        f"{np.mean(covers_f):.2f}",
        f"{np.mean(covers_y):.2f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser("benchmarks.truth.noise_and_knowledge")
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 4_000, 50_000])
    parser.add_argument("--fits", type=int, default=4)
    parser.add_argument("--trees", type=int, default=300)
    given = parser.parse_args()
    print("| problem, noise | rows | noise said / true (median) | correlation over x "
          "| sd of the mean over samples: true, said | least said | rms bias "
          "| 90 % of \"mean\" covers f(x) | 90 % covers y |")  # fmt: skip
    print("|---" * 9 + "|")
    for problem in PROBLEMS:
        for n_rows in given.rows:
            cells = measure(problem, n_rows, given.fits, given.trees)
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
