"""Reproduce Tables 1 to 3 and Figures 3 to 5, and measure the calibrated default beside them.

    python papers/quadrianto-2015/reproduce.py [--data FOLDER] [--figures FOLDER] [--quick]

`bayeswood.datasets` finds the nine data sets, in FOLDER first; README.md says which.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from printed import (
    ACCURACY,
    ENSEMBLE_ACCURACY,
    ENSEMBLES,
    LOG_PROBABILITY,
    METHODS,
)
from protocol import BASELINES, DATA_SETS, Fold, folds, log_probability, read
from sklearn.ensemble import RandomForestClassifier

from bayeswood import SafeBayesForestClassifier, datasets

# What the default must reach on the natural class shares: mean accuracy in %, mean log probability.
TARGET = (87.2, -0.305)
OURS = "S-Bayes"


def published(seed: int, n_trees: int, **overrides: object) -> SafeBayesForestClassifier:
    return SafeBayesForestClassifier.as_published(
        n_estimators=n_trees, random_state=seed, **overrides
    )


def accuracy(p: np.ndarray, y: np.ndarray) -> float:
    return float(100 * np.mean(p.argmax(axis=1) == y))


def table_row(fold: Fold, n_trees: int, with_baselines: bool) -> dict[str, float]:
    """Accuracies of Tables 1 and 2 on one split, and the log probability of Table 3."""
    forest = published(fold.repeat, n_trees).fit(fold.X_train, fold.y_train)
    draws, evidence = forest.predict_draws(fold.X_test), forest.log_evidence_
    averaging = np.exp(evidence - np.logaddexp.reduce(evidence))
    p = forest.predict_proba(fold.X_test)
    row = {
        OURS: accuracy(p, fold.y_test),
        "BMA": accuracy(np.einsum("k,knc->nc", averaging, draws), fold.y_test),
        "best tree": accuracy(draws[evidence.argmax()], fold.y_test),
        "log p": log_probability(p, fold.y_test),
    }
    default = SafeBayesForestClassifier(random_state=fold.repeat).fit(fold.X_train, fold.y_train)
    calibrated = default.predict_proba(fold.X_test)
    row["calibrated"] = accuracy(calibrated, fold.y_test)
    row["calibrated log p"] = log_probability(calibrated, fold.y_test)
    for name, make in BASELINES.items() if with_baselines else ():
        model = make(fold.repeat, n_trees, len(fold.y_train)).fit(fold.X_train, fold.y_train)
        row[name] = float(100 * model.score(fold.X_test, fold.y_test))
    return row


def natural_row(fold: Fold, n_trees: int) -> dict[str, float]:
    """Accuracy and log probability on natural class shares: the recipes and a random forest."""
    models = {
        "published": (published(fold.repeat, n_trees), None),
        "calibrated": (SafeBayesForestClassifier(random_state=fold.repeat), None),
        "RF": (RandomForestClassifier(n_trees, random_state=fold.repeat), n_trees),
    }
    row = {}
    for name, (model, n_members) in models.items():
        p = model.fit(fold.X_train, fold.y_train).predict_proba(fold.X_test)
        row[name] = accuracy(p, fold.y_test)
        row[f"{name} log p"] = log_probability(p, fold.y_test, n_members)
    return row


def run(
    data: Path | None,
    n_repeats: int,
    *,
    as_in_paper: bool,
    measure: Callable[[Fold], dict[str, float]],
) -> pd.DataFrame:
    """One line per data set and repeat."""
    lines = []
    for name in DATA_SETS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        for fold in folds(data, name, n_repeats, as_in_paper=as_in_paper):
            lines.append({"data": name, "repeat": fold.repeat, **measure(fold)})
    return pd.DataFrame(lines).set_index(["data", "repeat"])


def print_table(header: list[str], rows: list[list[str]]) -> None:
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def cell(values: pd.Series, printed: tuple[float, float] | None, digits: int = 1) -> str:
    """Mean ± standard deviation over the repeats, and what the paper prints."""
    own = f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"
    if printed is None:
        return own
    return f"{own} ({printed[0]:.{digits}f} ± {printed[1]:.{digits}f})"


def print_table_1(results: pd.DataFrame) -> None:
    print("\n### Table 1: accuracy in %, here (printed)\n")
    names = [*BASELINES, OURS]
    rows = []
    for data in DATA_SETS:
        printed = dict(zip(METHODS, ACCURACY[data], strict=True))
        cells = [cell(results.loc[data][name], printed.get(name)) for name in names]
        rows.append([data, *cells])
    print_table(["", *names], rows)
    near = [
        abs(results.loc[data][name].mean() - printed[0]) <= 2 * printed[1]
        for data in DATA_SETS
        for name, printed in zip(METHODS, ACCURACY[data], strict=True)
        if name in names and printed is not None
    ]
    print(f"\n{sum(near)} of {len(near)} cells lie within two printed standard deviations.")
    others = [name for name in METHODS if name not in names]
    print(f"Printed only: {', '.join(others)} (see the README).")


def print_table_2(results: pd.DataFrame) -> None:
    print("\n### Table 2: what the power buys; accuracy in %, here (printed)\n")
    rows = []
    for data in DATA_SETS:
        cells = [
            cell(results.loc[data][name], printed)
            for name, printed in zip(ENSEMBLES, ENSEMBLE_ACCURACY[data], strict=True)
        ]
        rows.append([data, *cells])
    means = results[list(ENSEMBLES)].mean()
    rows.append(["mean", *(f"{means[name]:.1f}" for name in ENSEMBLES)])
    print_table(["", *ENSEMBLES], rows)
    by_set = (
        results.groupby(level="data")[list(ENSEMBLES)].mean().round(9)
    )  # or a tie looks like a lead
    ahead = int((by_set[OURS] > by_set[["best tree", "BMA"]].max(axis=1)).sum())
    print(f"\nS-Bayes is ahead of both on {ahead} of {len(by_set)} data sets.")


def print_table_3(results: pd.DataFrame) -> None:
    print("\n### Table 3: log predictive probability, here (printed)\n")
    rows, wins = [], 0
    for data in DATA_SETS:
        mcmc, plain = LOG_PROBABILITY[data]
        own = results.loc[data]
        wins += own["calibrated log p"].mean() > mcmc[0]
        rows.append(
            [
                data,
                f"({mcmc[0]:.3f} ± {mcmc[1]:.3f})",
                cell(own["log p"], plain, 3),
                cell(own["calibrated log p"], None, 3),
                cell(own["calibrated"], None),
            ]
        )
    header = ["", "MCMC", OURS, "calibrated default", "its accuracy in %"]
    print_table(header, rows)
    print(f"\nThe calibrated default is above the printed MCMC on {wins} of {len(rows)} data sets.")


def print_natural(results: pd.DataFrame, n_repeats: int) -> None:
    print(f"\n### Natural class shares, 80/20, {n_repeats} repeats: accuracy in % / log p\n")
    names = ["published", "calibrated", "RF"]
    by_set = results.groupby(level="data", sort=False).mean()
    rows = [
        [data, *(f"{line[name]:.1f} / {line[f'{name} log p']:.3f}" for name in names)]
        for data, line in by_set.iterrows()
    ]
    mean = by_set.mean()
    rows.append(["**mean**", *(f"**{mean[n]:.1f} / {mean[f'{n} log p']:.3f}**" for n in names)])
    print_table(["", *names], rows)
    by_repeat = results.groupby(level="repeat").mean().sem()
    reached = mean["calibrated"] >= TARGET[0] and mean["calibrated log p"] >= TARGET[1]
    print(
        f"\nCalibrated: {mean['calibrated']:.2f} % and {mean['calibrated log p']:.4f} "
        f"(standard errors over repeats {by_repeat['calibrated']:.2f} and "
        f"{by_repeat['calibrated log p']:.4f}). The target, {TARGET[0]} % and {TARGET[1]}, is "
        f"{'reached' if reached else 'missed'}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the data, if not BAYESWOOD_DATA")
    parser.add_argument("--figures", type=Path, help="folder for the pictures")
    parser.add_argument("--repeats", type=int, help="of Tables 1 to 3 (5, as in the paper)")
    parser.add_argument("--natural-repeats", type=int, help="of the last table (10)")
    parser.add_argument("--no-baselines", action="store_true", help="leave scikit-learn out")
    parser.add_argument("--only", choices=["tables", "natural", "figures"], help="one part")
    parser.add_argument("--quick", action="store_true", help="2 repeats, 100 trees")
    options = parser.parse_args()
    data, n_trees = options.data, 100 if options.quick else 1000
    for name in DATA_SETS:  # before any work is done
        read(data, name)
    if options.only in (None, "tables"):
        n_repeats = options.repeats or (2 if options.quick else 5)
        results = run(
            data, n_repeats, as_in_paper=True,
            measure=lambda fold: table_row(fold, n_trees, not options.no_baselines),
        )  # fmt: skip
        if not options.no_baselines:
            print_table_1(results)
        print_table_2(results)
        print_table_3(results)
    if options.only in (None, "natural"):
        n_repeats = options.natural_repeats or (2 if options.quick else 10)
        natural = run(
            data, n_repeats, as_in_paper=False, measure=lambda fold: natural_row(fold, n_trees)
        )
        print_natural(natural, n_repeats)
    if options.figures and options.only in (None, "figures"):
        from figures import draw_all

        draw_all(options.figures, data, quick=options.quick)


if __name__ == "__main__":
    with datasets.exit_without_data():
        main()
