"""Trees drawn from a prior before any data are seen, and where the drawing is written down.

Model: see `core/include/bayeswood/safe_bayes/prior_trees.hpp`. A draw is a function of its plan and
of the scale of the cuts, so that neither a file nor a pickle holds the trees.
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

#: Full trees are at least this deep by default: on small data deeper costs little.
LEAST_DEPTH = 10
MOST_DEPTH = 24
#: What "auto" allows counts and hand-over trees to take, in bytes.
AUTO_BYTES = 512 * 2**20

#: The arrays of a model file that say where trees may be cut.
TREE_ARRAYS = ("n_edges", "edges", "transform")


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
        Of full trees; 0 for Galton-Watson trees.
    split_probability : float
        Of Galton-Watson trees.
    max_leaves : int
        Of Galton-Watson trees.
    """

    seed: int
    n_trees: int
    depth: int
    split_probability: float
    max_leaves: int


class PriorTrees:
    """The trees of a plan over the columns of a scale.

    Parameters
    ----------
    plan : PriorPlan
    scale : CutScale
    n_jobs : int
        Threads for the drawing; the trees are the same for any number.
    """

    def __init__(self, plan: PriorPlan, scale: CutScale, n_jobs: int = 1) -> None:
        self.plan = plan
        self.scale = scale
        self._draw(n_jobs)

    def _draw(self, n_jobs: int) -> None:
        settings = asdict(self.plan)
        self.core = _core.PriorTrees(
            settings.pop("seed"),
            settings.pop("n_trees"),
            self.scale.n_levels,
            self.scale.n_edges,
            self.scale.edges,
            self.scale.transform,
            **settings,
            n_jobs=n_jobs,
        )
        self.n_leaves: NDArray[np.int64] = self.core.n_leaves

    @property
    def n_leaves_in_all(self) -> int:
        """Leaves of all trees together."""
        return int(self.n_leaves.sum())

    def same_as(self, other: "PriorTrees") -> bool:
        """Whether the other trees are these trees."""
        return self.plan == other.plan and self.scale.same_as(other.scale)

    def __getstate__(self) -> dict[str, Any]:
        return {"plan": self.plan, "scale": self.scale}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.plan, self.scale = state["plan"], state["scale"]
        self._draw(1)


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
        trees = PriorTrees(plan, scale)
    except (TypeError, ValueError) as error:
        raise BayeswoodError(f"The model file holds unusable cuts: {error}.") from error
    if trees.n_leaves_in_all != len(arrays[statistics]):
        raise BayeswoodError(f"The model file's {statistics} do not match its trees.")
    return trees
