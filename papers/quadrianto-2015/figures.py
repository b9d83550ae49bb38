"""Figures 3 to 5: weighted trees, operating curves, sensitivity to λ and the number of trees."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from protocol import DATA_SETS, folds
from sklearn.model_selection import train_test_split

from bayeswood import SafeBayesForestClassifier, datasets
from bayeswood.plots import operating_curve, weighted_trees

mpl.use("Agg")
import matplotlib.pyplot as plt

REPRESENTATIVE = ("australian", "heart", "ionosphere", "german.numer")
SPLIT_PROBABILITIES = (0.3, 0.35, 0.4, 0.45, 0.475, 0.5)
NUMBERS_OF_TREES = (100, 250, 500, 1000, 2000)


def draw_all(folder: Path, data: Path | None, *, quick: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    n_repeats, n_trees = (2, 100) if quick else (5, 1000)
    draw_trees(data, n_trees).savefig(folder / "figure-3.png", dpi=130)
    draw_curves(data, n_repeats, n_trees).savefig(folder / "figure-4.png", dpi=130)
    draw_one_curve(data, n_trees).savefig(folder / "figure-4-heart.png", dpi=130)
    sizes = NUMBERS_OF_TREES[:2] if quick else NUMBERS_OF_TREES
    draw_sensitivity(data, n_repeats, sizes).savefig(folder / "figure-5.png", dpi=130)


def published(seed: int, n_trees: int, **overrides: Any) -> SafeBayesForestClassifier:
    return SafeBayesForestClassifier.as_published(
        n_estimators=n_trees, random_state=seed, **overrides
    )


def draw_trees(data: Path | None, n_trees: int) -> Any:
    """Figure 3: the trees of iris that count most and least."""
    iris = datasets.load("iris", as_frame=True, folder=data)
    X, _, y, _ = train_test_split(
        iris.features, iris.target, test_size=0.2, stratify=iris.target, random_state=0
    )
    forest = published(0, n_trees).fit(X, y)
    return weighted_trees(forest)[0, 0].figure


def draw_curves(data: Path | None, n_repeats: int, n_trees: int) -> Any:
    """Figure 4: accuracy on the training rows over m/N, mean ± standard error."""
    figure, axes = plt.subplots(3, 3, figsize=(10, 8.5), layout="constrained", sharex=True)
    for ax, name in zip(axes.flat, DATA_SETS, strict=True):
        curves = [
            published(fold.repeat, n_trees).fit(fold.X_train, fold.y_train).operating_curve_
            for fold in folds(data, name, n_repeats, as_in_paper=True)
        ]
        heights = 100 * np.array([curve.accuracy for curve in curves])
        mean, error = heights.mean(axis=0), heights.std(axis=0, ddof=1) / np.sqrt(n_repeats)
        power = curves[0].power
        n_rows = round(1 / power[0])
        ax.fill_between(power, mean - error, mean + error, color="#0072B2", alpha=0.25, lw=0)
        ax.semilogx(power, mean, color="#0072B2")
        ax.axvline(5 / n_rows, color="#222222", lw=0.9, ls=":")
        ax.set_title(f"{name} (N = {n_rows})", fontsize=10)
        ax.grid(alpha=0.25)
    figure.supxlabel("β = m/N; dotted: m = 5; right end: Bayesian model averaging")
    figure.supylabel("accuracy on the training rows (%)")
    return figure


def draw_one_curve(data: Path | None, n_trees: int) -> Any:
    """What training rows hide: the same curve on rows left out and on test rows."""
    (fold,) = folds(data, "heart", 1, as_in_paper=True)
    forest = published(0, n_trees).fit(fold.X_train, fold.y_train)
    return operating_curve(forest, fold.X_test, fold.y_test, name="test rows")[0].figure


def draw_sensitivity(data: Path | None, n_repeats: int, sizes: tuple[int, ...]) -> Any:
    """Figure 5: test accuracy over the splitting probability, one line per number of trees."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained", sharex=True)
    shades = plt.get_cmap("viridis")(np.linspace(0.9, 0.0, len(sizes)))
    for ax, name in zip(axes.flat, REPRESENTATIVE, strict=True):
        found = sensitivity(data, name, n_repeats, sizes)
        for line, n_trees, shade, marker in zip(found, sizes, shades, "osD^v", strict=False):
            ax.plot(SPLIT_PROBABILITIES, line, color=shade, marker=marker, label=f"{n_trees} trees")
        ax.set_title(name, fontsize=10)
        ax.set_xticks([0.3, 0.35, 0.4, 0.45, 0.5])
        ax.grid(alpha=0.25)
    lines, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=len(names), frameon=False)
    figure.supxlabel("splitting probability λ")
    figure.supylabel("accuracy on the test rows (%)")
    return figure


def sensitivity(data: Path | None, name: str, n_repeats: int, sizes: tuple[int, ...]) -> np.ndarray:
    """(n_sizes, n_probabilities): the first trees of one large forest are a smaller one."""
    found = np.zeros((len(sizes), len(SPLIT_PROBABILITIES)))
    for fold in folds(data, name, n_repeats, as_in_paper=True):
        for column, split_probability in enumerate(SPLIT_PROBABILITIES):
            forest = published(fold.repeat, max(sizes), split_probability=split_probability)
            forest.fit(fold.X_train, fold.y_train)
            draws = forest.predict_draws(fold.X_test)
            log_weights = forest.power_ * forest.log_evidence_
            for row, n_trees in enumerate(sizes):
                weights = np.exp(log_weights[:n_trees] - log_weights[:n_trees].max())
                p = np.einsum("k,knc->nc", weights, draws[:n_trees])
                found[row, column] += np.mean(p.argmax(axis=1) == fold.y_test) * 100 / n_repeats
    return found
