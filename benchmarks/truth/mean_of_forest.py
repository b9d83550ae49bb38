"""How far a forest's mean moves with the training sample, and what one forest can say of that.

    python -m benchmarks.truth.mean_of_forest --rows 200 2000 --trees 100 500

A line per forest, problem, number of rows and of trees. The truth is the standard deviation of
`predict` over forests fitted to fresh samples. Estimates from one forest, as a multiple of it (root
mean squares over 150 places) and by how often ± 1.645 of them hold the mean over samples:

- members: the standard deviation of the trees, which ``kind="mean"`` is about;
- jackknife: the infinitesimal jackknife at each place, see `estimate_tree_correlation`; 0 where it
  is negative;
- pooled: the same as one share of the trees' variance for all places, √ρ σ(x);
- leaf weights: √Σ α_i² r_i², α_i(x) the weight of row i in the forest's mean and r its residual,
  each over 1 less the row's weight in its own fit: trees taken as if grown on other rows.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from bayeswood import BayesianForestRegressor, RandomForestRegressor
from bayeswood.forest import RowWeights
from bayeswood.theory import estimate_tree_correlation
from benchmarks.truth.noise_and_knowledge import PROBLEMS

F64 = NDArray[np.float64]
FORESTS = {"Bayesian": BayesianForestRegressor, "random": RandomForestRegressor}
SCHEMES = {"Bayesian": "exponential", "random": "bootstrap"}
CHOSEN = ("line, sd .1 to 2.1", "Friedman's function, sd 2", "wave, sd .2 to 1")
N_PLACES = 150
N_JUDGED = 8
REACH = 1.645


def measure(kind: str, problem: str, n_rows: int, n_trees: int, n_fits: int) -> list[str]:
    """The cells of a line."""
    mean, noise, n_columns = PROBLEMS[problem]
    places = np.random.default_rng(5).random((N_PLACES, n_columns))
    answers, said = [], []
    for fit in range(n_fits):
        rng = np.random.default_rng([n_rows, fit, 3])
        X = rng.random((n_rows, n_columns))
        y = mean(X) + noise(X) * rng.standard_normal(n_rows)
        model = FORESTS[kind](n_trees, random_state=fit, n_jobs=1, keep_responses=False).fit(X, y)
        answers.append(model.predict(places))
        if fit < N_JUDGED:
            said.append(estimates(model, SCHEMES[kind], X, y, places))
    variance, centre = np.var(answers, axis=0, ddof=1), np.mean(answers, axis=0)
    cells = [kind, problem, f"{n_rows:,}", f"{n_trees}", f"{np.sqrt(variance.mean()):.3f}"]
    for found in np.swapaxes(said, 0, 1):
        ratio = np.sqrt(max(found.mean(), 0.0) / variance.mean())
        reach = REACH * np.sqrt(np.maximum(found, 0.0))
        held = np.mean(np.abs(answers[: len(found)] - centre) <= reach)
        cells.append(f"{ratio:.2f}, {held:.2f}")
    return cells


def estimates(model: object, scheme: str, X: F64, y: F64, places: F64) -> F64:
    """Variances said at the places, (4, n_places): in the order of the lines above."""
    found = estimate_tree_correlation(model, places)
    pooled = found.row_within * max(found.row_between.mean(), 0.0) / found.row_within.mean()
    by_leaves = leaf_weight_variance(model, scheme, X, y, places)
    return np.stack([found.row_within, found.row_between, pooled, by_leaves])


def leaf_weight_variance(model: object, scheme: str, X: F64, y: F64, places: F64) -> F64:
    """Σ α_i² r_i² at each place."""
    law, at_rows, at_places = RowWeights(scheme, model.seed_), model.apply(X), model.apply(places)
    n_trees = at_rows.shape[1]
    share, own = np.zeros((len(places), len(y))), np.zeros(len(y))
    for tree in range(n_trees):
        weight, leaf = law.draw(tree, len(y)), at_rows[:, tree]
        part = weight / np.bincount(leaf, weight)[leaf]
        share += np.where(at_places[:, tree, None] == leaf, part, 0.0) / n_trees
        own += part / n_trees
    residuals = (y - model.predict(X)) / np.maximum(1.0 - own, 0.1)
    return share**2 @ residuals**2


def main() -> None:
    parser = argparse.ArgumentParser("benchmarks.truth.mean_of_forest")
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 2_000])
    parser.add_argument("--trees", type=int, nargs="+", default=[100])
    parser.add_argument("--fits", type=int, default=30)
    given = parser.parse_args()
    print("| forest | problem | rows | trees | sd of the mean | members | jackknife | pooled "
          "| leaf weights |")  # fmt: skip
    print("|---" * 9 + "|")
    for kind in FORESTS:
        for problem in CHOSEN:
            for n_rows in given.rows:
                for n_trees in given.trees:
                    cells = measure(kind, problem, n_rows, n_trees, given.fits)
                    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
