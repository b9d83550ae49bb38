"""Sums of trees beside other libraries: how fast, how many effective draws, how good.

    python -m benchmarks.bart speed             # 1,000, 10,000 and 100,000 rows; some minutes
    python -m benchmarks.bart memory            # bytes that a draw takes
    python -m benchmarks.bart quality           # numbers beside stochtree; half an hour
    python -m benchmarks.bart classes           # classes beside stochtree; some ten minutes
    python -m benchmarks.bart speed --quick     # few rows and sweeps: does it run?

Speed: CPU time of one chain with one thread, the same number of trees and sweeps, from trees of one
leaf, responses of Friedman's function with 10 features; all libraries in turn. Effective draws: of
f at 50 new rows, the median of their bulk ESS, for each CPU second. bartz is compiled before it is
measured. Memory: how far the process grows with the number of draws. Quality and classes:
`benchmarks.bart.quality`, `benchmarks.bart.classes`.
"""

import argparse

import numpy as np
from sklearn.datasets import make_friedman1

from bayeswood.posterior.convergence import bulk_ess
from benchmarks.bart.classes import show_classes
from benchmarks.bart.fits import CONTENDERS, N_TREES, Fitted, installed
from benchmarks.bart.memory import show_memory
from benchmarks.bart.quality import show_quality
from benchmarks.machine import one_line


def effective(fitted: Fitted, n_chains: int = 1) -> float:
    """Median over rows of the effective number of draws of f."""
    by_chain = fitted.f.reshape(n_chains, -1, fitted.f.shape[1])
    return float(np.median([bulk_ess(by_chain[:, :, i]) for i in range(by_chain.shape[2])]))


def show_speed(sizes: list[int], n_sweeps: int, repeats: int) -> None:
    """Prints a table."""
    names = installed(*CONTENDERS)
    half = n_sweeps // 2
    print(f"{N_TREES} trees, {n_sweeps} sweeps of which half are draws, one chain, one thread")
    print(f"{'rows':>8}  {'library':10} {'CPU s':>8} {'ratio':>6} {'ESS':>7} {'ESS/s':>8}")
    for n in sizes:
        X, y = make_friedman1(n_samples=n, n_features=10, noise=1.0, random_state=0)
        X_new, _ = make_friedman1(n_samples=50, n_features=10, random_state=1)
        if "bartz" in names:
            CONTENDERS["bartz"](X, y, X_new, 99, half)  # compiles
        runs = [
            {name: CONTENDERS[name](X, y, X_new, seed, half) for name in names}
            for seed in range(repeats)
        ]
        own = float(np.median([run["bayeswood"].seconds for run in runs]))
        for name in names:
            cpu = float(np.median([run[name].seconds for run in runs]))
            ess = float(np.median([effective(run[name]) for run in runs]))
            words = f"{cpu:8.2f} {cpu / own:6.1f} {ess:7.1f} {ess / cpu:8.2f}"
            print(f"{n:8d}  {name:10} {words}", flush=True)


def main() -> None:
    """Run one of the four."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["speed", "memory", "quality", "classes"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--sweeps", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=3, help="of speed")
    parser.add_argument("--splits", type=int, default=5, help="of quality and classes")
    parser.add_argument("--only", nargs="*", default=[], help="tables by name")
    options = parser.parse_args()
    quick = options.quick
    print(one_line())
    if options.what == "quality":
        show_quality(
            ["friedman-100"] if quick else options.only, options.splits, 10 if quick else 250
        )
    elif options.what == "classes":
        show_classes(["iris", "heart_statlog"] if quick else options.only, options.splits)
    elif options.what == "memory":
        show_memory(20 if quick else 200)
    elif quick:
        show_speed([300], 20, 1)
    else:
        show_speed(options.rows, options.sweeps, options.repeats)


if __name__ == "__main__":
    main()
