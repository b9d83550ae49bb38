"""Boosted sums of small trees in the pool of a calibrated forest for classes.

Model. Trees that are averaged are poor at what adds up: many effects, of which each tree sees few.
So some of the bags g of trees hold one further member, a sum of small trees for the log odds on the
same rows (Friedman 2001),

    P_g(x) = softmax(Σ_{s <= m} v h_gs(x)),

and the average that is calibrated becomes

    p̄(x) = (1 − ρ) p̄_trees(x) + ρ (1/G) Σ_g P_g(x).

The tree of a stage is grown on gradients and holds a damped step of Newton for every class, see
core/include/bayeswood/grow/boost_classes.hpp. A bag's sum has seen the rows that its trees have
seen, so that what it says of the others is as honest, and the calibration is fitted to the pool.

With ℓ(ρ) the greatest penalised log likelihood of the out-of-bag rows that one γ and b reach (see
`bayeswood.uncertainty.calibration`), ρ is the mean of 0, 0.1, 0.3, …, 0.9 with weights
e^(ℓ(ρ) − 8 ρ): a few hundred rows cannot tell, and trees do better there; thousands outvote the
prior. ℓ is that of as many trees as predict: averages over the few that left a row out are noisy,
and mixing them with anything steadies them. It lies on the line in 1/B through what all B of
these, and either half of them, give. The number of stages m is where ℓ(ρ) − 8 ρ, out of bag, is
greatest for ρ of 0.3 or 0.7.

References: J. Friedman. Greedy function approximation. Annals of Statistics 29, 2001. D. Wolpert.
Stacked generalization. Neural Networks 5, 1992.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.parts import forest_arrays, forest_from
from bayeswood.methods.base.predictive import Arrays
from bayeswood.methods.base.saved_state import read_scalar
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.choose_members import PooledTrees
from bayeswood.uncertainty import Votes, posterior_mean, row_blocks, spread_sample

F64 = NDArray[np.float64]

# How stages are grown.
_LEARNING_RATE = 0.2
_DEPTH = 4
_LEAST_ROWS = 5
_DAMPING = 1.0
_FEATURES = 0.5
# Stages are grown in lots, until two of them bring less than this in log likelihood, or so little
# that as much for a few times more would not make the pool better than the trees.
_LOT = 10
_MOST_STAGES = 150
_LEAST_GAIN = 0.5
_TIMES_MORE = 3
# Shares that are tried: while stages are chosen, and then; log prior per unit of the share.
_STAGE_SHARES = (0.3, 0.7)
_SHARES = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9])
_PRIOR = 8.0
# A smaller share is none: what it changes is not worth the time of a prediction.
_LEAST_SHARE = 0.1
# Unasked: rows at least, sums at most, classes, and rows times outputs of all sums (8 bytes each).
# Below a few hundred rows trees were better or the share not to be known, of ten classes and more
# sums had next to none; 10 sums have most of what 30 bring, at a third of the time.
_LEAST_TABLE = 400
_MOST_SUMS = 10
_MOST_CLASSES = 9
_MOST_ENTRIES = 10**8
# Rows, and rows times classes, by which stages and share are chosen.
_MOST_ROWS_CHOOSING = 4_000
_MOST_ENTRIES_CHOOSING = 20_000


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Sums of trees for the log odds, and what they weigh in the pool.

    Attributes
    ----------
    sums : Forest
        Member g goes with bag g of the trees. One output for two classes, the log odds of the
        second; else one for each class.
    share : float
        ρ.
    """

    sums: Forest
    share: float

    @property
    def n_sums(self) -> int:
        """How many."""
        return self.sums.n_members

    def members(self, rows: NDArray[Any], n_jobs: int) -> F64:
        """P_g, (n_sums, n_rows, n_classes)."""
        return self.linked(self.sums.draws(rows, n_jobs))

    def linked(self, scores: F64) -> F64:
        """Class probabilities of log odds, (..., n_classes); of two classes the second's."""
        if scores.shape[-1] == 1:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=-1)
        scores = scores - scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        found: F64 = scores
        return found

    def steps(self) -> tuple[dict[str, Any], ...]:
        """`linked`, in elementary steps."""
        first = ({"op": "prepend-zero"},) if self.sums.n_outputs == 1 else ()
        return (*first, {"op": "softmax"})

    def pool(self, average: F64, rows: NDArray[Any], n_jobs: int) -> F64:
        """The trees' average, (n_rows, n_classes), and that of the sums, by their shares."""
        found = np.empty_like(average)
        for block in row_blocks(len(rows), self.n_sums, average.shape[1]):
            own = self.members(rows[block], n_jobs).mean(axis=0)
            found[block] = (1.0 - self.share) * average[block] + self.share * own
        return found

    def pool_bags(self, means: F64, rows: NDArray[Any], n_jobs: int) -> F64:
        """The same for each bag, (n_bags, n_rows, n_classes).

        Bags without a sum take those of the others in turn, so that members differ as sums do.
        """
        own = self.members(rows, n_jobs)
        found: F64 = (1.0 - self.share) * means
        for bag, pooled in enumerate(found):
            pooled += self.share * own[bag % len(own)]
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Trees and share."""
        return {**forest_arrays("additive", self.sums), "additive_weight_": np.array(self.share)}

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest, bag_size: int) -> "ClassSums | None":
        """Checked; None where there are none."""
        n_classes = forest.n_outputs
        shape = {"n_outputs": 1 if n_classes == 2 else n_classes, "is_classifier": False}
        sums = forest_from("additive", arrays, forest, **shape)
        if sums is None:
            return None
        share = float(read_scalar(arrays, "additive_weight_", float))
        if not 0.0 < share <= 1.0 or not 1 <= sums.n_members <= forest.n_trees // bag_size:
            raise BayeswoodError("The model file holds additive members of no bag, or no share.")
        return cls(sums, share)


def number_of_sums(asked: int | str, n_rows: int, n_bags: int, n_classes: int) -> int:
    """How many bags get a sum; "auto" spares tables that are too small or would take too much."""
    if not isinstance(asked, str):
        return min(int(asked), n_bags)
    n_sums = min(_MOST_SUMS, n_bags)
    too_large = n_rows * n_classes * n_sums > _MOST_ENTRIES
    spared = n_rows < _LEAST_TABLE or n_classes > _MOST_CLASSES or too_large
    return 0 if spared else n_sums


def pool_sums(
    data: TrainingData,
    pooled: PooledTrees,
    asked: int | str,
    n_jobs: int,
    monotone: tuple[int, ...] = (),
) -> tuple[PooledTrees, ClassSums | None]:
    """Grow sums on the rows of the bags, choose stages and share, and pool the out-of-bag votes.

    Parameters
    ----------
    data : TrainingData
        All of it.
    pooled : PooledTrees
        Shrunk and weighted.
    asked : int or "auto"
        Sums.
    n_jobs : int
        Threads.
    monotone : tuple of int
        Per column 1, 0 or -1, as the second of two classes must keep it; empty for none.

    Returns
    -------
    pooled : PooledTrees
        With the votes of the pool; as they were where sums have no share.
    sums : ClassSums or None
        None where they have none.
    """
    law, n_classes = pooled.grown.row_weights, pooled.votes.n_classes
    if law is None or law.threshold <= 0 or n_classes < 2 or not pooled.votes.seen.any():
        return pooled, None
    n_bags = pooled.grown.forest.n_trees // law.trees_per_draw
    n_sums = number_of_sums(asked, len(data.X), n_bags, n_classes)
    if n_sums < 1:
        return pooled, None
    grown = _grow_sums(data, pooled, n_sums, n_jobs, monotone)
    share = grown.choice.share(grown.averages)
    if share < _LEAST_SHARE:
        return pooled, None
    sums = Forest(grown.trees, trees_per_member=grown.n_stages)
    return replace(pooled, votes=_pooled_votes(pooled.votes, grown.averages, share)), ClassSums(
        sums, share
    )


@dataclass(frozen=True, eq=False)
class _Averages:
    """Mean probabilities over all members that left a row out, and over either half of them."""

    mean: F64
    halves: tuple[F64, F64]

    def at(self, rows: NDArray[Any]) -> "_Averages":
        """Those of some rows."""
        return _Averages(self.mean[rows], (self.halves[0][rows], self.halves[1][rows]))

    def mixed(self, other: "_Averages", share: float) -> "_Averages":
        """With so much of another."""
        pairs = zip((self.mean, *self.halves), (other.mean, *other.halves), strict=True)
        mean, first, second = ((1.0 - share) * own + share * new for own, new in pairs)
        return _Averages(mean, (first, second))


@dataclass(frozen=True, eq=False)
class _Choice:
    """Training rows by which stages and share are chosen, and what trees say of them."""

    rows: NDArray[np.intp]
    trees: _Averages
    label: NDArray[np.int32]
    weights: F64
    votes: Votes

    def tree_loss(self) -> float:
        """−ℓ(0)."""
        return self._loss(self.trees.mean, self.votes.n_trees)

    def stage_loss(self, sums: _Averages) -> float:
        """The least −ℓ(ρ) + 8 ρ of the shares that stages are chosen by."""
        mixed = [(self._pool(sums, share).mean, share) for share in _STAGE_SHARES]
        return min(self._loss(mean, self.votes.n_trees) + _PRIOR * share for mean, share in mixed)

    def share(self, sums: _Averages) -> float:
        """The posterior mean of ρ; 0 without rows to choose by."""
        if not len(self.rows):
            return 0.0
        losses = [self._loss_predicting(self._pool(sums, share)) for share in _SHARES]
        return posterior_mean(np.array(losses) + _PRIOR * _SHARES, _SHARES)

    def _pool(self, sums: _Averages, share: float) -> _Averages:
        return self.trees.mixed(sums.at(self.rows), share)

    def _loss_predicting(self, pool: _Averages) -> float:
        """−ℓ with the trees of a prediction: of B and of B/2 trees, on the line in 1/B."""
        n_trees = self.votes.n_trees
        found = self._loss(pool.mean, n_trees)
        of_half = sum(self._loss(half, n_trees / 2.0) for half in pool.halves) / 2.0
        return found - (1.0 - n_trees / self.votes.n_trees_predicting) * (of_half - found)

    def _loss(self, mean: F64, n_trees: float) -> float:
        votes = Votes.from_means(mean, np.full(1, n_trees))
        return votes.native().loss(self.label, self.weights)


@dataclass(frozen=True, eq=False)
class _GrownSums:
    """Sums of the chosen number of stages, and what they say of the rows they left out.

    `averages` are NaN where a row was left out by none.
    """

    trees: _core.Forest
    n_stages: int
    averages: _Averages
    choice: _Choice


def _grow_sums(
    data: TrainingData, pooled: PooledTrees, n_sums: int, n_jobs: int, monotone: tuple[int, ...]
) -> _GrownSums:
    """Lot after lot, as long as the pool gains by it."""
    bags = _start(data, pooled, n_sums, n_jobs, monotone)
    bags.grow(_LOT, n_jobs)
    n_stages, at = _LOT, _out_of_bag(bags)
    choice = _choice(data, pooled.votes, at)
    best, least, gain = (n_stages, at), choice.stage_loss(at), np.inf
    worth = choice.tree_loss()
    while n_stages < _MOST_STAGES and gain > _LEAST_GAIN and least - _TIMES_MORE * gain < worth:
        before = least
        for _ in range(2):
            bags.grow(_LOT, n_jobs)
            n_stages, at = n_stages + _LOT, _out_of_bag(bags)
            loss = choice.stage_loss(at)
            if loss < least:
                best, least = (n_stages, at), loss
        gain = before - least
    return _GrownSums(bags.forest(best[0]), *best, choice)


def _start(
    data: TrainingData, pooled: PooledTrees, n_sums: int, n_jobs: int, monotone: tuple[int, ...]
) -> _core.BoostedClasses:
    law = pooled.grown.row_weights
    assert law is not None
    encoded = _core.EncodedMatrix(data.X, data.schema.n_levels, n_jobs)
    return _core.BoostedClasses(
        encoded,
        data.target.y.astype(np.int32),
        pooled.votes.n_classes,
        data.sample_weight,
        n_bags=n_sums,
        learning_rate=_LEARNING_RATE,
        damping=_DAMPING,
        max_features=max(1, round(_FEATURES * data.X.shape[1])),
        max_depth=_DEPTH,
        min_samples_leaf=_LEAST_ROWS,
        n_jobs=n_jobs,
        monotonic_cst=monotone,
        **replace(law, scheme="subsample").arguments(),
    )


def _out_of_bag(bags: _core.BoostedClasses) -> _Averages:
    """Over the sums that left a row out; a half without any has the mean of all."""
    sums, counts = bags.out_of_bag()
    with np.errstate(invalid="ignore"):
        mean = sums.sum(axis=0) / counts.sum(axis=0)[:, None]
        halves = [sums[h] / counts[h][:, None] for h in (0, 1)]
    first, second = (np.where(np.isnan(half), mean, half) for half in halves)
    return _Averages(mean, (first, second))


def _choice(data: TrainingData, votes: Votes, sums: _Averages) -> _Choice:
    n_classes = votes.n_classes
    usable = np.flatnonzero(votes.seen & ~np.isnan(sums.mean[:, 0]))
    most = min(_MOST_ROWS_CHOOSING, max(1, _MOST_ENTRIES_CHOOSING // n_classes))
    rows = usable[spread_sample(len(usable), n_classes, most)]
    weights = np.ones(len(rows)) if data.sample_weight is None else data.sample_weight[rows]
    label = data.target.y[rows].astype(np.int32)
    return _Choice(rows, _spread_out(votes).at(rows), label, weights, votes)


def _spread_out(votes: Votes) -> _Averages:
    """Votes as (n_rows, n_classes), 0 where there are none."""
    assert votes.halves is not None
    shape = len(votes.start) - 1, votes.n_classes
    row = np.repeat(np.arange(shape[0]), np.diff(votes.start))
    mean, first, second = np.zeros((3, *shape))
    for found, entries in zip((mean, first, second), (votes.mean, *votes.halves), strict=True):
        found[row, votes.label] = entries
    return _Averages(mean, (first, second))


def _pooled_votes(votes: Votes, sums: _Averages, share: float) -> Votes:
    """Of the rows that trees left out; where no sum did, trees speak alone."""
    trees = _spread_out(votes)
    pool, alone = trees.mixed(sums, share), np.isnan(sums.mean[:, 0])[:, None]
    pairs = zip((trees.mean, *trees.halves), (pool.mean, *pool.halves), strict=True)
    mean, first, second = (
        np.where(votes.seen[:, None], np.where(alone, own, both), 0.0) for own, both in pairs
    )
    made = Votes.from_means(mean, np.full(1, votes.n_trees), (first, second))
    return replace(made, n_trees_predicting=votes.n_trees_predicting)
