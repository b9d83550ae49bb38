"""How many bags a calibrated forest for numbers has, and what is in them."""

from dataclasses import replace
from math import isqrt

import numpy as np

from bayeswood.forest import RowWeights
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.bags import BagPlan, BoostKind, ForestKind
from bayeswood.methods.cart.grow_cart import CartPlan

_MOST_BAGS = 20
# Boosted trees for the mean: deeper ones of some features at each node, and small ones of the best
# of all features, in which at most two interact. Most stages, depth and learning rate.
_DEEP_SUM = (300, 4, 0.1)
_SMALL_SUM = (400, 2, 0.3)
_MEAN_LEAF = 5
# The like for sizes of residuals, which are mostly noise, and smooth where they are not: small sums
# of the best of all features, one without interactions. Then leaves of sums and of averaged trees.
_SIZE_SUMS = ((80, 2, 0.2), (80, 1, 0.2))
_SIZE_SUM_LEAF = 10
_SIZE_LEAF = 20
# What sets the random numbers of the sizes apart from those of the mean.
_SIZE_SEED = 0x5EED_0F_512E


def plan_bags(
    cart: CartPlan, data: TrainingData, n_stages: int | str, n_draws: int, keep_rows: bool
) -> BagPlan:
    """Bags for the mean.

    Parameters
    ----------
    cart : CartPlan
        Averaged trees.
    data : TrainingData
        The rows.
    n_stages : int or "auto"
        Most boosted trees of either depth in a bag; 0 for none.
    n_draws : int
        Draws of a sum of trees in each bag.
    keep_rows : bool
        Whether larger leaves remember their rows.
    """
    n_bags = max(1, min(_MOST_BAGS, cart.n_trees // 2))
    per_bag = cart.n_trees // n_bags
    n_large = per_bag // 3 if per_bag > 2 else per_bag // 2
    large = max(cart.min_samples_leaf, 5, isqrt(data.n_rows) // 8)
    kinds = [ForestKind(per_bag - n_large, cart.min_samples_leaf, cart.max_features)]
    if n_large:
        kinds.append(ForestKind(n_large, large, cart.max_features))
    kinds[-1] = replace(kinds[-1], keep_rows=keep_rows)
    return BagPlan(
        n_bags,
        replace(cart.row_weights, scheme="subsample"),
        tuple(kinds),
        _sums(cart, data.schema.n_features, n_stages),
        {
            "min_weight_fraction_leaf": cart.min_weight_fraction_leaf,
            "max_depth": min(cart.max_depth or 0, np.iinfo(np.int32).max),
        },
        cart.n_jobs,
        n_draws,
        cart.rules.monotonic_cst,
    )


def _sums(cart: CartPlan, n_features: int, n_stages: int | str) -> tuple[BoostKind, ...]:
    """Boosted trees of the depths that are allowed; of one where both would be the same."""
    if n_stages == 0:
        return ()
    kinds: dict[int, BoostKind] = {}
    for (most, deepest, rate), features in (
        (_DEEP_SUM, cart.max_features),
        (_SMALL_SUM, n_features),
    ):
        depth = min(cart.max_depth or deepest, deepest)
        stages = most if isinstance(n_stages, str) else int(n_stages)
        leaf = max(_MEAN_LEAF, cart.min_samples_leaf)
        kinds.setdefault(depth, BoostKind(stages, depth, leaf, features, rate))
    return tuple(kinds.values())


def plan_sizes(plan: BagPlan, data: TrainingData) -> BagPlan:
    """Bags of the same rows for the sizes of residuals: small trees, and large leaves."""
    n_trees, n_features = max(1, plan.kinds[-1].n_trees // 2), data.schema.n_features
    depths: dict[int, BoostKind] = {}
    for one in plan.boosts[:1]:
        for most, deepest, rate in _SIZE_SUMS:
            stages, depth = min(one.n_stages, most), min(one.depth, deepest)
            kind = BoostKind(stages, depth, _SIZE_SUM_LEAF, n_features, rate)
            depths.setdefault(depth, kind)
    return replace(
        plan,
        law=replace(plan.law, seed=plan.law.seed ^ _SIZE_SEED),
        kinds=(ForestKind(n_trees, _SIZE_LEAF, n_features),),
        boosts=tuple(depths.values()),
        n_draws=0,
        monotone=(),
    )


def leaf_law(plan: BagPlan) -> RowWeights:
    """Which rows are in the trees whose leaves remember them."""
    return replace(plan.law, trees_per_draw=plan.kinds[-1].n_trees)
