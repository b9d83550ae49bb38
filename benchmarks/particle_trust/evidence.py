"""Whether the printed standard error is right, and what islands that disagree mean for predictions.

Fits with other seeds on the same rows are what the standard error speaks of. How much predictions
depend on the seed: the spread of the mean log p of the test rows, and how far two seeds'
probabilities are apart (total variation, mean over rows; classes only).
"""

from collections.abc import Iterable

import numpy as np

from benchmarks.particle_trust.fits import NUMBERS, Fit, fit, load

HEAD = (
    "| data | rows | sd of log evidence | printed: rms, median of it | islands' sd | warned | "
    "sd of log p | apart |"
)
_PAIRS = 100


def spread_of_seeds(sets: Iterable[str], n_seeds: int) -> None:
    """Print a line for every data set, at the defaults."""
    print(f"{HEAD}\n|{'---|' * (HEAD.count('|') - 1)}")
    for data in sets:
        split = load(data)
        fits = [fit(split, seed, {}) for seed in range(n_seeds)]
        print(_line(data, len(split.y), fits), flush=True)


def _line(data: str, n_rows: int, fits: list[Fit]) -> str:
    sd = float(np.std([one.log_evidence for one in fits], ddof=1))
    printed = np.array([one.log_evidence_se for one in fits]) / sd
    rms, median = np.sqrt(np.mean(printed**2)), np.median(printed)
    islands = np.mean([one.island_sd for one in fits])
    warned = np.mean([one.warned for one in fits])
    log_p = np.std([one.log_p for one in fits], ddof=1)
    apart = "" if data in NUMBERS else f"{_apart(fits):.3f}"
    return (
        f"| {data} | {n_rows:,} | {sd:.2f} | {rms:.2f}, {median:.2f} | {islands:.1f} | "
        f"{warned:.0%} | {log_p:.4f} | {apart} |"
    )


def _apart(fits: list[Fit]) -> float:
    rng = np.random.default_rng(0)
    pairs = [rng.choice(len(fits), 2, replace=False) for _ in range(_PAIRS)]
    return float(np.mean([np.abs(fits[a].p - fits[b].p).sum(axis=1) / 2 for a, b in pairs]))
