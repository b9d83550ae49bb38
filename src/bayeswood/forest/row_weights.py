"""How the trees of a forest weighted the training rows: drawn again from the seed, never stored."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core

F64 = NDArray[np.float64]

#: The ways of weighting rows that the core can repeat from a seed.
SCHEMES = ("exponential", "subsample", "bootstrap", "unit")


@dataclass(frozen=True, eq=False)
class RowWeights:
    """The law of the rows' weights in each tree; the twin of the core's WeightScheme.

    Attributes
    ----------
    scheme : {"exponential", "subsample", "bootstrap", "unit"}
        Exp(1) draws, 1 for the rows whose draw is not below the threshold, the counts of a
        bootstrap sample, or 1.
    seed : int
        The seed that the weights of all trees come from.
    threshold : float
        Exponential draws below it are 0.
    groups : ndarray of int32, (n_rows,) or None
        Groups of rows that are given weight 0 together; needs a threshold.
    parts : ndarray of int32, (n_rows,) or None
        Parts of the rows that have random numbers of their own; exponential weights only.
    trees_per_draw : int
        So many trees, one after another, share their weights: a bag.
    n_draws : int
        Rows that a bootstrap sample draws; 0 for as many as there are.
    """

    scheme: str
    seed: int
    threshold: float = 0.0
    groups: NDArray[np.int32] | None = None
    parts: NDArray[np.int32] | None = None
    trees_per_draw: int = 1
    n_draws: int = 0

    def arguments(self) -> dict[str, Any]:
        """By the names that the core's functions have for them."""
        return {
            "scheme": self.scheme,
            "seed": self.seed,
            "weight_threshold": self.threshold,
            "row_groups": self.groups,
            "row_parts": self.parts,
            "trees_per_draw": self.trees_per_draw,
            "n_draws": self.n_draws,
        }

    def draw(self, tree: int, n_rows: int) -> F64:
        """The weights of one tree, before any weights that the user gave.

        Examples
        --------
        >>> RowWeights("unit", seed=0).draw(tree=3, n_rows=4)
        array([1., 1., 1., 1.])
        """
        return _core.draw_weights(tree=tree, n_rows=n_rows, **self.arguments())

    def left_out(
        self, n_trees: int, n_rows: int, rows: NDArray[np.intp] | None = None
    ) -> NDArray[np.bool_]:
        """Which draw gave which row the weight 0, (n_draws, n_rows), or of these rows alone.

        Trees that share a draw count once, also those that are left at the end.

        Examples
        --------
        >>> RowWeights("unit", seed=0).left_out(n_trees=2, n_rows=3)
        array([[False, False, False],
               [False, False, False]])
        """
        chosen = np.arange(n_rows) if rows is None else rows
        found = _core.left_out(
            n_trees=n_trees, n_rows=n_rows, rows=chosen.astype(np.int32), **self.arguments()
        )
        return found.view(np.bool_)
