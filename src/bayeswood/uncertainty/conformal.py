"""Coverage that is promised for any distribution and any number of rows.

Units are rows, or groups of rows where rows come in groups; a row of a group of n_k rows counts
1 / n_k. New units are exchangeable with the old ones, and nothing else is assumed.

- Rows that a predictor has not seen (split conformal prediction): of K such units, the quantile

      min{s : Σ_i w_i 1[s_i <= s] >= (1 − α)(K + 1)}

  of their scores is not exceeded by the score of a row of a new unit with probability 1 − α (Vovk,
  Gammerman and Shafer 2005; Lei and others 2018; with groups Lee, Barber and Willett 2023).

- Rows that each have predictors of their own (jackknife+ after bootstrap): R_ij is the score of
  row i by the bags that left out both i and j. A new row that beats all units but a weight of at
  most ℓ is strange. Of K + 1 units at most 2ℓ + 1 are: among s strange ones s(s − 1)/2 games are
  lost, and none loses more than ℓ. So

      ℓ = (α (K + 1) − 1) / 2

  makes a new row strange with probability at most α (Barber, Candès, Ramdas and Tibshirani 2021,
  theorem 1, with its 1/(K + 1) not given away; Kim, Xu and Barber 2020, theorem 1).

References: R. Barber, E. Candès, A. Ramdas, R. Tibshirani. Predictive inference with the
jackknife+. Annals of Statistics 49, 2021. B. Kim, C. Xu, R. Barber. Predictive inference is free
with the jackknife+-after-bootstrap. NeurIPS 2020. J. Lei, M. G'Sell, A. Rinaldo, R. Tibshirani,
L. Wasserman. Distribution-free predictive inference for regression. JASA 113, 2018. Y. Lee,
R. Barber, R. Willett. Distribution-free inference with hierarchical data. arXiv:2306.06342, 2023.
"""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

# A level such as 0.9 times a whole number may miss a whole number by rounding.
_TOLERANCE = 1e-9


def unit_weights(groups: NDArray[np.int32]) -> F64:
    """What each row counts: 1 over the rows of its group.

    Examples
    --------
    >>> unit_weights(np.array([0, 2, 2], dtype=np.int32))
    array([1. , 0.5, 0.5])
    """
    counts = np.bincount(groups)
    weights: F64 = 1.0 / counts[groups]
    return weights


def n_units(groups: NDArray[np.int32]) -> int:
    """Groups that have rows."""
    return len(np.unique(groups))


def largest_coverage(n: int) -> float:
    """The coverage that n units can promise at most.

    Examples
    --------
    >>> largest_coverage(9)
    0.9
    """
    return n / (n + 1)


def conformal_quantile(scores: F64, groups: NDArray[np.int32], coverage: float) -> float:
    """The score that a row of a new unit does not exceed with this probability.

    Parameters
    ----------
    scores : ndarray, (n_rows,)
        Of rows that the predictor has not seen.
    groups : ndarray of int32, (n_rows,)
        Their groups.
    coverage : float
        1 − α.

    Returns
    -------
    float
        Infinite where there are too few units.

    Examples
    --------
    >>> conformal_quantile(np.arange(9.0), np.arange(9, dtype=np.int32), 0.9)
    8.0
    >>> conformal_quantile(np.arange(8.0), np.arange(8, dtype=np.int32), 0.9)
    inf
    """
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(unit_weights(groups)[order])
    wanted = coverage * (n_units(groups) + 1) - _TOLERANCE
    place = int(np.searchsorted(reached, wanted))
    return float(scores[order[place]]) if place < len(scores) else float("inf")


def most_losses(coverage: float, n: int, mishap: float = 0.0) -> float:
    """ℓ: the weight of units that a strange row does not beat; negative where none can be.

    Parameters
    ----------
    coverage : float
        1 − α.
    n : int
        K.
    mishap : float
        Probability that bags are not what the theorem takes them for, to be made up for.

    Examples
    --------
    >>> round(most_losses(0.9, 99), 6)
    4.5
    """
    alpha = 1.0 - coverage - mishap
    return (alpha * (n + 1) - 1.0 + _TOLERANCE) / 2.0


def thin_bags(
    left_out: NDArray[np.bool_], share: float, random: "np.random.Generator"
) -> NDArray[np.bool_]:
    """Bags as the theorem of the jackknife+ after bootstrap wants them, out of a fixed number.

    Think of B̃ bags of K + 1 units, each of which a bag leaves out with probability `share`, and of
    each unit let only G of the bags that left it out count, drawn at random, or all if they are
    fewer. All units are alike. Seen from one of them, the new one, there are min(G, Binomial(B̃,
    share)) bags that count; the others' come from these as they are, or thinned where the bags
    unseen would have made them too many.

    Parameters
    ----------
    left_out : ndarray of bool, (G, n_units)
        Which bag left which unit out.
    share : float
        Probability of that, independently, whatever the data.
    random : Generator

    Returns
    -------
    ndarray of bool, (G, n_units)
        Which bags count for which unit; the last ones, beyond those that the new unit has, for
        none.
    """
    most, n = left_out.shape
    n_all = max(most, round(most / share))
    n_bags = min(most, int(random.binomial(n_all, share)))
    own = left_out & (np.arange(most) < n_bags)[:, None]
    inside = own.sum(axis=0)
    outside = random.binomial(n_all - n_bags, share, size=n)
    # Of as many as there are, no more than G.
    kept = random.hypergeometric(inside, outside, np.minimum(inside + outside, most))
    keys = np.where(own, random.random(own.shape), np.inf)
    found: NDArray[np.bool_] = np.zeros(own.shape, dtype=np.bool_)
    np.put_along_axis(found, np.argsort(keys, axis=0), np.arange(most)[:, None] < kept, axis=0)
    return found
