"""How sure is the trunk? Section 3.2 of the Bayesian-forest paper at every fit, and a warning."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.distributed import scale_leaf_size
from bayeswood.errors import warn_user
from bayeswood.forest import Forest
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.bayesian_forest.trunk_plan import TrunkPlan
from bayeswood.methods.cart.grow_cart import CORE_CRITERION, CartPlan
from bayeswood.theory.trunk import TrunkNode, TrunkStability, compare_draws

# Draws, and the most rows and cells looked at, but no fewer rows than the last line says: enough
# to tell a sure split from a doubtful one, and little beside the growing of a forest.
_N_DRAWS = 30
_MAX_ROWS = 20_000
_MAX_CELLS = 400_000
_LEAST_ROWS = 2_000
# With fewer rows a trunk saves nothing, and everything about it is in doubt.
_MIN_ROWS = 500
# A split is doubtful if fewer of the draws than this share choose its feature. On a sample the
# draws say less than all rows would, so that more of them must be against it.
_DOUBTFUL = 0.5
_DOUBTFUL_ON_SAMPLE = 0.25
# Fewer draws than these say nothing.
_LEAST_DRAWS = 10
# Part of the rows whose random numbers no branch has.
_CHECK_PART = 2**40
# The stream of random numbers by which rows are chosen; trees are numbered from 0.
_CHOICE_STREAM = 2**64 - 1


def random_order(seed: int, n_rows: int) -> NDArray[np.int64]:
    """The rows in a random order."""
    key = _core.draw_weights("exponential", seed, _CHOICE_STREAM, n_rows)
    return np.argsort(key, kind="stable")


def random_rows(n_rows: int, size: int, seed: int) -> NDArray[np.int64]:
    """The first `size` rows of a random order, ascending; all of them if there are no more."""
    if size >= n_rows:
        return np.arange(n_rows)
    return np.sort(random_order(seed, n_rows)[:size])


def check_trunk(trunk: Forest, how: TrunkPlan, data: TrainingData) -> dict[str, TrunkStability]:
    """Compare the trunk with posterior draws of it; warn of splits that they do not share.

    Parameters
    ----------
    trunk : Forest
        Of one tree.
    how : TrunkPlan
        How it was grown.
    data : TrainingData
        The rows of the table, or some of them.

    Returns
    -------
    dict
        ``trunk_stability_``; empty where there is too little to look at.
    """
    if trunk.n_leaves[0] == 1 or data.n_rows < _MIN_ROWS:
        return {}
    n_looked_at = min(_MAX_ROWS, max(_LEAST_ROWS, _MAX_CELLS // data.schema.n_features))
    rows = random_rows(data.n_rows, n_looked_at, how.forest.seed)
    stability = draw_trunks(
        trunk,
        how.forest,
        data,
        rows,
        leaf_size=how.leaf_size_of(data.n_rows),
        n_draws=_N_DRAWS,
        same_places=how.max_leaves is not None,
    )
    _warn(stability, how.forest.title, len(rows), data.n_rows)
    return {"trunk_stability_": stability}


def draw_trunks(
    trunk: Forest,
    plan: CartPlan,
    data: TrainingData,
    rows: NDArray[np.int64],
    *,
    leaf_size: int,
    n_draws: int,
    same_places: bool = False,
) -> TrunkStability:
    """Compare a trunk with trunks of Exp(1) weights, grown from some of the rows.

    Parameters
    ----------
    trunk : Forest
        Of one tree.
    plan : CartPlan
        Of the forest.
    data : TrainingData
        What it is fitted to.
    rows : ndarray of int64
        The rows to draw from; the size of leaves is scaled to their number.
    leaf_size : int
        Fewest rows in a leaf of the trunk.
    n_draws : int
        Number of draws.
    same_places : bool, default=False
        As in `theory.trunk.compare_draws`.
    """
    own = data.take(rows)
    draws, _ = _core.grow_forest(
        _core.EncodedMatrix(own.X, own.schema.n_levels, plan.n_jobs),
        own.target.y,
        own.sample_weight,
        criterion=CORE_CRITERION[plan.criterion],
        scheme="exponential",
        seed=_core.part_seed(plan.seed, _CHECK_PART),
        n_trees=n_draws,
        n_classes=data.n_classes,
        max_features=data.schema.n_features,
        min_samples_leaf=scale_leaf_size(leaf_size, len(rows), data.n_rows),
        max_depth=int(trunk.depths[0]),
        n_jobs=plan.n_jobs,
    )
    classes = () if data.target.classes is None else tuple(data.target.classes)
    return compare_draws(
        trunk.core,
        draws,
        data.schema,
        min_samples_leaf=leaf_size,
        classes=classes,
        same_places=same_places,
    )


def doubtful_splits(stability: TrunkStability, least_share: float) -> list[tuple[TrunkNode, float]]:
    """The splits that fewer draws than this share choose, of those that agree above."""
    share = {node.path: node.share for node in stability.sample_tree if not node.is_leaf}
    found = []
    for node in stability.sample_tree:
        above = share[node.path[:-1]] if node.path else 1.0
        told = not node.is_leaf and above * stability.n_draws >= _LEAST_DRAWS
        if told and node.share < least_share * above:
            found.append((node, node.share / above))
    return found


def _warn(stability: TrunkStability, owner: str, n_looked_at: int, n_rows: int) -> None:
    on_sample = n_looked_at < n_rows
    doubtful = doubtful_splits(stability, _DOUBTFUL_ON_SAMPLE if on_sample else _DOUBTFUL)
    if not doubtful:
        return
    n_splits = len(stability.sample_signature)
    told = "; ".join(_words(node, share) for node, share in doubtful)
    where = f" of a sample of {n_looked_at:,} rows" if on_sample else ""
    warn_user(
        f"The data leave open {len(doubtful)} of the {n_splits} splits of the trunk of {owner}: "
        f"{told}. Shares are of the posterior draws{where} that agree above the split. All "
        "members share the trunk, so that their spread does not show this doubt. Prefer a smaller "
        "trunk (fewer trunk_max_leaves, larger trunk_min_samples_leaf) or a Bayesian forest "
        "without one; 'trunk_stability_' has the details, and check_trunk=False turns this off.",
    )


def _words(node: TrunkNode, share: float) -> str:
    rule = "" if node.threshold is None else f" <= {node.threshold:.5g}"
    place = "the root" if not node.path else f"depth {node.depth}"
    return f"'{node.feature}{rule}' at {place}, whose feature {ceil(100 * share)} % choose"
