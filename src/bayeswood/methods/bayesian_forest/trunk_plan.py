"""How the trunk of a forest is to be grown, from the parameters and the size of the table."""

from dataclasses import dataclass
from typing import Any

from bayeswood.distributed import default_leaf_size, scale_leaf_size
from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import resolve_min_samples_leaf
from bayeswood.methods.base.training_data import TableShape
from bayeswood.methods.cart.grow_cart import CORE_CRITERION, CartPlan


@dataclass(frozen=True)
class TrunkPlan:
    """Everything the trunk needs besides the rows.

    Attributes
    ----------
    forest : CartPlan
        How the forest is grown.
    shape : TableShape
        Of the whole table.
    leaf_size : int
        Fewest of all rows in a leaf.
    max_leaves : int or None
        Most leaves; None where the size of leaves decides.
    """

    forest: CartPlan
    shape: TableShape
    leaf_size: int
    max_leaves: int | None

    def leaf_size_of(self, n_sample: int) -> int:
        """Fewest rows in a leaf, of a sample of so many rows."""
        return scale_leaf_size(self.leaf_size, n_sample, self.shape.n_rows)

    def settings(self, n_sample: int) -> dict[str, Any]:
        """Arguments of `fit_trunk` for a sample of so many rows."""
        return {
            "n_levels": self.shape.n_levels,
            "criterion": CORE_CRITERION[self.forest.criterion],
            "n_classes": self.shape.n_classes,
            "min_samples_leaf": self.leaf_size_of(n_sample),
            "max_leaves": self.max_leaves,
            "min_weight_fraction_leaf": self.forest.min_weight_fraction_leaf,
            "max_depth": self.forest.max_depth,
        }


def plan_trunk(forest: Any, plan: CartPlan, shape: TableShape) -> TrunkPlan:
    """The parameters of the trunk, resolved for a table of this shape.

    Parameters
    ----------
    forest : estimator
        With the parameters of a forest with a trunk.
    plan : CartPlan
        Its other parameters, resolved.
    shape : TableShape
        Of the table.
    """
    max_leaves = _most_leaves(forest)
    if max_leaves is None:
        wanted = resolve_min_samples_leaf(forest.trunk_min_samples_leaf, shape.n_rows)
    else:
        wanted = default_leaf_size(shape.n_rows, max_leaves)
    return TrunkPlan(plan, shape, max(wanted, plan.min_samples_leaf), max_leaves)


def _most_leaves(forest: Any) -> int | None:
    if forest.trunk_min_samples_leaf is not None:
        return None
    if forest.trunk_max_leaves is None:
        raise BayeswoodError(
            f"The 'trunk_max_leaves' parameter of {type(forest).__name__} must be an int >= 1 "
            "where trunk_min_samples_leaf is None. Got None instead."
        )
    return int(forest.trunk_max_leaves)
