"""Settings beside each other on many data sets: log evidence, log p of new rows, root cuts, CPU."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from benchmarks.particle_trust.fits import Fit, fit, load

Settings = Mapping[str, Any]

PRIOR = {"n_particles": 1000}
OPTIMAL = {"n_particles": 100, "proposal": "optimal"}


def _thresholds(proposal: str, reference: float, others: Iterable[float]) -> dict[str, Settings]:
    return {
        f"{proposal}, {threshold:g}": {"proposal": proposal, "ess_threshold": threshold}
        for threshold in (reference, *others)
    }


# The first of each list is what the others are compared with.
COMPARISONS: Mapping[str, Mapping[str, Settings]] = {
    "threshold": _thresholds("optimal", 0.1, (0.0, 0.02, 0.5)),
    "threshold-prior": _thresholds("prior", 0.1, (0.0, 0.02, 0.3, 0.5)),
    "threshold-empirical": _thresholds("empirical", 0.1, (0.0, 0.02, 0.3, 0.5)),
    "threshold-tempered": _thresholds("tempered", 0.1, (0.0, 0.025, 0.3, 0.5)),
    "moves": {
        "as it is": PRIOR,
        "60 moves of all": {**PRIOR, "n_moves": 60, "n_moved": 1000},
        "300 moves of 25": {**PRIOR, "n_moves": 300, "n_moved": 25},
        "600 moves of 50": {**PRIOR, "n_moves": 600},
        "2400 moves of 25": {**PRIOR, "n_moves": 2400, "n_moved": 25},
        "4 x particles": {"n_particles": 4000},
        "4 x islands": {"n_particles": 4000, "n_islands": 20},
    },
    "moves-optimal": {
        "as it is": OPTIMAL,
        "300 moves of all": {**OPTIMAL, "n_moves": 300, "n_moved": 100},
        "1200 moves of 25": {**OPTIMAL, "n_moves": 1200, "n_moved": 25},
        "4 x particles": {**OPTIMAL, "n_particles": 400},
        "4 x islands": {**OPTIMAL, "n_particles": 400, "n_islands": 20},
    },
    "tempering": {
        "optimal": {"proposal": "optimal"},
        "prior, 5 x particles": {"n_particles": 5000},
        **{
            f"tau {tau:g}": {"proposal": "tempered", "tempering": tau}
            for tau in (0.1, 0.25, 0.5, 0.75, 0.9)
        },
    },
}

HEAD = "| data | setting | CPU, s | log evidence | log p | less the first | root cuts | effective |"


def compare(name: str, sets: Iterable[str], n_seeds: int) -> None:
    """Print a line for every data set and setting, then on how many sets each did better."""
    settings = COMPARISONS[name]
    print(f"{HEAD}\n|{'---|' * (HEAD.count('|') - 1)}")
    verdicts: dict[str, list[tuple[float, float, float]]] = {label: [] for label in settings}
    for data in sets:
        split = load(data)
        # Settings take turns, so that a busy hour is busy for all of them.
        rounds = [[fit(split, seed, s) for s in settings.values()] for seed in range(n_seeds)]
        found = dict(zip(settings, zip(*rounds, strict=True), strict=True))
        reference = next(iter(found.values()))
        for label, fits in found.items():
            gain, error = _gain(fits, reference)
            verdicts[label].append((gain, error, _cpu(fits) / _cpu(reference)))
            print(_line(data, label, fits, f"{gain:+.4f} ± {error:.4f}"), flush=True)
    print()
    for label, gains in list(verdicts.items())[1:]:
        print(_verdict(label, gains))


def _gain(fits: tuple[Fit, ...], reference: tuple[Fit, ...]) -> tuple[float, float]:
    """Mean difference of log p over seeds, and its standard error."""
    less = np.array([one.log_p - other.log_p for one, other in zip(fits, reference, strict=True)])
    error = less.std(ddof=1) / np.sqrt(len(less)) if len(less) > 1 else np.nan
    return float(less.mean()), float(error)


def _cpu(fits: tuple[Fit, ...]) -> float:
    return float(np.median([one.cpu_seconds for one in fits]))


def _line(data: str, label: str, fits: tuple[Fit, ...], gain: str) -> str:
    mean = {
        field: float(np.mean([getattr(one, field) for one in fits]))
        for field in ("log_evidence", "log_p", "n_root_cuts", "effective_root_cuts")
    }
    return (
        f"| {data} | {label} | {_cpu(fits):.3f} | {mean['log_evidence']:.1f} | "
        f"{mean['log_p']:.4f} | {gain} | {mean['n_root_cuts']:.1f} | "
        f"{mean['effective_root_cuts']:.1f} |"
    )


def _verdict(label: str, gains: list[tuple[float, float, float]]) -> str:
    better = sum(gain > 2 * error for gain, error, _ in gains)
    worse = sum(gain < -2 * error for gain, error, _ in gains)
    mean, _, _ = np.mean(gains, axis=0)
    _, _, cpu = np.median(gains, axis=0)
    return (
        f"{label}: log p better on {better} of {len(gains)} sets and worse on {worse} by two "
        f"standard errors; {mean:+.4f} on average, at {cpu:.2f} times the CPU (median)"
    )
