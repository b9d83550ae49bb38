"""Reproduce the lecture's mistake model, and hold its two formulas against real forests.

python papers/tierney-lecture/reproduce.py [--figures FOLDER] [--repeats 200]
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification, make_friedman1

from bayeswood import RandomForestClassifier, RandomForestRegressor
from bayeswood.theory import ensemble_variance, estimate_tree_correlation, majority_vote_error

SIZES = [1, 2, 3, 5, 11, 21, 51, 101]
ERRORS = [0.1, 0.25, 0.4, 0.5, 0.6]


def mistake_table() -> str:
    lines = [f"| B | {' | '.join(f'ε = {e:g}' for e in ERRORS)} |", "|---|" + "---|" * len(ERRORS)]
    for n_trees in SIZES:
        cells = [f"{majority_vote_error(n_trees, e):.4g}" for e in ERRORS]
        lines.append(f"| {n_trees} | {' | '.join(cells)} |")
    return "\n".join(lines)


def vote_errors(max_features: Any) -> list[tuple[int, float, float, float]]:
    """Size of the vote, mean error of a tree, error of the vote, and what the model says."""
    X, y = make_classification(3000, 20, n_informative=8, flip_y=0.0, class_sep=0.8, random_state=1)
    train, test = slice(0, 1000), slice(1000, None)
    rows = []
    for n_trees in (1, 3, 11, 51, 101):
        forest = RandomForestClassifier(
            n_trees, max_features=max_features, voting="hard", random_state=0
        ).fit(X[train], y[train])
        wrong = forest.predict_draws(X[test]).argmax(axis=2) != y[test]
        tree_error = float(wrong.mean())
        vote_error = float((forest.predict(X[test]) != y[test]).mean())
        rows.append((n_trees, tree_error, vote_error, majority_vote_error(n_trees, tree_error)))
    return rows


def vote_table(max_features: Any) -> str:
    lines = [
        "| B | mean error of a tree | error of the vote | if independent |",
        "|---|---|---|---|",
    ]
    for n_trees, tree, vote, model in vote_errors(max_features):
        lines.append(f"| {n_trees} | {tree:.3f} | {vote:.3f} | {model:.3g} |")
    return "\n".join(lines)


def tree_draws(n_repeats: int, n_trees: int, max_features: Any, first: int = 0) -> np.ndarray:
    """(n_repeats, n_trees, n_rows): a forest on each of many fresh training sets."""
    new, _ = make_friedman1(50, random_state=10_000)
    draws = []
    for repeat in range(first, first + n_repeats):
        X, y = make_friedman1(100, noise=1.0, random_state=repeat)
        forest = RandomForestRegressor(
            n_trees, max_features=max_features, min_samples_leaf=3, random_state=repeat
        )
        draws.append(forest.fit(X, y).predict_draws(new))
    return np.array(draws)


def variance_table(n_repeats: int) -> str:
    lines = [
        "| features per node | σ² | ρ | formula at B = 50 | measured at B = 50 | σ²/50 |",
        "|---|---|---|---|---|---|",
    ]
    for name, max_features in (("1", 1), ("d/3", 1 / 3), ("all", None)):
        found = estimate_tree_correlation(tree_draws(n_repeats, 5, max_features))
        large = tree_draws(n_repeats, 50, max_features, first=n_repeats)
        measured = large.mean(axis=1).var(axis=0, ddof=1).mean()
        formula = ensemble_variance(found.variance, found.correlation, 50)
        lines.append(
            f"| {name} | {found.variance:.2f} | {found.correlation:.3f} | {formula:.3f} | "
            f"{measured:.3f} | {found.variance / 50:.3f} |"
        )
    return "\n".join(lines)


def draw_figure(folder: Path) -> None:
    """The lecture's picture: probability of a mistake against the number of trees."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
    n_trees = np.arange(1, 102, 2)
    for error in ERRORS:
        axis.plot(n_trees, majority_vote_error(n_trees, error), label=f"ε = {error:g}")
    axis.set(xlabel="trees (odd)", ylabel="probability of a mistake")
    axis.legend()
    figure.savefig(folder / "tierney-lecture.png", dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", type=Path, help="folder for the picture")
    parser.add_argument("--repeats", type=int, default=200, help="training sets per forest size")
    options = parser.parse_args()
    print("## The mistake model\n")
    print(mistake_table())
    for name, max_features in (("sqrt(d)", "sqrt"), ("all", None)):
        print(f"\n## Votes of a real forest, {name} features per node\n")
        print(vote_table(max_features))
    print("\n## Variance of a real forest\n")
    print(variance_table(options.repeats))
    if options.figures:
        draw_figure(options.figures)


if __name__ == "__main__":
    main()
