"""The five-Gaussian problem of the Uncertainty Envelope paper, and its best possible envelope.

Model
    Class 1 is a mixture of three Gaussians in the plane, class 2 of two, all with covariance
    0.03 I (an extended version of Ripley's synthetic data).
Formula
    p(x) = Σ_k ρ_k N(x; μ_k, 0.03 I),  P(class | x) = Σ_{k in class} ρ_k N(x; μ_k, 0.03 I) / p(x).
    The ensemble that knows P has consistency γ(x) = max_c P(c | x), and so
    CC = ∫_{γ >= γ₀} γ p dx,  CI = ∫_{γ >= γ₀} (1 - γ) p dx,  U = ∫_{γ < γ₀} p dx.
Reference
    Schetinin and others 2004, section 5.1 and Figure 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError

F64 = NDArray[np.float64]

WEIGHTS: F64 = np.array([0.16, 0.17, 0.17, 0.25, 0.25])
CENTRES: F64 = np.array([[1.0, 1.0], [0.7, 0.3], [0.3, 0.3], [-0.3, 0.7], [0.4, 0.7]])
LABELS: NDArray[np.int64] = np.array([1, 1, 1, 2, 2])
VARIANCE = 0.03

# Eight standard deviations around every centre hold all but 1e-14 of the mass.
_MARGIN = 8 * VARIANCE**0.5


class OptimalEnvelope(NamedTuple):
    """Rates of the envelope that the Bayes classifier has; they add up to 1."""

    confident_correct: float
    uncertain: float
    confident_incorrect: float


def sample_five_gaussians(
    n_rows: int, rng: np.random.Generator | int | None = None
) -> tuple[F64, NDArray[np.int64]]:
    """Draw rows and classes.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    rng : numpy.random.Generator, int or None, default=None
        Source of randomness, or its seed.

    Returns
    -------
    X : ndarray, (n_rows, 2)
    y : ndarray of int, (n_rows,)
        Classes 1 and 2.

    Examples
    --------
    >>> X, y = sample_five_gaussians(250, rng=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((250, 2), [1, 2])
    """
    generator = np.random.default_rng(rng)
    kernel = generator.choice(len(WEIGHTS), size=n_rows, p=WEIGHTS)
    noise = generator.normal(scale=VARIANCE**0.5, size=(n_rows, 2))
    return CENTRES[kernel] + noise, LABELS[kernel]


def five_gaussians_posterior(X: ArrayLike) -> F64:
    """Probability of either class at each row.

    Parameters
    ----------
    X : array-like, (n_rows, 2)
        Rows.

    Returns
    -------
    ndarray, (n_rows, 2)

    Examples
    --------
    >>> five_gaussians_posterior([[0.3, 0.3], [-0.3, 0.7]]).round(3)
    array([[0.925, 0.075],
           [0.   , 1.   ]])
    """
    joint = _joint_density(np.asarray(X, dtype=np.float64))
    posterior: F64 = joint / joint.sum(axis=1, keepdims=True)
    return posterior


def _joint_density(X: F64) -> F64:
    """p(x, class), up to rounding."""
    distance = ((X[:, None, :] - CENTRES[None, :, :]) ** 2).sum(axis=2)
    kernels = WEIGHTS * np.exp(-distance / (2 * VARIANCE)) / (2 * np.pi * VARIANCE)
    return np.stack([kernels[:, label == LABELS].sum(axis=1) for label in (1, 2)], axis=1)


def five_gaussians_envelope(gamma0: float = 0.99, *, n_steps: int = 2000) -> OptimalEnvelope:
    """The envelope of the Bayes classifier, by the midpoint rule.

    Parameters
    ----------
    gamma0 : float, default=0.99
        Least posterior probability of a confident outcome.
    n_steps : int, default=2000
        Cells along each axis. With 2,000 the rates are right to about 2e-6.

    Returns
    -------
    OptimalEnvelope

    Examples
    --------
    >>> [round(rate, 3) for rate in five_gaussians_envelope(0.99, n_steps=500)]
    [0.468, 0.531, 0.001]

    At γ₀ = 0 nothing is uncertain, and what is incorrect is the Bayes error.

    >>> round(five_gaussians_envelope(0.0, n_steps=500).confident_incorrect, 5)
    0.07788
    """
    if n_steps < 1:
        raise BayeswoodError(
            "The 'n_steps' parameter of five_gaussians_envelope must be an int >= 1. "
            f"Got {n_steps!r} instead."
        )
    low, high = CENTRES.min(axis=0) - _MARGIN, CENTRES.max(axis=0) + _MARGIN
    step = (high - low) / n_steps
    across, along = (low[axis] + step[axis] * (np.arange(n_steps) + 0.5) for axis in (0, 1))
    correct = incorrect = total = 0.0
    for x in across:  # one strip of cells at a time
        joint = _joint_density(np.column_stack([np.full(n_steps, x), along]))
        mass, best = joint.sum(axis=1), joint.max(axis=1)
        confident = best >= gamma0 * mass
        total += float(mass.sum())
        correct += float(best[confident].sum())
        incorrect += float((mass - best)[confident].sum())
    area = float(step[0] * step[1])
    return OptimalEnvelope(correct * area, (total - correct - incorrect) * area, incorrect * area)
