"""Bytes that a draw of a sum of trees takes, by how far a process grows with the draws.

A fit of few draws and one of many, each in a process of its own; the difference of their resident
memory over the difference of their draws, with the model alive. 1,000 rows of Friedman's function
with 10 features, one chain, a sweep for each draw. stochtree keeps its draws of f at the training
rows too, 8 bytes each.
"""

import subprocess
import sys
from pathlib import Path

from sklearn.datasets import make_friedman1

from benchmarks.bart.fits import CONTENDERS, installed

N_ROWS = 1_000


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def grown(name: str, n_draws: int) -> int:
    """Bytes after a fit by one library, whose model is still alive."""
    X, y = make_friedman1(n_samples=N_ROWS, n_features=10, noise=1.0, random_state=0)
    kept = CONTENDERS[name](X, y, X[:1], 0, n_draws)
    return resident() if len(kept.sigma) else 0


def grown_alone(name: str, n_draws: int) -> int:
    """The same in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.bart.memory", name, str(n_draws)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def show_memory(n_draws: int) -> None:
    """Prints a table."""
    print(f"{'library':10} {'kB per draw':>12}")
    for name in installed(*CONTENDERS):
        apart = grown_alone(name, 5 * n_draws) - grown_alone(name, n_draws)
        print(f"{name:10} {apart / (4 * n_draws) / 1000:12.1f}", flush=True)


if __name__ == "__main__":
    print(grown(sys.argv[1], int(sys.argv[2])))
