"""CPU per tree against the number of rows, for every library at hand; log-log.

    python -m benchmarks.rows_picture --json rows.json --out docs/images/performance-rows.png

Friedman's regression of 20 columns, all features at each node, leaves of 3, one thread; the best of
some fits. A library is asked for no more rows once a tree took longer than `--longest` seconds,
and grows as many trees, 20 at most, as it can in about twice that. `--show rows.json` draws kept
figures again.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path

from benchmarks.measuring import interleave
from benchmarks.peers.contenders import OURS, PEERS
from benchmarks.problems import Problem, friedman_regression

N_ROWS = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000)
OMITTED = ("quantile-forest",)  # scikit-learn's trees
Figures = dict[str, dict[int, float]]  # by library and rows: seconds of CPU per tree


def measure(
    sizes: Sequence[int],
    n_features: int,
    longest: float,
    repeats: int,
    keep: Callable[[Figures], None] = lambda found: None,
) -> Figures:
    """Best seconds per tree over some fits; `keep` is given what is known so far."""
    found: Figures = {name: {} for name in OURS | PEERS if name not in OMITTED}
    for n_rows in sizes:
        problem = friedman_regression(n_rows, n_features, quick=False, n_test=1)
        actions = {
            name: partial(_per_tree, name, problem, n_trees)
            for name, points in found.items()
            if (n_trees := _n_trees(points, n_rows, longest)) > 0
        }
        for name, seconds in interleave(actions, repeats, float)[0].items():
            found[name][n_rows] = seconds
        keep(found)
    return {name: points for name, points in found.items() if points}


def _n_trees(points: dict[int, float], n_rows: int, longest: float) -> int:
    """How many are grown, given what fewer rows took; 0 where they took too long."""
    if not points:
        return 20
    n_before, seconds = max(points.items())
    expected = seconds * n_rows / n_before
    return 0 if seconds > longest else max(1, min(20, int(2 * longest / expected)))


def _per_tree(name: str, problem: Problem, n_trees: int, seed: int) -> float:
    return (OURS | PEERS)[name](problem, n_trees, 1, seed).cpu_seconds / n_trees


def draw(found: Figures, path: Path) -> None:
    """Write the picture, the slowest on top of its legend; needs matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 5), layout="constrained")
    ax = figure.subplots()
    others = iter(OTHER_COLOURS * len(found))
    for name in slowest_first(found):
        ours = name in OURS
        colour = OUR_COLOURS[list(OURS).index(name)] if ours else next(others)
        ax.loglog(list(found[name]), list(found[name].values()), label=name, color=colour,
                  marker="o" if ours else next(MARKERS), markersize=5,
                  linewidth=2.6 if ours else 1.1)  # fmt: skip
    ax.set(xlabel="rows (20 columns)", ylabel="CPU seconds per tree, one thread")
    ax.grid(which="major", linewidth=0.4)
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(path, dpi=110)


def slowest_first(found: Figures) -> list[str]:
    """Names by the time at the largest number of rows that all were asked for."""
    common = max(set.intersection(*(set(points) for points in found.values())))
    return sorted(found, key=lambda name: -found[name][common])


OUR_COLOURS = ("#0072b2", "#d55e00")
OTHER_COLOURS = ("#999999", "#56564f", "#cc79a7", "#009e73", "#b8860b", "#7a5195")
MARKERS = cycle("sv^D<>Px*")


def _keep(path: Path | None, found: Figures) -> None:
    if path is not None:
        path.write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU per tree against rows.")
    parser.add_argument("--out", type=Path, default=Path("performance-rows.png"))
    parser.add_argument("--json", type=Path, help="keep the figures here")
    parser.add_argument("--show", type=Path, help="draw kept figures")
    parser.add_argument("--most-rows", type=int, default=N_ROWS[-1])
    parser.add_argument("--longest", type=float, default=5.0, help="seconds of a tree")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    if given.show:
        kept = json.loads(given.show.read_text())
        found = {
            name: {int(n): seconds for n, seconds in points.items()}
            for name, points in kept.items()
            if points
        }
    else:
        sizes = [n for n in N_ROWS if n <= given.most_rows]
        found = measure(sizes, 20, given.longest, given.repeats, partial(_keep, given.json))
    draw(found, given.out)


if __name__ == "__main__":
    main()
