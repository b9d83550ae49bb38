"""How deep the leaves of sampled trees are."""

from typing import Any

import numpy as np

from bayeswood.forest import Tree
from bayeswood.methods import SMCTreeClassifier
from bayeswood.reproduce.lakshminarayanan_2013.measure import PARTICLES, PRIOR, rows_of


def depths(name: str, options: dict[str, Any], n_repeats: int, seed: int) -> dict[str, list[float]]:
    """Mean depth of the leaves and greatest depth of a tree, weighted, for each seed."""
    rows, given = rows_of(name), {**PRIOR, **PARTICLES, **options}
    found: dict[str, list[float]] = {"leaves": [], "greatest": []}
    for repeat in range(n_repeats):
        model = SMCTreeClassifier(**given, random_state=1000 * seed + repeat)
        model.fit(rows.X, rows.y)
        weights = model.member_weights_
        found["leaves"].append(float(weights @ [leaf_depth(t) for t in model.forest_.trees]))
        found["greatest"].append(float(weights @ model.forest_.depths))
    return found


def leaf_depth(tree: Tree) -> float:
    """Mean depth of the leaves; the root has depth 0."""
    level, depth, summed = np.zeros(1, dtype=np.int64), 0, 0
    while level.size:
        inner = level[tree.left[level] >= 0]
        summed += depth * (level.size - inner.size)
        level = np.concatenate([tree.left[inner], tree.right[inner]])
        depth += 1
    return summed / tree.n_leaves
