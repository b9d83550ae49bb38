"""A deeper trunk, where a branch would be too large to fit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.encoding import Rows
from bayeswood.distributed.pieces.branch import bare_branch
from bayeswood.distributed.pieces.graft import graft
from bayeswood.distributed.pieces.route import route
from bayeswood.distributed.pieces.trunk import fit_trunk
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest

# Leaves are of unequal size: a branch twice too large is not cut in two but in more.
_SPARE = 1.5
# A leaf of the trunk keeps at least so many rows of the sample.
_LEAST_SAMPLE = 10
#: Times that a trunk is made deeper, at most.
MOST_ROUNDS = 8


def deepen_by_sample(
    trunk: Forest,
    sample: Rows,
    n_rows: int,
    most_rows: int,
    settings: dict[str, Any],
    owner: str,
) -> Forest:
    """Split what the sample says is too large, before the rows of branches are counted.

    Parameters
    ----------
    trunk, sample, most_rows, settings, owner
        As in `deepen_trunk`.
    n_rows : int
        Rows of the table.
    """
    for _ in range(MOST_ROUNDS):
        branch = route(trunk, sample.X)
        share = np.bincount(branch, minlength=int(trunk.n_leaves[0])) / len(branch)
        counts = np.ceil(share * n_rows).astype(np.int64)
        if counts.max() <= most_rows:
            break
        trunk = deepen_trunk(trunk, sample, counts, most_rows, settings, owner)
    return trunk


def deepen_trunk(
    trunk: Forest,
    sample: Rows,
    counts: NDArray[np.int64],
    most_rows: int,
    settings: dict[str, Any],
    owner: str,
) -> Forest:
    """Split the branches that are too large once more, by the rows of the sample in them.

    Parameters
    ----------
    trunk : Forest
        Of one tree.
    sample : Rows
        Rows to choose splits by.
    counts : ndarray of int64, (n_branches,)
        Rows of each branch.
    most_rows : int
        Rows of the largest branch that can be fitted.
    settings : dict
        Of `fit_trunk`, of which criterion, levels and classes count.
    owner : str
        Who fits, for the errors.
    """
    branch = route(trunk, sample.X)
    settings = {name: settings[name] for name in ("n_levels", "criterion", "n_classes")}
    parts = []
    for number, count in enumerate(counts):
        rows = np.flatnonzero(branch == number)
        if count <= most_rows:
            parts.append(_leaf(trunk, number, len(rows)))
            continue
        n_leaves = int(np.ceil(_SPARE * count / max(most_rows, 1)))
        part = _split(sample.take(rows), n_leaves, settings) if len(rows) else None
        if part is None or part.n_leaves[0] < 2:
            raise BayeswoodError(
                f"A branch of {count:,} rows would have to be split, for {owner} can fit at most "
                f"{most_rows:,} rows at once, but its {len(rows):,} rows in the sample cannot be "
                "split. Raise memory_limit or trunk_sample_size."
            )
        parts.append(part)
    return graft(trunk, parts)


def _split(rows: Rows, n_leaves: int, settings: dict[str, Any]) -> Forest:
    least = max(1, min(_LEAST_SAMPLE, len(rows.X) // (4 * n_leaves)))
    return fit_trunk(
        rows.X,
        rows.y,
        rows.weight,
        **settings,
        min_samples_leaf=max(least, len(rows.X) // (4 * n_leaves)),
        max_leaves=n_leaves,
    )


def _leaf(trunk: Forest, number: int, n_rows: int) -> Forest:
    """A leaf of the trunk as a tree of its own."""
    arrays = bare_branch(trunk, number, 1).forest.to_arrays()
    arrays["leaf_n_samples"] = np.full(1, n_rows, dtype=np.int32)
    arrays["leaf_weight"] = np.full(1, n_rows, dtype=np.float32)
    return Forest.from_arrays(arrays)
