"""Bags of trees: boosted and averaged trees on the same part of the rows, added up to one member.

Model. Bag b = 1 .. G leaves each row out with probability 1 − e^−c and holds trees of several
kinds: sums of small trees, each grown on what the sum so far leaves (Friedman 2001), of one depth
or another, and averages of trees of random features (Breiman 2001) whose leaves are small or
larger. A member is

    f_b(x) = Σ_j w_j Σ_{s <= m_j} v_j h_bjs(x)  +  Σ_k w_k (1/T_k) Σ_t T_bkt(x),   w >= 0 of sum 1,

and the answer μ(x) = (1/G) Σ_b f_b(x). Each number of stages m is where the out-of-bag mean squared
error is least, and w the non-negative weights of sum 1 of least out-of-bag squares: so much of each
kind as the rows that bags left out speak for.

With two thirds of the rows in a bag (c = log 1.5) the variance between members estimates that of μ
over new training samples. For a mean of n rows it would be twice that, q / (1 − q) of it with a
share q of the rows (the delete-d jackknife, Shao and Wu 1989), but members vary by their own random
numbers and by more than their first-order terms, which an average over bags does not: on generated
data half of it was found, for all problems and sizes alike. See docs/uncertainty.md.

References: J. Friedman. Greedy function approximation. Annals of Statistics 29, 2001. L. Breiman.
Random forests. Machine Learning 45, 2001. L. Breiman. Stacked regressions. Machine Learning 24,
1996. J. Shao, C. Wu. A general theory for jackknife variance estimation. Annals of Statistics 17,
1989.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.forest import Forest, RowWeights
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.drawn_sums import draw_sums

F64 = NDArray[np.float64]
ShareDone = Callable[[float], None]

# Of the work, as a bar shows it.
_BOOSTING_SHARE = 0.8
# Numbers of stages at which the out-of-bag error is looked at, each so much larger than the one
# before.
_FIRST_STOP, _STOP_RATIO = 5, 1.25
# At these growing ends, unless the best number of stages lies near the end and the error has fallen
# by this share since the check before.
_CHECKS = (40, 80, 160, 300, 500)
_NEAR_THE_END = 0.6
_LEAST_GAIN = 0.005
# Least first guess of the noise of drawn sums, in standard deviations of the responses.
_LEAST_NOISE = 1e-3
# A further kind whose error is so much larger than that of the first at these checks gets no share
# worth growing it for.
_HOPELESS, _HOPELESS_AT = 1.1, 160
# What holds the weights to a sum of 1, beside squares of order 1.
_HOLD = 1e4
# The weights are multiples of one part in so many.
_SHARE_UNITS = 2**20


@dataclass(frozen=True)
class ForestKind:
    """Averaged trees in a bag.

    Attributes
    ----------
    n_trees : int
        In each bag.
    min_samples_leaf, max_features : int
        As of the grower.
    keep_rows : bool
        Whether leaves remember their rows.
    """

    n_trees: int
    min_samples_leaf: int
    max_features: int
    keep_rows: bool = False


@dataclass(frozen=True)
class BoostKind:
    """A sum of boosted trees in a bag.

    Attributes
    ----------
    n_stages : int
        Most trees; above 0.
    depth, min_samples_leaf, max_features : int
        Of each; as of the grower.
    learning_rate : float
        v.
    """

    n_stages: int
    depth: int
    min_samples_leaf: int
    max_features: int
    learning_rate: float


@dataclass(frozen=True)
class BagPlan:
    """What to grow.

    Attributes
    ----------
    n_bags : int
        G.
    law : RowWeights
        Which rows each bag leaves out; one draw per bag.
    kinds : tuple of ForestKind
        Averaged trees.
    boosts : tuple of BoostKind
        Boosted trees.
    limits : dict
        Further settings of all averaged trees.
    n_jobs : int
        Threads.
    n_draws : int
        Draws of a sum of trees in each bag, see `drawn_sums`.
    monotone : tuple of int
        Per column 1, 0 or -1, as all trees must keep it; empty for none.
    """

    n_bags: int
    law: RowWeights
    kinds: tuple[ForestKind, ...]
    boosts: tuple[BoostKind, ...]
    limits: dict[str, Any]
    n_jobs: int
    n_draws: int = 0
    monotone: tuple[int, ...] = ()

    def bagged(self, trees_per_bag: int) -> dict[str, Any]:
        """The law of so many trees per bag, as the core takes it."""
        return replace(self.law, trees_per_draw=trees_per_bag).arguments()

    def boosting(self, kind: BoostKind) -> dict[str, Any]:
        """How boosted trees of a kind are grown, as the core takes it."""
        return {
            "learning_rate": kind.learning_rate,
            "max_features": kind.max_features,
            "min_samples_leaf": kind.min_samples_leaf,
            "max_depth": kind.depth,
            "min_weight_fraction_leaf": self.limits["min_weight_fraction_leaf"],
            "n_jobs": self.n_jobs,
            "monotonic_cst": list(self.monotone),
            **self.law.arguments(),
        }


@dataclass(frozen=True)
class Bags:
    """Grown bags.

    Attributes
    ----------
    forest : Forest
        One member per bag.
    law : RowWeights
        Which rows each bag left out; one draw per bag.
    importances : ndarray, (n_bags, n_features)
        Impurity decrease per bag and feature.
    oob_mean : ndarray, (n_rows, n_outputs)
        Mean over the bags that left a row out; NaN where none did.
    counts : ndarray of int32, (n_rows,)
        How many did.
    n_stages : int
        m, the largest of a kind that has a share.
    shares : ndarray, (2 + n_kinds,)
        w: of all boosted trees, then of each kind of averaged ones, then of drawn sums.
    kinds : list of Forest
        The averaged trees by themselves, in the order of the plan.
    boosted : BoostedBags or None
        All stages of the first kind that were grown, before m was chosen; None if there are none.
    n_grown : int
        Their number in each bag.
    """

    forest: Forest
    law: RowWeights
    importances: F64
    oob_mean: F64
    counts: NDArray[np.int32]
    n_stages: int
    shares: F64
    kinds: list[_core.Forest]
    boosted: _core.BoostedBags | None = None
    n_grown: int = 0


@dataclass(frozen=True)
class _Part:
    """Trees of one kind, as many per bag: a sum, or trees to be averaged."""

    trees: _core.Forest
    n_trees: int
    importances: F64
    oob: F64
    adds_up: bool = False


@dataclass(frozen=True)
class _Boosted:
    """The boosted trees: all that were grown, and those of the best number with their error."""

    grown: _core.BoostedBags | None = None
    n_grown: int = 0
    error: float = np.inf
    part: _Part | None = None


def grow_bags(
    plan: BagPlan,
    data: TrainingData,
    encoded: _core.EncodedMatrix,
    y: F64,
    weights: F64 | None,
    report: ShareDone | None = None,
) -> Bags:
    """Grow all kinds, choose stages and shares, and add the trees up to members.

    Parameters
    ----------
    plan : BagPlan
        What to grow.
    data : TrainingData
        The rows; their response is not looked at.
    encoded : EncodedMatrix
        The same rows, encoded.
    y : ndarray, (n_rows, n_outputs)
        What to learn.
    weights : ndarray, (n_rows,) or None
        Of the rows; those of weight 0 take no part.
    report : callable, default=None
        Told which share of the work is done.
    """
    sums: list[_Boosted] = []
    for place, boost in enumerate(plan.boosts):
        told = part_of(report, *_share_of(place, plan))
        to_beat = sums[0].error if sums else np.inf
        sums.append(_boost(plan, boost, encoded, y, weights, to_beat, told))
    parts = [one.part for one in sums if one.part is not None]
    n_sums, told = len(parts), part_of(report, _BOOSTING_SHARE, 1.0)
    for kind in plan.kinds:
        part, counts = _average(plan, kind, data, encoded, y, weights, told)
        parts.append(part)
    if plan.n_draws > 0:
        parts.append(_drawn(plan, data, y, weights, parts, told))
    shares = _least_squares_shares([part.oob for part in parts], y, weights, counts > 0)
    first = sums[0] if sums else _Boosted()
    return Bags(
        _added_up(plan.n_bags, parts, shares),
        plan.law,
        _mixed(shares, [part.importances for part in parts]),
        _mixed(shares, [part.oob for part in parts]),
        counts,
        max(
            (part.n_trees for part, w in zip(parts[:n_sums], shares, strict=False) if w > 0),
            default=0,
        ),
        _by_kind(shares, n_sums, len(plan.kinds)),
        [part.trees for part in parts[n_sums : n_sums + len(plan.kinds)]],
        first.grown,
        first.n_grown,
    )


def _average(
    plan: BagPlan,
    kind: ForestKind,
    data: TrainingData,
    encoded: _core.EncodedMatrix,
    y: F64,
    weights: F64 | None,
    report: ShareDone | None,
) -> tuple[_Part, NDArray[np.int32]]:
    """Averaged trees, and how many bags left each row out."""
    settings = {
        **plan.limits,
        **plan.bagged(kind.n_trees),
        "n_trees": plan.n_bags * kind.n_trees,
        "max_features": kind.max_features,
        "min_samples_leaf": kind.min_samples_leaf,
        "keep_rows": kind.keep_rows,
        "monotonic_cst": list(plan.monotone),
        "n_jobs": plan.n_jobs,
    }
    trees, decrease = _core.grow_forest(
        encoded, y, weights, criterion="squared_error", progress=_native(report), **settings
    )
    said, trees_out = trees.predict_oob(data.X, n_jobs=plan.n_jobs, **plan.bagged(kind.n_trees))
    per_bag = decrease.reshape(plan.n_bags, kind.n_trees, -1).mean(axis=1)
    part = _Part(trees, kind.n_trees, per_bag, _means(said, trees_out))
    return part, (trees_out // kind.n_trees).astype(np.int32)


def _by_kind(shares: F64, n_sums: int, n_kinds: int) -> F64:
    """Shares of boosted, averaged and drawn trees, whatever of these there is."""
    averaged = shares[n_sums : n_sums + n_kinds]
    ends = shares[:n_sums].sum(), shares[n_sums + n_kinds :].sum()
    return np.concatenate([ends[:1], averaged, ends[1:]])


def _drawn(
    plan: BagPlan,
    data: TrainingData,
    y: F64,
    weights: F64 | None,
    others: Sequence[_Part],
    report: ShareDone | None,
) -> _Part:
    """Drawn sums; what the others leave out of bag is the first guess of their noise."""
    own = np.ones(len(y)) if weights is None else weights
    left = np.min([_spread(y - part.oob, own) for part in others], axis=0)
    noise = np.clip(left, _LEAST_NOISE * _scale(y), _scale(y))
    trees = draw_sums(
        plan.law, plan.n_bags, data, y, weights, noise, plan.n_draws, plan.n_jobs, report
    )
    n_trees = trees.n_trees // plan.n_bags
    said, trees_out = trees.predict_oob(data.X, n_jobs=plan.n_jobs, **plan.bagged(n_trees))
    total = (own[:, None] * (y - np.average(y, axis=0, weights=own)) ** 2).sum()
    varies = trees.split_variation(n_trees) / max(total, np.finfo(float).tiny)
    return _Part(trees, n_trees, varies, _means(said, trees_out // n_trees), adds_up=True)


def _spread(residuals: F64, weights: F64) -> F64:
    """Root mean square of each response's residuals, where there are any; else infinite."""
    seen = ~np.isnan(residuals[:, 0]) & (weights > 0)
    if not seen.any():
        return np.full(residuals.shape[1], np.inf)
    found: F64 = np.sqrt(np.average(residuals[seen] ** 2, axis=0, weights=weights[seen]))
    return found


def _share_of(place: int, plan: BagPlan) -> tuple[float, float]:
    """Where the work on a kind of boosted trees begins and ends, as a bar shows it."""
    first, last = (_BOOSTING_SHARE * k / len(plan.boosts) for k in (place, place + 1))
    return first, last


def _boost(
    plan: BagPlan,
    kind: BoostKind,
    encoded: _core.EncodedMatrix,
    y: F64,
    weights: F64 | None,
    to_beat: float,
    report: ShareDone | None,
) -> _Boosted:
    """Boosted trees, up to the best number of stages; fewer if they are far from `to_beat`."""
    grown = _core.BoostedBags(encoded, y, weights, n_bags=plan.n_bags, **plan.boosting(kind))
    left_out = _LeftOutRows.of(grown, y, weights)
    best = _Path(0, np.inf, np.full(y.shape, np.nan))
    n_grown, checked = 0, np.inf
    for stop in stage_stops(kind.n_stages):
        told = part_of(report, n_grown / kind.n_stages, stop / kind.n_stages)
        grown.grow(stop - n_grown, n_jobs=plan.n_jobs, progress=_native(told))
        n_grown = stop
        here = left_out.path(grown, n_grown)
        best = here if here.error < best.error else best
        if stop not in _CHECKS:
            continue
        if best.n_stages < _NEAR_THE_END * stop or best.error > (1 - _LEAST_GAIN) * checked:
            break
        if stop >= _HOPELESS_AT and best.error > _HOPELESS * to_beat:
            break
        checked = best.error
    if best.n_stages == 0:
        return _Boosted(grown, n_grown)
    trees = grown.forest(best.n_stages)
    part = _Part(trees, best.n_stages, grown.importances, best.oob, adds_up=True)
    return _Boosted(grown, n_grown, best.error, part)


@dataclass(frozen=True)
class _Path:
    """So many stages: their out-of-bag error, and what they say out of bag."""

    n_stages: int
    error: float
    oob: F64


def stage_stops(n_stages: int) -> list[int]:
    """Numbers of stages to look at: a geometric sequence, the checks and the last.

    Examples
    --------
    >>> stage_stops(50)
    [5, 6, 8, 10, 12, 15, 19, 24, 30, 37, 40, 47, 50]
    """
    count = 1 + int(np.log(max(1.0, n_stages / _FIRST_STOP)) / np.log(_STOP_RATIO))
    found = {round(_FIRST_STOP * _STOP_RATIO**k) for k in range(count)} | {*_CHECKS, n_stages}
    return sorted(stop for stop in found if stop <= n_stages)


@dataclass(frozen=True, eq=False)
class _LeftOutRows:
    """The rows that some bag left out, the same at every stage: what their errors are made of."""

    seen: NDArray[np.bool_]
    y: F64
    scale: F64
    weights: F64 | None

    @classmethod
    def of(cls, grown: _core.BoostedBags, y: F64, weights: F64 | None) -> "_LeftOutRows":
        seen = grown.out_of_bag()[1] > 0
        if weights is not None:
            seen &= weights > 0
        scale = _scale(y[seen]) if seen.any() else np.ones(y.shape[1])
        return cls(seen, y[seen], scale, None if weights is None else weights[seen])

    def path(self, grown: _core.BoostedBags, n_grown: int) -> _Path:
        """The stages so far."""
        oob = _means(*grown.out_of_bag())
        if not len(self.y):
            return _Path(0, np.inf, oob)
        apart = ((oob[self.seen] - self.y) / self.scale) ** 2
        if self.weights is None:
            return _Path(n_grown, float(apart.mean(axis=0).sum()), oob)
        return _Path(n_grown, float(np.average(apart, axis=0, weights=self.weights).sum()), oob)


def part_of(report: ShareDone | None, first: float, last: float) -> ShareDone | None:
    """The report of a part of some work, from one share of it to another.

    Examples
    --------
    >>> part_of(print, 0.5, 1.0)(0.5)
    0.75
    """
    if report is None:
        return None
    return lambda share: report(first + (last - first) * share)


def _native(report: ShareDone | None) -> Callable[[int, int], None] | None:
    """As the core reports: so many done of all."""
    if report is None:
        return None
    return lambda done, total: report(done / max(1, total))


def _scale(y: F64) -> F64:
    """Standard deviation of each response, 1 where it is constant."""
    found = y.std(axis=0)
    return np.where(found > 0, found, 1.0)


def _means(sums: F64, counts: NDArray[np.int32]) -> F64:
    """Sums over counts; NaN over none."""
    found = np.full(sums.shape, np.nan)
    np.divide(sums, counts[:, None], out=found, where=counts[:, None] > 0)
    return found


def _least_squares_shares(
    parts: Sequence[F64], y: F64, weights: F64 | None, seen: NDArray[np.bool_]
) -> F64:
    """Non-negative weights of sum 1 by which the parts' out-of-bag means come nearest to y."""
    from scipy.optimize import nnls

    if len(parts) == 1 or not seen.any():
        return np.full(len(parts), 1.0 / len(parts))
    own = np.ones(len(y)) if weights is None else weights / weights.max()
    rows = seen & (own > 0)
    root = np.sqrt(own[rows])[:, None] / np.sqrt(own[rows].sum())
    spread, centre = _scale(y[rows]), y[rows].mean(axis=0)
    columns = [((part[rows] - centre) / spread * root).ravel() for part in parts]
    design = np.vstack([np.column_stack(columns), np.full((1, len(parts)), _HOLD)])
    wanted = np.append(((y[rows] - centre) / spread * root).ravel(), _HOLD)
    found: F64 = nnls(design, wanted)[0]
    # The last bits of a solver's products depend on the processor; trees are not to.
    shares: F64 = np.rint(found / found.sum() * _SHARE_UNITS) / _SHARE_UNITS
    shares[np.argmax(shares)] += 1.0 - shares.sum()
    return shares


def _mixed(shares: F64, values: Sequence[F64]) -> F64:
    """Σ w_k v_k, added up in this order on any processor, which products of matrices are not."""
    found = np.zeros_like(values[0])
    for share, value in zip(shares, values, strict=True):
        found += share * value
    return found


def _added_up(n_bags: int, parts: Sequence[_Part], shares: F64) -> Forest:
    """One member per bag: sums of the trees, averages as sums of their n-th parts."""
    scaled, sizes = [], []
    for part, share in zip(parts, shares, strict=True):
        if share > 0:
            factor = share if part.adds_up else share / part.n_trees
            scaled.append(part.trees.scaled(np.full(part.trees.n_trees, factor)))
            sizes.append(part.n_trees)
    return Forest(interleaved(n_bags, scaled, sizes), trees_per_member=sum(sizes))


def interleaved(n_bags: int, forests: Sequence[_core.Forest], sizes: Sequence[int]) -> _core.Forest:
    """Trees of several forests, bag by bag: so many of the first, so many of the next, ..."""
    first = np.cumsum([0, *(n_bags * size for size in sizes)])[:-1]
    order = [
        np.arange(start + bag * size, start + (bag + 1) * size)
        for bag in range(n_bags)
        for start, size in zip(first, sizes, strict=True)
    ]
    return _core.Forest.join(list(forests)).select(np.concatenate(order).astype(np.int64))
