"""Regenerate Figures 2 to 5 and put the paper's claims to the test.

    python papers/lakshminarayanan-2013/reproduce.py [--data FOLDER] [--figures FOLDER] [--quick]

`bayeswood.datasets` finds pendigits, magic04 and madelon, in FOLDER first. Times are CPU seconds
of one fit on one thread, without prediction, as in the paper.
"""

import argparse
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from protocol import Setting, prior_sizes, read, run_all

from bayeswood import datasets
from bayeswood.posterior import IslandsDisagree

# Of the authors' scripts, run again on pendigits: CPU seconds, accuracy, log p.
AUTHORS = {
    ("SMC, prior", 100, 5): (20.0, 0.907, -0.364),
    ("SMC, prior", 500, 5): (91.0, 0.930, -0.260),
    ("SMC, optimal", 10, 1): (50.0, 0.907, -0.398),
    ("CART gini", 1, 1): (None, 0.898, -0.414),
}
PAPER_DEPTH, PAPER_NODES = 5.1, 18.5


class Plan:
    """Sizes of the runs."""

    def __init__(self, quick: bool, repeats: int | None) -> None:
        self.n_repeats = repeats or (2 if quick else 10)
        self.particles = (10, 50, 200) if quick else (10, 50, 100, 200, 500, 1000, 2000)
        self.optimal = (5, 10) if quick else (5, 10, 20, 50, 100)
        self.islands = (1, 5, 20) if quick else (1, 2, 5, 10, 20, 50, 100, 200)
        self.total = 200 if quick else 2000
        self.comparison = (100,) if quick else (100, 200, 500, 1000, 2000, 5000)
        self.iterations = (200, 1000) if quick else (1000, 10_000, 100_000, 1_000_000)

    def figure_2(self) -> Iterable[Setting]:
        for expansion in ("node", "layer"):
            yield from (Setting("prior", m, 1, expansion) for m in self.particles)
            yield from (Setting("optimal", m, 1, expansion) for m in self.optimal)

    def figure_3(self) -> Iterable[Setting]:
        yield from (Setting("prior", m) for m in self.particles)
        yield from (Setting("optimal", m) for m in self.optimal)

    def figure_4(self) -> Iterable[Setting]:
        return (Setting("prior", self.total, islands) for islands in self.islands)

    def figure_5(self) -> Iterable[Setting]:
        yield from (Setting("prior", m, 5) for m in self.comparison)
        yield from (Setting("optimal", 5 * m, 5) for m in self.optimal)
        yield Setting("optimal", 10, 5)
        yield from (Setting("MCMC", n) for n in self.iterations)
        yield from (Setting(f"CART {criterion}", 1) for criterion in ("gini", "entropy"))


FIGURES = {
    2: ("proposals and expansion", ("pendigits", "magic04")),
    3: ("irrelevant features", ("madelon",)),
    4: ("islands", ("pendigits",)),
    5: ("SMC, MCMC and CART", ("pendigits", "magic04")),
}


def summed_up(results: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds, and the standard deviations of the two scores."""
    groups = results.groupby(["data", "label", "size", "n_islands"], sort=False)
    means = groups[["cpu", "accuracy", "log_p", "log_evidence", "n_leaves"]].mean()
    spread = groups[["accuracy", "log_p"]].std().fillna(0.0).add_suffix("_sd")
    return means.join(spread).reset_index()


def print_figure(number: int, table: pd.DataFrame) -> None:
    print(f"\n### Figure {number}: {FIGURES[number][0]}\n")
    print("| data | method | M or iterations | I | CPU, s | accuracy | log p | leaves | authors |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line in table.itertuples():
        beside = ""
        if line.data == "pendigits":
            beside = _authors(AUTHORS.get((line.label, line.size, line.n_islands)))
        print(
            f"| {line.data} | {line.label} | {line.size:,} | {line.n_islands} | {line.cpu:.3g} | "
            f"{line.accuracy:.3f} ± {line.accuracy_sd:.3f} | {line.log_p:.3f} ± {line.log_p_sd:.3f}"
            f" | {line.n_leaves:.0f} | {beside} |"
        )


def _authors(found: tuple[float | None, float, float] | None) -> str:
    if found is None:
        return ""
    cpu = "" if found[0] is None else f"{found[0]:.0f} s, "
    return f"{cpu}{found[1]:.3f}, {found[2]:.3f}"


def best(table: pd.DataFrame, data: str, label: str, column: str = "log_p") -> pd.Series:
    chosen = table[(table["data"] == data) & (table["label"] == label)]
    return chosen.loc[chosen[column].idxmax()]


def print_claims(tables: dict[int, pd.DataFrame]) -> None:
    print("\n### The claims\n")
    for line in _claims(tables):
        print(f"- {line}")


def _claims(tables: dict[int, pd.DataFrame]) -> Iterable[str]:
    if 2 in tables:
        for data in FIGURES[2][1]:
            yield _node_or_layer(tables[2], data)
            yield _few_particles(tables[2], data)
    if 3 in tables:
        prior, optimal = (best(tables[3], "madelon", f"SMC, {p}") for p in ("prior", "optimal"))
        yield (
            f"madelon: the best log p is {optimal.log_p:.3f} (optimal, M = {optimal['size']}, "
            f"{optimal.cpu:.2g} s) beside {prior.log_p:.3f} (prior, M = {prior['size']}, "
            f"{prior.cpu:.2g} s)."
        )
    if 4 in tables:
        found = tables[4].set_index("n_islands")["log_p"]
        yield (
            f"Islands at M = {tables[4]['size'].iloc[0]:,}: log p "
            + ", ".join(f"{value:.3f} (I = {islands})" for islands, value in found.items())
            + "."
        )
    if 5 in tables:
        for data in FIGURES[5][1]:
            yield _beside_mcmc(tables[5], data)
            yield _evidence(tables[5], data)


def _node_or_layer(table: pd.DataFrame, data: str) -> str:
    here = table[table["data"] == data].set_index(["label", "size"])["log_p"]
    gains = {}
    for proposal in ("prior", "optimal"):
        node, layer = here[f"SMC, {proposal}"], here[f"SMC, {proposal}, layer-wise"]
        gains[proposal] = float((node - layer).mean())
    return (
        f"{data}: node-wise less layer-wise expansion in log p is {gains['prior']:+.3f} with the "
        f"prior proposal and {gains['optimal']:+.3f} with the optimal one (means over M)."
    )


def _few_particles(table: pd.DataFrame, data: str) -> str:
    here = table[table["data"] == data].set_index(["label", "size"])
    few, many = here.loc[("SMC, optimal", 10)], best(table, data, "SMC, optimal")
    prior = here.loc["SMC, prior"]
    reached = prior[prior["log_p"] >= few.log_p]
    by = "no M tried" if reached.empty else f"M = {reached.index[0]} ({reached.cpu.iloc[0]:.2g} s)"
    return (
        f"{data}: the optimal proposal has log p {few.log_p:.3f} at M = 10 ({few.cpu:.2g} s) and "
        f"{many.log_p:.3f} at best (M = {many['size']}); the prior proposal is as good as the "
        f"former with {by}."
    )


def _beside_mcmc(table: pd.DataFrame, data: str) -> str:
    smc, mcmc = best(table, data, "SMC, prior"), best(table, data, "MCMC")
    cart = max(best(table, data, f"CART {c}").log_p for c in ("gini", "entropy"))
    return (
        f"{data}: the best log p is {smc.log_p:.3f} with SMC (M = {smc['size']:,}, {smc.cpu:.2g} s)"
        f", {mcmc.log_p:.3f} with MCMC ({mcmc['size']:,} iterations, {mcmc.cpu:.2g} s), "
        f"{cart:.3f} with CART."
    )


def _evidence(table: pd.DataFrame, data: str) -> str:
    prior = table[(table["data"] == data) & (table["label"] == "SMC, prior")]
    few, many = prior.iloc[0], prior.iloc[-1]
    return (
        f"{data}: from M = {few['size']:,} to {many['size']:,} (prior, I = 5) the log evidence "
        f"rises from {few.log_evidence:.0f} to {many.log_evidence:.0f}, log p from {few.log_p:.3f} "
        f"to {many.log_p:.3f}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the data, if not BAYESWOOD_DATA")
    parser.add_argument("--figures", type=Path, help="folder for the pictures and the numbers")
    parser.add_argument("--repeats", type=int, help="seeds of each setting (10, as in the paper)")
    parser.add_argument("--only", type=int, choices=list(FIGURES), help="one figure")
    parser.add_argument("--quick", action="store_true", help="2 seeds, few particles")
    options = parser.parse_args()
    chosen = [options.only] if options.only else list(FIGURES)
    names = dict.fromkeys(name for number in chosen for name in FIGURES[number][1])
    splits = {name: read(options.data, name) for name in names}
    # Islands that disagree are what the paper averages over.
    warnings.simplefilter("ignore", IslandsDisagree)
    depth, n_nodes = prior_sizes()
    print(
        f"Trees of the prior: mean depth {depth:.4f} (printed {PAPER_DEPTH}), mean number of "
        f"nodes {n_nodes:.4f} (printed {PAPER_NODES})."
    )
    plan, tables = Plan(options.quick, options.repeats), {}
    for number in chosen:
        settings = getattr(plan, f"figure_{number}")()
        tell = lambda text: print(text, file=sys.stderr, flush=True)  # noqa: E731
        parts = [splits[name] for name in FIGURES[number][1]]
        tables[number] = summed_up(run_all(parts, settings, plan.n_repeats, tell))
        print_figure(number, tables[number])
        sys.stdout.flush()
    print_claims(tables)
    if options.figures:
        from figures import draw_all

        draw_all(options.figures, tables)


if __name__ == "__main__":
    with datasets.exit_without_data():
        main()
