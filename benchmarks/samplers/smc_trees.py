"""How fast particle filters over trees run, beside the same algorithm in NumPy.

    python -m benchmarks.samplers.smc_trees            # about a minute; needs pendigits
    python -m benchmarks.samplers.smc_trees --quick    # generated rows, few particles: does it run?

CPU time of one fit on pendigits (7,494 rows, 16 features, 10 classes), best of several, one thread.
The peer, `benchmarks.samplers.numpy_smc`, keeps what it computed of a node with the node, as ours
does, so that it is a good deal faster than the authors' Python, whose times (20 s, 91 s and 50 s,
on a machine of the same kind) are printed beside.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bayeswood
from bayeswood import datasets
from bayeswood.posterior import IslandsDisagree
from bayeswood.theory import sample_five_gaussians
from benchmarks.machine import one_line
from benchmarks.samplers.numpy_smc import NumpySMC

ALPHA = 5.0


@dataclass(frozen=True)
class Setting:
    """One configuration of the paper, and what the authors' code took for it."""

    proposal: str
    n_particles: int
    n_islands: int
    authors_seconds: float | None = None

    @property
    def name(self) -> str:
        return f"{self.proposal}, M = {self.n_particles}, I = {self.n_islands}"


SETTINGS = (
    Setting("prior", 100, 5, 20.0),
    Setting("prior", 500, 5, 91.0),
    Setting("optimal", 10, 1, 50.0),
    Setting("optimal", 100, 5),
)
# Per particle the optimal proposal may cost at most three times the prior one.
LARGE = (Setting("prior", 1000, 5), Setting("optimal", 1000, 5))


@dataclass(frozen=True)
class Split:
    """Training and test rows."""

    X: NDArray
    y: NDArray
    X_test: NDArray
    y_test: NDArray


def pendigits() -> Split:
    data = datasets.load("pendigits")
    X, y, train = data.features, data.target, data.split == "train"
    return Split(X[train], y[train], X[~train], y[~train])


def generated(n_rows: int = 200) -> Split:
    X, y = sample_five_gaussians(2 * n_rows, rng=0)
    return Split(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def ours(setting: Setting, seed: int) -> Any:
    return bayeswood.SMCTreeClassifier(
        n_particles=setting.n_particles, n_islands=setting.n_islands, proposal=setting.proposal,
        ess_threshold=0.1, concentration=ALPHA, random_state=seed, n_jobs=1,
    )  # fmt: skip


def peer(setting: Setting, seed: int) -> NumpySMC:
    return NumpySMC(setting.n_particles, setting.n_islands, setting.proposal, seed, alpha=ALPHA)


@dataclass(frozen=True)
class Measured:
    """CPU seconds of the fastest fit; scores of the last."""

    cpu_seconds: float
    accuracy: float
    log_probability: float
    log_evidence: float


def measure(make: Callable[[int], Any], split: Split, repeats: int) -> Measured:
    times = []
    for repeat in range(repeats):
        model = make(repeat)
        start = time.process_time()
        model.fit(split.X, split.y)
        times.append(time.process_time() - start)
    probability = np.asarray(model.predict_proba(split.X_test))
    codes = np.searchsorted(model.classes_, split.y_test)
    chosen = probability[np.arange(len(codes)), codes]
    return Measured(
        min(times), float(np.mean(probability.argmax(axis=1) == codes)),
        float(np.mean(np.log(chosen))), float(model.log_evidence_),
    )  # fmt: skip


def line(name: str, who: str, found: Measured, beside: str) -> str:
    return (
        f"| {name} | {who} | {found.cpu_seconds:.3f} | {beside} | {found.accuracy:.3f} | "
        f"{found.log_probability:.3f} | {found.log_evidence:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of particle filters over trees.")
    parser.add_argument("--quick", action="store_true", help="few generated rows: does it run?")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    split = generated() if options.quick else pendigits()
    repeats = 1 if options.quick else options.repeats
    print(one_line(), "\n")
    print("| setting | code | CPU, s | times faster | accuracy | log p | log evidence |")
    print("|---|---|---|---|---|---|---|")
    for setting in SETTINGS:
        mine = measure(lambda seed, s=setting: ours(s, seed), split, repeats)
        theirs = measure(lambda seed, s=setting: peer(s, seed), split, 1)
        ratio = f"{theirs.cpu_seconds / mine.cpu_seconds:.1f} (NumPy)"
        if setting.authors_seconds and not options.quick:
            ratio += f", {setting.authors_seconds / mine.cpu_seconds:.0f} (authors)"
        print(line(setting.name, "bayeswood", mine, ratio))
        print(line("", "NumPy", theirs, ""), flush=True)
    prior, optimal = (
        measure(lambda seed, s=setting: ours(s, seed), split, repeats) for setting in LARGE
    )
    print(line(LARGE[0].name, "bayeswood", prior, ""))
    print(line(LARGE[1].name, "bayeswood", optimal, ""))
    ratio = optimal.cpu_seconds / prior.cpu_seconds
    print(f"\nOptimal beside prior, per particle at M = 1000: {ratio:.2f} times (promise: 3)")


if __name__ == "__main__":
    warnings.simplefilter("ignore", IslandsDisagree)
    with datasets.exit_without_data():
        main()
