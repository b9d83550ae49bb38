"""Peak resident memory of a fresh process that loads the rows, imports a library and fits."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.kinds import BINARY_200K, REGRESSION_20K
from benchmarks.peers.contenders import OURS, PEERS
from benchmarks.problems import Problem
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload

# Beside scikit-learn's random forest, and each of ours beside its like, which is what is promised.
PAIRS = {
    ("random forest", "scikit-learn"): 1.0,
    ("Bayesian forest", "scikit-learn, Exp(1) weights"): 1.0,
    ("Bayesian forest", "scikit-learn"): None,
}


def memory_20k(options: Options) -> tuple[list[Row], list[str]]:
    """100 regression trees on 20,640 x 10."""
    return _compare(options, options.problem(REGRESSION_20K), options.n_trees(100))


def memory_200k(options: Options) -> tuple[list[Row], list[str]]:
    """10 classification trees on 200,000 x 20."""
    return _compare(options, options.problem(BINARY_200K), options.n_trees(10))


def _compare(options: Options, problem: Problem, n_trees: int) -> tuple[list[Row], list[str]]:
    peers = options.chosen(tuple(peer for _, peer in PAIRS))
    pairs = {pair: promise for pair, promise in PAIRS.items() if pair[1] in peers}
    names = dict.fromkeys(name for pair in pairs for name in pair)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), problem.X)
        np.save(Path(folder, "y.npy"), problem.y)
        found = {name: _peaks_of_child(folder, problem, name, n_trees) for name in names}
    title = f"{problem.title}, {n_trees} trees"
    peak = {name: last for name, (_, last) in found.items()}
    growth = {name: max(last - first, 0.1) for name, (first, last) in found.items()}  # less: noise
    rows = [
        Row(title, ours, peer, "fit, peak memory", "MB", peak[ours], peak[peer], promise)
        for (ours, peer), promise in pairs.items()
    ]
    rows += [
        Row(title, ours, peer, "the same less a fit on 20 rows", "MB", growth[ours], growth[peer])
        for ours, peer in pairs
    ]
    return rows, []


def _peaks_of_child(folder: str, problem: Problem, name: str, n_trees: int) -> tuple[float, float]:
    """Peak memory after a fit on 20 rows, and after one on all."""
    arguments = [folder, problem.task, str(problem.max_features), str(problem.min_samples_leaf)]
    command = [sys.executable, "-m", "benchmarks.workloads.memory", *arguments, name, str(n_trees)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    first, last = map(float, run.stdout.split())
    return first, last


def _peak_mb() -> float:
    """The process's high-water mark.

    On Linux `ru_maxrss` of a child starts at its parent's size; VmHWM is the process's own.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _child(folder: str, task: str, max_features: str, leaf: str, name: str, n_trees: str) -> None:
    X, y = np.load(Path(folder, "X.npy")), np.load(Path(folder, "y.npy"))
    features = max_features if max_features == "sqrt" else float(max_features)
    problem = Problem("", task, X, y, X[:1], y[:1], int(leaf), features)  # type: ignore[arg-type]
    for rows, n in ((problem.first_rows(20), 1), (problem, int(n_trees))):
        fitted = (OURS | PEERS)[name](rows, n, 1, 0)
        assert fitted.model is not None
        print(_peak_mb())


WORKLOADS: dict[str, Workload] = {"memory-20k": memory_20k, "memory-200k": memory_200k}

if __name__ == "__main__":
    _child(*sys.argv[1:])
