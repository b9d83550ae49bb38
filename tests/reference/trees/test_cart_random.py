"""Hundreds of small problems drawn at random: columns, target, weights, limits, features."""

import numpy as np
import pytest
from native_grower import assert_same_bits, grow_native
from random_tables import KINDS, TARGETS, random_problem
from tree_verdict import verify_tree

from bayeswood import _core

LEVELS = ("levels2", "levels5", "levels30", "levels90")
WEIGHTS = ("unit", "exponential", "zeros", "counts", "tiny", "uneven")


def draw_problem(rng):
    n = int(rng.choice([2, 4, 8, 20, 60, 200, 700, 2500]))
    kinds = tuple(map(str, rng.choice([*KINDS, *LEVELS], size=rng.integers(1, 7))))
    # Levels of equal mean may stand in any order, which a least size of leaves makes visible.
    targets = sorted({*TARGETS} - {"tied"}) if {*kinds} & {*LEVELS} else TARGETS
    return random_problem(
        rng,
        n,
        kinds,
        str(rng.choice(targets)),
        str(rng.choice(WEIGHTS)),
        missing=float(rng.choice([0.0, 0.0, 0.1, 0.5])),
        n_classes=int(rng.choice([3, 5, 12])),
        min_samples_leaf=int(rng.choice([1, 1, 2, 5, 20])) if n < 1000 else 30,
        min_weight_fraction_leaf=float(rng.choice([0.0, 0.0, 0.001, 0.05])),
        max_depth=int(rng.choice([0, 0, 3])),
    )


@pytest.mark.slow
@pytest.mark.parametrize("block", range(12))
def test_native_is_twin(rng, block):
    for _ in range(30):
        problem = draw_problem(rng)
        n_features = problem.X.shape[1]
        max_features = int(rng.integers(1, n_features + 1))
        is_whole = max_features == n_features
        forest, importances = grow_native(problem, max_features=max_features, seed=block)
        verdict = verify_tree(forest.tree(0), problem, all_features=is_whole, tie_order=is_whole)
        np.testing.assert_allclose(importances[0], verdict.importances, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("block", range(4))
def test_same_bits(rng, block):
    for _ in range(30):
        problem = draw_problem(rng)
        options = {"scheme": "exponential", "n_trees": 3, "random_ties": True, "keep_rows": True}
        options |= {"max_features": int(rng.integers(1, problem.X.shape[1] + 1)), "seed": block}
        first, _ = grow_native(problem, instruction_set="portable", **options)
        for name in _core.instruction_sets():
            assert_same_bits(
                first, grow_native(problem, instruction_set=name, n_jobs=2, **options)[0]
            )
