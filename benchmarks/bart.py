"""Sums of trees beside stochtree: how fast, how many effective draws, how good.

    python -m benchmarks.bart speed             # 1,000, 10,000 and 100,000 rows; some minutes
    python -m benchmarks.bart quality           # generated and real tables; some ten minutes
    python -m benchmarks.bart speed --quick     # few rows and sweeps: does it run?

Speed: CPU time of one chain with one thread, the same number of trees and sweeps, from trees of one
leaf, responses of Friedman's function with 10 features; both libraries in turn. Effective draws: of
f at 50 new rows, the median of their bulk ESS, for each CPU second. Quality: root mean squared
error, CRPS of new responses, coverage of 90 % intervals, at each library's defaults but for 200
trees and 1,000 draws; real tables of at most 2,000 rows, a quarter of them new, categories as
numbers for both.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split

from bayeswood import BARTRegressor, datasets
from bayeswood.posterior.convergence import bulk_ess
from benchmarks.machine import one_line

F64 = NDArray[np.float64]
N_TREES = 200
TABLES = (
    "california_housing_raw",
    "wine_quality",
    "males_wage",
    "budget_uk",
    "working_hours",
    "griliches",
    "clothing_sales",
    "nlschools",
    "galton_height",
    "quakes_magnitude",
)


@dataclass(frozen=True)
class Fitted:
    """Draws of f at new rows, (n_draws, n_rows), draws of σ, and CPU seconds of the fit."""

    f: F64
    sigma: F64
    seconds: float


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and its CPU seconds."""
    begun = time.process_time()
    found = fit()
    return found, time.process_time() - begun


def ours(X: F64, y: F64, X_new: F64, seed: int, **settings: Any) -> Fitted:
    """A fit by this library."""
    model = BARTRegressor(N_TREES, random_state=seed, n_jobs=1, **settings)
    fitted, seconds = timed(lambda: model.fit(X, y))
    return Fitted(fitted.predict_draws(X_new), fitted.noise_sd_.ravel(), seconds)


def peer(X: F64, y: F64, X_new: F64, seed: int, n_warm: int, n_burn_in: int, n_draws: int,
         n_chains: int) -> Fitted:  # fmt: skip
    """A fit by stochtree."""
    from stochtree import BARTModel

    model = BARTModel()
    _, seconds = timed(
        lambda: model.sample(
            X_train=X, y_train=y, num_gfr=n_warm, num_burnin=n_burn_in, num_mcmc=n_draws,
            mean_forest_params={"num_trees": N_TREES},
            general_params={"random_seed": seed, "num_chains": n_chains, "num_threads": 1},
        )
    )  # fmt: skip
    f = np.asarray(model.predict(X_new, terms="y_hat")).T
    return Fitted(f, np.sqrt(np.asarray(model.global_var_samples)), seconds)


def effective(fitted: Fitted, n_chains: int = 1) -> float:
    """Median over rows of the effective number of draws of f."""
    by_chain = fitted.f.reshape(n_chains, -1, fitted.f.shape[1])
    return float(np.median([bulk_ess(by_chain[:, :, i]) for i in range(by_chain.shape[2])]))


def show_speed(sizes: tuple[int, ...], n_sweeps: int, repeats: int) -> None:
    """Prints a table."""
    print(f"{N_TREES} trees, {n_sweeps} sweeps of which half are draws, one chain, one thread")
    print(f"{'rows':>8} {'ours s':>8} {'peer s':>8} {'ratio':>6} {'ours ESS/s':>11} {'peer':>8}")
    for n in sizes:
        X, y = make_friedman1(n_samples=n, n_features=10, noise=1.0, random_state=0)
        X_new, _ = make_friedman1(n_samples=50, n_features=10, random_state=1)
        half = n_sweeps // 2
        runs = []
        for seed in range(repeats):
            mine = ours(X, y, X_new, seed, n_chains=1, n_warm_up=0, n_burn_in=half,
                        n_draws=half, thin=1)  # fmt: skip
            runs.append((mine, peer(X, y, X_new, seed, 0, half, half, 1)))
        seconds = np.median([[a.seconds, b.seconds] for a, b in runs], axis=0)
        rates = np.median(
            [[effective(a) / a.seconds, effective(b) / b.seconds] for a, b in runs], axis=0
        )
        print(
            f"{n:8d} {seconds[0]:8.2f} {seconds[1]:8.2f} {seconds[1] / seconds[0]:6.1f} "
            f"{rates[0]:11.2f} {rates[1]:8.2f}",
            flush=True,
        )


def crps(f: F64, sigma: F64, y: F64, rng: np.random.Generator) -> float:
    """Of new responses, from one response for each draw."""
    new = np.sort(f + sigma[:, None] * rng.normal(size=f.shape), axis=0)
    n = len(new)
    spread = (2 * np.arange(1, n + 1) - n - 1) @ new / n**2
    return float((np.abs(new - y).mean(axis=0) - spread).mean())


def judged(fitted: Fitted, y: F64, truth: F64 | None) -> list[float]:
    """RMSE, CRPS, coverage of new responses, coverage of f where it is known, CPU seconds."""
    rng = np.random.default_rng(0)
    new = fitted.f + fitted.sigma[:, None] * rng.normal(size=fitted.f.shape)
    low, high = np.quantile(new, [0.05, 0.95], axis=0)
    f_low, f_high = np.quantile(fitted.f, [0.05, 0.95], axis=0)
    inside = float("nan") if truth is None else float(((f_low <= truth) & (truth <= f_high)).mean())
    error = float(np.sqrt(((fitted.f.mean(axis=0) - y) ** 2).mean()))
    covered = float(((low <= y) & (y <= high)).mean())
    return [error, crps(fitted.f, fitted.sigma, y, rng), covered, inside, fitted.seconds]


def as_numbers(features: Any) -> F64:
    """A table as floats, categories by the order of their names."""
    columns = []
    for column in np.asarray(features, dtype=object).T:
        try:
            columns.append(column.astype(float))
        except ValueError:
            columns.append(np.unique(column.astype(str), return_inverse=True)[1].astype(float))
    return np.column_stack(columns)


def problems(quick: bool) -> dict[str, tuple[F64, F64, F64, F64, F64 | None]]:
    """Training rows and responses, new ones, and f there where it is known."""
    found = {}
    for n in (200,) if quick else (100, 500, 2000):
        X, y = make_friedman1(n_samples=n, n_features=10, noise=1.0, random_state=2)
        X_new, f = make_friedman1(n_samples=1000, n_features=10, noise=0.0, random_state=3)
        noise = np.random.default_rng(4).normal(size=len(f))
        found[f"Friedman, {n} rows"] = (X, y, X_new, f + noise, f)
    for name in () if quick else TABLES:
        data = datasets.load(name)
        X, y = as_numbers(data.features), np.asarray(data.target, dtype=float)
        keep = np.random.default_rng(0).permutation(len(y))[:2000]
        split = train_test_split(X[keep], y[keep], test_size=0.25, random_state=0)
        found[name] = (split[0], split[2], split[1], split[3], None)
    return found


def show_quality(quick: bool) -> None:
    """Prints a table."""
    print(f"{'':28} {'RMSE':>16} {'CRPS':>16} {'coverage':>14} {'of f':>14} {'CPU s':>14}")
    for name, (X, y, X_new, y_new, truth) in problems(quick).items():
        draws = 10 if quick else 250
        mine = judged(ours(X, y, X_new, 0, n_draws=draws), y_new, truth)
        theirs = judged(peer(X, y, X_new, 0, 10, 0, 4 * draws, 1), y_new, truth)
        pairs = "  ".join(f"{a:7.4g}/{b:7.4g}" for a, b in zip(mine, theirs, strict=True))
        print(f"{name:28} {pairs}", flush=True)


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["speed", "quality"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sweeps", type=int, default=400)
    options = parser.parse_args()
    print(one_line())
    if options.what == "quality":
        show_quality(options.quick)
    elif options.quick:
        show_speed((300,), 20, 1)
    else:
        show_speed((1_000, 10_000, 100_000), options.sweeps, 3)


if __name__ == "__main__":
    main()
