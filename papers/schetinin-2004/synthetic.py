"""Section 5.1 with Bayesian trees: traces, diversity, Table 1, and the decision boundary.

250 training and 1,000 test rows of the five-Gaussian problem; 50 restarts of 2,000 + 2,000
iterations; birth, death, change-split and change-rule with probabilities .1, .1, .1 and .7; the
uniform prior over trees with at least 5 rows in a leaf.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bayeswood import MCMCTreeClassifier, UncertaintyEnvelope
from bayeswood.posterior import TreeStructure, diagnose, structure
from bayeswood.posterior.kept_draws import kept
from bayeswood.theory import five_gaussians_posterior, sample_five_gaussians

N_TRAIN, N_TEST = 250, 1000
SETTINGS: dict[str, Any] = {
    "n_chains": 50, "n_burn_in": 2000, "n_draws": 2000, "prior": "denison",
    "move_probabilities": "schetinin", "min_samples_leaf": 5, "concentration": 2.0,
}  # fmt: skip

# Printed in section 5.1.1; the first column of Table 1 is the path of features.
PRINTED = {
    "log likelihood": "about -40",
    "acceptance": "0.47",
    "splits per tree, mean": "12.4",
    "splits per tree, variance": "2.5",
    "fewest and most splits": "6 to 23",
    "distinct trees": "more than 8,000",
    "accuracy, %": "87.6",
    "correct, uncertain, incorrect, %": "63.3, 34.4, 2.3",
}
PRINTED_PATHS = (
    "211122111", "21112211", "212212111", "21221211111", "2112222", "212211111", "21121212222",
    "22121121", "211122112", "22121112", "2112221", "211222", "22211111", "2212211", "2121112",
    "2121212112", "2122121111", "211112121", "21122222", "2222111",
)  # fmt: skip
PRINTED_WEIGHTS = (0.002,) * 8 + (0.001,) * 12


@dataclass(frozen=True)
class SyntheticRun:
    """A fitted posterior and the rows it was fitted to."""

    model: Any
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    found: TreeStructure


def run(seed: int = 0, **settings: Any) -> SyntheticRun:
    X, y = sample_five_gaussians(N_TRAIN + N_TEST, rng=seed)
    model = MCMCTreeClassifier(**{**SETTINGS, **settings}, random_state=seed)
    model.fit(X[:N_TRAIN], y[:N_TRAIN])
    found = structure(model)
    return SyntheticRun(model, X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:], y[N_TRAIN:], found)


def numbers(ran: SyntheticRun) -> dict[str, str]:
    """What section 5.1.1 prints, of our run."""
    model, found = ran.model, ran.found
    log_likelihood = kept(model.trace_, "log_likelihood")
    n_splits = found.n_leaves.draws - 1
    assessed = UncertaintyEnvelope(0.99).assess(model, ran.X_test, ran.y_test)
    rates = (assessed.confident_correct, assessed.uncertain, assessed.confident_incorrect)
    bayes = five_gaussians_posterior(ran.X_test).argmax(axis=1) + 1
    return {
        "log likelihood": f"{log_likelihood.mean():.1f} ± {log_likelihood.std():.1f}",
        "acceptance": f"{overall_acceptance(model):.2f}",
        "splits per tree, mean": f"{float(found.n_leaves.mean) - 1:.1f}",
        "splits per tree, variance": f"{float(found.n_leaves.std) ** 2:.1f}",
        "fewest and most splits": f"{n_splits.min():.0f} to {n_splits.max():.0f}",
        "distinct trees": f"{found.n_distinct:,} (with their cuts {found.n_trees:,})",
        "accuracy, %": f"{100 * assessed.accuracy:.1f} (Bayes rule on the same rows "
        f"{100 * np.mean(bayes == ran.y_test):.1f})",
        "correct, uncertain, incorrect, %": ", ".join(f"{100 * rate:.1f}" for rate in rates),
    }


def overall_acceptance(model: Any) -> float:
    """Share of all proposals, burn-in included, that were accepted."""
    return float(np.mean(model.trace_.accepted))


def number_lines(ran: SyntheticRun) -> list[str]:
    lines = ["| | printed | here |", "|---|---|---|"]
    return lines + [f"| {k} | {PRINTED[k]} | {v} |" for k, v in numbers(ran).items()]


def path_text(path: tuple[str, ...]) -> str:
    """Features from 1, as the paper counts them."""
    return "".join(str(int(name.removeprefix("x")) + 1) for name in path)


def table_1_lines(ran: SyntheticRun) -> list[str]:
    lines = [
        "| # | printed path | nodes | weight | path here | nodes | weight |",
        "|---|---|---|---|---|---|---|",
    ]
    rows = zip(PRINTED_PATHS, PRINTED_WEIGHTS, ran.found.top, strict=False)
    for rank, (path, weight, tree) in enumerate(rows, 1):
        printed = f"{path} | {len(path)} | {weight}"
        lines.append(
            f"| {rank} | {printed} | {path_text(tree.path)} | {tree.n_splits} | {tree.mass:.4f} |"
        )
    return lines


def diagnostic_lines(ran: SyntheticRun) -> list[str]:
    return ["```", *str(diagnose(ran.model, ran.X_test[:4])).splitlines(), "```"]


def draw_traces(folder: Path, ran: SyntheticRun) -> None:
    """Figure 3."""
    import matplotlib as mpl

    mpl.use("Agg")
    from bayeswood.plots import TraceDisplay

    display = TraceDisplay.from_estimator(ran.model)
    display.figure_.savefig(folder / "schetinin-2004-traces.png", dpi=120)


def draw_diversity(folder: Path, ran: SyntheticRun) -> None:
    """Figure 4: posterior weight of each distinct tree, sorted by size, and the sizes."""
    import matplotlib.pyplot as plt

    from bayeswood.plots.axes import tidy
    from bayeswood.report.palette import BLUE, INK

    n_splits = ran.found.distinct_n_leaves - 1
    by_size = np.argsort(n_splits, kind="stable")
    figure, (upper, lower) = plt.subplots(
        2, figsize=(7.2, 4.2), sharex=True, layout="constrained", height_ratios=(2, 1)
    )
    places = np.arange(len(by_size))
    upper.vlines(places, 0, ran.found.distinct_mass[by_size], color=BLUE, linewidth=0.3)
    lower.plot(places, n_splits[by_size], color=INK)
    upper.set_ylabel("posterior weight")
    lower.set_ylabel("splits")
    lower.set_xlabel("distinct trees, by number of splits")
    for ax in (upper, lower):
        tidy(ax)
    figure.savefig(folder / "schetinin-2004-diversity.png", dpi=120)
    plt.close(figure)


def draw_boundary(folder: Path, ran: SyntheticRun, n_grid: int = 300) -> None:
    """Figure 2: the rows, the boundary of the averaged trees, and that of the Bayes rule."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    from bayeswood.plots.axes import tidy
    from bayeswood.report.palette import AMBER, BLUE, INK

    low, high = ran.X.min(axis=0) - 0.1, ran.X.max(axis=0) + 0.1
    across, along = (np.linspace(low[k], high[k], n_grid) for k in (0, 1))
    grid = np.stack(np.meshgrid(across, along), axis=-1).reshape(-1, 2)
    ours = ran.model.predict_proba(grid)[:, 0].reshape(n_grid, n_grid)
    best = five_gaussians_posterior(grid)[:, 0].reshape(n_grid, n_grid)
    figure, ax = plt.subplots(figsize=(6.4, 5.0), layout="constrained")
    shades = ax.pcolormesh(
        across, along, ours, cmap="PuOr_r", vmin=0, vmax=1, alpha=0.5, rasterized=True
    )
    figure.colorbar(shades, ax=ax, label="P(class 1), averaged over the trees")
    ax.contour(across, along, ours, [0.5], colors=INK, linewidths=1.8)
    ax.contour(across, along, best, [0.5], colors=INK, linewidths=1.4, linestyles="dashed")
    for label, colour, marker in ((1, AMBER, "x"), (2, BLUE, ".")):
        rows = ran.X[ran.y == label]
        ax.plot(*rows.T, marker, color=colour, markersize=5, label=f"class {label}")
    handles = [
        *ax.get_legend_handles_labels()[0],
        Line2D([], [], color=INK, linewidth=1.8, label="Bayesian trees"),
        Line2D([], [], color=INK, linewidth=1.4, linestyle="dashed", label="Bayes rule"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    tidy(ax)
    figure.savefig(folder / "schetinin-2004-boundary.png", dpi=120)
    plt.close(figure)


def draw_all(folder: Path, ran: SyntheticRun) -> None:
    draw_traces(folder, ran)
    draw_diversity(folder, ran)
    draw_boundary(folder, ran)
