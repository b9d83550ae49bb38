"""Do the islands of a particle filter agree? Numbers, and a warning.

Islands are independent filters, so that the spread of their estimates of the evidence says how far
each is from the truth. With many stages the log of such an estimate is close to normal (J. Bérard,
P. Del Moral and A. Doucet, "A lognormal central limit theorem for particle approximations of
normalizing constants", Electronic Journal of Probability 19, 2014).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import html_table
from bayeswood.errors import warn_user
from bayeswood.posterior.root_cuts import effective_number, root_cut_shares

F64 = NDArray[np.float64]

# Standard deviation of the islands' log evidence that is passed over in silence. Up to there two
# seeds give a row probabilities that differ by .03 on average; see docs/smc-trees.md.
_LIMIT = 2.0

_N_DRAWS, _MOST_ISLANDS = 2000, 500
_FEWEST_DRAWS = 1000


class IslandsDisagree(UserWarning):
    """The islands of a particle filter have found different trees."""


@dataclass(frozen=True, repr=False)
class IslandDiagnostics:
    """How well the islands agree, and how diverse their trees are; printed, it is a table.

    Attributes
    ----------
    log_evidence, log_evidence_se : float
        Log of the islands' mean evidence, and its standard error.
    island_log_evidence : ndarray, (n_islands,)
    n_trees, n_root_cuts : int
        Distinct trees of positive weight, and distinct cuts of their roots (`root_cut_shares`).
    effective_trees, effective_root_cuts : float
        How many of equal weight would be as diverse: 1 / Σ weight².
    """

    log_evidence: float
    log_evidence_se: float
    island_log_evidence: F64
    n_trees: int
    effective_trees: float
    n_root_cuts: int
    effective_root_cuts: float

    @property
    def spread(self) -> float:
        """Standard deviation of the islands' log evidence; NaN for one island."""
        return island_spread(self.island_log_evidence)

    def __str__(self) -> str:
        return "\n".join(f"{name:12}  {text}" for name, text in _entries(self))

    def _repr_html_(self) -> str:
        return html_table.block("Islands of particles", html_table.entries(_entries(self)))

    def __repr__(self) -> str:
        words = f"{len(self.island_log_evidence)} islands, {self.n_root_cuts} root cuts"
        return f"<IslandDiagnostics of {words}, spread {self.spread:.3g}>"


def island_spread(island_log_evidence: ArrayLike) -> float:
    """Standard deviation of the islands' log evidence.

    NaN for one island, infinite if an island lost all its particles.

    Examples
    --------
    >>> island_spread([-40.0, -44.0, -42.0])
    2.0
    """
    logs = np.asarray(island_log_evidence, dtype=np.float64)
    if len(logs) < 2:
        return float("nan")
    return float(logs.std(ddof=1)) if np.isfinite(logs).all() else float("inf")


def log_evidence_se(island_log_evidence: ArrayLike) -> float:
    """Standard error of the log of the islands' mean evidence.

    Parameters
    ----------
    island_log_evidence : array-like, (n_islands,)

    Returns
    -------
    float
        NaN for one island, infinite if most islands lost all their particles.

    Notes
    -----
    The mean is made by the larger ones of the n islands, and those that failed say nothing about
    its error. So the spread is measured upwards: s² = Σ (log Z − median)²/((n − 1)/2) over the
    islands above the median. The standard error is the standard deviation of log((1/n) Σ exp(s z))
    over independent standard normal z, by 2,000 draws that are always the same. Where s is small
    that is s/√n, the delta method; where it is large the largest island is all that counts, and it
    is that of the largest of n normal numbers, times s. From few islands s is known roughly.

    Examples
    --------
    >>> round(log_evidence_se([-40.0, -40.2, -39.8, -40.1, -39.9]), 2)
    0.07
    >>> log_evidence_se([-40.0])
    nan
    """
    logs = np.asarray(island_log_evidence, dtype=np.float64)
    n, median = len(logs), float(np.median(logs))
    if n < 2:
        return float("nan")
    if not np.isfinite(median):
        return float("inf")
    upwards = np.sqrt(np.sum(np.maximum(logs - median, 0) ** 2) / ((n - 1) / 2))
    n_drawn = min(n, _MOST_ISLANDS)  # beyond, as the mean of so many
    normal = np.random.default_rng(0).standard_normal((_N_DRAWS, n_drawn))
    return float(_log_sum_exp(upwards * normal).std() * np.sqrt(n_drawn / n))


def _log_sum_exp(rows: F64) -> F64:
    """Of each row of finite numbers; a third of the time of SciPy's, which takes any."""
    largest: F64 = rows.max(axis=1)
    total: F64 = largest + np.log(np.exp(rows - largest[:, None]).sum(axis=1))
    return total


def warn_if_islands_disagree(
    island_log_evidence: ArrayLike, advice: str, *, limit: float = _LIMIT
) -> None:
    """Warn, in a sentence, if the islands' log evidence spreads more than a limit.

    Parameters
    ----------
    island_log_evidence : array-like, (n_islands,)
    advice : str
        What to do about it.
    limit : float, default 2.0
        Largest standard deviation that is passed over in silence.

    Warns
    -----
    IslandsDisagree
    """
    logs = np.asarray(island_log_evidence, dtype=np.float64)
    spread = island_spread(logs)
    if not spread > limit:  # NaN: one island
        return
    warn_user(
        f"The islands disagree: their log evidence has a standard deviation of {spread:.3g} "
        f"({limit:g} or less is asked for) and reaches from {logs.min():.6g} to {logs.max():.6g}, "
        "so each of them found other trees, and another random_state would predict otherwise; "
        f"{advice}.",
        IslandsDisagree,
    )


def has_islands(model: Any) -> bool:
    """Whether an estimator holds the particles of islands."""
    return hasattr(model, "island_log_evidence_")


def particle_draws(model: Any) -> NDArray[np.int64]:
    """Members that stand for the weighted ones as draws of equal weight, (n_draws,).

    Systematic resampling: a member of weight w is drawn n_draws w times, rounded up or down, with
    one random number of the fit's seed; then the draws are shuffled. As many as there are members,
    1,000 at least.
    """
    weights = np.asarray(model.forest_.weights)
    n_draws = max(_FEWEST_DRAWS, len(weights))
    rng = np.random.default_rng(model.seed_)
    levels = (np.arange(n_draws) + rng.random()) / n_draws * weights.sum()
    # A level lies within the weight of its member; rounding must not pass by the last one.
    last = int(np.flatnonzero(weights)[-1])
    drawn = np.minimum(np.searchsorted(np.cumsum(weights), levels, side="right"), last)
    return rng.permutation(drawn)


def particle_quantities(model: Any) -> dict[str, F64]:
    """What is known of every draw of particles, (1, n_draws) each, by name."""
    drawn, forest = particle_draws(model), model.forest_
    return {
        "n_leaves": forest.n_leaves[drawn].astype(np.float64)[None],
        "depth": forest.depths[drawn].astype(np.float64)[None],
    }


def diagnose_islands(estimator: Any) -> IslandDiagnostics:
    """The numbers of a fitted estimator; see `diagnose`."""
    weights = estimator.forest_.weights
    shares = root_cut_shares(estimator)
    return IslandDiagnostics(
        log_evidence=float(estimator.log_evidence_),
        log_evidence_se=float(estimator.log_evidence_se_),
        island_log_evidence=estimator.island_log_evidence_,
        n_trees=int(np.count_nonzero(weights)),
        effective_trees=effective_number(weights),
        n_root_cuts=len(shares),
        effective_root_cuts=effective_number(shares),
    )


def _entries(found: IslandDiagnostics) -> Iterator[tuple[str, str]]:
    logs = found.island_log_evidence
    yield "log evidence", f"{found.log_evidence:.6g} ± {found.log_evidence_se:.2g}"
    ends = f"{logs.min():.6g} to {logs.max():.6g}"
    yield "islands", f"{len(logs)}: {ends}, standard deviation {found.spread:.3g}"
    for name, n, effective in (
        ("trees", found.n_trees, found.effective_trees),
        ("root cuts", found.n_root_cuts, found.effective_root_cuts),
    ):
        yield name, f"{n} distinct, as diverse as {effective:.1f} equally likely ones"
