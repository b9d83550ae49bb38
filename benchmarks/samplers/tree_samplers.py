"""How fast chains over trees run, against the number of rows.

    python -m benchmarks.samplers.tree_samplers            # about a minute
    python -m benchmarks.samplers.tree_samplers --quick    # does it run? (no figures)

CPU time, one thread, best of several. Ten normal columns, three of which decide the class. A
proposal is one iteration of a chain, accepted or not, with all that is recorded of it.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import MCMCTreeClassifier, _core
from bayeswood.methods.mcmc_tree.run_chains import resolve_moves
from bayeswood.posterior import MonteCarloWarning
from bayeswood.theory import sample_five_gaussians
from benchmarks.machine import one_line

N_FEATURES = 10


def noisy_rows(n_rows: int) -> tuple[NDArray, NDArray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_FEATURES))
    signal = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows)
    return X, (signal > 0).astype(np.int32)


def best_time(work: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def chain(n_rows: int, n_iterations: int, moves: Any, **options: Any) -> Callable[[], Any]:
    X, y = noisy_rows(n_rows)
    settings = {"prior": "chipman", "alpha_split": 0.95, "beta_split": 0.5, **options}
    model = _core.class_leaves(y, None, alpha=np.full(2, 0.5))
    return lambda: _core.sample_tree_chains(
        X, np.zeros(N_FEATURES, np.int32), model,
        move_probabilities=resolve_moves(moves), seed=1, n_chains=1,
        n_burn_in=n_iterations // 2, n_draws=n_iterations // 2, **settings,
    )  # fmt: skip


def rate(n_rows: int, n_iterations: int, repeats: int, moves: Any, **options: Any) -> float:
    """Proposals per second of CPU, the table's ranking and the start of the chain included."""
    spent = best_time(chain(n_rows, n_iterations, moves, **options), repeats)
    return n_iterations / spent


def small_nodes(n_rows: int, n_iterations: int, repeats: int) -> tuple[float, float]:
    """Proposals per second where leaves hold two or three rows however many rows there are.

    The prior splits at any depth with probability .95; births and deaths only. Also the rows per
    leaf, on average over the chain.
    """
    X = np.arange(n_rows, dtype=np.float64)[:, None]
    y = (np.arange(n_rows) // 64 % 2).astype(np.int32)
    model = _core.class_leaves(y, None, alpha=np.full(2, 0.5))
    last: list[Any] = []

    def work() -> None:
        last[:] = [_core.sample_tree_chains(
            X, np.zeros(1, np.int32), model, seed=1,
            prior="chipman", alpha_split=0.95, beta_split=0.0, n_chains=1,
            move_probabilities=resolve_moves({"birth": 0.5, "death": 0.5}),
            n_burn_in=n_iterations, n_draws=1,
        )]  # fmt: skip

    spent = best_time(work, repeats)
    leaves = np.asarray(last[0]["chains"][0]["n_leaves"])
    return n_iterations / spent, n_rows / float(leaves.mean())


def restarts(n_chains: int, n_draws: int, repeats: int) -> float:
    """Schetinin's synthetic run: restarts of 2,000 + 2,000 iterations on 250 rows."""
    X, y = sample_five_gaussians(250, 0)
    model = MCMCTreeClassifier(
        n_chains, n_burn_in=n_draws, n_draws=n_draws, prior="denison", min_samples_leaf=5,
        random_state=0,
    )  # fmt: skip
    return best_time(lambda: model.fit(X, y), repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of chains over trees.")
    parser.add_argument("--quick", action="store_true", help="tiny runs: does it run?")
    quick = parser.parse_args().quick
    repeats, n = (1, 500) if quick else (3, 40_000)
    print(one_line())
    for n_rows in (250, 1000) if quick else (250, 1000, 4000, 16_000, 64_000):
        n_iterations = n if n_rows < 10_000 else n // 4
        words = [
            f"{preset} {prior} {rate(n_rows, n_iterations, repeats, preset, prior=prior):,.0f}"
            for preset in ("schetinin", "chipman")
            for prior in ("chipman", "denison")
        ]
        print(f"{n_rows:,} rows: proposals per second (moves, prior): {'; '.join(words)}")
    for n_rows in (256,) if quick else (1024, 4096, 16_384, 65_536):
        per_second, size = small_nodes(n_rows, 30 * n_rows, repeats)
        print(f"{n_rows:,} rows, {size:.1f} per leaf: {per_second:,.0f} proposals per second")
    n_chains, n_draws = (2, 50) if quick else (50, 2000)
    spent = restarts(n_chains, n_draws, repeats)
    print(f"{n_chains} restarts x {2 * n_draws:,} iterations on 250 rows: {spent:.2f} s")


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", MonteCarloWarning)
    main()
