"""How far averages over the chains of a sampler can be trusted: their own standard error.

The draws of C independent chains give averages p_1, ..., p_C of what is predicted for a row, and
the estimator p = Σ_c w_c p_c. With weights that sum to 1,

    se² = C/(C − 1) Σ_c w_c² (p_c − p)²,

for equal weights the variance of the chains' averages over C. It knows no more than the chains have
found: what none of them visited is in no standard error.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest import Forest

F64 = NDArray[np.float64]

# At how many rows a fit asks how uncertain it is, and how much of them is another row's.
_N_ROWS = 100
_SHARE_OF_ANOTHER = 0.1


# The standard errors between chains of which fits warn: of a probability, and of a mean as a share
# of the response's own standard deviation.
UNCERTAIN_PROBABILITY = 0.03
UNCERTAIN_MEAN = 0.1


class MonteCarloWarning(UserWarning):
    """Averages over the chains of a sampler are uncertain by more than users will expect."""


def chain_means(
    trees: _core.Forest, draw_tree: NDArray[np.int32], rows: NDArray[Any], n_jobs: int
) -> F64:
    """What each chain predicts, averaged over its draws: (n_chains, n_rows, n_outputs).

    Parameters
    ----------
    trees : _core.Forest
        Distinct trees.
    draw_tree : ndarray of int32, (n_chains, n_draws)
        Number of the tree of each draw.
    rows : ndarray, (n_rows, n_features)
        Encoded rows.
    n_jobs : int
    """
    found = []
    for draws in draw_tree:
        used, times = np.unique(draws, return_counts=True)
        chain = Forest(trees.select(used.astype(np.int64)), np.log(times))
        found.append(chain.predict(rows, n_jobs))
    return np.stack(found)


def rows_like_new(X: NDArray[Any], seed: int) -> NDArray[Any]:
    """At most 100 training rows in which one cell in ten is another row's.

    Chains agree better about rows that they were fitted to than about new ones: on 18 data sets
    the standard error at training rows is .80 of that at new rows in the geometric mean, and at
    such rows 1.07 of it (`benchmarks/samplers/chain_error.py`).
    """
    rng = np.random.default_rng(seed)
    few = np.linspace(0, len(X) - 1, min(len(X), _N_ROWS)).astype(np.int64)
    other = X[rng.permutation(len(X))[: len(few)]]
    return np.where(rng.random(other.shape) < _SHARE_OF_ANOTHER, other, X[few])


def error_between_chains(means: F64, weights: F64) -> F64:
    """Standard error of the chains' weighted average, over the first axis.

    Parameters
    ----------
    means : ndarray, (n_chains, ...)
    weights : ndarray, (n_chains,)
        They sum to 1; at least two chains.

    Examples
    --------
    >>> error_between_chains(np.array([0.2, 0.4, 0.6]), np.full(3, 1 / 3)).round(4)
    np.float64(0.1155)
    """
    n_chains = len(means)
    apart = means - np.tensordot(weights, means, axes=1)
    squares = np.tensordot(weights**2, apart**2, axes=1)
    error: F64 = np.sqrt(n_chains / (n_chains - 1) * squares)
    return error
