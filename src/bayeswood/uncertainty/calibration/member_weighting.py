"""Choosing how the members of a forest are shrunk and weighted, by the rows they left out.

Model: trees of a few kinds g, leaves shrunk toward their ancestors with strength λ, and kinds
weighted by shares ω_g that sum to 1,

    p̄(x) = Σ_g ω_g p̄_g(x; λ),

p̄_g the plain average over the trees of kind g. With ℓ(λ, ω) the greatest penalised log likelihood
of the out-of-bag rows that one γ and b reach (see `class_calibration`), and a flat prior
on a few values, the posterior of λ is proportional to e^ℓ. Its mean is taken, on the scale of
log(1 + λ), with equal weights of all trees; then that of ω, with this λ. A mean rather than the
best value: small tables cannot tell, and the mean then stays in the middle.

An average with tree weights w_t varies like one over B = 1 / Σ_t w_t² equal trees (Kish's effective
number), which takes the place of the number of trees.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core

F64 = NDArray[np.float64]

# Strengths λ of shrinkage, and shares ω of the randomised trees, that are tried.
STRENGTHS = np.array([0.0, 1.0, 3.0, 10.0, 30.0, 100.0])
SHARES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


@dataclass(frozen=True, eq=False)
class KindSums:
    """Class probabilities of rows, summed over the trees of each kind that left them out.

    Attributes
    ----------
    sums : ndarray, (n_kinds, n_strengths, n_rows, n_classes)
        Of leaves shrunk with each strength.
    counts : ndarray of int32, (n_kinds, n_rows)
        How many trees they are over; rows without any take no part.
    n_trees : ndarray of int, (n_kinds,)
        Trees of each kind; at least one.
    """

    sums: F64
    counts: NDArray[np.int32]
    n_trees: NDArray[np.intp]

    def losses(
        self,
        strength: NDArray[Any],
        shares: F64,
        label: NDArray[Any],
        weights: F64 | None = None,
        n_jobs: int = 1,
    ) -> F64:
        """−ℓ of averages at these strengths (their numbers) and shares, (n_trials, n_kinds)."""
        return _core.trial_losses(
            self.sums,
            self.counts,
            strength.astype(np.int32),
            np.ascontiguousarray(shares / self.n_trees),
            label.astype(np.int32),
            np.ones(len(label)) if weights is None else weights,
            n_jobs,
        )


def equal_shares(n_trees: NDArray[np.intp]) -> F64:
    """The shares of kinds when all trees weigh the same."""
    shares: F64 = n_trees / n_trees.sum()
    return shares


def effective_number(weights: F64) -> float:
    """1 / Σ w²: how many equal trees an average with these weights (of sum 1) is worth.

    Examples
    --------
    >>> effective_number(np.full(8, 1 / 8)), effective_number(np.array([0.5, 0.5, 0.0]))
    (8.0, 2.0)
    """
    return float(1.0 / np.sum(weights**2))


def posterior_mean(losses: F64, values: F64) -> float:
    """Mean of `values` with weights proportional to e^−loss.

    Examples
    --------
    >>> round(posterior_mean(np.array([700.0, 700.0 + np.log(3)]), np.array([0.0, 1.0])), 9)
    0.25
    """
    weights = np.exp(losses.min() - losses)
    return float(np.sum(weights * values) / np.sum(weights))


def choose_strength(
    kinds: KindSums, label: NDArray[Any], weights: F64 | None, n_jobs: int = 1
) -> float:
    """The posterior mean of λ, `kinds` being summed at `STRENGTHS`."""
    shares = np.tile(equal_shares(kinds.n_trees), (len(STRENGTHS), 1))
    losses = kinds.losses(np.arange(len(STRENGTHS)), shares, label, weights, n_jobs)
    return float(np.expm1(posterior_mean(losses, np.log1p(STRENGTHS))))


def choose_share(
    kinds: KindSums, label: NDArray[Any], weights: F64 | None, n_jobs: int = 1
) -> float:
    """The posterior mean of the share of the second of two kinds, summed at one strength."""
    shares = np.column_stack([1.0 - SHARES, SHARES])
    losses = kinds.losses(np.zeros(len(SHARES)), shares, label, weights, n_jobs)
    return posterior_mean(losses, SHARES)
