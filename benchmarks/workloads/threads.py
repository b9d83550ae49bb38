"""Wall time of one thread and of two, ours and a peer's in the same run."""

from functools import partial

from benchmarks.kinds import BINARY_200K
from benchmarks.measuring import interleave
from benchmarks.peers.contenders import OURS, PEERS
from benchmarks.rows import Row
from benchmarks.workloads import Options, Workload

# Trees grown: enough for a second or more of work on each side.
N_TREES = {"Bayesian forest": 40, "random forest": 40, "scikit-learn": 4}


def two_threads(options: Options) -> tuple[list[Row], list[str]]:
    """How many times sooner two threads are done; only a quiet machine shows it."""
    problem = options.problem(BINARY_200K)
    contenders = OURS | {"scikit-learn": PEERS["scikit-learn"]}
    actions = {
        f"{name}/{n_jobs}": partial(fit, problem, options.n_trees(N_TREES[name]), n_jobs)
        for name, fit in contenders.items()
        for n_jobs in (1, 2)
    }
    best, _, notes = interleave(actions, options.n_repeats(3), lambda fitted: fitted.wall_seconds)
    rows = [
        Row(
            problem.title, f"{name}, 2 threads", f"{name}, 1 thread", "fit, wall", "s",
            best[f"{name}/2"], best[f"{name}/1"], 1.8 if name in OURS else None,
        )
        for name in contenders
    ]  # fmt: skip
    return rows, notes


WORKLOADS: dict[str, Workload] = {"threads": two_threads}
