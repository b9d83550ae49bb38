"""Figures 2 to 5, drawn from the tables that the runs gave."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

from bayeswood.plots.axes import tidy
from bayeswood.report.palette import AMBER, BLUE, CRIMSON, GREY, INK

mpl.use("Agg")
import matplotlib.pyplot as plt

# Colour, marker and dashes; the paper draws the optimal proposal blue, the prior one red.
STYLES: dict[str, tuple[str, str, Any]] = {
    "SMC, optimal": (BLUE, "o", "-"),
    "SMC, optimal, layer-wise": (BLUE, "o", (0, (4, 2))),
    "SMC, prior": (CRIMSON, "s", "-"),
    "SMC, prior, layer-wise": (CRIMSON, "s", (0, (4, 2))),
    "MCMC": (INK, "D", "-"),
    "CART gini": (AMBER, "", "-"),
    "CART entropy": (GREY, "", (0, (4, 2))),
}
NAMES = {
    "cpu": "CPU time of a fit (s)",
    "size": "particles M",
    "log_p": "test log p(y|x)",
    "accuracy": "test accuracy",
    "n_islands": "islands I",
}


def draw_panel(ax: Any, table: pd.DataFrame, across: str, up: str) -> None:
    """A line for each method, with ± one standard deviation over the seeds."""
    for label, lines in table.groupby("label", sort=False):
        colour, marker, dashes = STYLES[label]
        if label.startswith("CART"):
            ax.axhline(lines[up].iloc[0], color=colour, linestyle=dashes, label=label, zorder=1)
            continue
        ordered = lines.sort_values(across)
        ax.errorbar(
            ordered[across], ordered[up], yerr=ordered[f"{up}_sd"], color=colour, marker=marker,
            linestyle=dashes, markersize=4, linewidth=1.3, capsize=2, label=label,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_minor_formatter("")
    ax.set_xlabel(NAMES[across])
    ax.set_ylabel(NAMES[up])
    tidy(ax, grid="both")


def draw_grid(path: Path, rows: list[tuple[str, pd.DataFrame, list[tuple[str, str]]]]) -> None:
    """Rows of two panels, each with its title, its numbers and its axes; one legend."""
    figure, axes = plt.subplots(
        len(rows), 2, figsize=(7.8, 2.9 * len(rows) + 0.5), layout="constrained", squeeze=False
    )
    for row, (title, table, panels) in zip(axes, rows, strict=True):
        for ax, (across, up) in zip(row, panels, strict=True):
            draw_panel(ax, table, across, up)
        row[0].set_title(title, loc="left", fontsize="medium")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(4, len(labels)), frameon=False
    )
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_islands(path: Path, table: pd.DataFrame) -> None:
    """Figure 4: log p and accuracy over I, with M/I above."""
    figure, axes = plt.subplots(1, 2, figsize=(7.8, 3.3), layout="constrained")
    total = int(table["size"].iloc[0])
    for ax, up in zip(axes, ("log_p", "accuracy"), strict=True):
        draw_panel(ax, table, "n_islands", up)
        ax.set_xticks(table["n_islands"], [str(i) for i in table["n_islands"]])
        ax.minorticks_off()
        above = ax.secondary_xaxis("top")
        above.set_xticks(table["n_islands"], [f"{total / i:g}" for i in table["n_islands"]])
        above.minorticks_off()
        above.set_xlabel("particles of an island M/I")
        above.spines["top"].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


# What Figures 2, 3 and 5 put on their two axes, row by row.
PANELS = {
    2: [[("cpu", "log_p"), ("size", "log_p")]],
    3: [[(across, up) for across in ("cpu", "size")] for up in ("log_p", "accuracy")],
    5: [[("cpu", "log_p"), ("cpu", "accuracy")]],
}


def draw_all(folder: Path, tables: dict[int, pd.DataFrame]) -> None:
    """Pictures, and beside each the numbers it shows."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, table in tables.items():
        table.round(5).to_csv(folder / f"figure-{number}.csv", index=False)
        path = folder / f"figure-{number}.png"
        if number == 4:
            draw_islands(path, table)
            continue
        rows = [
            (str(name), part, panels)
            for name, part in table.groupby("data", sort=False)
            for panels in PANELS[number]
        ]
        draw_grid(path, rows)
