"""One picture: log p beside the recalibrated random forest, and coverage by thirds of spread."""

from pathlib import Path
from typing import Any

import numpy as np

from bayeswood.plots.axes import tidy
from bayeswood.report.palette import AMBER, BLUE, CRIMSON, GREY, INK
from benchmarks.calibration import classifiers, regressors
from benchmarks.calibration.comparison import (
    Estimate,
    estimate,
    mean_over_sets,
    model_names,
    over_sets,
    paired_by_set,
    set_names,
)
from benchmarks.calibration.metrics import COVERAGE, THIRDS
from benchmarks.calibration.store import Store
from benchmarks.calibration.targets import LOG_P_GAIN, THIRD_MARGIN

LINES = ["-", "--", ":", "-."]
COLOURS = [AMBER, CRIMSON, GREY, INK]


def draw(store: Store, path: Path) -> None:
    """Write the picture; needs matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 6.5), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.1, 1.1, 1.1))
    _log_p(left, store)
    _coverage_by_set(middle, store)
    _coverage_by_model(right, store)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def _log_p(ax: Any, store: Store) -> None:
    ours, rival = classifiers.OURS, classifiers.RIVAL
    by_set = paired_by_set(store, "classification", ours, rival, "log_p")
    ordered = sorted(by_set.items(), key=lambda item: item[1].mean)
    mean = over_sets(by_set)
    rows = ([("mean over sets", mean)] if mean else []) + ordered
    for place, (name, difference) in enumerate(rows):
        colour = INK if name == "mean over sets" else BLUE if difference.mean > 0 else CRIMSON
        _bar(ax, difference.mean, place, difference, colour)
    ax.set_yticks(range(len(rows)), [name for name, _ in rows])
    ax.axvline(0, color=GREY, linewidth=1)
    ax.axvline(LOG_P_GAIN, color=GREY, linewidth=1, linestyle=":")
    ax.set_xlabel("log p, ours less recalibrated random forest's")
    ax.set_title("Class probabilities: right is better", loc="left")
    tidy(ax, grid="x")


def _bar(ax: Any, x: float, y: float, one: Estimate, colour: str, mark: str = "o") -> None:
    ax.errorbar(x, y, xerr=np.nan_to_num(one.error), fmt=mark, color=colour, markersize=5,
                elinewidth=1.2)  # fmt: skip


def _coverage_by_set(ax: Any, store: Store) -> None:
    names = set_names(store, "regression")
    for shift, third, colour, mark in zip(
        (-0.2, 0, 0.2), THIRDS, (BLUE, AMBER, CRIMSON), "os^", strict=True
    ):
        found = [estimate(store, name, regressors.OURS, f"own_{third}") for name in names]
        for place, one in enumerate(found):
            if one is not None:
                _bar(ax, one.mean, place + shift, one, colour, mark)
        ax.plot([], [], mark, color=colour, label=f"{third} third")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    _nominal(ax.axvline, ax.axvspan)
    ax.set_xlabel("coverage of 90 % intervals")
    ax.set_title("Ours, in thirds by its own width", loc="left")
    _legend_below(ax, 3)
    tidy(ax, grid="x")


def _coverage_by_model(ax: Any, store: Store) -> None:
    names = set_names(store, "regression")
    others = 0
    for model in model_names(store, "regression", regressors.REGRESSORS):
        shares = [mean_over_sets(store, names, model, f"coverage_{third}") for third in THIRDS]
        if model == regressors.OURS:
            ax.plot(THIRDS, shares, "o-", color=BLUE, linewidth=2.5, label=model, zorder=3)
            continue
        style = LINES[others // len(COLOURS) % len(LINES)]
        colour = COLOURS[others % len(COLOURS)]
        ax.plot(THIRDS, shares, style, color=colour, linewidth=1.3, label=model)
        others += 1
    if ax.lines:
        _legend_below(ax, 2)
    _nominal(ax.axhline, ax.axhspan)
    ax.set_ylabel("coverage, mean over sets")
    ax.set_xlabel("third by the common yardstick")
    ax.set_title("Every model", loc="left")
    tidy(ax)


def _legend_below(ax: Any, n_columns: int) -> None:
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=n_columns, frameon=False,
              fontsize="small", columnspacing=1.0)  # fmt: skip


def _nominal(line: Any, band: Any) -> None:
    line(COVERAGE, color=GREY, linewidth=1)
    band(COVERAGE - THIRD_MARGIN, COVERAGE + THIRD_MARGIN, color=GREY, alpha=0.15, linewidth=0)
