"""Tree variance and correlation, so that the lecture's formula can be held against a forest.

Model: T_b(x) is the prediction of tree b at a row x. Two things are random: the training set Z and
the tree's own draws given Z. All trees share Z, and that is why they are correlated:
σ² = Var T_b = v + c with v = E Var(T_b | Z) and c = Var E(T_b | Z) = Cov(T_b, T_b'), hence
ρ = c / σ², and the mean of B trees has variance σ²/B + (B - 1)/B ρσ² = c + v/B.
Reference: S. Tierney's lecture; for c from one forest S. Wager, T. Hastie and B. Efron,
"Confidence intervals for random forests: the jackknife and the infinitesimal jackknife", 2014.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.theory.ensemble import ensemble_variance

F64 = NDArray[np.float64]

_NAME = "estimate_tree_correlation"


@dataclass(frozen=True, repr=False)
class TreeCorrelation:
    """σ² and ρ of a forest's trees, averaged over the rows (and outputs) asked about.

    Attributes
    ----------
    variance : float
        σ², over training sets and the tree's own draws.
    correlation : float
        ρ of two trees of the same forest, in [0, 1].
    n_trees : int
    row_within : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        v of each row: variance of the trees given the training set.
    row_between : ndarray, same shape
        c of each row: variance of an endless forest over training sets. Unbiased, so a noisy entry
        can be negative; the averages above are not.
    measured_variance : float or None
        Variance of the forest's mean over the repeats; None when there was only one forest.
    """

    variance: float
    correlation: float
    n_trees: int
    row_within: F64
    row_between: F64
    measured_variance: float | None

    @property
    def ensemble_variance(self) -> float:
        """The lecture's formula at this forest's own size."""
        return float(ensemble_variance(self.variance, self.correlation, self.n_trees))

    def __repr__(self) -> str:
        lines = [
            f"TreeCorrelation of {self.n_trees:,} trees over {len(self.row_within):,} rows",
            f"  tree variance    {self.variance:.6g}",
            f"  correlation      {self.correlation:.4f}",
            f"  forest variance  {self.ensemble_variance:.6g}  (the formula)",
        ]
        if self.measured_variance is not None:
            lines.append(f"                   {self.measured_variance:.6g}  (measured)")
        return "\n".join(lines)


def estimate_tree_correlation(
    forest: Any,
    X: Any = None,
    *,
    weights: ArrayLike | None = None,
    scheme: str | None = None,
    n_training_rows: int | None = None,
) -> TreeCorrelation:
    """Estimate the variance σ² of a tree and the correlation ρ between two trees of a forest.

    Parameters
    ----------
    forest : fitted Bayesian or random forest, or array
        An array holds tree predictions: (n_repeats, n_trees, n_rows) or (n_repeats, n_trees,
        n_rows, n_outputs), where each repeat is a forest fitted on a training set of its own. With
        `weights`, the predictions of one forest, (n_trees, n_rows) or (n_trees, n_rows,
        n_outputs).
    X : array or data frame, optional
        The rows to predict; needed with a fitted forest. Rows it was not trained on are meant.
    weights : array of shape (n_trees, n_training_rows), optional
        The random weights of the training rows of one forest's trees, as drawn. A fitted forest
        knows its own.
    scheme : {"exponential", "bootstrap"}, optional
        How `weights` were drawn; needed with them.
    n_training_rows : int, optional
        Of a fitted forest; needed only if it was fitted with a `sample_weight`.

    Returns
    -------
    TreeCorrelation

    Notes
    -----
    Repeats: v is the mean variance within a forest, and c the variance of the forests' means
    less v/B (one-way analysis of variance; both unbiased). This is the measurement.

    One forest: v is the variance within it, and c the infinitesimal jackknife Σ_i Cov_b(s_bi,
    T_b)², less the part Σ_i Var_b(s_bi) v/B that B trees give by chance. s_bi is the score of row
    i, which makes the covariance the derivative of an endless forest with respect to how often row
    i is in the data: the count itself for the bootstrap, log θ for θ ~ Exp(1) = Gamma(1), since a
    row that is there k times weighs Gamma(k). This is an estimate from first order alone: in
    leaves of m rows it is low by the factor (m - 1)/m, and with fewer trees than training rows it
    is mostly noise, averaged here over the rows of `X`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> shared, own = rng.normal(size=(500, 1, 9)), rng.normal(size=(500, 4, 9))
    >>> found = estimate_tree_correlation(shared + own)
    >>> round(found.variance, 1), round(found.correlation, 1)
    (2.0, 0.5)
    """
    if hasattr(forest, "predict_draws"):
        if X is None:
            raise BayeswoodError(f"{_NAME} needs rows X to predict.")
        draws = np.asarray(forest.predict_draws(X), dtype=np.float64)
        drawn, scheme = _weights_of(forest, len(draws), n_training_rows)
        return _from_one_forest(draws, drawn, scheme)
    draws = np.asarray(forest, dtype=np.float64)
    if weights is not None:
        return _from_one_forest(draws, np.asarray(weights, dtype=np.float64), scheme)
    return _from_repeats(draws)


def _from_repeats(draws: F64) -> TreeCorrelation:
    if draws.ndim not in (3, 4) or min(draws.shape[:2]) < 2:
        raise BayeswoodError(
            f"The draws given to {_NAME} must be (n_repeats >= 2, n_trees >= 2, n_rows[, "
            f"n_outputs]). Got shape {draws.shape} instead."
        )
    n_trees = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    of_mean = draws.mean(axis=1).var(axis=0, ddof=1)
    return _summary(within, of_mean - within / n_trees, n_trees, float(of_mean.mean()))


def _from_one_forest(draws: F64, weights: F64, scheme: str | None) -> TreeCorrelation:
    is_paired = weights.ndim == 2 and len(weights) == len(draws) >= 2
    if draws.ndim not in (2, 3) or not is_paired:
        raise BayeswoodError(
            f"{_NAME} needs predictions (n_trees >= 2, n_rows[, n_outputs]) and weights (n_trees, "
            f"n_training_rows). Got shapes {draws.shape} and {weights.shape} instead."
        )
    n_trees = len(draws)
    within = draws.var(axis=0, ddof=1)
    centred = (draws - draws.mean(axis=0)).reshape(n_trees, -1)
    score = _row_scores(weights, scheme)
    covariance = (score - score.mean(axis=0)).T @ centred / n_trees
    raw = (covariance**2).sum(axis=0).reshape(within.shape)
    by_chance = score.var(axis=0).sum() * within / n_trees
    return _summary(within, raw - by_chance, n_trees, None)


def _row_scores(weights: F64, scheme: str | None) -> F64:
    """Derivative of the log density of a row's weight in how often the row is in the data."""
    if scheme == "bootstrap":
        return weights
    if scheme != "exponential":
        raise BayeswoodError(
            f"The 'scheme' parameter of {_NAME} must be 'exponential' or 'bootstrap'. "
            f"Got {scheme!r} instead."
        )
    if not (weights > 0).all():
        raise BayeswoodError("Weights of the exponential scheme must be > 0.")
    return np.asarray(np.log(weights))


def _summary(
    within: F64, between: F64, n_trees: int, measured_variance: float | None
) -> TreeCorrelation:
    shared = max(float(between.mean()), 0.0)
    variance = shared + float(within.mean())
    return TreeCorrelation(
        variance=variance,
        correlation=shared / variance if variance > 0 else 0.0,
        n_trees=n_trees,
        row_within=within,
        row_between=between,
        measured_variance=measured_variance,
    )


def _weights_of(forest: Any, n_trees: int, n_training_rows: int | None) -> tuple[F64, str]:
    """The random weights of a fitted forest's trees, drawn again, and their scheme."""
    scheme, seed = getattr(forest, "_scheme", None), getattr(forest, "seed_", None)
    if scheme not in ("exponential", "bootstrap") or seed is None:
        raise BayeswoodError(
            f"{type(forest).__name__} does not know the weights of its trees: give predictions and "
            "`weights`, or predictions of forests fitted on several training sets."
        )
    if getattr(forest, "weight_threshold", 0.0) > 0:
        raise BayeswoodError(
            f"{_NAME} needs weights that are all above 0, but {type(forest).__name__} was fitted "
            f"with weight_threshold={forest.weight_threshold!r}. Fit it with 0."
        )
    n_rows = _root_size(forest, scheme) if n_training_rows is None else n_training_rows
    drawn = [_core.draw_weights(scheme, seed, tree, n_rows) for tree in range(n_trees)]
    return np.stack(drawn), scheme


def _root_size(forest: Any, scheme: str) -> int:
    """Rows in the training set: all have a weight above 0, or their counts add up to it."""
    root = forest.forest_.trees[0]
    return int(root.n_samples[0]) if scheme == "exponential" else round(float(root.weight[0]))
