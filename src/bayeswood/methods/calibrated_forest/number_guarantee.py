"""Prediction intervals with a promise that holds for any distribution and any number of rows.

Model. A bag has not seen the rows it left out, so that these and a new row are strangers to it
alike. With f and a the mean and the spread that the bags of a small set A say, both from the rows
in these bags alone, the rows that all of A left out have scores s_i = |y_i − f(x_i)| / a(x_i), and

    f(x) ± a(x) s_(k),    k = ⌈(1 − α)(K + 1)⌉ of K rows,

holds a new response with probability at least 1 − α: split conformal prediction, see
`bayeswood.uncertainty.conformal`. What is chosen by out-of-bag rows elsewhere in the forest (the
number of stages, the shares of kinds, sizes of residuals, their quantiles) has looked at the rows
that judge, and stays out: f is the sum of a fixed number of boosted trees, and

    a(x) = (n g(x) + 100 ḡ) / (n + 100),

g a sum of small boosted trees, fitted to the sizes |y − f_40| of the residuals that the first 40
stages leave of the n rows in a bag, and ḡ their mean. (All stages would leave too little.)
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.parts import SavedModel, forest_arrays, forest_from
from bayeswood.methods.base.saved_state import LARGEST_FACTOR, read_array
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.bags import BagPlan, Bags, BoostKind, interleaved
from bayeswood.methods.calibrated_forest.guarantee_rows import (
    check_reach,
    read_integers,
    rows_that_count,
    units_left_out,
)
from bayeswood.modelfile.laws import LARGEST_MEAN
from bayeswood.uncertainty import conformal_quantile
from bayeswood.uncertainty.intervals import hold

F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Bags are added to A as long as so many units are expected to be left out by all of it.
_ENOUGH_UNITS = 500
# Boosted trees in a bag, of a small table and of others.
_FEW_STAGES, _STAGES = 120, 240
_SMALL_TABLE = 1000
# Stages whose residuals the spread is fitted to, its own stages, their depth and rows in a leaf.
_EARLY_STAGES, _SPREAD_STAGES, _SPREAD_DEPTH, _SPREAD_LEAF = 40, 40, 3, 10
_SPREAD_RATE = 0.1
# Rows that the mean size of residuals counts as, beside those in the bag.
_MEAN_ROWS = 100
# Least spread, as a share of the standard deviation of the responses in the bags.
_LEAST_SPREAD = 1e-9
_MEAN_TREES, _SPREAD_TREES = "promise_mean", "promise_spread"


@dataclass(frozen=True, eq=False)
class NumberGuarantee:
    """What intervals with a promise need, as a part of the estimator.

    Attributes
    ----------
    mean : Forest
        One member per bag of A: f.
    spread : Forest
        The same for g.
    mean_size : ndarray, (n_outputs,)
        ḡ.
    local : float
        n / (n + 100).
    least : ndarray, (n_outputs,)
        What a does not fall below; positive.
    scores : ndarray, (n_rows, n_outputs)
        s of the rows that all bags of A left out.
    groups : ndarray of int32, (n_rows,)
        Their groups; a number of its own for each row where there are none.
    met : ndarray of uint8, (n_levels in all,)
        Whether rows in the bags have a level, category after category.
    """

    mean: Forest
    spread: Forest
    mean_size: F64
    local: float
    least: F64
    scores: F64
    groups: NDArray[np.int32]
    met: NDArray[np.uint8]

    def interval(
        self, rows: NDArray[Any], held: F64, coverage: float, caller: str, n_jobs: int
    ) -> F64:
        """(n_rows, n_outputs, 2), wide enough for what is to be held, (n_rows, n_outputs).

        An error where there are too few rows for the coverage.
        """
        check_reach(self.groups, coverage, caller)
        mean, spread = self._predict(rows, n_jobs)
        reach = [conformal_quantile(one, self.groups, coverage) for one in self.scores.T]
        half = spread * np.array(reach)
        return hold(np.stack([mean - half, mean + half], axis=-1), held)

    def _predict(self, rows: NDArray[Any], n_jobs: int) -> tuple[F64, F64]:
        known = without_strange_levels(rows, self.mean.core.n_levels, self.met)
        sizes = np.maximum(self.spread.predict(known, n_jobs), 0.0)
        spread = self.local * sizes + (1.0 - self.local) * self.mean_size
        return self.mean.predict(known, n_jobs), np.maximum(spread, self.least)

    def judged_by(
        self, rows: NDArray[Any], y: F64, groups: NDArray[np.int32], n_jobs: int
    ) -> "NumberGuarantee":
        """The same with the scores of rows that no bag of A has seen."""
        mean, spread = self._predict(rows, n_jobs)
        return replace(self, scores=np.abs(y - mean) / spread, groups=groups)

    def attributes(self) -> Mapping[str, Any]:
        """None: it is asked through `predict_interval`."""
        return {}

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Trees and scores."""
        arrays |= forest_arrays(_MEAN_TREES, self.mean)
        arrays |= forest_arrays(_SPREAD_TREES, self.spread)
        arrays["promise_size"] = self.mean_size
        arrays["promise_local"] = np.array([self.local])
        arrays["promise_least"] = self.least
        arrays["promise_scores"] = self.scores
        arrays["promise_groups"] = self.groups
        arrays["promise_met"] = self.met

    @classmethod
    def read(cls, saved: SavedModel) -> "NumberGuarantee | None":
        """Checked; None in files from before there was a promise."""
        mean = forest_from(_MEAN_TREES, saved.arrays, saved.forest)
        spread = forest_from(_SPREAD_TREES, saved.arrays, saved.forest)
        if mean is None or spread is None:
            return None
        n = saved.forest.n_outputs
        size = read_array(saved.arrays, "promise_size", (n,), LARGEST_MEAN)
        local = float(read_array(saved.arrays, "promise_local", (1,))[0])
        least = read_array(saved.arrays, "promise_least", (n,), LARGEST_MEAN)
        scores = read_array(saved.arrays, "promise_scores", (-1, n), LARGEST_FACTOR)
        groups = read_integers(saved.arrays, "promise_groups", len(scores), max(1, len(scores)))
        n_levels = int(saved.forest.core.n_levels.sum())
        met = read_integers(saved.arrays, "promise_met", n_levels, 2).astype(np.uint8)
        lawful = (scores >= 0).all() and (size >= 0).all() and (least > 0).all()
        if not lawful or not len(scores) or not 0.0 <= local <= 1.0:
            raise BayeswoodError("The model file holds a promise that is not one.")
        return cls(mean, spread, size, local, least, scores, groups, met)


def without_strange_levels(
    rows: NDArray[Any], n_levels: NDArray[np.int32], met: NDArray[np.uint8]
) -> NDArray[Any]:
    """Rows in which a level that no bag has met is missing, as it would be in a new row."""
    if met.all():
        return rows
    found, first = rows.copy(), 0
    for column, levels in enumerate(n_levels):
        own = met[first : first + levels].astype(np.bool_)
        if levels and not own.all():
            values = found[:, column]
            there = ~np.isnan(values)
            there[there] = ~own[values[there].astype(np.intp)]
            values[there] = np.nan
        first += int(levels)
    return found


def make_guarantee(
    plan: BagPlan, data: TrainingData, encoded: _core.EncodedMatrix, bags: Bags
) -> NumberGuarantee | None:
    """Choose A, complete its trees, and score the rows it left out; None if there are none.

    Parameters
    ----------
    plan : BagPlan
        Of the bags.
    data : TrainingData
        The rows that take part.
    encoded : EncodedMatrix
        The same rows, encoded.
    bags : Bags
        As grown.
    """
    left_out = plan.law.left_out(plan.n_bags, data.n_rows)
    groups = data.row_groups
    if groups is None:
        groups = np.arange(data.n_rows, dtype=np.int32)
    chosen = choose_bags(units_left_out(left_out, groups), 1.0 - exp(-plan.law.threshold))
    strange: Bools = np.logical_and.reduce(left_out[chosen], axis=0)
    counted = rows_that_count(groups, strange, plan.law.seed)
    if not len(counted):
        return None
    inside = data.take(~strange)
    mean = _mean_forest(plan, data, bags, chosen)
    spread, mean_size = _spread_forest(plan, data, encoded, bags, chosen, left_out)
    n_inside = float(np.mean((~left_out[chosen]).sum(axis=1)))
    deviation = inside.target.y.std(axis=0)
    found = NumberGuarantee(
        mean,
        spread,
        mean_size,
        n_inside / (n_inside + _MEAN_ROWS),
        np.where(deviation > 0, _LEAST_SPREAD * deviation, 1.0),
        np.empty((0, data.target.y.shape[1])),
        np.empty(0, dtype=np.int32),
        _levels_met(inside),
    )
    numbers = np.unique(groups[counted], return_inverse=True)[1].astype(np.int32)
    return found.judged_by(data.X[counted], data.target.y[counted], numbers, plan.n_jobs)


def choose_bags(left_out: Bools, share: float) -> list[int]:
    """The bags of A: as many as leave enough units out together, those that leave out most.

    Parameters
    ----------
    left_out : ndarray of bool, (n_bags, n_units)
        Which bag left which unit out. Their responses play no part.
    share : float
        Probability with which a bag leaves a unit out.

    Examples
    --------
    >>> choose_bags(np.array([[True, False, False], [True, True, False]]), 0.5)
    [1]
    """
    n_bags, n_units = left_out.shape
    together = np.ones(n_units, dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < n_bags:
        if chosen and n_units * share ** (len(chosen) + 1) < _ENOUGH_UNITS:
            break
        counts = (left_out & together).sum(axis=1)
        counts[chosen] = -1
        chosen.append(int(np.argmax(counts)))
        together &= left_out[chosen[-1]]
    return chosen


def _trees_of(bags: list[int], per_bag: int) -> NDArray[np.int64]:
    """Numbers of the trees of these bags, of a forest with so many trees per bag."""
    return (np.array(bags, dtype=np.int64)[:, None] * per_bag + np.arange(per_bag)).ravel()


def _mean_forest(plan: BagPlan, data: TrainingData, bags: Bags, chosen: list[int]) -> Forest:
    """A fixed number of boosted trees in each bag; averaged trees where none are wanted."""
    if bags.boosted is None:
        parts = [
            kind.select(_trees_of(chosen, each.n_trees))
            for kind, each in zip(bags.kinds, plan.kinds, strict=True)
        ]
        sizes = [each.n_trees for each in plan.kinds]
        joined = interleaved(len(chosen), parts, sizes)
        return _averaged(joined, sum(sizes))
    wanted = _FEW_STAGES if data.n_rows <= _SMALL_TABLE else _STAGES
    n_stages = min(plan.boosts[0].n_stages, wanted)
    if bags.n_grown < n_stages:
        bags.boosted.grow(n_stages - bags.n_grown, chosen, plan.n_jobs)
    return Forest(bags.boosted.forest(n_stages, chosen), trees_per_member=n_stages)


def _averaged(trees: _core.Forest, per_bag: int) -> Forest:
    """Members that are the mean of their trees."""
    scaled = trees.scaled(np.full(trees.n_trees, 1.0 / per_bag))
    return Forest(scaled, trees_per_member=per_bag)


def _spread_forest(
    plan: BagPlan,
    data: TrainingData,
    encoded: _core.EncodedMatrix,
    bags: Bags,
    chosen: list[int],
    left_out: Bools,
) -> tuple[Forest, F64]:
    """Trees for the sizes of residuals in each bag, and the mean of these."""
    features, free = plan.kinds[-1].max_features, replace(plan, monotone=())
    kind = BoostKind(_SPREAD_STAGES, _SPREAD_DEPTH, _SPREAD_LEAF, features, _SPREAD_RATE)
    trees, means = [], []
    for bag in chosen:
        inside = ~left_out[bag]
        fitted = _early_forest(plan, bags, bag).predict(data.X, plan.n_jobs)
        # Rows that the bag left out have no say: their weight in it is 0.
        sizes = np.where(inside[:, None], np.abs(data.target.y - fitted), 0.0)
        boosted = _core.BoostedBags(
            encoded, sizes, data.sample_weight, n_bags=1, first_bag=bag, **free.boosting(kind)
        )
        boosted.grow(_SPREAD_STAGES, n_jobs=plan.n_jobs)
        trees.append(boosted.forest(_SPREAD_STAGES))
        weights = None if data.sample_weight is None else data.sample_weight[inside]
        means.append(np.average(sizes[inside], axis=0, weights=weights))
    forest = Forest(_core.Forest.join(trees), trees_per_member=_SPREAD_STAGES)
    return forest, np.mean(means, axis=0)


def _early_forest(plan: BagPlan, bags: Bags, bag: int) -> Forest:
    """The first stages of a bag; its averaged trees of larger leaves where there are none."""
    if bags.boosted is None:
        per_bag = plan.kinds[-1].n_trees
        return _averaged(bags.kinds[-1].select(_trees_of([bag], per_bag)), per_bag)
    n_early = min(bags.n_grown, _EARLY_STAGES)
    return Forest(bags.boosted.forest(n_early, [bag]), trees_per_member=n_early)


def _levels_met(data: TrainingData) -> NDArray[np.uint8]:
    """Which levels the rows have, category after category."""
    found = []
    for column, levels in enumerate(data.schema.n_levels):
        values = data.X[:, column] if levels else np.empty(0)
        own = np.zeros(levels, dtype=np.uint8)
        own[values[~np.isnan(values)].astype(np.intp)] = 1
        found.append(own)
    return np.concatenate(found) if found else np.empty(0, dtype=np.uint8)
