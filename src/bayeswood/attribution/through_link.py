"""Shapley values of a sum, passed through what is made of it.

For an answer g(u), u = u₀ + Σ_j φ_j a sum whose Shapley values are known, the shares are those of
Aumann and Shapley: each feature gets what the answer moves along its part of the straight way,

    ψ_j = ∫₀¹ Dg(u₀ + s Σ_i φ_i) φ_j ds,    Σ_j ψ_j = g(u) − g(u₀).

Reference: R. Aumann, L. Shapley: Values of Non-Atomic Games, 1974.
"""

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution.additive import Link

F64 = NDArray[np.float64]

_N_POINTS = 24
_STEP = 1e-6


def mean_slopes(base: F64, end: F64, link: Link) -> F64:
    """∫₀¹ Dg(base + s (end − base)) ds, (n_rows, n_answers, n_outputs).

    By 24 points of Gauss and Legendre, and central differences.

    Parameters
    ----------
    base, end : ndarray, (n_rows, n_outputs)
        Where the way begins and ends.
    link : callable
        g, of arrays (..., n_outputs).
    """
    n_outputs = base.shape[1]
    total: F64 = np.zeros((len(base), 1, n_outputs))
    points, weights = np.polynomial.legendre.leggauss(_N_POINTS)
    for point, weight in zip((points + 1) / 2, weights / 2, strict=True):
        at = base + point * (end - base)
        columns = []
        for k in range(n_outputs):
            step = np.zeros_like(at)
            step[:, k] = _STEP * np.maximum(1.0, np.abs(at[:, k]))
            columns.append((link(at + step) - link(at - step)) / (2 * step[:, k : k + 1]))
        total = total + weight * np.stack(columns, axis=-1)
    return total


def through_link(values: F64, base: F64, link: Link) -> tuple[F64, F64]:
    """Shares of the features in the answer, and the answer where no feature is known.

    Parameters
    ----------
    values : ndarray, (n_rows, n_features, n_outputs)
        Shapley values of the sum.
    base : ndarray, (n_rows, n_outputs)
        The sum where no feature is known.
    link : callable
        g, of arrays (..., n_outputs).

    Returns
    -------
    ndarray, (n_rows, n_features, n_answers), and ndarray, (n_rows, n_answers)
        What rounding and quadrature leave over is shared out by the sizes of the shares, so that
        these sum to the answer.

    Examples
    --------
    Of a product of two factors that both double from 1, each brings one half of the 3:

    >>> import numpy as np
    >>> values = np.log(2.0) * np.ones((1, 2, 1))
    >>> through_link(values, np.zeros((1, 1)), np.exp)
    (array([[[1.5],
            [1.5]]]), array([[1.]]))
    """
    end = base + values.sum(axis=1)
    found: F64 = np.einsum("nak,ndk->nda", mean_slopes(base, end, link), values)
    answer = link(base.copy())
    left = link(end) - answer - found.sum(axis=1)
    sizes = np.abs(found)
    whole = sizes.sum(axis=1, keepdims=True)
    shares = np.divide(sizes, whole, out=np.full_like(sizes, 1 / sizes.shape[1]), where=whole > 0)
    return found + shares * left[:, None, :], answer
