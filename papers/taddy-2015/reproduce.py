"""Reproduce Figures 1 to 5 and Tables 1 and 2, with covertype in place of the beer data.

    python papers/taddy-2015/reproduce.py [--data FOLDER] [--figures FOLDER] [--repeats N] [--quick]

`bayeswood.datasets` finds california_housing_raw, wine_quality, covertype (which --quick leaves
out) and, for the figures, mcycle, in FOLDER first.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from experiments import (
    MIN_LEAF,
    N_TREES,
    california_models,
    covertype_errors,
    cross_validated,
    rmse,
    wine_models,
)
from sklearn.tree import DecisionTreeRegressor

from bayeswood import BayesianForestRegressor, RandomForestRegressor, datasets
from bayeswood.theory import TrunkStability, split_match_bound, trunk_stability

FRIEDMAN_MODELS: dict[str, Callable[[int], Any]] = {
    "BF": lambda seed: BayesianForestRegressor(
        N_TREES, min_samples_leaf=MIN_LEAF, max_features=None, random_state=seed
    ),
    "RF": lambda seed: RandomForestRegressor(
        N_TREES, min_samples_leaf=MIN_LEAF, max_features=None, random_state=seed
    ),
    "DT": lambda seed: DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, random_state=seed),
}
# Table 1, the percentages of Table 2, and what the text says of Figure 5.
PAPER_TABLE_1 = {
    "BF": "48.2",
    "RF": "48.5",
    "EBF 6000": "+1.6 %",
    "EBF": "49.4 (+2.4 %)",
    "EBF 1500": "+4.3 %",
    "ET": "52.5",
    "SSF": "53.1 (+10 %)",
    "DT": "65.6",
}
PAPER_WINE = {
    "BF": "+0 %",
    "EBF 2000": "+0.3 %",
    "EBF": "+0.8 %",
    "EBF 500": "+2.2 %",
    "SSF": "+12 %",
}
PAPER_BEER = {
    "BF": "+0 %",
    "EBF 30 %": "+1.0 %",
    "EBF": "+4.4 %",
    "EBF 7.5 %": "+7.6 %",
    "SSF": "+38 %",
}
FRIEDMAN_EXPECTED = {"BF": "2.68", "RF": "2.75", "DT": "3.75"}


def friedman(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Features x1 .. x10 and f(x) of eq. (5); x6 .. x10 are spurious."""
    X = rng.uniform(size=(n, 10))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, f + 10 * X[:, 3] + 5 * X[:, 4]


def friedman_errors(n_repeats: int) -> pd.DataFrame:
    """Figure 2: error against the true f(x), 100 training rows, 1,000 test rows."""
    rows = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng(repeat)
        X, f = friedman(rng, 100)
        test = friedman(rng, 1000)
        y = f + rng.normal(size=100)
        rows.append(
            {name: rmse(make(repeat), (X, y), test) for name, make in FRIEDMAN_MODELS.items()}
        )
    return pd.DataFrame(rows)


def error_table(
    errors: pd.DataFrame, expected: dict[str, str], label: str, measure: str = "RMSE"
) -> str:
    best = errors.mean().min()
    lines = [f"| | {' | '.join(errors)} |", f"|---|{'---|' * errors.shape[1]}"]
    rows = {
        measure: [f"{v:.4g}" for v in errors.mean()],
        "standard error": [f"{v:.2g}" for v in errors.sem()],
        "% worse than best": [f"{100 * (v / best - 1):.1f}" for v in errors.mean()],
        label: [expected.get(name, "") for name in errors],
    }
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    others = [name for name in ("RF", "EBF", "SSF") if name in errors]
    return "\n".join([*lines, "", *(paired(errors, name) for name in others)])


def paired(errors: pd.DataFrame, name: str) -> str:
    """How a model compares with the Bayesian forest, fold by fold."""
    loss = errors[name] - errors["BF"]
    return (
        f"{name} minus BF, paired: {loss.mean():.3f} ± {loss.sem():.3f}; "
        f"BF is better in {int((loss > 0).sum())} of {len(loss)}."
    )


def trunk_table(trunk: TrunkStability) -> str:
    cuts = [f"{n.thresholds.mean():.2f} ± {n.thresholds.std():.2f}" for n in trunk.sample_tree[:2]]
    return "\n".join(
        [
            f"```\n{trunk!r}\n```",
            "",
            "| | paper, 100 draws | here, 1,000 draws |",
            "|---|---|---|",
            f"| the sample tree | 62 % | {100 * trunk.share:.1f} % |",
            f"| the second tree | 28 % | {100 * trunk.sequences[1].share:.1f} % |",
            f"| income, income, latitude | 90 % | {100 * trunk.prefix_shares[2]:.1f} % |",
            f"| first two splits on income | 100 % | {100 * trunk.prefix_shares[1]:.1f} % |",
            f"| first cut | about 5 | {cuts[0]} |",
            f"| second cut | about 3 | {cuts[1]} |",
        ]
    )


def draw_figures(
    folder: Path, motorcycle: Any, friedman_run: Any, california_run: Any, trunk: TrunkStability
) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    draw_motorcycle(axes[0, 0], motorcycle.features, motorcycle.target)
    for axis, run, title in (
        (axes[0, 1], friedman_run, "Figure 2: Friedman, RMSE"),
        (axes[1, 0], california_run, "Figure 3: California, RMSE in $1,000"),
    ):
        axis.boxplot([run[name] for name in run], tick_labels=list(run))
        axis.set_title(title)
    for node, label in zip(trunk.sample_tree[:2], ("first split", "second split"), strict=True):
        axes[1, 1].hist(node.thresholds, bins=40, alpha=0.7, label=label)
        axes[1, 1].axvline(node.threshold, color="black", lw=1)
    axes[1, 1].set_title("Figure 4: where income is cut")
    axes[1, 1].legend()
    figure.savefig(folder / "taddy-2015.png", dpi=130)


def draw_motorcycle(axis: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Figure 1: sample CART, one weighted draw, and their average."""
    grid = np.linspace(X.min(), X.max(), 500)[:, None]
    forest = BayesianForestRegressor(N_TREES, min_samples_leaf=MIN_LEAF, random_state=0).fit(X, y)
    sample = DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, random_state=0).fit(X, y)
    axis.scatter(X, y, s=8, color="0.6")
    axis.plot(grid, sample.predict(grid), lw=1, label="sample CART")
    axis.plot(grid, forest.predict_draws(grid)[0], lw=1, label="one draw")
    axis.plot(grid, forest.predict(grid), lw=2, label="BF")
    axis.set_title("Figure 1: motorcycle")
    axis.legend()


def load_all(folder: Path | None, *, quick: bool, with_figures: bool) -> dict[str, Any]:
    """The data sets of a run, before any work is done; tables with names of their columns."""
    names = ["california_housing_raw", "wine_quality"]
    found = {name: datasets.load(name, as_frame=True, folder=folder) for name in names}
    arrays = [*([] if quick else ["covertype"]), *(["mcycle"] if with_figures else [])]
    return found | {name: datasets.load(name, folder=folder) for name in arrays}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the data, if not BAYESWOOD_DATA")
    parser.add_argument("--figures", type=Path, help="folder for the picture")
    parser.add_argument("--quick", action="store_true", help="without the covertype data")
    parser.add_argument("--repeats", type=int, default=100, help="of the Friedman experiment")
    options = parser.parse_args()
    data = load_all(options.data, quick=options.quick, with_figures=bool(options.figures))
    california, wine = data["california_housing_raw"], data["wine_quality"]
    features, value = california.features, california.target.astype(float)

    friedman_run = friedman_errors(options.repeats)
    print("## Figure 2: Friedman\n")
    print(error_table(friedman_run, FRIEDMAN_EXPECTED, "expected (± .08)"))
    california_run = cross_validated(
        california_models(), features.to_numpy(dtype=float), value / 1e3
    )
    print("\n## Figure 3, Table 1 and Table 2: California, 10-fold, $1,000\n")
    print(error_table(california_run, PAPER_TABLE_1, "paper"))
    print("\n## Figure 5 and Table 2: wine quality, 10-fold\n")
    wine_run = cross_validated(wine_models(), wine.features, wine.target.astype(float))
    print(error_table(wine_run, PAPER_WINE, "paper"))
    if not options.quick:
        print("\n## Figure 6 and Table 2: covertype in place of beer, misclassified %\n")
        errors = covertype_errors(data["covertype"].features, data["covertype"].target)
        print(error_table(errors, PAPER_BEER, "paper, beer", "misclassified %"))
    print("\n## Figure 4: the trunk\n")
    trunk = trunk_stability(features, value, min_samples_leaf=3500, rng=1)
    print(trunk_table(trunk))
    print("\n## Section 3.1: the first split\n")
    print(f"```\n{split_match_bound(features, value, min_samples_leaf=3500, rng=1)!r}\n```")
    if options.figures:
        draw_figures(options.figures, data["mcycle"], friedman_run, california_run, trunk)


if __name__ == "__main__":
    with datasets.exit_without_data():
        main()
