"""Tables 3 and 4 and section 5.1 of the Uncertainty Envelope paper, for the ensembles of today.

    python papers/schetinin-2004/reproduce.py [--data FOLDER] [--figures FOLDER] [--paper-splits]

`bayeswood.datasets` finds the seven data sets, in FOLDER first. In place of five-fold
cross-validation, --paper-splits draws training and test parts of the sizes in the paper's Table 2.
--only synthetic needs no data; --quick takes 5 restarts of Markov chains in place of 50.
"""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import synthetic as bayesian_trees
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from bayeswood import (
    BayesianForestClassifier,
    MCMCTreeClassifier,
    RandomizedTreesClassifier,
    UncertaintyEnvelope,
    compare_envelopes,
    datasets,
)
from bayeswood.posterior import MonteCarloWarning
from bayeswood.theory import five_gaussians_envelope, sample_five_gaussians
from bayeswood.uncertainty import COLUMNS, EnvelopeComparison

GAMMA0, N_FOLDS = 0.99, 5
# Section 3: 200 trees, at least 5 rows in a leaf.
N_TREES, MIN_LEAF = 200, 5
# Section 5.1.1: of Markov chains, 2,000 + 2,000 iterations each.
N_RESTARTS = 50


def scikit(forest: type) -> Callable[[int], Any]:
    """scikit-learn's trees take numbers only; categories become level numbers."""
    encoder = make_column_transformer(
        (OrdinalEncoder(), make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    return lambda seed: make_pipeline(
        encoder, forest(N_TREES, min_samples_leaf=MIN_LEAF, random_state=seed)
    )


MODELS: dict[str, Callable[[int], Any]] = {
    "Bayesian forest": lambda seed: BayesianForestClassifier(
        N_TREES, min_samples_leaf=MIN_LEAF, random_state=seed
    ),
    "scikit-learn random forest": scikit(RandomForestClassifier),
    "scikit-learn extra trees": scikit(ExtraTreesClassifier),
}
# The paper's own two ensembles.
MODELS["randomised trees"] = lambda seed: RandomizedTreesClassifier(
    N_TREES, min_samples_leaf=MIN_LEAF, random_state=seed
)
BAYESIAN = "Bayesian MCMC trees"


def mcmc_trees(seed: int, n_chains: int = N_RESTARTS) -> MCMCTreeClassifier:
    return MCMCTreeClassifier(
        n_chains, prior="denison", min_samples_leaf=MIN_LEAF, random_state=seed
    )


MODELS[BAYESIAN] = mcmc_trees

# Rows of the training and test parts (Table 2), then of Table 3 (randomised) and of Table 4
# (Bayesian): size, accuracy, confident-correct, uncertain, confident-incorrect.
PAPER: dict[str, tuple[tuple[int, int], tuple[float, ...], tuple[float, ...]]] = {
    "ionosphere": ((200, 151), (21.2, 94.4, 76.5, 7.0, 16.5), (12.8, 95.3, 12.1, 87.3, 0.6)),
    "breast_cancer_wisconsin": (
        (455, 228), (32.7, 97.7, 96.7, 1.4, 1.9), (12.4, 99.1, 81.3, 18.3, 0.3),
    ),
    "image_segmentation": (
        (210, 2100), (27.9, 94.2, 86.1, 6.5, 7.4), (14.9, 94.3, 23.3, 76.6, 0.0),
    ),
    "house_votes_84": ((391, 44), (27.1, 95.2, 94.3, 1.1, 4.5), (12.0, 95.4, 53.5, 44.0, 2.5)),
    "sonar": ((138, 70), (17.8, 78.3, 54.9, 9.6, 35.6), (10.2, 81.4, 2.2, 97.8, 0.0)),
    "vehicle": ((564, 282), (115.8, 71.9, 63.8, 8.8, 27.4), (45.3, 69.9, 2.9, 96.9, 0.2)),
    "pima_diabetes": ((512, 256), (33.6, 80.2, 66.7, 14.6, 18.7), (12.2, 79.7, 33.5, 62.1, 4.4)),
}  # fmt: skip
SYNTHETIC = ((32.9, 87.1, 78.9, 9.8, 11.3), (12.4, 87.6, 63.3, 34.4, 2.3))
PAPER_LABELS = ("paper, randomised trees", "paper, Bayesian MCMC trees")


def load(name: str, folder: Path | None) -> tuple[Any, np.ndarray]:
    """Complete rows, as in the paper (683 of 699 in breast_cancer_wisconsin)."""
    data = datasets.load(name, as_frame=True, folder=folder)
    complete = data.features.notna().all(axis=1).to_numpy()
    return data.features[complete], data.target[complete]


def folds(name: str, paper_splits: bool) -> Any:
    if not paper_splits:
        return StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    n_train, n_test = PAPER[name][0]
    return StratifiedShuffleSplit(N_FOLDS, train_size=n_train, test_size=n_test, random_state=0)


def compare(X: Any, y: Any, cv: Any) -> EnvelopeComparison:
    models = {name: make(0) for name, make in MODELS.items()}
    return compare_envelopes(models, X, y, cv, gamma0=GAMMA0)


def error_in_consistent_half(comparison: EnvelopeComparison, name: str) -> float:
    """Share of errors in that half of each fold's rows on which members agree most."""
    errors = []
    for fold in comparison[name].assessments:
        order = np.argsort(-fold.consistency, kind="stable")
        errors.append(np.mean(~fold.is_correct[order[: fold.n_rows // 2]]))
    return float(np.mean(errors))


def table_lines(title: str, comparison: EnvelopeComparison, paper: tuple[Any, ...]) -> list[str]:
    lines = []
    for row in comparison.records():
        cells = [
            f"{(1 if column == 'tree_size' else 100) * row[column]:.1f} ± "
            f"{(1 if column == 'tree_size' else 100) * row[column + '_two_sigma']:.1f}"
            for column in COLUMNS
        ]
        half = 100 * error_in_consistent_half(comparison, row["model"])
        lines.append(f"| {title} | {row['model']} | {' | '.join(cells)} | {half:.1f} |")
        title = ""
    for label, numbers in zip(PAPER_LABELS, paper, strict=True):
        lines.append(f"| | *{label}* | {' | '.join(f'*{n:g}*' for n in numbers)} | |")
    return lines


HEADER = [
    "| data | model | tree size | accuracy | correct | uncertain | incorrect | half |",
    "|---|---|---|---|---|---|---|---|",
]


def claim_lines(results: dict[str, EnvelopeComparison]) -> list[str]:
    """The paper's claim, read with each pair (Bayesian, other): fewer CI, smaller trees."""
    lines = [
        "| Bayesian | beside | fewer / as many / more confident errors | mean of the rates, % |"
        " mean uncertain, % | smaller trees on |",
        "|---|---|---|---|---|---|",
    ]
    bayesian = [name for name in MODELS if name.startswith("Bayesian")]
    for ours in bayesian:
        for other in (name for name in MODELS if name not in bayesian):
            lines.append(_claim_line(results, ours, other))
    return lines


def _claim_line(results: dict[str, EnvelopeComparison], ours: str, other: str) -> str:
    def means(column: str) -> np.ndarray:
        return np.array(
            [[c[n].per_fold(column).mean() for n in (ours, other)] for c in results.values()]
        )

    incorrect, uncertain = means("confident_incorrect"), means("uncertain")
    sign = np.sign(np.round(incorrect[:, 0] - incorrect[:, 1], 10))
    counts = " / ".join(str(int(np.sum(sign == s))) for s in (-1, 0, 1))
    sizes = means("tree_size")
    smaller = f"{int(np.sum(sizes[:, 0] < sizes[:, 1]))} of {len(results)}"
    rates = " against ".join(f"{100 * v:.2f}" for v in incorrect.mean(axis=0))
    doubts = " against ".join(f"{100 * v:.1f}" for v in uncertain.mean(axis=0))
    return f"| {ours} | {other} | {counts} | {rates} | {doubts} | {smaller} |"


def synthetic(n_repeats: int = 5) -> EnvelopeComparison:
    """Section 5.1: 250 training and 1,000 test rows of five Gaussians, drawn anew each time."""
    parts, splits = [], []
    for repeat in range(n_repeats):
        parts.append(sample_five_gaussians(1250, rng=repeat))
        start = 1250 * repeat
        splits.append((np.arange(start, start + 250), np.arange(start + 250, start + 1250)))
    X, y = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return compare(pd.DataFrame(X, columns=["x1", "x2"]), y, splits)


def growth_lines(sizes: tuple[int, ...] = (250, 1000, 4000, 16000)) -> list[str]:
    """How the envelopes of votes and of probabilities change as data grow."""
    test = sample_five_gaussians(20_000, rng=10**6)
    best = five_gaussians_envelope(GAMMA0)
    lines = [
        "| rows | leaf of at least | votes: correct | uncertain | incorrect "
        "| probability: correct | uncertain | incorrect |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n_rows in sizes:
        leaf = round(n_rows ** (2 / 3) / 4)
        cells = [f"{value:.1f}" for value in 100 * growth_rates(n_rows, leaf, test)]
        lines.append(f"| {n_rows:,} | {leaf} | {' | '.join(cells)} |")
    optimum = [best.confident_correct, best.uncertain, best.confident_incorrect]
    lines.append(f"| optimum | | | | | {' | '.join(f'{100 * v:.2f}' for v in optimum)} |")
    return lines


def growth_rates(n_rows: int, leaf: int, test: tuple[Any, Any], n_repeats: int = 4) -> np.ndarray:
    found = []
    for repeat in range(n_repeats):
        forest = BayesianForestClassifier(
            100, min_samples_leaf=leaf, max_features=None, random_state=repeat
        ).fit(*sample_five_gaussians(n_rows, rng=1000 * repeat + n_rows))
        assessed = [
            UncertaintyEnvelope(GAMMA0, m).assess(forest, *test) for m in ("votes", "probability")
        ]
        found.append([getattr(a, column) for a in assessed for column in COLUMNS[2:]])
    return np.mean(found, axis=0)


def draw(folder: Path, results: dict[str, EnvelopeComparison]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from bayeswood.plots import EnvelopeComparisonDisplay

    figure, axes = plt.subplots(
        len(results), 1, figsize=(8, 2.6 * len(results)), layout="constrained"
    )
    for axis, (name, comparison) in zip(axes, results.items(), strict=True):
        EnvelopeComparisonDisplay(comparison).plot(axis)
        axis.set_title(name, loc="right")
    figure.savefig(folder / "schetinin-2004.png", dpi=120)


def print_tables(folder: Path | None, paper_splits: bool) -> dict[str, EnvelopeComparison]:
    tables = {name: load(name, folder) for name in PAPER}
    print(f"## Tables 3 and 4: γ₀ = {GAMMA0}, rates in %, ± 2σ over {N_FOLDS} folds\n")
    print("\n".join(HEADER))
    results = {}
    for name, (_, *paper) in PAPER.items():
        results[name] = compare(*tables[name], folds(name, paper_splits))
        print("\n".join(table_lines(name, results[name], tuple(paper))), flush=True)
    print("\n## The claim\n")
    print("\n".join(claim_lines(results)))
    return results


def print_synthetic(figures: Path | None, quick: bool) -> None:
    print("\n## Section 5.1: five Gaussians, 250 training rows\n")
    print("\n".join([*HEADER, *table_lines("synthetic", synthetic(), SYNTHETIC)]))
    ran = bayesian_trees.run(n_chains=5 if quick else N_RESTARTS)
    print("\n### Bayesian trees (section 5.1.1), one draw of the rows\n")
    print("\n".join(bayesian_trees.number_lines(ran)))
    print("\n### Table 1\n")
    print("\n".join(bayesian_trees.table_1_lines(ran)))
    print("\n### Do the restarts agree?\n")
    print("\n".join(bayesian_trees.diagnostic_lines(ran)), flush=True)
    if figures:
        bayesian_trees.draw_all(figures, ran)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the data, if not BAYESWOOD_DATA")
    parser.add_argument("--figures", type=Path, help="folder for the pictures")
    parser.add_argument("--paper-splits", action="store_true", help="the sizes of Table 2")
    parser.add_argument("--only", choices=["tables", "synthetic", "growth"], help="one part")
    parser.add_argument("--quick", action="store_true", help="5 restarts in place of 50")
    options = parser.parse_args()
    if options.figures:
        options.figures.mkdir(parents=True, exist_ok=True)
    if options.quick:
        MODELS[BAYESIAN] = lambda seed: mcmc_trees(seed, 5)
    # Chains that disagree are why the paper restarts; how much they do is printed below.
    warnings.simplefilter("ignore", MonteCarloWarning)

    results = {}
    if options.only in (None, "tables"):
        results = print_tables(options.data, options.paper_splits)
    if options.only in (None, "synthetic"):
        print_synthetic(options.figures, options.quick)
    if options.only in (None, "growth"):
        print("\n## The optimal envelope as data grow\n")
        print("\n".join(growth_lines()))
    if options.figures and results:
        draw(options.figures, results)


if __name__ == "__main__":
    with datasets.exit_without_data():
        main()
