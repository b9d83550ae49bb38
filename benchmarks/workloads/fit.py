"""CPU time per tree of a whole fit, binning included, at equal test error.

A slow contender grows fewer trees than a fast one to keep the run short; the cost is divided by
the number grown, so the one-off work of a fit weighs more on the fewer. Test errors are of forests
with the same number of trees on both sides. Our random forest is shown beside scikit-learn's only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.contenders import OURS, PEERS, Contender
from benchmarks.measuring import Fitted, held_out_error, interleave
from benchmarks.problems import (
    MakeProblem,
    Problem,
    california,
    friedman_binary,
    friedman_regression,
    informative_classes,
    ten_classes,
)
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload

EVERYONE = tuple(PEERS)
LIKE_FOR_LIKE = ("scikit-learn", "scikit-learn, Exp(1) weights")


@dataclass(frozen=True)
class FitWorkload:
    """A problem, the numbers of trees, and what was promised beside scikit-learn's forest."""

    make: MakeProblem
    our_trees: int
    peer_trees: int
    repeats: int
    peers: tuple[str, ...]
    promise: float | None = None
    stretch: float | None = None

    def __call__(self, options: Options) -> tuple[list[Row], list[str]]:
        problem = self.make(options.quick)
        our_trees, peer_trees = options.n_trees(self.our_trees), options.n_trees(self.peer_trees)
        peers = {name: PEERS[name] for name in options.chosen(self.peers)}
        actions = _fits(OURS, problem, our_trees) | _fits(peers, problem, peer_trees)
        best, last, notes = interleave(
            actions, options.n_repeats(self.repeats), lambda fitted: fitted.cpu_seconds
        )
        errors = {
            name: held_out_error(problem, last[name].predict) for name in peers if name in last
        }
        rows = []
        for ours, fit in OURS.items():
            our_error = held_out_error(problem, fit(problem, peer_trees, 1, 0).predict)
            rows += [
                Row(
                    problem.title, ours, name, "fit, CPU per tree", "ms",
                    1e3 * best[ours] / our_trees, 1e3 * best[name] / peer_trees,
                    *self._promised(name), our_error, errors[name],
                )
                for name in errors
                if ours == "Bayesian forest" or name == "scikit-learn"
            ]  # fmt: skip
        return rows, notes

    def _promised(self, peer: str) -> tuple[float | None, float | None]:
        return (self.promise, self.stretch) if peer == "scikit-learn" else (None, None)


def _fits(
    contenders: dict[str, Contender], problem: Problem, n_trees: int
) -> dict[str, Callable[[int], Fitted]]:
    return {name: partial(fit, problem, n_trees, 1) for name, fit in contenders.items()}


WORKLOADS: dict[str, Workload] = {
    "regression-20k": FitWorkload(
        partial(friedman_regression, 20_640, 10), 100, 10, 5, EVERYONE, 12, 25
    ),
    "california": FitWorkload(california, 100, 10, 5, EVERYONE, 12, 25),
    "regression-200k": FitWorkload(
        partial(friedman_regression, 200_000, 20), 50, 2, 3, EVERYONE, 20, 35
    ),
    "regression-1m": FitWorkload(
        partial(friedman_regression, 1_000_000, 20), 20, 1, 2, EVERYONE, 25, 45
    ),
    "binary-200k": FitWorkload(partial(friedman_binary, 200_000, 20), 100, 3, 3, EVERYONE, 20, 40),
    "classes-11k": FitWorkload(ten_classes, 100, 20, 5, EVERYONE, 6, 12),
    "classes-10": FitWorkload(
        partial(informative_classes, 10_992, 16, 10, min_samples_leaf=3),
        100,
        10,
        5,
        LIKE_FOR_LIKE,
        None,
        12,
    ),
    "classes-26": FitWorkload(
        partial(informative_classes, 20_000, 16, 26), 50, 5, 3, LIKE_FOR_LIKE, None, 10
    ),
    "classes-100": FitWorkload(
        partial(informative_classes, 20_000, 20, 100), 50, 5, 3, LIKE_FOR_LIKE, None, 10
    ),
}
