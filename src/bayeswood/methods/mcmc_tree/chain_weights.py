"""How chains that started anew are weighted against each other.

A chain that does not find its way between the modes of the posterior tells nothing of their
masses. Three answers:

- equal: every restart counts alike (Schetinin et al.).
- evidence: chain c counts by the posterior mass of what it has visited. Trees that divide the
  training rows alike by the same features form a class; the mass of a class is known in closed
  form, and M_c = Σ p(class) p(Y | class)^power over the distinct classes among its draws. Chains
  that visited everything have the same M_c.
- stacking: the weights under which the mixture of the chains' predictions has the largest
  leave-one-out log density (Yao, Vehtari, Gelman 2022). Chain c without row i predicts
  1 / mean_t [1 / p(y_i | y_-i, T_t)], by importance sampling of the trees; within a tree the row is
  left out exactly.
"""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

_STEPS = 2000
_CLOSE = 1e-8


def evidence_weights(
    draw_tree: NDArray[np.int32], log_mass: F64, mass_key: NDArray[np.uint64]
) -> F64:
    """Weights by the posterior mass that each chain has visited.

    Parameters
    ----------
    draw_tree : ndarray of int32, (n_chains, n_draws)
        Number of the tree of each draw.
    log_mass : ndarray, (n_trees,)
        Log mass of the tree's class.
    mass_key : ndarray of uint64, (n_trees,)
        The class.

    Returns
    -------
    ndarray, (n_chains,)
        Summing to 1.

    Examples
    --------
    >>> draws = np.array([[0, 1, 0], [2, 2, 2]], dtype=np.int32)
    >>> key = np.array([7, 8, 9], dtype=np.uint64)
    >>> evidence_weights(draws, np.log([0.2, 0.1, 0.6]), key).round(3)
    array([0.333, 0.667])
    """
    visited = np.empty(len(draw_tree))
    from scipy.special import logsumexp

    for chain, draws in enumerate(draw_tree):
        trees = np.unique(draws)
        _, first = np.unique(mass_key[trees], return_index=True)
        visited[chain] = logsumexp(log_mass[trees[first]])
    weights: F64 = np.exp(visited - logsumexp(visited))
    weights /= weights.sum()
    return weights


def chain_log_density(log_density: F64, draw_tree: NDArray[np.int32]) -> F64:
    """Leave-one-out log density of rows under each chain, (n_chains, n_rows).

    Parameters
    ----------
    log_density : ndarray, (n_trees, n_rows)
        Log density of each row under each tree, the row left out of its leaf.
    draw_tree : ndarray of int32, (n_chains, n_draws)
    """
    n_trees = log_density.shape[0]
    found = np.empty((len(draw_tree), log_density.shape[1]))
    from scipy.special import logsumexp

    for chain, draws in enumerate(draw_tree):
        times = np.bincount(draws, minlength=n_trees)
        trees = np.flatnonzero(times)
        share = np.log(times[trees] / len(draws))
        found[chain] = -logsumexp(share[:, None] - log_density[trees], axis=0)
    return found


def stacking_weights(log_density: F64, times: F64) -> F64:
    """The weights w on the simplex that maximise Σ_i times_i log Σ_c w_c exp(log_density_ci).

    Parameters
    ----------
    log_density : ndarray, (n_chains, n_rows)
    times : ndarray, (n_rows,)
        How often each row counts.

    Returns
    -------
    ndarray, (n_chains,)
        By the EM algorithm, from equal weights; every step climbs.

    Examples
    --------
    >>> stacking_weights(np.log([[0.9, 0.1], [0.1, 0.9]]), np.ones(2))
    array([0.5, 0.5])
    >>> stacking_weights(np.log([[0.9, 0.8], [0.5, 0.4]]), np.ones(2)).round(3)
    array([1., 0.])
    """
    density = np.exp(log_density - log_density.max(axis=0))
    n_chains = len(density)
    weights: F64 = np.full(n_chains, 1.0 / n_chains)
    for _ in range(_STEPS):
        shares = weights[:, None] * density
        following = (shares / shares.sum(axis=0)) @ times / times.sum()
        done = np.abs(following - weights).max() < _CLOSE
        weights = following
        if done:
            break
    return weights
