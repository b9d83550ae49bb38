"""The draws that a Markov chain keeps, laid out by chain and draw.

A sampler records every iteration t of every chain in its trace; after the burn-in, each `thin`-th
iteration is kept as a draw: draw d is iteration n_burn_in + (d + 1) thin - 1, counted from 0.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.posterior.islands import has_islands, particle_draws, particle_quantities

F64 = NDArray[np.float64]

QUANTITIES = ("log_likelihood", "log_posterior", "n_leaves", "depth")


class Trace(Protocol):
    """What an MCMC estimator keeps as ``trace_``; arrays are (n_chains, n_iterations)."""

    @property
    def log_likelihood(self) -> NDArray[Any]:
        """Log marginal likelihood of the current tree."""

    @property
    def log_posterior(self) -> NDArray[Any]:
        """Log of prior times likelihood of the current tree."""

    @property
    def n_leaves(self) -> NDArray[Any]:
        """Its leaves."""

    @property
    def depth(self) -> NDArray[Any]:
        """Its depth."""

    @property
    def n_burn_in(self) -> int:
        """Iterations before the first that may be kept."""

    @property
    def thin(self) -> int:
        """Iterations for each draw."""


def is_sampled(model: Any) -> bool:
    """Whether an estimator holds the draws of Markov chains over trees, distinct ones once."""
    return hasattr(model, "trace_") and hasattr(model, "draw_tree_")


def draws_sums(model: Any) -> bool:
    """Whether an estimator holds the draws of Markov chains over sums of trees."""
    return hasattr(model, "trace_") and hasattr(model.trace_, "quantities")


def check_sampled(model: Any, caller: str) -> None:
    """Raise BayeswoodError unless an estimator holds the draws of Markov chains."""
    if not is_sampled(model) and not draws_sums(model):
        raise BayeswoodError(
            f"The 'estimator' parameter of {caller} must be a fitted estimator that draws by "
            f"Markov chains, with a 'trace_'. Got {type(model).__name__} instead."
        )


def kept_quantities(model: Any) -> dict[str, F64]:
    """What is known of every draw, (n_chains, n_draws) each, by name."""
    if draws_sums(model):
        found: dict[str, F64] = model.trace_.quantities()
        return found
    if has_islands(model):
        return particle_quantities(model)
    return {name: kept(model.trace_, name) for name in QUANTITIES}


def known_quantities(trace: Any) -> tuple[str, ...]:
    """The names of what a trace has of every iteration."""
    names: tuple[str, ...] = getattr(trace, "names", QUANTITIES)
    return names


def series(trace: Any, name: str) -> F64:
    """A quantity of the trace after every iteration, (n_chains, n_iterations)."""
    if hasattr(trace, "series"):
        found: F64 = trace.series(name)
        return found
    return np.asarray(getattr(trace, name), dtype=np.float64)


def kept(trace: Trace, name: str) -> F64:
    """A quantity of the trace at the draws that are kept, (n_chains, n_draws).

    Parameters
    ----------
    trace : Trace
    name : str
        One of ``log_likelihood``, ``log_posterior``, ``n_leaves`` and ``depth``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> trace = SimpleNamespace(n_leaves=np.array([[1, 2, 3, 4, 5, 6]]), n_burn_in=2, thin=2)
    >>> kept(trace, "n_leaves")
    array([[4., 6.]])
    """
    values = series(trace, name)
    return values[:, trace.n_burn_in + trace.thin - 1 :: trace.thin]


def by_draw(model: Any, per_member: NDArray[Any]) -> NDArray[Any]:
    """What depends on the member alone, (n_members, ...), laid out by chain and draw.

    That is (n_chains, n_draws, ...). Where chains draw sums, every draw is a member; else members
    are the distinct trees. Particles are one chain, resampled.
    """
    values = np.asarray(per_member)
    if draws_sums(model):
        return values.reshape(model.trace_.n_chains, -1, *values.shape[1:])
    if has_islands(model):
        return values[particle_draws(model)][None]
    laid_out: NDArray[Any] = values[np.asarray(model.draw_tree_)]
    return laid_out


def tree_log_posterior(model: Any) -> F64 | None:
    """Log posterior of each stored tree, -inf where none was kept; None if chains drew none."""
    if not is_sampled(model):
        return None
    log_posterior = np.full(model.forest_.n_trees, -np.inf)
    drawn = np.asarray(model.draw_tree_)
    log_posterior[drawn.ravel()] = kept(model.trace_, "log_posterior").ravel()
    return log_posterior
