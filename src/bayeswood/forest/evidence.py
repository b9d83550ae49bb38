"""Given trees as a safe-Bayesian forest: leaves that count, weights that are powers of evidence.

Model: the trees are given, label-blind; the classes of the rows in a leaf are multinomial with a
Dirichlet prior, A the sum of its α_c. Sufficient statistics: m_vc, the rows of class c in leaf v.
Formulas:

    log p(Y | X, T) = sum over leaves of log Γ(A) - log Γ(n_v + A)
                      + sum over classes of log Γ(m_vc + α_c) - log Γ(α_c)         (3)
    p(c | x, T) = (m_vc + α_c) / (n_v + A) in the leaf v of x                      (7)
    w_k = p(Y | X, T_k)^β / sum over j of p(Y | X, T_j)^β           (6, normalised)

Reference: N. Quadrianto and Z. Ghahramani, "A very simple safe-Bayesian random forest", 2015.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest.class_prior import class_alphas, total_alpha
from bayeswood.forest.forest import Forest

F64 = NDArray[np.float64]


def weigh_trees(
    forest: Forest,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_classes: int | None = None,
    dirichlet_alpha: ArrayLike = 1.0,
    power: float = 1.0,
    n_jobs: int = 1,
) -> Forest:
    """Count classes in the leaves of given trees and weigh the trees by a power of the evidence.

    Parameters
    ----------
    forest : Forest
        The trees, say of `Forest.from_nested`; only their splits are used.
    X : array-like, (n_rows, n_features)
        Training rows in the encoding of the forest.
    y : array-like of int, (n_rows,)
        Class numbers from 0.
    n_classes : int, default=None
        None takes one more than the highest class number.
    dirichlet_alpha : float or array-like, (n_classes,), default=1.0
        α_c of each class.
    power : float, default=1.0
        β in [0, 1]; 1 is Bayesian model averaging, 0 weighs all trees alike. The paper takes 5/N.
    n_jobs : int, default=1
        Threads.

    Returns
    -------
    Forest
        The same trees. Leaves hold (m_c + α_c) / (n + A); ``log_weights`` are β times the log
        marginal likelihoods, so that ``predict`` is equation (6) with its normaliser.

    Examples
    --------
    >>> from bayeswood import Forest
    >>> shapes = Forest.from_nested([(0, 0.5, None, None), (0, 0.8, None, None)])
    >>> forest = weigh_trees(shapes, [[0.1], [0.3], [0.6], [0.9]], [0, 0, 1, 1])
    >>> forest.weights.round(3)
    array([0.727, 0.273])
    >>> forest.predict([[0.2]]).round(3)
    array([[0.709, 0.291]])
    """
    labels = _checked_labels(y)
    if not 0 <= power <= 1:
        raise _parameter_error("power", "a number in [0, 1]", power)
    n_seen = int(labels.max()) + 1
    if n_classes is not None and n_classes < n_seen:
        raise _parameter_error("n_classes", f"at least {n_seen}, as in 'y'", n_classes)
    alphas = class_alphas(dirichlet_alpha, n_classes or n_seen, "weigh_trees")
    arrays = forest.to_arrays()
    leaves = _leaf_numbers(forest, arrays, X, n_jobs)
    if len(leaves) != len(labels):
        raise BayeswoodError(
            "weigh_trees needs one class per row. "
            f"Got {len(leaves)} rows and {len(labels)} classes."
        )
    n_leaves = int(np.count_nonzero(arrays["feature"] < 0))
    counts = np.zeros((n_leaves, n_classes or n_seen))
    np.add.at(counts, (leaves, labels[:, None]), 1.0)
    per_leaf = log_marginal(counts, alphas)
    first = np.cumsum(forest.n_leaves) - forest.n_leaves
    log_evidence = np.add.reduceat(per_leaf, first)
    counted = Forest.from_arrays(_with_counts(arrays, counts, alphas), forest.labels)
    return Forest(counted.core, power * log_evidence, forest.labels)


def log_marginal(counts: F64, alphas: F64) -> F64:
    """Log of each leaf's factor of equation (3); 0 for a leaf without rows.

    Parameters
    ----------
    counts : ndarray, (n_leaves, n_classes)
    alphas : ndarray, (n_classes,)
    """
    whole = total_alpha(alphas)
    from scipy.special import gammaln

    total = gammaln(whole) - gammaln(counts.sum(axis=1) + whole)
    result: F64 = total + (gammaln(counts + alphas) - gammaln(alphas)).sum(axis=1)
    return result


def _leaf_numbers(
    forest: Forest, arrays: dict[str, Any], X: ArrayLike, n_jobs: int
) -> NDArray[np.int64]:
    """Leaf of each row in each tree, numbered over all trees: (n_rows, n_trees)."""
    number = np.cumsum(arrays["feature"] < 0) - 1
    first = np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"]
    leaves: NDArray[np.int64] = number[forest.apply(X, n_jobs) + first]
    return leaves


def _with_counts(arrays: dict[str, Any], counts: F64, alphas: F64) -> dict[str, Any]:
    """The arrays of the same splits over leaves that hold class probabilities."""
    n_leaves, n_classes = counts.shape
    n_samples = counts.sum(axis=1)
    probability = (counts + alphas) / (n_samples[:, None] + total_alpha(alphas))
    return arrays | {
        "n_outputs": n_classes,
        "is_classifier": True,
        "leaf_n_samples": n_samples.astype(np.int32),
        "leaf_weight": n_samples.astype(np.float32),
        "leaf_n_entries": np.full(n_leaves, n_classes, dtype=np.int32),
        "leaf_class": np.tile(np.arange(n_classes, dtype=np.int32), n_leaves),
        "leaf_value": probability.ravel(),
        "leaf_rows": np.empty(0, dtype=np.int32),
    }


def _checked_labels(y: ArrayLike) -> NDArray[np.int64]:
    labels = np.asarray(y)
    is_number = labels.ndim == 1 and labels.size > 0 and np.issubdtype(labels.dtype, np.integer)
    if not is_number or int(labels.min()) < 0:
        raise _parameter_error("y", "a sequence of class numbers from 0", y)
    return labels.astype(np.int64)


def _parameter_error(name: str, wanted: str, got: Any) -> BayeswoodError:
    return BayeswoodError(
        f"The '{name}' parameter of weigh_trees must be {wanted}. Got {got!r} instead."
    )
