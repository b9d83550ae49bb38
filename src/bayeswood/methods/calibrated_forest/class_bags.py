"""How far another sample would move the class probabilities of a calibrated forest.

Model. Trees come in bags of k: those of a bag weight the rows alike, so that they leave the same
rows out, and differ by the features and cuts that they draw. With p̄_g the average of bag g, q_g its
calibration and q̄ the average of these, the members of a posterior around the answer p are

    p + κ (q_g − q̄),      κ² = 1.5 (1 − W / V),

V the variance between bags and W that of a bag's average by the chance of its trees (within each
kind of trees), both summed over training rows that bags left out: one-way analysis of variance.
What more trees would remove is gone then, and what is left comes from the rows that a bag had. For
a mean of n rows with a share q of them in a bag, the variance over new samples is q / (1 − q) of
that (2.4 at c = 0.35: the delete-d jackknife, Shao and Wu 1989). But trees that are grown to single
rows vary by more than first-order terms: on generated data the factor is 1 in the mean. With 1.5,
intervals come nearer to covering the true probability as often as asked, although forests are
biased; see docs/uncertainty.md.

All bags share one calibration, whose offset b is known up to the variance v_c = 1 / Σ_i p_ic
(1 − p_ic) of a logit's intercept: it adds (p_c (1 − p_c))² v_c to the variance of p_c.

References: J. Shao, C. Wu. A general theory for jackknife variance estimation. Annals of Statistics
17, 1989. S. Athey, J. Tibshirani, S. Wager. Generalized random forests (bags of little bags).
Annals of Statistics 47, 2019.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest import Forest
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.class_sums import ClassSums
from bayeswood.uncertainty import ClassCalibration, Uncertainty, spread_sample

F64 = NDArray[np.float64]

# Bags wanted, and the largest of them.
_BAGS = 30
_LARGEST_BAG = 10
# Rows, and rows times classes, that κ is measured on.
_MOST_ROWS = 500
_MOST_ENTRIES = 20_000
# What of the variance between bags is ignorance at least, where all of it seems chance.
_LEAST_SHARE = 0.1
# κ² per unit of the share that is not chance.
_PER_SHARE = 1.5


def trees_per_bag(n_trees: int) -> int:
    """Trees that share their rows: even, so that both kinds of trees are in every bag.

    Examples
    --------
    >>> [trees_per_bag(n) for n in (1, 10, 100, 300, 1000)]
    [1, 2, 4, 10, 10]
    """
    if n_trees < 4:
        return 1
    return min(_LARGEST_BAG, max(2, 2 * round(n_trees / (2 * _BAGS))))


@dataclass(frozen=True, eq=False)
class BagSpread:
    """How much of what bags differ by is ignorance.

    Attributes
    ----------
    size : int
        k.
    factor : float
        κ.
    offset_variance : ndarray, (n_classes,)
        v.
    """

    size: int
    factor: float
    offset_variance: F64

    @classmethod
    def of_trees(cls, n_classes: int) -> "BagSpread":
        """Where nothing is known of bags: each tree by itself."""
        return cls(1, 1.0, np.zeros(n_classes))

    def weights(self, forest: Forest) -> F64:
        """Of the bags, (n_bags,)."""
        return np.add.reduceat(forest.weights, np.arange(0, forest.n_trees, self.size))

    def members(self, forest: Forest) -> NDArray[np.intp]:
        """The bag of each tree."""
        return np.arange(forest.n_trees) // self.size

    def around(self, forest: Forest, means: F64, calibration: ClassCalibration) -> tuple[F64, F64]:
        """Answers p, (n_rows, n_classes), and κ (q_g − q̄), (n_bags, n_rows, n_classes).

        `means`: as of `bag_means`. Deviations are scaled so that variances are unbiased.
        """
        weights = self.weights(forest)
        answer = calibration.apply(np.einsum("g,gnc->nc", weights, means))
        found = calibration.apply(means)
        found -= np.einsum("g,gnc->nc", weights, found)
        free = 1.0 - float(np.sum(weights**2))
        found *= self.factor / np.sqrt(free) if free > 0 else 0.0
        return answer, found

    def draws(self, answer: F64, deviations: F64) -> F64:
        """Members around the answer, within [0, 1] and of sum 1."""
        found = np.clip(answer + deviations, 0.0, 1.0)
        found /= found.sum(axis=2, keepdims=True)
        return found

    def variance(self, forest: Forest, answer: F64, deviations: F64) -> F64:
        """Of each class probability, (n_rows, n_classes)."""
        between: F64 = np.einsum("g,gnc,gnc->nc", self.weights(forest), deviations, deviations)
        return between + (answer * (1.0 - answer)) ** 2 * self.offset_variance

    def split_entropy(self, forest: Forest, answer: F64, deviations: F64) -> Uncertainty:
        """H(p), and what of it would be left if more were known.

        knowledge = H(p) − Σ_g w_g H(p_g) + Σ_c p_c (1 − p_c)² v_c / 2, p_g the bags' members. The
        last term is the divergence that the offset's variance brings, to the second order.
        """
        from scipy.special import entr

        total = np.maximum(entr(answer).sum(axis=1), 0.0)
        of_members = entr(self.draws(answer, deviations)).sum(axis=2)
        between = np.maximum(total - self.weights(forest) @ of_members, 0.0)
        of_offset = 0.5 * np.sum(answer * (1.0 - answer) ** 2 * self.offset_variance, axis=1)
        knowledge = np.minimum(between + of_offset, total)
        return Uncertainty(total, total - knowledge, knowledge)


def bag_means(
    forest: Forest, additive: ClassSums | None, rows: NDArray[Any], size: int, n_jobs: int
) -> F64:
    """Averages of the bags, (n_bags, n_rows, n_classes), each pooled with its sum of trees."""
    means = forest.core.predict_bags(rows, forest.weights, size, n_jobs)
    return means if additive is None else additive.pool_bags(means, rows, n_jobs)


def measure_spread(
    data: TrainingData,
    grown: GrownForest,
    kind: NDArray[np.int32],
    calibration: ClassCalibration,
    n_jobs: int,
    additive: ClassSums | None = None,
) -> BagSpread:
    """κ and v, from training rows that bags left out.

    Parameters
    ----------
    data : TrainingData
        All of it.
    grown : GrownForest
        Whose forest has the leaves and weights that it predicts with.
    kind : ndarray of int32, (n_trees,)
        Kind of each tree.
    calibration : ClassCalibration
        Of that forest, pooled with sums.
    n_jobs : int
        Threads.
    additive : ClassSums or None
        Sums in the pool.
    """
    assert grown.row_weights is not None
    size = grown.row_weights.trees_per_draw
    n_rows, n_classes = data.n_rows, grown.forest.n_outputs
    most = min(_MOST_ROWS, max(1, _MOST_ENTRIES // n_classes))
    sample = np.flatnonzero(spread_sample(n_rows, n_classes, most))
    chosen = data.take(sample)
    out = _left_out(grown, sample, n_rows)
    if size < 2:
        means = bag_means(grown.forest, additive, chosen.X, size, n_jobs)
        return BagSpread(size, 1.0, _offset_variance(data, chosen, out, means, calibration))
    means, within = _core.bag_spread(
        grown.forest.core,
        chosen.X,
        sample.astype(np.int32),
        n_rows,
        grown.forest.weights,
        kind,
        n_jobs=n_jobs,
        **grown.row_weights.arguments(),
    )
    seen = out.sum(axis=0)[:, 0] > 0
    if not seen.all():
        rows = chosen.X[~seen]
        means[:, ~seen] = bag_means(grown.forest, None, rows, size, n_jobs)[: len(out)]
    own = len(out)  # bags whose left-out rows all of their member has not seen
    if additive is not None:
        own = additive.n_sums
        means = additive.pool_bags(means, chosen.X, n_jobs)
        within *= (1.0 - additive.share) ** 2  # what chance in the trees does to the pool
    variance = _offset_variance(data, chosen, out, means, calibration)
    return BagSpread(size, _factor(out[:own], means[:own], within[:own]), variance)


def _left_out(grown: GrownForest, rows: NDArray[np.intp], n_rows: int) -> F64:
    """1 where a whole bag left a row out, (n_bags, n_sampled, 1)."""
    law, n_trees = grown.row_weights, grown.forest.n_trees
    assert law is not None
    whole = n_trees - n_trees % law.trees_per_draw
    return law.left_out(whole, n_rows, rows).astype(np.float64)[:, :, None]


def _factor(out: F64, means: F64, within: F64) -> float:
    """κ, from what bags say of sampled rows, and what of it is chance."""
    count = out.sum(axis=0)
    used = count[:, 0] >= 2
    average = (means * out).sum(axis=0) / np.maximum(count, 1.0)
    between = ((means - average) ** 2 * out).sum(axis=0) / np.maximum(count - 1.0, 1.0)
    by_chance = (within * out).sum(axis=0) / np.maximum(count, 1.0)
    if not between[used].sum() > 0:
        return 1.0
    left = 1.0 - by_chance[used].sum() / between[used].sum()
    return float(np.sqrt(_PER_SHARE * max(_LEAST_SHARE, left)))


def _offset_variance(
    data: TrainingData, chosen: TrainingData, out: F64, means: F64, calibration: ClassCalibration
) -> F64:
    """V: the rows count by their weights, and groups as one row each."""
    average = (means * out).sum(axis=0) / np.maximum(out.sum(axis=0), 1.0)
    answer = calibration.apply(np.where(out.sum(axis=0) > 0, average, means.mean(axis=0)))
    weights = np.ones(len(answer)) if chosen.sample_weight is None else chosen.sample_weight
    if not weights.sum() > 0:
        weights = np.ones(len(answer))
    information = np.average(answer * (1.0 - answer), axis=0, weights=weights) * _count(data)
    return np.divide(1.0, information, out=np.zeros_like(information), where=information > 0)


def _count(data: TrainingData) -> float:
    weights = data.sample_weight
    n = float(data.n_rows) if weights is None else weights.sum() ** 2 / np.sum(weights**2)
    return n if data.row_groups is None else min(n, float(data.row_groups.max() + 1))
