"""Size of the saved model per tree: our file beside a scikit-learn pickle."""

import pickle
import tempfile
from pathlib import Path

from benchmarks.kinds import PENDIGITS, REGRESSION_20K
from benchmarks.peers.contenders import OURS, PEERS
from benchmarks.problems import Problem
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload


def regression(options: Options) -> tuple[list[Row], list[str]]:
    """Trees grown on 20,640 x 10, min leaf 3."""
    return _compare(options.problem(REGRESSION_20K), options.n_trees(20))


def classification(options: Options) -> tuple[list[Row], list[str]]:
    """Trees of ten classes."""
    return _compare(options.problem(PENDIGITS), options.n_trees(20))


def _compare(problem: Problem, n_trees: int) -> tuple[list[Row], list[str]]:
    peer = PEERS["scikit-learn"](problem, n_trees, 1, 0).model
    theirs = len(pickle.dumps(peer, protocol=pickle.HIGHEST_PROTOCOL))
    rows = []
    for name, fit in OURS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.bayeswood")
            fit(problem, n_trees, 1, 0).model.save(path)
            ours = path.stat().st_size
        rows.append(
            Row(problem.title, name, "scikit-learn pickle", "file, per tree", "kB",
                ours / 1e3 / n_trees, theirs / 1e3 / n_trees, 3.0)
        )  # fmt: skip
    return rows, []


WORKLOADS: dict[str, Workload] = {
    "file-regression": regression,
    "file-classification": classification,
}
