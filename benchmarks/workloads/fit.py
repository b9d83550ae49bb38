"""CPU time per tree of a whole fit, binning included, at equal test error.

A slow contender grows fewer trees than a fast one to keep the run short; the cost is divided by
the number grown, so the one-off work of a fit weighs more on the fewer. Test errors are of forests
with the same number of trees on both sides. Our random forest is not shown beside Exp(1) weights.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from benchmarks import kinds
from benchmarks.kinds import Kind
from benchmarks.measuring import Fitted, held_out_error, interleave
from benchmarks.peers.contenders import OURS, PEERS, RANDOM_CUTS, Contender
from benchmarks.problems import Problem
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload

EVERYONE = tuple(PEERS)
LIKE_FOR_LIKE = ("scikit-learn", "scikit-learn, Exp(1) weights")
FASTEST = (*LIKE_FOR_LIKE, "scikit-learn-intelex", "YDF")
EXTRA_TREES = ("scikit-learn ExtraTrees",)


@dataclass(frozen=True)
class FitWorkload:
    """A problem, the numbers of trees, and what was promised beside one of the peers."""

    kind: Kind
    our_trees: int
    peer_trees: int
    repeats: int
    peers: tuple[str, ...]
    promise: float | None = None
    stretch: float | None = None
    promised_beside: str = "scikit-learn"
    ours: Mapping[str, Contender] = field(default_factory=lambda: OURS)

    def __call__(self, options: Options) -> tuple[list[Row], list[str]]:
        problem = options.problem(self.kind)
        our_trees, peer_trees = options.n_trees(self.our_trees), options.n_trees(self.peer_trees)
        peers = {name: PEERS[name] for name in options.chosen(self.peers)}
        actions = _fits(self.ours, problem, our_trees) | _fits(peers, problem, peer_trees)
        best, last, notes = interleave(
            actions, options.n_repeats(self.repeats), lambda fitted: fitted.cpu_seconds
        )
        errors = {
            name: held_out_error(problem, last[name].predict) for name in peers if name in last
        }
        rows = []
        for ours, fit in self.ours.items():
            our_error = held_out_error(problem, fit(problem, peer_trees, 1, 0).predict)
            rows += [
                Row(
                    problem.title, ours, name, "fit, CPU per tree", "ms",
                    1e3 * best[ours] / our_trees, 1e3 * best[name] / peer_trees,
                    *self._promised(name), our_error, errors[name],
                )
                for name in errors
                if ours != "random forest" or name != "scikit-learn, Exp(1) weights"
            ]  # fmt: skip
        return rows, notes

    def _promised(self, peer: str) -> tuple[float | None, float | None]:
        return (self.promise, self.stretch) if peer == self.promised_beside else (None, None)


def _fits(
    contenders: Mapping[str, Contender], problem: Problem, n_trees: int
) -> dict[str, Callable[[int], Fitted]]:
    return {name: partial(fit, problem, n_trees, 1) for name, fit in contenders.items()}


WORKLOADS: dict[str, Workload] = {
    "regression-20k": FitWorkload(kinds.REGRESSION_20K, 100, 10, 5, EVERYONE, 12, 25),
    "california": FitWorkload(kinds.CALIFORNIA, 100, 10, 5, EVERYONE, 12, 25),
    "regression-200k": FitWorkload(kinds.REGRESSION_200K, 50, 2, 3, EVERYONE, 20, 35),
    "regression-1m": FitWorkload(kinds.REGRESSION_1M, 20, 1, 2, EVERYONE, 25, 45),
    "binary-200k": FitWorkload(kinds.BINARY_200K, 100, 3, 3, EVERYONE, 20, 40),
    "classes-11k": FitWorkload(kinds.PENDIGITS, 100, 20, 5, EVERYONE, 6, 12),
    "classes-10": FitWorkload(kinds.CLASSES_10, 100, 10, 5, FASTEST, None, 12),
    "classes-26": FitWorkload(kinds.CLASSES_26, 50, 5, 3, FASTEST, None, 10),
    "classes-100": FitWorkload(kinds.CLASSES_100, 50, 5, 3, FASTEST, None, 10),
    "random-cuts-20k": FitWorkload(
        kinds.REGRESSION_20K, 100, 10, 5, EXTRA_TREES, None, 8, EXTRA_TREES[0], RANDOM_CUTS
    ),
    "random-cuts-binary": FitWorkload(
        kinds.BINARY_200K, 50, 5, 3, EXTRA_TREES, None, 8, EXTRA_TREES[0], RANDOM_CUTS
    ),
    "random-cuts-classes": FitWorkload(
        kinds.CLASSES_10, 100, 20, 5, EXTRA_TREES, None, 8, EXTRA_TREES[0], RANDOM_CUTS
    ),
    "categories": FitWorkload(kinds.LEVELS, 20, 3, 3, ("scikit-learn", "LightGBM rf", "YDF")),
    "wide": FitWorkload(kinds.WIDE, 10, 2, 3, FASTEST, None, 10),
    "tall": FitWorkload(kinds.TALL, 5, 1, 1, FASTEST, None, 10),
}
