"""How sure is the first split? The bound of the Bayesian-forest paper, and the truth beside it.

Model: the weights of the rows are θ_i ~ Exp(1); the split of a draw minimises the weighted squared
error. Statistics: for the sample's best split 1 and a rival j, d_ji is the difference of their
squared errors at row i. Formula: eq. (11), P(match) >= 1 - Σ_j exp(-n z_j²/2) / (z_j √(2πn)) with
z_j = |mean d_j| / sqrt(mean d_j²). Reference: M. Taddy, C.-S. Chen, J. Yu and M. Wyle, "Bayesian
and empirical Bayesian forests", 2015, section 3.1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.table import Schema, fit_numeric_target, fit_table

F64 = NDArray[np.float64]
Int = NDArray[np.int64]

# Two impurities closer than this share of the node's impurity are a tie.
_TIE = 1e-10


@dataclass(frozen=True, repr=False)
class SplitMatch:
    """How often a posterior draw splits a node as the sample does.

    Attributes
    ----------
    bound : float
        Eq. (11): a lower bound of the probability, under the paper's normal approximation. It can
        be negative, and then says nothing.
    normal_bound : float
        The step before, 1 - Σ_j Φ(-√n z_j): tighter, as Mills' ratio is not yet used.
    p_match : float
        The truth, by Monte Carlo: the share of `n_draws` draws of Exp(1) weights whose best split
        parts the rows as the sample's does.
    p_match_se : float
        Its standard error.
    feature, feature_name, threshold
        The sample's best split, ``x[feature] <= threshold``.
    z : ndarray of shape (n_splits,)
        z_j of each candidate split, NaN for the best one and for those that part the rows alike.
    features, thresholds : ndarray of shape (n_splits,)
        The candidate splits.
    n_rows, n_draws : int
    """

    bound: float
    normal_bound: float
    p_match: float
    p_match_se: float
    feature: int
    feature_name: str
    threshold: float
    z: F64
    features: Int
    thresholds: F64
    n_rows: int
    n_draws: int

    def __float__(self) -> float:
        return self.bound

    def __repr__(self) -> str:
        return (
            f"SplitMatch: {self.feature_name} <= {self.threshold:g} is the best of "
            f"{len(self.z):,} splits of {self.n_rows:,} rows\n"
            f"  matched by a draw   {self.p_match:.4f} ± {self.p_match_se:.4f}"
            f"  (Monte Carlo, {self.n_draws:,} draws)\n"
            f"  normal union bound  {self.normal_bound:.4f}\n"
            f"  eq. (11)            {self.bound:.4f}"
        )


def split_match_bound(
    X: Any,
    y: Any,
    *,
    min_samples_leaf: int = 1,
    n_draws: int = 1000,
    rng: Any = None,
    n_jobs: int = 1,
) -> SplitMatch:
    """Bound the probability that a draw of the posterior splits these rows as the sample does.

    Parameters
    ----------
    X : array or data frame of shape (n_rows, n_features)
        Binary features are taken as in the paper; a numeric feature stands for all its binary
        cuts ``x <= t``. Missing values and categories of more than two levels are refused.
    y : array of shape (n_rows,)
        A numeric response.
    min_samples_leaf : int, default=1
        Only splits that leave so many rows on each side are candidates.
    n_draws : int, default=1000
        Draws for the Monte Carlo truth.
    rng : None, int or numpy Generator
    n_jobs : int, default=1

    Returns
    -------
    SplitMatch

    Notes
    -----
    Eq. (1) of the paper, 1 - p e^{-n}/√n, is not offered: it drops z_j and is no bound (it can say
    1.000 where the truth is .695). Splits that part the rows exactly as the best one does are the
    same split under another name. The bound is about few distinct splits: neighbouring cuts of a
    continuous feature are all but equal, and their number drives it below 0.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 25)
    >>> y = 2.0 * X[:, 0] + 0.5 * X[:, 1]
    >>> match = split_match_bound(X, y, rng=0)
    >>> match.feature_name, match.p_match
    ('x0', 1.0)
    >>> round(match.bound, 6)
    1.0
    """
    rows, schema = _numeric_rows(X)
    response = _single_response(y, len(rows))
    encoded = _core.EncodedMatrix(rows, np.zeros(rows.shape[1], dtype=np.int32), n_jobs)
    cuts = _Cuts.of(encoded, min_samples_leaf)
    _check_cuts(cuts, response)
    best = cuts.best(response)
    z, same = cuts.standardised_gaps(response, best)
    stumps = _stumps(encoded, response, min_samples_leaf, n_draws, rng, n_jobs)
    matches = _n_matching(stumps, rows, cuts, same)
    p_match = matches / n_draws
    return SplitMatch(
        *_bounds(z[~same], len(rows)),
        p_match=p_match,
        p_match_se=float(np.sqrt(p_match * (1 - p_match) / n_draws)),
        feature=int(cuts.feature[best]),
        feature_name=schema.names[cuts.feature[best]],
        threshold=float(cuts.threshold[best]),
        z=z,
        features=cuts.feature,
        thresholds=cuts.threshold,
        n_rows=len(rows),
        n_draws=n_draws,
    )


def _bounds(z: F64, n_rows: int) -> tuple[float, float]:
    """Eq. (11) and the line above it."""
    scaled = z * np.sqrt(n_rows)
    with np.errstate(divide="ignore"):
        mills = np.exp(-(scaled**2) / 2) / (scaled * np.sqrt(2 * np.pi))
    return float(1 - mills.sum()), float(1 - ndtr(-scaled).sum())


@dataclass(frozen=True)
class _Cuts:
    """All candidate splits; `order[j]` sorts the rows by feature j."""

    order: Int
    feature: Int
    n_left: Int
    threshold: F64

    @staticmethod
    def of(encoded: _core.EncodedMatrix, min_samples_leaf: int) -> "_Cuts":
        """The cuts that the grower considers at a root."""
        codes = encoded.codes()
        order = np.argsort(codes, axis=0, kind="stable").T
        feature, n_left, threshold = [], [], []
        for j, by_x in enumerate(order):
            code = codes[by_x, j]
            size = np.flatnonzero(code[:-1] < code[1:]) + 1
            size = size[(size >= min_samples_leaf) & (size <= len(code) - min_samples_leaf)]
            feature.append(np.full(len(size), j))
            n_left.append(size)
            threshold.append(encoded.thresholds(j)[code[size - 1]])
        return _Cuts(order, *(np.concatenate(a) for a in (feature, n_left, threshold)))

    def left_sums(self, values: F64) -> F64:
        """Sum of `values` over the left side of each split."""
        sums = np.cumsum(values[self.order], axis=1)
        return np.asarray(sums[self.feature, self.n_left - 1])

    def best(self, response: F64) -> int:
        """The split of lowest squared error; of equals, the first."""
        y = response - response.mean()
        left, n = self.left_sums(y), len(y)
        gain = left**2 / self.n_left + left**2 / (n - self.n_left)
        return int(np.flatnonzero(gain >= gain.max() - _TIE * (y @ y))[0])

    def standardised_gaps(self, response: F64, best: int) -> tuple[F64, NDArray[np.bool_]]:
        """z_j of eq. (11), and which splits part the rows as `best` does.

        d = (m1 - mj)(m1 + mj - 2y) is summed over the four cells of (side of best, side of j).
        The factor m1 - mj outside the sums keeps splits close to the best one accurate.
        """
        y = response - response.mean()
        n, n_left = len(y), self.n_left
        mean_left = self.left_sums(y) / n_left
        mean_right = -self.left_sums(y) / (n - n_left)
        is_left = self._left_of(best, n)
        sum_d = np.zeros(len(n_left))
        sum_d2, n_crossed = sum_d.copy(), sum_d.copy()
        for side in (is_left, 1 - is_left):
            m1 = side @ y / side.sum()
            moments = [self.left_sums(side * y**power) for power in range(3)]
            totals = [float(np.sum(side * y**power)) for power in range(3)]
            others = [t - m for t, m in zip(totals, moments, strict=True)]
            for (count, sum_y, sum_yy), mj in ((moments, mean_left), (others, mean_right)):
                gap, mid = m1 - mj, m1 + mj
                sum_d += gap * (count * mid - 2 * sum_y)
                sum_d2 += gap**2 * (count * mid**2 - 4 * mid * sum_y + 4 * sum_yy)
            n_crossed += np.minimum(moments[0], others[0])
        same = n_crossed == 0
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.abs(sum_d / n) / np.sqrt(np.maximum(sum_d2, 0) / n)
        z[sum_d2 <= 0] = 0.0  # as good at every row, though it parts the rows in another way
        return np.where(same, np.nan, z), same

    def _left_of(self, split: int, n_rows: int) -> F64:
        is_left = np.zeros(n_rows)
        is_left[self.order[self.feature[split], : self.n_left[split]]] = 1
        return is_left


def _stumps(
    encoded: _core.EncodedMatrix,
    response: F64,
    min_samples_leaf: int,
    n_draws: int,
    rng: Any,
    n_jobs: int,
) -> _core.Forest:
    """The first split of each draw of Exp(1) weights."""
    forest, _ = _core.grow_forest(
        encoded,
        response[:, None],
        None,
        criterion="squared_error",
        scheme="exponential",
        seed=int(np.random.default_rng(rng).integers(2**63)),
        n_trees=n_draws,
        max_features=encoded.n_features,
        min_samples_leaf=min_samples_leaf,
        max_depth=1,
        n_jobs=n_jobs,
    )
    return forest


def _n_matching(stumps: _core.Forest, rows: F64, cuts: _Cuts, same: NDArray[np.bool_]) -> int:
    """How many stumps part the rows as the sample's best split does."""
    arrays = stumps.to_arrays()
    root = np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"]
    feature, threshold = arrays["feature"][root], arrays["threshold"][root]
    matched = set(zip(cuts.feature[same], cuts.n_left[same], strict=True))
    columns = [rows[by_x, j] for j, by_x in enumerate(cuts.order)]
    return sum(
        (j, np.searchsorted(columns[j], t, side="right")) in matched
        for j, t in zip(feature, threshold, strict=True)
    )


def _numeric_rows(X: Any) -> tuple[F64, Schema]:
    rows, schema = fit_table(X, estimator_name="split_match_bound")
    for column in schema.columns:
        if len(column.levels) > 2:
            raise BayeswoodError(
                f"split_match_bound takes numeric and binary features, and column {column.name!r} "
                f"has {len(column.levels)} levels."
            )
    missing = np.isnan(rows).any(axis=0)
    if missing.any():
        name = schema.names[int(np.argmax(missing))]
        raise BayeswoodError(f"split_match_bound takes no missing values: column {name!r} has.")
    return np.asarray(rows, dtype=np.float64), schema


def _single_response(y: Any, n_rows: int) -> F64:
    target, is_single = fit_numeric_target(y, estimator_name="split_match_bound")
    if not is_single:
        raise BayeswoodError(f"y must be one-dimensional. Got shape {np.shape(y)} instead.")
    if len(target) != n_rows:
        raise BayeswoodError(f"X has {n_rows} rows and y has {len(target)}.")
    return np.asarray(target[:, 0])


def _check_cuts(cuts: _Cuts, response: F64) -> None:
    if len(cuts.feature) == 0:
        raise BayeswoodError(
            "There is no split to speak of: no feature of X can be cut within min_samples_leaf."
        )
    if np.ptp(response) == 0:
        raise BayeswoodError("There is no split to speak of: all values of y are equal.")
