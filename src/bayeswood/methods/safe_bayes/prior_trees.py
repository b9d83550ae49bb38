"""Trees drawn from a prior before any response is seen, and where the drawing is written down.

Model: see `core/include/bayeswood/safe_bayes/prior_trees.hpp` and `row_trees.hpp`. Without data a
draw is a function of its plan and of the scale of the cuts, so that neither a file nor a pickle
holds the trees; of trees drawn over rows, both hold the rules.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parts import SavedModel
from bayeswood.methods.base.saved_state import read_value
from bayeswood.table.pit import CutScale

F64 = NDArray[np.float64]

#: Full trees are at least this deep by default: on small data deeper costs little.
LEAST_DEPTH = 10
MOST_DEPTH = 24
#: What "auto" allows counts and hand-over trees to take, in bytes.
AUTO_BYTES = 512 * 2**20

#: The arrays of a model file that say where trees may be cut.
TREE_ARRAYS = ("n_edges", "edges", "transform")
#: Those that hold the rules of trees that were drawn over rows.
RULE_ARRAYS = ("tree_leaves", "tree_rules", "tree_sets")


@dataclass(frozen=True)
class PriorPlan:
    """All that a draw of trees depends on besides the columns.

    Attributes
    ----------
    seed : int
        Where all randomness comes from.
    n_trees : int
        How many trees.
    depth : int
        Of full trees; 0 for others.
    split_probability : float
        Of Galton-Watson trees.
    max_leaves : int
        Of Galton-Watson trees, and of trees drawn over rows.
    """

    seed: int
    n_trees: int
    depth: int
    split_probability: float
    max_leaves: int


@dataclass(frozen=True, eq=False)
class TreeRules:
    """The rules of trees that were drawn over rows.

    Attributes
    ----------
    n_leaves : ndarray of int64, (n_trees,)
    rules : ndarray of uint32
        Of every node, tree after tree, as `PriorTree` of the core has them.
    sets : ndarray of uint64
        Levels that rules of categories send left.
    """

    n_leaves: NDArray[np.int64]
    rules: NDArray[np.uint32]
    sets: NDArray[np.uint64]

    def same_as(self, other: "TreeRules") -> bool:
        """Whether the other rules are these."""
        mine, theirs = vars(self), vars(other)
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)


class PriorTrees:
    """The trees of a plan over the columns of a scale.

    Parameters
    ----------
    plan : PriorPlan
    scale : CutScale
    n_jobs : int
        Threads for the drawing; the trees are the same for any number.
    rows : ndarray, (n_rows, n_features), default=None
        Encoded rows over which the trees are drawn; None draws them without data.
    rules : TreeRules, default=None
        Of trees that were drawn over rows before.
    """

    def __init__(
        self,
        plan: PriorPlan,
        scale: CutScale,
        n_jobs: int = 1,
        *,
        rows: NDArray[Any] | None = None,
        rules: TreeRules | None = None,
    ) -> None:
        self.plan = plan
        self.scale = scale
        self.rules = rules
        if rows is not None:
            self._draw_over(rows, n_jobs)
        elif rules is not None:
            self._read(rules)
        else:
            self._draw(n_jobs)
        self.n_leaves: NDArray[np.int64] = self.core.n_leaves

    def _scales(self) -> tuple[NDArray[np.int32], NDArray[np.int64], F64, F64]:
        scale = self.scale
        return scale.n_levels, scale.n_edges, scale.edges, scale.transform

    def _draw_over(self, rows: NDArray[Any], n_jobs: int) -> None:
        plan = self.plan
        self.core = _core.PriorTrees.over_rows(
            plan.seed, plan.n_trees, *self._scales(), rows,
            max_leaves=plan.max_leaves, n_jobs=n_jobs,
        )  # fmt: skip
        self.rules = TreeRules(self.core.n_leaves, *self.core.rules)

    def _read(self, rules: TreeRules) -> None:
        self.core = _core.PriorTrees.from_rules(
            *self._scales(), rules.n_leaves, rules.rules, rules.sets
        )

    def _draw(self, n_jobs: int) -> None:
        settings = asdict(self.plan)
        self.core = _core.PriorTrees(
            settings.pop("seed"),
            settings.pop("n_trees"),
            *self._scales(),
            **settings,
            n_jobs=n_jobs,
        )

    @property
    def n_leaves_in_all(self) -> int:
        """Leaves of all trees together."""
        return int(self.n_leaves.sum())

    def same_as(self, other: "PriorTrees") -> bool:
        """Whether the other trees are these trees."""
        same_plan = self.plan == other.plan and self.scale.same_as(other.scale)
        if self.rules is None or other.rules is None:
            return same_plan and self.rules is other.rules
        return same_plan and self.rules.same_as(other.rules)

    def write(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Put cuts, and rules that no plan draws again, where a model file keeps them."""
        arrays |= {name: getattr(self.scale, name) for name in TREE_ARRAYS}
        if self.rules is not None:
            kept = (self.rules.n_leaves, self.rules.rules, self.rules.sets)
            arrays |= dict(zip(RULE_ARRAYS, kept, strict=True))

    def __getstate__(self) -> dict[str, Any]:
        return {"plan": self.plan, "scale": self.scale, "rules": self.rules}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def bytes_per_leaf(n_outputs: int) -> int:
    """What one leaf of a full tree takes at most: counts, rule, and its part of the `Forest`."""
    state = 4 * n_outputs + 4
    hand_over = 2 * 25 + 4 + 12 * n_outputs
    return state + hand_over


def auto_depth(n_rows: int, n_trees: int, n_outputs: int) -> int:
    """Depth of full trees: 10, about log2 of the rows beyond 1,024, as memory permits.

    Examples
    --------
    >>> auto_depth(500, 300, 2), auto_depth(5_000, 300, 2), auto_depth(1_000_000, 300, 2)
    (10, 13, 14)
    """
    wanted = max(LEAST_DEPTH, int(np.ceil(np.log2(max(n_rows, 2)))))
    affordable = int(np.log2(AUTO_BYTES / (n_trees * bytes_per_leaf(n_outputs))))
    return int(np.clip(affordable, 1, min(wanted, MOST_DEPTH)))


def affordable_leaves(max_leaves: int, n_trees: int, n_outputs: int) -> int:
    """Leaves of a tree drawn over rows: `max_leaves`, or fewer if that takes too much memory.

    Examples
    --------
    >>> affordable_leaves(10_000, 300, 2), affordable_leaves(10_000, 300, 26)
    (10000, 3775)
    """
    affordable = int(AUTO_BYTES / (n_trees * bytes_per_leaf(n_outputs)))
    return max(2, min(max_leaves, affordable))


def read_prior_trees(saved: SavedModel, statistics: str) -> PriorTrees:
    """The trees of a model file, drawn again; BayeswoodError if anything is amiss.

    Parameters
    ----------
    saved : SavedModel
    statistics : str
        The array that holds the statistics of their leaves.
    """
    meta, arrays = saved.meta, saved.arrays
    plain = read_value(meta, "plan", dict)
    kinds = PriorPlan.__annotations__
    if set(plain) != set(kinds) or any(type(plain[name]) is not kinds[name] for name in kinds):
        raise BayeswoodError("The model file holds an unusable plan of its trees.")
    plan = PriorPlan(**plain)
    full_leaves = plan.n_trees * 2**plan.depth if 0 <= plan.depth <= MOST_DEPTH else -1
    lawful = (
        plan.n_trees == saved.forest.n_trees
        and plan.seed == saved.seed
        and full_leaves > 0
        and 0 < plan.split_probability < 1
        and 2 <= plan.max_leaves <= 1_000_000
    )
    if not lawful or any(name not in arrays for name in (*TREE_ARRAYS, statistics)):
        raise BayeswoodError("The model file holds an unusable plan of its trees.")
    if plan.depth and full_leaves != len(arrays[statistics]):
        raise BayeswoodError(f"The model file's {statistics} do not match its trees.")
    scale = CutScale(
        saved.schema.n_levels,
        arrays["n_edges"].astype(np.int64),
        arrays["edges"].astype(np.float64),
        arrays["transform"].astype(np.float64),
    )
    try:
        trees = PriorTrees(plan, scale, rules=_read_rules(arrays))
    except (TypeError, ValueError) as error:
        raise BayeswoodError(f"The model file holds unusable cuts: {error}.") from error
    if trees.n_leaves_in_all != len(arrays[statistics]):
        raise BayeswoodError(f"The model file's {statistics} do not match its trees.")
    return trees


def _read_rules(arrays: dict[str, NDArray[Any]]) -> TreeRules | None:
    found = [arrays[name] for name in RULE_ARRAYS if name in arrays]
    if not found:
        return None
    if len(found) < len(RULE_ARRAYS) or any(a.ndim != 1 or a.dtype.kind not in "iu" for a in found):
        raise BayeswoodError("The model file holds unusable rules of its trees.")
    n_leaves, rules, sets = found
    return TreeRules(n_leaves.astype(np.int64), rules.astype(np.uint32), sets.astype(np.uint64))
