"""CPU time of prediction quantiles beside quantile-forest, at equal pinball loss."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.kinds import REGRESSION_20K
from benchmarks.measuring import interleave, timed
from benchmarks.peers.contenders import OURS, PEERS
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload

PEER = "quantile-forest"
LEVELS = [0.05, 0.5, 0.95]


def quantiles(options: Options) -> tuple[list[Row], list[str]]:
    """Three quantiles of 2,000 rows from 100 trees grown on 20,640 x 10, min leaf 3."""
    problem = options.problem(REGRESSION_20K)
    X, y = problem.X_test[:2_000], problem.y_test[:2_000]
    predictors: dict[str, Callable[[NDArray], NDArray]] = {}
    for name, fit in OURS.items():
        model = fit(problem, options.n_trees(100), 1, 0).model
        predictors[name] = partial(model.predict_quantiles, alpha=LEVELS)
    try:
        model = PEERS[PEER](problem, options.n_trees(100), 1, 0).model
    except ImportError as reason:
        return [], [f"{PEER} left out: {reason}"]
    predictors[PEER] = partial(model.predict, quantiles=LEVELS)
    actions = {name: lambda _, p=p: timed(lambda: p(X)) for name, p in predictors.items()}
    best, last, notes = interleave(actions, options.n_repeats(5), lambda result: result[1])
    loss = {name: {"pinball": pinball(y, last[name][0])} for name in predictors}
    rows = [
        Row("3 quantiles, 2,000 rows", ours, PEER, "predict_quantiles, CPU", "ms",
            1e3 * best[ours], 1e3 * best[PEER], None, None, loss[ours], loss[PEER])
        for ours in OURS
    ]  # fmt: skip
    return rows, notes


def pinball(y: NDArray, predicted: NDArray) -> float:
    """Mean quantile loss over the levels."""
    gap = y[:, None] - np.asarray(predicted)
    levels = np.array(LEVELS)
    return float(np.mean(np.maximum(levels * gap, (levels - 1) * gap)))


WORKLOADS: dict[str, Workload] = {"quantiles": quantiles}
